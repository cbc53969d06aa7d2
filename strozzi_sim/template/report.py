"""The report: a page of its own, with a picture and a sentence, beside the page `balance` of every game."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.facts.blocks import Block, per_player, share, share_along
from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.game.pages import Page, Report
from strozzi_sim.game.reporting import Narrator, Picture, Tables, format_estimate

_WINS = Figure("win_share", "wins of the seat that takes it", "share")
_BLOCKS = (Block("take", {"token": "token"}, (per_player("takes", ""), share("win_share", "win"))),)


def _pictures(tables: Tables) -> list[Picture]:
    return [
        Picture(
            "wins", "tokens", "intervals", "tokens", (_WINS,), "Who wins with which token?",
            "Share of games won by the seat that takes a token of that value. Whiskers are 95 % intervals.",
            x="token", x_label="value of the token",
        )
    ]  # fmt: skip


def _sentences(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    ends = say.extremes("win_share")
    return [f"a token of value {ends[1].token} wins most often: {format_estimate(ends[1], 'share')}."] if ends else []


HEATMAPS = {
    "token-by-seat": HeatMap(
        "Which seat takes which token?", "Share of the seat's tokens with that value; rows add up to 100 %.", "seat", "token",
        Figure("share", "share of the seat's tokens", "share"),
        Block("take", {"row": "seat", "column": "token"}, (share_along("share", "column"),)),
    )
}  # fmt: skip
REPORT = Report(
    {"tokens": Page("Tokens", "What is a token worth?", ("token",), _BLOCKS)},
    pictures={"tokens": _pictures},
    sentences={"tokens": _sentences},
    heatmaps=HEATMAPS,
)
