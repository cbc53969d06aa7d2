"""The cache of compiled code: only what is ours and whole is used, and nothing wrong with it costs more than a compile."""

import errno
import os
import pickle
import stat

import pytest
from numba import int64

from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.runtime import cache, cache_integrity

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
    monkeypatch.setattr(cache_integrity, "_checked", {})
    return tmp_path / "cache"


@pytest.fixture
def as_new(monkeypatch):
    """Forget what this process knows of the cache."""

    def forget():
        cache._given_up.clear()
        cache_integrity._checked.clear()

    return forget


def compiled():
    """How many functions came from the cache: 0 or 1."""
    function = entry(plus, int64(int64, int64), "strozzi")
    assert function(2, 3) == 5
    return sum(function.stats.cache_hits.values())


def code_files(root):
    return sorted(root.glob("*/*/*.nb[ic]"))


def test_code_is_kept_in_a_private_tagged_folder(root):
    assert compiled() == 0
    assert compiled() == 1
    (folder,) = cache.folders()
    assert folder.parent == root
    assert stat.S_IMODE(root.stat().st_mode) == stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_code_kept_under_an_open_umask_is_used(root, as_new, capfd):
    before = os.umask(0o002)
    try:
        compiled()
    finally:
        os.umask(before)
    as_new()
    assert compiled() == 1
    assert capfd.readouterr().err == ""


class Payload:
    """Runs when it is unpickled, as whatever is put into a cache would."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return os.mkdir, (str(self.target),)


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("harm", ["payload", "empty", "cut", "changed", "open to others"])
def test_damaged_code_is_compiled_again_and_never_run(root, as_new, capfd, tmp_path, kind, harm):
    compiled()
    (file,) = (file for file in code_files(root) if file.suffix == f".{kind}")
    content = file.read_bytes()
    if harm == "payload":
        file.write_bytes(pickle.dumps(Payload(tmp_path / "executed")))
    elif harm == "open to others":
        file.chmod(0o666)
    else:
        harmed = {"empty": b"", "cut": content[: len(content) // 2], "changed": content[:-9] + b"?" + content[-8:]}
        file.write_bytes(harmed[harm])
    as_new()
    assert compiled() == 0
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith("strozzi: damaged or half-written code in ")
    assert err.endswith(" is compiled again (1 of its files)\n")
    assert not (tmp_path / "executed").exists()
    as_new()
    assert compiled() == 1
    assert capfd.readouterr().err == ""


def test_code_that_a_killed_process_did_not_list_is_compiled_again(root, as_new, capfd):
    compiled()
    (root / cache.folders()[0].name / "sums.json").unlink()
    as_new()
    assert compiled() == 0
    assert "damaged or half-written" in capfd.readouterr().err


def make_open(root, folder):
    folder.chmod(0o777)


def make_root_open(root, folder):
    root.chmod(0o770)


def make_untagged(root, folder):
    (folder / "CACHEDIR.TAG").unlink()


def make_anothers(root, folder):
    os.chown(folder, OTHER, OTHER)


def make_anothers_file(root, folder):
    os.chown(next(folder.glob("*/*.nbi")), OTHER, OTHER)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (make_open, "others may write to strozzi-.* (mode 777)"),
        (make_root_open, "others may write to cache (mode 770)"),
        (make_untagged, "strozzi-.* holds files that strozzi-sim did not write"),
        pytest.param(make_anothers, "belongs to another user (uid 12345)", marks=root_only),
        pytest.param(make_anothers_file, "belongs to another user (uid 12345)", marks=root_only),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_folder_that_is_not_ours_alone_makes_way_for_a_private_one(root, as_new, capfd, tmp_path, harm, words):
    compiled()
    files = code_files(root)
    harm(root, cache.folders()[0])
    as_new()
    assert compiled() == 0
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith(f"strozzi: the cache of compiled code in {root} is not used: ")
    assert all(piece in err for piece in words.split(".*"))
    assert code_files(root) == files
    (private,) = (tmp_path / "tmp").iterdir()
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert compiled() == 1


@root_only
def test_a_private_folder_that_somebody_else_made_is_not_used(root, capfd, tmp_path):
    root.write_text("a file")
    private = cache._private_root()
    private.mkdir(mode=0o700)
    os.chown(private, OTHER, OTHER)
    assert compiled() == compiled() == 0
    assert capfd.readouterr().err.splitlines() == [
        f"strozzi: the cache of compiled code in {root} is not used: File exists",
        f"strozzi: the cache of compiled code in {private} is not used: {private.name} belongs to another user (uid {OTHER})",
    ]
    assert list(private.iterdir()) == []


def full(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("method", ["_save_index", "_save_data"])
def test_a_full_cache_disk_costs_a_compile_and_is_named(root, capfd, monkeypatch, tmp_path, method):
    monkeypatch.setattr(f"numba.core.caching.IndexDataCacheFile.{method}", full)
    assert compiled() == 0
    assert capfd.readouterr().err.splitlines() == [
        f"strozzi: the cache of compiled code in {place} is not used: No space left on device"
        for place in (root, cache._private_root())
    ]
    assert code_files(root) == []  # an index without its code would name another's


def test_a_disk_without_room_for_folders_costs_a_compile(root, capfd, monkeypatch):
    monkeypatch.setattr("numba.core.caching._CacheLocator.ensure_cache_path", full)
    assert compiled() == 0
    assert "no folder can be created there" in capfd.readouterr().err


def test_old_folders_go_and_clear_empties(root):
    for k in range(cache.FOLDERS_KEPT + 3):
        folder = root / f"strozzi-{k:016x}"
        root.mkdir(exist_ok=True)
        cache_integrity.open_folder(folder)
        os.utime(folder, (k, k))
    cache._drop_old(root)
    assert [folder.name for folder in cache.folders()] == [f"strozzi-{k:016x}" for k in range(10, 2, -1)]
    assert len(cache.clear()) == cache.FOLDERS_KEPT
    assert cache.folders() == []


def test_only_folders_with_our_tag_are_removed_and_in_them_only_what_is_ours(root):
    compiled()
    theirs = root / f"letters-{7:016x}"
    theirs.mkdir()
    (theirs / "letter.txt").write_text("dear")
    (root / f"empty-{7:016x}").mkdir()
    (ours,) = cache.folders()
    (ours / "note.txt").write_text("mine")
    assert cache.clear() == [ours]
    assert (theirs / "letter.txt").exists()
    assert (root / f"empty-{7:016x}").exists()
    assert [path.name for path in ours.rglob("*") if path.is_file() and path.name not in (".lock", "CACHEDIR.TAG", "sums.json")] == ["note.txt"]  # fmt: skip
    (ours / "note.txt").unlink()
    assert cache.clear() == [ours]
    assert not ours.exists()


def test_a_folder_in_use_is_not_removed(root):
    compiled()
    with cache.cache_folder("strozzi"):
        assert cache.clear() == []
    assert compiled() == 1
