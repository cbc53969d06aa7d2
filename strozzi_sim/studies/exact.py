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

    `n` is the number of answers behind a figure. An agent that draws is known by the frequencies of its answers; its best
    responses also exploit the noise in these, so values and intervals are those of a bootstrap that subtracts this bias.
    """
    import pandas as pd

    say(f"asking {spec.text} in {len(tree.information):,} information states of {tree.nodes:,} nodes")
    strategy, times = tree.strategy(spec, questions, seed)
    found = _figures(tree.exact(strategy))
    again = [_figures(each) for each in tree.resampled(strategy, times, seed)] if times else []
    n, rows = len(tree.information) * max(times, 1), list[tuple[Any, ...]]()
    for key, value in found.items():
        drawn = np.array([each[key] for each in again] or [value])
        centre, reach = 2 * value - drawn.mean(), _Z * drawn.std(ddof=1) if again else 0.0
        low, high = max(centre - reach, 0.0), max(centre + reach, 0.0)
        rows.append((spec.text, *key, max(centre, 0.0), low, high, n))
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
