"""The examples of the README and of the tutorial are run, so that they stay true."""

import re
import tomllib

import pytest

from benchmarks import benchmark
from paths import ROOT
from strozzi_games import BASE, STROZZI
from strozzi_sim.agent import load_agent
from strozzi_sim.simulation.match import Match
from strozzi_sim.study.folders import study_of


def blocks(language, page="README.md"):
    text = (ROOT / page).read_text()
    return [block for kind, block in re.findall(r"```(\w*)\n(.*?)```", text, re.DOTALL) if kind == language]


questions = benchmark("questions")


def test_the_front_door_has_twenty_questions_and_commands_that_can_be_timed(questions):
    front, readme = (page.read_text() for page in questions.PAGES)
    rows = re.findall(r"^\| .*", front, re.MULTILINE)
    assert [int(number) for number in re.findall(r"^\| (\d+)\. ", "\n".join(rows), re.MULTILINE)] == [*range(1, 21)]
    timed = {row[2] for row in questions.ROW.finditer(front)}
    assert len(timed) == sum("| `" in row for row in rows) > 30
    assert len(found := {row[2] for row in questions.ROW.finditer(readme)}) > 5
    assert found <= timed


def test_the_study_is_one():
    study, _ = study_of(tomllib.loads(blocks("toml", "docs/tutorial.md")[0]))
    assert study.games == 60_000
    assert list(study.variants.values())[2]["ships"][11]["sail"] == 6


def test_the_agent_plays(tmp_path):
    file = tmp_path / "bots.py"
    file.write_text(blocks("python")[1])
    match = Match(STROZZI, 4, (load_agent(f"{file}::hasty:eagerness=0.5"), load_agent("greedy")), BASE, 1, "rotate")
    wins = match.play(0, 200).outcome["wins"][0].sum(axis=1)
    assert wins[1] > wins[0] > 0


@pytest.mark.slow
def test_the_lines_in_python_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = blocks("python")[0]
    assert "deals=2000" in text
    names = {}
    exec(text.replace("deals=2000", "deals=200"), names)
    assert names["results"].n_games == 800
    assert (tmp_path / "balance.html").stat().st_size > 10_000
    assert names["game"].actions == (2,)
