"""The analysis of a game: parts that add up to the result, a planted blunder by name, and the command."""

import html
import json
import re
from pathlib import Path

import numpy as np
import pytest

from strozzi_games import STROZZI
from strozzi_sim.agent import load_agent
from strozzi_sim.agent.analysis import LEAD, SCORE, WIN
from strozzi_sim.cli.app import run as command
from strozzi_sim.errors import InputError
from strozzi_sim.play.analyse import GameAnalysis, analyse_game, signed
from strozzi_sim.play.judged import JudgedDecision
from strozzi_sim.play.position import Position
from strozzi_sim.report.analysis import _numbers

LEARNED = load_agent("learned", STROZZI)


def played(blunder=None, seed=2, agents=("heuristic",) * 4):
    """The actions of a game; at decision `blunder` the action of least worth is played instead."""
    table, specs = Position(STROZZI, 4, seed=seed), [load_agent(name, STROZZI) for name in agents]
    actions = []
    while not table.over:
        action = table.ask(specs[table.actor])
        if len(actions) + 1 == blunder:
            _, action = worst(table)
        actions.append(action)
        table.play(action)
    return actions


def worst(table):
    """The largest loss of an action at a decision, and that action."""
    losses = []
    for action in table.legal:
        ahead = analyse_game(Position(STROZZI, 4, seed=table.seed), [*table.actions, action], LEARNED, 16)
        losses.append((ahead.decisions[-1].loss, action))
    return max(losses)


def of_leads(luck, effects, unexplained, players=("the first player", "the second player", "the last player")):
    """An analysis in which seat 1 wins; `effects` are (seat, effect on its lead, and on its win), in order."""

    def worth(lead, win=0.0):
        table = np.zeros((3, 3))
        table[1, LEAD], table[1, WIN] = lead, win
        return table

    decisions = []
    for number, (seat, lead, win) in enumerate(effects, 1):
        effect = worth(lead)
        effect[seat, WIN] = win
        decisions.append(JudgedDecision(number, 2, seat, "a ship?", "pass", "ware", np.full((3, 3), 0.4), effect, worth(luck if number == 1 else 0.0), worth(unexplained if number == 1 else 0.0), True))  # fmt: skip
    result = worth(luck + unexplained + sum(lead for _, lead, _ in effects), 1.0)
    zero = np.zeros((3, 3))
    return GameAnalysis("judge", 4, zero, zero, tuple(decisions), result, (), ["a", "b", "c"], players, "coins")


MISTAKES = [(0, 98.0, -0.01), (2, 20.0, -0.13), (1, -22.0, -0.001)]


@pytest.mark.parametrize(
    ("luck", "unexplained", "verdict", "detail"),
    [
        (9, 3, "won by its rivals' mistakes, worth 118 coins; its own cost 22.", "ended 108 coins ahead of the mean of the others."),
        (120, 0, "won by luck, worth 120 coins; mistakes gave it 96.", "ended 216 coins ahead of the mean of the others."),
        (9, -95, "won by its rivals' mistakes, worth 118 coins; its own cost 22.", "ended 10 coins ahead of the mean of the others."),
    ],
)  # fmt: skip
def test_the_verdict_names_the_largest_cause_of_the_lead(luck, unexplained, verdict, detail):
    said = of_leads(luck, MISTAKES, unexplained).verdict()
    assert said == (f"The second player {verdict}", f"The second player {detail}")
    assert len(said[0].split()) <= 24


@pytest.mark.parametrize(
    ("luck", "unexplained", "known", "detail"),
    [
        (9, 97, "all mistakes together are worth +96", "202 coins ahead of"),
        (0, -97, "all mistakes together are worth +96", "1 coin behind"),
        (98, -99, "luck is worth +98", "95 coins ahead of"),
    ],
)
def test_no_cause_is_named_if_more_stays_unexplained(luck, unexplained, known, detail):
    analysis = of_leads(luck, MISTAKES, unexplained)
    why = f"{abs(unexplained)} coins stay unexplained, {known}."
    ended = f"The second player ended {detail} the mean of the others."
    turned = "it turned in round 2, by a choice of the last player: its chance to win fell from 40 to 27 of 100"
    said = f"The second player won; {turned}."
    assert analysis.verdict() == (said, f"{ended} {why}")
    cheap = of_leads(luck, [(seat, lead, 0.0) for seat, lead, _ in MISTAKES], unexplained)
    assert cheap.verdict() == (f"Why the second player won is not clear: {why}", ended)
    shown = [(number.value, number.what) for number in _numbers(analysis)]
    assert shown[0] == (signed(unexplained), "coins of the winner's lead that stay unexplained")
    assert shown[2] == ("+96", "coins of the winner's lead by all mistakes together")


def test_a_cause_of_the_lead_that_is_not_that_of_the_win_is_not_named():
    """Mistakes made the lead, luck the win: when it turned is said instead."""
    analysis = of_leads(9, MISTAKES, 0)
    analysis.decisions[0].luck[1, WIN] = 0.5
    answer, detail = analysis.verdict()
    turned = "it turned in round 2, by good luck of the second player: its chance to win rose from 40 to 90 of 100"
    assert answer == f"The second player won; {turned}."
    assert detail.endswith("All mistakes together are worth +96.")
    shown = {number.what: number.value for number in _numbers(analysis)}
    assert shown["games of 100 of the winner's chance by luck"] == "+50"


def test_a_shared_win_has_no_single_cause():
    analysis = of_leads(9, MISTAKES, 0)
    analysis.result[[0, 1], WIN] = 0.5
    assert analysis.verdict() == ("The first player and the second player shared the win.", "")


def test_of_two_players_there_is_one_other_and_no_cost_is_minus_nothing():
    zero, win = np.zeros((2, 3)), np.zeros((2, 3))
    win[1, LEAD], win[1, WIN] = 30.0, 1.0
    mistake = JudgedDecision(1, 1, 0, "a ship?", "pass", "ware", zero, win, zero, zero, True)
    players = ("the first player", "the second player")
    analysis = GameAnalysis("judge", 4, zero, zero, (mistake,), win, (), ["a", "b"], players, "coins")
    assert analysis.verdict() == (
        "The second player won by its rival's mistakes, worth 30 coins; its own cost 0.",
        "The second player ended 30 coins ahead of the other.",
    )


def test_decisions_are_costly_in_wins_not_in_coins():
    """98 coins that cost 1 % of the win follow 20 coins that cost 13 %; what costs 0.1 % is not listed."""
    analysis = of_leads(9, MISTAKES, 0)
    assert [each.number for each in analysis.costliest()] == [2, 1]
    assert [each.number for each in analysis.costliest(seat=0)] == [1]
    lesson = "round 2, a ship? You chose pass; ware was better: your chance to win fell from 40 to 27 of 100, your lead by 0 coins."
    assert analysis.lesson(analysis.costliest()[0]) == lesson
    first = "round 2, the last player. a ship? Chose pass: its chance to win fell from 40 to 27 of 100; better: ware"
    assert analysis.costliest_in_words(1) == [first]
    assert [each["decision"] for each in analysis.in_short()["costliest_decisions"]] == [2, 1]


@pytest.fixture(scope="module")
def analysis():
    return analyse_game(Position(STROZZI, 4, seed=2), played(), LEARNED, 16)


@pytest.mark.slow
def test_the_parts_add_up_to_the_result_of_every_seat(analysis):
    for seat in range(4):
        total = sum(analysis.parts(seat).values())
        np.testing.assert_allclose(total, analysis.result[seat], atol=1e-9)
    table = Position(STROZZI, 4, seed=2)
    for action in played():
        table.play(action)
    assert analysis.result[:, SCORE].tolist() == list(table.scores)
    assert analysis.result[:, WIN].sum() == 1
    assert analysis.result[:, LEAD].sum() == pytest.approx(0)


@pytest.mark.slow
def test_no_decision_gains_and_shares_stay_shares(analysis):
    assert all(each.loss >= 0 for each in analysis.decisions)
    assert all(each.loss == 0 for each in analysis.decisions if each.played == each.best)
    curve = analysis.curve()
    assert curve.shape == (len(analysis.decisions) + 1, 4)
    np.testing.assert_allclose(curve.sum(axis=1), 1, atol=1e-6)
    rate, choices = analysis.error_rate(0)
    assert 0 <= rate < 5
    assert 10 < choices <= sum(each.seat == 0 for each in analysis.decisions)


@pytest.mark.slow
def test_it_is_the_same_every_time_and_more_draws_have_less_noise():
    table, actions = Position(STROZZI, 4, seed=2), played()[:30]
    once, again = (analyse_game(table.copy(), actions, LEARNED, 8) for _ in range(2))
    assert all(
        one.effect.tobytes() == two.effect.tobytes() for one, two in zip(once.decisions, again.decisions, strict=True)
    )
    few, many = (
        np.std([
            analyse_game(Position(STROZZI, 4, seed=2, deal=deal), [], LEARNED, draws).deal_luck[0, SCORE] for deal in range(12)
        ])
        for draws in (1, 64)
    )  # fmt: skip
    assert many < few


@pytest.mark.slow
def test_a_planted_blunder_is_named():
    table, number, loss = Position(STROZZI, 4, seed=2), 0, 0.0
    for place, action in enumerate(played()[:40], 1):
        if len(table.legal) > 2:
            cost, _ = worst(table)
            number, loss = (place, cost) if cost > loss else (number, loss)
        table.play(action)
    assert loss > 8
    found = analyse_game(Position(STROZZI, 4, seed=2), played(blunder=number), LEARNED, 16)
    costliest = max(found.decisions, key=lambda each: each.loss)
    assert costliest.number == number
    assert costliest.loss == pytest.approx(loss, rel=1e-9)


@pytest.mark.slow
def test_the_judge_finds_no_fault_with_itself_and_much_with_a_random_player():
    actions = played(agents=("learned", "random", "heuristic", "heuristic"))
    found = analyse_game(Position(STROZZI, 4, seed=2), actions, LEARNED, 16)
    rates = [found.error_rate(seat)[0] for seat in range(4)]
    assert rates[0] < 0.5 * rates[2]
    assert rates[1] > 2 * rates[2]


@pytest.mark.slow
def test_the_command_prints_the_same_in_words_and_as_json(tmp_path, capsys):
    record = ["record", "strozzi", "--players", "4", "--agents", "heuristic,random", "--out", str(tmp_path / "g.jsonl")]
    assert command([*record, "--seed", "3"]) == 0
    capsys.readouterr()
    assert command(["analyse", str(tmp_path / "g.jsonl"), "--redraws", "4"]) == 0
    text = capsys.readouterr().out
    assert "judged by learned, the mean of 4 draws for each figure" in text
    assert "turning points" in text
    assert command(["analyse", str(tmp_path / "g.jsonl"), "--redraws", "4", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    for seat in document["seats"]:
        parts = sum(seat[part]["lead"] for part in ("start", "luck", "own_errors", "rivals_errors", "unexplained"))
        assert parts == pytest.approx(seat["result"]["lead"], abs=1e-3)
    assert len(document["win_curve"]) == len(document["decisions"]) + 1


@pytest.mark.slow
def test_the_page_names_the_winner_and_has_every_figure(tmp_path, capsys):
    record, page = str(tmp_path / "g.jsonl"), tmp_path / "game.html"
    command(["record", "strozzi", "--players", "4", "--agents", "heuristic,random", "--out", record, "--seed", "3"])
    capsys.readouterr()
    given = ["analyse", record, "--redraws", "4", "--page", str(page)]
    assert command([*given, "--json"]) == 0
    document, text = json.loads(capsys.readouterr().out), page.read_text()
    assert text.count("<iframe") == 1  # the game's table, with its turning points
    winner = max(document["seats"], key=lambda seat: seat["result"]["win"])
    who = ["the first player", "the second player", "the third player", "the last player"]
    verdict, _ = document["verdict"]
    assert verdict.startswith(f"{who[winner['seat']].capitalize()} won")
    assert f'<h1 id="verdict">{verdict.replace("&", "&amp;")}</h1>' in text
    costly = sorted(document["decisions"], key=lambda each: -each["win_loss"])[:3]
    links = re.findall(r'data-step="(\d+)">round (\d)</a></th><td>([^<]*)</td><td>([^<]*)</td>', text)
    lines = [json.loads(line)["type"] for line in Path(record).read_text().splitlines()]
    for (step, number, player, question), each in zip(links, costly, strict=True):
        assert (int(number), player, html.unescape(question)) == (each["round"], who[each["seat"]], each["question"])
        assert lines[int(step)] in ("claim", "place", "take_tile")  # a page's first step is the line after the heading
    shown = np.array([float(value) for value in re.findall(r'<td data-v="([-.0-9]+)"', text)])
    for seat in document["seats"]:
        assert np.abs(shown - 100 * seat["luck"]["win"]).min() < 0.01
        assert f"<td>{seat['error_rate']:.2f}</td>" in text
    assert f'<th scope="row">{costly[0]["best"]}</th><td data-v="' in text
    assert np.abs(shown - 100 * costly[0]["win_loss"]).min() < 0.01
    said = re.sub(r"<[^>]*>", "", text).replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "computer players, not people" not in said  # who played is known by name only
    assert command(given) == 0  # a page of ours is replaced, another file is not
    page.write_text("mine")
    assert command(given) == 2
    assert f"{page} exists and is not a report page of strozzi-sim" in capsys.readouterr().err
    assert page.read_text() == "mine"


@pytest.mark.slow
def test_a_game_with_secrets_is_refused(tmp_path, capsys):
    """Judged from what its seat knows, every decision would have the secrets of the others as luck."""
    command(["record", "strasbourg", "--players", "3", "--out", str(tmp_path / "g.jsonl")])
    assert command(["analyse", str(tmp_path / "g.jsonl")]) == 2
    assert "strasbourg, variant base: players have secrets" in capsys.readouterr().err
    assert command(["play", "strasbourg", "--players", "3", "--judge", "learned"]) == 2
    assert "--judge: strasbourg, variant base: players have secrets" in capsys.readouterr().err


@pytest.mark.slow
def test_an_evaluator_of_another_player_count_is_refused():
    with pytest.raises(InputError, match="does not evaluate"):
        analyse_game(Position(STROZZI, 4), [], load_agent("greedy", STROZZI))
