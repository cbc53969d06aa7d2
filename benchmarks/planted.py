"""Planted truths: games and agents of which something is known are studied, and what the studies say is compared with it.

    python benchmarks/planted.py                       # all parts
    python benchmarks/planted.py --parts seat weights  # some
    python benchmarks/planted.py --quick               # fewer deals and seeds

A line for each truth: the call, what was read, and ok or FAIL; exit 1 if one fails. The planted game is in tests/support.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

import strozzi_sim as ss
from strozzi_sim.agent import compiled_agent
from strozzi_sim.game.contract import count_legal, kth_legal
from strozzi_sim.game.restricting import things
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.kernel.streams import randbelow
from strozzi_sim.study.changes import CHANGED
from strozzi_sim.study.kinds.weights import NOTHING
from strozzi_sim.study.restricted import WORTH, verdicts
from strozzi_sim.template import GAME as TEMPLATE
from strozzi_sim.template.bots import highest

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
from planted_game import GAME as PLANTED

FIELD = ["random", "flat_mc:playouts=1", "flat_mc:playouts=2"]  # no choice matters in the planted game: equal agents
FOUR: Any = {"players": 4, "agents": "random", "progress": False}
ROLLS, FACES = 3, 6  # of the planted game
ENOUGH = 0.94  # of studies in which nothing is planted must say so
Changes = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Reading:
    """What a study says of one planted truth: the truth, the call, what was read, and whether that is right."""

    truth: str
    call: str
    read: str
    ok: bool


def said(results: ss.Results) -> str:
    """Return the verdict of a study and the numbers behind it."""
    return " ".join(results.verdict.lines).replace("\N{NARROW NO-BREAK SPACE}", " ")


def figure(table: Any, /, **where: Any) -> Any:
    """Return the one row with these values of columns."""
    for column, value in where.items():
        table = table[table[column] == value]
    (row,) = table.itertuples(index=False)
    return row


def numbers(row: Any, digits: int = 3) -> str:
    """Return a figure with its interval."""
    return f"{row.value:.{digits}f} ({row.low:.{digits}f} to {row.high:.{digits}f})"


def holds(row: Any, truth: float, errors: float = 4.0) -> bool:
    """Return whether a figure is within `errors` standard errors of the truth; an interval has 1.96 of them."""
    return abs(row.value - truth) <= errors * max(row.high - row.low, 1e-9) / 2 / 1.96 + 1e-9


def win_shares(heads: Sequence[int], faces: int = FACES) -> np.ndarray:
    """Return the exact share of wins of each seat of the planted game with these head starts."""
    one = np.ones(faces) / faces
    sums = one
    for _ in range(ROLLS - 1):
        sums = np.convolve(sums, one)
    shares = np.zeros(len(heads))
    for rolls in product(range(len(sums)), repeat=len(heads)):
        totals = np.array(rolls) + heads
        best = totals == totals.max()
        shares += best / best.sum() * np.prod(sums[list(rolls)])
    return shares


def port(quick: bool, without: str = "port:rome") -> Iterator[Reading]:
    """Yield the readings of an agent of Strozzi that ignores a port."""
    game, ignores, deals = (
        ss.load_game("strozzi"),
        f"heuristic~{without}" if without else "heuristic",
        500 if quick else 2000,
    )
    lineup = [ignores, "heuristic", "heuristic", "heuristic"]
    ports = [thing for thing in things(game, resolve_variant(game, "base")) if thing.startswith("port:")]
    worth = ss.worth("strozzi", ports, players=4, agents="heuristic", deals=deals, progress=False)
    found = {line["thing"]: line for line in verdicts(worth.tables["worth"], 0.01)}
    for thing in ports:
        lost = found[thing]["win_share_lost"]
        read = f"{found[thing]['verdict']}: {numbers(lost)} of wins lost"
        yield Reading(f"{thing} is worth having", "worth strozzi port:*", read, found[thing]["verdict"] == WORTH)
    maps = [{"fact": "ship", "rows": "position", "columns": "port"}]
    results = ss.simulate("strozzi", players=4, agents=lineup, deals=deals, heatmaps=maps, progress=False)
    heat = results.tables["heat_share_by_position_and_port"]
    shares = [figure(heat, row=str(place), column="rome", figure="share") for place in range(4)]
    lower = all(shares[0].high < other.low for other in shares[1:])
    read = f"share of its ships at Rome {numbers(shares[0])}, of the others' {numbers(shares[1])}"
    yield Reading("position 0 ignores Rome", "heat map position x port", read, lower)
    words = said(results)
    yield Reading(
        "position 0 is the weakest",
        "balance, question agents",
        words,
        words.startswith("The usual player wins most"),
    )
    look = ss.Look(question="ports")
    alone, mixed = (
        ss.run(ss.Study.of(game="strozzi", players=[4], deals=deals, lineups=[each]), look=look, progress=False)
        for each in ([ignores], [ignores, "heuristic"] * 2)
    )
    words = said(alone)
    yield Reading(
        "Rome is ignored by all",
        "balance, question ports",
        words,
        re.search(r"(Naples|Venice) pays a player [\d.]+ coins in a game, Rome pays", words) is not None,
    )
    words, coins = (
        said(mixed),
        [
            figure(mixed.tables["ports"], port=each, by="all", figure="coins_mean")
            for each in ("venice", "rome", "naples")
        ],
    )
    told = all(f"{end(row.value for row in coins):.1f}" in words for end in (min, max))
    yield Reading(
        "two of four ignore Rome",
        "balance, question ports",
        words,
        told and coins[1].high < min(coins[0].low, coins[2].low),
    )


def seat(quick: bool, head: int = 1) -> Iterator[Reading]:
    """Yield the readings of data that favour seat 2 of the planted game, and the first seat of the template."""
    heads = [0, 0, head, 0]
    favour: dict[str, Changes] = {"favour": {"start": {"head": heads}}}
    deals, truth = 5000 if quick else 20_000, win_shares(heads)
    call = f"balance planted --set start.head={heads}"
    alone = ss.simulate(PLANTED, deals=deals, variant=favour, **FOUR)
    words, rows = said(alone), alone.tables["seats"]
    yield Reading(
        "seat 2 is favoured",
        call,
        words,
        words.startswith("The third player wins"),
    )
    for place in range(4):
        row = figure(rows, seat=place, figure="win_share")
        yield Reading(f"seat {place} wins {truth[place]:.4f}", call, numbers(row, 4), holds(row, truth[place]))
    row = figure(alone.tables["balance"], figure="score_mean")
    mean = ROLLS * (FACES + 1) / 2 + head / 4
    yield Reading(f"the mean score is {mean}", call, numbers(row), holds(row, mean))
    call = f"compare planted --set start.head={heads}"
    both = ss.compare(PLANTED, "base", favour, deals=deals, **FOUR)
    words, changes = said(both), both.tables["changes"]
    yield Reading("seat 2 gains", call, words, re.search(r"[Ff]air|of 100 games instead of", words) is not None)
    row = figure(changes, table="seats", figure="win_share", seat=2)
    right = row.verdict == CHANGED and holds(row, truth[2] - 1 / 4)
    yield Reading(f"seat 2 wins {truth[2] - 1 / 4:+.4f}", call, f"{row.verdict}: {numbers(row, 4)}", right)
    first: dict[str, Changes] = {"first": {"table": {"turns": 1, "face_up": 10}}}
    found = ss.compare(
        TEMPLATE, "base", first, players=4, agents=[highest], deals=1000 if quick else 4000, progress=False
    )
    words = said(found)
    call = "compare template --set table.turns=1 --set table.face_up=10"
    yield Reading(
        "the first of one turn chooses", call, words, re.search(r"[Ff]air|of 100 games instead of", words) is not None
    )


def kings(quick: bool, crown: int = 1000) -> Iterator[Reading]:
    """Yield the readings of a last decision by which a seat that cannot win chooses who does."""
    changes: dict[str, Changes] = {"kings": {"king": {"debt": 1000, "crown": crown}}}
    table = _drama(changes, 30 if quick else 100)
    row, truth = figure(table, figure="kingmaking_share"), 1 / (3 * ROLLS)
    yield Reading(
        f"1 decision of {3 * ROLLS} makes a king",
        f"luck planted --set king.crown={crown}",
        numbers(row),
        row.low > 0 and holds(row, truth),
    )
    row = figure(_drama("base", 30 if quick else 100), figure="kingmaking_share")
    yield Reading("no decision makes a king", "luck planted", numbers(row), row.value == 0)


def _drama(variant: Any, games: int) -> Any:
    found = ss.luck(PLANTED, players=3, agents=_followed(), deals=200, variant=variant, games=games, progress=False)
    return found.tables["drama"]


@cache
def _followed() -> tuple[Any, ...]:
    """Return three agents that move at random; the games of agents that search are not followed."""
    return "random", _twin("second", PLANTED.name), _twin("third", PLANTED.name)


def fate(quick: bool, prize: int = 1000) -> Iterator[Reading]:
    """Yield the readings of a game that is decided before its first decision."""
    deals, games = 500 if quick else 2000, 30 if quick else 100
    changes: dict[str, Changes] = {"fated": {"fate": {"prize": prize}}}
    call = f"luck planted --set fate.prize={prize}"
    for variant, decided in ((changes, True), ("base", False)):
        found = ss.luck(
            PLANTED, players=3, agents=_followed(), deals=deals, variant=variant, games=games, progress=False
        ).tables
        how, call = ("decided by the deal", call) if decided else ("decided by the dice", "luck planted")
        row = figure(found["drama"], figure="decided_mean")
        right = row.value == 0 if decided else row.low > 0.5
        yield Reading(f"{how}: when", call, numbers(row), right)
        row = figure(found["drama"], figure="runaway_share")
        yield Reading(f"{how}: in the first half", call, numbers(row), row.value == 1 if decided else row.high < 0.5)
    row = figure(ss.luck(PLANTED, players=3, agents=FIELD, deals=4 * deals, variant=changes, games=0, progress=False).tables["luck"],
                 outcome="win", source="deal_of_seat", figure="variance_share")  # fmt: skip
    yield Reading("what the deal gives a seat decides", call, numbers(row), row.low > 0.99)


def _twin(name: str, game: str = "strozzi") -> Any:
    @compiled_agent(name=name, games=(game,), stochastic=True)
    def twin(state, rules, params, memory, rng):
        """Chooses like `random`."""
        return kth_legal(state, rules, randbelow(rng, count_legal(state, rules)))

    return twin


def _fair(words: str) -> bool:
    """Return whether a verdict says that no seat is known to be favoured."""
    return words.startswith(("No seat", "Every seat"))


def nothing(quick: bool, head: int = 0) -> Iterator[Reading]:
    """Yield how many of 100 seeds say that nothing is there, where nothing is planted; quick: of 25."""
    seeds = 25 if quick else 100
    turned = {"turned": {"idle": {"turns": [5] * 99 + [6]}, "start": {"head": [head, 0, 0, 0]}}}
    played = turned if head else "base"
    lineup = ["random", *map(_twin, ("twin-a", "twin-b", "twin-c"))]

    def seats(seed: int) -> bool:
        words = said(ss.simulate(PLANTED, deals=5000, variant=played, seed=seed, **FOUR))
        return _fair(words)

    def counts(seed: int) -> bool:
        words = said(
            ss.simulate(
                PLANTED, players=[2, 3, 4], agents=["random"], deals=1000, variant=played, seed=seed, progress=False
            )
        )
        return _fair(words)

    def variants(seed: int) -> bool:
        both = ss.simulate(PLANTED, deals=1000, variant=["base", turned], seed=seed, **FOUR)
        return not re.search(r"[Ff]airer|[Ll]ess fair|instead of|scores (rise|fall)", both.verdict.answer)

    def agents(seed: int) -> bool:
        words = said(ss.simulate("strozzi", players=4, agents=lineup, deals=250, seed=seed, progress=False))
        return words.startswith("No agent is found to win more than its share")

    def pairs(seed: int) -> bool:
        found = ss.tournament("strozzi", lineup, players=4, deals=60, seed=seed, progress=False)
        words = said(found)
        return "finishes ahead of" not in words

    def contest(seed: int) -> bool:
        found = ss.compare(
            "strozzi", *lineup[:2], players=4, deals=200, opponents=["random"], seed=seed, progress=False
        )
        return "are not known to differ in games won" in said(found)

    def numbers_of_the_box(seed: int) -> bool:
        found = ss.weights(PLANTED, deals=4000, variant=played, seed=seed, keys="idle.turns.1*", **FOUR)
        return set(found.tables["weights"]["status"]) == {NOTHING}

    def values(seed: int) -> bool:
        found = ss.sweep(PLANTED, "idle.turns.1 = 0 1 2 3", deals=2000, seed=seed, **FOUR)
        words = said(found)
        return words.startswith("No value is found fairer")

    def things_of_no_use(seed: int) -> bool:
        spin = {"spin": {"dice": {"spin": 2}}}
        words = said(ss.worth(PLANTED, "die:right", deals=1000, variant=spin, seed=seed, **FOUR))
        return "wins about as often" in words or "It is not known what is lost" in words

    of_question: dict[str, Callable[[int], bool]] = {
        "no seat is favoured": seats, "no seat is favoured at 2 to 4 players": counts, "no variant differs": variants,
        "no number matters": numbers_of_the_box, "no value is fairer": values, "no thing is worth having": things_of_no_use,
        "no agent is better": agents, "no two agents differ": contest,
        "no agent is ahead of another": pairs,
    }  # fmt: skip
    if quick:
        of_question = {truth: reads for truth, reads in of_question.items() if "agent" not in truth}
    for truth, reads in of_question.items():
        right = sum(map(reads, range(seeds)))
        yield Reading(truth, f"headline, {seeds} seeds", f"{right} of {seeds} say so", right >= ENOUGH * seeds)


def two_points(quick: bool, head: int = 2) -> Iterator[Reading]:
    """Yield how often a seat that gains two points of wins is found, or said to be within what could be missed; 60 seeds, quick: 6."""
    seeds = 6 if quick else 60
    fine: Changes = {"dice": {"faces": 50}}
    ahead: Changes = {"dice": {"faces": 50}, "start": {"head": [head, 0, 0, 0]}}

    def seat_words(seed: int) -> str:
        return said(ss.simulate(PLANTED, variant={"ahead": ahead}, seed=seed, **FOUR))

    def study_words(seed: int) -> str:
        pair: Any = [{"fine": fine}, {"ahead": ahead}]
        return said(ss.simulate(PLANTED, variant=pair, seed=seed, **FOUR))

    def compare_words(seed: int) -> str:
        pair: Any = [{"fine": fine}, {"ahead": ahead}]
        return said(ss.compare(PLANTED, *pair, seed=seed, **FOUR))

    changed = r"[Ff]air|of 100 games instead of"
    of_call = {"simulate": (seat_words, r"^The first player wins", 25), "simulate, two variants": (study_words, changed, 0),
               "compare": (compare_words, changed, 0)}  # fmt: skip
    for call, (words_of, told, fair) in of_call.items():
        every = [words_of(seed) for seed in range(seeds)]
        found = sum(re.search(told, words) is not None for words in every)
        most = r"(?:more than|at most) ([\d.]+) of 100 games"
        missed = [max(map(float, re.findall(most, words)), default=0.0) - fair for words in every]
        covered = sum(size >= 2 for words, size in zip(every, missed, strict=True) if not re.search(told, words))
        yield Reading(
            "two points are found, or could be missed",
            f"{call}, default deals, {seeds} seeds",
            f"found in {found}, said to be possible in {covered}",
            found + covered >= 0.95 * seeds,
        )


def weights(quick: bool) -> Iterator[Reading]:
    """Yield the readings of a box with 100 numbers that do nothing, and others of known effect."""
    found = ss.weights(PLANTED, deals=20_000 if quick else 150_000, **FOUR)
    table, call = found.tables["weights"], "weights planted"
    truth = win_shares([1, 0, 0, 0]) - 1 / 4
    for place in range(4):
        row = figure(table, key="start.head.0", to=1, figure="win_share", level=place)
        right = row.status != NOTHING and holds(row, truth[place])
        what = f"a point more of seat 0 moves the wins of seat {place} by {truth[place]:+.4f}"
        yield Reading(what, call, f"{row.status}: {numbers(row, 4)}", right)
    row = figure(table, key="dice.faces", to=FACES + 1, figure="score_mean")
    right = row.status != NOTHING and holds(row, ROLLS / 2)
    yield Reading(f"a seventh face moves the score by {ROLLS / 2}", call, f"{row.status}: {numbers(row)}", right)
    idle = table[table["key"].str.startswith("idle.")].groupby("key")["status"].first()
    grouped = int((idle == NOTHING).sum())
    read = f'{grouped} of {len(idle)} "{NOTHING}"; {found.n_games:,} games in {found.seconds:.1f} s'
    yield Reading("100 numbers do nothing", call, read, len(idle) == 100 and grouped >= 95)


PARTS: dict[str, Callable[..., Iterator[Reading]]] = {
    "port": port, "seat": seat, "kings": kings, "fate": fate, "weights": weights, "nothing": nothing, "two-points": two_points,
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--quick", action="store_true", help="fewer deals and seeds")
    given = parser.parse_args()
    wrong = 0
    for name in given.parts:
        began = monotonic()
        for each in PARTS[name](given.quick):
            print(f"{'ok  ' if each.ok else 'FAIL'} {each.truth}\n     {each.call}: {each.read}", flush=True)
            wrong += not each.ok
        print(f"-- {name}: {monotonic() - began:.0f} s\n", flush=True)
    print(f"{wrong} read wrongly" if wrong else "all planted truths were read correctly")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
