"""Agents declared in code, as bytes for workers."""

import pickle
from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from threading import RLock
from types import MappingProxyType
from typing import Any

from strozzi_sim.agent.declare import Agent

_pickling = RLock()  # numba names a function when it is first pickled, and fails if two threads do so at once


def pickled(agent: Agent) -> bytes:
    """Return a declared agent as bytes; code that no module holds is included."""
    import cloudpickle

    parts: Mapping[str, Any] = {part.name: getattr(agent, part.name) for part in fields(agent)}
    with _pickling:
        return bytes(cloudpickle.dumps({**parts, "params": dict(agent.params)}))


@lru_cache(maxsize=256)
def agent_of(content: bytes) -> Agent:
    """Return one object per worker for equal content, since compiled code is cached by object."""
    parts = pickle.loads(content)
    return Agent(**{**parts, "params": MappingProxyType(parts["params"])})
