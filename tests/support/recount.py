"""Facts counted in plain Python from the lines of records, against those that are counted while games are played."""

import numpy as np

from strozzi_sim.play.records import record_game


def counter():
    """(counts by crosstab: key -> (rows, sums); what adds a row to them)."""
    count = {}

    def add(crosstab, key, *sums):
        assert len(sums) == len(crosstab.sums)
        count.setdefault(crosstab, {}).setdefault(tuple(map(str, key)), np.zeros(1 + len(sums), int))
        count[crosstab][tuple(map(str, key))] += [1, *map(int, sums)]

    return count, add


def assert_recounted(match, crosstabs, told, deals):
    """Every crosstab of the first deals has what `told` counts in the lines of their records."""
    plan = match.plan(crosstabs)
    counts = match.play(0, deals, plan=plan).counts[None]
    records = [told(record_game(match, deal, 0)) for deal in range(deals)]
    for crosstab in crosstabs:
        levels = [plan.levels(crosstab.fact, column).names for column in crosstab.by]
        expected = np.zeros((*map(len, levels), 1 + len(crosstab.sums)), int)
        for record in records:
            for key, sums in record.get(crosstab, {}).items():
                expected[tuple(names.index(level) for names, level in zip(levels, key, strict=True))] += sums
        np.testing.assert_array_equal(plan.read(crosstab, counts)[0], expected, err_msg=str(crosstab))
        assert expected.any()
