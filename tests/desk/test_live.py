"""The strip of the desk: figures that follow the box, with intervals that hold at any moment; boxes as files."""

import os
import re
import time
from contextlib import suppress

import numpy as np
import psutil
import pytest

from commands import wait_until
from our_games import OUR_GAMES
from strozzi_sim.desk import measured
from strozzi_sim.desk.answers import Shelf
from strozzi_sim.desk.batches import alarms_of, in_worker
from strozzi_sim.desk.live import NEIGHBOURS, UNSEEN_SECONDS, Live, LiveBox
from strozzi_sim.desk.measured import Series
from strozzi_sim.desk.questions import box_of
from strozzi_sim.desk.sheets import settings_from, sheet_of, toml_of
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import with_settings
from strozzi_sim.simulation.loop import OUTCOME

SHARES = np.array([0.4, 0.35, 0.25])
DEALS = 40


def outcomes(random, chunks, shares=SHARES):
    """Return chunks of games of one player that plays itself, whose winner is drawn."""
    found = np.zeros(chunks, OUTCOME)
    wins = random.multinomial(DEALS, shares, chunks)
    found["games"] = DEALS
    found["decisions"] = random.poisson(60 * DEALS, chunks)
    found["played"][:, 0, :3] = DEALS
    found["wins"][:, 0, :3] = wins * measured.WIN_UNITS
    found["scores"][:, 0, :3] = random.normal(100 * DEALS, 10 * np.sqrt(DEALS), (chunks, 3)).astype(int)
    return found


def series_of(*parts):
    series = Series(DEALS)
    for part in parts:
        series.add(part, 3, is_selfplay=True)
    return series


def getpid():
    return os.getpid()


def other_pid():
    return os.getpid()


def test_alarms_never_take_the_warm_process():
    """A call of another function leaves an idle process to the function that warmed it, which finds it again."""
    warm = in_worker(getpid)
    assert in_worker(other_pid) != warm
    assert in_worker(getpid) == warm


@pytest.mark.slow
def test_intervals_hold_at_every_look():
    """The share of 25 boxes whose intervals hold at all of 8 looks is at least nominal, for figures and changes."""
    random = np.random.default_rng(1)
    held = np.zeros(2)
    base = series_of(outcomes(random, 1_500))
    for _ in range(25):
        series = series_of(outcomes(random, 2))
        is_held = np.ones(2, bool)
        for _ in range(8):
            own, moved = measured.bounds(series, 3), measured.change(series, base, 3)
            is_held[0] &= bool(own.low[0] <= SHARES[0] <= own.high[0])
            is_held[1] &= bool(moved.low[0] <= 0 <= moved.high[0])
            series.add(outcomes(random, 1 + series.chunks), 3, is_selfplay=True)
            if series.chunks > 1_000:
                break
        held += is_held
    assert (held >= 22).all()


def test_equal_boxes_differ_by_exactly_nothing():
    played = outcomes(np.random.default_rng(2), 200)
    moved = measured.change(series_of(played[:60]), series_of(played), 3)
    assert (moved.value == 0).all()
    assert (moved.low[:3] < 0).all()
    assert (moved.high[:3] < 0.05).all()


def test_a_first_box_that_is_known_well_halves_the_error_of_unrelated_boxes():
    random = np.random.default_rng(3)
    series, base = series_of(outcomes(random, 400)), series_of(outcomes(random, 8_000))
    alike = measured.change(series, series_of(outcomes(random, 400)), 3)
    better = measured.change(series, base, 3)
    assert better.value[:3].sum() == pytest.approx(0, abs=1e-12)
    widths = (better.high - better.low)[:3] / (alike.high - alike.low)[:3]
    assert (widths < 0.85).all()


def test_one_chunk_has_no_error_yet_and_shares_have_an_interval():
    found = measured.bounds(series_of(outcomes(np.random.default_rng(4), 1)), 3)
    assert (found.low[:3] < SHARES).all()
    assert (found.high[:3] > SHARES).all()
    assert not np.isfinite(found.low[3:]).any()
    assert found.rows()[3][1:] == [None, None]


def test_the_lead_is_the_score_of_the_first_side_less_the_mean_of_the_others():
    played = outcomes(np.random.default_rng(6), 4)
    played["scores"][:, 0, :3] = DEALS * np.array([120, 100, 90])
    found = measured.bounds(series_of(played), 3).value
    assert found[3] == pytest.approx(310 / 3)
    assert found[5] == pytest.approx(120 - 95)


def test_a_first_box_of_few_chunks_leaves_the_change_of_means_open():
    random = np.random.default_rng(5)
    moved = measured.change(series_of(outcomes(random, 3)), series_of(outcomes(random, 3)), 3)
    assert np.isfinite(moved.low[:3]).all()
    assert not np.isfinite(moved.low[3:]).any()
    same = outcomes(random, 3)
    assert (measured.change(series_of(same), series_of(same), 3).value == 0).all()


@pytest.fixture
def live():
    made = Live(lambda: False)
    yield made
    made.close()


def known(live, games=1, is_known=lambda table: True, seconds=120):
    """Return the state of a strip once so many games, and more if wanted, are known of every table."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        state = live.state("", 0.2)
        if state["tables"] and all(table["games"] >= games and is_known(table) for table in state["tables"]):
            return state
        time.sleep(0.02)
    raise AssertionError(state)


def test_a_change_is_followed_and_boxes_seen_before_are_known_at_once(live):
    live.show(LiveBox("strozzi", counts=(3,), agents="random"))
    (table,) = known(live, 2_000)["tables"]
    assert [row["who"] for row in table["sides"]] == ["the first player", "the second player", "the last player"]
    assert all(row["change"] is None for row in table["sides"])
    assert sum(row["ends"][0] for row in table["sides"]) == pytest.approx(1)
    live.show(LiveBox("strozzi", settings=("tracks.bonus.9=40",), counts=(3,), agents="random", key="tracks.bonus.9"))
    assert live.state()["tables"] == []
    (changed,) = known(live, 2_000, lambda table: (table["figures"][0]["change"] or [0, None])[1] is not None)["tables"]
    assert changed["figures"][0]["change"][1] > 0, "40 coins instead of 15 raise scores"
    wait_until(lambda: len(live.state()["curve"]) > 5)
    assert [each["is_now"] for each in live.state()["curve"] if each["value"] == 40] == [True]
    live.show(LiveBox("strozzi", counts=(3,), agents="random"))
    assert live.state()["tables"][0]["games"] >= 2_000
    assert [row["who"] for row in table["figures"]] == ["mean score", "decisions in a game", "lead of the first player"]
    (row,) = live.rows()
    assert row["box"] == "the published game"
    assert list(row["figures"])[:2] == ["gap between the seats", "the first player"]


def test_the_curve_has_the_whole_range_of_a_slider_and_keeps_its_boxes_while_it_is_dragged(live):
    """Values at both ends of the slider are played, with every figure, and a drag of the number makes no box anew."""
    key = "setup.cards_removed.4"
    live.show(LiveBox("strozzi", settings=(f"{key}=0",), counts=(3,), agents="random", key=key))
    beside = live._neighbours
    assert (min(beside), max(beside)) == (0, 28)
    assert len(beside) <= 1 + NEIGHBOURS
    live.show(LiveBox("strozzi", settings=(f"{key}=9",), counts=(3,), agents="random", key=key))
    assert live._neighbours is beside
    known(live, 1_000)
    wait_until(lambda: len(live.state("", 0.1)["curve"]) > len(beside) - 2)
    curve = live.state()["curve"]
    assert [each["value"] for each in curve if each["is_now"]] == [9]
    assert all(set(each["ends"]) > {"gap between the seats", "the first player", "mean score"} for each in curve)
    other = (f"{key}=9", "tracks.bonus.9=30")
    live.show(LiveBox("strozzi", settings=other, counts=(3,), agents="random", key=key))
    assert live._neighbours != beside


@pytest.mark.slow
def test_components_that_run_out_are_said_of_the_box_that_is_shown(live):
    live.show(LiveBox("strozzi", counts=(4, 6), agents="heuristic"))
    four, six = known(live, 1, lambda table: table["alarms"])["tables"]
    assert re.fullmatch(r"Coins run out in \d of 100 games\.", four["alarms"][0])
    assert re.fullmatch(r"Coins run out in 9\d of 100 games\.", six["alarms"][0])
    live.show(LiveBox("strozzi", counts=(3,), settings=("tracks.bonus.8=0", "tracks.bonus.9=0")))
    match = live._tables[0].match(live._now.variant)
    assert not any("coins" in words for words in alarms_of(match, 1e-4))
    assert alarms_of(match, 1.0) == [], "such a slow player has none"


def test_a_line_up_is_shown_by_player_and_a_wrong_box_is_refused(live):
    live.show(LiveBox("strozzi", counts=(3,), agents="greedy,random"))
    (table,) = known(live, 300)["tables"]
    assert table["sides"][0]["ends"][0] > table["sides"][1]["ends"][0]
    (row,) = live.rows()
    assert len(row["figures"]) == 1 + 3 + 3, "two copies of a player have a name each"
    with pytest.raises(InputError, match=r"tracks\.bonus\.9"):
        live.show(LiveBox("strozzi", settings=("tracks.bonus.9=-1",)))
    assert known(live)["tables"][0]["players"] == 3


@pytest.mark.slow
def test_a_process_that_dies_is_replaced(live):
    live.show(LiveBox("strozzi", counts=(3,), agents="random"))
    known(live, 1_000)
    for _ in range(3):
        before = live.state()["tables"][0]["games"]
        for child in psutil.Process().children():
            with suppress(psutil.Error):  # one that ended just now
                if "serve(" in " ".join(child.cmdline()):
                    child.kill()
        known(live, before + 500)
    assert live.restarts >= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deed", "words"),
    [("return 99", "99"), ("import os; os._exit(1)", "ended its process"), ("while True: pass", "did not answer")],
)
def test_an_agent_that_cannot_play_is_said_once_and_the_next_box_plays(deed, words, live, tmp_path, monkeypatch):
    monkeypatch.setenv("STROZZI_DECISION_SECONDS", "1")
    file = tmp_path / "bots.py"
    file.write_text(
        "from strozzi_sim.agent import python_agent\n"
        "@python_agent(name='bad')\nclass Bad:\n    'Does a deed.'\n"
        f"    def act(self, view, legal, rng):\n        {deed}\n"
    )
    live.show(LiveBox("strozzi", counts=(3,), agents=f"{file}::bad,random"))
    wait_until(lambda: words in live.state("", 0.1)["says"] and live._is_stopped)
    version = live.state("", 1.5)["version"]
    assert live.state("", 1.5)["version"] == version, "nothing plays any more"
    live.show(LiveBox("strozzi", counts=(3,), agents="random"))
    known(live, 100)


@pytest.mark.slow
def test_nothing_plays_once_no_page_asks(live):
    live.show(LiveBox("strozzi", counts=(4,), agents="heuristic"))
    known(live, 500)
    time.sleep(UNSEEN_SECONDS + 3)

    def used():
        total = 0.0
        for each in (psutil.Process(), *psutil.Process().children(recursive=True)):
            with suppress(psutil.Error):
                total += sum(each.cpu_times()[:2])
        return total

    before = used()
    time.sleep(3)
    assert used() - before < 0.3


@pytest.mark.slow
def test_a_question_goes_first():
    is_busy = False
    live = Live(lambda: is_busy)
    live.show(LiveBox("strozzi", counts=(3,), agents="random"))
    known(live, 200)
    is_busy = True
    wait_until(lambda: "question" in live.state("", 0.1)["says"])
    before = live.state()["tables"][0]["games"]
    assert live.state("", 2.0)["tables"][0]["games"] == before
    live.close()


@pytest.mark.parametrize(("game", "variant"), [*((game, "base") for game in OUR_GAMES), ("strozzi", "long-tracks")])
def test_every_slider_keeps_to_what_the_game_allows(game, variant):
    for group in box_of(game, variant)["groups"]:
        for field in group.get("fields", []):
            if field["kind"] == "number":
                low, high, step = field["slide"]
                assert low <= field["value"] <= high
                assert step > 0
                assert field["low"] is None or low >= field["low"]
                assert field["high"] is None or high <= field["high"]
            for place in field["places"]:
                low, high, _ = place["slide"]
                assert low <= field["value"][int(place["key"].rpartition(".")[2])] <= high


def test_every_place_of_a_list_of_prizes_has_a_slider_and_a_change_in_words():
    fields = {
        field["key"]: field
        for group in box_of("strozzi", settings=["scoring.ship_ranks=[25,10,5]"])["groups"]
        for field in group.get("fields", [])
    }
    prizes = fields["scoring.ship_ranks"]
    assert [place["key"] for place in prizes["places"]] == [f"scoring.ship_ranks.{place}" for place in range(3)]
    assert prizes["says"] == "the first ship at a port earns 25 coins instead of 15"
    assert fields["tracks.cities"]["places"] == []


def test_a_box_goes_out_and_comes_in():
    game = load_game("strozzi")
    box = with_settings(game, "base", ["tracks.bonus.9=20", "ships.S03.sail=8"])
    sheet, toml = sheet_of(game, box), toml_of(game, box, "mine")
    assert sheet.splitlines()[0] == "key,name,published,mine"
    assert "tracks.bonus.9,bonus of space 9 of the tracks,15,20" in sheet
    for text in (sheet, toml, sheet.replace(",", ";")):
        assert with_settings(game, "base", settings_from(game, text)).components == box.components


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("key,name,published,mine\ntracks.bonus.99,x,1,2\n", "line 2 of the sheet: no number has the key"),
        (
            "key,name,published,mine\ntracks.bonus.9,x,15,many\n",
            "line 2 of the sheet: tracks.bonus.9: expected a number",
        ),
        ("key,name\ntracks.bonus.9,x\n", "the sheet lacks the column 'mine'"),
        ("[variant.a]\n[variant.b]\n", r"expected one box, \[variant.NAME\], got 2"),
        ("what is this", "neither a sheet"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(text, words):
    with pytest.raises(InputError, match=words):
        settings_from(load_game("strozzi"), text)


def test_boxes_are_kept_with_their_notes(tmp_path):
    shelf = Shelf(tmp_path / "shelf")
    row = {"game": "strozzi", "variant": "base", "settings": [], "box": "the published game", "players": 4}
    row |= {"agents": "", "who": "usual players", "games": 100, "shares": 1, "figures": {"gap": [0.1, 0.0, 0.2]}}
    shelf.remember(**row)
    shelf.remark(1, "dull")
    shelf.remember(**{**row, "games": 200})
    shelf.remember(**{**row, "players": 5})
    shelf.close()
    shelf = Shelf(tmp_path / "shelf")
    assert [(each["number"], each["players"], each["games"], each["note"]) for each in shelf.state()["history"]] == [
        (3, 5, 100, ""),
        (2, 4, 200, "dull"),
    ]
    shelf.drop(3)
    assert len(shelf.state()["history"]) == 1
    shelf.close()
