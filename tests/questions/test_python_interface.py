"""The Python door: the public names, what they give, and that they do what the commands do, to the byte."""

import doctest
import inspect
import json
import runpy
import subprocess
import sys

import pandas as pd
import pytest
from strozzi_sim.reports import declare, drawings, heat, painter
from strozzi_sim.studies.progress import Progress, report_progress
from strozzi_sim.studies.run import MIN_CHUNKS

import strozzi_sim as ss
from declared import layers, marks, panels
from paths import ROOT
from strozzi_sim.agent import spec_of
from strozzi_sim.errors import AgentFault, InputError, Interrupted
from strozzi_sim.simulation import pool

NAMES = [name for name in dir(ss) if name != "__version__"]


def _broken_lines(panel):
    """Return the values at which a panel has a broken line."""
    rules = [each for each in layers(panel, "rule") if "strokeDash" in each[2]]
    return [channel["datum"] for encoding, *_ in rules for channel in encoding.values() if "datum" in channel]


@pytest.fixture(scope="module")
def results():
    return ss.simulate("strozzi", players=[3, 4], agents=["heuristic", "random"], deals=60, facts=["ship"], workers=1)


# -- the names -------------------------------------------------------------------------------------------------------


def test_the_names_are_those_of_the_design_and_nothing_else():
    assert sorted(dir(ss)) == dir(ss) == ss.__all__
    assert all(getattr(ss, name) is getattr(ss, name) for name in NAMES)
    with pytest.raises(AttributeError, match=r"no attribute 'simulat'; known: .* did you mean 'simulate'"):
        _ = ss.simulat


def test_games_is_a_function_whatever_was_imported_before():
    for first in ("import strozzi_sim.games.strozzi as game", "from strozzi_sim.game import load_game", "pass"):
        code = f"{first}\nimport strozzi_sim as ss; print(ss.games()); import strozzi_sim.games; import strozzi_sim.game as g; g.load_game('strozzi')"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert said.stdout.strip() == str(ss.games())
    assert "random" in ss.agents()
    assert "fair-price" not in ss.agents("strozzi")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name in ("check_game", "exploit") else []) for name in NAMES],
)
def test_every_name_is_documented_with_an_example_that_runs(name, monkeypatch):
    thing = getattr(ss, name)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing) or inspect.isfunction(thing):
        monkeypatch.chdir(ROOT)
        tests = doctest.DocTestFinder(recurse=False).find(thing, name, globs=vars(sys.modules[thing.__module__]))
        if "strozzi_sim.api" in thing.__module__:
            assert any(test.examples for test in tests), f"{name} has no example"
        for test in tests:
            failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed
            assert not failed, name


def test_the_page_of_the_interface_is_made_of_the_docstrings():
    made = runpy.run_path(str(ROOT / "docs" / "write_api.py"))["page"]()
    assert made == (ROOT / "docs" / "api.md").read_text(), "run python docs/write_api.py"


# -- Results ---------------------------------------------------------------------------------------------------------


def test_results_hold_tables_games_and_facts(results):
    assert results.n_games == results.new_games == 60 * 3 + 60 * 4
    seats = results.tables["seats"].query("figure == 'win_share' and players == 4")
    assert seats["value"].sum() == pytest.approx(1)
    assert (seats["low"] < seats["value"]).all()
    games = results.games
    assert len(games) == 60 * 3 * 3 + 60 * 4 * 4
    assert games is results.games
    first = games.query("players == 4 and seat == 0")
    assert (first["place"] == 1).mean() == pytest.approx(seats["value"].iloc[0], abs=0.02)  # shared wins apart
    ships = results.facts("ship")
    assert ships.groupby("players", observed=True).size().index.tolist() == [3, 4]
    with pytest.raises(InputError, match=r"keeps no rows of table 'tile'|tile"):
        results.facts("tile")
    with pytest.raises(KeyError, match=r"no table 'seat'; known: .*did you mean 'seats'"):
        results.tables["seat"]


def test_results_say_what_they_are(results):
    assert repr(results).startswith("<Results: Strozzi, 3, 4 players, heuristic,random")
    assert "420 games" in repr(results)
    html = results._repr_html_()
    assert "Strozzi" in html
    assert "<code>seats</code>" in html


def test_the_games_are_those_of_the_study_that_keeps_them(tmp_path, results):
    study = ss.Study(
        name="mine", game="strozzi", players=[3, 4], deals=60, rows=True,
        lineups=[["heuristic", "random", "heuristic"], ["heuristic", "random", "heuristic", "random"]],
    )  # fmt: skip
    kept = ss.run(study, tmp_path / "r", workers=1)
    pd.testing.assert_frame_equal(kept.games, results.games)
    again = ss.run(ss.read_study(tmp_path / "r"), tmp_path / "r")
    assert again.new_games == 0
    pd.testing.assert_frame_equal(again.tables["seats"], kept.tables["seats"])
    pd.testing.assert_frame_equal(kept.tables["seats"], results.tables["seats"])


def test_a_heat_map_plays_again_only_if_it_must(results):
    told = []
    fresh = ss.simulate(
        "strozzi", players=3, agents=["random"], deals=80, progress=Progress(on_games=lambda *n: told.append(n))
    )
    before = len(told)
    first = fresh.heatmap("flag", "cards_left", "mean prize", "round == 3")
    assert len(told) > before
    before = len(told)
    second = fresh.heatmap("flag", "cards_left", "mean prize", "round == 3", name="same", title="The same")
    assert len(told) == before
    columns = ["row", "column", "figure", "value", "low", "high", "n"]
    pd.testing.assert_frame_equal(first.table[columns], second.table[columns])
    assert second.title == "The same"
    assert {"heat_same"} < set(fresh.tables)
    with pytest.raises(InputError, match=r"unknown column 'flg'; known: .*did you mean 'flag'"):
        fresh.heatmap("flg", "cards_left")


@pytest.mark.slow
def test_pictures_show_and_save_themselves(results, tmp_path):
    drawing = results.plot("seats")
    assert drawing._repr_png_().startswith(b"\x89PNG")
    assert drawing.figure["hconcat"]
    (file,) = drawing.save(tmp_path / "seats.png")
    assert file.read_bytes().startswith(b"\x89PNG")
    (whole,) = drawing.save(tmp_path / "seats.json")
    assert json.loads(whole.read_text())["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
    assert drawing.save(tmp_path / "seats.pdf")[0].read_bytes().startswith(b"%PDF")
    with pytest.raises(InputError, match=r"path: must end in .png, .svg, .pdf, .json, got '.*seats.gif'"):
        drawing.save(tmp_path / "seats.gif")
    for name in results.pictures:
        assert results.plot(name).figures
    assert results.plot().title == drawing.title
    with pytest.raises(InputError, match=r"name: no picture 'seat' of these games .*; known: .*did you mean 'seats'"):
        results.plot("seat")


@pytest.mark.slow
def test_heat_maps_are_counted_as_by_a_study(results):
    own = {"rows": "flag", "columns": "cards_left", "value": "mean prize", "where": "round == 3"}
    mapped = ss.simulate("strozzi", 3, ["random"], deals=120, heatmaps=["flag-by-sail", own], workers=1)
    study = ss.Study(
        name="maps", game="strozzi", players=[3], deals=120, lineups=[["random"]], report={"heatmaps": ["flag-by-sail"]},
        heatmap=[{"name": "mine", **own}],
    )  # fmt: skip
    asked = ss.run(study, workers=1)
    (name,) = {key for key in mapped.tables if key.startswith("heat_")} - {"heat_flag_by_sail"}
    pd.testing.assert_frame_equal(mapped.tables["heat_flag_by_sail"], asked.tables["heat_flag_by_sail"])
    pd.testing.assert_frame_equal(mapped.tables[name], asked.tables["heat_mine"])
    assert {"heat-flag-by-sail", name.replace("_", "-")} < set(mapped.pictures)
    assert mapped.plot(name).figure
    assert not any(key.startswith("heat_") for key in results.tables)
    assert list(mapped.plot(name).titles.values()) == [mapped.plot(name).title]  # the panel says how many players
    several = ss.simulate(
        "strozzi", 3, ["random"], deals=60, variant=["base", "long-tracks"], heatmaps=["flag-by-sail"], workers=1
    ).plot("heat-flag-by-sail")
    assert set(several.titles.values()) == {f"{several.title}, 3 players"}


def test_only_the_picture_that_is_asked_for_is_drawn(results, monkeypatch):
    drawn = []

    def noted(name, function):
        return lambda *rest, **how: drawn.append(name or rest[0].name) or function(*rest, **how)

    monkeypatch.setattr(painter, "declare", noted("", declare.declare))
    monkeypatch.setattr(drawings, "draw_panels", noted("heat map", heat.draw_panels))
    names = results.pictures
    assert len(names) > 10
    assert drawn == []
    results.plot("flags_by_sail")
    assert set(drawn) == {"flags-by-sail"}
    drawn.clear()
    mapped = ss.simulate("strozzi", players=3, agents=["random"], deals=80)
    name = mapped.heatmap("flag", "cards_left", "mean prize", "round == 3", name="own").title
    assert drawn == ["heat map"]
    assert "heat-own" in mapped.pictures
    assert drawn == ["heat map"]
    assert mapped.plot("heat_own").title == mapped.plot("heat-own").title == name


def test_a_picture_of_several_figures_says_which_is_which(results, tmp_path):
    drawing = results.plot("flags-by-sail")
    assert drawing.title == "Which flag takes which ships"
    assert list(drawing.titles.values()) == [
        f"{drawing.title}: heuristic, random, heuristic", f"{drawing.title}: heuristic, random, heuristic, random",
    ]  # fmt: skip
    files = drawing.save(tmp_path / "flags.svg")
    for file, title in zip(files, drawing.titles.values(), strict=True):
        assert f">{title}</text>" in file.read_text()
    assert not any("title" in figure for figure in drawing.figures.values())  # the declarations are left as they were


@pytest.mark.slow
def test_a_comparison_and_a_best_response_have_their_picture():
    compared = ss.compare("strozzi", "greedy", "random", players=[3, 4], deals=30, workers=1).plot()
    assert compared.title == "greedy minus random, on the same deals"
    rows = compared.table.query("figure == 'win_share'")
    shares, places, scores = panels(compared.figure)
    assert [mark["level"] for mark in marks(shares)] == ["3 players", "4 players"]
    for panel in (shares, places, scores):
        assert _broken_lines(panel) == [0]  # no difference
    for mark, row in zip(marks(shares), rows.itertuples(), strict=True):
        assert [mark["value"], mark["low"], mark["high"]] == pytest.approx(
            [100 * row.value, 100 * row.low, 100 * row.high]
        )

    found = ss.exploit("strozzi", "random", 3, generations=1, population=4, deals=10, held_out=50, workers=1)
    (panel,) = panels(found.plot("challengers").figure)
    assert _broken_lines(panel) == [0]
    chosen = found.tables["challengers"].query("chosen and figure == 'win_share'")["value"].to_numpy()
    best = [mark["value"] for mark in marks(panel) if mark["series"].startswith("the best")]
    assert best == pytest.approx(list(100 * (chosen - 1 / 3)))

    with pytest.raises(
        InputError, match="there are no pictures and no report of these results; their tables: leak_check"
    ):
        ss.leak_check("strozzi", "greedy", players=3, deals=1).plot()


@pytest.mark.slow
def test_the_report_is_one_page_and_replaces_no_file_of_the_users(results, tmp_path):
    page = results.report(tmp_path / "mine.html")
    text = page.read_text()
    assert "How often each seat wins" in text
    assert 'src="figures' not in text
    assert results.report(page) == page
    (tmp_path / "notes.html").write_text("<p>my notes</p>")
    with pytest.raises(InputError, match="exists and is not a strozzi-sim report"):
        results.report(tmp_path / "notes.html")
    with pytest.raises(InputError, match="path: nothing is kept in a folder"):
        results.report()


# -- the same as the commands ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_study_is_the_same_to_the_byte_from_both_doors(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text('name = "both"\ngame = "medici_vs_strozzi"\ndeals = 40\nlineups = [["random"]]\nfacts = ["ship"]\n')
    subprocess.run([sys.executable, "-m", "strozzi_sim", "run", str(file), "--out", str(tmp_path / "a")], check=True)
    results = ss.run(ss.read_study(file), tmp_path / "b", workers=2)
    assert results.report() == tmp_path / "b" / "report.html"
    names = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").glob("[tf]a*/**/*.*"))
    assert len(names) > 8
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


@ss.python_agent(name="first-legal", games=("strozzi",))
class FirstLegal:
    """Takes the first legal action."""

    def act(self, view, legal, rng):
        return legal[0]


def test_agents_declared_in_code_play():
    results = ss.simulate("strozzi", 3, [FirstLegal, "heuristic", spec_of(FirstLegal)], deals=4, workers=1)
    assert list(results.tables["lineup"]["agent"].unique()) == ["first-legal", "heuristic"]
    study = ss.Study(name="code", game="strozzi", players=[3], deals=4, lineups=[[FirstLegal, "heuristic", "random"]])
    assert ss.run(study, workers=1).n_games == 12


# -- mistakes --------------------------------------------------------------------------------------------------------


def test_an_agents_fault_is_named():
    @ss.python_agent(name="wrong", games=("strozzi",))
    class Wrong:
        """Answers with words."""

        def act(self, view, legal, rng):
            return "pass"

    with pytest.raises(AgentFault, match="wrong"):
        ss.simulate("strozzi", 3, [Wrong], deals=1, workers=1)


# -- interruption ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("finished", [MIN_CHUNKS - 1, MIN_CHUNKS + 5])
def test_what_is_finished_when_it_is_stopped_is_given_if_it_says_something(monkeypatch, finished):
    """Two cells; a signal comes after so many chunks of each."""
    from strozzi_sim.studies import run as running

    def stopped(tasks, workers, stop):
        for number, found in enumerate(pool.play_tasks(tasks, workers, stop)):
            if number == 2 * finished:
                raise Interrupted(2, "interrupted by SIGINT")
            yield found

    monkeypatch.setattr(running, "play_tasks", stopped)
    watch = Progress()
    if finished < MIN_CHUNKS:
        with pytest.raises(Interrupted, match="nothing is kept without a folder"):
            ss.simulate("strozzi", [3, 4], ["random"], deals=400, workers=1, progress=watch)
        return
    deals = 400 * finished // 200
    with pytest.warns(UserWarning, match=f"interrupted by SIGINT; these are the first {deals} of 400 deals"):
        part = ss.simulate("strozzi", [3, 4], ["random"], deals=400, workers=1, progress=watch)
    assert "interrupted" in repr(part)
    assert part.n_games == 2 * deals
    assert part.plan["deals"] == deals
    monkeypatch.undo()
    whole = ss.simulate("strozzi", [3, 4], ["random"], deals=deals, workers=1)
    value = ["players", "figure", "seat", "value", "n"]
    pd.testing.assert_frame_equal(part.tables["seats"][value], whole.tables["seats"][value])
    pd.testing.assert_frame_equal(part.games, whole.games)


def test_bars_are_shown_where_a_person_watches(capsys):
    with report_progress(True) as progress:
        progress.on_games(1, 2)
    assert capsys.readouterr().err
    with report_progress(None) as progress:
        progress.on_games(1, 2)
    with report_progress(False) as silent:
        silent.on_games(1, 2)
    assert capsys.readouterr().err == ""
