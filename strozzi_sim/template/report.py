"""The tables of the report: figures of facts. Pages, pictures and labels are in report.toml."""

from strozzi_sim.facts.blocks import Block, per_player, share, share_along

BLOCKS = {"tokens": (Block("take", {"token": "token"}, (per_player("takes", ""), share("win_share", "win"))),)}
MAPS = {"token-by-seat": Block("take", {"row": "seat", "column": "token"}, (share_along("share", "column"),))}
