"""The agent contract: declaring an agent, naming it by a spec string, and finding it; `compile` compiles it.

An agent is a function, or in Python a class or object (see `python_agent`), with a declaration. A compiled agent is
called with five records, `function(state, rules, params, memory, rng)`, and returns an action (int64):

- state, rules : the game's records (its state.py); the state contains only what the agent's seat may know, in the
  playouts of a search also samples of the rest
- params : the parameter record: a float64 or int64 field per Param, Choice or Weights, several per Policy
- memory : a record of the declared dtype, one per seat and thread, zeroed at the start of each game; its field
  `playouts` (int64), if declared, counts simulated games and is added up at the end of each game
- rng : the agent's random stream; see `kernel.streams.randbelow`

A spec string names an agent: `NAME[:KEY=VALUE{,KEY=VALUE}]`, for instance `careful:margin=4`. A value that contains one
of `,:=~` is put in parentheses. `path/to/bots.py::careful:margin=3` loads an agent from a file. A name may select a
different agent in each game (by an entry point NAME@GAME), so look-ups take the game. Restrictions follow the rest,
`careful:margin=4~KIND:NAME`; see `game.restricting`.

Third-party code is imported within a time limit, and digested, so that a changed agent is noticed.
"""

from strozzi_sim.agent.declare import Agent, compiled_agent, python_agent
from strozzi_sim.agent.names import check_lineup, seat_others
from strozzi_sim.agent.parameters import Choice, File, Param, Plan, Policy, Weights
from strozzi_sim.agent.python import Replacement
from strozzi_sim.agent.registry import AgentSpec, AnyAgent, find_agent, load_agent, spec_of
from strozzi_sim.agent.spec_text import split_specs
from strozzi_sim.kernel.dense import dense

__all__ = ["Agent", "AgentSpec", "AnyAgent", "Choice", "File", "Param", "Plan", "Policy", "Replacement", "Weights"]
__all__ += ["check_lineup", "compiled_agent", "dense", "find_agent", "load_agent", "python_agent", "seat_others"]
__all__ += ["spec_of", "split_specs"]
