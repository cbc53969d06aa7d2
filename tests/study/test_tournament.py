"""Tournaments and comparisons of agents: exact counts of orders, fits against choix and against the truth."""

from itertools import pairwise, permutations

import numpy as np
import pytest

import strozzi_sim as ss
from needed import need
from strozzi_games import STROZZI
from strozzi_sim.errors import InputError
from strozzi_sim.simulation.finishing_orders import count_orders
from strozzi_sim.simulation.loop import ROW
from strozzi_sim.stats import intervals, ratings
from strozzi_sim.stats.ratings import Orders, fit_ratings, plackett_luce
from strozzi_sim.study.field_orders import FieldOrder, dominance_sentences
from strozzi_sim.study.kinds.tournament import _matchups as matchups
from study_examples import played, tables_in

FIELD = ("random", "greedy", "florence", "racer")


def rows_of(places):
    """ROW records of games with these places (a shared place as its mean), position p at seat p."""
    games, players = places.shape
    rows = np.zeros(games * players, ROW)
    rows["position"] = rows["seat"] = np.tile(np.arange(players), games)
    rows["twice_place"] = np.round(2 * places).astype(int).ravel()
    return rows


def draw_orders(draws, strength, games, size):
    """Games of `size` agents drawn from a Plackett-Luce model: the orders, int64[G, size], best first."""
    who = np.argsort(draws.random((games, len(strength))), axis=1)[:, :size]
    luck = strength[who] + draws.gumbel(size=(games, size))
    return np.take_along_axis(who, np.argsort(-luck, axis=1), axis=1)


def counts_of(orders, agents, chunks):
    """Orders in the form that ratings take, by chunk."""
    sets, found = {}, []
    for chunk, part in enumerate(np.array_split(orders, chunks)):
        for order in part:
            for k in range(len(order) - 1):
                column = sets.setdefault(tuple(sorted(order[k:])), len(sets))
                found.append((chunk, column, order[k]))
    members = np.full((len(sets), orders.shape[1]), agents)
    for agents_of, column in sets.items():
        members[column, : len(agents_of)] = agents_of
    counts, chosen, ahead = (np.zeros((chunks, *size)) for size in ((len(sets),), (agents,), (agents, agents)))
    for chunk, column, winner in found:
        counts[chunk, column] += 1
        chosen[chunk, winner] += 1
    for chunk, part in enumerate(np.array_split(orders, chunks)):
        for order in part:
            for k, agent in enumerate(order):
                ahead[chunk, agent, order[k + 1 :]] += 1
    return Orders(chosen, members, counts, ahead)


# -- counting orders -------------------------------------------------------------------------------------------------


def slow_orders(places):
    """What `count_orders` counts, by going through every way of breaking every tie."""
    players = len(places)
    ahead, remaining = np.zeros((6, 6)), np.zeros(64)
    orders = [o for o in permutations(range(players)) if all(places[a] <= places[b] for a, b in pairwise(o))]
    for order in orders:
        for k in range(players):
            remaining[sum(1 << agent for agent in order[k:])] += 60 / len(orders)
            for other in order[k + 1 :]:
                ahead[order[k], other] += 2 / len(orders)
    return ahead, remaining


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_order_with_every_tie_is_counted_exactly(players):
    patterns = {tuple(sorted(cut).index(c) for c in cut) for cut in np.ndindex(*[players] * players)}
    total = np.zeros((6, 6)), np.zeros(64)
    places = []
    for pattern in sorted(patterns):
        shared = [pattern.count(level) for level in pattern]
        places.append([level + (k + 1) / 2 for level, k in zip(pattern, shared, strict=True)])
        one = count_orders(rows_of(np.array(places[-1:])), players)[0]
        ahead, remaining = slow_orders(places[-1])
        assert one["ahead"] == pytest.approx(ahead)
        assert one["remaining"] == pytest.approx(remaining)
        total[0][...] += ahead
        total[1][...] += remaining
    together = count_orders(rows_of(np.array(places)), players)[0]
    assert together["ahead"] == pytest.approx(total[0])
    assert together["remaining"] == pytest.approx(total[1])


def test_a_tie_of_all_six_is_exact():
    counted = count_orders(rows_of(np.full((1, 6), 3.5)), 6)[0]
    by_size = {size: counted["remaining"][[s for s in range(64) if s.bit_count() == size]].sum() for size in range(7)}
    assert by_size == {0: 0} | dict.fromkeys(range(1, 7), 60)


# -- strengths -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_fit_is_that_of_choix():
    choix = need("choix")
    draws = np.random.Generator(np.random.PCG64(1))
    orders = draw_orders(draws, np.array([1.2, 0.3, 0.0, -0.4, -1.1]), 400, 4)
    counts = counts_of(orders, 5, 4)
    ours = plackett_luce(counts.members, counts.chosen.sum(axis=0), counts.counts.sum(axis=0))
    theirs = choix.ilsr_rankings(5, [tuple(order) for order in orders], tol=1e-10)
    assert ours == pytest.approx(theirs - theirs.mean(), abs=1e-6)
    rated = fit_ratings(counts, np.full(5, 320))
    assert rated.strength.value == pytest.approx(ours, abs=2e-3)  # but for the prior
    assert rated.connected
    assert abs(rated.strength.value.sum()) < 1e-9


@pytest.mark.slow
def test_intervals_hold_the_truth_about_as_often_as_they_say():
    draws = np.random.Generator(np.random.PCG64(2))
    truth = np.array([1.0, 0.5, 0.0, -0.5, -1.0])
    held = held_ranks = 0
    studies = 120
    for _ in range(studies):
        rated = fit_ratings(counts_of(draw_orders(draws, truth, 250, 3), 5, 20), np.full(5, 150))
        held += ((rated.strength.low <= truth) & (truth <= rated.strength.high)).sum()
        held_ranks += ((rated.rank.low <= np.arange(1, 6)) & (np.arange(1, 6) <= rated.rank.high)).sum()
    assert 0.92 <= held / (5 * studies) <= 0.98
    assert held_ranks / (5 * studies) >= 0.95


@pytest.mark.slow
def test_the_jackknife_is_that_of_refitting_without_each_chunk():
    choix = need("choix")
    draws = np.random.Generator(np.random.PCG64(3))
    orders = draw_orders(draws, np.array([0.6, 0.0, -0.6]), 200, 3)
    counts = counts_of(orders, 3, 10)
    rated = fit_ratings(counts, np.full(3, 200))
    parts = np.array_split(orders, 10)
    leave_one_out_values = [
        choix.ilsr_rankings(3, [tuple(o) for k, part in enumerate(parts) if k != c for o in part], tol=1e-10)
        for c in range(10)
    ]
    error = intervals.jackknife(np.array(leave_one_out_values))
    half = (rated.strength.high - rated.strength.low) / 2
    assert half == pytest.approx(intervals.t_quantile(9) * error, rel=0.01)


def test_who_never_loses_has_a_strength_but_no_interval():
    orders = np.array([[0, 1, 2], [0, 2, 1]] * 40)
    rated = fit_ratings(counts_of(orders, 3, 10), np.full(3, 80))
    assert not rated.connected
    assert np.isfinite(rated.strength.value).all()
    assert np.isnan(rated.strength.low).all()
    assert list(rated.rank.value[:1]) == [1]
    assert rated.rank.low[0] == rated.rank.high[0] == 1


def test_a_fit_stops_at_what_rounding_leaves():
    # Somebody who hardly ever wins has a likelihood that is nearly flat: Newton's steps end in noise above 1e-11.
    games = 1e9
    chosen = np.array([games, games - 0.3, 0.3])
    members = np.array([[0, 1, 3], [0, 2, 3], [1, 2, 3]])
    found = plackett_luce(members[:, :2], chosen, np.array([2 * games / 3] * 3))
    assert np.isfinite(found).all()
    assert found[0] > found[2]


def test_a_fit_that_does_not_converge_leaves_ratings_without_values(monkeypatch):
    def fails(*arguments, **named):
        raise ArithmeticError

    orders = draw_orders(np.random.Generator(np.random.PCG64(3)), np.array([0.6, 0.0, -0.6]), 200, 3)
    counts = counts_of(orders, 3, 10)
    monkeypatch.setattr(ratings, "plackett_luce", fails)
    rated = fit_ratings(counts, np.full(3, 200))
    assert not rated.converged
    assert np.isnan([rated.strength.value, rated.strength.low, rated.rank.value, rated.rank.high]).all()


def test_few_games_have_no_rating():
    orders = np.array([[0, 1, 2], [0, 2, 1], [2, 1, 0]] * 9)
    rated = fit_ratings(counts_of(orders, 3, 9), np.full(3, 27))
    assert np.isnan([rated.strength.value, rated.rank.value]).all()
    one_chunk = fit_ratings(counts_of(orders, 3, 1), np.full(3, 81))
    assert np.isfinite([one_chunk.strength.value, one_chunk.rank.value]).all()
    assert np.isnan([one_chunk.strength.low, one_chunk.rank.high]).all()


# -- tournaments -----------------------------------------------------------------------------------------------------


def test_a_study_of_this_kind_has_the_seatings_of_the_command():
    keys = {"kind": "tournament", "game": "strozzi", "players": [3], "lineups": [[agent] for agent in FIELD]}
    assert ss.Study.of(**keys, deals=20).seatings == "latin"


def tourney(agents=FIELD, **changes):
    keys = {"kind": "tournament", "game": "strozzi", "players": [3], "deals": 60, "seed": 5, "seatings": "latin"}
    return {**keys, "lineups": [[agent] for agent in sorted(agents)], **changes}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return played(tourney(), tmp_path_factory.mktemp("tournament") / "r")


def value(frame, figure, **where):
    keep = frame["figure"] == figure
    for key, level in where.items():
        keep &= frame[key] == level
    assert keep.sum() == 1
    return frame[keep].iloc[0]


def test_the_games_are_counted_before_they_are_played():
    study = ss.Study.of(**tourney(players=[3, 4]))
    assert {players: len(found) for players, found in study.matchups.items()} == {3: 4, 4: 1}
    assert study.games == 4 * 6 * 60 + 1 * 4 * 60
    assert study.summary.endswith("; 60 deals each, 1,680 games")


def test_the_tables_agree_with_rows_of_every_game(finished):
    frames, wins, met, ahead = finished.tables, dict.fromkeys(FIELD, 0.0), {}, {}
    for cell in finished.study.cells:
        names = [spec.text for spec in cell.match.positions]
        for game in cell.match.play(0, 60, rows=True).rows.reshape(-1, 3):
            best = [row for row in game if row["twice_place"] == game["twice_place"].min()]
            for row in best:
                wins[names[row["position"]]] += 1 / len(best)
            for a in game:
                for b in game:
                    pair = names[a["position"]], names[b["position"]]
                    met[pair] = met.get(pair, 0) + 1
                    ahead[pair] = ahead.get(pair, 0) + (a["twice_place"] < b["twice_place"]) + (a["twice_place"] == b["twice_place"]) / 2  # fmt: skip
    for agent in FIELD:
        row = value(frames["agents"], "win_share", agent=agent)
        assert row["value"] == pytest.approx(wins[agent] / 1080)
        assert row["low"] < row["value"] < row["high"]
        assert (row["n"], row["deals"]) == (1080, 60)
    assert len(frames["pairwise"]) == 12
    for row in frames["pairwise"].itertuples():
        assert row.n == met[row.agent, row.opponent] == 720
        assert row.value == pytest.approx(ahead[row.agent, row.opponent] / 720)
    strengths = frames["ratings"].query("figure == 'strength'")
    assert strengths["value"].sum() == pytest.approx(0, abs=1e-8)
    assert value(frames["ratings"], "rank", agent="random")["value"] == 4
    won, above = (frames["seat_effects"].query(f"figure == 'win_share{end}'")["value"] for end in ("", "_minus_equal"))
    assert (won.sum(), above.sum()) == pytest.approx((1, 0))
    assert set(frames["seat_effects"]["seat"]) == {0, 1, 2}


def test_the_order_of_the_field_does_not_change_a_byte(finished, tmp_path):
    ss.tournament("strozzi", FIELD[::-1], players=3, deals=60, seed=5, workers=1, folder=tmp_path, progress=False)
    assert tables_in(tmp_path) == tables_in(finished.folder)


def test_copies_are_equal_and_move_nobody(finished):
    before, after = finished.tables, played(tourney([*FIELD, "florence"])).tables
    twins = [value(after["ratings"], "strength", agent=agent) for agent in ("florence", "florence #2")]
    assert twins[0]["value"] == pytest.approx(twins[1]["value"], abs=1e-9)  # all seatings of three: exactly equal
    for agent in FIELD:
        was, now = (value(frames["ratings"], "rank", agent=agent) for frames in (before, after))
        assert was["low"] <= now["value"] <= was["high"]


def test_a_sample_of_matchups_is_balanced_and_repeatable():
    labels = [f"greedy:margin={k}" for k in range(20)]
    found = matchups(labels, 4, 300, seed=1)
    assert len(set(found)) == 300
    assert all(len(set(matchup)) == 4 for matchup in found)
    often = np.bincount(np.ravel(found), minlength=20)
    assert often.max() - often.min() <= 6
    assert matchups(labels, 4, 300, seed=1) == found
    assert matchups(labels, 4, 300, seed=2) != found
    assert len(matchups(labels, 4, 5000, seed=1)) == 4845
    assert len(ss.Study.of(**tourney(labels[:6], max_matchups=10)).matchups[3]) == 10


def test_agents_that_keep_their_seats_are_not_ranked():
    with pytest.raises(InputError, match="seatings: with one an agent keeps its seat"):
        ss.Study.of(**tourney(seatings="one"))


def test_a_field_has_one_agent_in_each_line_up_and_a_number_of_matchups():
    with pytest.raises(InputError, match="lineups: a tournament has one agent in each line-up"):
        ss.Study.of(**tourney(lineups=[["random", "greedy", "racer"], ["random"], ["greedy"]]))
    with pytest.raises(InputError, match="max_matchups: must be a whole number, got 'many'"):
        ss.Study.of(**tourney(max_matchups="many"))


# -- stopping early --------------------------------------------------------------------------------------------------


def test_a_tournament_stops_at_the_same_deal_however_it_is_run(tmp_path):
    field = ["random", "greedy", "florence", "heuristic"]
    keys = tourney(field, deals=400, precision=10)
    first = played(keys, tmp_path / "a")
    deals = first.study.deals
    assert first.tables["precision"]["known"].all()
    assert len(first.tables["precision"]) == 4 * 3  # every agent of every matchup
    assert first.n_games == deals * 24
    other, again = played(keys, tmp_path / "b", workers=2), played(keys, tmp_path / "b")
    assert (other.new_games, again.new_games) == (first.new_games, 0)
    assert tables_in(tmp_path / "a") == tables_in(tmp_path / "b")
    with pytest.raises(InputError, match="another study"):
        played(tourney(field, deals=400), tmp_path / "a")


# -- comparisons of agents ---------------------------------------------------------------------------------------------


def test_two_agents_are_compared_on_the_same_deals():
    found = ss.compare("strozzi", "greedy", "random", opponents=["greedy"], players=3, deals=80, workers=1)
    frames = found.tables
    assert found.n_games == 2 * 80 * 3
    assert found.summary.startswith("Greedy against random moves on the same deals. Strozzi, 3 players: ")
    sides = {agent: value(frames["sides"], "score_mean", agent=agent)["value"] for agent in ("greedy", "random")}
    row = value(frames["difference"], "score_mean")
    assert row["value"] == pytest.approx(sides["greedy"] - sides["random"])
    assert 0 < row["low"] < row["high"]
    assert (row["first"], row["second"], row["by"], row["level"]) == ("greedy", "random", "position", "0")
    leads = {agent: value(frames["sides"], "lead_mean", agent=agent)["value"] for agent in ("greedy", "random")}
    rows = found.study.cells[0].match.play(0, 80, rows=True).rows.reshape(240, 3)
    mine = np.where(rows["position"] == 0, rows["score"], 0).sum(axis=1)
    assert leads["greedy"] == pytest.approx(((3 * mine - rows["score"].sum(axis=1)) / 2).mean())
    assert value(frames["difference"], "lead_mean")["value"] == pytest.approx(leads["greedy"] - leads["random"])
    assert -1 <= value(frames["difference"], "score_mean_variance_saved")["value"] <= 1


@pytest.mark.slow
def test_two_players_have_a_mixture_that_no_agent_beats_and_three_have_none():
    given = {"deals": 60, "workers": 1, "progress": False}
    found = ss.tournament("medici_vs_strozzi", agents="random,fixed-price,fair-price", **given)
    mixture = found.tables["nash"].pivot(index="agent", columns="figure", values="value")
    ahead = found.tables["pairwise"].pivot(index="agent", columns="opponent", values="value").fillna(0.5)
    assert mixture["weight"].sum() == pytest.approx(1)
    assert mixture["score"].to_numpy() == pytest.approx(ahead.to_numpy() @ mixture["weight"].to_numpy())
    assert mixture["score"].max() == pytest.approx(0.5)
    assert found.tables["nash"]["n"].min() == 120
    assert ss.tournament("strozzi", agents="random,greedy,eager", players=3, **given).tables["nash"].empty


def test_an_agent_does_not_differ_from_itself():
    found = ss.compare(STROZZI, "greedy", "greedy:margin=15", opponents=["random"], players=3, deals=40, workers=1)
    table = found.tables["difference"]
    gaps = table[~table["figure"].str.contains("saved")]
    assert (gaps[["value", "low", "high"]] == 0).all(axis=None)
    saved = table[table["figure"].str.contains("saved")]
    few = saved["figure"].str.startswith(("win_share", "rank_mean"))
    assert saved["value"][~few].to_numpy() == pytest.approx(1)
    assert saved["value"][few].isna().all()  # the others win too little to say


@pytest.mark.slow
def test_two_variants_are_compared_seat_by_seat():
    given = {"players": "3-4", "deals": 60, "workers": 1}
    found = ss.compare("strozzi", "base", "long-tracks", agents="greedy", **given).tables["difference"]
    assert len(found.query("figure == 'score_mean' and by == 'seat'")) == 7
    given = {"players": 3, "deals": 40, "workers": 1}
    mixed = ss.compare("strozzi", "base", "base", agents="greedy,random", **given).tables["difference"]
    assert set(mixed["by"]) == {"seat", "position"}
    assert (mixed.query("figure == 'win_share'")["value"] == 0).all()


def test_a_cycle_is_said_with_the_least_name_first():
    beats = np.zeros((4, 4), bool)
    beats[[1, 2, 3, 0], [2, 3, 1, 1]] = True
    order = FieldOrder(4, "base", ("a", "b", "c", "d"), beats)
    assert order.cycle == ("b", "c", "d")
    said = dominance_sentences([order], ss.load_game("strozzi"))
    assert said[-1] == "At 4 players there is a cycle: b beats c, c beats d, d beats b."
    assert FieldOrder(4, "base", ("a", "b", "c", "d"), np.triu(np.ones((4, 4), bool), 1)).cycle == ()
