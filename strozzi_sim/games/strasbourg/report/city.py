"""The city as a board, from component data."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.facts.pictures import Board, Place, Shape
from strozzi_sim.games.strasbourg.geometry import city_of, corner_name, space_name


def board(components: Mapping[str, Any]) -> Board:
    """Draw city spaces with guild letter and price, building sites as frames, and chapel sites as discs."""
    city, letters = city_of(components), components["guilds"]["letters"]
    letter_of = {guild: letter for letter, guild in letters.items()}
    places = {
        space_name(cell): Place(
            cell[0] - 0.5, cell[1] - 0.5, "square", guild, f"{letter_of[guild]} {city.prices[cell]}"
        )
        for cell, guild in city.guilds.items()
    }
    places |= {space_name(cell): Place(cell[0] - 0.5, cell[1] - 0.5, "frame") for cell in city.sites}
    places |= {corner_name(cell): Place(float(cell[0]), float(cell[1]), "disc") for cell in city.chapel_sites}
    guilds = ", ".join(f"{letter} {guild}" for letter, guild in letters.items())
    key: dict[Shape, str] = {
        "square": f"space, with its guild ({guilds}) and its price in coins", "frame": "building site", "disc": "chapel site",
    }  # fmt: skip
    edges = [[space_name((k, k)) for k in range(1, size + 1)] for size in (city.columns, city.rows)]
    return Board(city.columns, city.rows, places, key, [name[0] for name in edges[0]], [name[1:] for name in edges[1]])
