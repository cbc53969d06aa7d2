"""What changed between variants: differences of every figure, paired by deal, and the verdicts on them."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

import strozzi_sim as ss
from planted_game import GAME
from strozzi_sim.cli.show import _changes
from strozzi_sim.declare.figure_tables import pick
from strozzi_sim.errors import InputError
from strozzi_sim.facts.figures import Figure
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import with_settings
from strozzi_sim.study.changes import CHANGED, EQUAL, SMALL, UNCLEAR, _data_words
from strozzi_sim.study.games import _figures_of
from study_examples import played

WARE = "flags.ware_steps=3"
SHIP = {"id": "S30", "sail": 4, "venice": 1, "rome": 1, "naples": 1, "scrolls": 0, "promotion": 0}


@pytest.fixture(scope="module")
def stronger():
    """The game with a ware flag that moves one space more, beside the published one."""
    return ss.compare("strozzi", settings=[WARE], players=3, agents="heuristic", deals=300, workers=1)


def row(table, name, figure, **levels):
    found = pick(table, table=name, figure=figure, **levels)
    assert len(found) == 1
    return found.iloc[0]


def test_a_variant_beside_itself_differs_nowhere():
    found = ss.compare("strozzi", "base", "base", players=[3, 4], agents="greedy", deals=60, workers=1)
    table = found.tables["changes"]
    known = table.dropna(subset="value")
    assert set(known["verdict"]) == {EQUAL}
    assert (known[["value", "low", "high"]] == 0).all(axis=None)
    assert set(table["table"]) == {"balance", "seats", "flags", "ports", "promotion", "ships"}


def test_a_planted_change_is_found_with_its_sign(stronger):
    table = stronger.tables["changes"]
    steps = row(table, "flags", "steps_mean", by="all", level="all", flag="ware")
    assert steps["verdict"] == CHANGED
    assert 0 < steps["low"] < steps["value"] < steps["high"]
    score = row(table, "balance", "score_mean")
    assert (score["verdict"], score["low"] > 0) == (CHANGED, True)
    assert abs(score["size"]) == pytest.approx(abs(score["value"]) / (0.01 * score["before"]))


def test_levels_are_columns_that_are_missing_for_tables_without_the_key(stronger):
    table = stronger.tables["changes"]
    seats, flags = (pick(table, table=name, figure="win_share") for name in ("seats", "flags"))
    assert list(seats["seat"]) == [0, 1, 2]
    assert set(seats["flag"]) == {""}
    assert flags["seat"].isna().all()
    assert set(flags["flag"]) == {"pirate", "plus_one", "ware", "all"}
    assert {"all", "sail", "round"} <= set(flags["by"])


def test_the_terminal_lists_a_changed_share_in_points(stronger):
    short, whole = ("\n".join(_changes(stronger, every=every)) for every in (False, True))
    assert re.search(r" % +[+\N{MINUS SIGN}][\d.]+ points \(", short)
    assert len(short.splitlines()) < len(whole.splitlines())
    assert "more lines: --tables" not in whole


def test_values_are_those_of_the_tables(stronger):
    tables = stronger.tables
    for name in ("balance", "seats", "flags"):
        shares = tables[name].set_index("variant")
        before, after = (shares.loc[variant, "value"].to_numpy() for variant in ("base", "flags-ware-steps-3"))
        found = tables["changes"].query("table == @name")
        figures = shares.loc["base", "figure"].to_numpy()
        kept = ~np.isin(figures, ["seat_fairness_p", "seat_gap_by_chance", "seat_favour_bound"])
        both = [values[~np.isnan(values)] for values in ((after - before)[kept], found["value"].to_numpy())]
        assert np.allclose(*map(np.sort, both))


def test_the_test_and_the_interval_follow_one_rule(stronger):
    table = stronger.tables["changes"].dropna(subset=["value", "low"])
    outside = (table["low"] > 0) | (table["high"] < 0)
    assert (outside == (table["p"] < 0.05)).all()
    assert (table["p_corrected"] >= table["p"]).all()
    assert outside.sum() > (table["p_corrected"] < 0.05).sum() > 0
    assert (table[table["verdict"] == CHANGED]["p_corrected"] < 0.05).all()


def test_a_size_is_in_points_of_a_share_and_in_parts_of_a_mean_or_of_the_score(stronger):
    table = stronger.tables["changes"].query("players == 3 and value != 0")
    score = table.query("figure == 'score_mean' and table == 'balance'")["before"].item()
    leads, shares, means = (table[table["figure"] == name] for name in ("lead_mean", "win_share", "decisions_mean"))
    assert min(map(len, (leads, shares, means))) > 0
    np.testing.assert_allclose(leads["size"], leads["value"] / (0.01 * score))
    np.testing.assert_allclose(shares["size"], shares["value"] / 0.01)
    np.testing.assert_allclose(means["size"], means["value"] / (0.01 * means["before"]))


@pytest.mark.slow
def test_a_figure_that_was_0_before_has_no_size():
    """A ship that had no tile brings coins by it now: that is no multiple of what it brought."""
    found = ss.compare("strozzi", settings=["ships.S12.promotion=1"], players=3, agents="random", deals=60, workers=1)
    table = found.tables["changes"]
    assert not np.isinf(table.select_dtypes("floating")).any(axis=None)
    new = table[(table["before"] == 0) & (table["value"] > 0) & (table["figure"] == "coins_tile_mean")]
    assert len(new) > 0
    assert new["size"].isna().all()
    same = {"players": 3, "agents": "random", "deals": 30, "workers": 1}
    without = ss.compare("strozzi", "base", "long-tracks", effect=0.0, **same).tables["changes"]
    assert without["size"].isin([0, np.nan]).all()


def test_every_variant_is_compared_with_the_first(tmp_path):
    dear = {"dear": {"scoring": {"harbor_majority": 30}}}
    keys = {
        "game": "medici_vs_strozzi",
        "deals": 60,
        "lineups": [["random"]],
        "variants": ["base", "dear", "long"],
        "pages": [],
    }
    table = played({**keys, "variant": dear}, tmp_path).tables["changes"]
    assert set(zip(table["than"], table["variant"], strict=True)) == {("base", "dear"), ("base", "long")}


@pytest.mark.slow
def test_differences_of_two_comparisons_are_not_compared():
    given = {"players": 3, "agents": "random", "deals": 30, "workers": 1}
    one, other = (ss.compare("strozzi", settings=[setting], **given) for setting in (WARE, "tracks.bonus.9=20"))
    assert ss.side_by_side([one, one]).verdict.answer.startswith("Nothing is compared: ")
    both = ss.side_by_side([one, other])
    tables = set(both.tables["changes"]["table"])
    assert "seats" in tables
    assert not tables & {"sides", "difference"}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"settings": ["tracks.bonus.7"]}, "settings: .*KEY=VALUE"),
        ({"settings": ["second_lap=true"]}, "settings: .*did you mean rules.second_lap=true[?]"),
        ({"settings": ["rule.second_lap=true"]}, "settings: .*did you mean rules.second_lap[?]"),
        ({"settings": ["tracks.bonus.7=5"]}, "settings: .*changes nothing"),
        ({"settings": ["track.bonus.7=5"]}, "settings: .*did you mean 'tracks'"),
        ({"settings": [WARE, WARE]}, "settings: .*given twice"),
        ({"settings": [WARE], "second": "long-tracks"}, "settings: makes the second side; leave out"),
        ({"settings": [WARE], "first": "base", "variant": "long-tracks"}, "variant: is for comparing agents"),
        ({"settings": [WARE], "effect": 2.0}, "effect: "),
        ({"first": "base", "second": "long-tracks", "effect": -0.1}, "effect: "),
        ({"first": "base", "second": "random"}, "second: unknown variant 'random'"),
        ({"first": "base", "second": "long-tracks", "opponents": "random"}, "opponents: is for comparing agents"),
        ({"first": "random"}, "second: give two agents or two variants"),
    ],
)
def test_sides_that_cannot_be_compared_are_named(given, named):
    with pytest.raises(InputError, match=f"^{named}"):
        ss.compare("strozzi", **{"players": 3, "deals": 20, "workers": 1, **given})


def test_a_variant_adds_and_removes_blocks_by_id():
    changes = {"mine": {"ships": {"add": [SHIP], "remove": ["S01", "S02"], "S03": {"sail": 8}}}}
    results = ss.simulate("strozzi", players=3, agents="random", deals=60, variant=changes, facts=["card"], workers=1)
    cards = set(results.facts("card")["card"])
    assert "S30" in cards
    assert not {"S01", "S02"} & cards
    removed = ss.compare("strozzi", settings=['ships.remove=["S01"]'], players=3, deals=40, workers=1)
    assert len(removed.study.variants[removed.study.sides[1]]["ships"]) == 28


@pytest.mark.parametrize(
    ("ships", "named"),
    [
        ({"add": [{**SHIP, "id": "S29"}]}, "ships.add: 'S29' exists"),
        ({"add": [SHIP, SHIP]}, "ships.add: 'S30' exists"),
        ({"add": [{"sail": 4}]}, "expected blocks with an id"),
        ({"add": [{"id": "S30", "sail": 4}]}, "ships.S30: missing required field `venice`"),
        ({"remove": ["S41"]}, "ships.remove: unknown id 'S41'; known: S01"),
        ({"remove": "S01"}, "ships.remove: expected a list"),
        ({"remove": ["S01"], "S01": {"sail": 3}}, "'S01' is changed as well"),
        ({"S41": {"sail": 4}}, "a new one is added by add = "),
    ],
)
def test_blocks_that_cannot_be_added_or_removed_are_named(ships, named):
    with pytest.raises(InputError, match=named.replace("[", r"\[")):
        ss.simulate("strozzi", players=3, agents="random", deals=20, variant={"mine": {"ships": ships}})


@pytest.mark.parametrize(
    ("deals", "effect", "verdict"), [(300, 0.01, CHANGED), (300, 0.2, SMALL), (299, 0.01, UNCLEAR)]
)
def test_a_mean_that_changes_equally_in_every_deal_has_changed(deals, effect, verdict):
    """One point more for every seat. If no deal of n is an exception, 3 / n of all may be: too many with 299 deals."""
    more = {"more": {"start": {"head": [1, 1, 1, 1]}}}
    found = ss.compare(GAME, "base", more, players=4, agents="random", deals=deals, effect=effect, workers=1)
    score = row(found.tables["changes"], "balance", "score_mean")
    assert score["value"] == pytest.approx(1)
    assert score["verdict"] == verdict


def test_an_error_about_a_setting_advises_a_form_that_is_taken():
    game = load_game("strozzi")
    with pytest.raises(InputError, match="expected a list, got '20,10,5'; write ") as raised:
        with_settings(game, "base", ["scoring.ship_ranks=20,10,5"])
    advised = str(raised.value).rpartition("; write ")[2]
    found = with_settings(game, "base", [f"scoring.ship_ranks={advised}"])
    assert found.components["scoring"]["ship_ranks"][:3] == [20, 10, 5]
    with pytest.raises(InputError, match="unknown id or place 'S30'") as raised:
        with_settings(game, "base", ["ships.S30.sail=4"])
    advised = str(raised.value).rpartition("a new one is added by ")[2]
    assert advised == 'ships.add=[{id="S30",...}]'
    rest = ",".join(f"{key}={value}" for key, value in SHIP.items() if key != "id")
    found = with_settings(game, "base", [advised.replace("...", rest)]).components["ships"]
    assert (found[-1], len(found)) == (SHIP, 30)


@pytest.mark.slow
def test_pairs_of_two_studies_are_named_by_their_changes_and_the_largest_change_is_first():
    given = {"players": 4, "agents": "heuristic", "deals": 2000, "workers": 1}
    first = ss.compare("strozzi", settings=["tracks.bonus.9=20"], **given)
    fair = {"fair": {"scoring": {"marker_ranks": [15, 10, 55]}}}  # the gap falls from 10 points to 2
    second = ss.simulate("strozzi", variant=["base", "long-tracks", fair], **given)
    pairs = ss.side_by_side([first, second]).tables["changes"][["than", "variant"]].drop_duplicates()
    mine = "space 9 of the tracks pays 20 coins"
    assert [tuple(pair) for pair in pairs.to_numpy()] == [(mine, "fair"), (mine, "long-tracks")]
    verdict = ss.side_by_side([first, second]).verdict
    assert verdict.answer.startswith(f"Fair beside {mine}: ")


def test_studies_without_a_common_line_up_say_so(tmp_path):
    studies = [ss.simulate("strozzi", players=3, agents=agent, deals=60) for agent in ("random", "greedy")]
    together = ss.side_by_side(studies)
    assert together.verdict.answer == "These studies play the same box, so that nothing is compared."
    assert "Players are compared by `strozzi compare strozzi AGENT AGENT`." in together.verdict.notes
    assert "play the same box" in together.report(tmp_path / "side.html").read_text(encoding="utf-8")


def test_component_data_that_differ_are_words():
    assert _data_words({"kind": "adjacent_to_edifice", "points": [3, 5]}) == "kind adjacent to edifice, points 3, 5"
    assert (_data_words(True), _data_words(0), _data_words(1)) == ("yes", "0", "1")


def test_figures_of_bars_of_the_same_name_say_whose_they_are():
    parts = {name: (Figure(f"{name}_bonus", "bonus spaces"),) for name in ("player", "winner")}
    bars = SimpleNamespace(figures=(), groups={f"the {name}": own for name, own in parts.items()})
    labels = {name: figure.label for name, figure in _figures_of([bars]).items()}
    assert labels == {"player_bonus": "bonus spaces, the player", "winner_bonus": "bonus spaces, the winner"}


def test_the_first_line_names_players_and_boxes():
    more = {"start": {"head": [1, 1, 1, 1]}}
    study = ss.Study.of(
        game="strozzi", players=[3], lineups=[["learned:level=3"], ["heuristic", "random", "random"]], deals=60
    )
    assert study.summary.startswith("Strozzi, 3 players: weak | usual,random moves,random moves; 60 deals each, ")
    found = ss.compare(GAME, "base", {"more": more}, players=4, agents="random", deals=60, workers=1, progress=False)
    assert found.summary.startswith("The published box against ")
