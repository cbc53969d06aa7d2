"""The lead of an option over the first: values decide without samples, many samples decide against the values."""

import numpy as np
import pytest

from strozzi_agents.learned.estimate import add_sample, begin_estimates

MEMORY = np.dtype([(name, "f8", (2,)) for name in ("total", "gain", "square", "lead", "error")], align=True)


def estimated(by_value, leads, trust):
    """The estimated lead of option 1 over option 0 and its standard error, from both values and some samples."""
    memory = np.zeros(1, MEMORY)
    memory["total"] = 10.0, 10.0 + by_value
    begin_estimates(memory[0], 0, 2, trust)
    for number, lead in enumerate(leads):
        add_sample(memory[0], 0, 1, number + 1, lead, trust)
    return memory["lead"][0, 1], memory["error"][0, 1]


def test_values_decide_without_samples():
    assert estimated(-3.0, [], 5.0) == (-3.0, 5.0)


def test_many_samples_decide():
    dice = np.random.default_rng(1)
    lead, error = estimated(-3.0, dice.normal(2.0, 20.0, 40_000), 5.0)
    assert lead == pytest.approx(2.0, abs=0.3)
    assert error == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize("count", [1, 2, 8, 32])
def test_the_estimate_errs_less_than_the_value_and_less_than_the_samples(count):
    dice, errors = np.random.default_rng(2), []
    for _ in range(2_000):
        true = dice.normal(0.0, 10.0)
        by_value, leads = true + dice.normal(0.0, 5.0), dice.normal(true, 20.0, count)
        lead, error = estimated(by_value, leads, 5.0)
        errors.append((lead - true, by_value - true, leads.mean() - true, error))
    both, value, samples, stated = np.sqrt(np.mean(np.square(errors), axis=0))
    assert both < 1.02 * min(value, samples)
    assert stated == pytest.approx(both, rel=0.25)


def test_few_samples_that_agree_by_chance_do_not_decide():
    lead, error = estimated(-3.0, [4.0, 4.0], 5.0)
    assert lead < 0.5
    assert error > 3.0
