"""Texts of reports: strengths of play, agents, seats, player counts and differences."""

from collections.abc import Hashable, Iterable
from typing import Any, TypeVar

from strozzi_sim.agent.names import agents_named
from strozzi_sim.agent.spec_text import split_specs
from strozzi_sim.declare.printing import format_estimate
from strozzi_sim.facts.figures import WIN_SHARE
from strozzi_sim.game import Game
from strozzi_sim.game.sentences import listed, some_of

USUAL = "the usual computer player"
FEW_AGENTS = 3  # most agents named one by one
PLAY = {  # strength -> text
    "random": "random moves",
    "weak": "weak play",
    "usual": "usual play",
    "trained": "trained play",
    "strong": "strong play",
}
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
_TURNS = ("begins", "moves second", "moves third", "moves fourth", "moves fifth", "moves sixth")


def strengths(game: Game, lineups: Iterable[str]) -> dict[str, str]:
    """Return strength -> agent if several line-ups are all single agents of the game's strengths, else {}."""
    agent_by_strength, played = {"random": "random"}, set(lineups)
    if len(played) < 2 or any(len(split_specs(lineup)) > 1 for lineup in played):
        return {}  # early, since importing the game's agents takes time
    for tier, agent in game.tiers.items():
        text = agents_named(game, [agent])[0].text
        agent_by_strength["random" if text == "random" else tier] = text
    in_study = {strength: agent for strength, agent in agent_by_strength.items() if agent in played}
    return in_study if set(in_study.values()) == played else {}


def players_words(game: Game, lineup: str) -> str:
    """Return the different agents of a line-up as text, the game's default agent as USUAL."""
    agents = dict.fromkeys(split_specs(lineup))
    return listed([USUAL if agent == game.default_agent else agent for agent in agents])


def played_by(game: Game, lineups: Iterable[str]) -> str:
    """Return the agents of some line-ups as text: "played by the usual computer player or by random"."""
    agents_of_each = [list(dict.fromkeys(split_specs(lineup))) for lineup in lineups]
    agents = list(dict.fromkeys(agent for own in agents_of_each for agent in own))
    if len(agents) > 2:
        return f"played by {some_of(agents, FEW_AGENTS)}"
    if any(len(own) > 1 for own in agents_of_each):
        return f"played by {players_words(game, ','.join(agents))}"
    return f"played by {' or by '.join(players_words(game, agent) for agent in agents)}"


def seat_words(seat: int, players: int) -> str:
    """Return the player at a seat as text.

    >>> seat_words(0, 2), seat_words(1, 2), seat_words(3, 4)
    ('the player who begins', 'the player who moves second', 'the player who moves last')
    """
    turn = "moves last" if seat == players - 1 > 1 else _TURNS[seat] if seat < len(_TURNS) else f"has seat {seat}"
    return f"the player who {turn}"


def points(row: Any) -> str:
    """Return a row's difference of two shares as text: "3.2 ± 0.4 points"."""
    return format_estimate(row, WIN_SHARE.difference())


def at_players(counts: Iterable[int]) -> str:
    """Return player counts as text: "at 3 and 4 players"."""
    return f"at {listed([str(count) for count in dict.fromkeys(counts)])} players"


def conclusion(known: str, unknown: str, size: str, link: str = ": ") -> str:
    """Return who wins, as far as it is known, and the size of what could be missed elsewhere.

    >>> conclusion("", "no agent is known to win more", "a gain of up to 3.1 points could be missed")
    'no agent is known to win more: a gain of up to 3.1 points could be missed'

    Args:
        known: who wins; "" if nobody is known to.
        unknown: is said instead of `known`.
        size: what could be missed, from `missed`; "": nothing, or it is not known.
        link: text between the two parts.
    """
    return f"{known or unknown}{link}{size}" if size else known or unknown


def shortened(text: str, letters: int) -> str:
    """Return a text of at most `letters` characters; a longer one is cut and ends in an ellipsis.

    >>> shortened("random", 6), shortened("heuristic", 6)
    ('random', 'heuri…')
    """
    return text if len(text) <= letters else f"{text[: letters - 1]}\N{HORIZONTAL ELLIPSIS}"


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Return key -> its values, both in the order of the pairs."""
    values_by_key: dict[Key, list[Value]] = {}
    for key, value in pairs:
        values_by_key.setdefault(key, []).append(value)
    return values_by_key
