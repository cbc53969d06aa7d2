from strozzi_sim.agent import Param, compiled_agent, load_agent, python_agent
from strozzi_sim.agent.registry import agents
from strozzi_sim.conformance import check_agent, check_game
from strozzi_sim.game import game_names, load_game
from strozzi_sim.game.variants import Variant
from strozzi_sim.play.one_game import analyse, record
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.vector import VectorEnv
from strozzi_sim.study.beside import side_by_side
from strozzi_sim.study.folders import load_results, merge, read_study
from strozzi_sim.study.kinds.balance import simulate
from strozzi_sim.study.kinds.compare import compare
from strozzi_sim.study.kinds.exploit import exploit
from strozzi_sim.study.kinds.heatmap import heatmap
from strozzi_sim.study.kinds.leak_check import leak_check
from strozzi_sim.study.kinds.luck import luck
from strozzi_sim.study.kinds.our_table import our_table
from strozzi_sim.study.kinds.plans import plans
from strozzi_sim.study.kinds.sweep import sweep
from strozzi_sim.study.kinds.tournament import tournament
from strozzi_sim.study.kinds.tune import tune
from strozzi_sim.study.kinds.weights import weights
from strozzi_sim.study.kinds.worth import worth
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import run

__version__: str

__all__ = [
    "Look",
    "Param",
    "Position",
    "Results",
    "Study",
    "Variant",
    "VectorEnv",
    "__version__",
    "agents",
    "analyse",
    "check_agent",
    "check_game",
    "compare",
    "compiled_agent",
    "exploit",
    "game_names",
    "heatmap",
    "leak_check",
    "load_agent",
    "load_game",
    "load_results",
    "luck",
    "merge",
    "our_table",
    "plans",
    "python_agent",
    "read_study",
    "record",
    "run",
    "side_by_side",
    "simulate",
    "sweep",
    "tournament",
    "tune",
    "weights",
    "worth",
]
