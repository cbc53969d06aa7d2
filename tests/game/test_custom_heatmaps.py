"""Heat maps of a user's own: in a study, added to one that has been played, and from the command line."""

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest

import strozzi_sim as ss
from commands import strozzi
from our_games import OUR_GAMES
from paths import ROOT
from strozzi_sim.cli.show import table_text
from strozzi_sim.declare.custom_heatmaps import HeatMapSpec, custom_heat_map
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.study.progress import Progress
from study_examples import played as run_keys
from study_examples import tables_in

LATE = {"name": "late", "rows": "flag", "columns": "cards_left", "value": "mean prize", "where": "round == 3"}
WINS = {"name": "wins", "rows": "card", "columns": "flag", "value": "share win"}
STUDY = {
    "name": "own", "game": "strozzi", "players": [3, 4], "deals": 60, "chunks": 12, "seed": 4, "variants": ["base", "long-tracks"],
    "lineups": [["promoter"], ["greedy", "promoter", "random"]],
}  # fmt: skip


def played(folder, *maps, pages=("balance",), said=None, workers=1):
    keys = {**STUDY, "report": {"pages": list(pages)}, "heatmap": list(maps)}
    return run_keys(keys, folder, workers=workers, progress=False if said is None else Progress(on_message=said.append))


def add_in(folder, own):
    given = {name: getattr(own, name) for name in ("rows", "columns", "value", "where", "fact", "name")}
    return ss.heatmap(folder, **given, workers=1)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("round == 3", "round is 3"),
        ("2 <= round and not (seat == 0 or cards_left < 2)", "round is at least 2 and (not (seat is 0 or cards left is below 2))"),
        ("flag != plus_one or round > 1", "flag is not plus one or round is above 1"),
    ],
)  # fmt: skip
def test_a_title_has_its_condition_in_words(condition, words):
    drawn = custom_heat_map(load_game("strozzi"), HeatMapSpec(**LATE | {"where": condition}))
    assert drawn.title == f"Mean prize in coins by flag and cards left, where {words}"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own") / "results"
    played(folder, LATE)
    return folder


def copied(finished, tmp_path):
    shutil.copytree(finished, tmp_path / "results")
    return tmp_path / "results"


def test_a_map_of_ones_own_is_a_table_with_intervals(finished):
    late = pd.read_parquet(finished / "tables" / "heat_late.parquet")
    assert list(late.columns) == ["players", "variant", "lineup", "row", "column", "figure", "value", "low", "high", "n", "deals"]  # fmt: skip
    assert set(late["row"]) == {"pirate", "plus_one", "ware"}
    assert set(late["figure"]) == {"mean_prize"}
    assert late.groupby(["players", "variant", "lineup"]).ngroups == 6
    rows = late.dropna(subset=["value", "low"])
    assert len(rows) > 10
    assert ((rows["low"] <= rows["value"]) & (rows["value"] <= rows["high"])).all()
    assert late["value"].max() > 10


def test_a_map_that_was_counted_is_only_read(finished, tmp_path):
    folder = copied(finished, tmp_path)
    merged = {"name": "third", "rows": "flag", "columns": "cards_left", "value": "count", "where": "round == 3"}
    results = played(folder, LATE, merged)
    assert results.new_games == 0
    counts = results.tables["heat_third"]
    late = results.tables["heat_late"]
    np.testing.assert_array_equal(counts["value"].fillna(0) > 0, (late["n"] > 0) & (counts["n"] >= 30))


OF_KEPT_ROWS = {
    "strozzi": ("ship", [
        HeatMapSpec("a", "flag", "cards_left", "mean prize", "round == 3 and place <= 1.5"),
        HeatMapSpec("b", "match", "position", "share win", "score > 150 or takes_over == yes"),
        HeatMapSpec("c", "sail", "cargo", "count", fact="ship"),
    ]),
    "medici_vs_strozzi": ("lot", [
        HeatMapSpec("a", "order", "seat", "mean price", "win > 0", "lot"),
        HeatMapSpec("b", "tiles", "place", "share bought", "value >= 10", "lot"),
    ]),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("game", OF_KEPT_ROWS)
def test_a_map_of_kept_rows_is_that_of_games_and_plays_nothing(tmp_path, game):
    table, maps = OF_KEPT_ROWS[game]
    keys = {"game": game, "deals": 600, "chunks": 20, "lineups": [["random"]], "report": {"pages": ["balance"]}}
    kept = run_keys({**keys, "facts": [table]}, tmp_path / "kept")
    bare = run_keys(keys, tmp_path / "bare")
    few = run_keys({**keys, "facts": [table], "facts_share": 0.5}, tmp_path / "few")
    for own in maps:
        found = add_in(kept.folder, own)
        assert found.new_games == 0
        again = add_in(bare.folder, own)
        assert again.new_games == again.n_games or own.name != "a"
        pd.testing.assert_frame_equal(
            found.tables[f"heat_{own.name}"], again.tables[f"heat_{own.name}"], check_exact=True
        )
        assert found.tables[f"heat_{own.name}"]["value"].notna().any()
        pd.testing.assert_frame_equal(found.tables["balance"], kept.tables["balance"], check_exact=True)
    assert add_in(few.folder, maps[0]).new_games == few.n_games  # half of the deals are no answer


def test_a_map_is_the_same_whatever_is_counted_with_it(finished, tmp_path):
    alone = pd.read_parquet(finished / "tables" / "heat_late.parquet")
    others = played(tmp_path / "much", LATE, WINS, pages=("flags",), workers=2)
    pd.testing.assert_frame_equal(others.tables["heat_late"], alone, check_exact=True)


@pytest.mark.slow
def test_a_map_added_to_a_folder_by_hand(finished, tmp_path):
    folder = copied(finished, tmp_path)
    before = tables_in(folder)
    results = add_in(folder, HeatMapSpec(**WINS))
    assert "heat_wins" in results.tables
    assert {name: tables_in(folder)[name] for name in before if not name.startswith("figures.")} == {
        name: content for name, content in before.items() if not name.startswith("figures.")
    }
    assert "heat_wins" in set(results.tables["figures"]["table"])
    assert [own.name for own in ss.read_study(folder)[1].heatmap] == ["late", "wins"]
    other = add_in(folder, HeatMapSpec(**{**WINS, "columns": "port"}))
    assert set(other.tables["heat_wins"]["column"]) == {"venice", "rome", "naples"}  # takes the place of the one before
    with pytest.raises(InputError, match="holds no study"):
        add_in(tmp_path, HeatMapSpec(**WINS))


def test_a_study_names_where_a_map_is_wrong():
    for maps, said in (
        ([{**LATE, "rows": "flg"}], "heatmap late: rows: unknown column 'flg'"),
        ([{**LATE, "name": "flag-by-sail"}], "heatmap: flag-by-sail: the name is already used"),
        ([{**LATE, "colums": "x"}], "heatmap[0]"),
        ([{**LATE, "name": "Late"}], "heatmap[0].name"),
        ([LATE, LATE], "the name is already used"),
    ):
        with pytest.raises(InputError) as refused:
            run_keys({**STUDY, "heatmap": maps})
        assert said in str(refused.value)


@pytest.mark.slow
def test_the_heatmap_command(finished, tmp_path):
    asked = "heatmap strozzi --rows flag --columns port --deals 50 --players 3-4"
    done = strozzi(*asked.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 players, usual, share" in done.stdout
    assert re.search(r"^pirate +\d+\s±\s\d+\s%", done.stdout, re.MULTILINE)
    assert not list(tmp_path.iterdir())
    folder = copied(finished, tmp_path)
    done = strozzi("heatmap", folder, "--rows", "flag", "--columns", "sail", "--name", "more", "--workers", 1)
    assert done.returncode == 0, done.stderr
    assert "heat-more" in (folder / "report.html").read_text() or "Flag" in (folder / "report.html").read_text()
    assert "lack requested facts" in done.stderr
    refused = strozzi("heatmap", folder, "--rows", "flag", "--columns", "sail", "--players", "4")
    assert refused.returncode == 2
    assert "--players" in refused.stderr
    assert strozzi("heatmap", "strozzi", "--rows", "flag", "--columns", "sale").returncode == 2


@pytest.mark.parametrize("name", OUR_GAMES)
def test_the_facts_command_lists_every_column(name):
    listed = json.loads(strozzi("facts", name, "--json").stdout)
    tables = load_game(name).facts.TABLES
    assert [table["name"] for table in listed] == [table.name for table in tables]
    for found, table in zip(listed, tables, strict=True):
        assert [column["name"] for column in found["columns"]] == [column.name for column in table.all_columns]
        assert all(column["text"] and column["values"] for column in found["columns"])
    text = strozzi("facts", name, tables[0].name).stdout
    assert all(column.name in text for column in tables[0].all_columns)
    assert strozzi("facts", name, "nonsense").returncode == 2


@pytest.mark.parametrize("name", OUR_GAMES)
def test_the_page_of_a_games_facts_is_what_the_command_prints(name):
    page = ROOT / "docs" / "games" / f"{name}.md"
    assert page.read_text() == strozzi("facts", name, "--markdown").stdout, f"strozzi facts {name} --markdown > {page}"


def test_a_mean_of_yes_and_no_is_a_share_in_per_cent():
    """A mean of 0.289 was written as 0.3."""
    game = load_game("strozzi")
    for column, label in (("win", "games won"), ("used_pirate", "share with used pirate")):
        shown = custom_heat_map(game, HeatMapSpec("x", "seat", "round", f"mean {column}", fact="round"))
        assert (shown.figure.name, shown.figure.unit, shown.figure.label) == (f"mean_{column}", "share", label)
    coins = custom_heat_map(game, HeatMapSpec("x", "seat", "round", "mean coins", fact="round"))
    assert coins.figure.unit == "amount"


def test_a_heat_map_of_some_facts_says_which_in_words_and_the_terminal_shows_no_names_of_data():
    given = {"players": 3, "agents": "random", "deals": 60, "workers": 1, "progress": False}
    found = ss.heatmap("strozzi", rows="flag", columns="sail", value="mean prize", where="round == 3", **given)
    assert found.verdict.answer.startswith("Mean prize in coins, round is 3: ")
    text = table_text("heat_mean_prize_by_flag_and_sail_round_3", found.tables)
    assert text.startswith(
        "heat map: mean prize by flag and sail round 3, 3 players, random\n\n3 players, random, mean prize"
    )
    assert "\nplus one " in text
