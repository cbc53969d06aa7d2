"""What a record's header may say: every key is checked, those of the components as strictly as in a study."""

import json
from copy import deepcopy

import pytest

from our_games import KNOWN_GAMES
from paths import TESTS
from strozzi_sim.cli.app import run
from strozzi_sim.errors import InputError
from strozzi_sim.play.records import check_header, read_record, verify_record

HERE = TESTS
STROZZI = HERE / "games" / "strozzi" / "golden" / "random-4.jsonl"
MEDICI = HERE / "games" / "medici_vs_strozzi" / "golden" / "random-base.jsonl"
GONE = object()


def header_of(file):
    return json.loads(file.read_text().splitlines()[0])


def changed(header, key, value):
    """The header with another value at a key such as `components/ships/3/venice`; GONE takes the key away."""
    header = deepcopy(header)
    *path, last = key.split("/")
    place = header
    for name in path:
        place = place[int(name) if isinstance(place, list) else name]
    if value is GONE:
        del place[last]
    else:
        place[last] = value
    return header


TOP = [
    ("format", "strozzi-sim.record/2", "format: expected 'strozzi-sim.record/1', got 'strozzi-sim.record/2'"),
    ("game", "strozi", f"game: unknown game 'strozi'; {KNOWN_GAMES}; did you mean 'strozzi'?"),
    ("players", 7, "players: strozzi takes 3-6 players, got 7"),
    ("players", 5, "agents: expected 5 names, got 4"),
    ("agents", ["random", "random", "\x1b[2J", "random"], "agents: expected a name of printable characters"),
    ("agents", GONE, "missing required field `agents`"),
    ("seed", 2**53, "seed: expected a whole number <= 9,007,199,254,740,991, got 9007199254740992"),
    ("comment", "mine", "unknown key 'comment'"),
    ("components", {}, "components: setup: missing"),
]
OF_STROZZI = [  # what a study refuses too is in the tests of a game's components
    ("ships/3/venice", -100, "components: ships.S04.venice: expected a whole number >= 0, got -100"),
    ("setup/cards_removed/4", GONE, "components: setup.cards_removed.4: no entry for 4 players"),
    ("setup/cards_removed/04", 3, "components: setup.cards_removed: expected a whole number as a key, got '04'"),
    ("tracks/provenance", "rulebook", "components: tracks.provenance: unknown key"),
    ("tracks", GONE, "components: tracks: missing"),
    ("meta", {}, "components: 'meta': unknown key; known: setup"),
]
OF_MEDICI = [
    ("tiles/total", 27, "components: tiles.total: expected 26 beside the other parts, got 27"),
    ("tracks/identical_on_all_harbors", 1, "tracks.identical_on_all_harbors: expected true or false, got 1"),
]
CASES = [
    *((STROZZI, *case) for case in TOP),
    *((STROZZI, f"components/{key}", *rest) for key, *rest in OF_STROZZI),
    *((MEDICI, f"components/{key}", *rest) for key, *rest in OF_MEDICI),
]


@pytest.mark.parametrize(("file", "key", "value", "words"), CASES, ids=[f"{case[1]}-{case[3][-20:]}" for case in CASES])
def test_a_header_that_no_game_has_is_refused_with_its_key(file, key, value, words):
    with pytest.raises(InputError) as caught:
        check_header(changed(header_of(file), key, value), "games.jsonl: line 1")
    assert str(caught.value).startswith("games.jsonl: line 1: ")
    assert words in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("file", sorted(HERE.glob("games/*/golden/random*.jsonl")), ids=lambda file: file.stem)
def test_headers_that_were_written_are_accepted(file):
    check_header(header_of(file), "golden")


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_both_commands_refuse_a_header_in_one_line(command, tmp_path, capsys):
    lines = STROZZI.read_text().splitlines()
    header = changed(header_of(STROZZI), "components/tracks/top_index", 2**63 - 1)
    file = tmp_path / "games.jsonl"
    file.write_text("\n".join([*lines, json.dumps(header), *lines[1:]]))
    assert run([command, str(file), *(["--game", "2"] if command == "replay" else [])]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"strozzi: error: {file}: line {len(lines) + 1}: components: tracks.top_index: expected")
    assert told.err.count("\n") == 1


def test_further_keys_of_events_are_allowed(tmp_path):
    header, *events = STROZZI.read_text().splitlines()
    file = tmp_path / "games.jsonl"
    file.write_text("\n".join([header, *(json.dumps(json.loads(event) | {"note": "mine"}) for event in events)]))
    assert verify_record(file) == 1


def test_a_mark_at_the_start_and_blank_lines_at_the_end_are_read_and_blank_lines_inside_are_named(tmp_path):
    content, file = STROZZI.read_bytes(), tmp_path / "games.jsonl"
    for written in (b"\xef\xbb\xbf" + content, content + b"\n", content + b"\r\n  \n\n"):
        file.write_bytes(written)
        assert verify_record(file) == 1
    first, *others = content.splitlines(keepends=True)
    file.write_bytes(b"".join([first, b"\n", *others]))
    with pytest.raises(InputError, match=f"^{file}: line 2: a blank line inside the record; remove it$"):
        verify_record(file)


@pytest.mark.parametrize("name", [[None], {"a": 1}, None, 3, True])
@pytest.mark.parametrize("key", ["ships/3/id", "promotion_tiles/26/id"])
def test_an_id_may_be_anything_in_a_record(key, name):
    with pytest.raises(InputError, match=r"^games.jsonl: line 1: components: .*id"):
        check_header(changed(header_of(STROZZI), f"components/{key}", name), "games.jsonl: line 1")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"type":"claim","player":' + "9" * 5000 + "}", "line 3: not a line of JSON: Integer value out of range"),
        ('{"type":"claim","x":' + "[" * 100_000 + "]" * 100_000 + "}", "line 3: not a line of JSON: nested too deeply"),
        ('{"type":7}', "line 3: expected an object with a type, got {'type': 7}"),
    ],
    ids=["digits", "deep", "type"],
)
def test_events_beyond_the_bounds_are_refused_by_line(tmp_path, line, words):
    lines = STROZZI.read_text().splitlines()
    file = tmp_path / "games.jsonl"
    file.write_text("\n".join([*lines[:2], line, *lines[3:]]))
    with pytest.raises(InputError) as caught:
        verify_record(file)
    assert words in str(caught.value)


def test_a_game_without_end_is_refused(tmp_path):
    header, *events = STROZZI.read_text().splitlines()
    file = tmp_path / "games.jsonl"
    file.write_text("\n".join([header, *[events[0]] * 12_000]))
    with pytest.raises(InputError, match="no game of strozzi has more than"):
        list(read_record(file))


def test_nothing_is_shown_of_a_game_that_breaks_a_rule(tmp_path, capsys):
    lines = STROZZI.read_text().splitlines()
    file = tmp_path / "games.jsonl"
    file.write_text("\n".join([*lines[:-1], lines[-1].replace('"ranking":[', '"ranking":[9,')]))
    assert run(["replay", str(file)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"strozzi: error: {file}: line {len(lines)}: expected ")
