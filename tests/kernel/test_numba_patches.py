"""Changes to numba: each works with the numba that is installed, is still needed, and leaves other packages' code alone."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit, types
from numba.core.codegen import JITCodeLibrary

import strozzi_sim as ss
from strozzi_sim.kernel import jit, numba_patches
from strozzi_sim.kernel.numba_patches import EntryCompiler

ARRAY = types.int64[::1]
PICK = types.int64(ARRAY, types.int64)


def pick(values, place):
    return values[place]


def pick_as_ours(values, place):
    return values[place]


pick_as_ours.__module__ = "strozzi_sim.errors"  # any module of the package


@njit
def sum_exported(values, place):
    return sum_exported(values, place - 1) + 1 if place > 0 else values[place]  # calls itself, so it is not inlined


@jit.jit
def sum_linked(values, place):
    return sum_linked(values, place - 1) + 1 if place > 0 else values[place]


def llvm_of(compiled):
    (overload,) = compiled.overloads.values()
    return overload.library.get_llvm_str()


def definition(llvm, name):
    (line,) = (
        line for line in llvm.splitlines() if line.startswith("define") and name in line and "cpython" not in line
    )
    return line


def test_kernels_are_optimised_with_their_entry_alone(monkeypatch):
    optimised = []
    monkeypatch.setattr(JITCodeLibrary, "_optimize_final_module", lambda library: optimised.append(library.name))
    inner = njit(lambda values, place: values[place])
    njit(lambda values, place: inner(values, place)).compile((ARRAY, types.int64))
    assert len(optimised) >= 2, "numba optimises callers alone now: the patch is not needed any more"
    del optimised[:]
    kernel = jit.jit(lambda values, place: values[place])
    jit.jit(lambda values, place: kernel(values, place)).compile((ARRAY, types.int64))
    assert optimised == []


def test_linked_kernels_are_private():
    plain = llvm_of(njit(PICK)(lambda values, place: sum_exported(values, place)))
    assert "linkonce_odr" in definition(plain, "sum_exported"), "the patch is not needed any more"
    entry = njit(PICK, pipeline_class=EntryCompiler)(lambda values, place: sum_linked(values, place))
    assert "private" in definition(llvm_of(entry), "sum_linked")
    assert entry(np.arange(4), 3) == 3


PLAY = """
import sys
import strozzi_sim as ss
results = ss.simulate(sys.argv[1], players=ss.load_game(sys.argv[1]).player_counts[0], agents=["random"], deals=40)
print({name: table.to_csv() for name, table in sorted(results.tables.items())})
"""


@pytest.mark.slow
@pytest.mark.nightly_for("strozzi", "strasbourg")  # which take minutes to compile without the changes
@pytest.mark.parametrize("game", ss.game_names())
def test_every_game_has_equal_results_with_all_changes_off(game):
    command, plain = [sys.executable, "-c", PLAY, game], {**os.environ, "STROZZI_PLAIN_NUMBA": "all"}
    usual, without = (subprocess.run(command, env=env, capture_output=True, text=True) for env in (os.environ, plain))
    assert (without.returncode, usual.returncode) == (0, 0), without.stderr + usual.stderr
    assert without.stdout == usual.stdout
    assert "win_share" in usual.stdout


def test_an_unknown_change_is_refused():
    plain = {**os.environ, "STROZZI_PLAIN_NUMBA": "drafts,indixes"}
    command = [sys.executable, "-c", "import strozzi_sim.kernel.numba_patches"]
    done = subprocess.run(command, env=plain, capture_output=True, text=True)
    assert "STROZZI_PLAIN_NUMBA: unknown change 'indixes'; known: drafts, private, indices, " in done.stderr


@pytest.mark.slow
def test_a_kernel_that_an_entry_has_linked_serves_a_users_function_too():
    """The JIT must not find the entry's kernel, whose convention LLVM has changed, for the other function."""
    code = """
import numpy as np
from numba import njit, types
from strozzi_sim.kernel import jit
from strozzi_sim.kernel.numba_patches import EntryCompiler

@jit.jit
def total(unused, values, place):
    return total(unused, values, place - 1) + values[place] if place > 0 else values[place]

def call(values, place):
    return total(values, values, place)

pick = types.int64(types.int64[::1], types.int64)
first = njit(pick, pipeline_class=EntryCompiler)(call)
print(first(np.arange(4), 3), njit(pick)(call)(np.arange(4), 3), njit(pick, pipeline_class=EntryCompiler)(call)(np.arange(4), 3))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("6 6 6\n", 0), done.stderr


def test_an_index_of_ours_never_counts_from_the_end():
    ours = llvm_of(njit(PICK, pipeline_class=EntryCompiler)(pick_as_ours))
    theirs = llvm_of(njit(PICK, pipeline_class=EntryCompiler)(pick))
    assert ours.count("icmp slt") + ours.count("select") < theirs.count("icmp slt") + theirs.count("select")


def test_an_index_of_other_packages_counts_from_the_end():
    values = np.arange(5)
    assert njit(PICK, pipeline_class=EntryCompiler)(pick)(values, -1) == 4
    assert njit(pick_as_ours)(values, -2) == 3
    kernel = jit.jit(pick)
    assert njit(PICK, pipeline_class=EntryCompiler)(lambda values, place: kernel(values, place))(values, -3) == 2


def test_where_bounds_are_checked_a_negative_index_of_ours_is_found():
    checked = njit(PICK, pipeline_class=EntryCompiler, boundscheck=True)(pick_as_ours)
    assert checked(np.arange(5), 4) == 4
    with pytest.raises(IndexError):
        checked(np.arange(5), -1)


def test_an_entry_that_calls_what_is_not_linked_is_refused(monkeypatch):
    monkeypatch.setattr(numba_patches._Draft, "add_linking_library", lambda library, other: None)
    inner = jit.jit(lambda values, place: inner(values, place - 1) + 1 if place > 0 else values[place])
    outer = jit.jit(lambda values, place: inner(values, place))
    with pytest.raises(RuntimeError, match="which is not linked"):
        njit(PICK, pipeline_class=EntryCompiler)(lambda values, place: outer(values, place))
