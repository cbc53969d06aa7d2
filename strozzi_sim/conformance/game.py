"""`check_game`: play random games of a game, and check its contract at their decisions and ends.

Promises, in the order of PROMISES:

- components : the data makes a rules record, and games of every player count; without `Components`, numbers have limits
- legal actions : at least two at each decision, ascending, above 0, below ACTIONS, those of `is_legal`; the game ends
- journal : it has room for every event of a game
- one deal, one game : equal deals and actions lead to equal bytes, also with a journal
- chance : all chance comes from `draw`: the next state is one that a script of outcomes can reach
- results : places are consistent: each seat has as many better and equal seats as `placing` returns, and no better
  score than a seat placed before it (`Game.lowest_wins`)
- records : the plain-Python reference accepts the core's record, and refuses corrupted ones; `total` and `winners` in
  its last line, if any, are those of the core
- move trees : counts in `trees.toml` of the game's folder are those of the core, in the base variant: `3 = [5, 25]`
  under `[leaves]` are the positions of 3 players after 1 and 2 decisions of deal 0 of seed 0
- conceal : concealing twice equals concealing once; the acting seat knows its legal actions; no byte of the concealed
  state changes if the unknown is resampled or imagined, or if a rival chooses differently unseen
- determinize : samples have the same legal actions, and the distribution of chance: what seats know in them, and the
  scores of games continued from them, are compared with the true state
- seen_action : the acting seat sees something; a seat that sees something gains knowledge
- observe : every column is written and finite, in shipped variants within its slice's range; if only chance is hidden,
  the observation of the concealed state is that of the full state
- deal : previous bytes of the state record, which self-play reuses, and earlier draws of chance have no effect
- facts : every column is documented, and figures counted in two ways agree; core and journal have equal facts
- report : its pictures, findings and heat maps name figures, columns and levels that their tables have, in the base
  variant
- words : every legal action has a unique name, and the position a question and a text
- table : a seat's table agrees with its View, and does not depend on what the seat cannot know
- tiers : the agents that the game names as its tiers are known and play it, in turn, at every player count
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import files
from itertools import islice, pairwise
from typing import Any

import numpy as np
from scipy.stats import binomtest

from strozzi_sim.agent import check_lineup, load_agent
from strozzi_sim.agent.names import player_counts
from strozzi_sim.conformance.checked import Checked, GameCheck, differing_fields
from strozzi_sim.conformance.deal import check_deal
from strozzi_sim.conformance.declared import check_core_matches_journal, check_facts, check_report
from strozzi_sim.conformance.kernels import kernels, random_policy
from strozzi_sim.conformance.shown import check_range, check_table, check_written
from strozzi_sim.errors import AgentFault, InputError, RuleViolation
from strozzi_sim.game import find_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, Variant, resolve_variant, shipped_variants
from strozzi_sim.kernel.journal import JournalFull
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.kernel.streams import CHANCE, RANDOM, SeatRng
from strozzi_sim.play.position import Position
from strozzi_sim.play.start import set_up_game, successor_states

SAMPLED_STATES = 3  # samples of the unknown at each decision, for each seat
EVERY, MAX_OUTCOMES = 5, 500  # decisions between two checks of chance; chance outcomes that such a check tries
MAX_DECISIONS = 100_000  # of a game; a longer one counts as endless
P_THRESHOLD = 1e-6  # p-value below which a difference is reported

PROMISES = (
    "components", "legal actions", "journal", "one deal, one game", "chance", "results", "records", "move trees",
    "conceal", "determinize", "seen_action", "observe", "deal", "facts", "report", "words", "table", "tiers",
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
    """Check a game's contract, on random games of each player count.

    Args:
        game: name, or a Game, which need not be installed.
        variant: name of a shipped variant, or a Variant made in code; default: base.
        players: player counts; default: all of the game.
        deals: number of deals per player count; if information is hidden, its sampling is tested on 60 times as many.
        seed: seed of the deals and of the random choices.

    Raises:
        ContractViolation: a broken promise; the message names it, and the deal and actions if one game shows it.
        InputError: an unknown name or player count, or an invalid shipped variant.

    >>> check_game("strozzi", players=[3], deals=1).games
    1
    """
    result = GameCheck()
    check_promises(find_game(game), variant, players, deals, seed, result)
    return result


def check_promises(
    game: Game, variant: str | Variant, players: Sequence[int] | None, deals: int, seed: int, result: GameCheck
) -> None:
    """Check all promises and count them in `result`; arguments as in `check_game`."""
    for name in shipped_variants(game):
        resolve_variant(game, name)
    chosen, compiled = resolve_variant(game, variant), kernels(game)

    def begin(promise: str, count: int, deal: int = 0) -> Checked:
        result.under_way = promise
        return Checked(game, chosen, count, seed, deal, result, compiled)

    for count in player_counts(game, players) if players else game.player_counts:
        for deal in range(deals):
            checked = begin("", count, deal)
            _check_components(checked)
            _walk(checked)
            check_table(begin("table", count, deal))
            result.games += 1
        _check_trees(begin("move trees", count))
        check_deal(begin("deal", count), deals)
        check_facts(begin("facts", count))
        _check_tiers(begin("tiers", count))
        _check_drawing(begin("determinize", count), 60 * deals)
    check_report(begin("report", game.player_counts[0]))


def _check_components(checked: Checked) -> None:
    try:
        checked.game.components_part.check_players(checked.variant.components, checked.players, checked.game.name)
    except InputError as error:
        checked.require("components", False, str(error))
    part, rules = checked.game.components_part, checked.variant.rules
    if not part.declares("Components"):
        sections = [(name, each) for name, each in checked.variant.components.items() if isinstance(each, dict)]
        keys = [f"{name}.{key}" for name, each in sections for key in each if not isinstance(each[key], bool | str)]
        unlimited = [key for key in keys if key not in part.LIMITS]
        why = f"{', '.join(unlimited)}: any number is allowed; give the limits in LIMITS of components.py"
        checked.require("components", not unlimited, why)
    is_record = rules.shape == (1,) and rules.dtype == checked.game.rules
    checked.require("components", is_record, "to_rules returns another record")


def _walk(checked: Checked) -> None:
    position, twin = checked.position(), checked.position()
    rng = SeatRng((checked.seed << 40) + (checked.deal << 8) + checked.players)
    for _ in range(MAX_DECISIONS):
        if position.over:
            break
        _check_legal(checked, position)
        _check_knowledge(checked, position, rng)
        _check_words(checked, position)
        action = position.legal[rng.below(len(position.legal))]
        _check_seen(checked, position, action)
        before = exact_copy(position.state)
        position.play(action)
        twin.play(action)
        if len(checked.actions) % EVERY == 0:
            _check_chance(checked, before, action, position.state)
        checked.actions.append(action)
        checked.result.decisions += 1
        checked.require("one deal, one game", twin.state.tobytes() == position.state.tobytes(), "two games differ")
    checked.require("legal actions", position.over, "the game does not end")
    if not position.over:  # in a check that `continues`: its other games would not end either
        raise checked.result.broken["legal actions"]
    _check_results(checked, position)
    start = set_up_game(checked.game, checked.players, checked.seed, checked.deal, checked.variant)
    try:
        replayed, _ = start.replay(checked.actions)
    except JournalFull as error:
        checked.require("journal", False, error.message)
        return  # without a journal there is no record
    checked.require("journal", True, "")
    is_same = replayed.tobytes() == position.state.tobytes()
    checked.require("one deal, one game", is_same, "the game with a journal differs from the one without")
    _check_record(checked, position)
    check_core_matches_journal(checked, position)


def _check_chance(checked: Checked, before: Array, action: int, after: Array) -> None:
    """Check that `after` is a state to which `action` may lead; with MAX_OUTCOMES outcomes or more any passes."""
    successors = islice(successor_states(checked.game, checked.variant.rules, before, action), MAX_OUTCOMES)
    matches = [state.tobytes() == after.tobytes() for state, _ in successors]
    what = f"action {action} leads to a state that no outcome of its draws produces"
    checked.require("chance", any(matches) or len(matches) == MAX_OUTCOMES, what)


def _check_legal(checked: Checked, position: Position) -> None:
    require = partial(checked.require, "legal actions")
    legal = position.legal
    require(len(legal) >= 2, f"a seat with {len(legal)} legal actions decides")
    require(list(legal) == sorted(set(legal)), f"not in ascending order: {legal}")
    require(legal[0] > 0, "action 0 is legal")
    require(legal[-1] < checked.game.actions, f"{legal[-1]} is not below ACTIONS")
    require(0 <= position.actor < checked.players, f"the acting seat is {position.actor}")
    accepted = _accepted(checked, position.state, range(-1, checked.game.actions + 1))
    require(accepted == list(legal), f"is_legal accepts {accepted}, kth_legal returns {list(legal)}")


def _accepted(checked: Checked, state: Array, actions: Iterable[int]) -> list[int]:
    return [action for action in actions if checked.kernels.is_legal(state, checked.variant.rules, action)]


def _sampled_states(checked: Checked, concealed: Array, seat: int, rng: SeatRng) -> Iterator[Array]:
    """Yield states sampled from a seat's knowledge; all but the first with secret choices of the agent `random`."""
    randoms, (policy, _) = np.zeros(1, RANDOM), random_policy(checked.game)
    for number in range(SAMPLED_STATES):
        randoms["cursor"] = rng.word()
        world = exact_copy(concealed)
        checked.kernels.determinize(world, checked.variant.rules, seat, randoms)
        if number > 0:
            checked.kernels.imagine(world, checked.variant.rules, seat, policy, randoms)
        yield world


def _check_knowledge(checked: Checked, position: Position, rng: SeatRng) -> None:
    for seat in range(checked.players):
        concealed = position.concealed(seat)
        is_stable = checked.concealed(concealed, seat).tobytes() == concealed.tobytes()
        checked.require("conceal", is_stable, f"a second `conceal` changes what seat {seat} knows")
        if seat == position.actor:
            # agents receive this state or the full one
            accepted = tuple(_accepted(checked, concealed, range(checked.game.actions)))
            what = f"in the acting seat's concealed state, is_legal accepts {accepted}"
            checked.require("conceal", accepted == position.legal, what)
        out = checked.observation(concealed, seat)
        check_written(checked, out, seat)
        check_range(checked, out, seat)
        if not checked.variant.hidden:  # the loops then observe states without concealing them
            is_equal = np.array_equal(checked.observation(position.state, seat), out)
            checked.require("observe", is_equal, f"`conceal` changes the observation of seat {seat}")
        for world in _sampled_states(checked, concealed, seat, rng):
            if seat == position.actor:
                legal = _accepted(checked, world, position.legal)
                what = f"of the legal actions, a sampled state allows only {legal}"
                checked.require("determinize", legal == list(position.legal), what)
            world = checked.concealed(world, seat)
            what = f"seat {seat} is shown {_named(world, concealed)}, which differs between worlds of equal knowledge"
            checked.require("conceal", world.tobytes() == concealed.tobytes(), what)


def _named(first: Array, second: Array) -> str:
    return ", ".join(differing_fields(first, second)) or "bytes between the fields"


def _check_seen(checked: Checked, position: Position, action: int) -> None:
    """Check that a seat that sees something gains knowledge, and learns no more than `seen_action` returns."""
    after, rules = position.copy(), checked.variant.rules
    after.play(action)
    code_of_actor = checked.kernels.seen(position.state, after.state, rules, action, position.actor)
    checked.require("seen_action", code_of_actor != 0, f"the seat that plays {action} sees nothing")
    other_action = position.legal[len(checked.actions) % len(position.legal)]
    after_other = position.copy()
    after_other.play(other_action)
    for viewer in range(checked.players):
        code = checked.kernels.seen(position.state, after.state, rules, action, viewer)
        changed = position.concealed(viewer).tobytes() != after.concealed(viewer).tobytes()
        what = f"seat {viewer} sees {code}, but knows no more than before"
        checked.require("seen_action", code == 0 or changed, what)
        if viewer == position.actor or other_action == action:
            continue
        other_code = checked.kernels.seen(position.state, after_other.state, rules, other_action, viewer)
        known_other, known = after_other.concealed(viewer), after.concealed(viewer)
        what = f"seat {viewer} is shown {_named(known_other, known)}, which distinguishes action {action} of seat "
        what += f"{position.actor} from {other_action}, though it sees {code} of both"
        checked.require("conceal", known_other.tobytes() == known.tobytes() or other_code != code, what)


def _check_words(checked: Checked, position: Position) -> None:
    require = partial(checked.require, "words")
    names = position.names
    require(len({name.lower() for name in names}) == len(names), f"two actions have one name: {names}")
    for name in names if position.compound_choices else ():
        parts = [item for item in position.compound_choices if item in name.split(" ")]
        require(name == " ".join(parts), f"{name!r} must be a subset of {position.compound_choices}, in this order")
    require(position.question, "no question")
    require(position.text(), "no text")
    view, view_of_seat = checked.game.view, position.view()
    texts = [view.caution(action, view_of_seat) for action in position.legal]
    texts += view.meanings(view_of_seat, int(position.state["phase"][0])).values()
    require(all(isinstance(text, str) for text in texts), f"caution or meanings must return text, got {texts}")


def _check_results(checked: Checked, position: Position) -> None:
    out, require = checked.results(position.state), partial(checked.require, "results")
    for seat, (_, better, shared) in enumerate(out.tolist()):
        sharing = int((out[:, 1] == better).sum())
        require(sharing == shared, f"seat {seat} shares its place with {shared}, but {sharing} have it")
        better_seats = int((out[:, 1] < better).sum())
        require(better_seats == better, f"{better} seats are placed better than seat {seat}, found {better_seats}")
    sign, lowest_wins = checked.game.sign, checked.game.lowest_wins
    hint = f"the {'lowest' if lowest_wins else 'highest'} score wins; declare "
    hint += f"Game(lowest_wins={not lowest_wins}), or let `score` and `placing` agree"
    ordered = sorted(out.tolist(), key=lambda row: (row[1], -sign * row[0]))
    for (score, place, _), (next_score, next_place, _) in pairwise(ordered):  # a tie-break may part equal scores
        what = f"a seat with score {next_score} is placed behind one with score {score}, though {hint}"
        require(place == next_place or sign * (score - next_score) >= 0, what)


def _check_record(checked: Checked, position: Position) -> None:
    require = partial(checked.require, "records")
    lines = list(enumerate(position.lines(), 2))
    header = {"players": checked.players, "components": checked.variant.components}
    check_record = checked.game.verify.REPLAY.check_game
    try:
        check_record(header, 1, lines)
    except RuleViolation as violation:
        require(False, f"the reference refuses the core's game: {violation}")
    end, places = position.lines()[-1], position.places
    winners = [seat for seat, place in enumerate(places) if place == min(places)]
    expected = {"total": list(position.scores), "winners": winners}
    for key in expected.keys() & end.keys():
        what = f"the last line has {key} {end[key]}, `score` and `placing` {expected[key]}"
        require(list(end[key]) == expected[key], what)
    for viewer in range(checked.players):
        require(len(position.lines(viewer)) == len(lines), "`visible` drops lines")
    for what, corrupt in _corrupt_records(lines):
        try:
            check_record(header, 1, corrupt)
        except RuleViolation:
            require(True, "")
        else:
            require(False, f"the reference accepts a record with {what}")


def _corrupt_records(
    lines: Sequence[tuple[int, Mapping[str, Any]]],
) -> Iterator[tuple[str, list[tuple[int, dict[str, Any]]]]]:
    copies = [(number, dict(line)) for number, line in lines]
    yield "its last line missing", copies[:-1]
    yield "a line after the end", [*copies, (len(copies) + 2, dict(copies[-1][1]))]
    yield "its first line twice", [copies[0], *copies]
    yield "an event of unknown type", [*copies[:1], (3, {"type": "no such event"}), *copies[1:]]


def _check_trees(checked: Checked) -> None:
    path = files(checked.game.package).joinpath("trees.toml")
    if not path.is_file() or checked.variant.name != BASE:
        return
    leaves = tomllib.loads(path.read_text("utf-8-sig")).get("leaves", {}).get(str(checked.players), [])
    start = Position(checked.game, checked.players, variant=checked.variant)
    for depth, expected in enumerate(leaves, 1):
        counted = checked.kernels.count(start.state, checked.variant.rules, start.chance, depth)
        what = f"{counted} positions after {depth} decisions, not {expected}"
        checked.require("move trees", counted == expected, what)


def _check_tiers(checked: Checked) -> None:
    position = checked.position()
    try:
        specs = [load_agent(text, checked.game) for text in checked.game.tiers.values()]
        check_lineup(specs, checked.game, checked.players)
        for text, spec in zip(checked.game.tiers.values(), specs, strict=True):
            checked.require("tiers", spec.text == text, f"write {spec.text!r}, not {text!r}: tables are read by it")
        while specs and not position.over:
            spec = specs[len(checked.actions) % len(specs)]
            action = position.copy().ask(spec)  # a copy has no seated agents
            checked.require("tiers", action in position.legal, f"{spec.text} chose the illegal action {action}")
            position.play(action)
            checked.actions.append(action)
    except (InputError, AgentFault) as error:
        checked.require("tiers", False, str(error))


def _check_drawing(checked: Checked, deals: int) -> None:
    """Sample the unknown at one position of each deal, and compare the sampled state with the true one.

    Given the seat's knowledge, both are exchangeable: a number is as often greater in one as in the other. A sign test
    is made for every number that a seat knows of them, and for every seat's score when the game is continued at random.
    Games that sample from a belief instead of chance are skipped (`Game.beliefs`).
    """
    game, players = checked.game, checked.players
    if not checked.variant.hidden or game.beliefs:
        return
    signs = []
    for deal in range(deals):
        checked = replace(checked, deal=deal, actions=[])
        position, rng = checked.position(), SeatRng((checked.seed << 40) + (deal << 8) + 77)
        stop = rng.below(1 + _length(checked))
        while not position.over and len(checked.actions) < stop:
            action = position.legal[rng.below(len(position.legal))]
            position.play(action)
            checked.actions.append(action)
        if not position.over:
            seat, cursor = rng.below(players), rng.word()
            drawn = next(_sampled_states(checked, position.concealed(seat), seat, rng))
            true_numbers, drawn_numbers = (_numbers_of(checked, state, cursor) for state in (position.state, drawn))
            signs.append(np.sign(true_numbers - drawn_numbers))
    if not signs:
        return
    names = [f"{name} (as seat {seat} knows it)" for seat in range(players) for name in _number_names(game)]
    names += [f"the score of seat {seat} in a continued game" for seat in range(players)]
    drawn_lower, drawn_higher = ((np.array(signs) == sign).sum(axis=0).tolist() for sign in (1, -1))
    for name, lower, higher in zip(names, drawn_lower, drawn_higher, strict=True):
        p_value = binomtest(lower, lower + higher).pvalue if lower + higher else 1.0
        what = f"{name} is lower in {lower} drawn worlds and higher in {higher}; expected: equally often"
        checked.require("determinize", p_value > P_THRESHOLD, what)


def _number_names(game: Game) -> list[str]:
    return [name for name in game.state.names or () for _ in range(int(np.prod(game.state[name].shape)))]


def _numbers_of(checked: Checked, state: Array, cursor: int) -> Array:
    numbers: list[Array] = []
    for seat in range(checked.players):
        concealed = checked.concealed(state, seat)
        numbers += [concealed[name].astype(np.int64).ravel() for name in checked.game.state.names or ()]
    end, chances, randoms = exact_copy(state), np.zeros(1, CHANCE), np.zeros(1, RANDOM)
    randoms["cursor"] = cursor
    checked.kernels.play_on(end, checked.variant.rules, chances, randoms)
    return np.concatenate([*numbers, checked.results(end)[:, 0]])


def _length(checked: Checked) -> int:
    """Return the number of decisions, up to MAX_DECISIONS, if every seat takes its first legal action."""
    position, count = checked.position(), 0
    while not position.over and count < MAX_DECISIONS:
        position.play(position.legal[0])
        count += 1
    return count
