"""The code of docs/adapters.md runs, and so do the examples of the adapters."""

import doctest
import re
from importlib import import_module

import pytest

from needed import need
from paths import ROOT

PAGE = (ROOT / "docs" / "adapters.md").read_text()
SECTIONS = {"PettingZoo": "pettingzoo", "Gymnasium": "gymnasium", "OpenSpiel": "pyspiel"}


@pytest.mark.parametrize("title", SECTIONS)
def test_the_code_of_the_page_runs(title):
    need(SECTIONS[title])
    section = re.search(rf"^## {title}\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE).group(1)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", section, re.DOTALL):
        exec(block, names)
    if title == "Gymnasium":
        assert names["info"]["wins"].sum() == 1
        assert names["games"] > 500
    if title == "OpenSpiel":
        assert 0 <= names["gap"] < 0.05


@pytest.mark.parametrize(
    ("library", "module"),
    [("pettingzoo", "pettingzoo"), ("gymnasium", "gymnasium"), ("gymnasium", "common"), ("pyspiel", "open_spiel")],
)
def test_the_examples_of_the_adapters_run(library, module):
    need(library)
    found = doctest.testmod(import_module(f"strozzi_sim.adapters.{module}"))
    assert found.attempted > 0 == found.failed


def test_every_link_leads_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
