"""The package has one version: the citation and the changelog name it too."""

import re
import tomllib
from importlib.metadata import version

from paths import ROOT

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
CITATION = dict(re.findall(r"^([\w-]+): +(.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE))
NEWEST, DATE = re.search(r"^## (\S+) \((.+)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE).groups()


def test_the_citation_and_the_changelog_have_the_version_of_the_package():
    assert CITATION["version"] == NEWEST == VERSION
    assert version("strozzi-sim") == VERSION


def test_a_date_is_cited_once_the_version_is_released():
    assert CITATION.get("date-released", "unreleased") == DATE
