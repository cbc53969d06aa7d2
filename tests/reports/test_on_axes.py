"""Pictures on matplotlib axes of the user's, and how figures are counted."""

import pytest
from matplotlib.figure import Figure
from strozzi_sim.reports.study_page import definitions_of

import strozzi_sim as ss
from strozzi_sim.errors import ArgumentError


@pytest.fixture(scope="module")
def results():
    return ss.simulate("strozzi", players=[3, 4], agents=["random"], deals=300)


def test_a_picture_is_drawn_on_given_axes_with_the_figures_of_its_table(results):
    axes = Figure().subplots()
    assert results.plot("seats", ax=axes) is axes
    drawn = [float(y) for y in axes.containers[0].lines[0].get_ydata()]
    table = results.tables["seats"].query("players == 4 and figure == 'win_share'")
    assert drawn == pytest.approx(list(100 * table["value"]))
    assert axes.get_ylabel() == "games won, %"
    assert axes.lines[-1].get_ydata()[0] == pytest.approx(25)  # an equal share


def test_the_player_count_is_an_argument(results):
    axes = results.plot("seats", ax=Figure().subplots(), players=3)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0", "1", "2"]
    with pytest.raises(ArgumentError, match=r"players: 5: this picture has \[3, 4\]"):
        results.plot("seats", ax=Figure().subplots(), players=5)


def test_pictures_of_other_kinds_are_refused_by_name(results):
    with pytest.raises(ArgumentError, match="kind spread cannot be drawn on given axes"):
        results.plot("scores", ax=Figure().subplots())
    with pytest.raises(ArgumentError, match="no picture 'seat'"):
        results.plot("seat", ax=Figure().subplots())


def test_every_figure_of_a_page_says_how_it_is_counted(results):
    known = definitions_of(results.tables, results.game)
    for name in ("seats", "balance", *results.game.report.PAGES):
        missing = set(results.tables[name]["figure"]) - known.keys()
        assert not missing, (name, missing)
    assert known["ship_prize_mean"] == "sum of prize / number of rows; rows of ship"
    assert known["leader_1_wins_share"].startswith("sum of win / number of rows")
