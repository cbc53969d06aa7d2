"""leak-check: does an agent use what its seat cannot know?"""

from typing import TYPE_CHECKING, Any

from strozzi_sim.cli import options
from strozzi_sim.cli.commands import command
from strozzi_sim.questions.leak_check import leak_check

if TYPE_CHECKING:
    from strozzi_sim.simulation.row_dependence import RowCheck
    from strozzi_sim.studies.results import Results


def _show(results: "Results", given: dict[str, Any]) -> int:
    found = results.leak_check
    leak = found.leak
    if given["json"]:
        document: dict[str, Any] = {"ok": leak is None, "agent": found.agent, "game": results.plan["game"]}
        document |= {"decisions": found.decisions, "leak": None if leak is None else leak.where}
        if found.rows is not None:
            document["row_independent"] = found.rows.independent
        if "calibrated" in results.plan:
            document["calibrated"] = results.plan["calibrated"]
        options.print_json(document)
    elif leak is None:
        print(f"{found.agent}: no leak in {found.decisions:,} decisions")
        if found.rows is not None:
            print(_describe_rows(found.rows))
    else:
        print(
            f"{leak.shown}\n\n{found.agent} chose {leak.action!r}, but {leak.moved_to!r} after a change of {leak.changed}"
            f"\n({leak.players} players, seed {leak.seed}, deal {leak.deal}, decision {leak.decision})"
        )
    return 0 if leak is None else 1


def _describe_rows(rows: "RowCheck") -> str:
    if rows.independent:
        return f"In batches: 0 of {rows.rows:,} decisions depend on their place in the batch or on the other rows."
    return (
        f"In batches: {rows.moved:,} of {rows.rows:,} decisions depend on their place in the batch or on the other rows. Studies "
        "repeat to the byte on one type of processor; a game played alone may differ from the same game in a study."
    )


COMMANDS = {
    "leak-check": command(
        leak_check, _show, "Example: strozzi leak-check strozzi greedy:margin=4 --players 3-6 --deals 20",
        words={"": "Check that an agent's choices depend only on what its seat knows in the current game; exit with 1 if not."},
    )
}  # fmt: skip
