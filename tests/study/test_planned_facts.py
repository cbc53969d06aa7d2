"""Whatever a study asks for, it counts the facts that its tables read; a table whose facts were not counted is named."""

from itertools import product

import numpy as np
import pytest

import strozzi_sim as ss
from our_games import OUR_GAMES
from strozzi_sim.declare.pages import report_of
from strozzi_sim.errors import InputError
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game import load_game
from strozzi_sim.game.restricting import things
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.simulation.match import outcome_dtype
from strozzi_sim.study.cells import CellCounts
from strozzi_sim.study.folders import study_of
from strozzi_sim.study.kinds.weights import steps

CHUNKS = 2
READ = set()


class Read(CellCounts):
    """A cell in which nothing was counted yet; what tables read of any such cell is collected."""

    def count(self, crosstab):
        READ.add(crosstab)
        return super().count(crosstab)


def read_by(study, look):
    """Return the crosstabs that the tables of a study read, by making these tables of no games."""
    READ.clear()

    def counts(cell):
        plan = cell.match.plan(() if cell.without else study.facts(look))
        outcome = np.zeros(CHUNKS, outcome_dtype(bool(study.luck), study.counts_answers))
        nothing = np.zeros((CHUNKS, plan.size), np.int64)
        return Read(**vars(cell), outcome=outcome, counts=nothing, plan=plan)

    study.tables(counts, look)
    return set(READ)


def planned(game, **asked):
    players = [min(load_game(game).player_counts)]
    return study_of({"game": game, "players": players, "deals": 10, "lineups": [["random"]], "pages": [], **asked})


def two_values(game):
    """Return a number of the components, and its value and the next."""
    step = next(step for step in steps(game, resolve_variant(game, "base")) if step.after > step.before)
    return {step.key: [step.before, step.after]}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of figures of no games
@pytest.mark.slow_for("medici_vs_strozzi", "strozzi")
@pytest.mark.parametrize("name", OUR_GAMES)
def test_every_crosstab_that_a_table_reads_is_held(name):
    """Of each page and map alone, and of all pages, maps, the explorer, a sweep and a worth in every combination."""
    game = load_game(name)
    pages, maps = list(report_of(game).pages), list(report_of(game).heat_maps)
    worth = [next(name for name, thing in things(game, resolve_variant(game, "base")).items() if thing.use)]
    alone = {"": {}, **{page: {"pages": [page]} for page in pages}, **{each: {"heatmaps": [each]} for each in maps}}
    alone |= {"worth": {"worth": worth}, "explorer": {"explorer": True}}
    read = {part: read_by(*planned(name, **asked)) for part, asked in alone.items()}
    ways = product(({}, {"pages": pages}), ({}, {"heatmaps": maps}), ({}, {"explorer": True}), ({}, {"worth": worth}, {"sweep": two_values(game)}))  # fmt: skip
    for way in ways:
        asked = {key: value for each in way for key, value in each.items()}
        study, look = planned(name, **asked)
        parts = ["", *asked.get("pages", ()), *asked.get("heatmaps", ()), *(each for each in ("explorer", "worth") if each in asked)]  # fmt: skip
        for cell in study.cells:
            if not cell.without:
                counted = cell.match.plan(study.facts(look))
                for part in parts:
                    assert not [each for each in read[part] if not counted.can_answer(each)], (part, asked)


def test_a_crosstab_that_was_not_counted_is_named():
    study, look = planned("strozzi", pages=["balance"])
    counted = study.cells[0].match.plan(study.facts(look))
    missing = Crosstab("card", ("claimed_by", "lap"))
    assert not counted.can_answer(missing)
    with pytest.raises(InputError, match="table card by claimed_by, lap: not counted in this study"):
        counted.read(missing, np.zeros((1, counted.size), np.int64))


def test_a_kind_without_facts_has_no_heat_maps(tmp_path):
    """A comparison counts no facts: a map would read what no game counted."""
    ss.compare("strozzi", "random", "greedy", players=3, deals=30, workers=1, folder=tmp_path)
    with pytest.raises(InputError, match=r"source: .*a compare_agents has no facts, which a heat map needs"):
        ss.heatmap(tmp_path, rows="seat", columns="round", value="mean coins", fact="round")
