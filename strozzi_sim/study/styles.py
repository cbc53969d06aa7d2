"""Is there a dominant strategy? Each style of play alone among copies of one strong agent.

A style that wins more than its share among players who could play any other one is a strategy that these do not stop. A tournament of styles
does not answer this: there one bot may beat its own distorted copies.
"""

import pandas as pd

from strozzi_sim.agent.spec_text import split_specs
from strozzi_sim.errors import pluralize
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Tables, format_estimate, headline_players, listed, pick
from strozzi_sim.game.significance import ALPHA, MAX_CHUNKS, MIN_SHARE, degrees_of_freedom, p_value_of_share
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.wording import players_words

_MOST = 6  # styles named one by one


def styles_sentences(tables: Tables, game: Game, chunks: int = MAX_CHUNKS) -> list[str]:
    """Return whether a style wins more than its share among copies of an agent; nothing if the line-ups of the study are others.

    Args:
        tables: tables of a study with two or more line-ups of one agent among copies of another, the same in all.
        game: game of the study.
        chunks: number of chunks behind its intervals.
    """
    strong = _company(tables["lineup"])
    rows = pick(tables["lineup"], figure="win_share").dropna(subset=["value", "low"])
    rows = rows[rows["position"].astype("str") == "0"].reset_index(drop=True)
    if not strong or rows.empty:
        return []
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
        verdict = f"{game.title} may have a dominant strategy: {listed(names)} {win} among copies of {players_words(game, strong)}{where}."
    else:
        behind = "each wins less" if (rows["known"] & (rows["gap"] < 0)).all() else "none is known to win more"
        verdict = f"No style of {game.title} is known to be a dominant strategy: of {pluralize(len(styles), 'style')} {behind} than its share among copies of {players_words(game, strong)}."
    here = pick(rows, players=headline_players(rows)).sort_values("value", ascending=False, kind="stable")
    players = int(here["players"].iloc[0])
    shares = [f"{row.agent} wins {format_estimate(row, 'share')}" for row in here.head(_MOST).itertuples(index=False)]
    more = f"; the other {len(here) - _MOST} win less" if len(here) > _MOST else ""
    detail = (
        f"Alone among {strong} at {players} players {listed(shares)}{more}; {100 / players:.3g} % would be equal. Plans that no agent here "
        "follows are not tested."
    )
    return [verdict, detail]


def _company(lineup: pd.DataFrame) -> str:
    """Return the agent of which every line-up holds copies beside one other, or ""."""
    lineups = [split_specs(names) for names in dict.fromkeys(lineup["lineup"])]
    others = {agent for names in lineups for agent in names[1:]}
    alone = {names[0] for names in lineups}
    return others.pop() if len(others) == 1 and len(alone) > 1 and alone.isdisjoint(others) else ""


def _counts(rows: pd.DataFrame) -> str:
    """Return the player counts of rows: " at 3 and 4 players"."""
    return f" at {listed([str(count) for count in dict.fromkeys(rows['players'])])} players"
