"""Our search against OpenSpiel's, in one run, in turn: simulations per second on one core.

    python benchmarks/peers/peers.py [--seconds S] [--pairs K] [--json]

OpenSpiel is installed into an environment of its own, next to this file (`.venv-openspiel`) or where --environment says.
Its side is the C++ ISMCTSBot with random roll-outs on oh_hell, four players; ours is `flat_mc` and `ismcts` with random
roll-outs on four-player Strozzi, whose playouts have about as many decisions. Games differ, so the ratio says how much search a
researcher gets for the time, not which program is better written.
"""

import argparse
import json
import statistics
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
OURS = {"flat_mc": "flat_mc:playouts=200", "ismcts": "ismcts:iterations=2000"}


def openspiel(environment: Path, seconds: float) -> float:
    """Simulations per second of the peer."""
    command = [environment / "bin" / "python", HERE / "openspiel.py", str(seconds), "2000"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout)["simulations_per_s"])


def ours(agent: str, seconds: float) -> float:
    """Playouts per second of one of our agents at every seat."""
    command = [sys.executable, "-m", "strozzi_sim", "bench", "strozzi", "--players", "4", "--workers", "1", "--json"]
    done = subprocess.run(
        [*command, "--agents", agent, "--seconds", str(seconds)], check=True, capture_output=True, text=True
    )
    return float(json.loads(done.stdout)["playouts_per_s"])


def main() -> int:
    """Measure in turn and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--environment", type=Path, default=HERE / ".venv-openspiel")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.environment / "bin" / "python").exists():
        venv.create(options.environment, with_pip=True)
        pip = [options.environment / "bin" / "pip", "install", "--quiet", "open_spiel"]
        if subprocess.run(pip, check=False).returncode:
            print("peers: error: open_spiel cannot be installed here", file=sys.stderr)
            return 4
    rows: dict[str, list[float]] = {"openspiel": [], **{name: [] for name in OURS}}
    for _ in range(options.pairs):
        rows["openspiel"].append(openspiel(options.environment, options.seconds))
        for name, agent in OURS.items():
            rows[name].append(ours(agent, options.seconds))
    ratios = {
        name: [mine / theirs for mine, theirs in zip(rows[name], rows["openspiel"], strict=True)] for name in OURS
    }
    if options.json:
        print(json.dumps({"simulations_per_s": rows, "ratios": ratios}, indent=1))
        return 0
    print(f"{'openspiel ISMCTSBot':<22}{statistics.median(rows['openspiel']):>12,.0f} simulations/s")
    for name in OURS:
        spread = f"{min(ratios[name]):.1f}-{max(ratios[name]):.1f}"
        median = statistics.median(ratios[name])
        print(f"{OURS[name]:<22}{statistics.median(rows[name]):>12,.0f} simulations/s  {median:.1f} x ({spread})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
