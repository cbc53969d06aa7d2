"""Texts of reports: players, seats, player counts and differences."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

from strozzi_sim.agent import load_agent
from strozzi_sim.agent.spec_text import split_specs
from strozzi_sim.declare.printing import format_estimate
from strozzi_sim.errors import in_ranges
from strozzi_sim.facts.figures import WIN_SHARE
from strozzi_sim.game import Game
from strozzi_sim.game.sentences import listed
from strozzi_sim.game.tiers import RANDOM_MOVES, TIERS

FEW_AGENTS = 3  # most agents named one by one
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def strengths(game: Game, lineups: Iterable[str]) -> dict[str, str]:
    """Return name -> agent if several line-ups are all single agents that have names in the game, else {}."""
    played = set(lineups)
    agent_by_name = {name: agent for agent, name in game.player_names.items() if agent in played}
    return agent_by_name if len(played) > 1 and set(agent_by_name.values()) == played else {}


def player_name(game: Game, agent: str) -> str:
    """Return an agent in one word: "usual", "random moves"; its spec if it has no name in the game."""
    return game.player_names.get(agent, agent)


def player_words(game: Game, agent: str, the: str = "the") -> str:
    """Return one player of an agent: "the usual player", or with another word `the`; "random moves"; a spec."""
    name = player_name(game, agent)
    return f"{the} {name} player" if name in TIERS else name


def player_noun(game: Game, agent: str) -> str:
    """Return one player of an agent without an article: "usual player", "player who moves at random"; a spec."""
    name = player_name(game, agent)
    if name == RANDOM_MOVES:
        return "player who moves at random"
    return f"{name} player" if name in TIERS else name


def bare_name(agent: str) -> str:
    """Return the name of an agent without its file, parameters and underscores, for answers."""
    return agent.rpartition("::")[2].partition(":")[0].replace("_", " ")


def plain_words(game: Game, agent: str) -> str:
    """Return one player in an answer: "the usual player", "random moves"; of an agent of no tier its bare name."""
    return player_words(game, agent) if agent in game.player_names else bare_name(agent)


def plain_player(game: Game, agent: str) -> str:
    """Return one player as the subject of an answer: "the usual player", "a player who moves at random"."""
    words = plain_words(game, agent)
    return f"a {player_noun(game, agent)}" if words == RANDOM_MOVES else words


def player_sentence(game: Game, agent: str) -> str:
    """Return what is known of a player: the note of its tier, else the agent's description."""
    note = next((game.tier_notes.get(tier) for tier, text in game.tiers.items() if text == agent), None)
    return note.sentence if note else f"{load_agent(agent, game).agent.description.removesuffix('.')}."


def copies_words(game: Game, agent: str) -> str:
    """Return several players of an agent: "usual players", "random moves", "copies of SPEC"."""
    name = player_name(game, agent)
    return f"{name} players" if name in TIERS else name if name == RANDOM_MOVES else f"copies of {name}"


def players_words(game: Game, *lineups: str, most: int | None = None, bare: bool = False) -> str:
    """Return the agents of some line-ups, each once: "weak and usual players and random moves".

    `most` is the number of agents of no tier that are named; default: all. `bare`: these without their parameters.
    """
    agents = (agent for lineup in lineups for agent in split_specs(lineup))
    names = dict.fromkeys(game.player_names.get(agent, bare_name(agent) if bare else agent) for agent in agents)
    tiers = [name for name in names if name in TIERS]
    others = [name for name in names if name not in TIERS]
    if most is not None and len(others) > most:
        others = _fewer(game, others, most)
    return listed([*([f"{listed(tiers)} players"] if tiers else []), *others])


def _fewer(game: Game, agents: Sequence[str], most: int) -> list[str]:
    """Return agents of no tier as text, at most `most` of them by name, or as settings of one agent that all are."""
    (base, *more) = dict.fromkeys(map(bare_name, agents))
    if not more:
        who = f"the {game.player_names[base]} player" if base in game.player_names else base
        return [f"{who} at {len(agents)} settings"]
    return [*agents[:most], f"{len(agents) - most} more"]


def lineup_words(game: Game, lineup: str, *, bare: bool = False) -> str:
    """Return who plays a line-up: "one trained player among usual players", "weak and usual players".

    `bare`: agents of no tier are named without their parameters.
    """
    first, *others = split_specs(lineup)
    if len(others) > 1 and set(others) == {others[0]} and others[0] != first:
        name = "random" if player_name(game, first) == RANDOM_MOVES else player_name(game, first)
        if first not in game.player_names and bare:
            name = bare_name(first)
        is_named = others[0] in game.player_names or not bare
        company = copies_words(game, others[0]) if is_named else f"copies of {bare_name(others[0])}"
        return f"one {name}{' player' * (first in game.player_names)} among {company}"
    return players_words(game, lineup, bare=bare)


def lineup_names(game: Game, lineups: Iterable[str]) -> dict[str, str]:
    """Return "lineup=" and the raw name -> the name in a legend: in one word, if one agent plays itself."""
    return {f"lineup={each}": game.player_names.get(each) or lineup_words(game, each) for each in lineups}


def played_by(game: Game, lineups: Iterable[str]) -> str:
    """Return the agents of some line-ups as text: "played by usual players and random moves"."""
    return f"played by {players_words(game, *lineups, most=FEW_AGENTS)}"


def points(row: Any) -> str:
    """Return a row's difference of two shares as text: "3.2 ± 0.4 points"."""
    return format_estimate(row, WIN_SHARE.difference())


def at_players(counts: Iterable[int]) -> str:
    """Return player counts as text: "at 3 and 4 players"."""
    return f"at {listed([str(count) for count in dict.fromkeys(counts)])} players"


def listed_counts(counts: Iterable[int]) -> str:
    """Return player counts as text, runs of more than three as ranges: "2 and 4 to 7"."""
    return listed(in_ranges([str(count) for count in counts]))


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
