"""The search of `tune`: which smallest change of a box meets targets?

1. The box itself is played; if it meets the targets, nothing is searched.
2. The screen: every number moves far up and far down, on the same deals. The half that seems least able to move a
   target is dropped and the others play more deals, until few are left; the most useful ones move a little, too.
3. The figures are modelled, and rounds of boxes are proposed, played and modelled again: first the best value of each
   of the most useful numbers alone, then boxes of one, two and three, until one is likely to meet all targets. If none
   is, and none is predicted, boxes of several changed numbers show all pairs of the most useful ones, since two may do
   together what neither does alone; the pairs that show most are played every way.
4. The likeliest box of each number of changes is a rung of the ladder. The rungs are played on deals that chose
   nothing, and the intervals of all figures of all rungs hold at once, at every look at them (Bonferroni).

Axes: F columns of figures.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product

import numpy as np

from strozzi_sim.game import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.stats.intervals import Array, t_quantile
from strozzi_sim.study.box_numbers import BoxNumber
from strozzi_sim.study.screen import Play, Screen, changed_box, moved
from strozzi_sim.study.targets import MET, MISSED, OPEN, Target
from strozzi_sim.study.tuning_model import FEWER, Box, Known, Model, Seen, allowed_positions

LOOKS, PER_LOOK = 8, 25  # looks at a rung, chunks of each
CHUNKS = 20  # of a box while searching
FAR = (6, 4, 3, 2, 1)  # steps by which a number is first moved: the largest that the game allows
NEAR = (2, 1)  # steps by which the most useful numbers are moved then, since far away an effect may be saturated
HEAT, ROUND, FEWEST = 4, 3, 200  # a heat plays 1 / 4 of the deals, a round 1 / 3, among its boxes; at least 200 each
FEW = 24  # numbers that are modelled
SINGLES = 10  # boxes of the first round, each of one number
BOXES, ROUNDS = 8, 5  # boxes of a later round, and most such rounds
GROUPS, GROUP = 100, 4  # boxes that show all pairs, and numbers that each of them changes
PAIRS_FROM, PAIRS_BY = 1, 3  # rounds after which pairs may be, and are, played if no box is likely
SHARING = 3  # at most one in so many boxes of a round, rounded up, changes the same number
ENOUGH, LIKELY = 0.95, 0.8  # chances of a box: rounds end; no more numbers are tried
DOUBTFUL, HOPELESS = 0.5, 0.1  # ... from below: more is tried; pairs are played
ATTEMPTS = 2  # ladders that are checked on new deals before the search ends


class Search:
    """A search.

    Attributes:
        screen: the box before any change, and what is measured beside it.
        seen: measured changes, by box.
        screened: the boxes of the last heat of the screen.
        ladder: rung -> the columns by chunk of itself, and of the box on the same deals if a target needs them.
        reach: how near each target comes alone, as predicted, in scales outside of its range; {} unless all fail.
        conflicts: pairs of targets that can be met alone and not together, as predicted.
    """

    def __init__(
        self,
        game: Game,
        box: Variant,
        targets: Sequence[Target],
        box_numbers: Sequence[BoxNumber],
        play: Play,
        *,
        deals: int,
        most: int,
    ) -> None:
        self.game, self.box, self.targets, self.numbers = game, box, targets, box_numbers
        self.deals, self.most = deals, most
        self.screen = Screen(box, play)
        self.variants: dict[Box, Variant] = {(): box}
        self.seen: dict[Box, Seen] = {}
        self.ladder: dict[Box, tuple[Array, Array]] = {}
        self.deals_of_rung: dict[Box, int] = {}
        self.screened: list[Box] = []
        self.reach: dict[str, float] = {}
        self.conflicts: list[tuple[str, str]] = []
        self._grids: dict[int, Array] = {}
        self._intervals_at_once = len(targets) * LOOKS * (1 + ATTEMPTS * most)

    def run(self) -> None:
        """Search until a rung meets all targets and no smaller change is likely to, or the attempts are spent."""
        self._confirm([()])
        values = [np.asarray(value) for _, value, _ in self.intervals(())]
        is_inside = all(target.loss(value) <= 0 for target, value in zip(self.targets, values, strict=True))
        if self.status(()) == MET or (self.status(()) == OPEN and is_inside):
            return
        self._screen()
        if not self._grids:
            return
        limit = self.most
        for attempt in range(ATTEMPTS):
            self._explore(limit, is_first=not attempt)
            self._confirm(self._best(limit))
            if met := [len(box) for box in self.ladder if self.status(box) == MET]:
                limit = min(met) - 1
                if not limit or not self._is_likely(limit, DOUBTFUL):
                    return
        if limit == self.most:
            self.reach, self.conflicts = self._model().reach(self.most)

    def intervals(self, box: Box) -> list[tuple[float, float, float]]:
        """Return low, value and high of every target at a rung; all intervals of a search hold at once."""
        own, base = self.ladder[box]
        return [target.interval(own, base, self._intervals_at_once) for target in self.targets]

    def status(self, box: Box) -> str:
        """Return met if a rung meets every target, missed if it misses one, else open."""
        pairs = zip(self.targets, self.intervals(box), strict=True)
        found = {target.status(low, high) for target, (low, _, high) in pairs}
        return MISSED if MISSED in found else OPEN if OPEN in found else MET

    # -- playing -------------------------------------------------------------------------------------------------------

    def _variant(self, box: Box) -> Variant | None:
        """Return the variant of a box; None if the game refuses or ignores a value."""
        if box not in self.variants:
            changed = changed_box(self.game, self.box, {self.numbers[k].key: value for k, value in box})
            if changed is None:
                return None
            self.variants[box] = changed
        return self.variants[box]

    def _measure(self, boxes: Sequence[Box], deals: int) -> None:
        """Play boxes and the one before any change on the same deals, and note the changes."""
        if not boxes:
            return
        changes = self.screen.measure([self.variants[each] for each in boxes], deals, CHUNKS)
        known = self.screen.error
        for box, each in zip(boxes, changes, strict=True):
            base = each.base
            unseen = 0.1 * np.abs(base).mean(axis=0) / each.deals + 1e-6
            variance = each.series.var(axis=0, ddof=1) / CHUNKS + ((1 - each.joint) * known) ** 2 + unseen**2
            self._note(box, Seen(each.deals, each.value, variance))

    def _note(self, box: Box, new: Seen) -> None:
        self.seen[box] = self.seen[box].and_then(new) if box in self.seen else new

    def _confirm(self, boxes: Sequence[Box]) -> None:
        """Play rungs on new deals until one meets all targets and all before it miss, or all deals are played.

        A rung that an earlier attempt left open starts afresh: the deals of that attempt chose it.
        """
        paired = any(target.is_paired for target in self.targets) and () not in boxes
        left = [box for box in boxes if box not in self.ladder or self.status(box) == OPEN]
        for box in left:
            self.ladder.pop(box, None)
            self.deals_of_rung.pop(box, None)
        for _ in range(LOOKS if left else 0):
            played = [(), *left] if paired else left
            figures, deals = self.screen.play([self.variants[box] for box in played], self.deals // LOOKS, PER_LOOK)
            for box, own in zip(played, figures, strict=True):
                if box in left:
                    before = self.ladder.get(box, (own[:0], own[:0]))
                    base = figures[0]
                    self.ladder[box] = np.concatenate([before[0], own]), np.concatenate([before[1], base])
                    self.deals_of_rung[box] = self.deals_of_rung.get(box, 0) + deals
                    if box:
                        variance = own.var(axis=0, ddof=1) / len(own) + self.screen.error**2 + 1e-12
                        self._note(box, Seen(deals, own.mean(axis=0) - self.screen.figures, variance))
            left = [box for box in left if self.status(box) != MISSED]
            if not left or self.status(left[0]) == MET:
                break

    # -- the numbers ---------------------------------------------------------------------------------------------------

    def _screen(self) -> None:
        """Move every number far up and far down; drop the less useful half and play the others more, until FEW stay."""
        boxes = {k: self._moved(k, FAR) for k in range(len(self.numbers))}
        left = [k for k, own in boxes.items() if own]
        use: dict[int, float] = {}
        while left:
            chosen = [box for k in left for box in boxes[k]]
            self._measure(chosen, max(self.deals // HEAT // len(chosen), FEWEST))
            use = {k: max(self._use(box) for box in boxes[k]) for k in left}
            left = sorted(left, key=lambda k: -use[k])
            if len(left) <= FEW:
                break
            left = left[: max(len(left) // 2, FEW)]
        self._grids = {k: allowed_positions(self.numbers[k], partial(self._is_allowed, k)) for k in left}
        self.screened = [box for k in left for box in boxes[k]]
        near = [box for k in left[:FEWER] for box in self._moved(k, NEAR) if box not in self.seen]
        self._measure(near, max(self.deals // HEAT // max(len(near), 1), FEWEST))

    def _moved(self, k: int, steps: Sequence[int]) -> list[Box]:
        """Return the boxes with one number moved up, and down, by the first of these steps that the game allows."""
        found = moved(self.numbers[k], steps, lambda value: self._variant(((k, value),)))
        return [((k, value),) for value, _ in found]

    def _is_allowed(self, k: int, value: float) -> bool:
        return self._variant(((k, value),)) is not None

    def _use(self, box: Box) -> float:
        """Return how far a number may move the target that it moves most, in scales, without the error."""
        ((k, value),) = box
        number = self.numbers[k]
        room = float(np.abs(number.positions).max()) / abs(number.steps_to(value))
        return self._effect(box) * min(room, 3)

    def _effect(self, box: Box) -> float:
        """Return how far a box moves the target that it moves most, in scales, without the error."""
        seen, base = self.seen[box], self.screen.figures
        sizes = []
        for target in self.targets:
            moved = float(target.value(base + seen.change, base) - target.value(base, base)) / target.scale
            error = float(np.sqrt(seen.variance[list(target.columns)]).max()) / target.scale
            sizes.append(np.sqrt(max(moved**2 - error**2, 0.0)))
        return float(max(sizes))

    # -- the proposals -------------------------------------------------------------------------------------------------

    def _is_active(self, box: Box) -> bool:
        return bool(box) and all(k in self._grids for k, _ in box)

    def _model(self) -> Model:
        """Return the model of all boxes of active numbers that were played."""
        seen = {box: each for box, each in self.seen.items() if self._is_active(box)}
        quantile = t_quantile(LOOKS * PER_LOOK - 1, self._intervals_at_once)
        screen = self.screen
        half = quantile * screen.error * np.sqrt(screen.deals / self.deals)
        return Model(self.targets, self.numbers, self._grids, seen, Known(screen.figures, screen.error, half))

    def _allowed(self, boxes: Iterable[Box]) -> list[Box]:
        return [box for box in dict.fromkeys(boxes) if box and self._variant(box) is not None]

    def _round(self, boxes: Sequence[Box]) -> None:
        self._measure(boxes, max(self.deals // ROUND // max(len(boxes), 1), FEWEST))

    def _explore(self, limit: int, *, is_first: bool) -> None:
        """Play rounds until a box of at most `limit` changes is likely to meet all targets, or the rounds are spent."""
        if is_first:
            self._round(self._allowed(self._model().singles(SINGLES)))
        may_be_pair = is_first and limit > 1 and len(self._grids) > 1
        for number in range(ROUNDS if is_first else 1):
            chance = self._best_chance(limit)
            if chance >= ENOUGH:
                return
            if may_be_pair and self._is_time_for_pairs(number, chance, limit):
                may_be_pair = False
                self._play_pairs()
            self._round(self._proposals(limit))

    def _is_time_for_pairs(self, number: int, chance: float, limit: int) -> bool:
        """Return whether the rounds so far leave no other hope, or are many, and no played box is likely."""
        if number < PAIRS_FROM or chance >= DOUBTFUL:
            return False
        return number >= PAIRS_BY or not self._is_likely(limit, HOPELESS)

    def _play_pairs(self) -> None:
        """Move every pair of active numbers together with others, as far as in the screen; the clearest play every way.

        A box of several changed numbers shows all of their pairs, so that each pair is seen in many games.
        """
        groups = self._groups()
        self._measure(groups, max(self.deals // max(len(groups), 1), FEWEST))
        pairs = self._model().clearest_pairs(BOXES)
        ways = [first + second for one, other in pairs for first, second in product(self._far(one), self._far(other))]
        self._round(self._allowed(tuple(sorted(way)) for way in ways))

    def _far(self, k: int) -> list[Box]:
        """Return the boxes of the screen with this number."""
        return [box for box in self.screened if box[0][0] == k]

    def _groups(self) -> list[Box]:
        """Return boxes of GROUP changed numbers in which all pairs come together about equally often."""
        active = [*self._grids]
        each = np.outer(np.arange(1, GROUPS + 1), np.arange(1, len(active) + 1) ** 2)
        ties, sides = (np.sqrt(prime) * each % 1 for prime in (2, 3))  # spread evenly, as if drawn at random
        together = np.zeros((len(active), len(active)))
        boxes = list[Box]()
        for tie, side in zip(ties, sides, strict=True):
            seldom = together + tie
            chosen = [int(np.argmin(seldom.sum(axis=0)))]
            while len(chosen) < min(GROUP, len(active)):
                seldom[:, chosen] = np.inf
                chosen.append(int(np.argmin(seldom[chosen].sum(axis=0))))
            together[np.ix_(chosen, chosen)] += 1
            boxes.append(tuple(sorted(self._far_to_a_side(active[place], side[place]) for place in chosen)))
        return self._allowed(boxes)

    def _far_to_a_side(self, k: int, part: float) -> tuple[int, float]:
        """Return a number moved as far as in the screen; `part`, 0 to 1, picks the side, oftener the longer one."""
        moves = [move for (move,) in self._far(k)]
        steps = [abs(self.numbers[k].steps_to(value)) for _, value in moves]
        return moves[int(part * sum(steps) >= steps[0])]

    def _best_chance(self, limit: int) -> float:
        """Return the chance of the likeliest box of at most `limit` changes that was played."""
        model = self._model()
        played = [box for box in self.seen if len(box) <= limit and self._is_active(box)]
        return max((model.chance(box) for box in played), default=0.0)

    def _is_likely(self, limit: int, least: float) -> bool:
        """Return whether a box of at most `limit` changes has more than this chance to meet all targets."""
        model = self._model()
        boxes = (box for size in range(1, limit + 1) for box in model.candidates(size))
        return any(model.chance(box) > least for box in boxes)

    def _proposals(self, limit: int) -> list[Box]:
        """Return the boxes to play next: half of the fewest numbers that are likely to do, and some of fewer."""
        model = self._model()
        ranked: dict[int, list[Box]] = {}
        for size in range(1, limit + 1):
            known = [box for box in self.seen if len(box) == size and self._is_active(box)]
            ranked[size] = sorted(self._allowed([*model.candidates(size), *known]), key=model.rank)
            if ranked[size] and model.chance(ranked[size][0]) > LIKELY:
                break
        enough = max(ranked)
        chosen = list[Box]()
        for size, boxes in ranked.items():
            share = max(BOXES // 2, 2) if size == enough else max(BOXES // 4, 1)
            chosen += _with_few_in_common(boxes, share)
        if not ranked[enough] or model.chance(ranked[enough][0]) < DOUBTFUL:  # can each target be met alone?
            chosen += self._allowed(model.alone(self.most))
        return list(dict.fromkeys(chosen))

    def _best(self, limit: int) -> list[Box]:
        """Return the rungs: of each number of changes the played box that is likeliest to do, until one is likely."""
        model = self._model()
        rungs = list[Box]()
        before = (1.0, 0.0)
        for size in range(1, limit + 1):
            missed = {box for box in self.ladder if self.status(box) == MISSED}
            found = [box for box in self.seen if len(box) == size and self._is_active(box) and box not in missed]
            if not found:
                continue
            best = min(found, key=model.rank)
            rank = model.rank(best)
            if rank[:2] < before:
                before = (rank[0], rank[1] - 0.1 if rank[0] == 0 else 0.0)  # another number must gain something
                rungs.append(best)
                if model.chance(best) > LIKELY:
                    break
        return rungs


def _with_few_in_common(boxes: Sequence[Box], count: int) -> list[Box]:
    """Return the first boxes, at most `count`, of which few change the same number."""
    most = -(-count // SHARING)
    times: dict[int, int] = {}
    chosen = list[Box]()
    for box in boxes:
        if len(chosen) == count:
            break
        if all(times.get(k, 0) < most for k, _ in box):
            chosen.append(box)
            for k, _ in box:
                times[k] = times.get(k, 0) + 1
    return chosen
