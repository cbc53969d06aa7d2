"""Whatever a study asks for, its plan counts the facts that its tables read; what was not counted is named."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from strozzi_sim.studies import tables
from strozzi_sim.studies.cells import CellCounts
from strozzi_sim.studies.planning import make_plan
from strozzi_sim.studies.worth import KEYS, add_worth

import strozzi_sim as ss
from our_games import OUR_GAMES
from strozzi_sim.agent import find_agent
from strozzi_sim.errors import InputError
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game import load_game
from strozzi_sim.game.reporting import FigureTable
from strozzi_sim.game.restricting import things
from strozzi_sim.game.variants import resolve_variant

CHUNKS = 2
READ = set()


class Read(CellCounts):
    """A cell in which nothing was counted yet; what tables read of any such cell is collected."""

    def count(self, crosstab):
        READ.add(crosstab)
        return super().count(crosstab)


def cell_of(plan, cell):
    match, counted = cell.match, cell.match.plan(plan.counted_in(cell))
    return Read(
        match.players, match.variant.name, cell.lineup, tuple(spec.text for spec in match.positions), cell.selfplay,
        cell.deals, match.variant.components, np.zeros(CHUNKS, plan.outcome), np.zeros((CHUNKS, counted.size), np.int64), counted,
    )  # fmt: skip


def read_by(plan):
    """Return the crosstabs that the tables of a plan read, by making these tables of no games."""
    READ.clear()
    cells = [cell_of(plan, cell) for cell in plan.lineup_cells]
    tables.study_tables(plan.game, cells, plan.pages, plan.heatmaps, (), explored=plan.explored)
    if plan.worth:
        table, free = FigureTable(*KEYS), next(cell for cell in cells if cell.selfplay)
        for cell in plan.cells:
            if cell.thing:
                add_worth(table, free, cell_of(plan, cell), cell.thing, plan.things[cell.thing])
    return set(READ)


def planned(game, pages=(), heatmaps=(), explorer=False, facts=(), sweep=None, worth=()):
    game = load_game(game)
    lineup = [find_agent("random", game)]
    return make_plan(
        "x", game, [lineup], [resolve_variant(game, "base")], [min(game.player_counts)], 10,
        pages=pages, heatmaps=heatmaps, explorer=explorer, facts=facts, sweep=sweep, worth=worth,
    )  # fmt: skip


def key_of(game):
    """Return a number of the components, and its value and the next."""
    from strozzi_sim.studies.weights import steps

    step = next(step for step in steps(game, resolve_variant(game, "base"))[0] if step.after > step.before)
    return {step.key: [step.before, step.after]}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of figures of no games
@pytest.mark.parametrize("name", OUR_GAMES)
def test_every_crosstab_that_a_table_reads_is_held(name):
    """Of each page and map alone, and of all pages, maps, the explorer, kept facts, a sweep and a worth in every combination."""
    game = load_game(name)
    pages, maps = list(game.report.PAGES), list(game.report.HEATMAPS)
    worth = [next(thing for thing, use in things(game, resolve_variant(game, "base")).items() if use)]
    alone = {"": {}, **{page: {"pages": [page]} for page in pages}, **{each: {"heatmaps": [each]} for each in maps}}
    read = {part: read_by(planned(name, **asked)) for part, asked in alone.items()}
    read |= {"worth": read_by(planned(name, worth=worth)), "explorer": read_by(planned(name, explorer=True))}
    facts = [table.name for table in game.fact_tables]
    ways = product(([], pages), ([], maps), (False, True), ([], facts), (None, key_of(game)), ([], worth))
    for some_pages, some_maps, explorer, kept, sweep, thing in ways:
        asked = {"pages": some_pages, "heatmaps": some_maps, "explorer": explorer, "facts": kept, "sweep": sweep}
        plan = planned(name, **asked, worth=thing)
        parts = ["", *some_pages, *some_maps, *(["explorer"] if plan.explored else []), *(["worth"] if thing else [])]
        for cell in plan.lineup_cells:
            counted = cell.match.plan(plan.counted_in(cell))
            for part in parts:
                assert not [each for each in read[part] if not counted.can_answer(each)], (part, asked, thing)


def test_what_no_cube_holds_is_named():
    plan = planned("strozzi", pages=["balance"])
    (cell,) = plan.cells
    counted = cell.match.plan(plan.counted)
    missing = Crosstab("card", ("claimed_by", "lap"))
    assert not counted.can_answer(missing)
    with pytest.raises(
        InputError, match="table card by claimed_by, lap: its rows were not counted in this study; counted"
    ):
        counted.read(missing, np.zeros((1, counted.size), np.int64))
    nothing = replace(plan, asked=(), counted=())
    with pytest.raises(
        InputError, match=r"table .*: its rows were not counted in this study; counted are rows of none"
    ):
        read_by(nothing)


def test_a_study_that_counts_little_has_no_heat_maps():
    """A worth study counts the uses of things alone: a map of anything else would read what no game counted."""
    for results in (
        ss.worth("strozzi", "flag:ware", 3, "random", deals=30, workers=1),
        ss.compare("strozzi", "random", "greedy", 3, deals=30, workers=1),
    ):
        with pytest.raises(InputError, match="heatmap: only `simulate` and studies with a report count the facts"):
            results.heatmap("seat", "round", "mean coins", fact="round")
