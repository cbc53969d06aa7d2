"""`check_game`: play random games of a game, and check its contract at every decision.

Promises, in the order in which they are checked (PROMISES):

- components : the data makes a rules record, and games of every player count
- legal actions : at least two at each decision, ascending, above 0 and below ACTIONS, consistent with `is_legal`
- journal : it has room for every event of a game
- one deal, one game : equal deals and actions lead to equal bytes, also with a journal
- chance : all chance comes from `draw`: the next state is one that a script of outcomes can reach
- results : places are consistent: each place has as many better and equal seats as `placing` returns, and no better score than one
  before it (`Game.lowest_wins`)
- records : the plain-Python reference accepts the core's record, and refuses a corrupted one
- move trees : counts in `trees.toml` of the game's folder are those of the core
- conceal : concealing twice equals concealing once; the acting seat knows its legal actions; no byte of the concealed
  state changes if the unknown is resampled or imagined, or if a rival chooses differently unseen
- determinize : samples have the distribution of chance, judged by the results of games continued from there
- seen_action : the acting seat sees something; a seat that sees something gains knowledge
- observe : a function of the seat's knowledge, every column written and finite, equal for the state itself if only
  chance is hidden; the slices are every column once, and in shipped variants every number is in its slice's range
- deal : previous bytes of the state record have no effect; self-play reuses records
- facts : every column is documented, and figures counted in two ways agree; core and journal have equal facts
- report : its pictures and heat maps show figures, columns and levels that their tables have, in the base variant
- words : every legal action has a unique name, and the position a text
- table : a seat's table agrees with its View, and does not depend on what the seat cannot know
- tiers : the agents that the game names as its tiers are known and play it, in turn, at every player count
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import islice, pairwise
from typing import Any

import numpy as np
from scipy.stats import binomtest

from strozzi_sim.agent import check_lineup, load_agent
from strozzi_sim.conformance.checked import Checked, GameCheck
from strozzi_sim.conformance.deal import check_deal
from strozzi_sim.conformance.facts import check_core_matches_journal, check_facts
from strozzi_sim.conformance.kernels import Kernels, kernels
from strozzi_sim.conformance.report import check_report
from strozzi_sim.conformance.slices import check_range, check_written
from strozzi_sim.conformance.table import check_table
from strozzi_sim.errors import AgentFault, InputError, RuleViolation
from strozzi_sim.game import find_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, Variant, resolve_variant, shipped_variants
from strozzi_sim.kernel.journal import JournalFull
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.kernel.streams import CHANCE, RANDOM, SeatRng
from strozzi_sim.play.position import Position
from strozzi_sim.play.start import set_up_game, successor_states

SAMPLED_STATES = 3  # samples of the unknown at each decision
EVERY, WAYS = 5, 500  # at every fifth decision up to 500 chance outcomes are tried
P_THRESHOLD = 1e-6  # p-value below which a difference is reported

PROMISES = (
    "components", "legal actions", "journal", "one deal, one game", "chance", "results", "records", "move trees", "conceal", "determinize",
    "seen_action", "observe", "deal", "facts", "report", "words", "table", "tiers",
)  # fmt: skip
Array = np.ndarray[Any, Any]


def check_game(
    game: str | Game,
    *,
    variant: str | Variant = BASE,
    players: Sequence[int] | None = None,
    deals: int = 5,
    seed: int = 0,
) -> GameCheck:
    """Check a game's contract, on random games of every player count.

    Args:
        game: name, or a Game, which need not be installed.
        variant: name of a shipped variant, or a Variant made in code; default: base.
        players: player counts; default: all of the game.
        deals: number of games per player count; the sampling of hidden information is tested on 60 times as many.
        seed: seed of the deals and of the random choices.

    Raises:
        ContractViolation: names the promise, and the deal and actions that reproduce it.
        InputError: a shipped variant is invalid.

    >>> check_game("strozzi", players=[3], deals=1).games
    1
    """
    found = GameCheck()
    check_promises(find_game(game), variant, players, deals, seed, found)
    return found


def check_promises(
    game: Game, variant: str | Variant, players: Sequence[int] | None, deals: int, seed: int, found: GameCheck
) -> None:
    """Check all promises and count them in `found`; arguments as in `check_game`."""
    for name in shipped_variants(game):
        resolve_variant(game, name)
    chosen = variant if isinstance(variant, Variant) else resolve_variant(game, variant)
    compiled = kernels(game)
    for count in players or game.player_counts:
        for deal in range(deals):
            here = Checked(game, chosen, count, seed, deal, found, compiled)
            _check_components(here)
            _walk(here)
            check_table(Checked(game, chosen, count, seed, deal, found, compiled))
            found.games += 1
        _check_trees(Checked(game, chosen, count, seed, 0, found, compiled))
        check_deal(Checked(game, chosen, count, seed, 0, found, compiled), deals)
        check_facts(Checked(game, chosen, count, seed, 0, found, compiled))
        _check_tiers(Checked(game, chosen, count, seed, 0, found, compiled))
        _check_drawing(game, chosen, count, seed, 60 * deals, found, compiled)
    check_report(Checked(game, chosen, game.player_counts[0], seed, 0, found, compiled))


def _check_components(here: Checked) -> None:
    try:
        here.game.components_part.check_players(here.variant.components, here.players, here.game.name)
    except InputError as error:
        here.require("components", False, str(error))
    rules = here.variant.rules
    here.require(
        "components", rules.shape == (1,) and rules.dtype == here.game.rules, "to_rules returns another record"
    )


def _walk(here: Checked) -> None:
    """Play one game at random, with all checks at each decision and at the end."""
    position, twin = here.position(), here.position()
    rng = SeatRng((here.seed << 40) + (here.deal << 8) + here.players)
    for _ in range(100_000):
        if position.over:
            break
        _check_legal(here, position)
        _check_knowledge(here, position, rng)
        _check_words(here, position)
        action = position.legal[rng.below(len(position.legal))]
        _check_seen(here, position, action)
        before = exact_copy(position.state)
        position.play(action)
        twin.play(action)
        if len(here.actions) % EVERY == 0:
            _check_chance(here, before, action, position.state)
        here.actions.append(action)
        here.found.decisions += 1
        here.require("one deal, one game", twin.state.tobytes() == position.state.tobytes(), "two games differ")
    here.require("legal actions", position.over, "the game does not end")
    start = set_up_game(here.game, here.players, here.seed, here.deal, here.variant)
    try:
        same = start.replay(here.actions)[0].tobytes() == position.state.tobytes()
    except JournalFull as error:
        here.require("journal", False, error.message)
    here.require("journal", True, "")
    here.require("one deal, one game", same, "the game with a journal differs from the one without")
    _check_results(here, position)
    _check_record(here, position)
    check_core_matches_journal(here, position)


def _check_chance(here: Checked, before: Array, action: int, after: Array) -> None:
    """Check that the state after an action is a possible chance outcome; passes if there are WAYS outcomes or more."""
    ways = islice(successor_states(here.game, here.variant.rules, before, action), WAYS)
    found = [state.tobytes() == after.tobytes() for state, _ in ways]
    what = f"action {action} leads to a state that no outcome of its draws produces"
    here.require("chance", any(found) or len(found) == WAYS, what)


def _check_legal(here: Checked, position: Position) -> None:
    legal = position.legal
    here.require("legal actions", len(legal) >= 2, f"a seat with {len(legal)} legal actions decides")
    here.require("legal actions", list(legal) == sorted(set(legal)), f"not in ascending order: {legal}")
    here.require("legal actions", legal[0] > 0, "action 0 is legal")
    here.require("legal actions", legal[-1] < here.game.actions, f"{legal[-1]} is not below ACTIONS")
    here.require("legal actions", 0 <= position.actor < here.players, f"the acting seat is {position.actor}")
    accepted = _accepted(here, position.state, range(-1, here.game.actions + 1))
    what = f"is_legal accepts {accepted}, kth_legal returns {list(legal)}"
    here.require("legal actions", accepted == list(legal), what)


def _accepted(here: Checked, state: Array, actions: Iterable[int]) -> list[int]:
    return [action for action in actions if here.kernels.is_legal(state, here.variant.rules, action)]


def _worlds(here: Checked, known: Array, seat: int, rng: SeatRng) -> Iterator[Array]:
    """Yield states consistent with a seat's knowledge: the first sampled by chance, others by the agent `random`."""
    randoms = np.zeros(1, RANDOM)
    for number in range(SAMPLED_STATES):
        randoms["cursor"] = rng.word()
        world = exact_copy(known)
        here.kernels.determinize(world, here.variant.rules, seat, randoms)
        if number > 0:
            here.kernels.imagine(world, here.variant.rules, seat, here.kernels.random_agent, randoms)
        yield world


def _observation(here: Checked, state: Array, seat: int) -> Array:
    out = np.full(here.game.observation_size, np.nan, np.float32)
    here.kernels.observe(state, here.variant.rules, seat, out)
    return out


def _check_knowledge(here: Checked, position: Position, rng: SeatRng) -> None:
    for seat in range(here.players):
        known = position.concealed(seat)
        again = exact_copy(known)
        here.kernels.conceal(again, here.variant.rules, seat)
        here.require("conceal", again.tobytes() == known.tobytes(), f"concealed twice, seat {seat} knows less")
        if seat == position.actor:
            offered = tuple(_accepted(here, known, range(here.game.actions)))  # agents may receive either state
            what = f"in the acting seat's concealed state, is_legal accepts {offered}"
            here.require("conceal", offered == position.legal, what)
        out = _observation(here, known, seat)
        check_written(here, out, seat)
        check_range(here, out, seat)
        if not here.variant.hidden:  # the loops then observe states without concealing them
            plain = _observation(here, position.state, seat)
            here.require("observe", np.array_equal(plain, out), f"seat {seat} can see an arbitrary order after conceal")
        for world in _worlds(here, known, seat, rng):
            if seat == position.actor:
                legal = _accepted(here, world, position.legal)
                here.require("determinize", legal == list(position.legal), "another world has other legal actions")
            here.kernels.conceal(world, here.variant.rules, seat)
            what = f"seat {seat} is shown {_difference(world, known)}, which differs between worlds of equal knowledge"
            here.require("conceal", world.tobytes() == known.tobytes(), what)


def _difference(one: Array, other: Array) -> str:
    """Return the names of the fields in which two states differ."""
    names = [name for name in one.dtype.names or () if one[name].tobytes() != other[name].tobytes()]
    return ", ".join(names) or "bytes between the fields"


def _check_seen(here: Checked, position: Position, action: int) -> None:
    after = position.copy()
    after.play(action)
    arguments = (position.state, after.state, here.variant.rules, action)
    own = here.kernels.seen(*arguments, position.actor)
    here.require("seen_action", own != 0, f"the seat that plays {action} sees nothing")
    instead = position.legal[len(here.actions) % len(position.legal)]
    otherwise = position.copy()
    otherwise.play(instead)
    for viewer in range(here.players):
        code = here.kernels.seen(*arguments, viewer)
        changed = position.concealed(viewer).tobytes() != after.concealed(viewer).tobytes()
        here.require("seen_action", code == 0 or changed, f"seat {viewer} sees {code}, but knows no more than before")
        if viewer == position.actor or instead == action:
            continue
        twin = here.kernels.seen(position.state, otherwise.state, here.variant.rules, instead, viewer)
        same = otherwise.concealed(viewer).tobytes() == after.concealed(viewer).tobytes()
        here.require(
            "conceal",
            same or twin != code,
            f"seat {viewer} is shown {_difference(otherwise.concealed(viewer), after.concealed(viewer))}, which distinguishes action {action} "
            f"of seat {position.actor} from {instead}, though it sees {code} of both",
        )


def _check_words(here: Checked, position: Position) -> None:
    names = position.names
    here.require("words", len({name.lower() for name in names}) == len(names), f"two actions have one name: {names}")
    for name in names if position.compound_choices else ():
        parts = [thing for thing in position.compound_choices if thing in name.split(" ")]
        here.require(
            "words", name == " ".join(parts), f"{name!r} must be a subset of {position.compound_choices}, in this order"
        )
    here.require("words", position.question, "no question")
    here.require("words", position.text(), "no text")
    view, seen = here.game.view, position.view()
    texts = [view.caution(action, seen) for action in position.legal]
    texts += view.meanings(seen, int(position.state["phase"][0])).values()
    here.require(
        "words", all(isinstance(text, str) for text in texts), f"caution or meanings must return text, got {texts}"
    )


def _check_results(here: Checked, position: Position) -> None:
    out = np.zeros((here.players, 3), np.int64)
    here.kernels.results(position.state, out)
    for seat, (_, better, shared) in enumerate(out.tolist()):
        same = int((out[:, 1] == better).sum())
        here.require("results", same == shared, f"seat {seat} shares its place with {shared}, but {same} have it")
        ahead = int((out[:, 1] < better).sum())
        here.require("results", ahead == better, f"{better} seats are placed better than seat {seat}, found {ahead}")
    ordered = sorted(out.tolist(), key=lambda row: (row[1], -here.game.sign * row[0]))
    for (first, place, _), (second, behind, _) in pairwise(ordered):  # equal scores may be placed apart, by a tie-break
        here.require(
            "results",
            place == behind or here.game.sign * (first - second) >= 0,
            f"a seat with score {second} is placed behind one with score {first}, though the "
            f"{'lowest' if here.game.lowest_wins else 'highest'} score wins; declare Game(lowest_wins={not here.game.lowest_wins}), "
            "or let `score` and `placing` agree",
        )


def _check_record(here: Checked, position: Position) -> None:
    lines = list(enumerate(position.lines(), 2))
    check, header = here.game.verify.REPLAY.check_game, {"players": here.players, "components": here.variant.components}
    try:
        check(header, 1, lines)
    except RuleViolation as broken:
        here.require("records", False, f"the reference refuses the core's game: {broken}")
    end = position.lines()[-1]
    wanted = {
        "total": list(position.scores),
        "winners": [seat for seat, place in enumerate(position.places) if place == min(position.places)],
    }
    for key in wanted.keys() & end.keys():
        here.require(
            "records",
            list(end[key]) == wanted[key],
            f"the last line has {key} {end[key]}, `score` and `placing` {wanted[key]}",
        )
    for viewer in range(here.players):
        visible = position.lines(viewer)
        here.require("records", len(visible) == len(lines), "`visible` drops lines")
    for what, corrupt in _corrupt_records(lines):
        try:
            check(header, 1, corrupt)
        except RuleViolation:
            here.require("records", True, "")
            continue
        here.require("records", False, f"the reference accepts a record with {what}")


def _corrupt_records(
    lines: Sequence[tuple[int, Mapping[str, Any]]],
) -> Iterator[tuple[str, list[tuple[int, dict[str, Any]]]]]:
    """Yield corrupted records, each with a description."""
    whole = [(number, dict(line)) for number, line in lines]
    yield "its last line missing", whole[:-1]
    yield "a line after the end", [*whole, (len(whole) + 2, dict(whole[-1][1]))]
    yield "its first line twice", [whole[0], *whole]
    yield "an event of no known type", [*whole[:1], (3, {"type": "no such event"}), *whole[1:]]


def _check_trees(here: Checked) -> None:
    """Check the counts of `trees.toml`: players -> positions after 1, 2, ... decisions of deal 0 of seed 0."""
    place = files(here.game.package).joinpath("trees.toml")
    if not place.is_file() or here.variant.name != BASE:
        return
    golden = tomllib.loads(place.read_text("utf-8")).get("leaves", {}).get(str(here.players), [])
    start = Position(here.game, here.players, variant=here.variant)
    for depth, wanted in enumerate(golden, 1):
        counted = here.kernels.count(start.state, here.variant.rules, start.chance, depth)
        here.require("move trees", counted == wanted, f"{counted} positions after {depth} decisions, not {wanted}")


def _check_tiers(here: Checked) -> None:
    """Play one game in which the tiers decide in turn."""
    position = here.position()
    try:
        specs = [load_agent(text, here.game) for text in here.game.tiers.values()]
        check_lineup(specs, here.game, here.players)
        while specs and not position.over:
            spec = specs[len(here.actions) % len(specs)]
            action = position.copy().ask(spec)  # a copy has no seated agents
            here.require("tiers", action in position.legal, f"{spec.text} chose the illegal action {action}")
            position.play(action)
            here.actions.append(action)
    except (InputError, AgentFault) as error:
        here.require("tiers", False, str(error))


def _check_drawing(
    game: Game, variant: Variant, players: int, seed: int, deals: int, found: GameCheck, compiled: Kernels
) -> None:
    """Sample the unknown in one position of each deal, and compare the sampled state with the true one.

    Given the seat's knowledge, both are exchangeable, so each is greater equally often. A sign test is made for every
    number that some other seat knows, and for every seat's score when the game is continued at random. Games that
    sample from a belief instead of chance are skipped (`Game.beliefs`).
    """
    if not variant.hidden or game.beliefs:
        return
    signs = []
    here = Checked(game, variant, players, seed, 0, found, compiled)
    for deal in range(deals):
        here = Checked(game, variant, players, seed, deal, found, compiled)
        position, rng = here.position(), SeatRng((seed << 40) + (deal << 8) + 77)
        stop = rng.below(1 + _length(here))
        while not position.over and len(here.actions) < stop:
            action = position.legal[rng.below(len(position.legal))]
            position.play(action)
            here.actions.append(action)
        if not position.over:
            seat, cursor = rng.below(players), rng.word()
            drawn = next(_worlds(here, position.concealed(seat), seat, rng))
            true, false = (_measured(here, state, cursor) for state in (position.state, drawn))
            signs.append(np.sign(true - false))
    if not signs:
        return
    names = [f"{name} (as seat {seat} knows it)" for seat in range(players) for name in _places(game)]
    names += [f"the score of seat {seat} in a continued game" for seat in range(players)]
    higher, lower = ((np.array(signs) == sign).sum(axis=0) for sign in (1, -1))
    for name, more, less in zip(names, higher.tolist(), lower.tolist(), strict=True):
        p_value = binomtest(more, more + less).pvalue if more + less else 1.0
        what = f"{name} is lower in {more} drawn worlds and higher in {less}; expected: equally often"
        here.require("determinize", p_value > P_THRESHOLD, what)


def _places(game: Game) -> list[str]:
    """Return the name of each number of a state record, in order."""
    fields = {name: game.state.fields[name][0] for name in game.state.names or ()} if game.state.fields else {}
    return [name for name, kind in fields.items() for _ in range(int(np.prod(kind.shape)))]


def _measured(here: Checked, state: Array, cursor: int) -> Array:
    """Return each seat's knowledge of a state as numbers, then the scores when it is continued with this stream."""
    numbers: list[Array] = []
    for seat in range(here.players):
        known = exact_copy(state)
        here.kernels.conceal(known, here.variant.rules, seat)
        numbers += [known[name].astype(np.int64).ravel() for name in here.game.state.names or ()]
    end, chances, randoms = exact_copy(state), np.zeros(1, CHANCE), np.zeros(1, RANDOM)
    randoms["cursor"] = cursor
    here.kernels.play_on(end, here.variant.rules, chances, randoms)
    results = np.zeros((here.players, 3), np.int64)
    here.kernels.results(end, results)
    return np.concatenate([*numbers, results[:, 0]])


def _length(here: Checked) -> int:
    position, count = here.position(), 0
    while not position.over:
        position.play(position.legal[0])
        count += 1
    return count
