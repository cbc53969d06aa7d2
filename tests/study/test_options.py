"""Wrong values of every option and place of every command end in one line that names it."""

import pytest

from strozzi_sim.cli.app import OPTIONS, PLACES, main
from strozzi_sim.cli.declared import declared

WRONG = ["x", "-1", "", "nan", "99999999999999999999", "1.5"]
COMMANDS = {  # places, and options that keep a run small where a value happens to be right
    "balance": (["strozzi"], {"agents": "random", "deals": "10"}), "compare": (["strozzi", "random", "greedy"], {"deals": "10"}),
    "worth": (["strozzi", "flag:ware"], {"agents": "random", "deals": "10"}), "tournament": (["strozzi", "random,greedy,racer"], {"deals": "4"}),
    "sweep": (["strozzi", "tracks.bonus.9=10,15"], {"agents": "random", "deals": "10"}), "luck": (["strozzi"], {"games": "0", "deals": "10"}),
    "weights": (["strozzi"], {"agents": "random", "deals": "1000", "keys": "tracks.bonus.9"}), "leak-check": (["strozzi", "random"], {"deals": "1"}),
    "exploit": (["strozzi", "random"], {"generations": "1", "population": "4", "deals": "4", "held_out": "10", "challengers": "random"}),
    "heatmap": (["strozzi", "seat", "round", "mean coins"], {"fact": "round", "agents": "random", "deals": "10"}),
}  # fmt: skip
LEFT_OUT = ("workers", "folder")  # a folder may have any name


def lines_of(command):
    """Yield what an error must name, and a command line with one wrong value."""
    places, small = COMMANDS[command]
    function = declared(PLACES[command])
    arguments = [each for each in function.arguments if each.type is not bool and each.name not in LEFT_OUT]
    in_place = [each.name for each in function.arguments if not each.is_keyword]
    options = {
        "players": "3",
        **small,
        **({"workers": "1"} if "workers" in {each.name for each in function.arguments} else {}),
    }
    for each in arguments:
        option = f"--{OPTIONS.get(each.name, each.name).replace('_', '-')}"
        for wrong in WRONG:
            others = [
                f"--{OPTIONS.get(name, name).replace('_', '-')}={value}"
                for name, value in options.items()
                if name != each.name
            ]
            if each.is_keyword:
                yield option, [command, *places, *others, f"{option}={wrong}"]
            elif in_place.index(each.name) < len(places) and not wrong.startswith("-"):
                given = list(places)
                given[in_place.index(each.name)] = wrong
                yield each.name.upper(), [command, *given, *others]


@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_values_are_named(command, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = 0
    for name, line in lines_of(command):
        code = main(line)
        shown = capsys.readouterr().err.strip()
        if code == 0:
            continue  # of some options a value is right, such as 1.5 of a precision
        wrong += 1
        assert code == 2, (line, shown)
        assert name.lower() in shown.splitlines()[-1].lower(), (line, shown)
        assert "Traceback" not in shown, line
    assert wrong >= 30
