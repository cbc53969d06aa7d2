"""Small studies of every kind of every game, tiny and large ones, whose reports `sentences.py` checks."""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strozzi_sim.declare.pages import report_of

QUIET = {"workers": 1, "progress": False}


@dataclass(frozen=True)
class Of:
    """The parts of a game's studies: agents (usual, weaker, more), a variant, keys with values, things, and columns."""

    players: tuple[int, ...]
    agents: tuple[str, str, str, str]
    variant: str
    sweep: tuple[str, str]
    things: str
    heat: Mapping[str, str]
    pages: tuple[str, ...]


OF = {
    "strozzi": Of((3, 4), ("heuristic", "greedy", "eager", "racer"), "long-tracks", ("tracks.bonus.9 = 0 15 200", "tracks.bonus.8 = 10 60"),
                  "flag:*", {"rows": "flag", "columns": "round", "value": "mean prize"}, ("flags", "ports", "ships")),
    "medici_vs_strozzi": Of((2,), ("fair-price", "fixed-price", "shader", "appraiser"), "short", ("tracks.bonus.4 = 5 10 100", "tracks.bonus.5 = 20 80"),
                            "harbor:*", {"rows": "tiles", "columns": "value", "value": "mean price", "fact": "lot"}, ("prices", "monopolies", "rounds")),
    "strasbourg": Of((3, 4), ("heuristic", "merchant", "hoarder", "tasker"), "small-city", ("tasks.T_ED2.points = 3 6 50", "tasks.T_LORD.points = 4 12"),
                     "step:*", {"rows": "step", "columns": "round", "value": "mean sum", "fact": "bid"}, ("council", "city", "tasks")),
}  # fmt: skip


def reports(game: str, folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the name of each report of a game, and the function that plays its study in a folder."""
    import strozzi_sim as ss
    from strozzi_sim.game import load_game
    from strozzi_sim.study.beside import side_by_side
    from strozzi_sim.study.folders import study_of

    own, number = OF[game], 0
    usual, weaker, third, fourth = own.agents
    strengths = [[load_game(game).tiers[tier]] for tier in ("weak", "usual")]
    few, _most = own.players[0], own.players[-1]

    def run(**keys: Any) -> Any:
        made, look = study_of({"game": game, "players": list(own.players), "explorer": True, **keys})
        return ss.run(made, look=look, **QUIET)

    def sheets() -> Path:
        rng, file = random.Random(game), folder / f"{game}.csv"
        scores = [[rng.randint(60, 140) for _ in range(few)] for _ in range(24)]
        file.write_text(
            "\n".join([",".join(f"seat {k}" for k in range(few)), *(",".join(map(str, line)) for line in scores)])
        )
        return file

    field, rivals = [usual, weaker, third][: max(few, 2)], [[usual], ["random"]]
    styles = [[style, *[usual] * (few - 1)] for style in (weaker, third, fourth)]
    maps = list(report_of(load_game(game)).heat_maps)[:3]
    made: dict[str, Callable[[int], Any]] = {
        "balance tiny": lambda seed: run(deals=6, lineups=rivals, heatmaps=maps, seed=seed),
        "balance": lambda seed: run(deals=400, lineups=rivals, heatmaps=maps, pages=["balance", *own.pages], seed=seed),
        "balance large": lambda seed: run(deals=4000, lineups=[["random"]], pages=["balance", *own.pages], seed=seed),
        "balance of variants": lambda seed: run(deals=300, lineups=rivals, variants=["base", own.variant], seed=seed),
        "balance of strengths": lambda seed: run(deals=400, lineups=strengths, seed=seed),
        "line-up": lambda seed: run(deals=200, players=[few], lineups=[[usual, *["random"] * (few - 1)]], seed=seed),
        "styles": lambda seed: run(deals=120, players=[few], lineups=styles, question="agents", seed=seed),
        "page": lambda seed: run(deals=200, lineups=[[usual]], question=own.pages[-1], seed=seed),
        "compare agents": lambda seed: ss.compare(game, usual, weaker, players=own.players, deals=120, seed=seed, **QUIET),
        "compare tiny": lambda seed: ss.compare(game, usual, third, players=few, deals=3, seed=seed, **QUIET),
        "compare variants": lambda seed: ss.compare(game, "base", own.variant, players=own.players, deals=150, seed=seed, **QUIET),
        "sweep": lambda seed: ss.sweep(game, own.sweep[0], players=own.players, agents="random", deals=600, seed=seed, **QUIET),
        "sweep of two": lambda seed: ss.sweep(game, "; ".join(own.sweep), players=few, agents=usual, deals=40, seed=seed, **QUIET),
        "tournament": lambda seed: ss.tournament(game, [*field, "random"], players=few, deals=80, seed=seed, **QUIET),
        "tournament large": lambda seed: ss.tournament(game, ["random", weaker, third, usual][: few + 1], players=few, deals=400, seed=seed, **QUIET),
        "worth": lambda seed: ss.worth(game, own.things, players=few, deals=300, seed=seed, **QUIET),
        "luck": lambda seed: ss.luck(game, players=few, deals=60, games=30, playouts=50, seed=seed, **QUIET),
        "exploit": lambda seed: ss.exploit(game, weaker, players=few, deals=375, challengers=[usual, "random"], seed=seed, **QUIET),
        "weights": lambda seed: ss.weights(game, agents="random", players=few, deals=8000, keys=own.sweep[0].split(".")[0] + ".*", seed=seed, **QUIET),
        "leak check": lambda seed: ss.leak_check(game, usual, players=few, deals=1, seed=seed, progress=False),
        "our table": lambda seed: ss.our_table(game, sheets(), deals=100, seed=seed, **QUIET),
        "heat map": lambda seed: ss.heatmap(game, players=own.players, agents="random", deals=300, seed=seed, **own.heat, **QUIET),
        "side by side": lambda seed: side_by_side([run(name=name, players=[few], deals=200, lineups=[["random"]], seed=seed + k) for k, name in enumerate(("one", "two"))]),
    }  # fmt: skip
    for number, (name, play) in enumerate(made.items()):
        yield name, lambda play=play, number=number: play(number)
