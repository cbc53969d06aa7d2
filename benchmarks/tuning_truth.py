"""Check the claims of `strozzi tune` in searches whose answer is known.

    python benchmarks/tuning_truth.py planted --searches 60   # figures with a known formula, no games
    python benchmarks/tuning_truth.py real strozzi --searches 4 --deals 60000
    python benchmarks/tuning_truth.py matrix strasbourg --searches 4

Planted: a box of Strozzi's numbers with four figures that follow slopes, bends and products drawn at random; one to
three numbers are spoilt so that a figure moves by at least five tolerances. `unreachable`, `conflict`, `already` and
`pair` (two numbers that do nothing alone) are searches of the same kind with that truth. Real: the figures are measured
in the published box, the box is spoilt, and what `tune` calls met is played again on 200,000 fresh games. Matrix: the
form of the Tabletop Games Balancing Competition. Three agents' shares of wins among copies of each other, and the first
player's share, are measured in a box three numbers away; the published box is tuned to them, and the best box of the
ladder is played again on 100,000 games of each pair: score = 1000 - 1000 * mean(|distance| / 0.25).

Every search has a seed of its own, from --seed on. A row of JSON for each, then the counts.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import permutations, product
from typing import Any

import numpy as np
import pandas as pd

import strozzi_sim as ss
from strozzi_sim.errors import InputError
from strozzi_sim.facts.figures import DECISIONS, SCORE, WIN_SHARE
from strozzi_sim.game import Game, load_game
from strozzi_sim.game.variants import Variant, with_values
from strozzi_sim.stats.intervals import Array
from strozzi_sim.study.box_numbers import BoxNumber, numbers, tunable_numbers
from strozzi_sim.study.screen import changed_box
from strozzi_sim.study.targets import MET, Target
from strozzi_sim.study.tuning import Search

KEYS = "tracks.bonus.*,scoring.*,setup.*,flags.*_speed,flags.*_steps"
START = np.array([0.30, 0.22, 240.0, 80.0])  # two shares of wins, a score, a length
TOLERANCE = np.array([0.0125, 0.0125, 5.0, 3.0])
SPREAD = np.array([0.45, 0.42, 45.0, 12.0])  # standard deviation of a game
FIGURES = (WIN_SHARE, WIN_SHARE, SCORE, DECISIONS)
COMMON = 0.7  # of a deal's spread, half of the variance about, is common to all boxes
PAIR_ENDS = (-8, -5)  # tolerances by which a pair must move a figure
SPOILT = 5  # tolerances by which a figure must move
FRESH = 200_000  # games on which a real box is played again
FRESH_OF_PAIR = 100_000  # games of each pair of agents, in the box that a matrix led to
FAST = {  # agents of a matrix
    "strozzi": ("heuristic", "trader", "florence"),
    "medici_vs_strozzi": ("fair-price", "shader", "fixed-price"),
    "strasbourg": ("heuristic", "tasker", "spender"),
}
DISTANCE = 0.25  # of a share, for which the competition takes all points


class Planted:
    """Figures of a box by a formula, and games as noise around them."""

    def __init__(self, game: Game, tunable: Sequence[BoxNumber], seed: int, *, is_pair: bool = False) -> None:
        self.game, self.numbers = game, tunable
        self.random = np.random.default_rng([seed, 1])
        world = np.random.default_rng([seed, 2])
        shape = len(tunable), len(START)
        active = world.random(shape[0]) < 0.6
        size = TOLERANCE * (0.0 if is_pair else 1.0)
        self.slope = world.normal(0, 0.8, shape) * size * active[:, None]
        self.bend = world.normal(0, 0.06, shape) * size * active[:, None]
        self.product = np.zeros((shape[0], *shape))
        for k, other in np.argwhere(np.triu(world.random((shape[0], shape[0])) < 0.03, 1)):
            self.product[k, other] = world.normal(0, 0.05, len(START)) * size
        self.games = 0
        while is_pair:  # until the two reach PAIR_ENDS within their ranges
            k, other = world.choice(shape[0], 2, replace=False)
            self.product[:] = 0.0
            self.product[min(k, other), max(k, other), 0] = 0.3 * TOLERANCE[0] * world.choice([-1, 1])
            if self._can_meet(k, other):
                break

    def _can_meet(self, k: int, other: int) -> bool:
        """Return whether two numbers together move the first figure into PAIR_ENDS."""
        base = Variant.of(self.game)
        before = self.figures(base)[0]
        ends = [(number.values[0], number.values[-1]) for number in (self.numbers[k], self.numbers[other])]
        for values in product(*ends):
            box = changed_box(self.game, base, {self.numbers[k].key: values[0], self.numbers[other].key: values[1]})
            moved = 0.0 if box is None else (self.figures(box)[0] - before) / TOLERANCE[0]
            if moved <= PAIR_ENDS[1]:
                return True
        return False

    def figures(self, variant: Variant) -> Array:
        """Return the true figures of a box, float64[F]."""
        now = dict(numbers(self.game, variant))
        steps = np.array([number.steps_to(now[number.key]) for number in self.numbers])
        steps = 15 * np.tanh(steps / 15)
        products = np.einsum("k,l,klf->f", steps, steps, self.product)
        return START + steps @ self.slope + steps**2 @ self.bend + products

    def play(self, boxes: Sequence[Variant], deals: int, chunks: int) -> tuple[Array, int]:
        """Return the figures of boxes as games would give them, float64[B, C, F], and the deals."""
        each = max(deals // chunks, 1)
        self.games += each * chunks * len(boxes)
        size = SPREAD / np.sqrt(each)
        shape = chunks, len(START)
        common = COMMON * self.random.normal(0, 1, (1, *shape)) * size
        own = np.sqrt(1 - COMMON**2) * self.random.normal(0, 1, (len(boxes), *shape)) * size
        return np.stack([self.figures(box) for box in boxes])[:, None] + common + own, each * chunks


@dataclass
class Outcome:
    """The claims of a search, and the truth."""

    kind: str
    seed: int
    planted: int  # numbers that were spoilt
    met: bool = False
    holds: bool = False  # whether the true figures of the box called met lie in all ranges
    changes: int = 0
    covered: bool = True  # whether all intervals of the ladder hold the truth at once
    said: str = ""
    games: int = 0
    seconds: float = 0.0
    score: float = 0.0  # of the competition, remeasured
    score_before: float = 0.0  # of the published box
    errors: list[float] = field(default_factory=list)  # (claimed - true) / standard error, of the ladder's figures


def planted_search(kind: str, seed: int, deals: int) -> Outcome:
    """Return the outcome of a search among planted figures."""
    game = load_game("strozzi")
    base = Variant.of(game)
    planted = Planted(game, tunable_numbers(game, base, KEYS), seed, is_pair=kind == "pair")
    random = np.random.default_rng([seed, 3])
    changes = 1 + seed % 3 if kind == "putback" else 0
    box = spoilt_box(planted, base, changes, random) if changes else base
    want = planted.figures(base)
    ranges = [(want[k] - TOLERANCE[k], want[k] + TOLERANCE[k]) for k in range(len(START))]
    if kind == "unreachable":
        ranges = [(9.0, 9.05)]
    if kind == "conflict":
        ranges = [(want[0] - 0.1, want[0] - 0.08), (want[0] + 0.08, want[0] + 0.1)]
    if kind == "pair":
        ranges = [(want[0] + PAIR_ENDS[0] * TOLERANCE[0], want[0] + PAIR_ENDS[1] * TOLERANCE[0])]
    places = [0, 0] if kind == "conflict" else range(len(ranges))
    targets = [
        Target(f"target {k}", (place,), low, high, (high - low) / 2, "value", FIGURES[place])
        for k, (place, (low, high)) in enumerate(zip(places, ranges, strict=True))
    ]
    start = time.process_time()
    search = Search(game, box, targets, tunable_numbers(game, box, KEYS), planted.play, deals=deals, most=3)
    search.run()
    outcome = Outcome(kind, seed, changes, games=planted.games, seconds=round(time.process_time() - start, 1))
    for rung in search.ladder:
        truth = planted.figures(search.variants[rung])
        own = search.ladder[rung][0]
        for target, (low, value, high) in zip(targets, search.intervals(rung), strict=True):
            true = float(truth[target.columns[0]])
            outcome.covered &= low <= true <= high
            error = float(own[:, target.columns[0]].std(ddof=1) / np.sqrt(len(own)))
            outcome.errors.append(round((value - true) / error, 3))
    met = sorted((rung for rung in search.ladder if search.status(rung) == MET), key=len)
    if met:
        truth = planted.figures(search.variants[met[0]])
        outcome.met = True
        outcome.changes = len(met[0])
        outcome.holds = all(target.low <= truth[target.columns[0]] <= target.high for target in targets)
    out_of_reach = any(loss > 0 for loss in search.reach.values())
    outcome.said = "met" if met else "cannot" if out_of_reach else "conflict" if search.conflicts else "undecided"
    return outcome


def spoilt_box(planted: Planted, base: Variant, changes: int, random: Any) -> Variant:
    """Return a box with so many changed numbers that some figure moves by at least five tolerances."""
    want = planted.figures(base)
    while True:
        chosen = random.choice(len(planted.numbers), changes, replace=False)
        values = {
            planted.numbers[k].key: planted.numbers[k].at(random.choice([-1, 1]) * random.integers(3, 10))
            for k in chosen
        }
        if any(values[planted.numbers[k].key] == planted.numbers[k].value for k in chosen):
            continue
        try:
            spoilt = with_values(planted.game, base, values)
            moved = np.abs(planted.figures(spoilt) - want) / TOLERANCE
        except InputError:
            continue
        if moved.max() >= SPOILT:
            return spoilt


def real_search(name: str, seed: int, deals: int) -> Outcome:
    """Return the outcome of putting a real box back, played again on fresh games."""
    game = load_game(name)
    base = Variant.of(game)
    players = 4 if 4 in game.player_counts else game.player_counts[0]
    tunable = tunable_numbers(game, base)
    random = np.random.default_rng([seed, 4])
    changes = 1 + seed % 3
    want = measured(name, players, base, 20_000, seed)
    tolerance = np.array([0.015, 0.015, abs(want[2]) * 0.02, want[3] * 0.02])
    while True:
        chosen = random.choice(len(tunable), changes, replace=False)
        values = {tunable[k].key: tunable[k].at(random.choice([-1, 1]) * random.integers(3, 10)) for k in chosen}
        try:
            box = with_values(game, base, values)
            moved = np.abs(measured(name, players, box, 2_000, seed) - want) / tolerance
        except InputError:
            continue
        if moved.max() >= SPOILT + 2:
            break
    ends = [
        f"seat 0 wins = {100 * want[0]:.2f} +- 1.5",
        f"seat {players - 1} wins = {100 * want[1]:.2f} +- 1.5",
        f"score_mean = {want[2]:.2f} +- {tolerance[2]:.2f}",
        f"decisions_mean = {want[3]:.2f} +- {tolerance[3]:.2f}",
    ]
    start = time.process_time()
    results = ss.tune(name, targets=ends, players=players, variant=box, deals=deals, seed=seed + 1)
    outcome = Outcome("real", seed, changes, games=results.n_games, seconds=round(time.process_time() - start, 1))
    ladder = results.tables["ladder"]
    met = [rung for rung, rows in ladder.groupby("rung") if set(rows["status"]) == {MET}]
    outcome.said = results.verdict.answer
    if met:
        rows = results.tables["box"].query(f"rung == {met[0]}")
        changed = changed_to(game, box, rows)
        truth = measured(name, players, changed, FRESH, seed + 1_000_003)
        outcome.met = True
        outcome.changes = len(rows)
        outcome.holds = bool((np.abs(truth - want) <= tolerance).all())
    return outcome


def changed_to(game: Game, box: Variant, rows: pd.DataFrame) -> Variant:
    """Return the box with the changes of a rung."""
    values = {row["key"]: int(row["to"]) if row["to"].is_integer() else row["to"] for row in rows.to_dict("records")}
    return with_values(game, box, values)


def measured(name: str, players: int, box: Variant, deals: int, seed: int) -> Array:
    """Return the shares of the first and the last seat, the mean score and the length, from so many games."""
    tables = ss.simulate(name, players=players, variant=box, deals=deals, seed=seed + 77).tables
    shares = tables["seats"].query("figure == 'win_share'")["value"].to_numpy()
    balance = tables["balance"].set_index("figure")["value"]
    score = tables["seats"].query("figure == 'score_mean'")["value"].mean()
    return np.array([shares[0], shares[-1], score, balance["decisions_mean"]])


def matrix_search(name: str, seed: int, deals: int, agents: Sequence[str]) -> Outcome:
    """Return the outcome of tuning the published box to the win rates that agents have in another one."""
    game = load_game(name)
    base = Variant.of(game)
    players = 4 if 4 in game.player_counts else game.player_counts[0]
    tunable = tunable_numbers(game, base)
    random = np.random.default_rng([seed, 5])
    while True:
        chosen = random.choice(len(tunable), 3, replace=False)
        values = {tunable[k].key: tunable[k].at(random.choice([-1, 1]) * random.integers(3, 10)) for k in chosen}
        try:
            box = with_values(game, base, values)
        except InputError:
            continue
        if all(values[tunable[k].key] != tunable[k].value for k in chosen):
            break
    want = win_rates(name, players, agents, box, FRESH_OF_PAIR, seed)
    pairs = list(permutations(agents, 2))
    ends = [f"{one} among {other} wins" for one, other in pairs] + ["the first player wins"]
    targets = [f"{end} = {100 * share:.2f} +- 1" for end, share in zip(ends, want, strict=True)]
    start = time.process_time()
    results = ss.tune(name, targets=targets, players=players, agents=agents[0], deals=deals, seed=seed + 1)
    outcome = Outcome("matrix", seed, 3, games=results.n_games, seconds=round(time.process_time() - start, 1))
    outcome.said = results.verdict.answer
    ladder = results.tables["ladder"]
    outside = np.maximum(ladder["least"] - ladder["value"], ladder["value"] - ladder["most"]).clip(lower=0)
    best = int(outside.groupby(ladder["rung"]).mean().idxmin())
    rows = results.tables["box"].query(f"rung == {best}")
    outcome.changes = len(rows)
    outcome.met = set(ladder.query(f"rung == {best}")["status"]) == {MET}
    found = changed_to(game, base, rows)
    outcome.score = competition_score(win_rates(name, players, agents, found, FRESH_OF_PAIR, seed + 1_000_003), want)
    outcome.score_before = competition_score(win_rates(name, players, agents, base, FRESH_OF_PAIR, seed), want)
    outcome.holds = outcome.met
    return outcome


def competition_score(shares: Array, want: Array) -> float:
    """Return 1000 less 1000 times the mean distance in parts of DISTANCE."""
    return round(float(1000 - 1000 * np.mean(np.abs(shares - want) / DISTANCE)), 1)


def win_rates(name: str, players: int, agents: Sequence[str], box: Variant, games: int, seed: int) -> Array:
    """Return the share of wins of every agent among copies of every other one, then that of the first player."""
    shares = []
    for one, other in permutations(agents, 2):
        lineup = [one, *[other] * (players - 1)]
        tables = ss.simulate(
            name, agents=lineup, players=players, variant=box, deals=games // players, seed=seed + 77
        ).tables
        shares.append(tables["lineup"].query("figure == 'win_share' and position == 0")["value"].item())
    return np.array([*shares, measured(name, players, box, games, seed)[0]])


def main() -> None:
    """Run the searches, print a row for each and then the counts by kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["planted", "real", "matrix"])
    parser.add_argument("game", nargs="?", default="strozzi")
    parser.add_argument("--searches", type=int, default=20)
    parser.add_argument("--deals", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default="putback,unreachable,conflict,already,pair")
    options = parser.parse_args()
    outcomes = []
    for kind in options.kinds.split(",") if options.what == "planted" else [options.what]:
        for seed in range(options.seed, options.seed + options.searches):
            if options.what == "planted":
                outcomes.append(planted_search(kind, seed, options.deals))
            elif options.what == "matrix":
                outcomes.append(matrix_search(options.game, seed, options.deals, FAST[options.game]))
            else:
                outcomes.append(real_search(options.game, seed, options.deals))
            row = asdict(outcomes[-1])
            print(json.dumps({key: value for key, value in row.items() if key != "errors"}), flush=True)
    for kind in dict.fromkeys(outcome.kind for outcome in outcomes):
        own = [outcome for outcome in outcomes if outcome.kind == kind]
        met = [outcome for outcome in own if outcome.met]
        said = dict(Counter(outcome.said for outcome in own)) if options.what == "planted" else {}
        few = sum(outcome.changes <= outcome.planted for outcome in met)
        print(
            f"{kind}: {len(own)} searches, {len(met)} met, {sum(each.holds for each in met)} hold, {few} with no more"
        )
        print(f"  changes than planted; all intervals hold in {sum(each.covered for each in own)}; said {said}")
        games = np.median([each.games for each in own])
        print(f"  median {games:,.0f} games, {np.median([each.seconds for each in own]):.1f} s of processor time")
        if kind == "matrix":
            print(
                f"  scores {[each.score for each in own]}, of the published box {[each.score_before for each in own]}"
            )
        errors = np.array([error for each in own for error in each.errors])
        if len(errors):
            print(
                f"  (claimed - true) / error: mean {errors.mean():.3f} +- {errors.std() / np.sqrt(len(errors)):.3f}, n = {len(errors)}"
            )


if __name__ == "__main__":
    main()
