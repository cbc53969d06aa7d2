"""`our_table`: planted sheets are told to their strength of play; what does not fit is said; bad sheets name their cell."""

import math

import numpy as np
import pytest

import strozzi_sim as ss
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.kernel.streams import draws
from strozzi_sim.study.kinds.our_table import (
    FIGURES,
    SETS,
    bands,
    figures,
    likelihood,
    read_sheets,
)

GAMES = ("strozzi", "medici_vs_strozzi", "strasbourg")


def scores(game, agent, players, deals, seed):
    """Return final scores in self-play, int64[deals, players]."""
    rows = ss.simulate(
        game, players=players, agents=[agent], deals=deals, seatings="one", rows=True, seed=seed, workers=1
    ).games.sort_values(["deal", "seat"])
    return rows["score"].to_numpy(np.int64).reshape(-1, players)


def written(path, found, head=None, mark=","):
    lines = [head or mark.join(["game", *(f"seat {seat}" for seat in range(found.shape[1]))])]
    lines += [mark.join([str(number), *map(str, row)]) for number, row in enumerate(found, 1)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_figures_of_two_sheets():
    sheets = {3: np.array([[5, 9, 2], [4, 4, 1]])}
    assert list(figures(sheets, 1).values()) == pytest.approx([25 / 6, np.std(sheets[3], ddof=1), 6.5, 1.5, 2, 0.25])
    assert list(figures(sheets, -1).values())[2:] == pytest.approx([1.5, 6.5, 3, 0])  # the lowest wins


def test_the_likelihood_is_that_of_a_t_around_mean_lead_and_margin():
    simulated = np.array([[9, 5, 1], [3, 8, 7], [4, 4, 10], [2, 12, 6]])
    summed = np.array([[5, 4, 4], [6, 2, 1], [6, 4, 6], [20 / 3, 16 / 3, 6]])
    spread = np.cov(summed.T)
    spread = (spread + (0.001 * np.trace(spread) / 3 + 1e-9) * np.eye(3)) * (6 / 8) * (5 / 4)  # 8 degrees, 4 games
    sheets, off = np.array([[7, 2, 3]]), np.array([4, 3, 4]) - summed.mean(axis=0)
    expected = math.lgamma(5.5) - math.lgamma(4) - 1.5 * math.log(8 * math.pi) - math.log(np.linalg.det(spread)) / 2
    expected -= 5.5 * math.log(1 + off @ np.linalg.inv(spread) @ off / 8)
    assert likelihood({3: sheets}, {3: simulated}, 1) == pytest.approx(expected)
    assert likelihood({3: -sheets}, {3: -simulated}, -1) == pytest.approx(expected)  # the lowest wins


@pytest.mark.nightly
@pytest.mark.parametrize("name", GAMES)
def test_twenty_planted_sheets_are_told_to_their_tier_in_90_of_100(name):
    game = load_game(name)
    players = game.player_counts[0]
    pools = {tier: scores(game, game.tiers[tier], players, 1000, 1) for tier in ("weak", "middle")}
    fresh = {tier: scores(game, game.tiers[tier], players, 1000, 2) for tier in pools}
    rng = np.random.default_rng(3)
    for tier, found in fresh.items():
        right = 0
        for _ in range(100):
            sheets = {players: found[rng.integers(len(found), size=20)]}
            fits = {each: likelihood(sheets, {players: pool}, 1) for each, pool in pools.items()}
            right += max(fits, key=fits.get) == tier
        assert right >= 90, (tier, right)


@pytest.mark.nightly
def test_bands_hold_all_figures_of_19_of_20_sets_and_not_those_of_richer_players():
    found, fresh = scores("strozzi", "heuristic", 3, 3000, 1), scores("strozzi", "heuristic", 3, 3000, 2)
    rng = np.random.default_rng(4)
    inside = 0
    for number in range(60):
        sheets = {3: fresh[rng.integers(len(fresh), size=25)]}
        inside += bool(bands(sheets, {3: found}, 1, number)["inside"].all())
    assert inside >= 52  # 57 expected
    richer = bands({3: fresh[:25] + 30}, {3: found}, 1, 1).set_index("figure")["inside"]
    assert not richer["score_mean"]
    assert richer["margin_mean"]


@pytest.mark.slow
def test_the_strength_that_fits_is_said_and_is_equal_for_any_number_of_workers(tmp_path):
    path = written(tmp_path / "sheets.csv", scores("strozzi", "heuristic", 3, 24, 7))
    one, two = (ss.our_table("strozzi", path, deals=120, workers=workers) for workers in (1, 2))
    assert all(one.tables[name].equals(two.tables[name]) for name in ("fit", "figures"))
    assert one.verdict[0].startswith("24 games of Strozzi are played most like middling play; ")
    fit = one.study.sections(one.tables, one.look)[0]
    shown = fit.tables["beside"].pivot(index="what", columns="figure", values="value")
    told = one.tables["bands"].set_index("figure").loc["seat_0_share"]
    assert shown.loc["games won by the player who begins, %"].to_dict() == pytest.approx(
        {"ours": 100 * told["value"], "simulated": 100 * told["simulated"]}
    )
    assert (fit.name, len(shown)) == ("Fit", len(FIGURES))
    assert told["band_low"] <= told["simulated"] <= told["band_high"]
    assert one.verdict[1].startswith("That is how heuristic plays; its probability is ")


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


@pytest.mark.slow
def test_bands_drawn_set_by_set_are_those_of_one_draw():
    games = np.random.default_rng(1).integers(0, 90, (50, 3))
    sheets = {3: games[:21]}
    whole = games[draws(5, 3, (SETS, 21), len(games))]
    drawn = [figures({3: whole[k]}, 1)["score_mean"] for k in range(SETS)]
    tail = 0.05 / 2 / len(FIGURES)
    low, high = np.quantile(drawn, (tail, 1 - tail))
    found = bands(sheets, {3: games}, 1, 5).set_index("figure").loc["score_mean"]
    assert (found["band_low"], found["band_high"]) == (low, high)
