"""Import of agents' files and packages; third-party ones first in a worker process, where a failure does no harm.

Any other process imports these only after a worker has done so. Code that hangs, or that ends the importing process,
is a fault of the agent.
"""

import os
import sys
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.metadata import EntryPoint
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from strozzi_sim.agent.declare import Agent
from strozzi_sim.agent.files import check_named
from strozzi_sim.agent.python import SECONDS_VARIABLE, seconds_allowed
from strozzi_sim.errors import SIGNALS, AgentFault, InputError, short_repr, short_text, suggest_names
from strozzi_sim.runtime.entry_points import load_object
from strozzi_sim.runtime.workers import (
    Hung,
    WorkerDied,
    active_heartbeat,
    call_in_worker,
    describe_exception,
    heartbeat,
    is_worker,
    stdout_to_stderr,
)

BUILTIN_PACKAGE = "strozzi_agents"  # the package of the built-in agents
MIN_SECONDS = 10.0  # shortest time limit of an import, since libraries take seconds to load


@cache
def _module_of(file: str, digest: str) -> ModuleType:
    """Return the module of a file with this digest of its content, so that a changed file is imported again."""
    if spec_from_file_location("agent", file) is None:
        raise InputError(f"agent file {file}: not a Python file")
    module: ModuleType = _import(f"agent file {file}", _run_file, file, digest)
    return module


def _run_file(file: str, digest: str) -> ModuleType:
    path = Path(file)
    name = f"strozzi_agent_file_{sha256(str(path.resolve()).encode()).hexdigest()[:16]}_{digest}"
    specification: Any = spec_from_file_location(name, path)  # `_module_of` has checked that there is one
    sys.modules[name] = module = module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
    except BaseException:  # remove the partially imported module
        del sys.modules[name]
        raise
    return module


def agent_in_file(file: str, place: str, name: str) -> Agent:
    """Return the agent `name` of a file; `file` is its path in a spec string, `place` the path to open (`place_of`)."""
    if not os.path.isfile(place):  # `Path.is_file` raises for a name that is too long
        raise InputError(f"agent {short_text(f'{file}::{name}')}: no file {short_repr(file)}")
    check_named(place)
    module = _module_of(place, sha256(Path(place).read_bytes()).hexdigest()[:16])
    agents = {agent.name: agent for agent in vars(module).values() if isinstance(agent, Agent)}
    agent = agents[name] if name in agents else getattr(module, name, None)
    if not isinstance(agent, Agent):
        declared = suggest_names(name, agents).removeprefix("known: ")
        raise InputError(f"agent {file}::{name}: the file declares no agent {name!r}; it has: {declared}")
    return agent


def load_point(name: str, value: str) -> Any:
    """Return the object at `value`, MODULE:ATTRIBUTE, which a package registers as agent `name`."""
    trusted = value.split(".")[0] == BUILTIN_PACKAGE
    return _import(f"agent {name!r}: {value}", load_object, EntryPoint("", value, ""), trusted=trusted)


def _import(what: str, load: Callable[..., Any], *arguments: Any, trusted: bool = False) -> Any:
    """Return `load(*arguments)`; a worker process runs it first if it is not trusted. Raises AgentFault."""
    if not (trusted or is_worker()):
        seconds = max(seconds_allowed(), MIN_SECONDS)
        try:
            call_in_worker(_try, what, load, *arguments, seconds=seconds)
        except Hung:
            limit = f"{seconds:g} s ({SECONDS_VARIABLE} sets the limit)"
            raise AgentFault(f"{what} does not import: it takes longer than {limit}") from None
        except WorkerDied as died:
            raise AgentFault(f"{what} does not import: it {died.what}") from None
    try:
        with stdout_to_stderr():
            return load(*arguments)
    except BaseException as error:
        if isinstance(error, SIGNALS) and not is_worker():  # a worker ignores Ctrl-C, so there the file raised it
            raise
        raise AgentFault(f"{what} does not import: {describe_exception(error)}") from error


def _try(what: str, load: Callable[..., Any], *arguments: Any) -> None:
    with active_heartbeat(heartbeat()):
        _import(what, load, *arguments)
