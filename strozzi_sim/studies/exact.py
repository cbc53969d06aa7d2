"""The table of an agent's exact exploitability, beside what the search for challengers found of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from strozzi_sim.adapters.exact import Exact, GameTree
from strozzi_sim.agent import AgentSpec

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["players", "variant", "agent", "seat", "figure", "value", "low", "high", "n", "nodes"]
CFR, ALL = "CFR after {:,} iterations", "all"
_Z = 1.96


def exact_table(
    tree: GameTree, spec: AgentSpec, challengers: "pd.DataFrame", questions: int, iterations: int, seed: int,
    say: Callable[[str], None],
) -> "pd.DataFrame":  # fmt: skip
    """Return the exact figures of an agent, of CFR, and the share of them that `challengers` found.

    `n` is the number of answers behind a figure. An agent that draws is known by the frequencies of its answers. A best response
    exploits the noise in these too, so its value is too high on average; one to half of the answers, against the other half, is
    too low. An interval reaches from the second less 1.96 standard errors (a bootstrap of the questions) to the first plus 1.96.
    """
    import pandas as pd

    say(f"asking {spec.text} in {len(tree.information):,} information states of {tree.nodes:,} nodes")
    strategy, answers = tree.strategy(spec, questions, seed)
    exact = tree.exact(strategy)
    found, n, rows = _figures(exact), len(strategy), list[tuple[Any, ...]]()
    lowest, reach = found, dict.fromkeys(found, 0.0)
    if answers is not None:
        n = answers.size
        lowest = _figures(Exact(exact.win_share, tree.responses_apart(answers)))
        again = [_figures(each) for each in tree.resampled(answers, seed)]
        reach = {key: float(_Z * np.std([each[key] for each in again], ddof=1)) for key in found}
    for key, value in found.items():
        rows.append((spec.text, *key, value, max(lowest[key] - reach[key], 0.0), value + reach[key], n))
    (gives,) = [row for row in rows if row[1:3] == (ALL, "gives_away")]
    bound = challengers[challengers["chosen"] & (challengers["figure"] == "gives_away")].iloc[0]
    if gives[4] > 0:
        shares = bound["value"] / gives[3], bound["low"] / gives[5], bound["high"] / gives[4]
        rows.append((spec.text, ALL, "found", *map(float, shares), int(bound["n"])))
    counts = sorted({*(10**power for power in range(len(str(iterations)))), iterations} - {0}) if iterations else []
    for count, each in zip(counts, tree.cfr(counts, say), strict=True):
        rows += [
            (CFR.format(count), *key, value, value, value, len(tree.information))
            for key, value in _figures(each).items()
        ]
    here = tree.table.players, tree.table.variant.name
    return pd.DataFrame([(*here, *row, tree.nodes) for row in rows], columns=COLUMNS)


def _figures(exact: Exact) -> dict[tuple[str, str], float]:
    """Return the figures of every seat and of all, by seat and name."""
    seats = {
        (str(seat), figure): float(max(value, 0.0))  # rounding may leave -1e-17
        for figure, values in (("win_share", exact.win_share), ("best_response", exact.best_response), ("gain", exact.gain))
        for seat, value in enumerate(values)
    }  # fmt: skip
    nash_conv = float(max(exact.gain.sum(), 0.0))
    return seats | {(ALL, "nash_conv"): nash_conv, (ALL, "gives_away"): nash_conv / len(exact.gain)}
