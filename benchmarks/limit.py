"""How close the compiled core comes to the same work in C.

limit/<game>.c plays a game with the algorithm, records and random streams of the package. First every score of
thousands of games is compared, then both play the same deals in turn, on one thread of this process; the ratio
ours / C is formed pair by pair, so that a machine that gets slower or faster on the way does not matter.

    python benchmarks/limit.py                     # Strozzi, 3-6 players, about three minutes
    python benchmarks/limit.py --players 4 --json
    python benchmarks/limit.py --game medici_vs_strozzi

Exit codes: 0 done, 1 a score differs, 2 bad input, 4 the C file cannot be compiled.
"""

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import thread_time
from typing import Any

import numpy as np

from strozzi_sim.agent import load_agent
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.games import load_game
from strozzi_sim.games.contract import Game
from strozzi_sim.games.variants import BASE, resolve_variant, shipped_variants
from strozzi_sim.kernel.streams import RANDOM, game_key
from strozzi_sim.play.position import Position
from strozzi_sim.selfplay.loop import AGENT, JOB, OUTCOME
from strozzi_sim.selfplay.match import NO_STOP, Match

FOLDER = Path(__file__).parent / "limit"
OPTIONS = ("-std=c11", "-O3", "-march=native", "-shared", "-fPIC")
SEED = 2008
DEALS_COMPARED = 5_000
PAIRS = 7  # fewest
SLICE = 0.5  # seconds, of C; ours play the same deals
SIDES = {"c": "C", "ours": "ours", "counted": "with facts"}
FLAT = "flat_mc:playouts=50,utility=win"  # measured against C, whole games
SEARCHES = {  # measured side by side, with the same number of simulated games from the same positions
    "flat_mc": "flat_mc:per=decision,playouts=1000",
    "ismcts": "ismcts:iterations=1000",
    "halving": "ismcts:iterations=1000,root=halving",
}
POSITIONS = 150  # of random games, for SEARCHES
GAMES_SEARCHED = 40  # of flat_mc compared at each player count


@dataclass(frozen=True)
class Subject:
    """What is asked of a game: the player counts, in the order of interest, and every switch the other way round."""

    players: tuple[int, ...]
    switches: dict[str, dict[str, Any]]


SUBJECTS = {
    "strozzi": Subject(
        (4, 3, 5, 6),
        {
            "rules": {
                "start_order": "reverse",
                "second_lap": False,
                "ware_flag_needs_match": False,
                "tile_optional": True,
                "zero_total_scores": True,
                "florence_bonus": False,
            }
        },
    ),
    "medici_vs_strozzi": Subject(
        (2,),
        {
            "switches": {
                "round_ends_when": "moored",
                "lone_worthless_ship_wins": True,
                "net_marker_movement": False,
                "buy_without_room": False,
                "hidden_cash": True,
            }
        },
    ),
    "strasbourg": Subject(
        (4, 3, 5),
        {
            "switches": {
                "skip_A_round1": True,
                "min_draw": 0,
                "planning": "sequential",
                "return_if_unused": True,
                "building_optional": False,
                "hide_money": True,
                "tie_fulfils": True,
                "seat_optional": True,
            },
            "privileges": {"start_per_player": 2},
        },
    ),
}


class Failure(Exception):
    """What ends the benchmark early, with its exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


# -- the C side ------------------------------------------------------------------------------------------------------


@contextmanager
def compiled(game: Game) -> Iterator[ctypes.CDLL]:
    """limit/<game>.c, compiled into a temporary folder and loaded."""
    source = FOLDER / f"{game.name}.c"
    compiler = os.environ.get("CC") or "gcc"
    if shutil.which(compiler) is None:
        raise Failure(4, f"no C compiler: {compiler!r} is not installed; install gcc, or name another one in CC")
    with tempfile.TemporaryDirectory(prefix="strozzi-limit-") as folder:
        library = Path(folder) / f"{game.name}.so"
        command = [compiler, *OPTIONS, "-o", str(library), str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(4, f"{compiler} cannot compile {source.name}: {done.stderr.strip()}")
        yield _checked(ctypes.CDLL(str(library)), game)


def _checked(library: ctypes.CDLL, game: Game) -> ctypes.CDLL:
    """The library, if its records are as large as ours."""
    sizes = np.zeros(6, np.int64)
    library.sizes(ctypes.c_void_p(sizes.ctypes.data))
    ours = [dtype.itemsize for dtype in (game.state, game.rules, AGENT, JOB, OUTCOME)]
    ours.append(load_agent("flat_mc").agent.params_dtype.itemsize)
    if sizes.tolist() != ours:
        raise Failure(
            1, f"sizes of state, rules, agent, job, outcome, flat_mc: {sizes.tolist()} in C, {ours} in the package"
        )
    library.play.restype = ctypes.c_int64
    library.play.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int64] + [ctypes.c_void_p] * 4
    return library


def play_c(library: ctypes.CDLL, match: Match, last: int, scores: np.ndarray[Any, Any] | None = None) -> Any:
    """Play deals 0 .. last - 1 of `match` in C; returns the outcome, writes `scores`, int32[G, P]."""
    job, agents, outcome = np.zeros(1, JOB), np.zeros(match.players, AGENT), np.zeros(1, OUTCOME)
    job[0] = (game_key(match.game.name), match.seed, match.players, 0, last, 0)
    name = match.lineup[0].agent.name  # the same agent at every seat
    function = library.uniform if name == "random" else library.flat_mc
    params, memory = compile_agent(match.lineup[0], match.game).params, np.zeros(8, np.int64)
    address = ctypes.cast(function, ctypes.c_void_p).value
    agents[:] = (address, params.ctypes.data, memory.ctypes.data, 0, 1, -1, 0)
    design = match.design
    arrays = [job, match.variant.rules, agents, len(design), design, outcome, scores, NO_STOP]
    given = [argument.ctypes.data if isinstance(argument, np.ndarray) else argument for argument in arrays]
    if library.play(*given) != last * len(design):
        raise Failure(1, "an agent in C chose an illegal action")
    return outcome


# -- the same games? -------------------------------------------------------------------------------------------------


def compare(library: ctypes.CDLL, match: Match, deals: int = DEALS_COMPARED) -> dict[str, Any]:
    """Play the same deals with both and compare every score and the outcome."""
    ours = match.play(0, deals, rows=True)
    scores = np.zeros((ours.games, match.players), np.int32)
    outcome = play_c(library, match, deals, scores)
    wrong = np.flatnonzero((ours.rows["score"].reshape(scores.shape) != scores).any(axis=1))
    return {
        "agent": match.lineup[0].text,
        "variant": match.variant.name,
        "players": match.players,
        "games": ours.games,
        "differ": len(wrong),
        "first_difference": int(wrong[0]) if len(wrong) else None,
        "outcome_equal": outcome.tobytes() == ours.outcome.tobytes(),
    }


# -- how fast? -------------------------------------------------------------------------------------------------------


def _timed(action: Callable[[], Any]) -> float:
    """Processor seconds of this thread: other programs on the machine do not count."""
    start = thread_time()
    action()
    return thread_time() - start


def measure(library: ctypes.CDLL, match: Match, seconds: float) -> dict[str, Any]:
    """Play the same deals with C, with ours, and with ours counting facts, in turn."""
    match.warm(counted=True)
    match.warm()
    plan = match.plan(match.game.report.crosstabs(match.game.report.PAGES))
    deals = 1_000
    sides: tuple[Callable[[], Any], ...] = (
        lambda: play_c(library, match, deals),
        lambda: match.play(0, deals),
        lambda: match.play(0, deals, plan=plan),
    )
    one_round = sum(min(_timed(side) for _ in range(5)) for side in sides) / deals
    c_share = min(_timed(sides[0]) for _ in range(5)) / deals
    deals = max(1_000, int(min(SLICE / c_share, seconds / PAIRS / one_round)))
    times = []
    while len(times) < PAIRS or sum(map(sum, times)) < seconds:
        times.append([_timed(side) for side in sides])
    c, ours, counted = zip(*times, strict=True)
    per_game = play_c(library, match, deals)["decisions"][0] / deals
    rates = {name: deals / median(side) for name, side in zip(SIDES, (c, ours, counted), strict=True)}
    return {
        "players": match.players,
        "deals": deals,
        "decisions_per_game": per_game,
        "games_per_s": rates,
        "decisions_per_s": {name: rate * per_game for name, rate in rates.items()},
        "ratio": {"ours": _ratio(c, ours), "counted": _ratio(c, counted)},
    }


def measure_flat(library: ctypes.CDLL, match: Match, seconds: float) -> dict[str, Any]:
    """Play the same deals with flat Monte Carlo in C and ours in turn: playouts per second."""
    match.warm()
    deals = max(1, int(SLICE / _timed(lambda: play_c(library, match, 4)) * 4))
    playouts = match.play(0, deals).playouts
    times: list[list[float]] = []
    while len(times) < PAIRS or sum(map(sum, times)) < seconds:
        sides = (lambda: play_c(library, match, deals), lambda: match.play(0, deals))
        times.append([_timed(side) for side in sides])
    c, ours = zip(*times, strict=True)
    rates = {"c": playouts / median(c), "ours": playouts / median(ours)}
    return {"players": match.players, "playouts_per_s": rates, "ratio": _ratio(c, ours)}


def positions(match: Match) -> list[np.ndarray[Any, Any]]:
    """States in which a seat must decide, evenly from games between the match's agents."""
    states = []
    for deal in range(4):
        table = Position(match.game, match.players, seed=SEED, deal=deal, variant=match.variant)
        while not table.over:
            states.append(table.state.copy())
            table.play(table.ask(match.lineup[0]))
    return states[:: max(1, len(states) // POSITIONS)]


def measure_trees(match: Match, seconds: float) -> dict[str, Any]:
    """Ask each of SEARCHES in the same positions, in turn: simulated games per second."""
    states, rules, rng = positions(match), match.variant.rules, np.ones(1, RANDOM)
    sides = {}
    for name, text in SEARCHES.items():
        compiled = compile_agent(load_agent(text, match.game), match.game)
        function = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 5)(compiled.address)
        sides[name] = function, compiled, np.zeros(1, compiled.memory)

    def ask(name: str) -> None:
        function, compiled, memory = sides[name]
        for state in states:
            function(*(record.ctypes.data for record in (state, rules, compiled.params, memory, rng)))

    times: list[list[float]] = []
    while len(times) < PAIRS or sum(map(sum, times)) < seconds:
        times.append([_timed(lambda name=name: ask(name)) for name in SEARCHES])  # type: ignore[misc]
    spent = dict(zip(SEARCHES, zip(*times, strict=True), strict=True))
    # halving plays whole sweeps only, so that it may leave a few of its iterations
    games = {name: int(memory[0]["playouts"]) / len(times) for name, (_, _, memory) in sides.items()}
    cost = {name: [cost_of_run / games[name] for cost_of_run in spent[name]] for name in SEARCHES}
    return {
        "players": match.players,
        "positions": len(states),
        "simulated_per_s": {name: 1.0 / median(cost[name]) for name in SEARCHES},
        "ratio": {name: _ratio(cost["flat_mc"], cost[name]) for name in SEARCHES if name != "flat_mc"},
    }


def _ratio(c: Sequence[float], ours: Sequence[float]) -> dict[str, float]:
    """Our speed as a share of that of C, pair by pair of times."""
    ratios = [one / other for one, other in zip(c, ours, strict=True)]
    return {"median": median(ratios), "low": min(ratios), "high": max(ratios), "pairs": len(ratios)}


# -- the report ------------------------------------------------------------------------------------------------------


def show(
    compared: list[dict[str, Any]],
    measured: list[dict[str, Any]],
    flat: list[dict[str, Any]],
    trees: list[dict[str, Any]],
) -> None:
    """Print what was found as four small tables."""
    print("Scores, C against ours, game by game")
    width = max((len(row["agent"]) for row in compared), default=0)
    for row in compared:
        equal = "yes" if is_equal(row) else "NO"
        if row["differ"]:
            equal += f", {row['differ']:,} differ, the first is deal {row['first_difference']} of seed {SEED}"
        elif not row["outcome_equal"]:
            equal += ", the scores are, but not the outcomes"
        print(
            f"  {row['agent']:<{width}}  {row['variant']:<12} {row['players']} players  {row['games']:>6,} games  equal: {equal}"
        )
    if not measured:
        return
    print("\nOne thread, random agents, variant base")
    print("  players  side              games/s  decisions/s  ours / C: median (lowest-highest, pairs)")
    for row in measured:
        for name, words in SIDES.items():
            rate, decisions = row["games_per_s"][name], row["decisions_per_s"][name]
            line = f"  {row['players']:>7}  {words:<13} {rate:>11,.0f} {decisions / 1e6:>10.1f} M"
            if ratios := row["ratio"].get(name):
                line += f"  {_words(ratios)}"
            print(line)
    print(f"\nOne thread, {FLAT} at every seat, whole games: playouts/s")
    print("  players            C         ours  ours / C: median (lowest-highest, pairs)")
    for row in flat:
        rates = row["playouts_per_s"]
        print(f"  {row['players']:>7} {rates['c']:>12,.0f} {rates['ours']:>12,.0f}  {_words(row['ratio'])}")
    print("\nOne thread, the same positions of random games, 1,000 simulated games a decision: simulated games/s")
    print("  players      flat_mc       ismcts  / flat_mc                    root=halving  / flat_mc")
    for row in trees:
        rates, ratio = row["simulated_per_s"], row["ratio"]
        print(
            f"  {row['players']:>7} {rates['flat_mc']:>12,.0f} {rates['ismcts']:>12,.0f}  {_words(ratio['ismcts']):<26}"
            f"{rates['halving']:>14,.0f}  {_words(ratio['halving'])}"
        )


def _words(ratio: dict[str, float]) -> str:
    return f"{ratio['median']:.3f} ({ratio['low']:.3f}-{ratio['high']:.3f}, {ratio['pairs']})"


def is_equal(row: dict[str, Any]) -> bool:
    """Whether a comparison found no difference."""
    return row["differ"] == 0 and bool(row["outcome_equal"])


def matches(game: Game, agent: str) -> dict[tuple[str, int], Match]:
    """`agent` against itself in every variant whose scores are compared, and at every player count."""
    subject, spec = SUBJECTS[game.name], load_agent(agent, game)
    names = (BASE, *shipped_variants(game), "switches")
    variants = [resolve_variant(game, name, {"switches": subject.switches}) for name in names]
    counts = sorted(subject.players)
    return {
        (variant.name, count): Match(game, count, (spec,), variant, SEED) for variant in variants for count in counts
    }


def run(game: Game, players: tuple[int, ...], seconds: float, as_json: bool) -> int:
    """Compare, measure, report; returns the exit code."""
    rng, flats = (matches(game, agent) for agent in ("random", FLAT))
    with compiled(game) as library:
        compared = [compare(library, match) for match in rng.values()]
        compared += [compare(library, match, GAMES_SEARCHED) for match in flats.values()]
        equal = all(map(is_equal, compared))
        counts = players if equal else ()
        measured = [measure(library, rng[BASE, count], seconds) for count in counts]
        flat = [measure_flat(library, flats[BASE, count], seconds) for count in counts]
    trees = [measure_trees(rng[BASE, count], seconds) for count in counts]
    if as_json:
        results = {"scores_equal": equal, "compared": compared, "measured": measured, "flat_mc": flat, "trees": trees}
        print(json.dumps({"game": game.name, **results}, indent=2))
    else:
        show(compared, measured, flat, trees)
    return 0 if equal else 1


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the speed of the compiled core with the same work in C.")
    parser.add_argument("--seconds", type=float, default=20, help="to measure at each player count (default: 20)")
    parser.add_argument("--game", choices=list(SUBJECTS), default="strozzi", help="(default: strozzi)")
    parser.add_argument("--players", type=int, help="measure only this player count")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    given = parser.parse_args()
    try:
        counts = SUBJECTS[given.game].players
        if given.players not in (None, *counts):
            raise Failure(
                2, f"--players: {given.game} takes {', '.join(map(str, sorted(counts)))}, got {given.players}"
            )
        return run(load_game(given.game), (given.players,) if given.players else counts, given.seconds, given.json)
    except Failure as failure:
        print(f"limit: error: {failure}", file=sys.stderr)
        return failure.code


if __name__ == "__main__":
    sys.exit(main())
