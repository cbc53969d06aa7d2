"""Sixty of the folders of benchmarks/fuzz_folders.py; the script itself gives hundreds to the commands."""

import sys

import pytest

from paths import ROOT


@pytest.fixture(scope="module")
def fuzz_folders():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        import fuzz_folders

        yield fuzz_folders
        for name in ("fuzz_folders", "fuzz_folder_cases", "fuzz", "fuzz_cases"):
            del sys.modules[name]


@pytest.mark.slow
def test_nothing_of_the_users_is_touched_and_no_code_is_run(fuzz_folders, tmp_path):
    (tmp_path / "model").mkdir()
    model = fuzz_folders.template(tmp_path / "model")
    failed, codes = {}, []
    for number in range(60):
        (tmp_path / str(number)).mkdir()
        case, done, faults = fuzz_folders.play(2026, number, model, tmp_path / str(number))
        codes.append(done.code)
        if faults:
            failed[number] = case.arguments, case.deeds, done.err, faults
    assert not failed
    assert set(codes) == {0, 2, 4}


def test_a_folder_is_not_read_through_a_link_without_end(fuzz_folders, tmp_path):
    """A case may have /dev/zero or a pipe where it looks for a list or a manifest: it is left alone."""
    import fuzz_folder_cases as cases

    (tmp_path / "zero").symlink_to("/dev/zero")
    with pytest.raises(OSError, match="is no file"):
        cases._content(tmp_path / "zero")


def test_faults_are_found(fuzz_folders, tmp_path):
    """The checks of the script see what they look for."""
    good = fuzz_folders.Outcome(4, "", "strozzi: error: no\n", 0.1)
    case = fuzz_folders.Stranger(tmp_path, ["report", "r"], links={"report.html"})
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "report.html").write_text(f"<p>{fuzz_folders.MARKUP}")
    (tmp_path / "r" / "mine.txt").write_text("mine")
    (tmp_path / "r" / "of-a-run.txt").write_text("")
    (tmp_path / "notes.txt").write_text("mine")
    before = fuzz_folders.users(tmp_path)
    assert set(before) == {".", "notes.txt", "r/mine.txt"}

    def wrong(**changes):
        done = fuzz_folders.Outcome(**{**vars(good), **changes})
        return "; ".join(fuzz_folders.wrong(case, done, before, fuzz_folders.users(tmp_path)))

    assert wrong() == ""
    assert "exit code 70" in wrong(code=70)
    assert "hangs" in wrong(code=-1)
    assert "hangs" in wrong(code=-2, err="Traceback: TimeoutError('more than 60 s') got out")
    assert "a traceback" in wrong(err="Traceback (most\n" + good.err)
    assert "0 lines of error" in wrong(err="")
    assert "other lines" in wrong(err="hello\n" + good.err)
    assert wrong(code=0, err="") == "links were passed over: report.html; markup of the stranger's stands on the page"
    (tmp_path / "notes.txt").write_text("mine")  # the same bytes, written again
    (tmp_path / "r" / "mine.txt").unlink()
    (tmp_path / "ran").touch()
    assert wrong() == ("'notes.txt' was changed; 'r/mine.txt' was lost; 'ran' was made; code of the folder was run")
