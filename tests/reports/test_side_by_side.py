"""Several studies beside each other, and the pages of a batch."""

from types import SimpleNamespace

import numpy as np
import pytest
from strozzi_sim.studies.changes import CHANGED, changes_between
from strozzi_sim.studies.results import load_results
from strozzi_sim.studies.side_by_side import side_by_side

import strozzi_sim as ss
from strozzi_sim.errors import InputError
from strozzi_sim.game.reporting import THIN
from strozzi_sim.reports.batch import lineup_pages
from strozzi_sim.reports.changes import change_estimate
from strozzi_sim.reports.writing import answer_of, write_report


def study(name, **more):
    keys = {"game": "strozzi", "players": [3], "deals": 400, "lineups": [["random"]], "report": {"pages": ["balance"]}}
    return ss.run(ss.Study(name=name, **(keys | more)))


@pytest.fixture(scope="module")
def three():
    return study("one", seed=1), study("two", seed=2), study("long", seed=3, variants=["long-tracks"])


def test_studies_become_variants_and_keep_their_figures(three):
    together = side_by_side(three)
    assert list(together.tables["seats"]["variant"].unique()) == ["one", "two", "long"]
    assert together.n_games == sum(each.n_games for each in three)
    whole = together.tables["balance"]
    for each, name in zip(three, ("one", "two", "long"), strict=True):
        own = whole[whole["variant"] == name].drop(columns="variant")
        assert own.reset_index(drop=True).equals(each.tables["balance"].drop(columns="variant"))


def test_differences_are_those_of_the_figures_and_their_intervals_add(three):
    one, two, _ = three
    found = changes_between(dict(one.tables), dict(two.tables), ("one", "two")).query(
        "figure == 'score_mean' and table == 'balance'"
    )
    (row,) = found.itertuples(index=False)
    before, after = (each.tables["balance"].query("figure == 'score_mean'").iloc[0] for each in (one, two))
    assert row.value == pytest.approx(after["value"] - before["value"])
    wide = np.hypot(after["high"] - after["value"], before["value"] - before["low"])
    assert row.high - row.value == pytest.approx(wide)
    assert row.verdict != CHANGED


def test_what_is_different_is_found(three):
    changes = side_by_side(three).tables["changes"]
    scores = changes.query("table == 'balance' and figure == 'score_mean'").set_index("variant")["verdict"]
    assert scores["long"] == CHANGED
    assert scores["two"] != CHANGED


def test_no_variant_is_left_out(three):
    """A variant is compared with its namesake of the first study, or with that study's first variant."""
    one, _, _ = three
    both = study("both", seed=4, variants=["base", "long-tracks"])
    more = study("more", seed=5, variants=["base", "long-tracks"])

    def pairs(*studies):
        changes = side_by_side(studies).tables["changes"]
        return list(dict.fromkeys(zip(changes["than"], changes["variant"], strict=True)))

    assert pairs(one, both) == [("one", "both: base"), ("one", "both: long-tracks")]
    assert pairs(both, one) == [("both: base", "both: long-tracks"), ("both: base", "one")]
    assert pairs(both, more) == [
        ("both: base", "both: long-tracks"), ("both: base", "more: base"), ("both: long-tracks", "more: long-tracks"),
    ]  # fmt: skip
    changes = side_by_side((one, both)).tables["changes"].query("table == 'balance' and figure == 'score_mean'")
    verdicts = changes.set_index("variant")["verdict"]
    assert (verdicts["both: long-tracks"], verdicts["both: base"] == CHANGED) == (CHANGED, False)
    before, after = (
        frame.query(f"variant == '{variant}' and figure == 'score_mean'")["value"].iloc[0]
        for frame, variant in ((one.tables["balance"], "base"), (both.tables["balance"], "long-tracks"))
    )
    assert changes.set_index("variant")["value"]["both: long-tracks"] == pytest.approx(after - before)
    together = side_by_side((one, both))
    answer = answer_of(together.manifest, together.tables, together.game)
    assert "both: long-tracks" in answer.verdict


@pytest.mark.parametrize(
    ("value", "low", "high", "unit", "said"),
    [
        (0.075, 0.066, 0.084, "share", "7.5 ± 0.9 points"),
        (0.023, 0.007, 0.039, "share", "2 (1 to 4) points"),
        (0.023, 0.0003, 0.0457, "share", "2.30 (0.03 to 4.57) points"),
        (2.4, 0.4, 4.4, "amount", "2.4 (0.4 to 4.4)"),
        (-0.023, -0.039, -0.007, "share", "−2 (−4 to −1) points"),
        (0.004, -0.012, 0.02, "share", "0 ± 2 points"),
        (0.03, 0.03, 0.03, "share", "3.0 ± 0 points"),
    ],
)
def test_a_known_change_does_not_look_like_none(value, low, high, unit, said):
    """Rounded, 2.3 (0.7 to 3.9) would be 2 ± 2 points, which reads as not known."""
    row = SimpleNamespace(value=value, low=low, high=high)
    assert change_estimate(row, unit).replace(THIN, " ") == said


def test_the_page_says_that_differences_are_not_paired(three, tmp_path):
    text = side_by_side(three).report(tmp_path / "page.html").read_text("utf-8")
    assert "not paired" in text
    assert "on the same deals" not in text
    assert all(name in text for name in ("one", "two", "long"))


def test_two_studies_of_one_name_are_told_apart(three):
    assert len(set(side_by_side([three[0], three[0]]).tables["seats"]["variant"])) == 2


def test_only_studies_of_one_game_are_laid_side_by_side(three):
    other = ss.run(ss.Study(name="other", game="medici_vs_strozzi", deals=50, lineups=[["random"]]))
    with pytest.raises(InputError, match="different games: strozzi, medici_vs_strozzi"):
        side_by_side([three[0], other])
    with pytest.raises(InputError, match="holds no study"):
        side_by_side([three[0], ss.compare("strozzi", "greedy", "random", players=3, deals=20)])
    with pytest.raises(InputError, match="two or more"):
        side_by_side(three[:1])


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    folder = tmp_path_factory.mktemp("batch") / "results"
    lineups = [["random"], ["greedy"], ["heuristic"], ["racer"], ["trader"]]
    made = ss.Study(
        name="batch", game="strozzi", players=[3], deals=60, lineups=lineups,
        report={"pages": ["balance"], "heatmaps": ["flag-by-round"], "explorer": False},
    )  # fmt: skip
    ss.run(made, folder)
    results = load_results(folder)
    write_report(folder, results.manifest, results.tables, results.game)
    return results


@pytest.mark.slow
def test_a_batch_has_a_page_for_each_line_up_and_an_index(batch):
    pages = sorted(path.name for path in (batch.folder / "styles").iterdir())
    assert pages == ["00-random.html", "01-greedy.html", "02-heuristic.html", "03-racer.html", "04-trader.html"]
    index = (batch.folder / "report.html").read_text("utf-8")
    assert all(f'href="styles/{page}"' in index for page in pages)
    assert "Played by racer" in (batch.folder / "styles" / "03-racer.html").read_text("utf-8")


def test_the_page_of_a_line_up_tells_of_it_alone(batch):
    for part in lineup_pages(batch.manifest, batch.tables):
        assert set(part.tables["seats"]["lineup"]) == {part.lineup}
        assert part.lineup in answer_of(part.manifest, part.tables, batch.game).verdict


def test_a_few_line_ups_share_a_page(three):
    assert list(lineup_pages(three[0].manifest, three[0].tables)) == []
