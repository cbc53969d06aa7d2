"""benchmarks/claims.toml has what the documents state, and benchmarks/claims.py judges it rightly."""

import re
import sys
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest

from benchmarks import benchmark
from paths import ROOT
from strozzi_sim.stats.intervals import wilson

FIGURE = re.compile(r"\d\.\d|±| to [-+\d]|\d,\d{3}|\d %")
DURATION = re.compile(r"[^\n]*\b(?:seconds?|minutes?|hours?|games/s|per second|times as|times the)\b[^\n]*")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?")
SPELLED = {"a": 1, "one": 1, "two": 2, "million": 1_000_000, "minute": 60, "minutes": 60}

claims = benchmark("claims")


@pytest.fixture(scope="module")
def stated(claims):
    return claims.read_claims()


def text_of(file):
    return " ".join((ROOT / file).read_text("utf-8").split())


def magnitudes(words):
    """The numbers in words, without signs, as they are written."""
    plain = re.sub(r"`[^`]*`", " ", words)
    return {Decimal(number.replace(",", "").lstrip("+-")) for number in NUMBER.findall(plain)}


def test_every_claim_stands_in_its_document(stated):
    claims, more = stated
    assert len(claims) > 80
    texts = {file: text_of(file) for file in {claim.file for claim in claims.values()}}
    assert [claim.name for claim in claims.values() if claim.words not in texts[claim.file]] == []
    assert {claim.file for claim in claims.values()} <= set(more["pages"])
    assert all(claim.figures and claim.minutes > 0 for claim in claims.values())
    kinds = {claim.kind for claim in claims.values()}
    assert kinds == {"strength", "speed", "seconds", "exact"}


def test_numbers_in_words_and_fields_are_the_same(stated):
    for claim in stated[0].values():
        fields = {abs(end) for each in claim.figures for end in (each.value, each.low, each.high) if end is not None}
        halves = {each.high - each.value for each in claim.figures if each.high is not None}
        told = magnitudes(claim.words)
        words = re.sub(r"`[^`]*`", " ", claim.words).split()
        spelled = {SPELLED[one] * SPELLED[two] for one, two in pairwise(words) if one in SPELLED and two in SPELLED}  # fmt: skip
        for each in claim.figures:
            assert abs(each.value) in told | spelled, (claim.name, each.name)
            if each.high is not None:
                ends = {abs(each.low), abs(each.high)} <= told
                assert ends or each.high - each.value in told, (claim.name, each.name)
        explained = fields | halves | {Decimal(claim.n or 0)} | {Decimal(number) for number in claim.aside}
        assert told <= explained, (claim.name, told - explained)
        assert claim.n is None or claim.n in told or claim.n not in {*claim.aside}


def test_commands_play_as_many_games_as_are_stated(stated):
    for claim in stated[0].values():
        if claim.kind != "strength" or not claim.command.startswith("strozzi balance") or claim.n is None:
            continue
        deals = int(re.search(r"--deals (\d+)", claim.command)[1])
        players = int(re.search(r"--players (\d+)", claim.command)[1])
        assert claim.n == deals * (players if "--seatings rotate" in claim.command else 1), claim.name


def test_every_row_of_a_table_with_a_figure_has_a_claim(stated):
    claims, more = stated
    used = set()
    for file in more["pages"]:
        words = [claim.words for claim in claims.values() if claim.file == file]
        left_out = [each for each in more["left_out"] if each["file"] == file]
        header = ""
        for line in (ROOT / file).read_text("utf-8").split("\n"):
            header = (header or line) if line.startswith("|") else ""
            if not header or line == header:
                continue
            reasons = [
                each for each in left_out
                if header.startswith(each["words"]) or " ".join(line.split()) == each["words"] or "columns" in each
            ]  # fmt: skip
            for cell in (" ".join(cell.split()) for cell in line.strip("|").split("|")):
                if not FIGURE.search(re.sub(r"`[^`]*`", "", cell)) or any(
                    cell in each or each in cell for each in words
                ):
                    continue
                why = [each["words"] for each in reasons if cell in each.get("columns", [cell])]
                assert why, f"{file}: {cell!r} of {line!r} has no claim"
                used |= set(why)
    assert {each["words"] for each in more["left_out"] if each["words"].startswith("|")} == used


def test_every_duration_in_the_readme_has_a_claim(stated):
    claims, more = stated
    readme = [claim.words for claim in claims.values() if claim.file == "README.md"]
    readme += [each["words"] for each in more["left_out"] if each["file"] == "README.md"]
    for line in DURATION.findall((ROOT / "README.md").read_text("utf-8")):
        plain = " ".join(line.split())
        assert plain.startswith("#") or any(each in plain for each in readme), f"README.md: {plain!r} has no claim"


def shares(claims, rng, p, n, studies):
    """Stated and measured shares of games that are won with probability p, with Wilson's intervals."""
    won = rng.binomial(n, p, studies)
    low, high = wilson(won / n, np.full(studies, n))
    return [claims.Estimate(*each) for each in zip(won / n, low, high, strict=True)]


def means(claims, rng, mean, chunks, studies):
    """Means of `chunks` normal values with t intervals."""
    from scipy.stats import t

    drawn = rng.normal(mean, 1.0, (studies, chunks))
    half = t.ppf(0.975, chunks - 1) * drawn.std(axis=1, ddof=1) / np.sqrt(chunks)
    return [claims.Estimate(m, m - h, m + h) for m, h in zip(drawn.mean(axis=1), half, strict=True)]


@pytest.mark.parametrize(
    ("draw", "truth", "sizes"),
    [("shares", 0.5, (2_000, 400)), ("shares", 0.02, (1_000, 1_000)), ("shares", 0.998, (2_000, 500)), ("means", 0.0, (200, 30)), ("means", 0.0, (25, 25))],
)  # fmt: skip
def test_a_run_in_which_all_is_true_rarely_fails(claims, draw, truth, sizes):
    rng, figures, runs = np.random.default_rng(5), 20, 200
    one, other = (globals()[draw](claims, rng, truth, size, figures * runs) for size in sizes)
    z = np.reshape([claims.z_of_difference(*each) for each in zip(one, other, strict=True)], (runs, figures))
    assert 0.03 < np.mean(z > claims.Z95) < 0.07  # at the usual level a true statement fails in one of twenty
    assert (z > claims.critical(figures)).any(axis=1).sum() <= 6  # 2 are expected; 7 or more: 1 in 200


def test_a_speed_agrees_within_its_tolerance(claims):
    turns = claims.Estimate(1.0, 0.9, 1.1)
    assert [stated for stated in (0.7, 0.75, 1.0, 1.37, 1.4) if claims.within(stated, turns, 0.25)] == [0.75, 1.0, 1.37]


PLANTED = """
machine = "no processor"
[claim.random]
kind = "strength"
file = "README.md"
words = ""
command = "strozzi balance strozzi --players 3 --agents greedy,random --deals 40 --seatings rotate"
where = {position = 0}
n = 120
minutes = 0.1
figures = [{name = "win_share", value = VALUE, plus_minus = 0.010}]
[claim.printed]
kind = "speed"
file = "README.md"
words = ""
command = "python -c print('7.5+-0.5')"
minutes = 0.1
machine = true
figures = [{name = "printed", value = 100.0, pattern = '([\\d.]+)\\+-([\\d.]+)'}]
"""


@pytest.mark.parametrize(("value", "code"), [("0.430", 0), ("0.950", 1)])
def test_a_planted_claim_is_judged(claims, tmp_path, monkeypatch, capsys, value, code):
    file = tmp_path / "claims.toml"
    file.write_text(PLANTED.replace("VALUE", value))
    found = claims.read_claims(file)
    monkeypatch.setattr(claims, "read_claims", lambda: found)
    monkeypatch.setattr(sys, "argv", ["claims.py", "--json", str(tmp_path / "found.json")])
    row = {"figure": "win_share", "position": 0, "value": 0.44, "low": 0.40, "high": 0.48, "n": 120}
    document = {"tables": {"lineup": [row]}}
    import json

    monkeypatch.setattr(
        claims, "run", lambda arguments, cold: ("7.5+-0.5" if "-c" in arguments else json.dumps(document), 1.0)
    )
    assert claims.main() == code
    out = capsys.readouterr().out
    assert f"2 figures of 2 claims, {code} disagree" in out
    rows = json.loads((tmp_path / "found.json").read_text())
    assert [each["agrees"] for each in rows] == [code == 0, None]
    assert rows[1]["measured"] == {"value": 7.5, "low": 7.0, "high": 8.0, "n": None}


def test_a_command_that_fails_is_a_claim_that_fails(claims, stated):
    from dataclasses import replace

    broken = replace(stated[0]["learned-4"], command="python -c raise(SystemExit('no'))")
    rows = claims.check([broken], "")
    assert [row.agrees for row in rows] == [False, False]
    assert rows[0].why == "no"


@pytest.mark.slow
@pytest.mark.nightly
def test_quick_claims_hold(claims, stated):
    chosen = [each for each in stated[0].values() if each.kind == "strength" and each.minutes <= 0.3 and not each.needs]
    assert len(chosen) > 5
    assert [row for row in claims.check(chosen, stated[1]["machine"]) if not row.agrees] == []
