"""benchmarks/sentences.py: what small reports say is true, and what is false is found."""

import re
from dataclasses import replace

import pytest

from benchmarks import benchmark

KINDS = ["balance tiny", "line-up", "compare agents", "tournament", "worth", "exploit", "leak check"]


sentences = benchmark("sentences", "certain", "every_report", "shown_rows")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_report_says_is_true(sentences, kind, tmp_path):
    play = dict(sentences.reports("strozzi", tmp_path))[kind]
    said = list(sentences.Said(play()).checked())
    assert said
    assert [each for each in said if each[2]] == []


@pytest.mark.slow
def test_a_wrong_number_and_an_uncertain_claim_are_found(sentences, tmp_path):
    said = sentences.Said(dict(sentences.reports("strozzi", tmp_path))["tournament"]())
    verdict = said.content.verdict
    assert re.match(
        r"The \w+ player finishes ahead of 3 other agents and wins \d+ of 100 games at 3 players\.", verdict
    )
    first, second = re.search(
        r"(\S+) finishes ahead of (\w+)", f"{said.content.detail} {' '.join(said.content.sections[0].sentences)}"
    ).groups()
    key, *others = said.content.numbers
    said.content = replace(
        said.content, verdict=f"{second} finishes ahead of {first} at 3 players.", numbers=(replace(key, value="12.3"), *others)
    )  # fmt: skip
    wrong = {place: why for place, _, why in said.checked() if why}
    assert "12.3" in wrong["number"]
    assert wrong["verdict"].startswith("ahead: ")
