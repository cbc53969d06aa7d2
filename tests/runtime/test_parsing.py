"""What a user's files may hold: bounds of depth, size and numbers, the same for TOML and JSON."""

import json
import re
from pathlib import Path

import pytest

from strozzi_sim.errors import InputError, StorageError, short_repr, suggest_names
from strozzi_sim.runtime.parsing import MAX_BYTES, MAX_DEPTH, parse_json, read_lines, read_toml, toml_value

DEEP = 100_000


def nested(depth, opening, closing):
    return opening * depth + closing * depth


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (f"a = {nested(DEEP, '[', ']')}", "nested too deeply; at most 32 levels"),
        (f"a = {nested(MAX_DEPTH + 1, '[', ']')}", "a: nested too deeply"),
        (f"a = {nested(DEEP, '{a=', '}')}", "nested too deeply"),
        (f"{'a.' * DEEP}a = 1", "nested too deeply"),
        (f"{'a . ' * DEEP}a = 1", "nested too deeply"),
        (f"['a'.{'b.' * DEEP}c]", "nested too deeply"),
        (f"seed = {'9' * 5000}", "not a TOML file: Exceeds the limit"),
        (f"seed = {'9' * 4000}", "seed: an integer must be between -(2^63 - 1) and 2^63 - 1, got 9999"),
        (
            "a = [1, {b = 9223372036854775808}]",
            "a[1].b: an integer must be between -(2^63 - 1) and 2^63 - 1, got 9223372036854775808",
        ),
        ("a = 1979-13-01", "not a TOML file"),
        ("a = \x01", "not a TOML file"),
        ("a = 1\na = 2", "not a TOML file: Cannot overwrite a value"),
        ("#" * (MAX_BYTES + 1), "is larger than 4,194,304 bytes"),
    ],
    ids=lambda text: text[:20],
)
def test_toml_beyond_the_bounds_is_one_line(tmp_path, content, words):
    file = tmp_path / "study.toml"
    file.write_text(content)
    with pytest.raises(InputError) as caught:
        read_toml(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert words in str(caught.value)
    assert len(str(caught.value)) < 400
    assert "\n" not in str(caught.value)


def test_a_deep_toml_value_is_refused():
    with pytest.raises(ValueError, match="nested too deeply; at most 32 levels"):
        toml_value(nested(DEEP, "[", "]"))


def test_a_long_text_with_dots_is_no_deep_key(tmp_path):
    file = tmp_path / "study.toml"
    words = "a.b. " + "Long. " * 20 + "." * 100 + " 1.5" * 50
    file.write_text(f'about = "{words}"\n# {words}\nx.y.z = {nested(MAX_DEPTH - 3, "[", "]")}\n')
    assert read_toml(file)["about"] == words


def test_files_that_are_none(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read_toml(tmp_path / "nothing.toml")
    with pytest.raises(StorageError, match="Is a directory"):
        read_toml(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'about = "\xe9"')
    with pytest.raises(InputError, match="not UTF-8 text: byte 9 is wrong"):
        read_toml(tmp_path / "latin.toml")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (nested(DEEP, "[", "]"), "nested too deeply; at most 32 levels"),
        (nested(MAX_DEPTH + 1, '{"a":', "}").replace(":}", ":1}"), "nested too deeply"),
        ('{"a":' + "9" * 5000 + "}", "Integer value out of range"),
        (
            '{"a":9223372036854775808}',
            "a: an integer must be between -(2^63 - 1) and 2^63 - 1, got 9223372036854775808",
        ),
        ('{"a":-9223372036854775808}', "a: an integer must be between -(2^63 - 1) and 2^63 - 1"),
        ('{"a":1e999}', "Number out of range"),
        ('{"a":NaN}', "invalid character"),
        ('{"a":"\\ud800"}', "truncated"),
        ('{"a":1', "truncated"),
        ('"' + "a" * MAX_BYTES + '"', "longer than"),
    ],
    ids=lambda text: text[:20],
)
def test_json_beyond_the_bounds_is_an_error(content, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        parse_json(content.encode())


def test_json_within_the_bounds_is_as_the_library_has_it():
    brackets = {"in a text": "[{" * 200, 'a "quote"': ['\\"[[['] * 3, "é": [[], {}, "\U0001f6a2"]}
    deep = json.loads(nested(MAX_DEPTH, "[", "]"))
    for document in (brackets, deep, [[]] * 50, 2**63 - 1, -1.5e300, None, True, "\\ud83d"):
        assert parse_json(json.dumps(document).encode()) == document
        assert parse_json(json.dumps(document, ensure_ascii=False).encode()) == document


def test_a_line_without_end_is_cut():
    """/dev/zero has one."""
    number, line = next(read_lines(Path("/dev/zero")))
    assert (number, len(line)) == (1, MAX_BYTES + 1)


def test_lines_have_no_mark_at_the_start_and_no_blank_ones_at_the_end(tmp_path):
    file = tmp_path / "lines"
    for content, lines in (
        (b"\xef\xbb\xbfa\nb\n", [(1, b"a\n"), (2, b"b\n")]),
        (b"a\n\nb\n\n \t\r\n\n", [(1, b"a\n"), (2, b"\n"), (3, b"b\n")]),
        (b"\n\na", [(1, b"\n"), (2, b"\n"), (3, b"a")]),
        (b"\xef\xbb\xbf\n\n", []),
        (b"", []),
    ):
        file.write_bytes(content)
        assert list(read_lines(file)) == lines


def test_errors_repeat_little_and_suggest_what_is_near():
    assert short_repr("x") == "'x'"
    assert len(short_repr("x" * 10**6)) < 100
    assert suggest_names("rotat", ["one", "rotate"]) == "known: one, rotate; did you mean 'rotate'?"
    assert suggest_names("chaos", ["one", "rotate"]) == "known: one, rotate"
    assert suggest_names(7, []) == "known: none"
