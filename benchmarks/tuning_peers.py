"""Compare `strozzi tune` with general optimisers: games until a changed box is shown to meet all targets.

    pip install optuna cmaes
    python benchmarks/tuning_peers.py --searches 10 --deals 60000

The boxes are those of `tuning_truth.py planted` (figures by a formula, noise as of games), spoilt in one to three
numbers. Every method meets the same noise, may play MOST times the games of `tune` on the same plant, and proves a box
as `tune` does: on new deals, at up to LOOKS looks, with intervals that hold for all boxes it tried to prove. A method
that is no search of its own minimises the largest distance from a range, in tolerances, from a number of deals a box.

A row of JSON for each method and plant, then a table.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import cmaes
import numpy as np
import optuna
from tuning_truth import FIGURES, KEYS, START, TOLERANCE, Planted, spoilt_box

from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import Variant, with_values
from strozzi_sim.stats.intervals import Array
from strozzi_sim.study.box_numbers import tunable_numbers
from strozzi_sim.study.targets import MET, MISSED, Target
from strozzi_sim.study.tuning import LOOKS, PER_LOOK, Search

MOST = 10  # times as many games as `tune` played, at most
CHUNKS = 20
NEVER = float("inf")

Point = dict[str, float]  # changed values by key
Method = Callable[["Plant", int], Iterator[Point]]


class Spent(Exception):
    """All games that a method may play are played."""


@dataclass
class Row:
    """Result of a method on a plant."""

    method: str
    seed: int
    planted: int
    games: float = NEVER  # until a box was shown to meet all targets
    ratio: float = NEVER  # of these games to those of tune
    changes: int = 0
    is_true: bool = False  # whether the true figures of that box lie in all ranges
    proofs: int = 0  # boxes that it tried to prove
    seconds: float = 0.0


class Plant:
    """A spoilt box, its targets, and the games that a method played."""

    def __init__(self, seed: int, deals: int) -> None:
        self.game, self.seed, self.deals = load_game("strozzi"), seed, deals
        published = Variant.of(self.game)
        self.planted = Planted(self.game, tunable_numbers(self.game, published, KEYS), seed)
        self.changes = 1 + seed % 3
        self.box = spoilt_box(self.planted, published, self.changes, np.random.default_rng([seed, 3]))
        self.numbers = tunable_numbers(self.game, self.box, KEYS)
        want = self.planted.figures(published)
        self.targets = [
            Target(f"target {k}", (k,), want[k] - TOLERANCE[k], want[k] + TOLERANCE[k], TOLERANCE[k], "value", figure)
            for k, figure in enumerate(FIGURES)
        ]
        self.most = NEVER
        self.proofs = 0

    def begin(self, most: float) -> None:
        """Forget the games of another method; the noise begins anew."""
        self.planted.random = np.random.default_rng([self.seed, 1])
        self.planted.games = self.proofs = 0
        self.most = most

    def boxed(self, point: Point) -> Variant:
        """Return the box with changed values. Raises InputError if the game refuses one."""
        return with_values(self.game, self.box, point) if point else self.box

    def loss(self, point: Point, deals: int) -> float:
        """Return the largest distance from a range on so many deals, in tolerances. Raises Spent."""
        if self.planted.games > self.most:
            raise Spent
        try:
            figures, _ = self.planted.play([self.boxed(point)], deals, CHUNKS)
        except InputError:
            return 1e3
        value = figures[0].mean(axis=0)
        return float(max(target.loss(value[target.columns[0]]) for target in self.targets))

    def is_proved(self, point: Point) -> bool:
        """Return whether a box is shown to meet all targets on new deals. The k-th proof spends 1 / k (k + 1)."""
        self.proofs += 1
        at_once = len(self.targets) * LOOKS * self.proofs * (self.proofs + 1)
        box = self.boxed(point)
        parts = np.empty((0, len(START)))
        for _ in range(LOOKS):
            if self.planted.games > self.most:
                raise Spent
            figures, _ = self.planted.play([box], self.deals // LOOKS, PER_LOOK)
            parts = np.concatenate([parts, figures[0]])
            ends = [target.interval(parts, parts, at_once) for target in self.targets]
            found = {target.status(low, high) for target, (low, _, high) in zip(self.targets, ends, strict=True)}
            if found == {MET}:
                return True
            if MISSED in found:
                return False
        return False

    def changed(self, values: dict[int, float]) -> Point:
        """Return the values that differ from the box's own, by key."""
        return {self.numbers[k].key: value for k, value in values.items() if value != self.numbers[k].value}


def random_search(plant: Plant, deals: int) -> Iterator[Point]:
    """Yield the best of more and more boxes of one to three numbers, whenever it seems to do."""
    random = np.random.default_rng([plant.seed, 5])
    while True:
        chosen = random.choice(len(plant.numbers), random.integers(1, 4), replace=False)
        point = plant.changed({int(k): random.choice(plant.numbers[k].values).item() for k in chosen})
        if plant.loss(point, deals) <= 0:
            yield point


def coordinate_descent(plant: Plant, deals: int) -> Iterator[Point]:
    """Yield the box reached by moving one number after the other to the best of its values, in rounds."""
    random = np.random.default_rng([plant.seed, 6])
    values = {k: number.value for k, number in enumerate(plant.numbers)}
    while True:
        for k in random.permutation(len(plant.numbers)):
            tried = {values[int(k)], *plant.numbers[k].moved(1, (6, 3, 1)), *plant.numbers[k].moved(-1, (6, 3, 1))}
            tried |= {plant.numbers[k].at(steps) for steps in (-6, -3, -1, 1, 3, 6)}
            found = {each: plant.loss(plant.changed({**values, int(k): each}), deals) for each in sorted(tried)}
            values[int(k)] = min(found, key=lambda each: found[each])
            if min(found.values()) <= 0:
                yield plant.changed(values)


def tpe(plant: Plant, deals: int) -> Iterator[Point]:
    """Yield what Optuna's tree-structured Parzen estimator finds."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=plant.seed))
    while True:
        trial = study.ask()
        values = {
            k: number.values[trial.suggest_int(number.key, 0, len(number.values) - 1)]
            for k, number in enumerate(plant.numbers)
        }
        point = plant.changed(values)
        loss = plant.loss(point, deals)
        study.tell(trial, loss)
        if loss <= 0:
            yield point


def cma_es(plant: Plant, deals: int) -> Iterator[Point]:
    """Yield what the evolution strategy with covariance matrix adaptation finds, from the box; it starts anew at its end."""
    size = len(plant.numbers)
    low = np.array([number.positions[0] for number in plant.numbers])
    high = np.array([number.positions[-1] for number in plant.numbers])
    for start in range(10**6):
        seed = plant.seed + 10_000 * start
        search = cmaes.CMA(np.zeros(size), 2.0, bounds=np.stack([low - 0.01, high + 0.01], axis=1), seed=seed)
        while not search.should_stop():
            told = []
            for _ in range(search.population_size):
                steps = search.ask()
                point = plant.changed({k: plant.numbers[k].at(float(each)) for k, each in enumerate(steps)})
                loss = plant.loss(point, deals)
                told.append((steps, loss))
                if loss <= 0:
                    yield point
            search.tell(told)


METHODS: dict[str, Method] = {"random": random_search, "coordinates": coordinate_descent, "tpe": tpe, "cmaes": cma_es}


def by_tune(plant: Plant) -> Row:
    """Return what `tune` reaches on a plant."""
    plant.begin(NEVER)
    start = time.process_time()
    search = Search(plant.game, plant.box, plant.targets, plant.numbers, plant.planted.play, deals=plant.deals, most=3)
    search.run()
    row = Row("tune", plant.seed, plant.changes, proofs=len(search.ladder))
    row.seconds = round(time.process_time() - start, 1)
    met = sorted((rung for rung in search.ladder if search.status(rung) == MET), key=len)
    if met:
        row.games = plant.planted.games
        row.ratio = 1.0
        row.changes = len(met[0])
        row.is_true = holds(plant, search.variants[met[0]])
    plant.most = plant.planted.games
    return row


def by_method(plant: Plant, name: str, deals: int, most: float) -> Row:
    """Return what a method reaches on a plant with at most so many games."""
    plant.begin(most)
    row = Row(f"{name}, {deals} deals a box", plant.seed, plant.changes)
    start = time.process_time()
    try:
        for point in METHODS[name](plant, deals):
            if plant.is_proved(point):
                row.games = plant.planted.games
                row.changes = len(point)
                row.is_true = holds(plant, plant.boxed(point))
                break
    except Spent:
        pass
    row.proofs = plant.proofs
    row.seconds = round(time.process_time() - start, 1)
    return row


def holds(plant: Plant, box: Variant) -> bool:
    """Return whether the true figures of a box lie in all ranges."""
    truth: Array = plant.planted.figures(box)
    return all(target.low <= truth[target.columns[0]] <= target.high for target in plant.targets)


def main() -> None:
    """Run every method on every plant, print a row for each and then the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--searches", type=int, default=10)
    parser.add_argument("--deals", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--per-box", default="1000,4000", help="deals of a box while a method searches")
    options = parser.parse_args()
    rows: list[Row] = []

    def told(row: Row) -> None:
        rows.append(row)
        print(json.dumps(asdict(row)), flush=True)

    for seed in range(options.seed, options.seed + options.searches):
        plant = Plant(seed, options.deals)
        told(by_tune(plant))
        of_tune = plant.most
        for name in options.methods.split(","):
            for deals in map(int, options.per_box.split(",")):
                row = by_method(plant, name, deals, MOST * of_tune)
                row.ratio = round(row.games / of_tune, 2)
                told(row)
    print(f"{'method':28} solved  true  median games  times tune's  changed numbers  proofs  seconds")
    for name in dict.fromkeys(row.method for row in rows):
        own = [row for row in rows if row.method == name]
        solved = [row for row in own if row.games < NEVER]
        changed: Any = sorted({row.changes for row in solved})
        print(
            f"{name:28} {len(solved):3} of {len(own):<3} {sum(row.is_true for row in solved):3}  "
            f"{median(row.games for row in own):12,.0f}  {median(row.ratio for row in own):12.1f}  "
            f"{f'{changed[0]}-{changed[-1]}' if changed else '':>15}  {median(row.proofs for row in own):6}  "
            f"{median(row.seconds for row in own):7.1f}"
        )


if __name__ == "__main__":
    main()
