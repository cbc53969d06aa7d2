"""Code in the documents: what Python lines no other test runs do run, and every command has the words that it is given."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib

import pytest

from needed import need
from own_game import outputs
from paths import ROOT
from strozzi_sim.cli.parser import parsed
from strozzi_sim.errors import RuleViolation, StrozziError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from study_examples import played

PAGES = {page.relative_to(ROOT).as_posix(): page.read_text() for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]}  # fmt: skip
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
# Blocks that are run by the tests of what they are about: agents in files and their networks, a game of one's own, learning, adapters.
ELSEWHERE = {
    "README.md": 2, "docs/adapters.md": 5, "docs/agents.md": 7, "docs/facts.md": 2, "docs/learning.md": 3,
    "docs/your-own-game.md": 12, "docs/api.md": None,
}  # fmt: skip
HERE = {  # page -> what begins the blocks that are run here, in order
    "docs/agents.md": ["import strozzi_sim as ss\n\n(record,)", "import strozzi_sim as ss\n\ntable = ss.worth("],
    "docs/facts.md": ["import pandas as pd\n\nships", "import duckdb", "import strozzi_sim as ss\n\nresults = ss.simulate"],
    "docs/studies.md": ["import optuna"],
    "docs/table.md": ["import strozzi_sim as ss\nfrom strozzi_sim.game.table"],
}  # fmt: skip


def blocks(page, language):
    return [text for kind, text in FENCED.findall(PAGES[page]) if kind == language]


def test_every_block_of_python_is_run_by_a_test():
    for page in PAGES:
        found, elsewhere = blocks(page, "python"), ELSEWHERE.get(page, 0)
        if elsewhere is not None:  # the examples of docs/api.md are run one by one
            assert len(found) == elsewhere + len(HERE.get(page, [])), page
        for start in HERE.get(page, []):
            assert sum(block.startswith(start) for block in found) == 1, start


@pytest.mark.slow
@pytest.mark.parametrize("page", HERE)
def test_the_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if page == "docs/studies.md":
        need("optuna")  # of the extra dev
    if page == "docs/facts.md":  # the study of the page has kept rows
        (study,) = (text for text in blocks(page, "toml") if 'name = "late-pirates"' in text)
        played({**tomllib.loads(study), "facts": ["ship"], "deals": 200}, "results/late-pirates")
    names = {}
    for start in HERE[page]:
        (block,) = (block for block in blocks(page, "python") if block.startswith(start))
        exec(block, names)
    if page == "docs/studies.md":
        assert names["search"].best_value == min(trial.value for trial in names["search"].trials) < 0.05
    if page == "docs/agents.md":
        assert list(names["found"].names) == ["heuristic", "greedy", "heuristic", "greedy"]


@pytest.mark.slow
def test_the_checks_of_the_page_pass_for_its_game(tmp_path):
    from own_game import install

    (block,) = (block for block in blocks("docs/your-own-game.md", "python") if "check_game(GAME, deals=20)" in block)
    assert subprocess.run([sys.executable, "-c", block], env=install(tmp_path), check=False).returncode == 0


def commands(page):
    """Every command of a page, in its blocks and alone in a cell of a table, without what a shell makes of it."""
    yield from re.findall(r"\| `(strozzi [^`]+)` (?=\|)", PAGES[page])
    for language, text in FENCED.findall(PAGES[page]):
        if language in ("", "console", "bash", "sh"):
            for line in text.replace("\\\n", " ").splitlines():
                for piece in re.split(r" && | \| | > ", line.strip().removeprefix("$ ")):
                    if piece.startswith("strozzi ") and "[" not in piece and "..." not in piece:
                        yield piece


COMMAND = re.compile("(?:strozzi|pip|pytest|dask) ")


def samples(page):
    """Every output of commands that a page shows, with them: below them in their block, or in the next block at once."""
    before, end = [], 0
    for found in FENCED.finditer(PAGES[page]):
        lines = [line.removeprefix("$ ") for line in found[2].splitlines()]
        first = next((k for k, line in enumerate(lines) if not COMMAND.match(line)), len(lines))
        asked = lines[:first] or (before if found.start() == end else [])
        if found[1] == "" and asked and lines[first:]:
            yield asked, "\n".join(lines[first:])
        before, end = lines[:first] if first == len(lines) else [], found.end() + 1


SAMPLES = [pytest.param(*sample, id=page) for page in PAGES for sample in samples(page)]


def test_pages_show_the_output_of_commands():
    assert sorted(sample.id for sample in SAMPLES) == ["docs/agents.md", "docs/tournaments.md"]


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "output"), SAMPLES)
def test_the_output_that_a_page_shows_is_printed(asked, output, tmp_path):
    *_, printed = outputs(os.environ, tmp_path, *(command.removeprefix("strozzi ") for command in asked))
    assert f"\n{output}\n" in f"\n{printed}"


def test_the_record_that_the_rules_show_follows_them():
    """The first round of a game of Strasbourg, with notes behind some lines; then its end, without the rounds between."""
    page = PAGES["docs/rules/strasbourg.md"]
    (shown,) = re.findall(r"^### F10.*?```\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    lines = [json.JSONDecoder().raw_decode(line)[0] for line in shown.splitlines() if line.startswith("{")]
    assert len(lines) > 50
    assert lines[-1]["type"] == "score_end"
    game = load_game("strasbourg")
    assert f'"behaviour":{game.behaviour},' in page
    header = {"players": 3, "components": resolve_variant(game, "base").components}
    with pytest.raises(RuleViolation, match=r'stops early: expected \{"type": "round", "round": 2'):
        game.verify.REPLAY.check_game(header, 1, list(enumerate(lines[:-1], 2)))


def misunderstood(line):
    """What the command line says of a command that is not run, or ""; names in capitals stand for something."""
    name, *words = shlex.split(line, comments=True)[1:]
    words = ["1" if re.fullmatch(r"[A-Z][A-Z_]+", word) else word for word in words]
    try:
        if "--help" not in words:
            parsed(name, words)
    except StrozziError as error:
        return f"{line}: {error}"
    return ""


def test_commands_are_given_words_that_they_know():
    lines = [line for page in PAGES for line in commands(page)]
    assert len(lines) > 75
    assert not [words for line in lines if (words := misunderstood(line))]


def test_a_wrong_word_is_noticed():
    for line in (
        "strozzi blance",
        "strozzi balance strozzi --deal 5",
        "strozzi record",
        "strozzi play strozzi --seed two",
    ):
        assert misunderstood(line), line
