"""How close the compiled core comes to C.

limit/ has programs in C that make the decisions of the package, draw from its random streams and reach its scores. The
rules of a variant and the number of players are constants in them. `GAME.c` has the package's algorithm,
`GAME_fast.c` another one, made for speed alone. First every score of thousands of games is
compared, then all sides play the same deals in turn, on one thread of this process. The ratio ours / C is formed turn by
turn, so that a machine that gets slower or faster on the way does not matter.

    python benchmarks/limit.py                     # Strozzi, 3-6 players, about six minutes
    python benchmarks/limit.py --players 4 --json
    python benchmarks/limit.py --game medici_vs_strozzi

Exit codes: 0 done, 1 a score differs, 2 bad input, 4 the C files cannot be compiled.
"""

import argparse
import ctypes
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import thread_time
from typing import Any

import numpy as np
from limit_c import Failure, compile_program, play_c, plays

from strozzi_sim.agent import load_agent
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.declare.pages import report_of
from strozzi_sim.game import load_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, from_changes, resolve_variant, shipped_variants
from strozzi_sim.kernel.streams import RANDOM
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match

SEED = 2008
PAIRS = 7  # fewest
SLICE = 0.5  # seconds of the first side; the others play the same deals
FLAT = "flat_mc:playouts=50,utility=win"
SEARCHES = {  # measured side by side, with the same number of simulated games from the same positions
    "flat_mc": "flat_mc:per=decision,playouts=1000",
    "ismcts": "ismcts:iterations=1000",
    "halving": "ismcts:iterations=1000,root=halving",
}
POSITIONS = 150  # of random games, for SEARCHES


@dataclass(frozen=True)
class Subject:
    """What is asked of a game.

    Attributes:
        players: player counts, in the order of interest.
        switches: component data with every switch turned.
        programs: names of the files in limit/, the package's algorithm first.
        agents: agents that at least one program has, with the number of deals whose scores are compared.
    """

    players: tuple[int, ...]
    switches: dict[str, dict[str, Any]]
    programs: tuple[str, ...]
    agents: dict[str, int]


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
        ("strozzi", "strozzi_fast"),
        {"random": 5_000, "heuristic": 500, FLAT: 40},
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
        ("medici_vs_strozzi", "medici_vs_strozzi_fast"),
        {"random": 5_000, FLAT: 10},
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
        ("strasbourg",),
        {"random": 5_000, FLAT: 10},
    ),
}


Programs = Mapping[str, ctypes.CDLL]  # of one variant and player count, by name


# -- the same games? -------------------------------------------------------------------------------------------------


def compare(programs: Programs, match: Match, deals: int) -> list[dict[str, Any]]:
    """Play the same deals with each program and with the package; compare every score and the outcome."""
    ours = match.play(0, deals, rows=True)
    expected = ours.rows["score"].reshape(-1, match.players)
    rows = []
    for name, library in programs.items():
        if not plays(library, match.lineup[0]):
            continue
        scores = np.zeros(expected.shape, np.int32)
        outcome = play_c(library, match, deals, scores)
        wrong = np.flatnonzero((expected != scores).any(axis=1))
        rows.append({
            "program": name,
            "agent": match.lineup[0].text,
            "variant": match.variant.name,
            "players": match.players,
            "games": ours.games,
            "differ": len(wrong),
            "first_difference": int(wrong[0]) if len(wrong) else None,
            "outcome_equal": outcome.tobytes() == ours.outcome.tobytes(),
        })  # fmt: skip
    return rows


def is_equal(row: dict[str, Any]) -> bool:
    """Return whether a comparison found no difference."""
    return row["differ"] == 0 and bool(row["outcome_equal"])


# -- how fast? -------------------------------------------------------------------------------------------------------


def timed(action: Callable[[], Any]) -> float:
    """Return the processor seconds of this thread: other programs on the machine do not count."""
    start = thread_time()
    action()
    return thread_time() - start


def measure(programs: Programs, match: Match, seconds: float) -> dict[str, Any]:
    """Play the same deals with each program, with ours and, if the agent is `random`, with ours counting facts."""
    spec, deals = match.lineup[0], 1
    sides: dict[str, Callable[[], Any]] = {
        f"{name}.c": lambda library=library: play_c(library, match, deals)  # type: ignore[misc]
        for name, library in programs.items()
        if plays(library, spec)
    }
    sides["ours"] = lambda: match.play(0, deals)
    match.warm()
    if spec.is_uniform:
        match.warm(counted=True)
        plan = match.plan(report_of(match.game).crosstabs(report_of(match.game).pages))
        sides["ours, counted"] = lambda: match.play(0, deals, plan=plan)
    for side in sides.values():
        side()
    while (took := timed(next(iter(sides.values())))) < SLICE / 8:
        deals *= 2
    deals = max(1, int(deals * SLICE / took))
    times: list[dict[str, float]] = []
    while len(times) < PAIRS or sum(sum(turn.values()) for turn in times) < seconds:
        times.append({name: timed(side) for name, side in sides.items()})
    spent = {name: [turn[name] for turn in times] for name in sides}
    programs_only = [name for name in sides if name.endswith(".c")]
    return {
        "agent": spec.text,
        "players": match.players,
        "deals": deals,
        "games_per_s": {name: deals / median(each) for name, each in spent.items()},
        "ratio": {
            name: {program: _ratio(spent[program], spent[name]) for program in programs_only}
            for name in sides
            if name not in programs_only
        },
    }


def positions(match: Match) -> list[np.ndarray[Any, Any]]:
    """Return states in which a seat must decide, evenly from games between the match's agents."""
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
        times.append([timed(lambda name=name: ask(name)) for name in SEARCHES])  # type: ignore[misc]
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


def show(compared: list[dict[str, Any]], measured: list[dict[str, Any]], trees: list[dict[str, Any]]) -> None:
    """Print what was found as three small tables."""
    print("Scores, C against ours, game by game")
    width = max((len(row["agent"]) for row in compared), default=0)
    for row in compared:
        equal = "yes" if is_equal(row) else "NO"
        if row["differ"]:
            equal += f", {row['differ']:,} differ, the first is deal {row['first_difference']} of seed {SEED}"
        elif not row["outcome_equal"]:
            equal += ", the scores are, but not the outcomes"
        where = f"{row['variant']:<12} {row['players']} players  {row['games']:>6,} games"
        print(f"  {row['program'] + '.c':<24} {row['agent']:<{width}}  {where}  equal: {equal}")
    if not measured:
        return
    print("\nOne thread, the same agent at every seat, variant base; ratios: median (lowest-highest, turns)")
    for row in measured:
        print(f"  {row['agent']}, {row['players']} players, {row['deals']:,} games a turn")
        for name, rate in row["games_per_s"].items():
            ratios = row["ratio"].get(name, {})
            words = "; ".join(f"{_words(ratio)} of {program}" for program, ratio in ratios.items())
            print(f"    {name:<24} {rate:>12,.1f} games/s  {words}".rstrip())
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


def matches(game: Game, players: Sequence[int]) -> dict[tuple[str, int], list[Match]]:
    """Return a match for each agent, by variant and player count: base, what is shipped, and every switch turned."""
    subject = SUBJECTS[game.name]
    variants = [
        *(resolve_variant(game, name) for name in (BASE, *shipped_variants(game))),
        from_changes(game, "switches", subject.switches, "switches"),
    ]
    return {
        (variant.name, count): [
            Match(game, count, (load_agent(agent, game),), variant, SEED) for agent in subject.agents
        ]
        for variant in variants
        for count in players
    }


def run(game: Game, players: tuple[int, ...], seconds: float, as_json: bool) -> int:
    """Compare, measure, report; return the exit code."""
    subject = SUBJECTS[game.name]
    compared: list[dict[str, Any]] = []
    measured: list[dict[str, Any]] = []
    trees: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="strozzi-limit-") as folder:
        base: dict[int, Programs] = {}
        for (variant, count), each in matches(game, players).items():
            programs = {
                name: compile_program(name, each[0], tuple(subject.agents), Path(folder)) for name in subject.programs
            }
            for match, deals in zip(each, subject.agents.values(), strict=True):
                compared += compare(programs, match, deals)
            if variant == BASE:
                base[count] = programs
        equal = all(map(is_equal, compared))
        if equal:
            cells = [(base[count], match) for count in players for match in matches(game, [count])[BASE, count]]
            measured = [measure(*cell, seconds) for cell in cells]
            trees = [measure_trees(match, seconds) for _, match in cells if match.lineup[0].is_uniform]
    if as_json:
        results = {"scores_equal": equal, "compared": compared, "measured": measured, "trees": trees}
        print(json.dumps({"game": game.name, **results}, indent=2))
    else:
        show(compared, measured, trees)
    return 0 if equal else 1


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the speed of the compiled core with C.")
    parser.add_argument(
        "--seconds", type=float, default=20, help="to measure each agent at each player count (default: 20)"
    )
    parser.add_argument("--game", choices=list(SUBJECTS), default="strozzi", help="(default: strozzi)")
    parser.add_argument("--players", type=int, help="compare and measure only this player count")
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
