"""What the command says: its help, whole; what was meant where a name is near a known one; one line for an error."""

import re
import subprocess
import sys

import pytest

from strozzi_games import STROZZI
from strozzi_sim.agent.names import player_counts
from strozzi_sim.cli.app import run
from strozzi_sim.errors import InputError


def test_the_command_alone_shows_its_help(capsys):
    assert run([]) == run(["--debug"]) == 0
    told = capsys.readouterr()
    assert told.out.count("usage: strozzi COMMAND") == 2
    assert told.err == ""
    assert run(["--help"]) == 0
    assert told.out == 2 * capsys.readouterr().out


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
