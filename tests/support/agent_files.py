"""Files with agents, one for all tests of a module."""

import textwrap

import pytest


def agents_file(text, name="bots.py"):
    """A fixture: the path of a file with these agents."""

    @pytest.fixture(scope="module")
    def path(tmp_path_factory):
        file = tmp_path_factory.mktemp("agents") / name
        file.write_text(textwrap.dedent(text))
        return str(file)

    return path
