"""The learned values of a game: how strong their players are, and whether a predicted share of the win comes true.

python benchmarks/learned.py strength [--game strozzi] [--players 4] [--deals 2500] [--agents learned ...] [--among AGENT]
python benchmarks/learned.py calibration [--game strozzi] [--players 4] [--games 20000] [--out docs/images/learned-calibration.png]
"""

import argparse
import time
from pathlib import Path

import numpy as np

import strozzi_sim as ss
from strozzi_agents.learned.fit import predictions, rows_of
from strozzi_agents.learned.positions import FIRST
from strozzi_agents.learned.train import HELD_OUT, Stage, Trainer
from strozzi_agents.learned.value import OUTPUTS
from strozzi_sim.agent.analysis import LEAD, WIN
from strozzi_sim.agent.weights import packed_networks, read_networks
from strozzi_sim.game import find_game
from strozzi_sim.stats.intervals import wilson

VALUES = Path(__file__).parent.parent / "agents" / "strozzi_agents"
SEED = 104  # on no deals of it was anything chosen
BINS = 20


def strength(options):
    """Print the share of the win and the lead of agents among others, and games a second on one core."""
    among = options.among or find_game(options.game).default_agent
    print("| players | agent | among | win share | lead | n | games/s |\n|---|---|---|---|---|---|---|")
    for players in options.players:
        for agent in options.agents:
            lineup = [agent, *[among] * (players - 1)]
            given = {
                "game": options.game,
                "players": [players],
                "lineups": [lineup],
                "seatings": "rotate",
            }
            ss.run(ss.Study.of(**given, deals=1, seed=1), workers=1)  # compiles
            study = ss.Study.of(**given, deals=options.deals, seed=SEED)
            began = time.process_time()
            table = ss.run(study, workers=1).tables["lineup"]
            seconds = time.process_time() - began
            first = table[table["position"] == 0].set_index("figure")
            win, lead = first.loc["win_share"], first.loc["lead_mean"]
            print(
                f"| {players} | `{agent}` | `{among}` | {win.value:.3f} ({win.low:.3f} to {win.high:.3f}) | "
                f"{lead.value:+.1f} ({lead.low:+.1f} to {lead.high:+.1f}) | {int(win.n):,} | {win.n / seconds:,.0f} |",
                flush=True,
            )


def calibration(options):
    """Draw how often the learner won from positions of held-out games, by its predicted share of the win."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(options.players), figsize=(3.4 * len(options.players), 3.6), squeeze=False)
    for players, axis in zip(options.players, axes[0], strict=True):
        trainer = Trainer(options.game, players, 1)
        layers = read_networks(VALUES / options.game / "values.npz")[players]
        stage, networks = Stage(1, learners=1, prize=30.0), packed_networks({players: layers})
        games = trainer.play(HELD_OUT, options.games, stage, networks, trainer.horizon(stage, networks))
        rows = rows_of(games, FIRST, trainer.features.common, trainer.features.own, None, scale=1.0)
        found = predictions(layers, rows.inputs)
        shares, won = 1 / (1 + np.exp(-found[:, WIN])), rows.labels[:, WIN]
        explained = 1 - np.mean((found[:, LEAD] - rows.labels[:, LEAD]) ** 2) / rows.labels[:, LEAD].var()
        place = np.minimum((shares * BINS).astype(int), BINS - 1)
        counts = np.bincount(place, minlength=BINS)
        kept = counts >= 60
        wins, said = (np.bincount(place, values, BINS)[kept] / counts[kept] for values in (won, shares))
        low, high = wilson(wins, counts[kept] / 2)  # the two branches of a game are not independent
        off = np.average(np.abs(wins - said), weights=counts[kept])
        print(f"{players} players: {len(rows.labels):,} positions, {len(layers)} layers to {OUTPUTS} outputs, mean gap {100 * off:.2f} %, lead to come explained {explained:.3f}")  # fmt: skip
        axis.plot([0, 1], [0, 1], color="0.7", lw=1)
        axis.errorbar(said, wins, [wins - low, high - wins], fmt="o", ms=3, lw=1)
        axis.set(title=f"{players} players", xlabel="predicted share of the win", xlim=(0, 1), ylim=(0, 1))
        axis.set_aspect("equal")
    axes[0, 0].set_ylabel("games won")
    figure.tight_layout()
    figure.savefig(options.out, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("strength", "calibration"))
    parser.add_argument("--game", default="strozzi")
    parser.add_argument("--players", type=int, nargs="+", default=[4])
    parser.add_argument("--agents", nargs="+", default=["learned"])
    parser.add_argument("--among", help="default: the game's default agent")
    parser.add_argument("--deals", type=int, default=2500)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--out", type=Path, default=Path("calibration.png"))
    options = parser.parse_args()
    (strength if options.what == "strength" else calibration)(options)


if __name__ == "__main__":
    main()
