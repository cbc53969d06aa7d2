"""A small study of every kind, and the tables in a results folder."""

from pathlib import Path

import strozzi_sim as ss
from strozzi_sim.study.folders import study_of

KEYS = {"game": "strozzi", "players": [3, 4], "lineups": [["random"]], "deals": 130, "chunk_deals": 20, "seed": 7}
EXAMPLES = {
    "balance": {}, "compare_agents": {"players": [3], "lineups": [["racer", "random", "random"], ["trader", "random", "random"]]},
    "compare_variants": {"variants": ["base", "long-tracks"]}, "worth": {"things": ["flag:*"]},
    "tournament": {"lineups": [["random"], ["greedy"], ["racer"], ["trader"]], "players": [3]}, "sweep": {"sweep": {"tracks.bonus.9": [10, 15]}},
    "luck": {"players": [3], "lineups": [["heuristic", "random", "random"]], "followed": 0},
    "tune": {"players": [3], "targets": ["score_mean >= 1"], "deals": 2000},
    "weights": {"players": [3], "keys": "coins.*", "deals": 1000},
    "leak_check": {"players": [3]},
    "exploit": {"players": [3], "lineups": [["greedy", "random", "random"], ["racer", "random", "random"]]},
    "plans": {"players": [3], "lineups": [["learned:bonus=15,plan=fast", "learned", "learned"]]},
    "our_table": {"players": [3], "lineups": [["heuristic"]], "seatings": "one", "sheets": {"3": [[40, 38, 35 + k] for k in range(20)]}},
}  # fmt: skip


def tables_in(folder):
    return {path.name: path.read_bytes() for path in sorted((Path(folder) / "tables").iterdir())}


def played(keys, folder=None, **how):
    """Run the study with these keys, on one worker unless told otherwise."""
    study, look = study_of(keys)
    return ss.run(study, folder, look=look, **{"workers": 1, "progress": False, **how})
