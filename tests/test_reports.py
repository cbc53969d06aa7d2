"""Tables, figures and the page of a report, on studies of a few hundred games."""

from html.parser import HTMLParser

import numpy as np
import pytest

from strozzi_sim.agent import load_agent
from strozzi_sim.errors import InputError
from strozzi_sim.games import load_game
from strozzi_sim.games.variants import resolve_variant
from strozzi_sim.reports.page import write_report
from strozzi_sim.selfplay.match import Match
from strozzi_sim.studies.cells import CellCounts
from strozzi_sim.studies.tables import study_tables

GAME = load_game("strozzi")
PAGES = GAME.module("pages").PAGES
HEATMAPS = GAME.module("pages").HEATMAPS
CELL, FIGURE = ["players", "variant", "lineup"], ["figure", "value", "low", "high", "n", "deals"]
KEYS = {
    "balance": [],
    "seats": ["seat"],
    "lineup": ["position", "agent"],
    "flags": ["flag", "by", "level"],
    "ports": ["port", "by", "level"],
    "promotion": ["category", "place"],
    "ships": ["ship"],
}
BALANCE = [
    "seat_gap", "seat_fairness_p", "score_q05", "score_q25", "score_q50", "score_q75", "score_q95", "score_mean",
    "winner_score_mean", "margin_mean", "florence_tie_share", "lead_changes_mean", "leader_1_wins_share",
    "leader_2_wins_share", "decisions_mean", "set_aside_mean", "unused_flags_mean", "over_990_share",
    "tiles_left_mean", "payout_mean",
]  # fmt: skip


def cell(players, agents="random", deals=240, chunks=12, variant="base"):
    lineup = tuple(load_agent(agent) for agent in agents.split(","))
    alone = len(lineup) == 1
    resolved = resolve_variant(GAME, variant)
    match = Match(GAME, players, lineup, resolved, 2008, "one" if alone else "rotate")
    played = [match.play(c * deals // chunks, (c + 1) * deals // chunks) for c in range(chunks)]
    outcome, tallies = (np.concatenate([getattr(each, part) for each in played]) for part in ("outcome", "tallies"))
    positions = tuple(spec.text for spec in match.positions)
    return CellCounts(players, variant, agents, positions, alone, deals, resolved.components, outcome, tallies)


@pytest.fixture(scope="module")
def cells():
    return [cell(3), cell(5)]


@pytest.fixture(scope="module")
def tables(cells):
    return study_tables(GAME, cells, PAGES, list(HEATMAPS))


@pytest.fixture(scope="module")
def same():
    """A line-up of identical agents, rotated."""
    return cell(3, "random,random,random", deals=60, chunks=6)


@pytest.fixture(scope="module")
def manifest():
    variant = resolve_variant(GAME, "base")
    return {
        "name": "a-b-test",
        "game": "strozzi",
        "seed": 2008,
        "plan": {
            "players": [3, 5],
            "deals": 240,
            "chunks": 12,
            "seatings": "rotate",
            "lineups": [["random"]],
            "variants": {"base": variant.components},
        },
        "report": {"pages": list(PAGES), "heatmaps": list(HEATMAPS)},
        "plan_hash": "0123abcd",
        "versions": {"strozzi-sim": "0.1.0", "numpy": "2"},
        "reconstructed": {"base": list(variant.reconstructed)},
        "games": 480,
        "started": "2026-01-01T00:00:00+00:00",
        "command": "strozzi run <a & b>.toml",
    }


@pytest.fixture(scope="module")
def report(tables, manifest, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    return write_report(folder, manifest, tables, GAME)


# Tables


def test_columns_and_types(tables):
    for name, table in tables.items():
        keys = ["row", "column"] if name.startswith("heat_") else KEYS[name]
        assert list(table.columns) == CELL + keys + FIGURE, name
        assert [str(kind) for kind in table[["players", "n", "deals"]].dtypes] == ["int64"] * 3
        assert [str(kind) for kind in table[["value", "low", "high"]].dtypes] == ["float64"] * 3
    assert set(tables) == set(KEYS) | {"heat_" + name.replace("-", "_") for name in HEATMAPS}
    assert str(tables["seats"]["seat"].dtype) == "int64"


def test_all_self_play_gives_an_empty_line_up_with_columns_and_types(tables, same):
    empty, full = tables["lineup"], study_tables(GAME, [same], (), ())["lineup"]
    assert len(empty) == 0
    assert len(full)
    assert list(empty.columns) == list(full.columns)
    assert list(empty.dtypes) == list(full.dtypes)


def test_values_lie_in_their_intervals_and_shares_between_0_and_1(tables):
    for name, table in tables.items():
        whole = table.dropna(subset=["value", "low", "high"])
        assert (whole["low"] <= whole["value"] + 1e-12).all(), name
        assert (whole["value"] <= whole["high"] + 1e-12).all(), name
        shares = whole[whole["figure"].str.contains("share") & ~whole["figure"].str.contains("minus")]
        assert shares["low"].ge(0).all(), name
        assert shares["high"].le(1).all(), name
        assert (table["n"] > 0).all(), name
        assert table.loc[table["n"] < 30, "value"].isna().all(), name


def test_one_row_a_figure(tables):
    for name, table in tables.items():
        keys = [column for column in table.columns if column not in FIGURE[1:]]
        assert not table.duplicated(keys).any(), name


def sums(table, figure, group, **where):
    rows = table[table["figure"] == figure]
    for column, values in where.items():
        rows = rows[rows[column].isin(values)]
    assert len(rows)
    whole = rows.dropna(subset="value").groupby(group, sort=False)["value"].sum()
    complete = rows.groupby(group, sort=False)["value"].apply(lambda values: values.notna().all())
    return whole[complete]


USES = ("sail", "cargo", "match", "round", "lap", "order")


def test_sums_of_shares_are_1(tables):
    flags, ports = tables["flags"], tables["ports"]
    for found in (
        sums(tables["seats"], "win_share", CELL),
        sums(flags, "share", [*CELL, "flag", "by"], by=[*USES, "port", "pattern", "pirate_lap"]),
        sums(flags, "share_of_level", [*CELL, "by", "level"], by=USES, flag=["pirate", "plus_one", "ware"]),
        sums(flags, "share", [*CELL, "flag"], by=["used"]),
        sums(ports, "share", [*CELL, "port", "by"], by=[*USES, "flag", "space", "pattern", "pair"]),
        sums(ports, "share_of_level", [*CELL, "by", "level"], by=USES, port=["venice", "rome", "naples"]),
        sums(tables["heat_flag_by_sail"], "share", [*CELL, "row"]),
        sums(tables["heat_ship_by_port"], "share", [*CELL, "row"]),
    ):
        assert len(found)
        np.testing.assert_allclose(found, 1, rtol=1e-12)
    ships = tables["ships"].set_index([*CELL, "ship", "figure"])["value"].unstack()
    np.testing.assert_allclose(ships["taken_share"] + ships["set_aside_share"], 1)
    ports_of_ship = ships[[f"port_{port}_share" for port in ("venice", "rome", "naples")]].sum(axis=1, skipna=False)
    np.testing.assert_allclose(ports_of_ship, 1)


def test_balance_has_its_figures_once_a_cell(tables, cells):
    balance = tables["balance"].set_index(["players", "figure"])["value"]
    for each in cells:
        for figure in BALANCE:
            assert np.isfinite(balance[each.players, figure]), figure
        coins = [balance[each.players, f"coins_{source}_mean"] for source in ("ships", "markers", "bonus", "promotion")]
        assert sum(coins) == pytest.approx(balance[each.players, "score_mean"])
        assert sum(coins) * each.players == pytest.approx(balance[each.players, "payout_mean"])
        assert balance[each.players, "winner_score_mean"] > balance[each.players, "score_mean"]
        shares = tables["seats"].query("players == @each.players and figure == 'win_share'")["value"]
        assert balance[each.players, "seat_gap"] == pytest.approx(shares.max() - shares.min())
    assert list(tables["balance"]["players"].drop_duplicates()) == [3, 5]


def test_flags_against_the_counts(tables, cells):
    counts = cells[1].tallies
    flags = tables["flags"].query("players == 5 and flag == 'ware' and by == 'all'").set_index("figure")
    placed = counts["use"][:, 0, :, 2, :, 0].sum()
    rounds = 5 * 3 * 240
    assert flags["value"]["uses_mean"] == pytest.approx(placed / 240)
    assert flags["value"]["unused_share"] == pytest.approx(1 - placed / rounds)
    assert flags["n"]["unused_share"] == rounds
    assert flags["value"]["pirated_share"] == pytest.approx(counts["pirated"][:, 2].sum() / counts["claim"][:, 2].sum())
    sails = np.arange(16) @ counts["use"][:, 0, :, 2, :, 0].sum(axis=(0, 2))
    assert flags["value"]["sail_mean"] == pytest.approx(sails / placed)


def test_identical_agents_differ_by_exactly_0(same):
    lineup = study_tables(GAME, [same], (), ())["lineup"]
    differences = lineup[lineup["figure"].str.endswith("_minus_position_0")]
    assert sorted(differences["position"].unique()) == [1, 2]
    assert len(differences) == 6
    assert (differences[["value", "low", "high"]] == 0).all(axis=None)


def test_pages_choose_tables(cells):
    found = study_tables(GAME, cells[:1], ["ports"], ["flag-by-sail"])
    assert set(found) == {"balance", "seats", "lineup", "ports", "heat_flag_by_sail"}


def test_tables_do_not_depend_on_the_day(cells, tables):
    again = study_tables(GAME, cells, PAGES, list(HEATMAPS))
    for name, table in tables.items():
        assert table.to_csv() == again[name].to_csv(), name


def test_the_heat_maps_asked_of_this_game_are_there():
    for rows in ("flag", "port"):
        for columns in ("sail", "cargo", "round", "lap", "order"):
            assert f"{rows}-by-{columns}" in HEATMAPS
    assert "port-by-match" in HEATMAPS


@pytest.mark.parametrize(
    ("pages", "heatmaps", "wrong"), [(["ballance"], [], "ballance"), ([], ["flag-by-moon"], "flag-by-moon")]
)
def test_unknown_names_list_the_known_ones(cells, pages, heatmaps, wrong):
    with pytest.raises(InputError) as error:
        study_tables(GAME, cells, pages, heatmaps)
    assert wrong in str(error.value)
    for name in PAGES if pages else HEATMAPS:
        assert name in str(error.value)
    with pytest.raises(InputError, match=wrong):
        GAME.module("pages").tables(cells, pages, heatmaps, None)


# The page


class Page(HTMLParser):
    """Checks that what opens is closed; collects ids, links and words."""

    EMPTY = frozenset({"meta", "br", "img", "link", "hr"})

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.words, self.tags = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            elif name in ("href", "src", "xlink:href") and value:
                self.links.append(value)
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def page(report):
    parser = Page()
    parser.feed(report.read_text("utf-8"))
    parser.close()
    return parser


def test_the_page_is_whole(page):
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    for anchor in (*PAGES, "found", "heatmaps", "plan", "certainty", "reconstructed", "again"):
        assert anchor in page.ids


def test_the_page_needs_nothing_but_itself(page, report):
    for link in page.links:
        assert link.startswith("#")
        assert link[1:] in page.ids
    assert "url(http" not in report.read_text("utf-8")
    assert report.stat().st_size < 6_000_000


def test_every_picture_is_a_file_named_on_the_page(page, report):
    text = "".join(page.words)
    files = sorted((report.parent / "figures").iterdir())
    stems = {file.stem for file in files}
    assert len(files) == 2 * len(stems)
    assert page.tags.count("svg") == len(stems)
    for file in files:
        assert file.suffix in (".png", ".svg")
        assert file.stat().st_size > 500
        assert f"figures/{file.stem}.svg" in text
    assert {f"heat-{name}" for name in HEATMAPS} <= stems
    assert not list(report.parent.rglob("*.tmp"))


def test_the_page_says_what_was_played_and_how_to_again(page):
    text = "".join(page.words)
    assert "A b test" in text
    assert "480 games in all" in text
    assert "strozzi run <a & b>.toml" in text
    assert "0123abcd" in text
    assert "29 ship cards" in text
    assert "test of equal chances" in text or "would be equal" in text
    assert "nan" not in text.lower().split()


def test_the_same_tables_give_the_same_files(tables, manifest, report, tmp_path):
    few = {name: table for name, table in tables.items() if not name.startswith("heat_") or name == "heat_flag_by_sail"}
    again = write_report(tmp_path, manifest, few, GAME)
    for name in ("seats", "ships", "heat-flag-by-sail"):
        for suffix in ("svg", "png"):
            file = f"figures/{name}.{suffix}"
            assert (again.parent / file).read_bytes() == (report.parent / file).read_bytes()


def test_a_report_of_little(tmp_path, same):
    """Few games, one page, a manifest with next to nothing in it, figures of an earlier report."""
    folder = tmp_path / "results"
    (folder / "figures").mkdir(parents=True)
    (folder / "figures" / "old.png").write_bytes(b"old")
    tables = study_tables(GAME, [same], ["balance"], [])
    parser = Page()
    parser.feed(write_report(folder, {"game": "strozzi"}, tables, GAME).read_text("utf-8"))
    assert parser.open == []
    assert "all positions win exactly equally often" in "".join(parser.words)
    assert not (folder / "figures" / "old.png").exists()


def test_several_variants_and_a_single_chunk(tmp_path):
    cells = [cell(3, deals=40, chunks=1, variant=variant) for variant in ("base", "long-tracks")]
    tables = study_tables(GAME, cells, PAGES, ["flag-by-sail"])
    assert tables["seats"]["low"].isna().all()
    variants = {each.variant: each.components for each in cells}
    parser = Page()
    parser.feed(write_report(tmp_path, {"plan": {"variants": variants}}, tables, GAME).read_text("utf-8"))
    assert parser.open == []
    assert "too few" in "".join(parser.words)
