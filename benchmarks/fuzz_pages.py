"""Pages of small studies, drawn at random: few deals leave figures without values, whiskers without ends, maps without cells."""

import random
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import Any

from strozzi_sim.declare.pages import report_of

MOST_DEALS = 30
MOST_MAPS = 3
AGENTS = {
    "strozzi": ("random", "greedy", "heuristic"),
    "medici_vs_strozzi": ("random", "fair-price", "fixed-price"),
    "strasbourg": ("random", "heuristic"),
}


def make_study(seed: int, number: int, *, quick: bool = False) -> dict[str, Any]:
    """Return a small study as a TOML file has it; `quick` keeps to random agents, one page and one heat map."""
    from strozzi_sim.game import load_game
    from strozzi_sim.game.variants import shipped_variants

    rng = random.Random(f"{seed}/{number}")
    name = rng.choice(list(AGENTS)) if not quick else list(AGENTS)[number % len(AGENTS)]
    game, agents = load_game(name), AGENTS[name][: 1 if quick else None]
    players = sorted(rng.sample(game.player_counts, min(len(game.player_counts), rng.choice((1, 1, 2)))))
    pages = rng.sample(list(report_of(game).pages), 1 if quick else rng.randrange(len(report_of(game).pages) + 1))
    maps = rng.sample(list(report_of(game).heat_maps), 1 if quick else rng.randrange(MOST_MAPS + 1))
    lineups = [[rng.choice(agents)]] * rng.randrange(2)
    lineups += [[rng.choice(agents) for _ in range(rng.choice(players))] for _ in range(rng.randrange(3))]
    if not any(len(lineup) in (1, count) for lineup in lineups for count in players):
        lineups = [[rng.choice(agents)]]
    variants = rng.sample(["base", *shipped_variants(game)], rng.choice((1, 1, 2)))
    deals = rng.randint(1, MOST_DEALS)
    return {
        "name": f"page-{number}", "game": name, "seed": number, "players": players, "deals": deals,
        "chunks": rng.randint(1, deals), "seatings": rng.choice(("one", "rotate", "latin")), "lineups": lineups, "variants": variants,
        "report": {"pages": pages, "heatmaps": maps},
    }  # fmt: skip


def make_page(study: dict[str, Any]) -> list[str]:
    """Play a study and write its page; return what is wrong, in words: an error, or a warning that a user would see."""
    import strozzi_sim as ss
    from strozzi_sim.study.folders import study_of

    with tempfile.TemporaryDirectory(prefix="fuzz-page-") as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            made, look = study_of(study)
            page = ss.run(made, look=look, workers=1, progress=False).report(Path(folder) / "report.html")
        except Exception as error:  # noqa: BLE001 - whatever a page ends in is what this looks for
            where = traceback.extract_tb(error.__traceback__)[-1]
            return [f"{type(error).__name__}: {error} ({Path(where.filename).name}, line {where.lineno})"]
        words = page.read_text("utf-8").split("<main ")[1].split("<script")[0].split()
        return ["says nan"] if {"nan", "nan%", "inf"} & {word.lower() for word in words} else []
