"""A position of every game: it is played, taken back, copied, compared, packed, recorded and shown."""

import copy
import itertools
import json
import pickle
import random
import zlib

import msgspec
import numpy as np
import pandas as pd
import pytest

import medici_games
import strozzi_games
from every_kit import KITS
from strozzi_sim.agent import load_agent, python_agent, spec_of
from strozzi_sim.conformance.kernels import kernels as checking
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.game.restricting import restricted, restrictions
from strozzi_sim.game.variants import shipped_variants
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.kernel.streams import RANDOM, SeatRng
from strozzi_sim.play import packing, records
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import read_record, record_game, write_record
from strozzi_sim.play.start import ScriptEnded, successor_states
from strozzi_sim.simulation.match import Match

COUNTS = [
    pytest.param(
        kit,
        players,
        id=f"{name}-{players}",
        marks=pytest.mark.slow if kit.game.player_counts[0] < players < kit.game.player_counts[-1] else (),
    )
    for name, kit in KITS.items()
    for players in kit.game.player_counts
]
each_game = pytest.mark.parametrize("kit", KITS.values(), ids=KITS)
each_count = pytest.mark.parametrize(("kit", "players"), COUNTS)


def all_of(position):
    """All that a position says of itself, by value."""
    return (
        position.state.tobytes(), position.chance.tobytes(), position.actor, position.legal, position.over, position.scores,
        position.places, position.actions, position.identity, position.mask.tolist(),
    )  # fmt: skip


def played(kit, players, label, decisions=10_000, variant="base", **start):
    """A position after random actions."""
    position, chooser = Position(kit.game, players, variant=kit.variant(variant), **start), random.Random(label)
    while not position.over and decisions:
        position.play(kit.choose(chooser, position.legal))
        decisions -= 1
    return position


def stream(word):
    rng = np.zeros(1, RANDOM)
    rng["cursor"] = word
    return rng


# -- play, undo, copy ------------------------------------------------------------------------------------------------


@each_count
def test_undo_takes_every_action_back(kit, players):
    position, chooser = Position(kit.game, players, seed=3, variant=kit.variant("all-flipped")), random.Random(players)
    before = []
    while not position.over:
        before.append(all_of(position))
        action = kit.choose(chooser, position.legal)
        position.play(action)
        after = all_of(position)
        assert position.undo() == action
        assert all_of(position) == before[-1]
        position.play(action)
        assert all_of(position) == after
    assert len({one[:2] for one in before}) == len(before)
    while before:
        position.undo()
        assert all_of(position) == before.pop()
    with pytest.raises(InputError, match="undo: nothing has been played"):
        position.undo()


@each_count
def test_a_copy_goes_its_own_way(kit, players):
    position = played(kit, players, "copy", 25)
    was, twin = all_of(position), position.copy()
    assert twin == position
    while not twin.over:
        twin.play(twin.legal[-1])
    assert all_of(position) == was
    while twin.actions:
        twin.undo()
    assert twin == Position(kit.game, players)
    assert all_of(position) == was
    twin = copy.copy(position)
    position.play(position.legal[0])
    assert all_of(twin) == was
    position.undo()
    position.undo()
    assert twin.actions[:-1] == position.actions
    assert all_of(twin) == was


@pytest.mark.slow_for("medici_vs_strozzi")
@each_game
def test_a_seed_gives_the_game_that_studies_play(kit):
    """By the bits: the loop plays the same game, and writes the same record."""
    game, random_agent = kit.game, load_agent("random", kit.game)
    players = game.player_counts[-1]
    match = Match(game, players, (random_agent,) * players, kit.variant("base"), 5)
    position = Position(game, players, seed=5, deal=2)
    while not position.over:
        position.play(position.ask(random_agent))
    lines = record_game(match, 2, 0)
    assert position.record(["random"] * players) == lines
    assert list(position.scores) == lines[-1]["total"]
    assert Position.from_record(lines) == position


@each_game
def test_agents_stand_up_when_a_position_is_copied_or_taken_back(kit):
    spec = load_agent("random", kit.game)
    position = Position(kit.game, kit.game.player_counts[0], seed=1)
    first = position.ask(spec)
    assert [position.copy().ask(spec), position.copy().ask(spec)] == [first, first]
    later = [position.ask(spec) for _ in range(50)]
    assert set(later) != {first}  # its stream goes on
    position.play(first)
    position.undo()
    assert [position.ask(spec) for _ in range(51)] == [first, *later]


@each_game
def test_an_agent_may_be_given_by_name_declared_in_code_or_with_values(kit):
    position = Position(kit.game, kit.game.player_counts[0], seed=1)
    spec = load_agent("random", kit.game)
    asked = [[position.copy().ask(agent) for _ in range(3)] for agent in ("random", spec, spec.agent)]
    assert asked[0] == asked[1] == asked[2]
    assert position.seated("random") is position.seated(spec)


def test_agents_at_one_seat_do_not_take_each_others_place():
    def always(action):
        @python_agent(name="always", games=("strozzi",))
        class Always:
            """Has one answer."""

            def act(self, view, legal, rng):
                return legal[action]

        return Always

    position = Position("strozzi", 4, seed=7)
    first, last = always(0), always(-1)
    assert [position.ask(agent) for agent in (first, last, spec_of(first))] == [1, 4, 1]


def test_what_is_no_agent_of_the_game_is_refused():
    position = Position("strozzi", 4, seed=7)
    for agent, words in (
        ("heuristc", "agent: unknown agent 'heuristc'; known: .*did you mean 'heuristic'"),
        ("fair-price", "agent: agent 'fair-price' does not play strozzi with 4 players; it plays medici_vs_strozzi"),
        (load_agent("fair-price", "medici_vs_strozzi"), "agent: agent 'fair-price' does not play strozzi"),
        ("heuristic:wings=2", "agent: agent 'heuristic:wings=2': heuristic has no parameter 'wings'"),
        (3, "agent: must be a spec string or a declared agent, got 3"),
    ):
        for use in (position.ask, position.seated, position.analyse):
            with pytest.raises(ArgumentError, match=words):
                use(agent)


@pytest.mark.slow
def test_analyse_says_what_an_agent_thinks_and_changes_nothing():
    position = Position("strozzi", 4, seed=7)
    found = position.analyse("ismcts:iterations=150")
    assert list(found.columns) == ["action", "name", "chosen", "visits", "share", "value"]
    assert dict(zip(found["action"], found["name"], strict=True)) == dict(
        zip(position.legal, position.names, strict=True)
    )
    assert found["visits"].sum() == 150
    assert found["share"].sum() == pytest.approx(1)
    assert found["visits"].is_monotonic_decreasing
    assert found["value"].between(0, 1).all()
    assert found.attrs["seat"] == 0
    assert found.attrs["value"]
    pd.testing.assert_frame_equal(found, position.analyse("ismcts:iterations=150"))
    chosen = found.loc[found["chosen"], "action"].item()
    assert position.ask("ismcts:iterations=150") == chosen
    later = position.analyse("ismcts:iterations=150")  # its stream has gone on
    assert not later.equals(found)
    lot = Position("medici_vs_strozzi", 2, seed=1)
    appraised = lot.analyse("appraiser:playouts=4")
    assert set(appraised["action"]) == set(lot.legal)
    with pytest.raises(ArgumentError, match="agent: greedy provides no analysis; use `ask` for its"):
        position.analyse("greedy")


# -- results and what is seen ----------------------------------------------------------------------------------------


@each_count
def test_scores_places_masks_and_observations_at_any_time(kit, players):
    verbs = checking(kit.game)
    for position in kit.positions(kit.variant("all-flipped"), players, 1):
        out = np.zeros((players, 3), np.int64)
        verbs.results(position.state, out)
        assert position.scores == tuple(out[:, 0].tolist())
        assert sum(position.places) == players * (players + 1) / 2
        for seat, (_, better, shared) in enumerate(out.tolist()):
            assert position.places[seat] == np.mean(range(better + 1, better + shared + 1))
        for one, other in itertools.permutations(range(players), 2):
            assert position.scores[one] <= position.scores[other] or position.places[one] <= position.places[other]
        assert position.mask.dtype == np.bool_
        assert position.mask.shape == (kit.game.actions,)
        assert tuple(np.flatnonzero(position.mask).tolist()) == position.legal
        for seat in range(players):
            known, seen = position.concealed(seat), np.full(kit.game.observation_size, np.nan, np.float32)
            verbs.observe(known, position.variant.rules, seat, seen)
            assert position.observation(seat).dtype == np.float32
            assert (position.observation(seat) == seen).all()
        if not position.over:
            assert (position.observation() == position.observation(position.actor)).all()
            assert position.view() == position.view(position.actor)
            assert position.text() == position.text(position.actor)


@each_count
def test_names_are_played_as_numbers_are(kit, players):
    position = Position(kit.game, players, seed=9)
    chooser = random.Random(players)
    while not position.over:
        names, legal = position.names, position.legal
        assert len(names) == len(set(names)) == len(legal)
        k = chooser.randrange(len(names))
        twin = position.copy()
        assert {word for name in names for word in name.split()} <= set(
            position.compound_choices
        ) or not position.compound_choices
        twin.play(" + ".join(reversed(names[k].split())) if position.compound_choices else names[k])
        position.play(np.int64(legal[k]))
        assert twin == position
        assert twin.actions == position.actions
        assert position.question or position.over
    assert (position.names, position.legal, position.question) == ((), (), "")


@each_count
def test_what_a_seat_is_shown_depends_on_what_it_knows(kit, players):
    """In every game that may be for all it knows, it is shown the same; for somebody else it is another one."""
    different = 0
    for number, position in enumerate(kit.positions(kit.variant("all-flipped"), players, 1)):
        if number % 9 or position.over:
            continue
        for seat in range(players):
            world = position.imagine(seat, stream(number))
            different += world.state.tobytes() != position.state.tobytes()
            assert world.actor == position.actor
            assert world.text(seat) == position.text(seat)
            assert world.view(seat) == position.view(seat)
            assert (world.observation(seat) == position.observation(seat)).all()
            if seat == position.actor:
                assert str(world).split("\n", 1)[1] == str(position).split("\n", 1)[1]
                assert (world.names, world.question) == (position.names, position.question)
    assert different > 5


def test_text_says_who_sits_where():
    position = Position("strozzi", 3)
    assert "seat 2" in position.text()
    assert "Cosimo" in position.text(1, ["Cosimo", "Filippo", "Palla"])
    with pytest.raises(ArgumentError, match="names: expected 3 names, got 1"):
        position.text(names=["Cosimo"])


# -- equal positions -------------------------------------------------------------------------------------------------


@each_game
def test_equal_is_what_goes_on_alike(kit):
    game, players = kit.game, kit.game.player_counts[-1]
    position = played(kit, players, "equal", 12, seed=1)
    assert position == played(kit, players, "equal", 12, seed=1)
    same = position, position.copy(), Position.from_bytes(position.to_bytes())
    assert len({each.identity for each in same}) == 1
    with pytest.raises(TypeError, match="unhashable"):  # moves change a position
        hash(position)
    assert position != "a position"
    others = [
        played(kit, players, "equal", 11, seed=1),
        played(kit, players, "equal", 12, seed=2),
        played(kit, players, "equal", 12, seed=1, deal=1),
        *[Position(game, count, seed=1) for count in game.player_counts],
        Position(game, players, seed=1, start_player=1),
        *[Position(game, players, seed=1, variant=name) for name in shipped_variants(game)],
        position.imagine(position.actor, stream(1)),
    ]
    assert len({each.identity for each in (position, *others)}) == 1 + len(others)
    assert all(one != other for one, other in itertools.combinations([position, *others], 2))
    other = position.copy()
    position.play(position.legal[0])
    other.play(other.legal[1])
    assert position != other
    other.state[:], other.chance[:] = position.state, position.chance  # as if both ways led there
    assert position == other
    assert position.identity == other.identity
    assert position.actions != other.actions


# -- bytes -----------------------------------------------------------------------------------------------------------


@each_count
def test_bytes_hold_the_whole_game(kit, players):
    for name in ("base", "all-flipped", *shipped_variants(kit.game)):
        position, start = Position(kit.game, players, 2**53 - 1, 7, kit.variant(name)), None
        start, chooser = position.copy(), random.Random(name)
        while not position.over:
            position.play(kit.choose(chooser, position.legal))
            if position.over or chooser.random() < 0.1:
                again = Position.from_bytes(position.to_bytes())
                assert again == position
                assert all_of(again) == all_of(position)
                assert again.variant.components == position.variant.components
                assert (again.variant.name, again.seed, again.deal) == (name, 2**53 - 1, 7)
        assert len(position.to_bytes()) < 1024
        while again.actions:
            again.undo()
        assert again == start


@each_game
def test_restricted_rules_are_given_again(kit):
    base = kit.variant("base")
    name = next(name for name in restrictions(kit.game, base) if "-N" not in name)
    forbidding = restricted(kit.game, base, {0: [name]})
    position = played_at_random(Position(kit.game, kit.game.player_counts[0], variant=forbidding))
    data = position.to_bytes()
    with pytest.raises(ArgumentError, match=r"^data: .* of other rules than those of 'base'; give the variant"):
        Position.from_bytes(data)
    assert Position.from_bytes(data, forbidding) == position
    assert pickle.loads(pickle.dumps(position)) == copy.deepcopy(position) == position
    assert Position.from_bytes(data, copy.deepcopy(forbidding)) == position  # other bytes between the fields


def played_at_random(position):
    chooser = random.Random(1)
    while not position.over:
        position.play(chooser.choice(position.legal))
    return position


@each_game
def test_damaged_bytes_are_refused(kit):
    position = played(kit, kit.game.player_counts[0], "bytes", 40)
    data = position.to_bytes()
    for place in range(len(data)):
        for broken in (data[:place], data[:place] + bytes([data[place] ^ 64]) + data[place + 1 :]):
            with pytest.raises(ArgumentError, match=r"^data: "):
                Position.from_bytes(broken)
    for nothing in (b"", None, "strozzi", position, bytearray(3)):
        with pytest.raises(ArgumentError, match="data: expected the bytes of a position, got"):
            Position.from_bytes(nothing)
    with pytest.raises(ArgumentError, match="damaged or cut off"):
        Position.from_bytes(data + b"more")


def test_bytes_that_say_what_cannot_be_are_refused():
    position = played(strozzi_games.KIT, 3, "false", 5)
    data = position.to_bytes()
    packed = msgspec.msgpack.decode(zlib.decompress(data[packing._HEAD :]))

    def changed(place, value):
        content = zlib.compress(msgspec.msgpack.encode([*packed[:place], value, *packed[place + 1 :]]))
        return packing.MAGIC + packing.FORMAT + zlib.crc32(content).to_bytes(4, "big") + content

    assert Position.from_bytes(changed(0, "strozzi")) == position
    for place, value, words in (
        (0, "chess", "unknown game 'chess'; known: "),
        (0, "medici_vs_strozzi", ""),
        (1, position.game.behaviour + 1, f"of behaviour {position.game.behaviour + 1} of strozzi, but this is behaviour"),
        (2, 7, "players: strozzi takes 3-6 players, got 7"),
        (3, -1, "seed: must be between 0"),
        (5, 3, "start_player: must be between 0 and 2, got 3"),
        (6, [0, 0], "the script of 2 outcomes ends before"),
        (6, [-1], "chance: must be between 0"),
        (8, b"nonsense", "the bytes of a position that cannot be read: "),
        (9, 1, "of other rules than those of 'base'"),
        (10, bytes([1, 1, 200]), "200 is not legal for seat 2"),
        (10, b"", None),
    ):  # fmt: skip
        if words is None:
            assert Position.from_bytes(changed(place, value)) == Position("strozzi", 3)
            continue
        with pytest.raises(ArgumentError, match=r"^data: ") as caught:
            Position.from_bytes(changed(place, value))
        assert words in str(caught.value)
    with pytest.raises(ArgumentError, match="is a variant of another game than strozzi"):
        Position.from_bytes(data, medici_games.KIT.variant("base"))
    with pytest.raises(ArgumentError, match="expected a position of format b'1', got b'2'"):
        Position.from_bytes(data.replace(b"strozzi1", b"strozzi2", 1))


# -- records ---------------------------------------------------------------------------------------------------------


@each_count
def test_a_record_leads_to_the_same_positions(kit, players, tmp_path):
    position = played(kit, players, "record", variant="all-flipped", seed=6, deal=3)
    lines = position.record([f"agent {seat}" for seat in range(players)])
    write_record(tmp_path / "game.jsonl", [lines])
    (recorded,) = read_record(tmp_path / "game.jsonl")
    kit.game.verify.REPLAY.check_game(recorded.header, recorded.line, recorded.events)
    again = Position.from_record(json.loads(line) for line in (tmp_path / "game.jsonl").read_text().splitlines())
    assert again.actions == position.actions
    while True:
        assert all_of(again) == all_of(position)
        assert again == position
        if not again.actions:
            break
        again.undo()
        position.undo()


@each_game
def test_lines_are_those_of_the_journal_and_grow(kit):
    before = []
    for position in kit.positions(kit.variant("base"), kit.game.player_counts[0], 1):
        lines = position.lines()
        assert lines[: len(before)] == before
        assert lines == list(
            kit.game.events.EVENTS.to_lines(position.journal, position.variant.components, position.players)
        )
        before = lines
    assert before[-1]["type"] == "score_end"


@each_game
def test_wrong_records_are_refused(kit):
    position = played(kit, kit.game.player_counts[0], "wrong", 30)
    lines = position.record()
    with pytest.raises(InputError, match="record: holds no game"):
        Position.from_record([])
    with pytest.raises(InputError, match="record: line 2: expected an object with a type, got 'round'"):
        Position.from_record([lines[0], "round"])
    with pytest.raises(InputError, match=r"record: line 3: .*another begins here"):
        Position.from_record([*lines[:2], *lines])
    with pytest.raises(InputError, match=r"record: line \d+: does not follow from the game of seed 1, deal 0"):
        Position.from_record([{**lines[0], "seed": 1}, *lines[1:]])
    with pytest.raises(InputError, match="does not follow from"):
        Position.from_record([*lines, lines[-1]])
    with pytest.raises(ArgumentError, match="agents: expected"):
        position.record(["one"])
    elsewhere = Position(kit.game, position.players, start_player=1)
    with pytest.raises(InputError, match="does not follow from"):
        Position.from_record(elsewhere.record())


@each_game
def test_a_record_that_too_many_actions_fit_is_not_called_wrong(kit, monkeypatch):
    position = played(kit, kit.game.player_counts[0], "ambiguous", 30)
    monkeypatch.setattr(records, "MAX_TRIED", 1)
    with pytest.raises(InputError, match=r"record: line \d+: its action is not found among 1 positions"):
        Position.from_record(position.record())


# -- chance by script ------------------------------------------------------------------------------------------------


def assert_says(ended, length):
    assert ended.outcomes > 0
    assert f"chance: the script of {length} outcomes ends before a draw of source {ended.source}" in str(ended)


def scripted(kit, players, word):
    """A whole game whose chance is written while it is played, with its script."""
    dice, script, actions, pending = SeatRng(word), [], [], None

    def again():
        position = Position(kit.game, players, seed=1, chance=script)
        for action in actions:
            position.play(action)
        return position

    while True:
        try:
            position = again()
            while not position.over:
                was, pending = all_of(position), pending or position.legal[dice.below(len(position.legal))]
                position.play(pending)
                actions, pending = [*actions, pending], None
            return position, script
        except ScriptEnded as ended:
            assert_says(ended, len(script))
            if actions:
                assert all_of(position) == was  # nothing has changed
            script.append(dice.below(ended.outcomes))


@pytest.mark.slow_for("strasbourg")
@pytest.mark.slow
@each_game
def test_chance_by_script(kit):
    players = kit.game.player_counts[0]
    position, script = scripted(kit, players, 5)
    kit.game.verify.REPLAY.check_game(position.record()[0], 1, list(enumerate(position.lines(), 2)))
    assert len(script) > 20
    start = Position(kit.game, players, seed=1, chance=script)
    again = start.copy()
    for number, action in enumerate(position.actions):
        before = exact_copy(again.state)
        again.play(action)
        if number % 10 == 0:
            ways = successor_states(kit.game, again.variant.rules, before, action)
            assert again.state.tobytes() in {state.tobytes() for state, _ in ways}
            packed = Position.from_bytes(again.to_bytes())
            assert packed == again
            assert packed.identity == again.identity
    assert again == position
    assert again != Position(kit.game, players, seed=1)
    assert "chance by script" in repr(again)
    while again.actions:
        again.undo()
    assert again == start
    longer = Position(kit.game, players, seed=1, chance=[*script, 0])
    assert longer.state.tobytes() == start.state.tobytes()
    assert longer != start


@pytest.mark.slow_for("strasbourg")
@pytest.mark.slow_for("strasbourg")
@each_game
def test_a_script_must_fit(kit):
    players = kit.game.player_counts[0]
    with pytest.raises(ScriptEnded) as ended:
        Position(kit.game, players, chance=[])
    among = ended.value.outcomes
    with pytest.raises(ArgumentError, match=rf"outcome 0 of the script .*must be from 0 to {among - 1}, got {among}$"):
        Position(kit.game, players, chance=[among] * 100)
    for wrong in ([-1], [2**32], [0.0], ["0"], [True], 3, "000", None):
        if wrong is not None:
            with pytest.raises(ArgumentError, match=r"^chance: "):
                Position(kit.game, players, chance=wrong)


@pytest.mark.slow_for("strasbourg")
@each_game
def test_a_step_that_the_script_does_not_fit_changes_nothing(kit):
    players = kit.game.player_counts[0]
    whole, script = scripted(kit, players, 6)
    for changed, error in ((script[:-1], ScriptEnded), ([*script[:-1], 10**6], ArgumentError)):
        position = Position(kit.game, players, seed=1, chance=changed)
        with pytest.raises(error):  # noqa: PT012 - some action comes to the last draw
            for action in whole.actions:
                was = all_of(position)
                position.play(action)
        assert all_of(position) == was
        assert len(position.actions) > 10


def test_an_imagined_game_begins_where_it_was_imagined():
    position = played(strozzi_games.KIT, 4, "imagined", 20)
    imagined = position.imagine(position.actor, stream(3))
    assert imagined.concealed(position.actor).tobytes() == position.concealed(position.actor).tobytes()
    assert imagined.actions == ()
    played_at_random(imagined)
    for refused in (imagined.to_bytes, imagined.record, imagined.lines, lambda: imagined.journal):
        with pytest.raises(InputError, match="an imagined game has no beginning"):
            refused()
    for _ in imagined.actions:
        imagined.undo()
    assert imagined == position.imagine(position.actor, stream(3))
    with pytest.raises(InputError, match="undo"):
        imagined.undo()


# -- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"game": "strozi"}, "game: unknown game 'strozi'; known: .*did you mean 'strozzi'"),
        ({"game": 3}, "game: expected the name of a game, or a Game, got 3"),
        ({"players": 7}, "players: strozzi takes 3-6 players, got 7"),
        ({"variant": "long-track"}, "variant: unknown variant 'long-track' of strozzi; .*did you mean 'long-tracks'"),
        ({"variant": medici_games.BASE}, "variant: 'base' is a variant of another game than strozzi"),
        ({"seed": -1}, "seed: must be between 0 and"),
        ({"start_player": 4}, "start_player: must be between 0 and 3, got 4"),
    ],
)
def test_wrong_starts_are_refused(arguments, words):
    with pytest.raises(InputError, match=f"^{words}"):
        Position(**{"game": "strozzi", "players": 4, **arguments})


def test_wrong_actions_are_refused_and_change_nothing():
    position = Position("strozzi", 4)
    was = all_of(position)
    for action, words in (
        (9, "action: 9 is not legal for seat 0; legal: 1 to 4"),
        (0, "action: 0 is not legal for seat 0"),
        ("pas", "action: unknown to seat 0: 'pas'; known: pass, pirate, plus_one, ware; did you mean 'pass'?"),
        (True, "action: must be a whole number, got True"),
    ):  # fmt: skip
        with pytest.raises(ArgumentError) as caught:
            position.play(action)
        assert str(caught.value).startswith(words)
        assert all_of(position) == was
    prices = Position("medici_vs_strozzi", 2)
    prices.play("stop")
    with pytest.raises(ArgumentError, match=r"unknown to seat 0: 'a lot'; known: 0 to 120$"):
        prices.play("a lot")


@each_game
def test_wrong_seats_and_the_end(kit):
    players = kit.game.player_counts[0]
    position = Position(kit.game, players)
    for show in (position.view, position.concealed, position.observation, position.text, position.lines):
        for seat in (-1, players, 1.5, "0", True):
            with pytest.raises(ArgumentError, match=r"^(seat|viewer): "):
                show(seat)
    played_at_random(position)
    assert position.over
    assert position.actor == -1
    assert not position.mask.any()
    for action in (1, "pass"):
        with pytest.raises(ArgumentError, match=r"action: .* cannot be played: the game is over"):
            position.play(action)
    for show in (position.view, position.concealed, position.observation, position.text):
        with pytest.raises(ArgumentError, match=rf"no seat decides, since .*over; give one of 0 to {players - 1}"):
            show()
        show(0)
    with pytest.raises(ArgumentError, match="no seat decides"):
        position.ask(load_agent("random", kit.game))
