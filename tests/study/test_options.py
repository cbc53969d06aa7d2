"""Every option of every command is taken, and a wrong value of it ends in one line that names it."""

import re
import shutil

import pytest

from commands import strozzi
from paths import ROOT
from strozzi_sim.cli.parser import PLACES, REQUIRED, command_named, parsed

WRONG = ["x", "-1", "", "nan", "99999999999999999999", "1.5", "1_0"]
STUDY = 'name = "s"\ngame = "strozzi"\nplayers = [3]\ndeals = 10\nlineups = [["random"]]\n[report]\npages = []\n'
COMMANDS = {  # places, and options that keep a run small where a value happens to be right
    "run": (["study.toml"], {"out": "new"}), "report": (["kept"], {}), "merge": (["kept"], {"out": "whole"}),
    "balance": (["strozzi"], {"agents": "random", "deals": "10"}), "compare": (["strozzi", "random", "greedy"], {"deals": "10"}),
    "worth": (["strozzi", "flag:ware"], {"agents": "random", "deals": "10"}), "tournament": (["strozzi"], {"agents": "random,greedy,racer", "deals": "4"}),
    "sweep": (["strozzi", "tracks.bonus.9=10,15"], {"agents": "random", "deals": "10"}), "luck": (["strozzi"], {"games": "0", "deals": "10"}),
    "tune": (["strozzi"], {"targets": "score_mean >= 1", "agents": "random", "deals": "2000"}),
    "weights": (["strozzi"], {"agents": "random", "deals": "1000", "keys": "tracks.bonus.9"}), "leak-check": (["strozzi", "random"], {"deals": "1"}),
    "exploit": (["strozzi", "random"], {"deals": "10", "challengers": "racer"}),
    "plans": (["strozzi"], {"deals": "10", "only": "fast"}),
    "our-table": (["strozzi", "sheets.csv"], {"deals": "5"}),
    "heatmap": (["strozzi"], {"rows": "seat", "columns": "round", "value": "mean coins", "fact": "round", "agents": "random", "deals": "10"}),
    "facts": (["strozzi"], {}), "record": (["strozzi"], {"out": "again.jsonl"}), "replay": (["games.jsonl"], {}), "verify": (["games.jsonl"], {}),
    "analyse": (["games.jsonl"], {"redraws": "1"}), "play": (["strozzi"], {}), "mcp": (["games"], {}), "agents": ([], {}), "games": ([], {}),
    "cache": ([], {}), "bench": (["strozzi"], {"games": "5"}), "new": (["fair"], {"out": "fair"}),
    "desk": (["strozzi"], {}),
}  # fmt: skip
ANYTHING = {"shelf", "out", "page", "html", "tree", "title", "name"}  # options whose value is free


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a study, its results, and a record."""
    home = tmp_path_factory.mktemp("options")
    (home / "study.toml").write_text(STUDY)
    shutil.copy(ROOT / "tests/study/sheets.csv", home / "sheets.csv")
    assert strozzi("record", "strozzi", "--players", 3, "--out", home / "games.jsonl").returncode == 0
    assert strozzi("run", "study.toml", "--out", "kept", "--workers", 1, cwd=home).returncode == 0
    return home


def options_of(command):
    """Return the arguments that take a value, by option."""
    return {each.label: each for each in command_named(command).arguments if each.is_option and each.type is not bool}


def small(command, *but):
    """Return the options that keep a command small, except some."""
    given = {f"--{name}": value for name, value in COMMANDS[command][1].items()}
    known = options_of(command)
    given |= {name: value for name, value in (("--players", "3"), ("--workers", "1")) if name in known}
    return [f"{name}={value}" for name, value in given.items() if name not in but]


def lines_of(command, values=7):
    """Yield what an error must name, and a command line with one wrong value; so many values of each option, in turn."""
    places, _ = COMMANDS[command]
    for number, option in enumerate(options_of(command)):
        if option.removeprefix("--") not in ANYTHING and (command, option) != ("merge", "--code"):  # parts need none
            for wrong in (WRONG * 2)[number % len(WRONG) :][:values]:
                yield option, [command, *places, *small(command, option), f"{option}={wrong}"]
    in_place = [each for each in command_named(command).arguments if not each.is_option]
    for number in range(len(places)):
        for wrong in (each for each in WRONG if not each.startswith("-") and each != in_place[number].default):
            given = [*places[:number], wrong, *places[number + 1 :]]
            yield in_place[number].label, [command, *given, *small(command)]


def test_every_command_is_tried():
    assert set(COMMANDS) == set(PLACES)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_taken_once(command):
    """All options at once, each with a value of its type, arrive under the names of the function's arguments."""
    values = {int: ("7", 7), float: ("0.5", 0.5), str: ("abc", "abc"), bool: (None, True)}
    words, expected = list(COMMANDS[command][0]), {}
    for each in command_named(command).arguments:
        if each.is_option:
            text, value = values[each.type]
            words.append(each.label if text is None else f"{each.label}={text}")
            expected[each.name] = [value] if each.is_repeated else value
    found = parsed(command, words)
    assert {name: found[name] for name in expected} == expected
    if any(each.default is REQUIRED for each in command_named(command).arguments):
        done = strozzi(command)
        assert (done.returncode, done.stdout) == (2, "")
        assert "needed" in done.stderr


def wrong_lines():
    return [(command, name, line) for command in COMMANDS for name, line in lines_of(command)]


def test_there_are_enough_wrong_values():
    assert len(wrong_lines()) > 400


@pytest.mark.parametrize("values", [1, pytest.param(len(WRONG), marks=pytest.mark.nightly)])
@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_values_are_named(command, values, folder, tmp_path):
    wrong, place = 0, shutil.copytree(folder, tmp_path / "here")
    for name, line in lines_of(command, values):
        done = strozzi(*line, cwd=place, stdin="q\n")
        if done.returncode == 0:  # of some options a value is right, such as 1.5 of a precision
            shutil.rmtree(place)
            shutil.copytree(folder, place)
            continue
        wrong += 1
        assert done.returncode == 2, (line, done.stderr)
        assert done.stdout == "", line
        if "took more than 1.5 s" in done.stderr:
            continue
        (said,) = [words for words in done.stderr.splitlines() if words.startswith("strozzi: error: ")]
        assert name in said or name in ("FILE", "PARTS", "FOLDERS", "SOURCE"), (line, said)  # else the file is named
        if line[-1] == f"{name}=1_0" and options_of(command)[name].type in (int, float):
            assert re.fullmatch(
                rf".*{name}: expected a (whole )?number, got '1_0' \(see strozzi {command} --help\)", said
            )
    assert wrong >= (1 if options_of(command) else 0)
