"""Studies of a few deals make a page, whatever is asked of them."""

import pytest

from benchmarks import benchmark

NO_VALUE = {  # a panel of its page has no value
    "game": "strozzi", "players": [4], "deals": 4, "lineups": [["greedy", "random", "random", "random"]], "report": {"pages": ["ships"]},
}  # fmt: skip

fuzz_pages = benchmark("fuzz_pages")


def test_a_figure_without_a_value_has_no_panel(fuzz_pages):
    assert fuzz_pages.make_page(NO_VALUE) == []


@pytest.mark.slow_for("0")
@pytest.mark.parametrize("number", range(2))
def test_every_small_study_makes_a_page(fuzz_pages, number):
    study = fuzz_pages.make_study(2026, number, quick=True)
    assert fuzz_pages.make_page(study) == [], study


@pytest.mark.slow
@pytest.mark.nightly_for(*map(str, range(4, 12)))
@pytest.mark.parametrize("number", range(12))
def test_small_studies_with_all_kinds_of_line_ups_make_a_page(fuzz_pages, number):
    study = fuzz_pages.make_study(2026, number)
    assert fuzz_pages.make_page(study) == [], study


def test_faults_of_pages_are_found(fuzz_pages, monkeypatch):
    from strozzi_sim.study.results import Results

    def spoiled(results, path):
        path.write_text('<main id="main"> 3 nan </main>')
        return path

    monkeypatch.setattr(Results, "report", spoiled)
    study = {**NO_VALUE, "players": [3], "lineups": [["random"]], "report": {"pages": []}}
    assert fuzz_pages.make_page(study) == ["says nan"]
    monkeypatch.setattr(Results, "report", lambda *rest: 1 / 0)
    assert "ZeroDivisionError" in fuzz_pages.make_page(study)[0]
