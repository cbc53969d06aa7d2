"""The lead of an option over the first one, from two estimates: the difference of their values, and samples of chance.

Each estimate counts by its precision. The error of the difference of two values has the standard deviation `trust`, in
points; that of the mean of n samples falls with n. So without samples the values decide, and with many the samples do.
"""

from math import sqrt

from strozzi_sim.kernel.jit import force_inline

# before the first sample: that many samples with this standard deviation, in points
_SAMPLES = 4.0
_SPREAD = 15.0
DROPPED = 2.5  # standard errors behind the best from which an option is no longer sampled


@force_inline
def variance_of_mean(samples, variance, prior_samples, prior_spread):
    """Return the variance of the mean of some samples with this variance.

    A few samples may agree by chance, so those before the first one count as some more.
    """
    return (samples * variance + prior_samples * prior_spread * prior_spread) / (samples + prior_samples) / samples


@force_inline
def begin_estimates(memory, first, count, trust):
    """Begin with the values of `count` options in `memory.total`; `first` is compared with all others."""
    for k in range(count):
        memory.gain[k] = 0.0
        memory.square[k] = 0.0
        memory.lead[k] = memory.total[k] - memory.total[first]
        memory.error[k] = trust if k != first else 0.0


@force_inline
def add_sample(memory, first, k, samples, lead, trust):
    """Add the lead of option k over `first` in sample number `samples`; improve `memory.lead` and its error."""
    memory.gain[k] += lead
    memory.square[k] += lead * lead
    mean = memory.gain[k] / samples
    spread = max(memory.square[k] / samples - mean * mean, 0.0)
    variance = variance_of_mean(samples, spread, _SAMPLES, _SPREAD)
    share = trust * trust / (trust * trust + variance)
    by_value = memory.total[k] - memory.total[first]
    memory.lead[k] = by_value + share * (mean - by_value)
    memory.error[k] = sqrt(share * variance)
