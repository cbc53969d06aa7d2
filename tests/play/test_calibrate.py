"""Budgets in seconds: turned into counts once, said to be so wherever results are, and kept by a results folder."""

import json
from pathlib import Path

import pytest

from strozzi_games import BASE, STROZZI, variant
from strozzi_sim.agent import Param, Seconds, compiled_agent, load_agent, python_agent, spec_of
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.cli.app import run
from strozzi_sim.errors import InputError
from strozzi_sim.game.contract import kth_legal
from strozzi_sim.play import calibrate as calibrating
from strozzi_sim.play.calibrate import Calibration, calibrate, in_counts
from strozzi_sim.simulation.match import Match
from strozzi_sim.studies.calibrated import calibrated, noted
from strozzi_sim.studies.planning import plan_of_keys as make_plan

pytestmark = pytest.mark.slow


@pytest.fixture
def each_takes(monkeypatch):
    """Set how long one simulation takes; the clock is out of it."""

    def takes(seconds):
        def count(spec):
            return spec.values.get("iterations", spec.values.get("playouts"))

        monkeypatch.setattr(calibrating, "_seconds", lambda spec, tables, positions: seconds * count(spec))

    takes(1e-6)
    return takes


def found(text, **options):
    return calibrate(load_agent(text), STROZZI, options.get("players", [4]), options.get("variants", [BASE]))


# -- spec strings ----------------------------------------------------------------------------------------------------


def test_seconds_are_part_of_the_name():
    spec = load_agent("ismcts:utility=rank,seconds=0.10")
    assert spec.text == "ismcts:seconds=0.1,utility=rank"
    assert spec.in_seconds == "seconds"
    assert load_agent("ismcts").in_seconds is None
    with pytest.raises(InputError, match="seconds must be more than 0, got 0; or set iterations instead"):
        load_agent("ismcts:seconds=0")
    assert load_agent("random").in_seconds is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ismcts:seconds=1,iterations=1000", "give iterations or seconds, not both"),
        ("flat_mc:playouts=10,seconds=1", "give playouts or seconds, not both"),
        ("flat_mc:seconds=-1", "seconds must be between 0 and 3,600, got -1"),
        ("flat_mc:seconds=soon", "seconds must be a number, got 'soon'"),
        ("flat_mc:seconds=nan", "seconds must be a number, got 'nan'"),
    ],
)
def test_bad_seconds_are_refused(text, words):
    with pytest.raises(InputError, match=words):
        load_agent(text)


def test_nothing_plays_by_the_clock():
    with pytest.raises(InputError, match="'ismcts:seconds=1': seconds must be calibrated first"):
        compile_agent(load_agent("ismcts:seconds=1"), STROZZI)
    with pytest.raises(InputError, match="must be calibrated first"):
        Match(STROZZI, 4, (load_agent("flat_mc:seconds=1"),), BASE, 0).play(0, 1)


def test_other_values_keep_the_rest(tmp_path):
    spec = load_agent("ismcts:rollout=(greedy:margin=3),seconds=2")
    assert spec.with_values({"seconds": 0.0, "iterations": 50}).text == "ismcts:iterations=50,rollout=(greedy:margin=3)"
    assert spec.with_values({"seconds": 0.0, "rollout": "random"}).text == "ismcts"
    bots = tmp_path / "bots.py"
    bots.write_text("from strozzi_sim.agent import *\n"
                    "@compiled_agent(name='mine', depth=1, breadth=2)\n"
                    "def mine(state, rules, params, memory, rng):\n    '''First.'''\n    return 1\n")  # fmt: skip
    assert load_agent(f"{bots}::mine:depth=4").with_values({"breadth": 9}).text == f"{bots}::mine:breadth=9,depth=4"


# -- calibrating -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("each", "text", "plays"),
    [
        pytest.param(1e-6, "ismcts:seconds=0.01", "ismcts:iterations=10000", marks=pytest.mark.slow),
        pytest.param(
            3e-5, "flat_mc:seconds=0.01,per=decision", "flat_mc:per=decision,playouts=333", marks=pytest.mark.slow
        ),
        pytest.param(1e-6, "flat_mc:seconds=0.1234567", "flat_mc:playouts=123000", marks=pytest.mark.slow),
        pytest.param(1e-6, "ismcts:seconds=1e-9", "ismcts:iterations=2", marks=pytest.mark.slow),  # its least
        # measured at half a second, not at a hundred
        pytest.param(1e-4, "ismcts:seconds=100", "ismcts:iterations=1000000", marks=pytest.mark.slow),
        (1e-6, "ismcts:seconds=0.001", "ismcts"),  # the default
    ],
)
def test_the_count_takes_so_long(each_takes, each, text, plays):
    each_takes(each)
    calibration = found(text)
    assert (calibration.given, calibration.plays) == (load_agent(text).text, plays)
    count = load_agent(plays).values[load_agent(text).agent.params["seconds"].of]
    assert calibration.measured == pytest.approx(each * count)
    assert calibration.count.endswith(f"={count}")
    assert str(calibration).startswith(f"{calibration.given} plays with {calibration.count} (")
    assert "results with seconds= cannot be reproduced" in str(calibration)
    assert Calibration.of(json.loads(json.dumps(calibration.plain()))) == calibration


def test_a_count_that_no_memory_holds_is_refused(each_takes):
    each_takes(1e-7)
    with pytest.raises(InputError, match=r"ismcts:seconds=3600: .*would take a tree of"):
        found("ismcts:seconds=3600")


@pytest.mark.slow
def test_time_is_measured_over_positions_of_all_games(monkeypatch):
    asked, now = [], [0.0]
    monkeypatch.setattr(calibrating, "thread_time", lambda: now[0])
    choose = calibrating.Seat.choose

    def slowly(seat, state):
        asked.append((int(state["players"][0]), seat.variant.name, int(state["round"][0])))
        now[0] += 0.002
        return choose(seat, state)

    monkeypatch.setattr(calibrating.Seat, "choose", slowly)
    calibration = found("ismcts:seconds=0.001", players=[3, 5], variants=[BASE, variant("second-lap")])
    assert {entry[:2] for entry in asked} == {(p, v) for p in (3, 5) for v in ("base", "second-lap")}
    assert {entry[2] for entry in asked} == {0, 1, 2}
    assert calibration.plays == "ismcts:iterations=250"  # 1000 took 2 ms, 500 too
    assert calibration.measured == pytest.approx(0.001)
    assert calibration.players == (3, 5)


def test_a_real_clock_gives_a_count_that_plays():
    spec = load_agent(found("flat_mc:seconds=0.0005").plays)
    assert spec.values["playouts"] >= 1
    assert Match(STROZZI, 4, (spec, load_agent("random")), BASE, 0).play(0, 1).games == 1


def test_an_agent_of_ones_own_may_be_given_seconds(each_takes):
    @compiled_agent(name="thinker-of-ours", playouts=Param(10, 1, 1000), seconds=Seconds("playouts"))
    def ours(state, rules, params, memory, rng):
        """The first."""
        return kth_legal(state, rules, 0)

    spec = spec_of(ours, seconds=0.0005)
    assert calibrate(spec, STROZZI, [4], [BASE]).plays == "thinker-of-ours:playouts=500"
    assert spec.with_values({"seconds": 0.0, "playouts": 20}).agent is spec.agent

    @python_agent(name="python-of-ours", playouts=Param(10, 1, 1000), seconds=Seconds("playouts"))
    class Slow:
        """The first."""

        def __init__(self, **values):
            self.values = values

        def act(self, view, legal, rng):
            return legal[0]

    with pytest.raises(InputError, match="needs a compiled agent that has a parameter 'playouts'"):
        calibrate(spec_of(Slow, seconds=1), STROZZI, [4], [BASE])


def test_agents_that_do_not_play_are_not_calibrated():
    with pytest.raises(InputError, match="strozzi takes 3-6 players, got 7"):
        found("ismcts:seconds=1", players=[7])


@pytest.mark.slow
def test_each_is_calibrated_once(each_takes, monkeypatch):
    specs = [load_agent(text) for text in ("ismcts:seconds=0.1", "random", "ismcts:seconds=0.10", "ismcts")]
    table = in_counts(specs, STROZZI, [4], [BASE])
    assert {text: each.plays for text, each in table.items()} == {"ismcts:seconds=0.1": "ismcts:iterations=100000"}
    monkeypatch.setattr(calibrating, "calibrate", None)
    known = [Calibration("ismcts:seconds=0.1", "ismcts:iterations=7", "iterations=7", (4,), 0.1)]
    assert in_counts(specs, STROZZI, [4], [BASE], known) == {"ismcts:seconds=0.1": known[0]}


# -- studies ---------------------------------------------------------------------------------------------------------

RAW = {
    "name": "x", "game": "strozzi", "players": [3, 4], "deals": 4, "chunks": 2, "lineups": [["flat_mc:seconds=0.00001"]],
}  # fmt: skip


def test_a_plan_plays_counts_and_notes_seconds(each_takes):
    plan = make_plan(RAW, "here")
    played = calibrated(plan)
    by_hand = make_plan(RAW | {"lineups": [["flat_mc:playouts=10"]]}, "here")
    assert played.hash == by_hand.hash != plan.hash
    assert played.resolved == by_hand.resolved
    assert [each.given for each in played.calibrated] == ["flat_mc:seconds=1e-05"]
    assert calibrated(by_hand).calibrated == ()


def said(capsys, *arguments):
    code = run([*map(str, arguments)])
    streams = capsys.readouterr()
    assert code == 0, streams.err
    return streams.out


def test_a_resumed_study_keeps_its_counts(each_takes, capsys, tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(
        'name = "x"\ngame = "strozzi"\nplayers = [4]\ndeals = 2\nlineups = [["flat_mc:seconds=0.00001"]]\n'
    )
    folder = tmp_path / "results"
    out = said(capsys, "run", study, "--out", folder, "--workers", 1)
    assert "flat_mc:seconds=1e-05 plays with playouts=10 (" in out
    assert "flat_mc:playouts=10 x variants" in out
    note = noted(folder)
    assert [each.plays for each in note] == ["flat_mc:playouts=10"]
    page = (folder / "report.html").read_text()
    assert str(note[0]).split(" (")[0] in page
    assert "results with seconds= cannot be reproduced" in page
    tables = {path.name: path.read_bytes() for path in (folder / "tables").iterdir()}

    each_takes(1e-7)  # the machine is quicker today
    again = json.loads(said(capsys, "run", study, "--out", folder, "--workers", 1, "--json"))
    assert again["played_now"] == 0
    assert [each["plays"] for each in again["calibrated"]] == ["flat_mc:playouts=10"]
    fresh = tmp_path / "fresh"
    said(capsys, "run", study, "--out", fresh, "--workers", 1)
    assert [each.count for each in noted(fresh)] == ["playouts=100"]

    by_hand = tmp_path / "hand.toml"
    by_hand.write_text(study.read_text().replace("seconds=0.00001", "playouts=10"))
    assert json.loads(said(capsys, "run", by_hand, "--out", folder, "--json"))["played_now"] == 0
    assert noted(folder) == note  # how it began is not forgotten
    said(capsys, "run", by_hand, "--out", tmp_path / "hand", "--workers", 1)
    assert {path.name: path.read_bytes() for path in (tmp_path / "hand" / "tables").iterdir()} == tables
    assert "cannot be reproduced" not in (tmp_path / "hand" / "report.html").read_text()


def test_a_folder_without_a_manifest_notes_nothing(tmp_path):
    assert noted(None) == noted(tmp_path) == []
    for content in ("nonsense", "[]", "{}", '{"calibrated": 5}', '{"calibrated": [{}, 3]}'):
        (tmp_path / "manifest.json").write_text(content)
        assert noted(tmp_path) == []
    assert noted(Path("nowhere")) == []


SLOW = "flat_mc:seconds=0.00001"


@pytest.mark.parametrize(
    "arguments",
    [
        ["balance", "strozzi", "--players", "3", "--agents", SLOW, "--deals", "2"],
        pytest.param(["tournament", "strozzi", "--players", "3", "--agents", f"{SLOW},random,greedy", "--deals", "2"], marks=pytest.mark.slow),
        pytest.param(["compare", "strozzi", SLOW, "random", "--players", "3", "--opponents", "greedy", "--deals", "2"], marks=pytest.mark.slow),
        pytest.param(["compare", "strozzi", "base", "long-tracks", "--agents", SLOW, "--players", "3", "--deals", "2"], marks=pytest.mark.slow),
        ["bench", "strozzi", "--players", "3", "--agents", SLOW, "--games", "1"],
        ["record", "strozzi", "--players", "3", "--agents", SLOW],
        ["leak-check", "strozzi", SLOW, "--players", "3", "--deals", "1"],
        pytest.param(["exploit", "strozzi", "greedy", "--players", "3", "--challengers", SLOW, "--deals", "1", "--generations", "1", "--population", "4", "--held-out", "2"], marks=pytest.mark.slow),
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[2]}",
)  # fmt: skip
def test_every_command_says_what_plays(each_takes, capsys, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    for extra in ([], ["--out", "kept"] if arguments[0] in ("balance", "tournament", "compare") else []):
        assert f"{load_agent(SLOW).text} plays with playouts=10 (" in said(capsys, *arguments, *extra)
    document = json.loads(said(capsys, *arguments, "--json"))
    (note,) = (document if "calibrated" in document else document["plan"])["calibrated"]
    assert note["plays"] == "flat_mc:playouts=10"
    plain = [argument.replace(SLOW, "flat_mc:playouts=10") for argument in arguments]
    if arguments[0] != "bench":
        assert _without_notes(json.loads(said(capsys, *plain, "--json"))) == _without_notes(document)


def _without_notes(document):
    if "plan" in document:
        return document | {"plan": {key: value for key, value in document["plan"].items() if key != "calibrated"}}
    return {key: value for key, value in document.items() if key != "calibrated"}


def test_a_recorded_game_explained_in_seconds(each_takes, capsys, tmp_path):
    path = tmp_path / "games.jsonl"
    said(capsys, "record", "strozzi", "--players", 3, "--out", path)
    out = said(capsys, "replay", path, "--explain", "ismcts:seconds=0.00005", "--decision", 3)
    assert "ismcts:seconds=5e-05 plays with iterations=50 (" in out
    assert "analysis by ismcts:iterations=50" in out
