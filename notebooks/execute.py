"""Runs the notebooks from top to bottom in new kernels, and compares what they print with what is stored in them.

    python notebooks/execute.py [NAME ...]            # compares: exit code 1 if a notebook prints something else
    python notebooks/execute.py --write [NAME ...]    # stores the outputs

A kernel works in an empty folder, under the Python that runs this script, without its user's settings. Text must be equal;
of pictures and HTML it is enough that they are where they were. What is stored holds nothing of the machine or the time.
"""

import argparse
import difflib
import os
import sys
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).parent
SECONDS = 600  # a cell may take
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class ThisPython(KernelSpecManager):
    """Knows one kernel: the Python that runs this, whatever kernels the user has installed under that name."""

    def get_kernel_spec(self, kernel_name):
        """How the kernel is started."""
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR"]
        return KernelSpec(argv=argv, display_name="Python 3", language="python", interrupt_mode="signal")


class Kernel(AsyncKernelManager):
    """A kernel of this Python."""

    def __init__(self, **keys):
        super().__init__(kernel_spec_manager=ThisPython(), **keys)


def executed(notebook):
    """A copy of a notebook with the outputs of a run now. Raises CellExecutionError."""
    copy = deepcopy(notebook)
    with TemporaryDirectory() as settings, TemporaryDirectory() as work:
        client = NotebookClient(
            copy, kernel_manager_class=Kernel, timeout=SECONDS, resources={"metadata": {"path": work}}
        )
        client.execute(env=os.environ | {"IPYTHONDIR": settings, "JUPYTER_CONFIG_DIR": settings})
    return normal(copy)


def normal(notebook):
    """The notebook without what differs from run to run: ids, times, counts, and outputs that are empty in the end."""
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    ran = 0
    for number, cell in enumerate(notebook.cells, 1):
        cell.id, cell.metadata = f"cell-{number}", nbformat.from_dict({})
        if cell.cell_type == "code":
            ran += 1
            cell.execution_count = ran
            cell.outputs = [output for output in joined(cell.outputs) if not is_empty(output)]
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = ran
                if "metadata" in output:
                    output.metadata = nbformat.from_dict({})
    return notebook


def joined(outputs):
    """Outputs, where pieces of one stream that follow each other are one: how they are cut up is chance."""
    whole = []
    for output in outputs:
        if whole and output.output_type == whole[-1].output_type == "stream" and output.name == whole[-1].name:
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole


def is_empty(output):
    """Whether nothing is left of an output, as of a progress bar at the end."""
    return output.output_type == "display_data" and not any(output.data.values())


def texts(notebook):
    """What the cells print, line by line, and which kinds of picture they show."""
    lines = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            lines.append(f"[{cell.id}: {', '.join(sorted(output.get('data', {}))) or output.get('name')}]")
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            lines += text.splitlines()
    return lines


def difference(stored, run):
    """A text that shows where a run prints something else than the notebook holds; "" if nowhere."""
    return "\n".join(difflib.unified_diff(texts(stored), texts(run), "stored", "run now", lineterm="", n=1))


def main():
    """Run, and compare or write; returns the exit code."""
    known = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}; none is all")
    parser.add_argument("--write", action="store_true", help="store the outputs")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(known):
        parser.error(f"no notebook {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    wrong = False
    for name in asked.names or known:
        path = FOLDER / f"{name}.ipynb"
        stored = nbformat.read(path, as_version=4)
        try:
            run = executed(stored)
        except CellExecutionError as error:
            print(f"{name}: a cell fails\n{error}")
            wrong = True
            continue
        found = difference(stored, run)
        if asked.write:
            nbformat.write(run, path)
        elif found:
            wrong = True
        state = "written" if asked.write else "prints something else" if found else "as stored"
        print(f"{name}: {state}" + (f"\n{found}" if found and not asked.write else ""))
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
