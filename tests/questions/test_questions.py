"""Every argument of every question: a wrong value is named as the argument in Python, as its option on the command line."""

import inspect
from importlib import import_module
from pkgutil import iter_modules

import pytest
from strozzi_sim.cli.error_text import option_of

import strozzi_sim as ss
from paths import ROOT
from strozzi_sim import questions
from strozzi_sim.cli import app
from strozzi_sim.errors import ArgumentError

NAMES = [module.name for module in iter_modules(questions.__path__) if module.name in ss.__all__]
GIVEN = {  # what a question needs to be asked at all
    "compare": {"first": "random", "second": "greedy"},
    "exploit": {"agent": "random"},
    "heatmap": {"rows": "seat", "columns": "round", "fact": "round"},
    "leak_check": {"agent": "random"},
    "sweep": {"file": str(ROOT / "experiments" / "strozzi_bonus.toml")},
    "our_table": {"file": str(ROOT / "tests" / "studies" / "sheets.csv")},
    "merge": {"parts": [str(ROOT)], "folder": str(ROOT / "nowhere")},
    "worth": {"things": "flag:pirate"},
    "tournament": {"agents": "random,greedy,racer,trader"},
}
WRONG = {  # a value that can be typed, by argument
    "game": "strozi", "source": "strozi", "players": "9", "agents": "nobody", "agent": "nobody", "first": "nobody", "second": "nobody",
    "opponents": "nobody", "tune": "nobody", "challengers": "nobody", "deals": -1, "held_out": 0, "generations": 0, "population": 1,
    "seatings": "round", "variant": "nope", "seed": -1, "workers": 0, "facts": "shp", "heatmaps": "flag-by",
    "max_matchups": 0, "until": "soon", "param": "patience", "start": -1, "steps": 0, "name": "Not A Name",
    "effect": -1, "settings": "x", "things": "flag:gold", "every": True, "search_deals": 0, "precision": 26, "keys": "nothing", "seconds": 0,
    "file": str(ROOT / "experiments" / "flag_usage.toml"),
    "parts": "", "luck": "nobody", "luck_redraws": 0, "template": str(ROOT / "README.md"), "games": 3, "playouts": 0,
}  # fmt: skip
OF_ANOTHER_KIND = {  # other exceptions, or none: titles are free, files and conditions are named with their place
    "folder", "progress", "title", "code", "study", "rows", "columns", "value", "where", "fact",
}  # fmt: skip
PYTHON_ONLY = {("simulate", "facts"), ("simulate", "heatmaps"), ("simulate", "name"), ("merge", "parts")}


def cases():
    for name in NAMES:
        for argument in inspect.signature(getattr(ss, name)).parameters:
            if argument not in OF_ANOTHER_KIND and (name, argument) != ("simulate", "name"):
                yield name, argument


def asked(name, argument):
    first = {"heatmap": "source", "sweep": "file", "merge": "parts"}.get(name, "game")
    given = {first: "strozzi", **GIVEN.get(name, {}), argument: WRONG[argument]}
    if argument == "template":  # instead of the sheets
        given.pop("file")
    return given


@pytest.mark.parametrize(("name", "argument"), list(cases()))
def test_python_names_the_argument(name, argument):
    with pytest.raises(ArgumentError) as refused:
        getattr(ss, name)(**asked(name, argument))
    assert refused.value.argument == ("game" if argument == "source" else argument)
    assert str(refused.value).startswith(f"{refused.value.argument}: ")


@pytest.mark.parametrize(
    ("name", "argument"), [case for case in cases() if case not in PYTHON_ONLY and case[1] != "source"]
)
def test_the_command_names_the_option(name, argument, capsys):
    places, options = [], []
    for key, value in asked(name, argument).items():
        if key in ("game", "source", "file", "first", "second", "agent", "things"):
            places.append(str(value))
        elif key == "parts":
            places += value
        else:
            options += [option_of(key)] if value is True else [option_of(key), str(value)]
    command = "balance" if name == "simulate" else name.replace("_", "-")
    assert app.run([command, *options, "--", *places]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"strozzi: error: {option_of(argument)}: ")


def test_every_question_is_public_and_a_command():
    modules = {name: import_module(f"strozzi_sim.questions.{name}") for name in NAMES}
    assert {name: getattr(module, name) for name, module in modules.items()} == {
        name: getattr(ss, name) for name in NAMES
    }
    commands = {command.name for command in app.app.registered_commands}
    assert {"balance" if name == "simulate" else name.replace("_", "-") for name in NAMES} <= commands


@pytest.mark.parametrize("name", NAMES)
def test_every_argument_is_documented_once(name):
    from strozzi_sim.cli.commands import described

    function = getattr(ss, name)
    assert set(described(function)) == {"", *inspect.signature(function).parameters}
