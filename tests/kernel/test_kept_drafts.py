"""Drafts of kernels are kept between processes, and only for the function, the types and the sources that they were made of."""

import numpy as np
import pytest
from numba import njit, types
from numba.core.compiler_machinery import PassManager

from strozzi_sim.kernel import kept_drafts, numba_patches
from strozzi_sim.kernel.jit import force_inline, jit
from strozzi_sim.kernel.numba_patches import EntryCompiler

HERE = frozenset([__file__])


def entry_of(step, kind=types.int64):
    """An entry that calls a kernel with a value of its own, which calls another."""

    @jit
    def last(values):
        return values[-1 + values.shape[0]]

    @force_inline
    def stepped(values):
        return last(values) + step

    @jit
    def summed(values, place):
        return summed(values, place - 1) + values[place] if place >= 0 else stepped(values)

    return njit(kind(kind[::1]), pipeline_class=EntryCompiler)(lambda values: summed(values, values.shape[0] - 1))


@pytest.fixture
def compiled(monkeypatch):
    """The names of the functions that are compiled."""
    names, run = [], PassManager.run

    def noted(passes, state):
        names.append(state.func_id.func_name)
        return run(passes, state)

    monkeypatch.setattr(PassManager, "run", noted)
    return names


@pytest.fixture
def another_process(monkeypatch):
    """Forgets what this process knows."""

    def forget():
        for name in ("_folders", "_kept", "_names", "_libraries"):
            monkeypatch.setattr(kept_drafts, name, {})

    forget()
    return forget


def test_a_kernel_is_compiled_once(tmp_path, compiled, another_process):
    for expected in (["<lambda>", "summed", "stepped", "last"], ["<lambda>"]):
        with kept_drafts.keeping(tmp_path, HERE):
            entry = entry_of(step=5)
        assert entry(np.arange(4)) == 6 + 3 + 5
        assert compiled == expected
        del compiled[:]
        another_process()


@pytest.mark.parametrize(
    ("change", "again"),
    [({"step": 6}, ["<lambda>", "summed", "stepped"]), ({"step": 5, "kind": types.float64}, ["<lambda>", "summed", "stepped", "last"])],
)  # fmt: skip
def test_what_depends_on_another_value_or_type_is_compiled_anew(tmp_path, compiled, another_process, change, again):
    with kept_drafts.keeping(tmp_path, HERE):
        entry_of(step=5)
    another_process()
    del compiled[:]
    with kept_drafts.keeping(tmp_path, HERE):
        entry = entry_of(**change)
    assert entry(np.arange(4) * entry.nopython_signatures[0].return_type(1)) == 6 + 3 + change["step"]
    assert compiled == again


def test_kernels_of_other_files_are_not_kept(tmp_path, another_process):
    with kept_drafts.keeping(tmp_path, frozenset()):
        assert entry_of(step=5)(np.arange(4)) == 14
    assert list(tmp_path.iterdir()) == []


def test_a_bundle_needs_no_other_folder(tmp_path, compiled, another_process):
    """What was kept in one folder is written to another one, too, with what it needs."""
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        with kept_drafts.keeping(tmp_path / folder, HERE):
            entry_of(step=5)
    another_process()
    del compiled[:]
    with kept_drafts.keeping(tmp_path / "other", HERE):
        entry_of(step=5)
    assert compiled == ["<lambda>"]


def test_drafts_of_two_folders_are_not_mixed(tmp_path, another_process):
    """Each folder has drafts of its own, under names of their own, for the same keys: one process may read both."""
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        with kept_drafts.keeping(tmp_path / folder, HERE):
            entry_of(step=5)
        another_process()
    with kept_drafts.keeping(tmp_path / "one", HERE):
        entry_of(step=6)
    with kept_drafts.keeping(tmp_path / "other", HERE):
        assert entry_of(step=5)(np.arange(4)) == 14


def test_a_draft_whose_needs_are_gone_is_compiled_again(tmp_path, compiled, another_process):
    for step in (5, 6):  # the second bundle needs a draft of the first
        with kept_drafts.keeping(tmp_path, HERE):
            entry_of(step)
        if step == 5:
            (first,) = tmp_path.glob("*/*.drafts")
    first.unlink()
    another_process()
    del compiled[:]
    with kept_drafts.keeping(tmp_path, HERE):
        assert entry_of(step=6)(np.arange(4)) == 15
    assert compiled == ["<lambda>", "summed", "stepped", "last"]


def test_an_entry_that_calls_what_is_not_linked_is_refused(monkeypatch, another_process):
    monkeypatch.setattr(numba_patches._Draft, "add_linking_library", lambda library, other: None)
    with pytest.raises(RuntimeError, match="which is not linked"):
        entry_of(step=5)


@pytest.mark.parametrize(
    "harm", [lambda content: content[:-1], lambda content: b"letter", lambda content: content[:-1] + b"?"]
)
def test_what_a_damaged_bundle_had_is_compiled_again(tmp_path, compiled, another_process, capfd, harm):
    with kept_drafts.keeping(tmp_path, HERE):
        entry_of(step=5)
    (bundle,) = tmp_path.glob("*/*.drafts")
    bundle.write_bytes(harm(bundle.read_bytes()))
    another_process()
    del compiled[:]
    with kept_drafts.keeping(tmp_path, HERE):
        assert entry_of(step=5)(np.arange(4)) == 14
    assert compiled == ["<lambda>", "summed", "stepped", "last"]
    assert capfd.readouterr().err == f"strozzi: damaged code is compiled again: {bundle}\n"


def test_a_compile_that_fails_leaves_nothing(tmp_path, another_process):
    def fail():
        with kept_drafts.keeping(tmp_path, HERE):
            entry_of(step=5)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert list(tmp_path.iterdir()) == []
