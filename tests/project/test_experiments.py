"""Every study in experiments/ has a question, and its headline is about that question."""

import re
import tomllib

import pytest

import strozzi_sim as ss
from paths import ROOT
from strozzi_sim.declare.pages import report_of
from strozzi_sim.game import load_game
from strozzi_sim.study.look import AGENTS, HEATMAPS, SEATS, VARIANTS
from study_examples import played

FILES = sorted((ROOT / "experiments").glob("*.toml"))
ABOUT = {  # of a question -> what its headline must and must not speak of
    SEATS: (r"\bseats?\b|(first|second|third|last) player wins", r"beats|^You changed"),
    AGENTS: (r"wins most|No agent|beats? |among", r"\bseat\b"),
    VARIANTS: (
        r"(?i)fairer|less fair|nobody wins more|change of who wins|gap between the seats|of 100 games instead",
        r"beats",
    ),
    "flags": (r"flags? takes?", r"\bseat\b|wins most"),
    "ports": (r"(?i)\bports?\b", r"\bseat\b|wins most"),
    "prices": (
        r"^A lot of 3 tiles is worth [\d.]+ coins in round 1",
        r"wins|\bseat\b",
    ),
    "city": (r"(?i)\b(place|space)s?\b.* in [\d.]+.% of games", r"\bseat\b|wins"),
    "tasks": (r"(?i)\btasks?\b", r"\bseat\b|wins"),
    HEATMAPS: (r": from .* to |known to differ", r"wins most"),
}
SMALL = {"deals": 60, "seed": 3}


def study(path):
    """The keys of a file, with little to play: its first line-ups and player count, up to two variants."""
    keys = tomllib.loads(path.read_text("utf-8"))
    players = [4] if 4 in keys["players"] else keys["players"][:1]
    if keys.get("sweep"):
        keys["sweep"] = {key: values[:2] for key, values in keys["sweep"].items()}
    lineups = [lineup for lineup in keys["lineups"] if len(lineup) in (1, *players)][:2]
    report = {**keys["report"], "explorer": False} if "report" in keys else {"explorer": False}
    names = keys.get("variants", ["base"])[:2]
    return {**keys, **SMALL, "players": players, "lineups": lineups, "variants": names, "report": report}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_has_a_question_in_words_and_as_a_key(path):
    text = path.read_text("utf-8")
    comment = " ".join(line.removeprefix("#").strip() for line in text.split("\nname =")[0].splitlines())
    keys = tomllib.loads(text)
    assert "?" in comment
    assert keys["question"] in {SEATS, AGENTS, VARIANTS, HEATMAPS, *report_of(load_game(keys["game"])).pages}
    assert keys["question"] in ABOUT
    assert ss.read_study(path)[1].name == path.stem.replace("_", "-")
    assert keys["question"] in {SEATS, AGENTS, VARIANTS, HEATMAPS, *keys.get("report", {}).get("pages", [])}


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.slow if number % 5 else ()) for number, path in enumerate(FILES)],
    ids=lambda path: path.stem,
)
def test_the_headline_is_about_the_question(path):
    """Of few games: a headline may say that they are too few, but of what was asked."""
    keys = study(path)
    said = " ".join(played(keys).verdict.lines)
    must, must_not = ABOUT[keys["question"]]
    assert re.search(must, said), said
    assert not re.search(must_not, said), said
