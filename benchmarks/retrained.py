"""Does the verdict of fixed players on a rule change hold for players trained anew for it? Strozzi, 4 players.

python benchmarks/retrained.py train FOLDER             # networks for every change, about a quarter of an hour each
python benchmarks/retrained.py judge FOLDER [--deals 5000]

The verdicts are differences from the base game in self-play; every game of a change is one of the base game's deals.
"""

import argparse
from pathlib import Path

import strozzi_sim as ss
from strozzi_agents.learned.train import Stage, Trainer
from strozzi_sim.agent.weights import read_networks, write_networks

GAME, PLAYERS = "strozzi", 4
CHANGES = {
    "no-bonus": {"tracks": {"bonus": {"7": 0, "8": 0, "9": 0}}},
    "no-ware-flag": {"flags": {"ware_steps": 0}},  # it is worth nothing
    "long-tracks": {},  # shipped
}
STAGES = [Stage(400_000, 0, 4, 1e-3), Stage(300_000, 1, 8, 7e-4, 30.0)]  # from the shipped networks
SHIPPED = Path(__file__).parent.parent / "agents" / "strozzi_agents" / GAME / "values.npz"
SEED = 105  # on no deals of it was anything chosen
FIGURES = {  # table, figure, and its factor
    "seat 0 wins, %": ("seats", "win_share", 100),
    "score": ("balance", "score_mean", 1),
    "margin of the winner": ("balance", "margin_mean", 1),
    "coins from bonus spaces": ("balance", "coins_bonus_mean", 1),
    "coins from ships": ("balance", "coins_ships_mean", 1),
    "unused flags a seat": ("balance", "unused_flags_mean", 1),
}


def variant_of(name):
    """Return a change as studies take it."""
    return {name: CHANGES[name]} if CHANGES.get(name) else name


def train(folder):
    """Write networks for every change, which begin as the shipped ones."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in CHANGES:
        trainer, layers = Trainer(GAME, PLAYERS, 1, variant_of(name)), read_networks(SHIPPED)[PLAYERS]
        for stage in STAGES:
            print(f"{name}: {stage}", flush=True)
            layers, _ = trainer.fit(layers, stage, (), lambda line: print(line, flush=True))
        write_networks(folder / f"{name}.npz", {PLAYERS: layers})


def played(agent, name, deals):
    """Return FIGURES of self-play: (value, low, high) of each."""
    tables = ss.simulate(
        GAME, PLAYERS, agents=[agent], deals=deals, seatings="one", variant=variant_of(name), seed=SEED
    ).tables
    found = {}
    for words, (table, figure, factor) in FIGURES.items():
        rows = tables[table][tables[table]["figure"] == figure]
        row = (rows[rows["seat"] == 0] if "seat" in rows else rows).iloc[0]
        found[words] = tuple(factor * float(row[side]) for side in ("value", "low", "high"))
    return found


def judge(folder, deals):
    """Print what every change does under fixed and under trained players, and whether training paid."""
    fixed = {agent: played(agent, "base", deals) for agent in ("heuristic", "learned")}
    print("| change | figure | `heuristic` | `learned` | trained anew |\n|---|---|---|---|---|")
    for name in CHANGES:  # where a figure is always 0, it has no interval
        anew = f"learned:weights={folder / name}.npz"
        columns = [(fixed[base], played(agent, name, deals)) for base, agent in (
            ("heuristic", "heuristic"), ("learned", "learned"), ("learned", anew),
        )]  # fmt: skip
        for words in FIGURES:
            cells = []
            for before, after in columns:
                (value, low, high), (base, base_low, base_high) = after[words], before[words]
                half = ((high - low) ** 2 + (base_high - base_low) ** 2) ** 0.5 / 2
                cells.append(f"{value - base:+.2f} ± {half:.2f}")
            print(f"| {name} | {words} | {' | '.join(cells)} |", flush=True)
        rows = ss.simulate(
            GAME, PLAYERS, agents=[anew, "learned"], deals=deals // 4, variant=variant_of(name), seed=SEED
        ).tables["lineup"]
        share = rows[(rows["figure"] == "win_share") & (rows["position"] == 0)].iloc[0]
        print(f"| {name} | share of a player trained anew, two of them beside two `learned` | | | {share.value:.3f} ({share.low:.3f} to {share.high:.3f}), n = {share.n:,} |", flush=True)  # fmt: skip


def main():
    """Train or judge, as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["train", "judge"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--deals", type=int, default=5000)
    options = parser.parse_args()
    if options.what == "train":
        train(options.folder)
    else:
        judge(options.folder, options.deals)


if __name__ == "__main__":
    main()
