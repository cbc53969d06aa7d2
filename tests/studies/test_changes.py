"""What changed between variants: differences of every figure, paired by deal, and the verdicts on them."""

import re
import tomllib

import numpy as np
import pytest
import typer
from strozzi_sim.cli.commands import described
from strozzi_sim.reports.changes import _sorted, change_headline
from strozzi_sim.studies.changes import CHANGED, EQUAL, SMALL, UNCLEAR

import strozzi_sim as ss
from paths import ROOT
from planted_game import GAME
from strozzi_sim.cli.app import app
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import own_variants, with_settings

WARE = "flags.ware_steps=3"
COMMANDS = typer.main.get_command(app).commands


@pytest.fixture(scope="module")
def stronger():
    """The game with a ware flag that moves one space more, beside the published one."""
    return ss.compare("strozzi", settings=[WARE], players=3, agents="heuristic", deals=300)


def row(table, name, figure, level=""):
    found = table[(table["table"] == name) & (table["figure"] == figure) & (table["level"] == level)]
    assert len(found) == 1
    return found.iloc[0]


def test_a_variant_beside_itself_differs_nowhere():
    table = ss.compare("strozzi", "base", "base", players=[3, 4], agents="greedy", deals=60).tables["changes"]
    known = table.dropna(subset="value")
    assert set(known["verdict"]) == {EQUAL}
    assert (known[["value", "low", "high"]] == 0).all(axis=None)
    assert set(table["table"]) == {"balance", "seats", "flags", "ports", "promotion", "ships"}


def test_a_planted_change_is_found_with_its_sign(stronger):
    table = stronger.tables["changes"]
    steps = row(table, "flags", "steps_mean", "by all, level all, flag ware")
    assert steps["verdict"] == CHANGED
    assert 0 < steps["low"] < steps["value"] < steps["high"]
    score = row(table, "balance", "score_mean")
    assert (score["verdict"], score["low"] > 0) == (CHANGED, True)
    assert abs(score["size"]) == pytest.approx(abs(score["value"]) / (0.01 * score["before"]))


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
    changed = table[table["verdict"] == CHANGED]
    assert (changed["p_corrected"] < 0.05).all()


def test_what_was_0_before_has_no_size_and_comes_first():
    """A ship that had no tile brings coins by it now: that is no multiple of what it brought."""
    found = ss.compare("strozzi", settings=["ships.S12.promotion=1"], players=3, agents="random", deals=60)
    table = found.tables["changes"]
    assert not np.isinf(table.select_dtypes("floating")).any(axis=None)
    new = table[(table["before"] == 0) & (table["value"] > 0) & (table["figure"] == "coins_tile_mean")]
    assert len(new) > 0
    assert new["size"].isna().all()
    assert (
        ss.compare("strozzi", "base", "long-tracks", 3, agents="random", deals=30, effect=0.0)
        .tables["changes"]["size"]
        .isin([0, np.nan])
        .all()
    )
    assert list(_sorted(table.head(300))["size"].isna()) == sorted(table.head(300)["size"].isna(), reverse=True)


@pytest.mark.slow
def test_a_study_with_variants_has_the_table_and_the_page(tmp_path):
    study = ss.Study(
        name="rich", game="medici_vs_strozzi", deals=60, lineups=[["fair-price"]], variants=["base", "dear"],
        variant={"dear": {"scoring": {"harbor_majority": 30}}},
    )  # fmt: skip
    results = ss.run(study, tmp_path / "r")
    table = results.tables["changes"]
    assert set(zip(table["than"], table["variant"], strict=True)) == {("base", "dear")}
    page = results.report().read_text("utf-8")
    assert "What changed" in page
    assert "<code>scoring.harbor_majority</code> (30 instead of 20)" in page
    assert ss.run(study, tmp_path / "r").new_games == 0


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"settings": ["tracks.bonus.7"]}, "KEY=VALUE"),
        ({"settings": ["tracks.bonus.7=5"]}, "changes nothing"),
        ({"settings": ["track.bonus.7=5"]}, "did you mean 'tracks'"),
        ({"settings": [WARE, WARE]}, "given twice"),
        ({"settings": [WARE], "second": "long-tracks"}, "leave out B"),
        ({"settings": [WARE], "effect": 2.0}, "effect: must be between 0 and 1"),
        ({"first": "base", "second": "long-tracks", "effect": -0.1}, "effect: must be between 0 and 1"),
    ],
)
def test_what_cannot_be_compared_is_named(given, named):
    with pytest.raises(InputError, match=named.replace("(", r"\(")):
        ss.compare("strozzi", **{"players": 3, "deals": 20, **given})


@pytest.mark.slow
def test_a_headline_answers_the_question_of_the_study():
    plan = {"name": "q", "game": "strozzi", "players": [3], "deals": 40, "lineups": [["random"]]}
    results = ss.run(ss.Study(**plan, variants=["base", "long-tracks"]))
    assert results.findings[0].startswith("Beside base, long-tracks changes")
    assert results.findings[0] in results._repr_html_()
    for question, named in (
        ("agents", "needs a line-up"),
        ("variants", "needs a second variant"),
        ("prices", "unknown question"),
    ):
        with pytest.raises(InputError, match=f"question: .*{named}"):
            ss.Study(**plan, question=question)


SHIP = {"id": "S30", "sail": 4, "venice": 1, "rome": 1, "naples": 1, "scrolls": 0, "promotion": 0}


def test_a_variant_adds_and_removes_blocks_by_id():
    changes = {"mine": {"ships": {"add": [SHIP], "remove": ["S01", "S02"], "S03": {"sail": 8}}}}
    results = ss.simulate("strozzi", 3, "random", deals=60, variant=changes, facts=["card"])
    cards = set(results.facts("card")["card"])
    assert "S30" in cards
    assert not {"S01", "S02"} & cards
    removed = ss.compare("strozzi", settings=['ships.remove=["S01"]'], players=3, deals=40)
    assert len(removed.plan["variants"][removed.tables["changes"]["variant"].iloc[0]]["ships"]) == 28


@pytest.mark.parametrize(
    ("ships", "named"),
    [
        ({"add": [{**SHIP, "id": "S29"}]}, "ships.add: 'S29' is there already"),
        ({"add": [SHIP, SHIP]}, "ships.add: 'S30' is there already"),
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
        ss.simulate("strozzi", 3, "random", deals=20, variant={"mine": {"ships": ships}})


@pytest.mark.parametrize(
    ("deals", "effect", "verdict"), [(400, 0.01, CHANGED), (400, 0.2, SMALL), (100, 0.01, UNCLEAR)]
)
def test_a_mean_that_changes_equally_in_every_deal_has_changed(deals, effect, verdict):
    """One point more for every seat; with few deals an exception could be as frequent as what matters."""
    more = {"more": {"start": {"head": [1, 1, 1, 1]}}}
    found = ss.compare(GAME, "base", more, players=4, agents="random", deals=deals, effect=effect)
    score = row(found.tables["changes"], "balance", "score_mean")
    assert score["value"] == pytest.approx(1)
    assert score["verdict"] == verdict
    words = {CHANGED: "the mean score is 1.0 more.", SMALL: "no mean score changes enough", UNCLEAR: "known to change."}
    assert words[verdict] in change_headline(found.tables, found.manifest)


def test_what_an_error_about_a_setting_advises_works():
    """A list without brackets, and a card that is not there: the message has the form that is taken."""
    game = load_game("strozzi")
    with pytest.raises(InputError, match="expected a list, got '20,10,5'; write ") as raised:
        with_settings(game, "base", ["scoring.ship_ranks=20,10,5"])
    advised = str(raised.value).rpartition("; write ")[2]
    assert with_settings(game, "base", [f"scoring.ship_ranks={advised}"]).components["scoring"]["ship_ranks"][:3] == [
        20,
        10,
        5,
    ]
    with pytest.raises(InputError, match="unknown id or place 'S30'") as raised:
        with_settings(game, "base", ["ships.S30.sail=4"])
    advised = str(raised.value).rpartition("a new one is added by ")[2]
    assert advised == 'ships.add=[{id="S30",...}]'
    rest = ",".join(f"{key}={value}" for key, value in SHIP.items() if key != "id")
    found = with_settings(game, "base", [advised.replace("...", rest)]).components["ships"]
    assert found[-1] == SHIP
    assert len(found) == 30


def test_the_help_of_set_and_the_documents_write_what_is_taken():
    game = load_game("strozzi")
    help_text = " ".join(
        str(option.help) for command in COMMANDS.values() for option in command.params if "--set" in option.opts
    )
    page = (ROOT / "docs" / "studies.md").read_text("utf-8")
    assert 'SECTION.add=[{id="X",...}] adds a block' in help_text
    assert 'SECTION.add=[{id="X",...}]' in described(ss.compare)["settings"]
    for text in ("scoring.ship_ranks=[20,10,5]", 'ships.add=[{id="S30",', 'ships.remove=["S01"]'):
        assert text in page
    settings = ["scoring.ship_ranks=[20,10,5]", 'ships.remove=["S01"]']
    assert with_settings(game, "base", settings).components["ships"][0]["id"] == "S02"
    added = re.search(r"--set '(ships\.add=.*?)'", page)[1]
    assert with_settings(game, "base", [added]).components["ships"][-1] == SHIP
    (block,) = (text for text in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "[variant.mine" in text)
    changes = tomllib.loads(block)["variant"]
    (variant,) = own_variants(game, changes)
    ships = {ship["id"]: ship for ship in variant.components["ships"]}
    assert ("S01" in ships, ships["S03"]["sail"], ships["S30"]) == (False, 8, SHIP)
    assert variant.components["scoring"]["ship_ranks"][:3] == [20, 10, 5]
