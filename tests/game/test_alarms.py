"""Alarms: a planted fact is found, nothing planted is silent, and a sentence names what a table of players would."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import strozzi_sim as ss
from our_games import OUR_GAMES
from strozzi_sim import stats
from strozzi_sim.cli.show import _lines, rows_of
from strozzi_sim.declare.alarms import MOST_ALARMS, MOST_WORDS, Alarm, _tested, found_alarms
from strozzi_sim.declare.figure_tables import FigureTable, figures_frame, figures_in
from strozzi_sim.declare.pages import report_of
from strozzi_sim.errors import InputError
from strozzi_sim.facts.figures import WIN_SHARE, Figure, share
from strozzi_sim.game import find_game
from strozzi_sim.study.games import alarms_of_games
from strozzi_sim.template import GAME as TEMPLATE

ENDS, TAKEN, USES = share("empty_share"), share("taken_share"), Figure("uses_mean")
CARDS = [f"C{number}" for number in range(1, 32)]
ALARMS = {
    "coins": Alarm("coins run out in {share} games", "empty_share", above=0.002),
    "left": Alarm(
        "hardly anybody takes card {card}",
        "taken_share",
        "cards",
        below=0.05,
        several="nobody takes {count} of {of} cards",
    ),
    "taken": Alarm("everybody takes card {card}", "taken_share", "cards", above=0.95),
    "unused": Alarm("card {card} is never used", "uses_mean", "cards", below=0.01),
}
HEALTHY = [0.4] * 30
LIMIT = [0.05] * 15 + [0.95] * 15


def tables(seed, runs_out=0.0, taken=HEALTHY, deals=3500, games=1, players=(4,), variant="base", lineup="usual"):
    """The tables of a planted game: chances that its coins run out, equal in all games of a deal, and of its cards."""
    dice, chunk = np.random.default_rng(seed), np.arange(deals) * 100 // deals
    balance, cards = FigureTable(), FigureTable("card")
    for count in players:
        cell = SimpleNamespace(players=count, variant=variant, lineup=lineup, deals=deals)
        played = np.bincount(chunk) * games
        ends = np.bincount(chunk, dice.random(deals) < runs_out).astype(int) * games
        balance.add(cell, ENDS, stats.ratio(ends, played, n_deals=deals))
        turned = np.tile(played[:, None], len(taken))
        takes = dice.binomial(turned, taken)
        cards.add(cell, TAKEN, stats.ratio(takes, turned, n_deals=deals), card=CARDS[: len(taken)])
        cards.add(cell, USES, stats.ratio(takes, turned), card=CARDS[: len(taken)])
    made = {"balance": balance, "cards": cards}
    return {name: table.frame() for name, table in made.items()} | {"figures": figures_frame(made, {})}


def found(made, alarms=ALARMS, lineups=("usual",), reference="base"):
    return found_alarms(alarms, made, lambda table: lineups, reference, lambda variant, key, level: level)


def said(*given, **more):
    return [alarm.text for alarm in found(*given, **more)]


def test_coins_that_run_out_in_one_game_of_a_hundred_are_found():
    counted = [said(tables(seed, runs_out=0.01)) for seed in range(20)]
    assert all(len(texts) == 1 and texts[0].startswith("Coins run out in ") for texts in counted)
    assert ["Coins run out in 1 of 100 games."] in counted


def test_a_card_that_is_never_taken_is_found():
    never = [0.0, *HEALTHY[1:]]
    assert said(tables(1, taken=never)) == ["Hardly anybody takes card C1.", "Card C1 is never used."]
    assert said(tables(1, taken=never, deals=40)) == []  # too few games to be certain
    several = said(tables(1, taken=[0.0, 0.01, 0.02, *HEALTHY[3:]]))
    assert several == ["Nobody takes 3 of 30 cards.", "Card C1 is never used."]
    assert said(tables(1, taken=[1.0, *HEALTHY[1:]])) == ["Everybody takes card C1."]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("planted", "games"),
    [({}, 1), ({"runs_out": 0.002, "taken": LIMIT}, 1), ({"runs_out": 0.002, "taken": LIMIT}, 4)],
)
def test_a_game_without_such_facts_is_silent_in_95_of_100_reports(planted, games):
    """So is one all of whose facts are just at their thresholds, also if the games of a deal end alike."""
    assert sum(not found(tables(seed, **planted, games=games, deals=600)) for seed in range(100)) >= 95


def test_an_alarm_names_the_player_count_the_variant_and_its_figures():
    at_6 = tables(2, players=(4,)), tables(3, runs_out=0.97, players=(6,))
    both = {name: pd.concat([part[name] for part in at_6]) for name in ("balance", "cards")} | {
        "figures": at_6[0]["figures"]
    }
    (alarm,) = found(both)
    assert alarm.text == "6 players: coins run out in 97 of 100 games."
    assert "6 players: 97" in alarm.evidence
    assert "n = 3,500" in alarm.evidence
    (row,) = alarm.document["rows"]
    assert (row["players"], row["n"], row["low"] < 0.97 < row["high"]) == (6, 3500, True)
    changed = tables(4, runs_out=0.97, variant="poor")
    versions = {name: pd.concat([at_6[0][name], changed[name]]) for name in both}
    assert said(versions) == ["Coins run out in 97 of 100 games, before 0."]
    assert said(versions, reference="poor") == ["Coins run out in 0 of 100 games, before 97."]


def two_boxes(before, after):
    """Return the tables of a box before and after a change, from what is planted in each."""
    parts = tables(1, deals=40_000, **before), tables(2, deals=40_000, variant="poor", **after)
    both = {name: pd.concat([part[name] for part in parts]) for name in ("balance", "cards")}
    return {**both, "figures": parts[0]["figures"]}


@pytest.mark.parametrize(
    ("before", "after", "words", "is_mended"),
    [
        (0.07, 0.59, "Coins run out in 59 of 100 games, before 7.", False),
        (0.59, 0.07, "Coins run out in 7 of 100 games, before 59.", False),
        (0.59, 0.0, "Coins run out in 0 of 100 games, before 59.", True),
        (0.59, 0.59, "Coins run out in 59 of 100 games, as before.", False),
        (0.58, 0.587, "Coins run out in 59 of 100 games, perhaps unchanged.", False),
    ],
)
def test_an_alarm_of_two_boxes_has_both_shares_only_if_they_are_known_to_differ(before, after, words, is_mended):
    (alarm,) = found(two_boxes({"runs_out": before}, {"runs_out": after}))
    assert (alarm.text, alarm.is_mended) == (words, is_mended)


def test_what_a_change_mends_stands_after_what_it_breaks():
    alarms = found(two_boxes({"runs_out": 0.59}, {"runs_out": 0.0, "taken": [0.0, *HEALTHY[1:]]}))
    assert [(alarm.text.partition(":")[0], alarm.is_mended) for alarm in alarms] == [
        ("New box", False),
        ("Card C1 is never used, perhaps unchanged.", False),
        ("Coins run out in 0 of 100 games, before 59.", True),
    ]


@pytest.mark.parametrize(
    ("deals", "words"),
    [
        (100, "Coins run out in 16 of 100 games, before 7."),
        (80, "Coins run out in 11 of 100 games, perhaps unchanged."),
    ],
)
def test_an_alarm_of_few_games_is_of_the_changed_box(deals, words):
    """Intervals that overlap may be of shares that are known to differ: 7 % (3 to 13) and 16 % (10 to 24)."""
    parts = tables(1, deals=deals, runs_out=0.07), tables(2, deals=deals, variant="poor", runs_out=0.13)
    both = {name: pd.concat([part[name] for part in parts]) for name in ("balance", "cards")}
    assert said({**both, "figures": parts[0]["figures"]}) == [words]


def test_cards_of_two_boxes_are_of_one_box_only_if_that_is_known():
    one, three = [0.0, *HEALTHY[1:]], [0.0, 0.0, 0.0, *HEALTHY[3:]]
    two_others = [*HEALTHY[:3], 0.0, 0.0, *HEALTHY[5:]]
    two = [0.0, 0.0, *HEALTHY[2:]]
    for before, after, words in (
        (three, three, "Nobody takes 3 of 30 cards, as before."),
        (two, three, "Nobody takes 3 of 30 cards, before 2."),
        (three, [*three, 0.3], "Nobody takes 3 of 31 cards, as before."),
        (one, three, "Nobody takes 3 of 30 cards, before 1."),
        (HEALTHY, three, "Nobody takes 3 of 30 cards, before none."),
        (three, HEALTHY, "Old box: nobody takes 3 of 30 cards."),
        (three, one, "Old box: nobody takes 3 of 30 cards."),
        (three, two_others, "Nobody takes 2 of 30 cards, before 3."),
        (one, one, "Hardly anybody takes card C1, as before."),
        (HEALTHY, one, "New box: hardly anybody takes card C1."),
        (one, HEALTHY, "Old box: hardly anybody takes card C1."),
    ):
        alarms = found(two_boxes({"taken": before}, {"taken": after}))
        assert (words, words.startswith("Old box")) in [(alarm.text, alarm.is_mended) for alarm in alarms]


def test_an_alarm_has_to_hold_in_the_games_of_each_lineup():
    usual, strong = tables(5, runs_out=0.5), tables(6, runs_out=0.2, lineup="strong")
    healthy = tables(6, lineup="strong")
    both = {name: pd.concat([usual[name], strong[name]]) for name in usual}
    assert said(both, lineups=("usual", "strong")) == ["Coins run out in 51 of 100 games."]
    other = {name: pd.concat([usual[name], healthy[name]]) for name in usual}
    assert said(other, lineups=("usual", "strong")) == []
    assert len(said(other)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("game", OUR_GAMES)
def test_every_declared_alarm_tests_rows_of_its_game_and_is_short(game):
    results = ss.simulate(game, players="all", agents="random", deals=60, progress=False)
    for name, alarm in report_of(find_game(game)).alarms.items():
        figure = figures_in(results.originals, alarm.table)[alarm.figure]
        rows = _tested(alarm, figure, results.originals[alarm.table], ["random"])
        assert set(rows["players"]) == set(results.study.players), name
        assert figure.is_share, name
    assert all(len(alarm.text.split()) <= MOST_WORDS for alarm in alarms_of_games(results.study, results.originals))


@pytest.mark.slow
def test_values_that_no_seat_chooses_need_no_declaration():
    variant = {"short": {"tokens": {"copies": [6, 5, 4, 3, 0]}}}
    results = ss.simulate(TEMPLATE, players=[2, 3], agents="random", deals=900, variant=variant, progress=False)
    assert [alarm.text for alarm in results.alarms] == ["Token 5 is never chosen."]


def beside_random(chance):
    """The tables of a study in which the usual agent of Strozzi wins with this chance among two random ones."""
    names = ["heuristic", "random", "random"]
    cell = SimpleNamespace(players=3, variant="base", lineup=",".join(names), deals=4000)
    wins = np.random.default_rng(1).multinomial(1, [chance, (1 - chance) / 2, (1 - chance) / 2], 4000)
    balance, lineup = FigureTable(), FigureTable("position", "agent")
    won = stats.ratio(wins, np.ones_like(wins), n_deals=4000)
    balance.add(cell, WIN_SHARE, won.at(0))
    for position, agent in enumerate(names):
        lineup.add(cell, WIN_SHARE, won.at(position), position=position, agent=agent)
    made = {"balance": balance, "lineup": lineup}
    return {name: table.frame() for name, table in made.items()} | {"figures": figures_frame(made, {})}


@pytest.mark.parametrize(("chance", "texts"), [(0.3, ["Usual play wins no more than random moves."]), (0.4, [])])
def test_an_agent_whose_choices_do_not_matter_is_named(chance, texts):
    study = ss.Study.of(game="strozzi", players=[3], lineups=[["heuristic", "random", "random"]], deals=4000)
    assert [alarm.text for alarm in alarms_of_games(study, beside_random(chance))] == texts


def test_page_terminal_and_json_show_the_alarms_below_the_verdict(tmp_path):
    crowded = ss.simulate("strozzi", players=[3, 6], agents="heuristic", deals=300, progress=False)
    first, *_ = texts = [alarm.text for alarm in crowded.alarms]
    assert re.fullmatch(r"6 players: coins run out in 9\d of 100 games\.", first)
    assert len(texts) <= MOST_ALARMS
    page = crowded.report(tmp_path / "page.html").read_text("utf-8")
    assert page.index("</h1>") < page.index(first) < page.index("<svg")
    assert f'<a href="#item-balance-figures" data-t="{crowded.alarms[0].evidence}">{first}</a>' in page
    assert 'id="item-balance-figures"' in page
    lines = list(_lines(crowded, None, every_table=False, shows_rows=True))
    first_table = next(number for number, line in enumerate(lines) if line.startswith("\n"))
    assert 0 < lines.index(f"! {first}") < first_table
    document = rows_of(crowded)["alarms"][0]
    assert (document["text"], document["figure"], document["rows"][0]["players"]) == (first, "over_990_share", 6)


@pytest.mark.parametrize(
    ("alarm", "message"),
    [
        (Alarm("x", "taken_share", "card", below=0.1), "alarms.a.table: unknown table 'card'; known: "),
        (Alarm("x", "take_share", "cards", below=0.1), "alarms.a.figure: no 'take_share' in table cards; known: "),
        (Alarm("x", "taken_share", "cards", below=0.1, where={"by": "all"}), "alarms.a.where: 'by' is not a key of table cards"),
        (Alarm("x", "taken_share", "cards"), "alarms.a: give `above` or `below`"),
        (Alarm("x", "taken_share", "cards", above=2), "alarms.a: 2: a threshold is a share, from 0 to 1"),
        (Alarm("{card} {shares}", "taken_share", "cards", below=0.1), "alarms.a.text: unknown slot 'shares'; known: "),
        (Alarm("card {card", "taken_share", "cards", below=0.1), "alarms.a.text: expected '}' before end of string"),
        (Alarm("one two three four five six {share}", "taken_share", "cards", below=0.1), "alarms.a.text: must have 8 words at most"),
    ],
)  # fmt: skip
def test_what_an_alarm_cannot_be_is_named(alarm, message):
    with pytest.raises(InputError) as error:
        alarm.check("alarms.a", {"cards": [TAKEN]}, {"cards": ["card"]})
    assert message in str(error.value)
