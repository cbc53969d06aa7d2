"""The cache of compiled code: only in a folder of the user's own, and damage costs a compile."""

import errno
import os
import stat

import pytest
from numba import float64, int64

from strozzi_sim.errors import StorageError
from strozzi_sim.kernel.jit import before_compiling, entry, jit
from strozzi_sim.runtime import cache

root_only = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may do that")
OTHER = 12345  # a user who is not us


@jit
def plus(a, b):
    return a + b


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A cache of its own, as a new process finds it; the temporary folder is private too."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("STROZZI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache.tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(cache, "_given_up", set())
    return tmp_path / "cache"


def compiled():
    """How many functions came from the cache: 0 or 1."""
    function = entry(plus, int64(int64, int64), "strozzi")
    assert function(2, 3) == 5
    return sum(function.stats.cache_hits.values())


def code_files(root):
    return sorted(root.glob("*/*.nbc"))


def test_code_is_kept_in_a_private_tagged_folder(root):
    assert compiled() == 0
    assert compiled() == 1
    (folder,) = cache.folders()
    assert folder.parent == root
    assert stat.S_IMODE(root.stat().st_mode) == stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_code_kept_under_an_open_umask_is_used(root, capfd):
    before = os.umask(0o002)
    try:
        compiled()
    finally:
        os.umask(before)
    assert compiled() == 1
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "harm",
    [
        lambda content: b"",
        lambda content: content[: len(content) // 2],
        lambda content: bytes(len(content)),
        lambda content: content[:-9] + b"?" + content[-8:],
        lambda content: content[: len(content) // 2] + b"?" + content[len(content) // 2 + 1 :],
    ],
    ids=["empty", "half", "zeros", "changed at the end", "changed inside"],
)
def test_damaged_code_is_compiled_again(root, capfd, harm):
    compiled()
    (file,) = code_files(root)
    file.write_bytes(harm(file.read_bytes()))
    assert compiled() == 0
    assert capfd.readouterr().err == f"strozzi: damaged code is compiled again: {file}\n"
    assert compiled() == 1
    assert capfd.readouterr().err == ""


def test_before_the_first_code_is_compiled_a_function_is_called_once_and_never_when_all_is_cached(root):
    calls = []
    for times in (1, 2):
        with before_compiling(lambda times=times: calls.append(times)):
            compiled()
            entry(plus, float64(float64, float64), "strozzi")
    compiled()
    assert calls == [1]


def test_code_of_other_types_is_not_loaded(root, capfd):
    """As it may lie there after somebody copied files."""
    reals = float64(float64, float64)
    compiled()
    (whole,) = code_files(root)
    entry(plus, reals, "strozzi")
    (real,) = set(code_files(root)) - {whole}
    real.write_bytes(whole.read_bytes())
    assert entry(plus, reals, "strozzi")(0.5, 1.0) == 1.5
    assert str(real) in capfd.readouterr().err


THEIRS = "must .* got uid 12345, mode 700"


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (
            lambda root, folder: folder.chmod(0o777),
            r"in .*/strozzi-\w+: must belong to you \(uid \d+\) and be writable by nobody else, got uid \d+, mode 777; make it private",
        ),
        (lambda root, folder: root.chmod(0o770), "in .*/cache: must .*, mode 770; .* another in STROZZI_CACHE_DIR"),
        pytest.param(lambda root, folder: os.chown(folder, OTHER, OTHER), rf"/strozzi-\w+: {THEIRS}", marks=root_only),
        pytest.param(lambda root, folder: os.chown(root, OTHER, OTHER), f"in .*/cache: {THEIRS}", marks=root_only),
    ],
    ids=["open", "root open", "another's", "root another's"],
)
def test_a_folder_that_is_not_the_users_alone_is_refused(root, harm, words):
    compiled()
    harm(root, cache.folders()[0])
    with pytest.raises(StorageError, match=words):
        compiled()


def test_where_no_folder_can_be_made_a_temporary_one_is_used(root, capfd, tmp_path):
    root.write_text("a file")
    assert (compiled(), compiled()) == (0, 1)
    assert capfd.readouterr().err == f"strozzi: the cache of compiled code in {root} is not used: File exists\n"
    (private,) = (tmp_path / "tmp").iterdir()
    assert stat.S_IMODE(private.stat().st_mode) == 0o700


def test_a_full_cache_disk_costs_a_compile_and_is_named(root, capfd, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pathlib.Path.replace", full)
    assert compiled() == 0
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"strozzi: the cache of compiled code in {root} is not used: cannot write {root}")
    assert line.endswith("No space left on device")


def test_old_folders_go_and_clear_empties(root, monkeypatch):
    monkeypatch.setattr(cache, "FOLDERS_KEPT", 8)
    for k in range(cache.FOLDERS_KEPT + 3):
        cache._make(root / f"strozzi-{k:016x}")
        os.utime(root / f"strozzi-{k:016x}", (k, k))
    cache._drop_old(root)
    assert [folder.name for folder in cache.folders()] == [f"strozzi-{k:016x}" for k in range(10, 2, -1)]
    assert len(cache.clear()) == cache.FOLDERS_KEPT
    assert cache.folders() == list(root.iterdir()) == []
    assert (compiled(), compiled()) == (0, 1)


def test_only_folders_with_our_tag_are_removed(root):
    compiled()
    theirs = root / f"letters-{7:016x}"
    theirs.mkdir()
    (theirs / "letter.txt").write_text("dear")
    (ours,) = cache.folders()
    assert cache.clear() == [ours]
    assert list(root.iterdir()) == [theirs]
