"""What the command says: its help, whole; what was meant where a name is near a known one; one line for an error."""

import re
import subprocess
import sys

import pytest

from strozzi_games import STROZZI
from strozzi_sim.agent.names import player_counts
from strozzi_sim.cli.app import run
from strozzi_sim.errors import InputError

STUDY = 'name = "mine"\ngame = "strozzi"\nplayers = [3]\ndeals = 10\nlineups = [["random"]]\n'


def test_the_command_alone_shows_its_help(capsys):
    assert run([]) == run(["--debug"]) == 0
    told = capsys.readouterr()
    assert told.out.count("usage: strozzi COMMAND") == 2
    assert told.err == ""
    assert run(["--help"]) == 0
    assert told.out == 2 * capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("rnu study.toml", "no command 'rnu'; did you mean 'run'?"),
        ("bench strozzi --player 4", "did you mean --players?"),
        ("bench strozzi --agents greedy:margins=2", "greedy has no parameter 'margins'; known: margin"),
        ("bench strozzi --agents ismcts:backup=maxm", "backup: got 'maxm'; known: "),
        ("bench strozzi --agents ismcts:rollout=(gredy)", "did you mean 'greedy'?"),
        ("record strozzi --study study.toml --variant bas", "variant 'bas'; known: base; did you mean 'base'?"),
    ],
)
def test_what_was_meant_is_suggested(line, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY)
    assert run(line.split()) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert words in told.err
    assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("all", [3, 4, 5, 6]),
        ("3-6", [3, 4, 5, 6]),
        ("5,3", [5, 3]),
        (" 3 , 3-4", [3, 4]),
        ([3, 5, 3], [3, 5]),
        (None, [4]),
    ],
)
def test_player_counts(text, counts):
    assert list(player_counts(STROZZI, text)) == counts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("3-99999999999", "strozzi takes 3-6 players, got 99999999999"),
        ("9" * 5000, "strozzi takes 3-6 players, got 9999"),
        (f"3-{'9' * 5000}", "strozzi takes 3-6 players, got 9999"),
        ("0-3", "got 0"),
        ("03", "got 03"),
        ("٣", "got ٣"),
        ("6-3", "got none in '6-3'"),
        ("3,", "expected 4, 3-6 or 3,5"),
        ("²", "expected 4, 3-6 or 3,5"),
    ],
    ids=lambda text: text[:20],
)
def test_player_counts_that_are_none(text, words):
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        player_counts(STROZZI, text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "line",
    [
        ["bench", "strozzi", "--games", "9" * 5000],
        ["bench", "strozzi", "--seconds", "1e999"],
        ["bench", "strozzi", "--seconds", "nan"],
        ["bench", "strozzi", "--agents", "greedy:margin=" + "9" * 900],
        ["bench", "strozzi", "--agents", "a" * 10**6],
        ["bench", "strozzi", "--agents", "(" * 10**5 + ")" * 10**5],
        ["bench", "strozzi", "--agents", "ismcts:rollout=(" * 300 + "random" + ")" * 300],
        ["bench", "strozzi", "--agents", f"{'x' * 300}.py::a"],
        ["bench", "strozzi", "--agents", "a\nb\x1b[2J\udcff"],
        ["balance", "strozzi", "--deals", "9" * 400],
        ["run", "x" * 5000],
        ["report", "x" * 300],
    ],
    ids=lambda line: f"{line[0]} {line[-1][:20]!r}",
)
def test_values_without_measure_are_one_short_line(line, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(line) in (2, 4)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("strozzi: error: ")
    assert told.err.count("\n") == 1
    assert len(told.err) < 2_100
    assert told.err[:-1].isprintable()
    assert list(tmp_path.iterdir()) == []


def test_names_that_are_no_text_are_printed(tmp_path):
    """A terminal without Unicode, and a file's name that is not UTF-8."""
    code = "import sys; from strozzi_sim.cli.app import main; sys.argv[1:] = ['cache']; main()"
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", code],
        env={"STROZZI_CACHE_DIR": str(tmp_path / "M\N{LATIN SMALL LETTER U WITH DIAERESIS}nze"), "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
        capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"M\udcc3\udcbcnze" in done.stdout
