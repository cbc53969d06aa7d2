"""The notebooks run from top to bottom and print what is stored in them."""

import json
import subprocess
import sys

import pytest

from needed import need
from paths import ROOT

nbformat = need("nbformat")

FOLDER = ROOT / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def execute(*arguments):
    """In a process of its own: kernels have their own threads and event loops."""
    command = [sys.executable, "execute.py", *arguments]
    return subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)


def test_every_notebook_is_known_small_and_without_traces_of_a_machine():
    assert len(NAMES) == 11
    for name in NAMES:
        path = FOLDER / f"{name}.ipynb"
        assert path.stat().st_size < 300_000
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        assert set(notebook.metadata) == {"kernelspec", "language_info"}
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
        outputs = [output for cell in code for output in cell.outputs]
        assert outputs
        assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
        shown = json.dumps([{**output, "data": {**output.get("data", {}), "image/png": ""}} for output in outputs])
        for trace in ("/home", "/root", "/tmp", "<progress", "object at 0x"):
            assert trace not in shown, (name, trace)


BAR = "from strozzi_sim.study.progress import progress_of\nshown = progress_of(None)\nshown.__enter__().on_phase('games', 1, 2)"
END = "_ = shown.__exit__(None, None, None)"
RUN = """
import json, sys
import nbformat
from execute import executed


cells = [nbformat.v4.new_code_cell(source) for source in sys.argv[1:]]
print(json.dumps([cell.outputs for cell in executed(nbformat.v4.new_notebook(cells=cells)).cells]))
"""


def test_a_bar_is_shown_and_leaves_nothing_behind():
    """A bar that ends in its cell, one that ends in the next, and one that does not end; one kernel runs all."""
    command = [sys.executable, "-c", RUN, BAR + "\n" + END, BAR, END, BAR]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=True)
    outputs = json.loads(done.stdout)
    texts = [[output["data"]["text/plain"] for output in cell] for cell in outputs]
    assert texts == [[], [], [], ["games: 1 of 2"]]
    assert all('<progress value="1" max="2"' in output["data"]["text/html"] for output in outputs[3])


@pytest.mark.slow
@pytest.mark.nightly_for(
    "compare-bots",
    "make-it-fairer",
    "strozzi-for-six",
    "strategy-heatmaps",
    "train-your-own",
    "pricing-lots",
    "reading-strasbourg",
    "write-your-own-agent",
    "your-own-game",
    "luck-and-errors",
)
@pytest.mark.parametrize("name", NAMES)
def test_it_prints_what_is_stored(name):
    done = execute(name)
    assert (done.returncode, done.stdout.strip()) == (0, f"{name}: as stored"), done.stdout + done.stderr


@pytest.mark.slow
def test_another_output_is_shown_and_fails(tmp_path):
    script = tmp_path / "execute.py"
    script.write_text((FOLDER / "execute.py").read_text())
    cells = [nbformat.v4.new_code_cell("print(1 + 1)\n2 + 2"), nbformat.v4.new_code_cell("'unchanged'")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "sums.ipynb")

    def run(*arguments):
        command = [sys.executable, script, *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    missing = run()
    assert missing.returncode == 1
    assert "+4" in missing.stdout
    assert run("--write").stdout == "sums: written\n"
    first = (tmp_path / "sums.ipynb").read_bytes()
    assert (run().returncode, run("--write").returncode) == (0, 0)
    assert (tmp_path / "sums.ipynb").read_bytes() == first
    (tmp_path / "sums.ipynb").write_bytes(first.replace(b"1 + 1", b"1 + 2"))
    other = run()
    assert other.returncode == 1
    assert "-2" in other.stdout
    assert "+3" in other.stdout
    assert "unchanged" not in other.stdout
    (tmp_path / "sums.ipynb").write_bytes(first.replace(b"1 + 1", b"1 / 0"))
    failing = run()
    assert failing.returncode == 1
    assert "a cell fails" in failing.stdout
    assert "ZeroDivisionError" in failing.stdout
    assert run("sum").returncode == 2
