"""position, analyse_position, analyse_game: one game, named by what leads to it, so that every call stands alone.

Either all choices of all seats are given, or those of one seat, and agents choose for the others: their choices depend on the
seed only, so that the same arguments lead to the same position, and nothing that the seat cannot know is repeated to it.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from msgspec import Meta, json

from strozzi_sim.cli.assistants.rows import plain, reconstructed_words
from strozzi_sim.cli.assistants.schema import COMMAND, Answer, Names, Seed, arguments_of, as_text
from strozzi_sim.errors import ArgumentError, InputError, as_argument_error

if TYPE_CHECKING:
    from strozzi_sim.play.position import Position

REPEATS = 8  # independent repeats, from whose spread the intervals come
JUDGE, SEARCH = "learned", "flat_mc:playouts=50"
Seat = Annotated[int, Meta(ge=0, le=5)]
Number = Annotated[int, Meta(ge=1)]


@dataclass(frozen=True)
class Way:
    """How a position comes about.

    Attributes:
        table: the position.
        actions: all actions that lead to it.
        dealt: the game as dealt.
        names: of the seats.
        seat: the only seat for which choices are given; None if they are everybody's.
        before: the position in which each seat last decided, by seat.
    """

    table: "Position"
    dealt: "Position"
    names: list[str]
    seat: int | None
    before: dict[int, "Position"]

    @property
    def actions(self) -> tuple[int, ...]:
        """All actions so far."""
        return self.table.actions


def find_way(
    game: str, players: int | None, variant: str, seed: int, deal: int, choices: Sequence[str | int], opponents: Names,
    seat: int | None, record: str, game_number: int, decisions: int | None,
) -> Way:  # fmt: skip
    """Return the position that the arguments of `position` name.

    Raises:
        InputError: an invalid argument, or a choice that is not legal; names it and what is allowed.
    """
    from strozzi_sim.play.position import Position

    actions: Sequence[int] = ()
    specs: dict[int, Any] = {}
    if record:
        if game or opponents:
            raise ArgumentError("record", "names the game and its seats; leave out game and opponents")
        dealt, names, actions = _recorded(record, game_number, decisions)
        own = None
    else:
        if not game:
            raise ArgumentError("game", "name a game, or give the path of a record")
        if decisions is not None:
            raise ArgumentError("decisions", "only valid with a record")
        from strozzi_sim.cli.options import one_player_count
        from strozzi_sim.game import load_game

        found = load_game(game)
        count = one_player_count("" if players is None else str(players), found)
        dealt = Position(found, count, seed, deal, variant)
        own = (seat or 0) if opponents else None
        names, specs = _seated(dealt, as_text(opponents), own)
    if seat is not None and seat >= dealt.players:
        raise ArgumentError("seat", f"must be 0 to {dealt.players - 1}, got {seat}")
    table, before = dealt.copy(), dict[int, Position]()

    def play(action: int | str) -> None:
        here = table.copy()
        table.play(action)
        before[here.actor] = here

    def let_others_play() -> None:
        while table.actor in specs:
            action = table.ask(specs[table.actor])
            if action not in table.legal:
                raise table.fault(specs[table.actor], f"chose the illegal action {action}, or failed in compiled code")
            play(action)

    for action in actions:
        play(action)
    let_others_play()
    for number, choice in enumerate(choices, 1):
        try:
            play(choice)
        except ArgumentError as error:
            raise ArgumentError("choices", f"choice {number}: {error.message}") from None
        let_others_play()
    return Way(table, dealt, names, own, before)


def _recorded(record: str, number: int, decisions: int | None) -> tuple["Position", list[str], list[int]]:
    """Return a recorded game as dealt, the names of its seats, and its first actions; default: all."""
    from strozzi_sim.play.position import Position
    from strozzi_sim.play.reconstruct import reconstruct_actions, recorded_deal
    from strozzi_sim.play.records import numbered_game

    found = numbered_game(Path(record), number, "game_number")
    dealt = Position(**recorded_deal(found, record))
    actions = reconstruct_actions(found, dealt.copy(), record, complete=False)
    if decisions is not None and decisions > len(actions):
        raise ArgumentError("decisions", f"the game has {len(actions)} decisions, got {decisions}")
    return dealt, found.names, actions[:decisions]


def _seated(table: "Position", opponents: str, seat: int | None) -> tuple[list[str], dict[int, Any]]:
    """Return the names of the seats, and the agents of the seats that agents play: as `strozzi play` seats them."""
    from strozzi_sim.agent import check_lineup, load_agent, seat_others, split_specs
    from strozzi_sim.game.sentences import YOU

    if seat is None:
        return [f"seat {each}" for each in range(table.players)], {}
    specs = [as_argument_error("opponents", load_agent, text, table.game) for text in split_specs(opponents)]
    as_argument_error("opponents", check_lineup, specs, table.game, table.players)
    if len(specs) >= table.players:
        raise ArgumentError("opponents", f"{len(specs)} agents for {table.players - 1} other seats")
    seated = seat_others(specs, table.players, seat)
    names = [YOU if each == seat else spec.text for each, spec in enumerate(seated)]
    return names, {each: spec for each, spec in enumerate(seated) if each != seat}


def position(
    *,
    game: str = "",
    players: int | None = None,
    variant: str = "base",
    seed: Seed = 0,
    deal: Seed = 0,
    choices: list[str | int] = [],  # noqa: B006 - a default of the schema
    opponents: Names = "",
    seat: Seat | None = None,
    record: str = "",
    game_number: Number = 1,
    decisions: Annotated[int, Meta(ge=0)] | None = None,
    as_data: bool = False,
) -> Answer:
    """Open a game, see the table as one seat sees it, and choose: what happened, who decides, and the legal choices.

    A game is named by game, players, variant, seed and deal, and by the choices made so far: to choose, call again with
    one more entry in choices. With opponents, agents play the other seats, and choices are those of your seat alone. Without
    them, choices are those of all seats in the order in which they decide. Nothing that the seat cannot know is shown.

    Args:
        game: name of the game; leave it out with record
        players: number of players; default: 4, or the game's minimum
        variant: name of a variant
        seed: random seed; with the deal it decides all chance
        deal: number of the deal
        choices: names of the choices so far, in order, as this tool lists them
        opponents: agents of the other seats, such as learned or random, in turn order; with them, choices are those of seat alone
        seat: the seat that looks, from 0; default: the one that decides, and 0 with opponents
        record: path of a record (JSON Lines), instead of game, players, variant, seed, deal and opponents
        game_number: number of the game in the record, from 1
        decisions: stop the recorded game after this many decisions; choices are played after them; default: all
        as_data: also return the table as data
    """
    way = find_way(game, players, variant, seed, deal, choices, opponents, seat, record, game_number, decisions)
    table = way.table
    viewer = way.seat if way.seat is not None else seat if seat is not None else max(table.actor, 0)
    answer: Answer = {
        "text": table.text(viewer, way.names),
        "seen_by": viewer,
        "happened": _happened(way, viewer),
        **({"decisions_so_far": len(way.actions)} if way.seat is None else {"your_choices_so_far": len(choices)}),
        **_pending(table, viewer),
        **_about(table),
    }
    if as_data:
        from strozzi_sim.game.as_json import decision, encode

        answer["data"] = json.decode(encode(decision(table.view(viewer), ())["view"]))
    return answer


def _happened(way: Way, viewer: int) -> list[str]:
    """Return what the viewer saw since its last decision, in words."""
    lines = way.table.lines(viewer)
    earlier = way.before.get(viewer)
    known = 0 if earlier is None else len(earlier.lines())
    describe, components = way.table.game.events.describe, way.table.variant.components
    return [describe(line, way.names, components) for line in lines[known:]]


def _pending(table: "Position", viewer: int) -> Answer:
    """Return the decision: its question and legal choices if it is the viewer's; the result once the game is over."""
    if table.over:
        seats = [
            {"seat": seat, "score": score, "place": place}
            for seat, (score, place) in enumerate(zip(table.scores, table.places, strict=True))
        ]
        return {"over": True, "result": seats}
    if table.actor != viewer:
        return {"over": False, "decides": table.actor, "choices": f"are shown to seat {table.actor} only"}
    meanings = table.game.view.meanings(table.view(), int(table.state["phase"][0]))
    together = table.compound_choices
    names = [
        name if name not in meanings else {"choice": name, "means": meanings[name]} for name in together or table.names
    ]
    one = {"choose": "one or several of these as one choice, separated by blanks"} if together else {}
    return {"over": False, "decides": viewer, "question": table.question, **one, "choices": names}


def _about(table: "Position") -> Answer:
    return {"reconstructed_data": reconstructed_words({table.variant.name: table.variant.reconstructed})}


def analyse_position(*, agent: str = "", draws: Annotated[int, Meta(ge=8, le=10_000)] = 256, **place: Any) -> Answer:
    """Say what each legal choice of a position is worth to the seat that decides, and what it costs against the best one.

    An agent that evaluates positions (learned) gives the expected share of the win and the points lost by each choice, over
    draws of all that the seat cannot know. A search agent gives the mean reward of its simulated games, from 0 to 1. Intervals
    (low, high, 95 %) are the noise of the draws, not the error of the agent. The position is named as in the tool position.

    Args:
        agent: an agent that evaluates positions, or a search agent such as ismcts:iterations=500; default: learned where it plays and
            nothing is hidden, else flat_mc:playouts=50
        draws: draws of chance behind each figure of an agent that evaluates
        place: the position, by the arguments of the tool position
    """
    way = find_way(**place)
    table, seat = way.table, place["seat"]
    if table.over:
        raise InputError("the game is over: no choice is left; analyse_game says what each one cost")
    if way.seat is None and seat not in (None, table.actor):
        raise ArgumentError(
            "seat", f"seat {table.actor} decides here, so that only its choices can be analysed, got {seat}"
        )
    spec, judges = _find_analyst(agent, table)
    head = {"seat": table.actor, "question": table.question, "agent": spec.text}
    return {**head, **(_judged(table, spec, draws) if judges else _searched(table, spec)), **_about(table)}


def _find_analyst(text: str, table: "Position") -> tuple[Any, bool]:
    """Return the agent that analyses, and whether it evaluates positions.

    Raises:
        ArgumentError: it does neither evaluate nor search.
    """
    from strozzi_sim.agent import check_lineup, load_agent
    from strozzi_sim.play.analyse import find_judge

    try:
        return find_judge(text or JUDGE, table.game, table.players, table.variant), True
    except InputError as error:
        spec = as_argument_error("agent", load_agent, text or SEARCH, table.game)
        as_argument_error("agent", check_lineup, [spec], table.game, table.players)
        if spec.agent.analyse is None:
            raise ArgumentError("agent", f"{error}; a search agent such as {SEARCH} analyses any position") from None
        return spec, False


def _judged(table: "Position", spec: Any, draws: int) -> Answer:
    from strozzi_sim.agent.worth import LEAD, WIN
    from strozzi_sim.play.analyse import judge_choices

    redraws = -(-draws // REPEATS)
    worths = judge_choices(table, spec, redraws, REPEATS)
    best = int(worths[:, :, LEAD].mean(axis=0).argmax())
    lost = worths[:, best : best + 1, LEAD] - worths[:, :, LEAD]  # on the same draws
    order = np.argsort(lost.mean(axis=0), kind="stable")
    names = table.names
    rows = [
        {
            "choice": names[k], "win_share": _estimate(worths[:, k, WIN]), "lead_points": _estimate(worths[:, k, LEAD]),
            "points_lost": _estimate(lost[:, k]), "n": REPEATS * redraws,
        }
        for k in order
    ]  # fmt: skip
    note = (
        f"What {spec.text} expects, the mean of n draws for each choice; points_lost is against {names[best]}, on the same draws. Intervals "
        f"are the noise of the draws, none where nothing is drawn, and leave out the error of {spec.text}: for play itself, ask {SEARCH}."
    )
    return {"choices": rows, "note": note}


def _searched(table: "Position", spec: Any) -> Answer:
    from strozzi_sim.play.position import Position

    values: dict[str, list[float]] = {name: [] for name in table.names}
    visits, meaning = dict.fromkeys(values, 0), ""
    for repeat in range(REPEATS):
        other = table.copy()
        other.rng = Position(table.game, table.players, repeat + 1, table.deal, table.variant).rng  # of the agent alone
        found = other.analyse(spec)
        meaning = found.attrs["value"]
        for row in found.itertuples(index=False):
            visits[row.name] += row.visits
            if row.value == row.value:
                values[row.name].append(row.value)
    total = max(sum(visits.values()), 1)
    rows = [
        {"choice": name, "value": _estimate(np.array(values[name])), "share_of_search": plain(visits[name] / total), "n": visits[name]}
        for name in sorted(values, key=lambda name: -(np.mean(values[name]) if values[name] else -1.0))
    ]  # fmt: skip
    note = f"{REPEATS} independent searches by {spec.text}; n: its simulated games of the choice; value: {meaning}"
    return {"choices": rows, "note": note}


def _estimate(repeats: Any) -> dict[str, float | None]:
    """Return the mean of independent repeats with its 95 % interval; nulls with too few of them."""
    from strozzi_sim.stats.intervals import t_quantile

    if len(repeats) < 2:
        return {"value": None, "low": None, "high": None}
    mean = float(repeats.mean())
    half = float(t_quantile(len(repeats) - 1)) * float(repeats.std(ddof=1)) / len(repeats) ** 0.5
    return {"value": plain(mean), "low": plain(mean - half), "high": plain(mean + half)}


def analyse_game(
    *,
    agent: str = JUDGE,
    redraws: Annotated[int, Meta(ge=2, le=1_000)] = 32,
    top: Annotated[int, Meta(ge=0, le=100)] = 10,
    **place: Any,
) -> Answer:
    """Say of a finished game what each decision cost, how lucky each seat was, and what turned it: of a record or of choices.

    For each seat, start, luck, own errors, rivals' errors and what stays unexplained add up to the result, in points of lead and in
    shares of the win. Only games in which nothing is hidden can be judged.

    Args:
        agent: an agent that evaluates positions
        redraws: draws of chance behind each figure
        top: number of turning points, and of the costliest decisions
        place: the game, by the arguments of the tool position
    """
    from strozzi_sim.cli.analyse import analysis_document
    from strozzi_sim.play.analyse import analyse_game as analyse
    from strozzi_sim.play.analyse import find_judge

    way = find_way(**place)
    table, record = way.table, place["record"]
    if not table.over:
        raise InputError(
            f"the game is not over after {len(way.actions)} decisions; analyse_position judges what is left"
        )
    spec = as_argument_error("agent", find_judge, agent, table.game, table.players, table.variant)
    found = analyse(way.dealt, way.actions, spec, redraws, way.names)
    document = analysis_document(found)
    losses = [
        np.array([each.loss for each in found.decisions if each.seat == seat and each.is_choice])
        for seat in range(table.players)
    ]
    seats = [
        {**row, "error_rate": {**_estimate(losses[row["seat"]]), "n": row["choices"]}} for row in document["seats"]
    ]
    keys = ("decision", "seat", "question", "played", "best", "loss", "win_loss")
    costly = sorted((each for each in document["decisions"] if each["loss"] > 0), key=lambda each: -each["loss"])
    answer: Answer = {
        "agent": found.agent,
        "seats": seats,
        "turning_points": [
            f"decision {turn[1].number}: {found.event_words(*turn)}" for turn in found.turning_points(top)
        ],
        "costliest_decisions": [{key: each[key] for key in keys} for each in costly[:top]],
        "decisions": len(found.decisions),
        "n": redraws,
        "note": f"Every figure is what {found.agent} expects, the mean of n draws, and no measurement of play. An error rate is the mean of "
        "points lost in n decisions that are a choice; level: that of the judge with this rate, low and high.",
        **_about(table),
    }  # fmt: skip
    if record and not place["choices"] and place["decisions"] is None:
        settings = ["--game", place["game_number"], "--agent", agent, "--redraws", redraws, "--top", top]
        answer[COMMAND] = shlex.join(["strozzi", "analyse", record, *map(str, settings)])
    return answer


PLACE = tuple(argument for argument in arguments_of(position) if argument[0] != "as_data")
