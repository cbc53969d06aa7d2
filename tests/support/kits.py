"""What the tests of every game need to know of one: its kit. A game's kit is KIT in the module of its shared test code."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis.strategies import SearchStrategy, booleans

from strozzi_sim.agent.registry import find_agent
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match

Lines = Sequence[Mapping[str, Any]]
Pairs = Iterator[tuple[str, Any, Any]]  # what is compared, the core's, the reference's
SEED = 11


def flipped(base: Mapping[str, Any], **others: Any) -> dict[str, Any]:
    """Every switch of a section turned over; one that is no bool takes its value in `others`."""
    return {name: not value if isinstance(value, bool) else others[name] for name, value in base.items()}


def drawn_switches(
    draw: Callable[[Any], Any], base: Mapping[str, Any], **others: SearchStrategy[Any]
) -> dict[str, Any]:
    """Every switch of a section as Hypothesis draws it; one that is no bool is drawn from `others`."""
    return {name: draw(booleans() if isinstance(value, bool) else others[name]) for name, value in base.items()}


def keys_of(**keys: str) -> frozenset[tuple[str, str]]:
    """(type of an event, key of it) of every key in words."""
    return frozenset((kind, key) for kind, words in keys.items() for key in words.split())


@dataclass(frozen=True)
class Kit:
    """One game as its tests see it.

    Attributes:
        game: the game.
        variants: names of variants that together flip every switch; "base" and "all-flipped" are among them.
        paired: those whose chance is that of the base game, card by card.
        variant: a variant by its name, shipped ones included.
        narrow: the same with few enough actions to walk whole trees.
        tiny: changes that make a game so small that every course of it can be played; laid under those of a switch.
        opening: how many first legal actions are played before every course is.
        switches: the variants among `variants` that a tiny game can have, and their changes.
        changes: a Hypothesis strategy of changes that make legal variants.
        deals: of games played beside the reference: of each variant, of each when slow tests run, and of "base" then.
        choose: a random legal action, good at reaching every kind of position.
        chance: what chance brought in the lines of a record: a list for each source; those of the seats, if any, come last.
        reference: the plain-Python rules of (variant, players, lines, start player), with the chance of a whole game's lines.
        option: an action as the reference names it, in the position in which it is chosen.
        question, standing: what must be equal in a core's position and the reference's: of the decision, and all of it.
        unordered: fields of the state in arbitrary order, with the field that counts them.
        choices: (type of an event, key of it or another type) of which another value may be another legal choice.
        free: (type of an event, key of it) of what a seat chose or chance brought.
        joining: types of events of which one may be missing and the others still fit.
        golden: (players, variant) of the golden records.
    """

    game: Game
    variants: tuple[str, ...]
    paired: tuple[str, ...]
    variant: Callable[[str], Variant]
    narrow: Callable[[str], Variant]
    tiny: Mapping[str, Any]
    opening: int
    switches: Mapping[str, Mapping[str, Any]]
    changes: SearchStrategy[dict[str, Any]]
    deals: tuple[int, int, int]
    choose: Callable[[random.Random, tuple[int, ...]], int]
    chance: Callable[[Lines], list[list[str]]]
    reference: Callable[[Variant, int, Lines, int], Any]
    option: Callable[[int, Position], Any]
    question: Callable[[Position, Any], Pairs]
    standing: Callable[[Position, Any], Pairs]
    unordered: Mapping[str, str]
    choices: frozenset[tuple[str, str]]
    free: frozenset[tuple[str, str]]
    joining: frozenset[str]
    golden: tuple[tuple[int, str], ...]

    def match(
        self, *agents: Any, variant: str | Variant = "base", players: int = 0, seed: int = 3, seatings: str = "one"
    ) -> Match:
        """A match of agents, each a spec string, a spec or declared in code; default: of as many players as the game takes."""
        chosen = self.variant(variant) if isinstance(variant, str) else variant
        lineup = tuple(find_agent(agent, self.game) for agent in agents)
        return Match(self.game, players or self.game.player_counts[-1], lineup, chosen, seed, seatings)

    def position(self, variant: Variant, players: int, deal: int, start_player: int = 0) -> Position:
        """The first decision of a deal."""
        return Position(self.game, players, seed=SEED, deal=deal, variant=variant, start_player=start_player)

    def script(self, start: Position, label: str = "") -> list[int]:
        """The actions of a game played on at random from a position."""
        chooser, table, actions = random.Random(label), start.copy(), []
        while not table.over:
            actions.append(self.choose(chooser, table.legal))
            table.play(actions[-1])
        return actions

    def positions(self, variant: Variant, players: int, deals: int) -> Iterator[Position]:
        """Every position of games played at random, the last one included."""
        for deal in range(deals):
            table = self.position(variant, players, deal)
            for action in self.script(table, f"{variant.name} {players} {deal}"):
                yield table
                table.play(action)
            yield table

    def beside(self, table: Position, script: Sequence[int], start_player: int = 0) -> Any:
        """The reference at the start of the game that the core plays from here by these actions, then the first legal ones."""
        end = table.copy()
        for action in script:
            end.play(action)
        while not end.over:
            end.play(end.legal[0])
        return self.reference(table.variant, table.players, end.lines(), start_player)

    def side_by_side(
        self, variant: Variant, players: int, deal: int, start_player: int = 0
    ) -> Iterator[tuple[Position, Any]]:
        """One game at random in the core and in the reference, decision by decision: before each, and at the end."""
        table = self.position(variant, players, deal, start_player)
        script = self.script(table, f"{variant.name} {players} {deal}")
        reference = self.beside(table, script, start_player)
        for action in script:
            yield table, reference
            option = self.option(action, table)
            table.play(action)
            reference.play(option)
        yield table, reference
