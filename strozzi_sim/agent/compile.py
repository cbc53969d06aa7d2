"""Compile an agent for a game into the address of its function and its parameter record, which the game loops take."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba import types

from strozzi_sim.agent import Agent, AgentSpec, Choice, File, Policy, Weights, load_agent
from strozzi_sim.agent.analysis import check_probabilities, check_worth
from strozzi_sim.agent.declare import NO_MEMORY, RECORDS
from strozzi_sim.agent.parameters import NONE, Evaluator, Prior
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.game.contract import Game
from strozzi_sim.kernel.compile_errors import COMPILE_ERRORS, describe_compile_error
from strozzi_sim.kernel.jit import compile_cfunc
from strozzi_sim.kernel.pointers import STOP_FIELD
from strozzi_sim.kernel.record_types import record_type
from strozzi_sim.kernel.streams import RANDOM

_LONGEST = 1 << 30  # bytes that code for a last field of any length assumes
# numba's streams for `random`, which a study's seed does not set
_GLOBAL_STREAM = re.compile(r"numba_get_\w+_random_state")
_compiled: dict[tuple[int, int, str, Any], Any] = {}  # functions, with agents: the ids in the keys stay unique


@dataclass(frozen=True)
class CompiledAgent:
    """An agent compiled for a game in this process."""

    address: int  # address of its function
    params: np.ndarray[Any, Any]  # its parameter record, array of shape (1,)
    memory: np.dtype[Any]  # dtype of its memory
    trusted: bool  # whether it is built in
    blind: bool = False  # whether it reads only the legal actions from the state
    keep: Any = None  # objects that must live as long as the addresses

    @property
    def memory_size(self) -> int:
        """Bytes of its memory that are zeroed at the start of a game; 0 without a declared memory."""
        return 0 if self.memory == NO_MEMORY else self.memory.itemsize

    def sees_state(self, hidden: bool) -> bool:
        """Return whether it receives the state itself, not a concealed copy; `hidden`: whether seats have secrets."""
        return self.trusted and (self.blind or not hidden)


def compile_evaluator(spec: AgentSpec, game: Game) -> CompiledAgent:
    """Compile the `evaluation` function of an agent for a game, or load it from the cache folder."""
    if spec.agent.evaluation is None:
        raise InputError(f"agent {spec.text!r} does not evaluate positions; give one that does")
    compiled = compile_agent(spec, game, spec.agent.evaluation)
    check_worth(spec.agent.name, compiled.memory)
    return compiled


def compile_agent(
    spec: AgentSpec, game: Game, function: Callable[..., Any] | None = None, stop: np.ndarray[Any, Any] | None = None
) -> CompiledAgent:
    """Compile an agent's `function`, by default the one that chooses actions, or load it from the cache folder.

    A built-in search ends early, with any legal action, once `stop` (int64[1]) is not 0.
    """
    agent = spec.agent
    params = np.zeros(1, agent.params_dtype)
    params[STOP_FIELD] = 0 if stop is None else stop.ctypes.data
    referenced: list[Any] = [stop]
    for key, param in agent.params.items():
        value = spec.values[key]
        if isinstance(param, Choice):
            params[key] = param.options.index(str(value))
        elif isinstance(param, Policy):
            if value != NONE:
                referenced.append(_set_policy(params, key, param, load_agent(str(value), game), game, stop))
        elif isinstance(param, Weights):
            evaluates = function is not None and function is agent.evaluation
            table, networks = param.networks(str(value), game, evaluates)
            referenced.append((table, networks))
            params[key] = table.ctypes.data
        elif not isinstance(param, File):
            params[key] = value
    dtype = _memory_of(spec, game)
    compiled_dtype = _with_longest_field(dtype) if agent.any_length else dtype
    compiled = _compile(agent, function or agent.function, game, compiled_dtype, spec.builtin)
    return CompiledAgent(compiled.address, params, dtype, spec.builtin, agent.blind, (compiled, referenced))


def _set_policy(
    params: Any, key: str, param: Policy, policy: AgentSpec, game: Game, stop: np.ndarray[Any, Any] | None
) -> list[Any]:
    """Write the fields of a policy, evaluator or prior into `params`; return the objects whose addresses they hold."""
    evaluation = policy.agent.evaluation if isinstance(param, Evaluator) else None
    compiled = compile_agent(policy, game, evaluation, stop)
    memory = np.zeros(1, compiled.memory)
    params[key] = 0 if policy.is_uniform else compiled.address
    params[f"{key}_params"] = compiled.params.ctypes.data
    params[f"{key}_memory"] = memory.ctypes.data
    params[f"{key}_size"] = memory.nbytes
    if evaluation is not None:
        check_worth(policy.agent.name, memory.dtype)
        params[f"{key}_worth"] = memory["worth"].ctypes.data
    if not isinstance(param, Prior) or policy.agent.probabilities is None:
        return [compiled, memory]
    probabilities = compile_agent(policy, game, policy.agent.probabilities, stop)
    check_probabilities(policy.agent.name, memory.dtype, game.actions)
    params[f"{key}_function"] = probabilities.address
    params[f"{key}_probabilities"] = memory["probabilities"].ctypes.data
    return [compiled, memory, probabilities]


def _memory_of(spec: AgentSpec, game: Game) -> np.dtype[Any]:
    what, dtype = f"agent {spec.agent.name!r}: memory:", spec.agent.memory
    if not isinstance(dtype, np.dtype):
        try:
            dtype = dtype(spec.values, game)
        except InputError:  # a parameter that requests too much memory
            raise
        except Exception as error:
            raise AgentFault(f"{what} raised {type(error).__name__}: {error}") from error
    if not isinstance(dtype, np.dtype) or not dtype.names:
        raise AgentFault(f"{what} expected a dtype with named fields from its function, got {dtype!r}")
    if "playouts" in dtype.names and dtype["playouts"] != np.int64:
        raise AgentFault(f"{what} the field playouts must be an int64, got {dtype['playouts']}")
    return dtype


def _with_longest_field(memory: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype with the longest possible last field; code compiled for it serves every length."""
    assert memory.names is not None
    assert memory.fields is not None
    last = memory.names[-1]
    element, shape = memory[last].subdtype or (memory[last], ())
    if len(shape) != 1:
        raise InputError(f"memory: the last field, {last!r}, must be an array with one axis to be of any length")
    fields = [(name, memory[name]) for name in memory.names[:-1]]
    longest = np.dtype([*fields, (last, element, (_LONGEST // element.itemsize,))], align=True)
    assert longest.fields is not None
    if any(longest.fields[name][1] != memory.fields[name][1] for name in memory.names):
        raise InputError("memory: its dtype must have align=True, so that its last field can be of any length")
    return longest


def _compile(agent: Agent, function: Callable[..., Any], game: Game, memory: np.dtype[Any], builtin: bool) -> Any:
    """Return the compiled function; compile it unless this process or the cache folder has it. Raises AgentFault."""
    key = (id(agent), id(function), game.name, memory)
    if key not in _compiled:
        game.register()
        records = (game.state, game.rules, agent.params_dtype, memory, RANDOM)
        signature = types.int64(*(record_type(record) for record in records))
        try:  # third-party code is not cached: the cache key does not cover its helpers and data
            compiled = compile_cfunc(function, signature, game.name, cache=builtin, boundscheck=not builtin)
        except (*COMPILE_ERRORS, ValueError) as error:  # ValueError: numba evaluates the function's constants
            names = {record_type(record): name for name, record in zip(RECORDS, records, strict=True)}
            reason = describe_compile_error(error, names)
            raise AgentFault(f"agent {agent.name!r} does not compile for {game.name}: {reason}") from error
        if not builtin and _GLOBAL_STREAM.search(compiled.inspect_llvm()):
            file = Path(function.__code__.co_filename).name
            fault = f"{file}, or code that it calls, draws with `random` of Python or NumPy"
            advice = "draw with randbelow(rng, n) of strozzi_sim.kernel.streams"
            raise AgentFault(f"agent {agent.name!r}: {fault}, so its games could not be repeated; {advice}")
        _compiled[key] = (agent, compiled)
    return _compiled[key][1]
