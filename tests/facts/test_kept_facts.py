"""Rows of facts that a study keeps: the same as what is counted and recorded, the same bytes however they were made."""

import gc
import json
import os
import shutil
import signal
import weakref
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import strozzi_sim as ss
from needed import need
from our_games import OUR_GAMES
from strozzi_sim.agent import load_agent, python_agent, spec_of
from strozzi_sim.declare.report_file import read_report_file
from strozzi_sim.errors import InputError, Stopped, StorageError
from strozzi_sim.facts.columns import Column, Table
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.row_storage import RowRecorder, RowSelection, kept_rows
from strozzi_sim.facts.sink import sink_dtype
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.play.records import record_game
from strozzi_sim.runtime.files import check_portable
from strozzi_sim.simulation.match import Match
from strozzi_sim.study.folders import load_results, study_of
from strozzi_sim.study.kept import KeptTable
from strozzi_sim.study.progress import Progress
from strozzi_sim.study.store import Store
from study_examples import played

STROZZI = load_game("strozzi")
TABLES = {table.name: table for table in STROZZI.fact_tables}
LINEUPS = [["heuristic", "random", "random"], ["random", "random", "greedy", "random", "greedy", "random"]]
SMALL = {"name": "kept", "game": "strozzi", "seed": 11, "players": [3, 6], "deals": 40, "chunks": 7}
SMALL |= {"lineups": LINEUPS, "facts": list(TABLES)}


def keys(**changes):
    return {key: value for key, value in {**SMALL, **changes}.items() if value is not None}


def cells(**changes):
    return study_of(keys(**changes))[0].cells


def contents(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in (folder / "facts").rglob("*.parquet")}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return played(keys(), tmp_path_factory.mktemp("kept") / "results")


@pytest.fixture
def copy(finished, tmp_path):
    return shutil.copytree(finished.folder, tmp_path / "copy")


# -- the rows are those that are counted and recorded -------------------------------------------------------------------


def numbers_of(frame, column, setting):
    """The numbers that a column counts as, from a data frame's."""
    values = frame[column.name]
    if values.dtype == "category":
        levels = column.levels_in(setting)
        return np.array(levels.starts)[[levels.names.index(value) for value in values]]
    return np.rint(np.asarray(values) * column.scale).astype(np.int64)


def assert_counted(match, deals, table, frame):
    """Every column: by each of its levels, the counts, and the sums of all columns, are those that are counted."""
    assert len(frame) > 0
    levels = {column.name: column.levels_in(match.setting) for column in table.all_columns}
    values = {column.name: numbers_of(frame, column, match.setting) for column in table.all_columns}
    # a label derived from a number, such as a lot's face value, may stand for several
    summed = tuple(column.name for column in table.all_columns if not (column.derived_from and levels[column.name]))
    crosstabs = [Crosstab(table.name, (), summed)]
    crosstabs += [Crosstab(table.name, (name,), summed) for name, own in levels.items() if own]
    counting = match.plan(crosstabs)
    counts = match.play(0, deals, plan=counting).counts[None]
    for crosstab in crosstabs:
        names = [levels[name] for name in crosstab.by]
        by = names[0].of(values[crosstab.by[0]]) if names else np.zeros(len(frame), int)
        expected = np.zeros((len(names[0].names) if names else 1, 1 + len(summed)), np.int64)
        for number, each in enumerate([np.ones(len(frame), np.int64), *(values[name] for name in summed)]):
            np.add.at(expected[:, number], by, each)
        assert counting.read(crosstab, counts)[0].reshape(expected.shape).tolist() == expected.tolist(), crosstab.by


@cache
def kept_by(name):
    """Results of a small study of a game that keeps all rows; of a table of a sample of deals too."""
    game = load_game(name)
    tables = [table.name for table in game.fact_tables]
    return played(
        {"game": name, "players": game.player_counts[:1], "deals": 40, "lineups": [["random"]], "facts": tables}
    )


@pytest.mark.slow_for("strasbourg", "medici_vs_strozzi")
@pytest.mark.parametrize(
    ("name", "table"),
    [(name, table) for name in OUR_GAMES for table in load_game(name).fact_tables],
    ids=lambda each: getattr(each, "name", each),
)
def test_kept_rows_are_those_that_are_counted(name, table):
    (cell,) = kept_by(name).study.cells
    assert_counted(cell.match, 40, table, kept_by(name).facts(table.name))


def test_kept_rows_are_those_of_the_records(finished):
    games = 0
    ships, seats = finished.facts("ship"), finished.facts("seat")
    for cell in cells(deals=4):
        names = [spec.text for spec in cell.match.positions]
        for deal in range(4):
            for seating, design in enumerate(cell.match.design):
                lines = record_game(cell.match, deal, seating)
                found = [(x["player"], x["ship"], x["flag"], x["port"]) for x in lines if x["type"] == "place"]
                chosen = "players == @cell.match.players and deal == @deal and seating == @seating"
                rows = ships.query(chosen)
                kept = rows[["seat", "card", "flag", "port"]].astype(object).to_numpy().tolist()
                assert [tuple(row) for row in kept] == found
                end, rows = lines[-1], seats.query(chosen)
                assert rows["score"].tolist() == end["total"]
                assert rows["position"].tolist() == design.tolist()
                assert rows["agent"].tolist() == [names[position] for position in design] == lines[0]["agents"]
                assert rows["win"].idxmax() == rows.index[end["ranking"][0]]
                games += 1
    assert games == 4 * 9


@python_agent(name="first-legal")
class FirstLegal:
    def act(self, view, legal, rng):
        return legal[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "agents", "seatings", "deals"),
    [
        (6, ["random", "greedy", *["random"] * 4], "all", 2),  # a deal does not fit into the sink
        (4, ["random", FirstLegal, "greedy", "random"], "rotate", 30),  # played in waves
    ],
)
@pytest.mark.parametrize("every", [1, 3, 1000])
def test_games_in_any_order_of_calls_are_the_same(players, agents, seatings, deals, every):
    specs = tuple(load_agent(agent) if isinstance(agent, str) else spec_of(agent) for agent in agents)
    match = Match(STROZZI, players, specs, resolve_variant(STROZZI, "base"), 5, seatings)
    keep, table = RowSelection(("round", "ship"), every), TABLES["ship"]
    asked = match.plan([Crosstab("ship", ("flag", "lap"), ("prize",))])
    plain = match.play(0, deals, plan=asked, rows=True)
    played = match.play(0, deals, plan=asked, keep=keep, rows=True)
    assert played.outcome.tobytes() == plain.outcome.tobytes()
    assert played.counts.tolist() == plain.counts.tolist()
    assert played.rows.tobytes() == plain.rows.tobytes()
    games = np.concatenate([rows.games for rows in kept_rows(played.kept, keep, table)])
    wanted = [(deal, seating) for deal in range(0, deals, every) for seating in range(len(match.design))]
    assert [(game["deal"], game["seating"]) for game in games] == wanted
    scores = plain.rows["score"].reshape(-1, players)[plain.rows["deal"].reshape(-1, players)[:, 0] % every == 0]
    assert games["score"][:, :players].tolist() == scores.tolist()
    if every == 1:
        prizes = [rows.columns["prize"].sum() for rows in kept_rows(played.kept, keep, table)]
        assert sum(prizes) == asked.read(Crosstab("ship", (), ("prize",)), plain.counts[None])[0, 1]


def test_the_sink_has_room_for_the_rows_of_an_optional_table_that_is_kept_and_not_counted(monkeypatch):
    sinks = []

    class Recorder(RowRecorder):
        def content(self):
            sinks.append((self._sink["batch"][0], TABLES["decision"].rows))
            return super().content()

    monkeypatch.setattr("strozzi_sim.simulation.match.RowRecorder", Recorder)
    match = Match(STROZZI, 6, (load_agent("random"),), resolve_variant(STROZZI, "base"), 5)
    match.play(0, 1, plan=match.plan([]), keep=RowSelection(("decision",)))
    ((batch, room),) = sinks
    assert 1 <= batch <= room / TABLES["decision"].max_rows(match.setting)


def test_tables_that_some_deals_alone_have_rows_of():
    value, small = Column("value", "any", dtype="u2"), Column("value", "any")
    tables = [
        Table("rare", "of even deals", (value,), max_rows=lambda setting: 3, rows=64, sampled=2),
        Table("common", "of all", (small,), max_rows=lambda setting: 1, rows=64),
    ]
    sink = np.zeros(1, sink_dtype(tables, []))
    keep = RowSelection(("rare", "common"))
    keeper = RowRecorder(tables, sink, keep)
    number = 0
    for first in (0, 16):
        for deal in range(first, first + 16):
            sink["deal"][0, sink["games"][0]] = deal
            for _ in range(3 if deal % 2 == 0 else 0):
                sink["rare_value"][0, sink["rare_rows"][0]] = number = number + 1
                sink["rare_rows"] += 1
            sink["common_value"][0, sink["common_rows"][0]] = deal
            sink["common_rows"] += 1
            for table in tables:
                sink[f"{table.name}_ends"][0, sink["games"][0]] = sink[f"{table.name}_rows"][0]
            sink["games"] += 1
        keeper.take()
        for name in ("games", "rare_rows", "common_rows"):
            sink[name] = 0
    content = keeper.content()
    (rare,), (common,) = (list(kept_rows(content, keep, table)) for table in tables)
    assert rare.columns["value"].tolist() == list(range(1, 49))
    assert rare.games["deal"][rare.game].tolist() == [deal for deal in range(0, 32, 2) for _ in range(3)]
    assert common.columns["value"].tolist() == list(range(32))


def test_what_takes_rows_is_forgotten_at_once_and_raises_afterwards(monkeypatch):
    match = Match(STROZZI, 3, (load_agent("random"),), resolve_variant(STROZZI, "base"), 5)
    sink = np.zeros(1, STROZZI.facts.SINK)
    keeper = RowRecorder(STROZZI.fact_tables, sink, RowSelection(("ship",)))
    keeper.content()
    forgotten = weakref.ref(keeper)
    gc.disable()
    try:
        del keeper
        assert forgotten() is None
    finally:
        gc.enable()

    def fails(keeper):
        raise MemoryError

    monkeypatch.setattr(RowRecorder, "take", fails)
    with pytest.raises(MemoryError):
        match.play(0, 200, plan=match.plan([]), keep=RowSelection(("ship",)))


# -- the same bytes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_and_interruptions_do_not_change_a_byte(finished, tmp_path, monkeypatch, workers):
    whole, write = contents(finished.folder), Store.write

    def interrupted(store, *chunk):
        write(store, *chunk)
        if len(store.done) in (3, 8):
            raise Stopped(signal.SIGTERM)

    monkeypatch.setattr(Store, "write", interrupted)
    for _ in range(2):
        with pytest.raises(Stopped):
            played(keys(), tmp_path / "r", workers=workers)
        assert not (tmp_path / "r" / "facts").exists()
    monkeypatch.undo()
    assert played(keys(), tmp_path / "r", workers=workers).new_games > 0
    assert contents(tmp_path / "r") == whole
    assert len(whole) == 2 * len(TABLES)


# -- asking for more and for less ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_finished_study_that_is_asked_for_rows_plays_again_and_for_less_does_not(finished, tmp_path):
    folder, said = tmp_path / "r", []
    progress = Progress(on_message=said.append)
    bare = played(keys(facts=None), folder)
    with pytest.raises(
        InputError, match=r'keeps no rows of a fact table .ship.; add facts = \["ship"\] to the study and run it'
    ):
        bare.facts("ship")
    tables = {file.name: file.read_bytes() for file in (folder / "tables").iterdir()}
    more = played(keys(facts=["ship", "card"]), folder, progress=progress)
    assert more.new_games == more.n_games
    assert said == ["14 of 14 chunks lack requested facts or rows and are played again"]
    assert {file.name: file.read_bytes() for file in (folder / "tables").iterdir()} == tables
    kept = contents(finished.folder)
    assert contents(folder) == {name: kept[name] for name in kept if name.split("/")[1] in ("ship", "card")}

    (folder / "facts" / "card" / "notes.txt").write_text("mine")
    less = played(keys(facts=["ship"], facts_share=0.1), folder)
    assert less.new_games == 0
    assert [file.name for file in (folder / "facts" / "card").iterdir()] == ["notes.txt"]
    ship = finished.facts("ship")
    assert less.facts("ship").equals(ship[ship["deal"] % 10 == 0].reset_index(drop=True))
    with pytest.raises(InputError, match="known: ship"):
        less.facts("card")

    none = played(keys(facts=None), folder)
    assert none.new_games == 0
    assert not (folder / "facts" / "ship").exists()
    assert played(keys(facts=["card", "ship"]), folder).new_games == 0
    assert played(keys(facts=["card", "ship", "game"]), folder).new_games == more.n_games


@pytest.mark.slow
def test_a_finished_study_leaves_its_rows_as_they_are(finished, tmp_path):
    """Unless one is missing, or rows of another table, or of other deals, are asked for."""
    folder = tmp_path / "results"
    shutil.copytree(finished.folder, folder)
    files = sorted((folder / "facts").rglob("*.parquet"))
    as_made = contents(folder)
    for file in files:
        os.utime(file, ns=(10**18, 10**18))

    def run_again(**changes):
        """The files that are written by a run."""
        assert played(keys(**changes), folder).new_games == 0
        return [file for file in files if file.exists() and file.stat().st_mtime_ns != 10**18]

    inodes = [file.stat().st_ino for file in files]
    assert run_again() == []
    assert [file.stat().st_ino for file in files] == inodes
    assert contents(folder) == as_made
    for spoil in (files[-1].unlink, lambda: run_again(facts=["ship"]), lambda: run_again(facts_share=0.5)):
        spoil()
        for file in files:
            if file.exists():
                os.utime(file, ns=(10**18, 10**18))
        assert run_again() == files
        assert contents(folder) == as_made


@pytest.mark.slow
def test_a_heat_map_that_chunks_do_not_count_keeps_the_rows(tmp_path):
    played(keys(facts=["game"]), tmp_path / "r")
    added = {"name": "mine", "fact": "ship", "rows": "steps", "columns": "cards_left", "value": "count"}
    added |= {"rows": "port"}
    result = played(keys(facts=["game"], heatmap=[added]), tmp_path / "r")
    assert len(result.facts("game")) == 40 * 9
    asked = {"rows": "port", "columns": "cards_left", "value": "count", "fact": "ship"}
    once_more = ss.heatmap(tmp_path / "r", **asked, name="other", workers=1)
    assert len(once_more.facts("game")) == 40 * 9


@pytest.mark.slow_for("0.7-1", "1e-320-2147483647")
@pytest.mark.parametrize(("share", "every"), [(0.3, 3), (0.7, 1), (1e-320, 2**31 - 1)])
def test_a_share_of_deals(finished, tmp_path, share, every):
    result = played(keys(facts=["round", "game"], facts_share=share), tmp_path / "r")
    whole = finished.facts("round")
    assert result.facts("round").equals(whole[whole["deal"] % every == 0].reset_index(drop=True))


def test_rows_of_half_the_deals_answer_no_heat_map(tmp_path):
    half = keys(facts=["ship"], facts_share=0.5)
    played(half, tmp_path / "r")
    by_port = {"name": "mine", "fact": "ship", "rows": "port", "columns": "cards_left", "value": "count"}
    again = played(half | {"heatmap": [by_port]}, tmp_path / "r")
    assert again.new_games == again.n_games


NOT = "facts_share: must be above 0 and at most 1, got"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"facts_share": 0}, f"{NOT} 0"),
        ({"facts_share": -0.5}, f"{NOT} -0.5"),
        ({"facts_share": 1.01}, f"{NOT} 1.01"),
        ({"facts_share": float("nan")}, f"{NOT} nan"),
        ({"facts_share": float("inf")}, f"{NOT} inf"),
        ({"facts": None, "facts_share": 0.5}, "facts_share: requires at least one table in facts; known: game,"),
        ({"facts": [], "facts_share": 0.5}, "facts_share: requires at least one table in facts"),
        ({"facts": ["shp"]}, "facts: no fact table 'shp'; known: game, seat, round, card, ship, marker, category, tile, decision; did you mean 'ship'?"),
        ({"facts": ["ship", "ship"]}, "facts: 'ship' is listed 2 times"),
        ({"facts": "ship"}, "facts: expected"),
        ({"facts_share": "half"}, "facts_share: expected"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_refused(changes, words):
    with pytest.raises(InputError) as error:
        played(keys(**changes))
    assert words.lower() in str(error.value).lower()


def test_a_disk_that_is_too_small_for_the_rows(tmp_path, monkeypatch):
    free = shutil.disk_usage(tmp_path)._replace(free=2**31)
    monkeypatch.setattr("shutil.disk_usage", lambda path: free)
    with pytest.raises(StorageError, match=r"2048 MiB free on the disk, about \d{5} MiB needed"):
        played(keys(deals=1_000_000), tmp_path / "r")


# -- the files ------------------------------------------------------------------------------------------------------------


def test_files_have_names_for_every_system_and_none_is_another_without_case(tmp_path):
    agents = [replace(load_agent("random", "strozzi").agent, name=name) for name in ("a.", "A.", "a b", 'c:"?*')]
    changes = {name: {"tracks": {"bonus": {"9": bonus}}} for bonus, name in enumerate(("con", "aux", "nul"), 20)}
    lineups = [[spec_of(each)] for each in agents]
    study, look = study_of(keys(players=[3], facts=["ship"], lineups=lineups, variants=[*changes], variant=changes))
    paths = [KeptTable(study, look, "ship").path(cell) for cell in study.cells]
    assert len(paths) == 12
    for path in paths:
        for part in path.split("/"):
            check_portable(part)
    assert len({path.casefold() for path in paths}) == 12


@pytest.mark.parametrize("name", OUR_GAMES)
def test_tables_and_pictures_have_names_for_every_system(name):
    report = read_report_file(load_game(name).package)
    names = [
        *report.pictures,
        *(f"heat-{each}" for each in report.heatmaps),
        *{each.table for each in report.pictures.values()} - {""},
    ]
    for each in names:
        check_portable(each)
    assert len({each.casefold() for each in names}) == len(names)


def test_every_column_says_what_it_is(finished):
    from pyarrow import parquet

    path = finished.folder / "facts/ship/3-players,base,heuristic,random,random/cell-0000.parquet"
    schema = parquet.read_schema(path)
    table = {key.decode(): value.decode() for key, value in schema.metadata.items()}
    assert {key: table[key] for key in ("table", "description", "game", "seed", "behaviour", "deals", "share")} == {
        "table": "ship", "description": "a ship taken", "game": "strozzi", "seed": "11", "behaviour": str(STROZZI.behaviour),
        "deals": "all", "share": "1.0",
    }  # fmt: skip
    assert all(field.metadata[b"description"] for field in schema)
    assert schema.field("prize").metadata[b"unit"] == b"coins"
    assert json.loads(schema.field("flag").metadata[b"levels"]) == ["pirate", "plus_one", "ware"]
    assert str(schema.field("flag").type).startswith("dictionary<values=string")
    assert [str(schema.field(name).type) for name in ("deal", "seat", "sail", "prize", "place", "win")] == [
        "int32", "uint8", "uint8", "uint16", "double", "double",
    ]  # fmt: skip


@pytest.mark.slow
def test_row_groups_are_large_however_small_the_chunks(tmp_path, monkeypatch):
    from pyarrow import parquet

    monkeypatch.setattr("strozzi_sim.study.kept.GROUP", 1000)
    files = []
    for chunks in (3, 40):
        study, look = study_of(keys(chunks=chunks, facts=["ship"]))
        folder = tmp_path / str(chunks)
        ss.run(study, folder, look=look, workers=1)
        files.append(contents(folder))
        groups = parquet.ParquetFile(folder / KeptTable(study, look, "ship").path(study.cells[1])).metadata
        rows = [groups.row_group(number).num_rows for number in range(groups.num_row_groups)]
        assert rows[:-1] == [1000] * (len(rows) - 1)
        assert 0 < rows[-1] <= 1000
    assert files[0] == files[1]


def test_pandas_reads_the_folder(finished):
    import pandas as pd

    frame, ours = pd.read_parquet(finished.folder / "facts" / "ship"), finished.facts("ship")
    assert len(frame) == len(ours)
    assert sorted(frame.columns) == sorted(ours.columns)
    for columns in (["players", "flag"], ["lineup", "agent"]):
        sums = [each.groupby([each[name].astype(str) for name in columns])["prize"].sum() for each in (frame, ours)]
        assert sums[0].to_dict() == sums[1].to_dict()


@pytest.mark.slow
def test_every_reader_finds_the_names_that_look_like_numbers(tmp_path):
    import pandas as pd

    polars, duckdb = need("polars"), need("duckdb")

    variants = [
        {name: {"tracks": {"bonus": {7: 11 + number}}}} for number, name in enumerate(("007", "7", "1e3", "true"))
    ]
    results = ss.simulate(
        "strozzi", players=3, agents="random", deals=10, variant=variants, facts=["ship"], folder=tmp_path, workers=1
    )
    expected = results.facts("ship").groupby("variant", observed=True).size().to_dict()
    assert set(expected) == {"007", "7", "1e3", "true"}
    folder = tmp_path / "facts" / "ship"
    assert pd.read_parquet(folder).groupby("variant", observed=True).size().to_dict() == expected
    assert dict(polars.read_parquet(folder).group_by("variant").len().rows()) == expected
    for option in ("", ", hive_partitioning = true"):
        query = f"select variant, count(*) from read_parquet('{folder}/**/*.parquet'{option}) group by variant"
        assert dict(duckdb.sql(query).fetchall()) == expected


@pytest.mark.slow
def test_duckdb_reads_the_folder(finished):
    duckdb = need("duckdb")
    source = f"read_parquet('{finished.folder}/facts/ship/**/*.parquet')"
    query = f"select lineup, sum(prize) from {source} where flag = 'pirate' group by lineup"
    ours = finished.facts("ship").query("flag == 'pirate'").astype({"lineup": str}).groupby("lineup")["prize"].sum()
    assert dict(duckdb.sql(query).fetchall()) == ours.to_dict()


LONG = "long_" * 40
AGENT = f"""
from strozzi_sim.agent import Param, python_agent

@python_agent(name="{LONG}", margin=Param(1, 0, 5, "nothing"))
class Long:
    def __init__(self, margin):
        pass

    def act(self, view, legal, rng):
        return legal[-1]
"""


@pytest.mark.slow
def test_line_ups_with_awkward_and_long_names(tmp_path, monkeypatch):
    import pandas as pd

    agents = [f"{LONG}.py::{LONG}:margin=2", "greedy", "random"]
    (tmp_path / f"{LONG}.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    asked = keys(players=[3], lineups=[["flat_mc:playouts=1"], agents], deals=3, facts=["game"])
    study, look = study_of(asked)
    result = ss.run(study, tmp_path / "r", look=look, workers=1)
    lineups = [cell.lineup for cell in study.cells]
    assert list(dict.fromkeys(result.facts("game")["lineup"])) == lineups
    read = set(pd.read_parquet(tmp_path / "r" / "facts" / "game")["lineup"])
    assert read == set(lineups)
    for cell in study.cells:
        parts = Path(KeptTable(study, look, "game").path(cell)).parts
        assert all(len(part) < 220 and not set("=:\\") & set(part) and part[0] not in "._" for part in parts)


# -- reading --------------------------------------------------------------------------------------------------------------


def test_reading_says_what_is_wrong(finished, copy):
    assert load_results(copy).facts("ship").equals(finished.facts("ship"))
    with pytest.raises(InputError, match=r"keeps no rows of a fact table 'shp'; known: card, .*; did you mean 'ship'"):
        load_results(copy).facts("shp")
    file = next((copy / "facts" / "ship").rglob("*.parquet"))
    whole = file.read_bytes()
    file.write_bytes(whole[:-50])
    with pytest.raises(InputError, match="facts/ship: the files are not as a run wrote them; run the study again"):
        load_results(copy).facts("ship")
    file.unlink()
    with pytest.raises(StorageError, match=r"cell-000\d\.parquet"):
        load_results(copy).facts("ship")
    assert played(keys(), copy).new_games == 0
    assert file.read_bytes() == whole
    assert contents(copy) == contents(finished.folder)
