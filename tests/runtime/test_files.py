"""Files written atomically: unique names, links, devices, pipes, and nothing half-written left behind."""

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from strozzi_sim.errors import ArgumentError, InputError, StorageError
from strozzi_sim.runtime import files
from strozzi_sim.runtime.files import (
    check_portable,
    is_standard_output,
    open_atomically,
    write_atomically,
    write_replacing,
)

root_only = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may do that")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    "name",
    ["con", "AUX", "nul.txt", "Com1", "lpt9.tar.gz", "com\xb2", "a.", "a ", "a:b", "a?", "a/b", "a\\b", "\t", ""],
)
def test_a_name_that_some_system_refuses_is_refused_on_every_system(name):
    with pytest.raises(InputError, match=r"choose another name|without < > "):
        check_portable(name)


@pytest.mark.parametrize("name", ["console", "aux-1", "com10", "com", ".nul", "a b.csv", "4-players,base,a%3Ab"])
def test_other_names_are_taken(name):
    check_portable(name)


def test_two_writers_do_not_mix_and_the_last_to_finish_wins(tmp_path):
    target = tmp_path / "games.jsonl"
    with open_atomically(target) as first:
        first.write(b"first")
        with open_atomically(target) as second:
            second.write(b"second")
        assert target.read_bytes() == b"second"
        first.write(b" and last")
    assert target.read_bytes() == b"first and last"
    assert names(tmp_path) == ["games.jsonl"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_ends_badly_leaves_the_file_as_it_was(tmp_path, error):
    target = tmp_path / "games.jsonl"
    target.write_text("before")

    def half():
        with open_atomically(target) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        half()
    assert target.read_text() == "before"
    assert names(tmp_path) == ["games.jsonl"]


def test_a_link_is_followed_and_stays(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    for before in ("there", None):  # and one that points to nothing yet
        target.unlink(missing_ok=True)
        if before is not None:
            target.write_text(before)
        link.unlink(missing_ok=True)
        link.symlink_to("target")
        write_atomically(link, b"new")
        assert link.is_symlink()
        assert target.read_bytes() == b"new"
    assert names(tmp_path) == ["link", "target"]


def test_permissions_are_those_of_the_file_or_of_the_umask(tmp_path):
    target = tmp_path / "a"
    before = os.umask(0o027)
    try:
        write_atomically(target, b"1")
    finally:
        os.umask(before)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    target.chmod(0o604)
    write_atomically(target, b"2")
    assert stat.S_IMODE(target.stat().st_mode) == 0o604


def test_a_pipe_is_written_to_and_stays(tmp_path):
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"through")
    reader.join(20)
    assert found == [b"through"]
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


@root_only
def test_a_device_is_written_to_and_stays(tmp_path):
    device = tmp_path / "null"
    os.mknod(device, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    write_atomically(device, b"gone")
    assert stat.S_ISCHR(device.lstat().st_mode)
    assert names(tmp_path) == ["null"]


def test_standard_output_by_any_name_keeps_its_place(tmp_path, capfd):
    link = tmp_path / "link"
    link.symlink_to("/dev/stdout")
    for name in (Path("-"), Path("/dev/stdout"), Path("/dev/fd/1"), link):
        assert is_standard_output(name)
        print("before")
        write_atomically(name, b"written\n")
    assert capfd.readouterr().out == "before\nwritten\n" * 4
    assert link.is_symlink()
    assert not is_standard_output(tmp_path / "1")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda folder: folder, "is a folder"),
        (lambda folder: folder / ("x" * 300), "File name too long"),
        (lambda folder: folder / "missing" / "x", "No such file"),
        (lambda folder: folder / "file" / "x", "Not a directory"),
        (lambda folder: folder / "loop", "symbolic links"),
    ],
)
def test_what_cannot_be_written_is_an_error_in_one_line(tmp_path, make, words):
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(StorageError, match=f"cannot write .*{words}"):
        write_atomically(make(tmp_path), b"")
    assert names(tmp_path) == ["file", "loop"]


def test_a_long_name_that_the_disk_allows_is_written(tmp_path):
    write_atomically(tmp_path / ("x" * 255), b"1")
    assert names(tmp_path) == ["x" * 255]


OURS = {  # a file of each kind as it begins or ends
    files.RECORD: b'{"type":"game","format":"strozzi-sim.record/1","game":"strozzi"}\n',
    files.REPORT_PAGE: b'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="strozzi-sim">\n',
    files.GAME_PAGE: b'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="strozzi-sim">',
    files.TABLE: b"seat,games won,games won (low),games won (high),games won (n)\n",
    files.PICTURE: b"%PDF-1.4\n" + 9_000 * b" " + b"<< /Producer (strozzi-sim) >>\n%%EOF\n",
    files.NETWORKS: b"PK\x03\x04" + 26 * b" " + b"all/0/weights.npy",
}


@pytest.mark.parametrize("kind", OURS)
def test_a_file_is_replaced_by_one_of_its_kind_alone_unless_the_user_says_so(tmp_path, kind):
    target, new = tmp_path / "notes.txt", b"new"
    others = [OURS[each] for each in OURS if each != kind]
    for content in (b"my thesis", b"PK my archive", b"\x89PNG my photograph", b"seat,score\n1,40\n", *others):
        target.write_bytes(content)
        with pytest.raises(
            ArgumentError, match=f"^out: .*notes.txt exists and is not a {kind} of strozzi-sim; .*`overwrite`"
        ):
            write_replacing({tmp_path / "other": new, target: new}, kind, argument="out")
        assert target.read_bytes() == content
        assert names(tmp_path) == ["notes.txt"]
    write_replacing({target: new}, kind, overwrite=True)
    assert target.read_bytes() == new
    for content in (b"", OURS[kind]):
        target.write_bytes(content)
        write_replacing({target: new}, kind)
        assert target.read_bytes() == new


@pytest.mark.parametrize("linked", ["tables", "tables/deep", "tables/deep/seats.csv"])
@pytest.mark.parametrize("exists", [True, False])
def test_within_a_folder_no_link_is_followed_at_any_depth(tmp_path, linked, exists):
    mine, folder = tmp_path / "mine", tmp_path / "results"
    (mine / "deep").mkdir(parents=True)
    (mine / "deep" / "seats.csv").write_text("mine")
    (folder / linked).parent.mkdir(parents=True)
    (folder / linked).symlink_to(mine / linked.removeprefix("tables").lstrip("/") if exists else tmp_path / "nowhere")
    with pytest.raises(StorageError, match=f"{linked}: is a link, a pipe or a device, which no run made"):
        write_atomically(folder / "tables" / "deep" / "seats.csv", b"new", within=folder)
    assert (mine / "deep" / "seats.csv").read_text() == "mine"
    assert names(tmp_path) == ["mine", "results"]
    (tmp_path / "here").symlink_to(mine)  # the folder itself may be a link, and what it lacks is made
    write_atomically(tmp_path / "here" / "new" / "x", b"new", within=tmp_path / "here")
    assert (mine / "new" / "x").read_bytes() == b"new"


RECORD = """
import sys, time
from pathlib import Path
from strozzi_sim.cli import app
from strozzi_sim.runtime.files import open_atomically

def endless(arguments):
    with open_atomically(Path(arguments[0])) as file:
        file.write(b"half")
        file.flush()
        print("begun", flush=True)
        time.sleep(600)

app.run = endless
app.main()
"""


def test_sigterm_leaves_nothing_half_written_and_says_so(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", RECORD, tmp_path / "x"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "begun\n"
    assert len(names(tmp_path)) == 1
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (143, "strozzi: error: interrupted by SIGTERM\n")
    assert names(tmp_path) == []
