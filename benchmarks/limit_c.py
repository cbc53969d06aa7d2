"""The C side of limit.py: write constants.h, compile a program of limit/ for one variant and player count, play with it."""

import ctypes
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec, load_agent
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.kernel.streams import game_key
from strozzi_sim.simulation.loop import OUTCOME, POSITIONS
from strozzi_sim.simulation.match import Match

FOLDER = Path(__file__).parent / "limit"
# Sums of floats keep the bits that numba gives them: no fused multiply-add, no other order. What is allowed lets the
# compiler take a minimum without a branch.
OPTIONS = (
    "-std=gnu11", "-O3", "-march=native", "-ffp-contract=off", "-ffinite-math-only", "-fno-signed-zeros", "-fno-trapping-math",
    "-shared", "-fPIC", "-Wno-psabi",
)  # fmt: skip

# Scalars of NumPy in C.
_TYPES = {
    "i1": "int8_t", "i2": "int16_t", "i4": "int32_t", "i8": "int64_t",
    "u1": "uint8_t", "u2": "uint16_t", "u4": "uint32_t", "u8": "uint64_t", "f8": "double",
}  # fmt: skip

Array = np.ndarray[Any, Any]


class Failure(Exception):
    """An error that ends the benchmark, with its exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def c_constant(name: str, record: Any) -> str:
    """Return the definition of a record of NumPy as a constant struct in C."""
    fields = []
    for field in record.dtype.names:
        base, shape = record.dtype[field].subdtype or (record.dtype[field], ())
        fields.append(f"{_TYPES[base.str[1:]]} {field}{''.join(f'[{size}]' for size in shape)};")
    return f"static const struct {{ {' '.join(fields)} }} {name} = {_literal(record)};"


def _literal(value: Any) -> str:
    if isinstance(value, np.void):
        return f"{{{', '.join(f'.{field} = {_literal(value[field])}' for field in value.dtype.names)}}}"
    if isinstance(value, np.ndarray):
        return f"{{{', '.join(map(_literal, value))}}}"
    if isinstance(value, np.floating):
        return float(value).hex()
    return (
        f"{int(value)}{'u' if isinstance(value, np.unsignedinteger) else ''}{'ll' if abs(int(value)) >= 2**31 else ''}"
    )


def constants(match: Match, agents: tuple[str, ...]) -> str:
    """Return constants.h for the variant and player count of the match, with the parameters of each agent."""
    game = match.game
    lines = [
        f"enum {{ PLAYERS = {match.players}, POSITIONS = {POSITIONS}, WIN = {WIN_UNITS} }};",
        f"static const uint64_t GAME = {game_key(game.name)}ull;",
        c_constant("RULES", match.variant.rules[0]),
    ]
    for text in agents:
        spec = load_agent(text, game)
        if spec.agent.params:
            name = spec.agent.name.upper()
            params = compile_agent(spec, game).params[0]
            lines.append(c_constant(name, params))
    return "\n".join(lines) + "\n"


def compile_program(program: str, match: Match, agents: tuple[str, ...], folder: Path) -> ctypes.CDLL:
    """Compile limit/<program>.c for the match, in a new folder inside `folder`, and load it."""
    compiler = os.environ.get("CC") or "gcc"
    if shutil.which(compiler) is None:
        raise Failure(4, f"no C compiler: {compiler!r} is not installed; install gcc, or name another one in CC")
    place = folder / f"{program}-{match.variant.name}-{match.players}"
    place.mkdir()
    (place / "constants.h").write_text(constants(match, agents))
    library = place / "program.so"
    command = [compiler, *OPTIONS, f"-I{place}", "-o", str(library), str(FOLDER / f"{program}.c")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(4, f"{compiler} cannot compile {program}.c: {done.stderr.strip()}")
    return ctypes.CDLL(str(library))


def plays(library: ctypes.CDLL, spec: AgentSpec) -> bool:
    """Return whether the program has the agent."""
    return hasattr(library, f"play_{spec.agent.name}")


def play_c(library: ctypes.CDLL, match: Match, last: int, scores: Array | None = None) -> Array:
    """Play deals 0 .. last - 1 of the match in C, with its first agent at every seat; return the outcome.

    Args:
        library: program compiled for the match's variant and player count.
        match: match to play.
        last: number of deals.
        scores: int32[games, players], written if given.
    """
    function = getattr(library, f"play_{match.lineup[0].agent.name}")
    function.restype = ctypes.c_int64
    function.argtypes = [ctypes.c_int64] * 4 + [ctypes.c_void_p] * 3
    outcome, design = np.zeros(1, OUTCOME), match.design
    written = None if scores is None else scores.ctypes.data
    games = function(match.seed, 0, last, len(design), design.ctypes.data, outcome.ctypes.data, written)
    if games != last * len(design):
        raise Failure(1, f"C played {games} games in place of {last * len(design)}")
    return outcome
