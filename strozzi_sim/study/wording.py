"""Texts of reports: players, seats, player counts and differences."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

from strozzi_sim.agent import AgentSpec, load_agent
from strozzi_sim.agent.spec_text import split_specs
from strozzi_sim.declare.printing import format_estimate
from strozzi_sim.errors import AgentFault, InputError, in_ranges
from strozzi_sim.facts.figures import WIN_SHARE
from strozzi_sim.game import Game
from strozzi_sim.game.sentences import listed
from strozzi_sim.game.tiers import RANDOM_MOVES, TIERS, TierNote

FEW_AGENTS = 3  # most agents named one by one
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def strengths(game: Game, lineups: Iterable[str]) -> dict[str, str]:
    """Return name -> agent if several line-ups are all single agents that have names in the game, else {}."""
    played = set(lineups)
    agent_by_name = {name: agent for agent, name in game.player_names.items() if agent in played}
    return agent_by_name if len(played) > 1 and set(agent_by_name.values()) == played else {}


def player_name(game: Game, agent: str, *, bare: bool = False) -> str:
    """Return an agent in one word, "usual", "random moves"; one of no tier as in `agent_words`."""
    return game.player_names.get(agent) or agent_words(game, agent, bare=bare)


def agent_words(game: Game, agent: str, *, bare: bool = False) -> str:
    """Return an agent of no tier: "ismcts", "ismcts with iterations 600", "the usual player with 2 other settings".

    `bare`: of several parameters that differ from the default only the number is named. An agent of a file has the name
    that the file gives it.
    """
    spec = _loaded(game, agent)
    if spec is None:  # a report does not need its agents
        return bare_name(agent) if bare or "::" in agent else agent
    like = _like(game, spec)
    changed = spec.changed_words(like)
    if bare and len(changed) > 1:
        changed = [f"{len(changed)} other settings"]
    settings = [f"with {listed(changed)}"] if changed else []
    return " ".join([_unset_words(game, agent), *settings, *(f"without {each}" for each in spec.without)])


def _loaded(game: Game, agent: str) -> AgentSpec | None:
    """Return an installed agent; None if it is of a file or cannot be loaded."""
    if "::" in agent:
        return None
    try:
        return load_agent(agent, game)
    except (InputError, AgentFault):
        return None


def _like(game: Game, spec: AgentSpec) -> AgentSpec:
    """Return the agent of a tier that differs from this one in the fewest parameters, or else the default one."""
    tiers = [load_agent(text, game) for text in game.tiers.values()]
    return min(
        [spec.default, *(tier for tier in tiers if tier.source == spec.source)],
        key=lambda each: len(spec.changed_words(each)),
    )


def _unset_words(game: Game, agent: str) -> str:
    """Return what an agent is called whatever its settings: "the usual player", "ismcts"."""
    spec = _loaded(game, agent)
    like = _like(game, spec).text if spec else agent
    return player_words(game, like) if like in game.player_names else bare_name(like)


def agent_labels(game: Game, agents: Iterable[str], letters: int = 60) -> dict[str, str]:
    """Return agent -> its name in a picture, of at most so many letters; its spec if several would have one name."""
    names = {agent: shortened(player_name(game, agent), letters) for agent in agents}
    used = Counter(names.values())
    return {agent: name if used[name] == 1 else shortened(agent, letters) for agent, name in names.items()}


def player_words(game: Game, agent: str, the: str = "the", *, bare: bool = False) -> str:
    """Return one player of an agent: "the usual player", or with another word `the`; "random moves"."""
    name = player_name(game, agent, bare=bare)
    return f"{the} {name} player" if name in TIERS else name


def player_noun(game: Game, agent: str) -> str:
    """Return one player of an agent without an article: "usual player", "player who moves at random"."""
    name = player_name(game, agent)
    if name == RANDOM_MOVES:
        return "player who moves at random"
    return f"{name} player" if name in TIERS else name.removeprefix("the ")


def bare_name(agent: str) -> str:
    """Return the name of an agent without its file, parameters and underscores."""
    return agent.rpartition("::")[2].partition(":")[0].replace("_", " ")


def plain_words(game: Game, agent: str) -> str:
    """Return one player in an answer: "the usual player", "random moves", "ismcts with iterations 600"."""
    return player_words(game, agent, bare=True)


def plain_player(game: Game, agent: str) -> str:
    """Return one player as the subject of an answer: "the usual player", "a player who moves at random"."""
    words = plain_words(game, agent)
    return f"a {player_noun(game, agent)}" if words == RANDOM_MOVES else words


def tier_note(game: Game, agent: str) -> TierNote | None:
    """Return the note of an agent's tier, or None."""
    return next((game.tier_notes.get(tier) for tier, text in game.tiers.items() if text == agent), None)


def player_sentence(game: Game, agent: str) -> str:
    """Return what is known of a player: the note of its tier, else the agent's description; "" without the agent."""
    if note := tier_note(game, agent):
        return note.sentence
    try:
        return f"{load_agent(agent, game).agent.description.removesuffix('.')}."
    except (InputError, AgentFault):  # a report does not need its agents
        return ""


def copies_words(game: Game, agent: str, *, bare: bool = False) -> str:
    """Return several players of an agent: "usual players", "random moves", "copies of ismcts"."""
    name = player_name(game, agent, bare=bare)
    return f"{name} players" if name in TIERS else name if name == RANDOM_MOVES else f"copies of {name}"


def players_words(game: Game, *lineups: str, most: int | None = None, bare: bool = False) -> str:
    """Return the agents of some line-ups, each once: "weak and usual players and random moves".

    `most` is the number of agents of no tier that are named; default: all. `bare`: as in `agent_words`.
    """
    agents = dict.fromkeys(agent for lineup in lineups for agent in split_specs(lineup))
    name_of = {agent: player_name(game, agent, bare=bare) for agent in agents}
    tiers = [name for name in name_of.values() if name in TIERS]
    others = [agent for agent, name in name_of.items() if name not in TIERS]
    named = list(dict.fromkeys(name_of[agent] for agent in others))
    if most is not None and len(others) > most:
        bases = {_unset_words(game, agent) for agent in others}
        if len(bases) == 1:
            named = [f"{bases.pop()} at {len(others)} settings"]
        else:
            named = [*named[:most], f"{len(others) - most} more"]
    return listed([*([f"{listed(tiers)} players"] if tiers else []), *named])


def lineup_words(game: Game, lineup: str, *, bare: bool = False) -> str:
    """Return who plays a line-up: "one trained player among usual players", "weak and usual players".

    `bare`: as in `agent_words`.
    """
    first, *others = split_specs(lineup)
    if len(others) > 1 and set(others) == {others[0]} and others[0] != first:
        name = player_name(game, first, bare=bare).removeprefix("the ")
        name = "random" if name == RANDOM_MOVES else name
        company = copies_words(game, others[0], bare=bare)
        return f"one {name}{' player' * (first in game.player_names)} among {company}"
    return players_words(game, lineup, bare=bare)


def lineup_names(game: Game, lineups: Iterable[str]) -> dict[str, str]:
    """Return "lineup=" and the raw name -> the name in a legend: in one word, if one agent plays itself."""
    names = {each: game.player_names.get(each) or lineup_words(game, each) for each in lineups}
    used = Counter(names.values())
    return {f"lineup={each}": name for each, name in names.items() if used[name] == 1}


def names_of_lineups(game: Game, lineups: Sequence[Sequence[str]], *, most: int) -> str:
    """Return line-ups as text, "weak | usual,random moves"; of more than `most` their number."""
    if len(lineups) > most:
        return f"{len(lineups):,} line-ups"
    return " | ".join(",".join(game.player_names.get(agent, agent) for agent in lineup) for lineup in lineups)


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
