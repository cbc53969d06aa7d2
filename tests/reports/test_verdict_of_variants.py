"""The sentence on what variants change has the verb of one variant or of several."""

import pandas as pd
import pytest
from strozzi_sim.studies.changes import CHANGED, EQUAL, SMALL, UNCLEAR

from strozzi_sim.game import load_game
from strozzi_sim.reports.changes import change_verdict


def verdict_of(verdict, variants):
    rows = [
        {"players": 4, "lineup": "random", "than": "base", "variant": variant, "table": table, "level": "", "figure": figure,
         "value": 0.01, "low": 0.0, "high": 0.02, "n": 1000, "deals": 1000, "size": 1.0, "p": 0.5, "verdict": verdict}
        for variant in variants
        for table, figure in (("seats", "win_share"), ("balance", "score_mean"))
    ]  # fmt: skip
    return change_verdict({"changes": pd.DataFrame(rows)}, load_game("strozzi"))


@pytest.mark.parametrize(
    ("verdict", "one", "several"),
    [
        (UNCLEAR, "poor is not known to change", "poor and all-cards are not known to change"),
        (CHANGED, "poor changes who wins", "poor and all-cards change who wins"),
        (SMALL, "poor does not change who wins", "poor and all-cards do not change who wins"),
        (EQUAL, "poor leaves who wins", "poor and all-cards leave who wins"),
    ],
)
def test_the_verb_agrees_with_the_variants(verdict, one, several):
    assert f"Beside base, {one}" in verdict_of(verdict, ["poor"])
    assert f"Beside base, {several}" in verdict_of(verdict, ["poor", "all-cards"])
