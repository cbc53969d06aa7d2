"""Is there a dominant strategy? Each style of play alone among copies of one strong agent, and what winners do more than losers.

A style that wins more than its share among players who could play any other one is a strategy that these do not stop. A tournament of styles
does not answer this: there one bot may beat its own distorted copies. What winners do more often need not be what made them win, so the
worth of a thing, measured by doing without, stands beside it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from strozzi_sim.agent.spec_text import split_specs
from strozzi_sim.errors import pluralize
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Tables, headline_players, listed, pick
from strozzi_sim.game.significance import ALPHA, MAX_CHUNKS, MIN_SHARE, degrees_of_freedom, p_value_of_share
from strozzi_sim.reports.answers import number
from strozzi_sim.reports.content import Answer
from strozzi_sim.reports.luck import share_text
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.studies.worth import COSTS, SMALL, WORTH

_MOST = 6  # styles, and things, named one by one
_CAUSAL = {WORTH: "it is worth having", COSTS: "it costs them games", SMALL: "it is too small to matter"}


def styles_answer(tables: Tables, game: Game, chunks: int = MAX_CHUNKS) -> Answer | None:
    """Return whether a style wins more than its share among copies of an agent; None if the line-ups of the study are others.

    Args:
        tables: tables of a study with two or more line-ups of one agent among copies of another, the same in all.
        game: game of the study.
        chunks: number of chunks behind its intervals.
    """
    strong = _company(tables["lineup"])
    rows = pick(tables["lineup"], figure="win_share").dropna(subset=["value", "low"])
    rows = rows[rows["position"].astype("str") == "0"].reset_index(drop=True)
    if not strong or rows.empty:
        return None
    fair = 1 / rows["players"].to_numpy()
    df = degrees_of_freedom(rows["n"], rows["deals"], chunks)
    p = holm(p_value_of_share(rows["value"], rows["low"], rows["high"], fair, df))
    gap = rows["value"] - fair
    rows = rows.assign(known=(p < ALPHA) & (gap.abs() >= MIN_SHARE), gap=gap)
    ahead, styles = rows[rows["known"] & (rows["gap"] > 0)], list(dict.fromkeys(rows["agent"]))
    if len(ahead):
        where = _counts(ahead) if len(ahead) < len(rows) else ""
        names = list(dict.fromkeys(ahead["agent"]))
        win = "wins more than its share" if len(names) == 1 else "each win more than their share"
        verdict = f"{game.title} may have a dominant strategy: {listed(names)} {win} among copies of {strong}{where}."
    else:
        behind = "each wins less" if (rows["known"] & (rows["gap"] < 0)).all() else "none is known to win more"
        verdict = f"No style of {game.title} is known to be a dominant strategy: of {pluralize(len(styles), 'style')} {behind} than its share among copies of {strong}."
    here = pick(rows, players=headline_players(rows)).sort_values("value", ascending=False, kind="stable")
    players = int(here["players"].iloc[0])
    shares = [f"{row.agent} wins {share_text(row)}" for row in here.head(_MOST).itertuples(index=False)]
    more = f"; the other {len(here) - _MOST} win less" if len(here) > _MOST else ""
    detail = (
        f"Alone among {strong} at {players} players {listed(shares)}{more}; {100 / players:.3g} % would be equal. Plans that no agent here "
        "follows are not tested."
    )
    first = here.head(3).itertuples(index=False)
    return Answer(verdict, detail, tuple(number(row, "share", f"games won by {row.agent} among {strong}, {players} players") for row in first))  # fmt: skip


def _company(lineup: pd.DataFrame) -> str:
    """Return the agent of which every line-up holds copies beside one other, or ""."""
    lineups = [split_specs(names) for names in dict.fromkeys(lineup["lineup"])]
    others = {agent for names in lineups for agent in names[1:]}
    alone = {names[0] for names in lineups}
    return others.pop() if len(others) == 1 and len(alone) > 1 and alone.isdisjoint(others) else ""


def _counts(rows: pd.DataFrame) -> str:
    """Return the player counts of rows: " at 3 and 4 players"."""
    return f" at {listed([str(count) for count in dict.fromkeys(rows['players'])])} players"


def winners_sentence(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return what winners do more often than losers, and whether it is known to be worth having.

    Args:
        lines: lines of `studies.worth.verdicts`, of one agent and player count.
    """
    known = [line for line in lines if line.get("popularity") is not None and line.get("naive_win_share") is not None]
    rows = pd.DataFrame([line["naive_win_share"]._asdict() for line in known])
    if rows.empty:
        return ""
    fair = 1 / known[0]["players"]
    p = holm(
        p_value_of_share(rows["value"], rows["low"], rows["high"], fair, degrees_of_freedom(rows["n"], rows["deals"]))
    )
    found = [(line["naive_win_share"], line) for line, each in zip(known, p, strict=True) if each < ALPHA]
    more = sorted(((row, line) for row, line in found if row.value > fair), key=lambda pair: -pair[0].value)[:_MOST]
    if not more:
        return "There is nothing counted here that winners are known to do more often than losers."
    said = [
        f"`{line['thing']}` (users win {share_text(row)}; {_CAUSAL.get(line['verdict'], 'its worth is not known')})"
        for row, line in more
    ]
    return f"Winners do more often than losers, most of all: {listed(said)}; {100 * fair:.3g} % would be equal."
