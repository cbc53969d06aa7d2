"""Tournaments and comparisons from names, planned and not played."""

from unittest.mock import patch

import strozzi_sim as ss


def planned(ask, *given, **asked):
    with patch("strozzi_sim.studies.study.run", lambda study, *how: study):
        return ask(*given, **asked)


def tournament_of(game, agents, *, players, deals, seatings="latin", seed=0, variants=("base",), **sample):
    return planned(ss.tournament, game, agents, players, deals, seatings, list(variants), seed, **sample)


def comparison_of(game, first, second, *, against, players, deals):
    return planned(ss.compare, game, first, second, players, opponents=against, deals=deals)


def variants_of(game, first, second, *, agents, players, deals):
    return planned(ss.compare, game, first, second, players, agents=agents, deals=deals)
