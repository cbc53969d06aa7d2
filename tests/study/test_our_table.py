"""`our_table`: planted sheets are told to their level or tier; unequal players are found; bad sheets name their cell."""

import math
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import strozzi_sim as ss
from strozzi_sim.agent import load_agent
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.sentences import seat_words
from strozzi_sim.study.kinds.our_table import (
    EXPECTED,
    MOST_EXCESS,
    OurTable,
    bands,
    level_table,
    levels_of,
    score_unit,
)
from strozzi_sim.study.look import PLAIN
from strozzi_sim.study.score_sheets import read_sheets
from strozzi_sim.study.sheet_figures import GameFigures, capped, figures_of, misfit, scale_of
from strozzi_sim.study.verdict import MOST_WORDS

GAMES = ("strozzi", "medici_vs_strozzi", "strasbourg")
QUIET = {"workers": 1, "progress": False}


def scores(game, agents, players, deals, seed):
    """Return final scores, int64[deals, players]; several agents keep their seats."""
    rows = ss.simulate(game, players=players, agents=agents, deals=deals, seatings="one", rows=True, seed=seed, **QUIET)
    return rows.games.sort_values(["deal", "seat"])["score"].to_numpy(np.int64).reshape(-1, players)


def written(path, found, head=None, mark=","):
    lines = [head or mark.join(f"seat {seat}" for seat in range(found.shape[1]))]
    lines += [mark.join(map(str, row)) for row in found]
    path.write_text("\n".join(lines) + "\n")
    return path


def equal_players(games, mean=100, spread=20, leads=(0, 0, 0), seed=1):
    """Return made-up scores of 3 players, int64[games, 3]: a mean of each game, and what each is above or below it."""
    rng = np.random.default_rng(seed)
    found = rng.normal(mean, 5, (games, 1)) + rng.normal(0, spread, (games, 3)) + np.array(leads)
    return np.rint(found).astype(np.int64)


def test_the_figures_of_two_sheets():
    found = GameFigures.of(np.array([[5, 9, 1], [4, 6, 2]]))
    assert found.mean.tolist() == [4.5, 6, 0.5, 0, 3, -3]  # mean, distance, variance of the means, leads of the seats
    assert found.covariance[0].tolist() == [0.5, 2, 0, 0, 1, -1]
    assert found.games == 2


def test_the_misfit_is_twice_the_log_likelihood_of_a_normal_mean():
    ours, simulated = (GameFigures.of(equal_players(games, seed=games)) for games in (40, 500))
    error = simulated.covariance[:2, :2] * (1 / 40 + 1 / 500)
    error += (0.001 * np.trace(error) / 2 + 1e-9) * np.eye(2)
    off = (ours.mean - simulated.mean)[:2]
    expected = off @ np.linalg.inv(error) @ off + math.log(np.linalg.det(error))
    assert misfit({3: ours}, {3: simulated}) == pytest.approx(expected)
    assert misfit({3: ours, 4: ours}, {3: simulated, 4: simulated}) == pytest.approx(2 * expected)


def test_the_scale_goes_in_tenths_of_a_level_and_the_interval_holds_the_nearest_and_narrows():
    levels = [figures_of({3: equal_players(2000, mean, seed=mean)}) for mean in (100, 110, 120)]
    scale = scale_of(levels)
    assert len(scale) == 21
    for place, strength in ((0, levels[0]), (10, levels[1]), (20, levels[2])):
        assert scale[place][3].mean == pytest.approx(strength[3].mean)
    halfway = (levels[1][3].mean + levels[2][3].mean) / 2
    assert scale[15][3].mean == pytest.approx(halfway)
    told = []
    for games in EXPECTED:
        ours = {3: replace(levels[1][3], games=games)}
        table = level_table(ours, scale, np.array([misfit(ours, strength) for strength in scale]))
        assert table["n"].tolist() == [games, *EXPECTED]
        assert (table["low"] <= table["value"]).all()
        assert (table["value"] <= table["high"]).all()
        told.append(table.iloc[0])
    assert all(each["value"] == 1 for each in told)
    assert told[1]["high"] - told[1]["low"] < told[0]["high"] - told[0]["low"]


def test_a_slip_of_the_pen_counts_as_the_farthest_simulated_score():
    sheets, simulated = {3: np.array([[100, 2200, 90], [5, 100, 100]])}, {3: np.array([[80, 120, 99], [81, 130, 98]])}
    assert capped(sheets, [simulated, {3: np.array([[70, 75, 75]])}])[3].tolist() == [[100, 130, 90], [70, 100, 100]]


def test_only_unequal_players_are_outside_the_bands():
    simulated = figures_of({3: equal_players(3000)})
    outside = {}
    for name, sheets in (
        ("equal", equal_players(60, seed=5)),
        ("one leads", equal_players(60, leads=(12, -6, -6), seed=5)),
        ("far apart", equal_players(60, spread=30, seed=5)),
        (
            "means alike",
            np.rint(equal_players(60, seed=5) - equal_players(60, seed=5).mean(axis=1, keepdims=True) + 100),
        ),
    ):
        table = bands(figures_of({3: sheets}), simulated)
        outside[name] = table[table["inside"] == 0][["figure", "seat"]].fillna(-1).to_numpy().tolist()
    assert (outside["equal"], outside["far apart"]) == ([], [["distance_mean", -1], ["mean_spread", -1]])
    assert outside["means alike"] == [["mean_spread", -1]]
    assert ["lead_mean", 0] in outside["one leads"]


@pytest.mark.slow
def test_bands_of_the_distance_and_of_the_leads_hold_their_share_of_tables_of_equal_players():
    simulated, pool = figures_of({4: four_of(3000, 1)}), four_of(20_000, 2)
    false = 0
    for start in range(0, 20_000, 40):
        table = bands(figures_of({4: pool[start : start + 40]}), simulated)
        false += not table[table["figure"].isin(["distance_mean", "lead_mean"])]["inside"].all()
    assert 6 <= false <= 32  # of 500; 17 expected at most, the leads depend on each other


def four_of(games, seed):
    return np.rint(np.random.default_rng(seed).normal(100, 20, (games, 4))).astype(np.int64)


def test_the_levels_are_those_of_the_graded_player_and_a_game_without_them_has_none():
    strozzi = load_game("strozzi")
    assert [spec.text for spec in levels_of(strozzi)] == [*(f"learned:level={k}" for k in range(10)), "learned"]
    assert levels_of(load_game("strasbourg")) == []
    assert [score_unit(load_game(name)) for name in GAMES] == ["coins", "coins", "points"]


def told_of(sheets, usual=None):
    """Return the verdict on sheets of 3 players of Strozzi, if a level is worth 10 coins a game.

    `usual` is the mean score of usual players, who are compared too if it is given.
    """
    levels = levels_of(load_game("strozzi"))
    study = OurTable.of(
        game="strozzi",
        players=[3],
        lineups=[[spec] for spec in [*levels, *["heuristic"] * (usual is not None)]],
        seatings="one",
        deals=500,
        sheets={"3": sheets.tolist()},
    )

    def counts(cell):
        level = [*(spec.text for spec in levels), "heuristic"].index(cell.lineup)
        found = equal_players(500, 100 + 10 * level if level < len(levels) else usual, seed=level)
        rows = np.zeros(found.size, [("deal", "i8"), ("seat", "i8"), ("score", "i8")])
        rows["deal"], rows["seat"] = np.divmod(np.arange(found.size), 3)
        rows["score"] = found.ravel()
        return SimpleNamespace(lineup=cell.lineup, players=3, read_rows=lambda: [rows])

    return study.verdict(study.tables(counts, PLAIN), PLAIN).lines


def test_the_verdict_names_level_and_error_or_why_there_is_no_level():
    rates = load_agent("learned", "strozzi").agent.error_rates[3]
    errs = f"{rates[4]:.1f} coins a decision (level 4 of 10; level 0 errs about {rates[0]:.1f})."
    like = f"like those of trained players who err about {errs}"
    verdict, equal, sure, expected = told_of(equal_players(60, 140, seed=12))
    assert verdict == f"Your games look {like}"
    assert len(verdict.split()) <= MOST_WORDS
    assert equal == "No seat leads more than among equally strong players."
    assert re.fullmatch(r"With 95 % certainty it is level (3[.]\d|4[.]0) to 4[.]\d, from 60 games[.]", sure)
    assert re.fullmatch(r"At this level 40 games tell it to ± 0[.]\d and 200 games tell it to ± 0[.]\d[.]", expected)
    verdict, together, *_ = told_of(equal_players(60, 140, leads=(-20, 0, 20), seed=12))
    assert re.fullmatch(
        r"Your players are not equally strong, or play in another style: .* scores (19|2\d) coins (more|less) than among equals[.]",
        verdict,
    )
    assert together == f"Together they look {like}"
    none = "Your games are unlike those of weak and trained players: "
    verdict, nearest, *others = told_of(equal_players(60, 140, spread=40, seed=12))
    assert re.fullmatch(none + r"first and last are \d+ coins apart, not \d+ to \d+[.]", verdict)
    assert nearest == "The nearest are trained players of level 4 of 10."
    assert "Players who are not equally strong, or play in another style, are further apart." in others
    assert told_of(equal_players(60, 140, spread=5, seed=12))[0].startswith(f"{none}first and last are ")
    assert re.match(none + r"the mean score is 5\d coins, not 9\d to 10\d[.]", told_of(equal_players(60, 60))[0])
    assert re.match(none + r"the mean score is 2\d\d coins, not 19\d to 20\d[.]", told_of(equal_players(60, 240))[0])


def test_sheets_of_usual_players_are_told_from_levels_of_the_trained_one():
    answer, excluded = told_of(equal_players(60, 230, seed=12), usual=230)
    assert answer == "Your games look like those of usual players."
    assert excluded == "12 strengths were compared, and 60 games exclude all others."
    answer, excluded = told_of(equal_players(60, 202, seed=12), usual=202)
    assert answer == "Your games look most like those of usual players."
    assert excluded == (
        "12 strengths were compared, and 60 games exclude all but usual players and trained players of level 10."
    )
    answer, _, sure, also, _ = told_of(equal_players(60, 140, seed=12), usual=143)
    assert answer.startswith("Your games look like those of trained players who err ")
    assert sure.startswith("With 95 % certainty it is level ")
    assert also == "They may be usual players too."
    answer, nearest, *_ = told_of(equal_players(60, 260, seed=12), usual=230)
    assert re.match(
        "Your games are unlike those of weak, usual and trained players: the mean score is 26\\d coins", answer
    )
    assert nearest == "The nearest are usual players."


@pytest.mark.slow
@pytest.mark.parametrize("games", [40, 200])
def test_planted_sheets_of_every_tier_are_told_to_it(games, tmp_path):
    weak, usual, trained = (
        ss.our_table("strozzi", written(tmp_path / f"{tier}.csv", scores("strozzi", agent, 4, games, 7)), **QUIET)
        for tier, agent in list(load_game("strozzi").tiers.items())[:3]
    )
    assert usual.verdict.answer == "Your games look like those of usual players."
    assert re.search("level [234] of 10", weak.verdict.answer)
    assert re.search("level (9|10) of 10", trained.verdict.answer)


def test_sheets_drawn_at_random_are_like_no_level_and_have_no_interval():
    rng = np.random.default_rng(7)
    for spread, what in ((4, "first and last are"), (12, "first and last are"), (60, "first and last are")):
        answer, *notes = told_of(np.rint(rng.normal(200, spread, (60, 3))).astype(np.int64))
        assert answer.startswith(f"Your games are unlike those of weak and trained players: {what} ")
        assert len(answer.split()) <= MOST_WORDS
        assert not any("certainty" in note for note in notes)


def told_of_tables(agents, inside, mean_inside=1, rate=1.0, level=None, lead=0.0):
    """Return the verdict on planted tables: strengths, whether each is not excluded, and the mean score in its band."""
    study = OurTable.of(
        game="strozzi", players=[3], lineups=[[agent] for agent in agents], deals=500, sheets={"3": [[1, 2, 3]] * 60}
    )
    fit = {"agent": agents, "excess": range(len(agents)), "inside": inside, "n": 60, "error_rate": rate}
    band = {"value": 97.0, "simulated": 97.0, "band_low": 90.0, "band_high": 110.0, "inside": 1, "seat": np.nan}
    bands = [
        {**band, "figure": "score_mean", "inside": mean_inside, "value": 97.0 if mean_inside else 120.0},
        {**band, "figure": "distance_mean"},
        {**band, "figure": "lead_mean", "seat": 0, "simulated": 97.0 - lead, "inside": int(not lead)},
    ]
    tables = {"fit": pd.DataFrame(fit), "bands": pd.DataFrame(bands)}
    if level is not None:
        tables["level"] = pd.DataFrame([{"value": level, "low": level - 0.5, "high": level + 0.5, "n": 60}])
    return study.verdict(tables, PLAIN).lines


def test_sheets_are_like_a_strength_only_if_their_mean_score_is():
    assert told_of_tables(["random"], [1]) == [
        "Your games look like those of random moves.",
        "Only one strength was compared.",
    ]
    outside = told_of_tables(["random"], [1], mean_inside=0)
    assert outside == [
        "Your games are unlike those of random moves: the mean score is 120 coins, not 90 to 110.",
        "The nearest are random moves.",
    ]
    assert told_of_tables(["random", "heuristic"], [1, 1])[1] == "2 strengths were compared, and 60 games exclude none."
    assert told_of_tables(["random", "heuristic"], [1, 0])[1].endswith("60 games exclude all others.")


def test_a_level_is_said_only_of_sheets_in_its_band_and_with_an_error_that_is_known():
    levels = [spec.text for spec in levels_of(load_game("strozzi"))]
    answer, nearest = told_of_tables(levels, 1, mean_inside=0, level=4.0)
    assert (
        answer == "Your games are unlike those of weak and trained players: the mean score is 120 coins, not 90 to 110."
    )
    assert nearest == "The nearest are trained players of level 4 of 10."
    assert told_of_tables(levels, 1, rate=np.nan, level=4.0)[0] == (
        "Your games look like those of trained players of level 4 of 10."
    )
    answer = told_of_tables(levels, 1, level=4.0, lead=0.3)[0]
    assert answer.endswith(": the first player scores 0.3 coins more than among equals.")
    assert told_of_tables(levels, 1, level=4.0, lead=1.2)[0].endswith(" scores 1 coin more than among equals.")


@pytest.mark.slow
@pytest.mark.parametrize("level", [2, 8])
def test_a_planted_level_is_found_under_any_names_of_columns(level, tmp_path):
    path = written(tmp_path / "sheets.csv", scores("strozzi", f"learned:level={level}", 3, 60, 7), "Ann;Bob;Cem", ";")
    results = ss.our_table("strozzi", path, deals=300, **QUIET)
    told = results.tables["level"].iloc[0]
    assert told["low"] <= level <= told["high"]
    assert told["high"] - told["low"] < 4
    named = round(told["value"])
    rates = load_agent("learned", "strozzi").agent.error_rates[3]
    errs = f"{rates[named]:.1f} coins a decision (level {named} of 10; level 0 errs about {rates[0]:.1f})."
    expected = f"trained players who err about {errs}"
    assert results.verdict.answer == f"Your games look like those of {expected}"
    assert (
        results.verdict.notes[2]
        == f"With 95 % certainty it is level {told['low']:.1f} to {told['high']:.1f}, from 60 games."
    )
    inside = results.tables["fit"]["inside"]
    assert inside[level]
    assert not inside[10 - level]


@pytest.mark.slow
def test_a_mixed_table_is_told_and_who_is_stronger(tmp_path):
    mixed = scores("strozzi", "learned:level=1,learned:level=10,learned:level=1", 3, 100, 7)
    results = ss.our_table("strozzi", written(tmp_path / "sheets.csv", mixed), deals=300, **QUIET)
    assert results.verdict.answer.startswith(
        f"Your players are not equally strong, or play in another style: {seat_words(1, 3)} scores "
    )
    assert results.verdict.answer.endswith(" coins more than among equals.")
    assert results.verdict.notes[1].startswith("Together they look like those of trained players")


@pytest.mark.slow
def test_players_beyond_the_scale_are_not_given_a_level(tmp_path):
    path = written(tmp_path / "sheets.csv", scores("strozzi", "random", 3, 200, 7))
    results = ss.our_table("strozzi", path, deals=400, **QUIET)
    assert results.verdict.answer.startswith("Your games are unlike those of weak, usual and trained players: ")
    assert results.verdict.notes[1] == "The nearest are trained players of level 0 of 10."
    assert results.tables["level"]["low"].isna().all()
    assert not results.tables["fit"]["inside"].any()


@pytest.mark.slow
def test_without_levels_the_tier_that_fits_is_said_and_is_equal_for_any_number_of_workers(tmp_path):
    path = written(tmp_path / "sheets.csv", scores("strasbourg", "novice", 3, 40, 8))
    one, two = (ss.our_table("strasbourg", path, deals=60, workers=workers, progress=False) for workers in (1, 2))
    assert all(one.tables[name].equals(two.tables[name]) for name in ("fit", "bands"))
    assert one.tables["fit"].query("inside == 1")["agent"].tolist() == ["novice"]
    assert one.verdict.answer.startswith("Your games look most like those of weak")
    assert one.verdict.notes[1].startswith(
        "Strasbourg has no levels: 4 strengths were compared, and 40 games exclude all others"
    )
    shown = one.study.sections(one.tables, one.look)[0]
    apart = shown.tables["apart"].pivot(index="what", columns="figure", values="value")
    assert (apart["simulated"] == 0).all()
    told = one.tables["bands"].set_index("figure").loc["distance_mean"]
    assert apart.loc["mean distance from the highest score to the lowest", "ours"] == pytest.approx(
        told["value"] - told["simulated"]
    )


@pytest.mark.nightly
@pytest.mark.parametrize("name", GAMES)
def test_twenty_planted_sheets_are_told_to_their_tier_in_90_of_100(name):
    game = load_game(name)
    players = game.player_counts[0]
    agents = [next(iter(game.tiers.values())), game.default_agent]
    pools = [figures_of({players: scores(name, agent, players, 1000, 1)}) for agent in agents]
    rng = np.random.default_rng(3)
    for tier, agent in enumerate(agents):
        found, right = scores(name, agent, players, 1000, 2), 0
        for _ in range(100):
            ours = figures_of({players: found[rng.integers(len(found), size=20)]})
            right += int(np.argmin([misfit(ours, pool) for pool in pools])) == tier
        assert right >= 90, (agent, right)


@pytest.mark.nightly
def test_intervals_hold_the_level_of_93_of_100_planted_tables():
    levels = levels_of(load_game("strozzi"))
    scale = scale_of([figures_of({3: scores("strozzi", spec, 3, 1000, 1)}) for spec in levels])
    rng, held = np.random.default_rng(4), []
    for level in (0, 2, 5, 8, 10):
        pool = scores("strozzi", levels[level], 3, 1000, 2)
        for _ in range(200):
            ours = figures_of({3: pool[rng.integers(len(pool), size=40)]})
            misfits = np.array([misfit(ours, strength) for strength in scale])
            held.append(misfits[10 * level] - misfits.min() <= MOST_EXCESS)
    assert np.mean(held) >= 0.93


def test_other_marks_an_odd_column_and_an_empty_seat_are_read(tmp_path):
    path = tmp_path / "sheets.csv"
    lines = ["\ufeffGame;Seat 0;Seat 1;seat_2;seat 3;who brought cake"]
    lines += [f"{k};100;90;80;{'' if k % 2 else 70};Ada" for k in range(20)] + ["", "20;;;;;Bea", "# not read"]
    path.write_text("\n".join(lines), encoding="utf-8")
    sheets = read_sheets(path, load_game("strozzi"))
    assert {players: len(found) for players, found in sheets.items()} == {3: 10, 4: 10}


@pytest.mark.parametrize(
    ("first", "mark", "score"),
    [("", ";", "90,0"), ("# mine\n", ",", "90.00"), ("\n# seat 0;;;\n", ",", "+90."), ("", ",", '"90"')],
)
def test_what_spreadsheets_write_is_read(first, mark, score, tmp_path):
    path = tmp_path / "sheets.csv"
    rows = [["game", "seat 0", "seat 1", "seat 2"], *([str(k), "100", score, "-8.0"] for k in range(20))]
    path.write_text(first + "\n".join(map(mark.join, rows)))
    (scores,) = read_sheets(path, load_game("strozzi")).values()
    assert scores.tolist() == [[100, 90, -8]] * 20


@pytest.mark.parametrize("line", ["41,0;33,0;28,0", "41,0\t33\t28", "41,33,28", '"41,0","33,0",28', "41; 33; 28;;"])
def test_without_a_heading_the_columns_are_the_seats_and_a_comma_may_be_that_of_decimals(line, tmp_path):
    path = tmp_path / "sheets.csv"
    path.write_text(f"{line}\n" * 20)
    assert {key: found.tolist() for key, found in read_sheets(path, load_game("strozzi")).items()} == {
        3: [[41, 33, 28]] * 20
    }


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("1,100,90,x", "line 2: seat 2: expected a whole number up to 1,000,000, got 'x'"),
        ("1,100,90,80.5", "line 2: seat 2: expected a whole number up to 1,000,000, got '80.5'"),
        ("1,100,,80", "line 2: seat 1: expected a whole number up to 1,000,000, got ''"),
        ("1,100,90", "line 2: 2 scores; Strozzi has 3-6 players"),
        ("1,100,90,9999999", "line 2: seat 2: expected a whole number up to 1,000,000, got '9999999'"),
        ("1,100,90,80", "1 games; at least 20 are needed"),
        ("1,100,90,80,70", "line 2: no column for '70'; there are 4"),
    ],
)
def test_a_bad_sheet_names_line_and_column(row, words, tmp_path):
    path = tmp_path / "sheets.csv"
    path.write_text(f"game,seat 0,seat 1,seat 2\n{row}\n")
    with pytest.raises(InputError, match=words):
        read_sheets(path, load_game("strozzi"))


def test_any_names_head_the_columns_if_their_order_is_that_of_the_seats(tmp_path):
    game, rows = load_game("strozzi"), "\n".join(f"{100 + k % 3},90,80" for k in range(20))
    path = tmp_path / "sheets.csv"
    for head in ("Ann,Bob,Cem", "Ann,Bob,Cem,", "'Ann (red)',B\u00f6b,3"):
        path.write_text(f"{head}\n{rows}\n", encoding="utf-8")
        assert read_sheets(path, game)[3][:2].tolist() == [[100, 90, 80], [101, 90, 80]]
    path.write_text(f"seat 2,seat 0,seat 1\n{rows}\n")
    assert read_sheets(path, game)[3][0].tolist() == [90, 80, 100]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Ann,Bob,Cem\n100,90,x", "line 2: Cem: expected a whole number up to 1,000,000, got 'x'"),
        ("Ann,Ann,Cem\n100,90,80", "line 1: expected columns seat 0 to seat 5, or a name for every seat in order"),
        ("Ann,,Cem\n100,90,80", "or a name for every seat in order [(]3-6 players[)], got "),
        ("date,Ann,Bob,Cem\n1 May,100,90,80", "line 2: date: expected a whole number up to 1,000,000, got '1 May'"),
        (
            "game,Ann,Bob,Cem\n" + "\n".join(f"{k},9,8,7" for k in range(4, 30)),
            "line 1: game numbers the games; leave it out",
        ),
        ("\n".join(f"{k},9,8,7" for k in range(30)), "line 1: column 1 numbers the games; leave it out"),
    ],
)
def test_columns_that_are_no_scores_are_refused(content, words, tmp_path):
    path = tmp_path / "sheets.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=words):
        read_sheets(path, load_game("strozzi"))


def test_a_bad_head_and_a_bad_file(tmp_path):
    path = tmp_path / "sheets.csv"
    seven = ",".join(f"seat {seat}" for seat in range(7))
    for head in ("player,points", "seat 1,seat 2,seat 3", "seat 0,seat 1,seat 3", "seat 0,seat 1,seat 1,seat 2", seven):
        path.write_text(f"{head}\nAda,100\n")
        with pytest.raises(InputError, match="expected columns seat 0 to seat 5"):
            read_sheets(path, load_game("strozzi"))
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_sheets(path, load_game("strozzi"))
    with pytest.raises(InputError, match="there is no such file"):
        read_sheets(tmp_path / "nowhere.csv", load_game("strozzi"))


def test_more_sheets_than_fit_a_long_field_and_a_grouped_number_are_refused_with_the_limit(tmp_path):
    game, head = load_game("strozzi"), "seat 0,seat 1,seat 2"
    path = tmp_path / "sheets.csv"
    for content, words in (
        ("\n".join([head, *["1,2,3"] * 10_001]), "line 10002: more than 10,000 games"),
        (f"{head}\n{'1' * 140_000},2,3", "line 2: field larger than field limit"),
        (f"{head},{'x' * 140_000}\n1,2,3", "line 1: field larger than field limit"),
        (f"{head}\n1_0,2,3", "line 2: seat 0: expected a whole number up to 1,000,000, got '1_0'"),
        (f"{head}\n1,\u0662,3", "line 2: seat 1: expected a whole number up to 1,000,000, got '\u0662'"),
    ):
        path.write_text(content)
        with pytest.raises(InputError, match=words):
            read_sheets(path, game)
