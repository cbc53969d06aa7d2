"""Analysis of a finished game: its result as the sum of each decision's cost, each chance event's luck, and a rest.

An agent that evaluates positions estimates the worth of each legal action to every seat: the mean over many draws of
the chance that follows it, the same draws for all actions. The differences between successive worths add up to the
result:

    result = start + luck of the deal + sum over decisions of (effect + luck + unexplained)

- effect : worth of the action played less that of the best found, never above 0 in the acting seat's own lead
- luck : worth after the action and its draws, less the worth of the action
- unexplained : worth of the best action less the worth after the previous decision or the deal; they differ by the
  noise of the draws, and because the evaluator may change its estimate although nothing happened
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from strozzi_sim.agent import AgentSpec, check_lineup, load_agent
from strozzi_sim.agent.analysis import LEAD, WIN, WORTHS
from strozzi_sim.errors import InputError, as_argument_error, pluralize
from strozzi_sim.game.contract import Game
from strozzi_sim.game.sentences import listed, seat_name, with_capital
from strozzi_sim.game.table import GameTable, players_of
from strozzi_sim.game.variants import Variant
from strozzi_sim.play.judged import JudgedDecision, TurningPoint
from strozzi_sim.play.judging import Judge, Worth
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import RecordedGame, reconstruct_actions
from strozzi_sim.simulation.luck import LuckMethod
from strozzi_sim.stats.intervals import t_quantile

if TYPE_CHECKING:
    import pandas as pd

REDRAWS = 32  # default number of draws behind each worth
PARTS = {  # parts of a result, and their headings
    "start": "start",
    "luck": "luck",
    "own_errors": "own errors",
    "rivals_errors": "rivals' errors",
    "unexplained": "unexplained",
}
INDIFFERENT = 0.1  # points of lead: a decision whose actions all differ by less is not a choice
NOTED = 0.005  # smallest loss or luck that is reported, as a share of the win
_OTHER = 0.1  # share of the win by which another cause is worth more than that of the lead, if neither is named
MISTAKES, UNEXPLAINED = "mistakes", "unexplained"
_CAUSES = {  # part of the winner's lead -> how it won, if this part is the largest, and words before its worth
    MISTAKES: ("won by its rivals' mistakes, worth", "all mistakes together are"),
    "luck": ("won by luck, worth", "luck is"),
    "start": ("won by its seat, before the deal worth", "the seat is"),
}


@dataclass(frozen=True, repr=False)
class GameAnalysis:
    """The analysis of a game; a notebook shows it as tables."""

    agent: str  # spec string of the agent that evaluates
    redraws: int  # draws behind each worth
    start: Worth  # worth before the deal
    deal_luck: Worth
    decisions: tuple[JudgedDecision, ...]  # in order
    result: Worth  # score, lead and share of the win in the end; expected, if the game is not over
    # mean loss per choice of each of the agent's levels, from level 0 on; () without levels at this player count
    error_rates: Sequence[float] = ()
    names: Sequence[str] = ()  # name of every seat
    players: Sequence[str] = ()  # the player at every seat as text: "the third player"
    unit: str = "points"  # of scores

    def parts(self, seat: int) -> dict[str, Worth]:
        """Return the parts of a seat's result, float64[3] each, which add up to it."""

        def total(worth: str, decisions: Iterable[JudgedDecision]) -> Any:
            return sum((getattr(decision, worth)[seat] for decision in decisions), np.zeros(len(WORTHS)))

        return {
            "start": self.start[seat],
            "luck": self.deal_luck[seat] + total("luck", self.decisions),
            "own_errors": total("effect", (decision for decision in self.decisions if decision.seat == seat)),
            "rivals_errors": total("effect", (decision for decision in self.decisions if decision.seat != seat)),
            "unexplained": total("unexplained", self.decisions),
        }

    def summed_parts(self, seat: int, worth: int = LEAD) -> dict[str, float]:
        """Return the parts of a seat's lead, or of another of WORTHS, and `mistakes`, all errors together."""
        parts = {name: float(part[worth]) for name, part in self.parts(seat).items()}
        return parts | {MISTAKES: parts["own_errors"] + parts["rivals_errors"]}

    def is_clear(self, seat: int) -> bool:
        """Return whether the largest known cause of a seat's lead is larger than what stays unexplained."""
        parts = self.summed_parts(seat)
        return max(parts[name] for name in _CAUSES) > abs(parts[UNEXPLAINED])

    def is_told_by_wins(self, seat: int) -> bool:
        """Return whether another cause is clearly worth more of a seat's win than the largest cause of its lead."""
        of_lead, of_win = self.summed_parts(seat), self.summed_parts(seat, WIN)
        cause = max(_CAUSES, key=lambda name: of_lead[name])
        return max(of_win[name] for name in _CAUSES) > of_win[cause] + _OTHER

    def _parts_and_result(self, seat: int) -> dict[str, Worth]:
        return {**self.parts(seat), "result": self.result[seat]}

    def _losses(self, seat: int) -> npt.NDArray[np.float64]:
        return np.array([decision.loss for decision in self.decisions if decision.seat == seat and decision.is_choice])

    def error_rate(self, seat: int) -> tuple[float, int]:
        """Return the mean loss of a seat in points over its decisions that are a choice (or NaN), and their number."""
        losses = self._losses(seat)
        return (float(losses.mean()) if len(losses) else float("nan")), len(losses)

    def level(self, seat: int) -> tuple[float, float, float] | None:
        """Return the level, interpolated, whose error rate is the seat's, and the ends of its 95 % interval.

        -1: worse than level 0; the top level includes all that are better. The interval follows from that of the mean
        loss. None if the agent has no levels, or for fewer than two choices.
        """
        losses = self._losses(seat)
        if len(losses) < 2 or not len(self.error_rates):
            return None
        half = float(t_quantile(len(losses) - 1)) * losses.std(ddof=1) / len(losses) ** 0.5
        rate, top = losses.mean(), len(self.error_rates) - 1
        # np.interp needs rising rates, and they fall with the level; a rate worse than that of level 0 is level -1
        rates, levels = np.array(self.error_rates)[::-1], np.arange(top, -1.0, -1.0)
        level, low, high = np.interp([rate, rate + half, max(rate - half, 0.0)], rates, levels, right=-1.0)
        return float(level), float(low), float(high)

    def curve(self) -> npt.NDArray[np.float64]:
        """Return each seat's expected share of the win before every decision and in the end, float64[D + 1, P]."""
        return np.array([*(decision.before[:, WIN] for decision in self.decisions), self.result[:, WIN]])

    def costliest(self, count: int = 3, seat: int | None = None) -> list[JudgedDecision]:
        """Return the decisions, of one seat or all, that cost most of the win, if they cost a share of NOTED."""
        costly = [each for each in self.decisions if each.win_loss >= NOTED and seat in (None, each.seat)]
        return sorted(costly, key=lambda decision: (-decision.win_loss, -decision.loss))[:count]

    def lesson(self, decision: JudgedDecision) -> str:
        """Return what a player did wrong in a decision, and what would have been better, as sentences."""
        choices = f"You chose {decision.played_words}; {decision.best_words} was better"
        cost = f"your chance to win {decision.chances(decision.seat)}, your lead by {self._amount(decision.loss)}"
        return f"{_round_words(decision)}{decision.question} {choices}: {cost}."

    def costliest_in_words(self, count: int = 3) -> list[str]:
        """Return the costliest decisions as text: the round, the question, the choice, a better one and the cost."""
        return [
            f"{_round_words(each)}{self.players[each.seat]}. {each.question} "
            f"Chose {each.played_words}: its chance to win {each.chances(each.seat)}; better: {each.best_words}"
            for each in self.costliest(count)
        ]

    def verdict(self) -> tuple[str, str]:
        """Return who won and the largest cause of the lead if it is clear, and a sentence on the lead.

        The sentence is "" for a shared win.
        """
        shares = self.result[:, WIN]
        winners = np.flatnonzero(shares == shares.max()).tolist()
        who = with_capital(listed([self.players[seat] for seat in winners]))
        if len(winners) > 1:
            return f"{who} shared the win.", ""
        (winner,), parts = winners, self.summed_parts(winners[0])
        is_pair = len(self.players) == 2
        lead = float(self.result[winner, LEAD])
        place = "ahead of" if lead >= 0 else "behind"
        others = "the other" if is_pair else "the mean of the others"
        detail = f"{who} ended {self._amount(abs(lead))} {place} {others}."
        cause = max(_CAUSES, key=lambda name: parts[name])
        won, known = _CAUSES[cause]
        is_clear = self.is_clear(winner)
        if not is_clear or self.is_told_by_wins(winner):
            unexplained = f"{self._amount(abs(parts[UNEXPLAINED]))} stay unexplained, "
            why = f"{'' if is_clear else unexplained}{known} worth {signed(parts[cause])}"
            turn = next(iter(self.turning_points(1)), None)
            if turn is not None and abs(turn.change) >= NOTED:
                return f"{who} won; {self._turn_words(turn)}.", f"{detail} {with_capital(why)}."
            return f"Why {self.players[winner]} won is not clear: {why}.", detail
        if cause == MISTAKES:
            won = "won by its rival's mistakes, worth" if is_pair else won
            amount, rest = parts["rivals_errors"], f"its own cost {abs(parts['own_errors']):.0f}"
        else:
            mistakes = parts[MISTAKES]
            amount, rest = parts[cause], f"mistakes {'gave' if mistakes > 0 else 'cost'} it {abs(mistakes):.0f}"
        return f"{who} {won} {self._amount(amount)}; {rest}.", detail

    def _turn_words(self, turn: TurningPoint) -> str:
        """Return when and how the game turned: "it turned in round 2, by good luck of the last player: .."."""
        decision = turn.decision
        when = f"in round {decision.round}" if decision.round else f"at decision {decision.number}"
        cause = "a choice" if turn.kind == "error" else f"{'good' if turn.change > 0 else 'bad'} luck"
        chances = decision.chances(turn.seat, by_luck=turn.kind == "luck")
        return f"it turned {when}, by {cause} of {self.players[turn.seat]}: its chance to win {chances}"

    def _amount(self, number: float) -> str:
        return pluralize(round(number), self.unit.removesuffix("s"))

    def turning_points(self, count: int = 5) -> list[TurningPoint]:
        """Return the largest changes of a seat's share of the win after the deal, largest first."""
        turns = [
            TurningPoint("error", decision, decision.seat, -decision.win_loss)
            for decision in self.decisions
            if decision.win_loss > 0
        ]
        for decision in self.decisions:
            seat = int(np.abs(decision.luck[:, WIN]).argmax())
            turns.append(TurningPoint("luck", decision, seat, float(decision.luck[seat, WIN])))
        return sorted(turns, key=lambda turn: -abs(turn.change))[:count]

    def turn_in_words(self, turn: TurningPoint) -> str:
        """Return a turning point as a sentence."""
        decision, who = turn.decision, seat_name(self.names, turn.seat)
        if turn.kind == "error":
            chances = f"its chance to win {decision.chances(turn.seat)}"
            return f"{who} chose {decision.played_words}: {chances}; best found: {decision.best_words}"
        event = decision.events[-1].rstrip(".") if decision.events else ""
        luck = f"{'good' if turn.change > 0 else 'bad'} luck of {who}"
        return f"{luck}, whose chance to win {decision.chances(turn.seat, by_luck=True)}: {event}"

    def turns_in_words(self, count: int = 5) -> list[str]:
        """Return the turning points as sentences, each with the number of its decision."""
        return [f"decision {turn.decision.number}: {self.turn_in_words(turn)}" for turn in self.turning_points(count)]

    @property
    def decision_table(self) -> "pd.DataFrame":
        """Decisions: decision, round, seat, agent, question, played, best, loss (points), win_loss, is_choice."""
        import pandas as pd

        columns = ["decision", "round", "seat", "agent", "question", "played", "best", "loss", "win_loss", "is_choice"]
        rows = [decision.row() | {"agent": self.names[decision.seat]} for decision in self.decisions]
        return pd.DataFrame(rows, columns=columns)

    @property
    def part_table(self) -> "pd.DataFrame":
        """Parts of each seat's result, which add up to `result`: seat, agent, part, score, lead, win."""
        import pandas as pd

        rows = [
            (seat, name, part, *worth)
            for seat, name in enumerate(self.names)
            for part, worth in self._parts_and_result(seat).items()
        ]
        return pd.DataFrame(rows, columns=["seat", "agent", "part", *WORTHS])

    @property
    def seat_table(self) -> "pd.DataFrame":
        """Seats: seat, agent, error_rate (points per choice), choices, level and its low, high (or NaN)."""
        import pandas as pd

        rows = [
            (seat, name, *self.error_rate(seat), *(self.level(seat) or (float("nan"),) * 3))
            for seat, name in enumerate(self.names)
        ]
        return pd.DataFrame(rows, columns=["seat", "agent", "error_rate", "choices", "level", "low", "high"])

    def tables(self) -> dict[str, list[list[str]]]:
        """Return two tables by title, of leads and shares of the win: a heading, then each seat's parts, as text."""
        shares = [["seat", "agent", *PARTS.values(), "result"]]
        leads = [[*shares[0], "error rate", "choices", "level"]]
        for seat, name in enumerate(self.names):
            worths = np.array(list(self._parts_and_result(seat).values()))
            rate, choices = self.error_rate(seat)
            rates = [f"{rate:.2f}" if choices else "-", str(choices), level_words(self.level(seat))]
            leads.append([str(seat), name, *(f"{worth:+.1f}" for worth in worths[:, LEAD]), *rates])
            shares.append([str(seat), name, *(f"{100 * worth:+.1f}" for worth in worths[:, WIN])])
        return {"expected lead, points": leads, "expected share of the win, in points of win share": shares}

    def document(self) -> dict[str, Any]:
        """Return the analysis as plain data; worths, losses and shares have four decimals."""

        def by_name(worth: Any) -> dict[str, float]:
            return {name: round(float(value), 4) for name, value in zip(WORTHS, worth, strict=True)}

        seats = []
        for seat, name in enumerate(self.names):
            rate, choices = self.error_rate(seat)
            parts = {key: by_name(part) for key, part in self._parts_and_result(seat).items()}
            rates = {"error_rate": rate if choices else None, "choices": choices, "level": self.level(seat)}
            seats.append({"seat": seat, "agent": name, **parts, **rates})
        decisions = [
            decision.row()
            | {"loss": round(decision.loss, 4), "win_loss": round(decision.win_loss, 4)}
            | {"luck": list(map(by_name, decision.luck)), "events": list(decision.events)}
            for decision in self.decisions
        ]
        curve = [[round(share, 4) for share in shares] for shares in self.curve().tolist()]
        judge = {"verdict": self.verdict(), "agent": self.agent, "redraws": self.redraws}
        return {**judge, "seats": seats, "decisions": decisions, "win_curve": curve}

    def in_short(self) -> dict[str, Any]:
        """Return verdict, seats, up to ten turning points, and the ten decisions that cost most, as plain data."""
        document, turns = self.document(), self.turns_in_words(10)
        costly = [document["decisions"][each.number - 1] for each in self.costliest(10)]
        short = {"verdict": document["verdict"], "seats": document["seats"], "turning_points": turns}
        return {**short, "costliest_decisions": costly, "n": self.redraws}

    def __repr__(self) -> str:
        decisions = pluralize(len(self.decisions), "decision")
        return f"<GameAnalysis: {', '.join(self.names)}; {decisions}, judged by {self.agent}>"

    def _repr_html_(self) -> str:
        import pandas as pd

        parts = [escape(" ".join(filter(None, self.verdict()))), f"Judged by {escape(self.agent)}"]
        for title, (heading, *rows) in self.tables().items():
            parts += [title, pd.DataFrame(rows, columns=heading).to_html(index=False)]
        parts += [escape(f"{with_capital(turn)}.") for turn in self.turns_in_words(3)]
        return "".join(f"<div>{part}</div>" for part in parts)


def find_judge(text: str, game: Game, players: int, variant: Variant) -> AgentSpec:
    """Return the agent of a spec string; raise InputError if it cannot judge games of this variant."""
    spec = load_agent(text, game)
    check_lineup([spec], game, players)
    _check_open(game, variant)
    LuckMethod(spec)  # refuses agents that do not evaluate
    return spec


def _check_open(game: Game, variant: Variant) -> None:
    """Raise InputError for games with secrets: hidden information would count as luck at every decision."""
    if variant.hidden:
        why = "players have secrets; only games in which nothing is hidden can be judged"
        raise InputError(f"{game.name}, variant {variant.name}: {why}")


def analyse_game(
    table: Position, actions: Sequence[int], spec: AgentSpec, redraws: int = REDRAWS, names: Sequence[str] | None = None
) -> GameAnalysis:
    """Play all actions on `table`, a game as dealt, and return its analysis; `names`: a name for every seat."""
    check_lineup([spec], table.game, table.players)
    _check_open(table.game, table.variant)
    judge = Judge(table, LuckMethod(spec, redraws))
    start = judge.before_the_deal()
    worth_before = judge.position(0)
    deal_luck, decisions, lines = worth_before - start, list[JudgedDecision](), table.lines()
    names = tuple(names or [f"seat {seat}" for seat in range(table.players)])
    for number, action in enumerate(actions, 1):
        legal, seat = table.legal, table.actor
        worths = judge.actions(number)
        chosen, best = legal.index(action), int(worths[:, seat, LEAD].argmax())
        names_of_actions, question, meanings = table.names, table.question, table.meanings
        table.play(action)
        worth = judge.result() if table.over else judge.position(number)
        game_round = next((line["round"] for line in reversed(lines) if "round" in line), 0)
        lines_before, lines = len(lines), table.lines()
        texts = question, names_of_actions[chosen], names_of_actions[best]
        changes = worths[chosen] - worths[best], worth - worths[chosen], worths[best] - worth_before
        is_choice = bool(np.ptp(worths[:, seat, LEAD]) >= INDIFFERENT)
        events = tuple(table.sentences(lines[lines_before:], names))
        judged = JudgedDecision(number, game_round, seat, *texts, worths[best], *changes, is_choice, meanings, events)
        decisions.append(judged)
        worth_before = worth
    rates, players = spec.agent.error_rates.get(table.players, ()), players_of(table.game, table.players)
    unit = (table.game.table or GameTable).unit
    of_game = (start, deal_luck, tuple(decisions), worth_before)
    return GameAnalysis(spec.text, redraws, *of_game, rates, names, players, unit)


def analyse_record(recorded: RecordedGame, agent: str, redraws: int = REDRAWS) -> tuple[Position, GameAnalysis]:
    """Return a recorded game after its last action, and its analysis."""
    table = Position(**recorded.deal_again())
    _check_open(table.game, table.variant)  # first, since an error of `find_judge` names the argument `agent`
    spec = as_argument_error("agent", find_judge, agent, table.game, table.players, table.variant)
    actions = reconstruct_actions(recorded, table)
    return table, analyse_game(table, actions, spec, redraws, recorded.names)


def signed(value: float, digits: int = 0) -> str:
    """Return a rounded number with its sign, "+3" or "-3"; one that rounds to zero has no sign."""
    text = f"{value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")
    return text[1:] if not text.strip("+\N{MINUS SIGN}0.") else text


def _round_words(decision: JudgedDecision) -> str:
    return f"round {decision.round}, " if decision.round else ""


def level_words(level: tuple[float, float, float] | None) -> str:
    """Return a result of `GameAnalysis.level`, a level and its interval, as text."""
    if level is None:
        return "-"
    value, low, high = ("below 0" if number < 0 else f"{number:.1f}" for number in level)
    return value if low == high else f"{value} ({low} to {high})"


def level_sentence(level: tuple[float, float, float], top: int, choices: int) -> str:
    """Return a level and what so many decisions tell of it as a sentence.

    >>> level_sentence((1.0, -1.0, 7.2), 10, 29)
    'You played like a computer player of level 1 of 10; 29 decisions tell only that your level is below 8.'
    >>> level_sentence((-1.0, -1.0, 4.2), 10, 28)
    'You erred more than the weakest computer player, level 0 of 10; 28 decisions tell only that your level is below 5.'
    """
    value, low, high = level
    is_below = value < 0
    played = f"like a computer player of level {value:.0f} of {top}"
    played = f"erred more than the weakest computer player, level 0 of {top}" if is_below else f"played {played}"
    least, most = max(int(np.floor(low)), 0), int(np.floor(high)) + 1
    if low < 0 and most > top:
        tell = "are too few to tell a level"
    else:
        known = f"below {most}" if low < 0 else f"above {least}" if most > top else f"{least} to {most}"
        tell = f"tell only that your level is {known}"
    return f"You {played}; {pluralize(choices, 'decision')} {tell}."
