"""The page of a tournament: everything of its tables is on it, in their order, and it stands alone."""

import re

import numpy as np
import pytest
from planning import comparison_of, tournament_of
from strozzi_sim.studies.progress import Progress
from strozzi_sim.studies.results import load_results
from strozzi_sim.studies.run import run_study

from page_text import assert_stands_alone, text_of
from strozzi_games import STROZZI
from strozzi_sim.cli.app import run
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.reports.writing import write_report
from strozzi_sim.runtime.digits import rounded
from study_database import chunks

pytestmark = pytest.mark.slow


FIELD = ["heuristic", "random", "greedy", "trader"]


def played(folder, field=FIELD, **options):
    settings = {"players": [3], "deals": 20, "seatings": "rotate"} | options
    made = tournament_of(STROZZI, field, **settings)
    stopping_rule = made.stopping_rule()
    progress = Progress(command="strozzi tournament strozzi <&>")
    return run_study(made.plan, folder, workers=1, tables=made.tables, stopping_rule=stopping_rule, progress=progress)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tournament") / "r"
    found = played(folder, players=[3, 4], variants=["base", "long-tracks"])
    write_report(folder, found.manifest, found.tables, STROZZI)
    return found


def test_the_page_stands_alone(results):
    page = (results.folder / "report.html").read_text()
    assert_stands_alone(page)
    assert "strozzi tournament strozzi &lt;&amp;&gt;" in page
    assert len(set(re.findall(r'class="link svg" data-name="([^"]+)"', page))) == 4 + 2  # strengths, seats
    assert page.count('<table class="heat"') == 4  # pairs


def test_a_dollar_in_a_name_begins_no_formula(results, tmp_path):
    name = r"$\frac{$"
    frames = {table: frame.replace("greedy", name) for table, frame in results.tables.items()}
    page = write_report(tmp_path, results.manifest, frames, STROZZI).read_text()
    assert page.count(f'<th scope="row">3 {name}</th>') >= 4  # in every table of the pairs
    assert page.count(f">3 {name} (") >= 4  # in every picture of strengths


def test_the_standing_is_that_of_the_table(results):
    text = text_of((results.folder / "report.html").read_text())
    ratings = results.tables["ratings"].query("figure == 'strength'")
    for (players, variant), group in ratings.groupby(["players", "variant"]):
        order = list(group.sort_values("value", ascending=False)["agent"])
        part = text[text.index("The standing in figures") :]
        part = part[part.index(f"{players} players, variant {variant}") :]
        places = [part.index(f" {number} {agent} ") for number, agent in enumerate(order, 1)]
        assert places == sorted(places)
    best = ratings.iloc[ratings["value"].argmax()]
    assert rounded((best.value,), (best.high - best.low) / 2, 2)[0] in text
    share = results.tables["agents"].query("figure == 'win_share'").iloc[0]
    assert rounded((100 * share.value,), 50 * (share.high - share.low), 1)[0] in text
    assert "20 deals each" in text
    assert re.search(r"At 3 players, variant base \w+ (is the strongest of 4|did best)", text)


def test_the_pairs_are_those_of_the_table(results):
    page = (results.folder / "report.html").read_text()
    drawn = page[page.index('id="pairs"') :]
    drawn = drawn[drawn.index("Who finishes ahead of whom: 4 players, variant long-tracks") :]
    drawn = drawn[: drawn.index("</table>")]
    pairs = results.tables["pairwise"].query("players == 4 and variant == 'long-tracks'")
    assert len(pairs) == 12
    order = [name.split(" ")[1] for name in re.findall(r'<th scope="row">(\d \w+)</th>', drawn)]
    assert sorted(order) == sorted(FIELD)
    for row, agent in zip(re.findall(r"<tr>(<th scope=\"row\">.*?)</tr>", drawn, re.DOTALL), order, strict=True):
        values = [float(value) for value in re.findall(r'data-v="([^"]+)"', row)]
        rivals = [rival for rival in order if rival != agent]
        wanted = pairs[pairs["agent"] == agent].set_index("opponent")["value"]
        assert values == pytest.approx([wanted[rival] for rival in rivals], rel=1e-5)


def test_written_again_it_is_the_same(results, capsys):
    page = (results.folder / "report.html").read_bytes()
    (results.folder / "figures" / "mine.svg").write_text("")
    assert run(["report", str(results.folder)]) == 0
    assert "report: " in capsys.readouterr().out
    assert (results.folder / "report.html").read_bytes() == page
    assert (results.folder / "figures" / "mine.svg").exists()
    assert load_results(results.folder).n_games == results.n_games


def test_a_weaker_agent_that_beats_a_stronger_one_is_named(results):
    frames = {name: frame.copy() for name, frame in results.tables.items()}
    pairs, ratings = frames["pairwise"], frames["ratings"]
    here = (ratings["players"] == 3) & (ratings["variant"] == "base") & (ratings["figure"] == "strength")
    order = list(ratings[here].sort_values("value", ascending=False)["agent"])
    odd = (pairs["players"] == 3) & (pairs["variant"] == "base") & (pairs["agent"] == order[3])
    pairs.loc[odd & (pairs["opponent"] == order[0]), ["value", "low", "high"]] = 0.7, 0.6, 0.8
    page = write_report(results.folder, results.manifest, frames, STROZZI).read_text()
    assert f"<code>{order[3]}</code> finished ahead of <code>{order[0]}</code> in 70" in page
    assert "against the ranking" in page
    pairs.loc[odd & (pairs["opponent"] == order[0]), ["value", "low", "high"]] = 0.58, 0.505, 0.65
    page = write_report(results.folder, results.manifest, frames, STROZZI).read_text()
    assert "against the ranking" not in page  # one of six pairs looks like this by chance more often than in 1 of 20
    write_report(results.folder, results.manifest, results.tables, STROZZI)


def test_few_games_and_a_rule_to_stop(tmp_path):
    few = played(tmp_path / "few", ["random", "greedy", "trader"], deals=2)
    text = text_of(write_report(tmp_path / "few", few.manifest, few.tables, STROZZI).read_text())
    assert "there are too few games for an interval of its rank" in text
    assert np.isnan(few.tables["ratings"]["value"]).all()
    long = "heuristic:keep_pirate=1,risk=0.25"
    stopped = played(tmp_path / "until", [long, "random", "greedy"], deals=300, until="0.2")
    assert stopped.manifest["deals"] < 300
    text = text_of(write_report(tmp_path / "until", stopped.manifest, stopped.tables, STROZZI).read_text())
    assert "win shares to within 0.2; at most 300 deals" in text
    assert f"{stopped.manifest['deals']} deals each" in text
    assert "win_share_anytime" in text
    assert long in text
    parts = len(chunks(tmp_path / "until")) // stopped.manifest["cells"]
    assert parts < stopped.manifest["plan"]["chunks"]
    assert f"The deals are divided into {parts} parts" in text  # those played, not those planned


def test_a_comparison_has_no_page(tmp_path):
    made = comparison_of(STROZZI, "random", "greedy", against=["random"], players=[3], deals=3)
    run_study(made.plan, tmp_path / "r", workers=1, tables=made.tables)
    with pytest.raises(InputError, match="holds a comparison, whose report is written when it is played"):
        load_results(tmp_path / "r")


def test_nash_averaging_of_two_players(tmp_path, results):
    game = load_game("medici_vs_strozzi")
    made = tournament_of(game, ["random", "fixed-price:value=8", "fixed-price:value=4"], players=[2], deals=40)
    found = run_study(made.plan, tmp_path / "two", workers=1, tables=made.tables)
    write_report(tmp_path / "two", found.manifest, found.tables, game)
    text = text_of((tmp_path / "two" / "report.html").read_text())
    weights = found.tables["nash"].query("figure == 'weight' and value > 0")
    assert len(weights) == 1, "one of the three beats the others"
    assert f"the mixture that no agent beats is {weights['agent'].iloc[0]} (100.0" in text
    assert "Weights, and scores against the mixture" in text
    assert "Which mixture of agents is unbeaten?" in text
    assert results.tables["nash"].empty, "of three and more players"
    assert "Which mixture" not in text_of((results.folder / "report.html").read_text())
