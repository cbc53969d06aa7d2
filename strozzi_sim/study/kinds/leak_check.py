"""leak-check: does an agent use information that its seat cannot have?"""

from __future__ import annotations

from functools import partial
from math import floor, log10
from pathlib import Path
from typing import Any

import pandas as pd

from strozzi_sim.agent import AnyAgent, names
from strozzi_sim.agent.names import Players
from strozzi_sim.declare.figure_tables import Tables
from strozzi_sim.declare.printing import rounded_up
from strozzi_sim.declare.significance import ALPHA
from strozzi_sim.errors import ArgumentError, pluralize
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.sentences import seat_words, with_capital
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.play.leak_check import LeakVerdict, check_leaks
from strozzi_sim.simulation.isolation import query_in_worker
from strozzi_sim.study.arguments import documented
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study
from strozzi_sim.study.progress import ProgressOption
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import Folder, run
from strozzi_sim.study.verdict import Verdict
from strozzi_sim.study.wording import plain_player

LEAK = ("players", "deal", "decision", "seat", "action", "moved_to", "changed", "shown")


@documented()
def leak_check(
    game: str | Game,
    agent: AnyAgent,
    *,
    players: Players = "all",
    deals: int = 5,
    variant: AnyVariant = "base",
    study: str | Path = "",
    seed: int = 0,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Check that an agent's choices depend only on what its seat knows in the current game.

    Example: strozzi leak-check strozzi greedy:margin=4 --players 3-6 --deals 20

    Args:
        agent: agent to check; it plays itself, and every decision is repeated on the concealed state
        players: player counts: 4, 3-6, 3,5 or all
        deals: games for each player count

    >>> import strozzi_sim as ss
    >>> ss.leak_check("strozzi", "greedy", players=3, deals=1).tables["leak_check"]["ok"].item()
    True
    """
    the_game = find_game(game)
    checked = LeakCheck.of(
        game=the_game,
        players=names.player_counts(the_game, players),
        lineups=[names.agents_named(the_game, [agent], "agent")],
        variants=[names.one_variant(the_game, "variant", variant, study)],
        deals=deals,
        seed=seed,
    )
    return run(checked, folder, look=checked.look(), workers=1, progress=progress)


class LeakCheck(Study):
    """A check of one agent. Its games are followed decision by decision, so there are no chunks."""

    kind = "leak_check"
    usual_deals, printed = 5, ("leak_check",)

    @property
    def chunks(self) -> int:
        return 0

    def check(self) -> None:
        if len(self.lineups) > 1 or len(self.lineups[0]) > 1 or len(self.variants) > 1:
            argument = "variants" if len(self.variants) > 1 else "lineups"
            raise ArgumentError(argument, "one agent is checked, in one variant")

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return leak_check, one row: whether a decision depends on hidden information, and which one."""
        (spec,), (variant,) = self.specs.values(), self.variant_of.values()
        check = partial(check_leaks, players=self.players, deals=self.deals, seed=self.seed)
        check_result: LeakVerdict = query_in_worker(check, spec, self.the_game, variant, seed=self.seed)
        leak = {} if check_result.leak is None else vars(check_result.leak)
        row = {"agent": spec.text, "decisions": check_result.decisions, "ok": not leak, "seed": self.seed}
        row |= {"illegal": check_result.illegal} if self.counts_answers else {}
        return {"leak_check": pd.DataFrame([row | {key: leak.get(key) for key in LEAK}])}

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return whether a decision depends on hidden information, and which one."""
        (row,) = tables["leak_check"].to_dict("records")
        agent = with_capital(plain_player(self.the_game, row["agent"]))
        checked = pluralize(row["decisions"], "decision")
        replaced = [f"Illegal answers of {row['agent']}: {row['illegal']:,} of {checked}."] if "illegal" in row else []
        if row["ok"]:
            missed = f"A leak in {_missed_share(row['decisions'])} of decisions would be missed in 1 of 20 such checks."
            return Verdict(f"{agent} uses only what its seat knows in {checked}.", notes=(missed, *replaced))
        who = seat_words(int(row["seat"]), int(row["players"]))
        where = f"At {row['players']} players, as {who} in decision {row['decision']} of deal {row['deal']},"
        what = f"{where} it chose {row['action']}, and {row['moved_to']} after a change of {row['changed']}."
        return Verdict(f"{agent} uses what its seat cannot know.", notes=(what, str(row["shown"]), *replaced))

    def check_document(self, tables: Tables) -> dict[str, Any]:
        """Return whether the agent passed, and the leak if it did not."""
        (row,) = tables["leak_check"].to_dict("records")
        document = {"ok": bool(row.pop("ok")), "agent": row.pop("agent"), "game": self.game}
        document["decisions"] = int(row.pop("decisions"))
        leak = None if document["ok"] else {key: value for key, value in row.items() if key != "shown"}
        return document | {"leak": leak}


def _missed_share(decisions: int) -> str:
    """Return the share of leaking decisions of which a check sees none with probability 5 %, with two digits.

    It is the exact upper bound of a share of which no event was seen, about 3 / `decisions`.

    >>> _missed_share(212), _missed_share(2426)
    ('1.5 %', '0.13 %')
    """
    percent = 100 * (1 - ALPHA ** (1 / decisions))
    digits = max(1 - floor(log10(percent)), 0)
    return f"{rounded_up(percent, digits):.{digits}f} %"
