"""The games of this package, and what errors list. Tests hold with any other games and agents installed."""

from pathlib import Path

import strozzi_sim
from strozzi_sim.game import game_names

FOLDER = Path(strozzi_sim.__file__).parent / "games"
OUR_GAMES = sorted(folder.name for folder in FOLDER.iterdir() if (folder / "core.py").exists())
KNOWN_GAMES = f"known: {', '.join(game_names())}"
