"""Wrong input is told in one line: the value, the place, what is allowed, and the name that was meant."""

import msgspec
import numpy as np
import pytest

import strozzi_sim as ss
from paths import TESTS
from strozzi_sim.cli.parser import parsed
from strozzi_sim.errors import InputError, suggest_names
from strozzi_sim.game import load_game
from strozzi_sim.game.components import components_type
from strozzi_sim.game.variants import _toml
from strozzi_sim.runtime.parsing import read_toml
from strozzi_sim.study.score_sheets import read_sheets

RICH = {"rich": {"tracks": {"bonus": {7: 10, 8: 15, 9: 20}}}}
STUDY = {"game": "strozzi", "deals": 2, "lineups": [["random"]]}


def simulate(**arguments):
    return ss.simulate("strozzi", **{"deals": 2, "players": 3, **arguments})


def study(**keys):
    return ss.Study.of(**{**STUDY, **keys})


CALLS = [
    (lambda: ss.simulate("medici", deals=2), "game: unknown game 'medici'; known: ", "did you mean 'medici_vs_strozzi'?"),
    (lambda: simulate(agents=3), "agents: expected an agent or a list of agents, got 3", ""),
    (lambda: simulate(agents=["ismcts:iterations=1"]), "agents: agent ", "must be between 2 and 1,000,000,000, got 1"),
    (lambda: simulate(players=[]), "players: strozzi takes 3-6 players, got none", ""),
    (lambda: simulate(players=[[3]]), "players: strozzi takes 3-6 players, got [3]", ""),
    (lambda: ss.Study.of(game="strozzi", players=[], lineups=[["random"]]), "players: strozzi takes 3-6 players, got none", ""),
    (lambda: ss.Study.of(game="strozzi", variants=[], lineups=[["random"]]), "variants: expected at least one, such as base, got none", ""),
    (lambda: simulate(variant=[]), "variant: expected at least one, such as base, got none", ""),
    (lambda: simulate(folder=5), "folder: expected a path, got 5", ""),
    (lambda: simulate(variant={"rich": 5}), "variant: expected changes under a name, as in ", "got {'rich': 5}"),
    (lambda: simulate(variant=RICH["rich"]), "variant: expected changes under a name, as in ", ""),
    (lambda: simulate(variant={"rich": {"track": {}}}), "variant: variant.rich: track: unknown section; ", "did you mean 'tracks'?"),
    (lambda: ss.Position("strozzi", 3, variant={"a": {}, "b": {}}), "variant: expected one name with its changes, got 2: ['a', 'b']", ""),
    (lambda: ss.Position("strozzi", 3).imagine(0, np.zeros(1)), "rng: expected a RANDOM record, array of shape (1,), ", "got array([0.])"),
    (lambda: ss.Position.from_record(5), "lines: expected the lines of a record, got 5", ""),
    (lambda: ss.compare("strozzi", "base", "bas"), "second: unknown variant 'bas'", "did you mean 'base'?"),
    (lambda: ss.compare("strozzi", "random", "xyzzy"), "second: unknown agent 'xyzzy'", "; variants: base, long-tracks"),
    (lambda: ss.read_study(5), "path: expected a path, got 5", ""),
    (lambda: ss.merge([], folder="whole"), "parts: name the results folders of all parts", ""),
    (lambda: simulate(agents=[3]), "agents: must be a spec string or a declared agent, got 3", ""),
    (lambda: ss.leak_check("strozzi", "random", variant=["base", "long-tracks"]), "variant: expected one variant, got 2", ""),
    (lambda: simulate(heatmaps=3), "heatmaps: expected names of heat maps, or mappings ", ", got 3"),
    (lambda: ss.run("study.toml"), "study: expected a Study, got 'study.toml'", ""),
    (lambda: study(lineup=[]), "lineup: unknown key of a balance; known: game, ", "did you mean 'lineups'?"),
    (lambda: study(behaviour=ss.load_game("strozzi").behaviour, agents={}, variants=["base"]), "variants: expected a table of variants by name, got ['base']", ""),
    (lambda: ss.Look.of(name="X y"), "name: expected text of 1 to 64 characters of a-z0-9-, got 'X y'", ""),
    (lambda: ss.Look.of(name="x\n"), "name: expected text of 1 to 64 characters of a-z0-9-, got 'x\\n'", ""),
    (lambda: ss.Look.of(name="aux"), "name: 'aux' names a device on Windows; choose another name", ""),
]  # fmt: skip


@pytest.mark.parametrize(("call", "begins", "ends"), CALLS, ids=[f"{row[1][:60]}-{row[2]}" for row in CALLS])
def test_a_wrong_argument_is_told_in_one_line(call, begins, ends):
    with pytest.raises(InputError) as refused:
        call()
    words = str(refused.value)
    assert words.startswith(begins)
    assert words.endswith(ends)
    assert "\n" not in words


@pytest.mark.slow
def test_one_name_is_one_agent_and_changes_are_one_variant_everywhere():
    alone, listed = (simulate(agents=agents, variant=RICH).tables["balance"] for agents in ("random", ["random"]))
    assert alone.equals(listed)
    position = ss.Position("strozzi", 3, variant=RICH)
    assert position.variant.components["tracks"]["bonus"] == {"7": 10, "8": 15, "9": 20}
    assert ss.VectorEnv("strozzi", 3, 2, variant=RICH).variant.components == position.variant.components


@pytest.mark.parametrize(
    ("name", "meant"),
    [("medici", "medici_vs_strozzi"), ("STROZZI", "strozzi"), ("strasburg", "strasbourg"), ("st", None), ("", None), (3, None)],
)  # fmt: skip
def test_the_name_that_was_meant(name, meant):
    words = suggest_names(name, ["medici_vs_strozzi", "strasbourg", "strozzi"])
    assert words.partition("; did you mean ")[2] == (f"{meant!r}?" if meant else "")


def test_a_toml_file_may_begin_with_a_mark(tmp_path):
    file = tmp_path / "x.toml"
    file.write_bytes(b"\xef\xbb\xbfa = 1\n")
    assert read_toml(file) == {"a": 1}
    study = tmp_path / "study.json"
    study.write_bytes(b'\xef\xbb\xbf{"game": "strozzi", "deals": 2, "lineups": [["random"]]}\n\n')
    assert ss.read_study(study)[0].deals == 2


def test_score_sheets_may_begin_with_a_mark_and_end_with_blank_lines(tmp_path):
    sheets = (TESTS / "study" / "sheets.csv").read_bytes()
    plain, marked = tmp_path / "plain.csv", tmp_path / "marked.csv"
    plain.write_bytes(sheets)
    marked.write_bytes(b"\xef\xbb\xbf" + sheets + b"\r\n\n  \n")
    read, again = (read_sheets(file, load_game("strozzi")) for file in (plain, marked))
    assert read.keys() == again.keys() != set()
    assert all(np.array_equal(read[count], again[count]) for count in read)


def test_files_of_a_game_may_begin_with_a_mark(tmp_path, monkeypatch):
    package = tmp_path / "marked"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "components.toml").write_bytes(b"\xef\xbb\xbf[setup]\nrounds = 3\n")
    (package / "variants.toml").write_bytes(b"\xef\xbb\xbf[short.setup]\nrounds = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    setup = msgspec.structs.fields(components_type("marked", {}))[0]
    assert setup.name == "setup"
    assert _toml("marked", "variants.toml") == {"short": {"setup": {"rounds": 1}}}


@pytest.mark.parametrize(
    "call",
    [
        lambda: simulate(folder="a\0b"), lambda: ss.read_study("a\0b"), lambda: ss.merge(["a\0b"], folder="whole"),
        lambda: ss.compare("strozzi", variant="x", study="a\0b"), lambda: ss.analyse("a\0b"), lambda: ss.heatmap("a/\0b", rows="seat", columns="round"),
        lambda: ss.our_table("strozzi", "a\0b"), lambda: ss.heatmap("a/b", rows="seat", columns="round", code="\0"),
        lambda: simulate().report("a\0b"),
    ],
)  # fmt: skip
def test_a_nul_character_in_a_path_is_an_error_of_the_caller(call):
    with pytest.raises(InputError):
        call()


def test_a_part_of_a_study_is_played_by_run():
    with pytest.raises(InputError, match="--part: there is no such option; `strozzi run FILE --part` has it"):
        parsed("balance", ["strozzi", "--part", "1/2"])
