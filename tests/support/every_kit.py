"""The kits of all games, by name."""

import medici_games
import strasbourg_games
import strozzi_games

KITS = {module.KIT.game.name: module.KIT for module in (strozzi_games, medici_games, strasbourg_games)}
