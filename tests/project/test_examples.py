"""The programs in examples/ do what their first lines say, and the code in docs/learning.md runs."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np

from paths import ROOT
from strozzi_sim.runtime.threads import single_threaded_blas
from strozzi_sim.simulation.vector import Info, Step

FOLDER = ROOT / "examples"
PAGE = (ROOT / "docs" / "learning.md").read_text()


def example(name):
    spec = spec_from_file_location(name, FOLDER / f"{name}.py")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_reinforce_learns_to_beat_random():
    """With half the updates of the program itself; whoever has learned nothing wins the fair share."""
    reinforce = example("reinforce")
    with single_threaded_blas():
        weights, leads = reinforce.learn(updates=40)
        share, half_width = reinforce.win_share(weights, games=1024)
        fair, around = reinforce.win_share(np.zeros_like(weights), games=1024)
    assert share - half_width > 2 * reinforce.FAIR
    assert abs(fair - reinforce.FAIR) < 2 * around
    assert np.mean(leads[-5:]) > 20 > np.mean(leads[:1])
    assert len((FOLDER / "reinforce.py").read_text().splitlines()) < 80


def test_the_code_of_the_page_runs():
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, names)
    assert names["games"] > 0
    assert names["env"].steps == 100
    assert names["coins"].shape == (4096, 6)
    assert set(names["phase"]) <= set(range(4))
    assert (names["ahead"] < 1).all()


def test_the_page_names_every_array():
    told = set(re.findall(r"`(?:info\.)?(\w+)`", "\n".join(row for row in PAGE.splitlines() if row.startswith("| `"))))
    assert told == {*Step._fields, *Info.__dataclass_fields__} - {"info"}
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
