"""The commit of the source: of a checkout, of an install from version control, and none."""

import json
import subprocess

import pytest

from strozzi_sim.runtime import provenance


class Installed:
    def __init__(self, origin):
        self.origin = origin

    def read_text(self, name):
        assert name == "direct_url.json"
        return None if self.origin is None else json.dumps(self.origin)


def commit_of(monkeypatch, origin):
    monkeypatch.setattr(provenance, "distribution", lambda name: Installed(origin))
    return provenance.source_commit.__wrapped__()


def test_a_checkout_has_its_commit_and_says_whether_it_was_changed(tmp_path, monkeypatch):
    folder = tmp_path / "with space"
    folder.mkdir()
    (folder / "file.py").write_text("1\n")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "first"]):
        subprocess.run(["git", "-C", folder, *words], check=True)
    head = subprocess.run(
        ["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    editable = {"url": folder.as_uri(), "dir_info": {"editable": True}}
    assert commit_of(monkeypatch, editable) == head
    (folder / "other.py").write_text("3\n")
    assert commit_of(monkeypatch, editable) == head
    (folder / "file.py").write_text("2\n")
    assert commit_of(monkeypatch, editable) == f"{head}, changed"
    (folder / ".git" / "index").write_text("no index")  # `git status` fails
    assert commit_of(monkeypatch, editable) == ""
    inner = folder / "inner"
    inner.mkdir()
    assert commit_of(monkeypatch, {"url": inner.as_uri(), "dir_info": {"editable": True}}) == ""


@pytest.mark.parametrize(
    ("origin", "commit"),
    [
        ({"url": "https://x", "vcs_info": {"vcs": "git", "commit_id": "abc"}}, "abc"),
        (None, ""),
        ({"url": "file:///x.whl", "archive_info": {}}, ""),
        ({"url": "file:///nowhere/at/all", "dir_info": {"editable": True}}, ""),
    ],
)
def test_other_installs(monkeypatch, origin, commit):
    assert commit_of(monkeypatch, origin) == commit


def test_a_machine_without_git_knows_no_commit(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit_of(monkeypatch, {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}) == ""
