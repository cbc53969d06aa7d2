"""The text of docs/findings.md: of each game what a designer asks, in the words of the table; the figures behind it are in detail.py."""

from collections.abc import Iterator

import fairer
import powers
import runs
import strategies
from detail import course, length, who_plays
from reading import GAMES, USUAL, command, worth_lines
from reconstructed import agreeing

from strozzi_sim.declare.printing import format_row
from strozzi_sim.game import load_game
from strozzi_sim.game.restricting import noun_of
from strozzi_sim.game.sentences import listed, with_capital
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.study.restricted import SCORE_LOST_BY, WORTH
from strozzi_sim.study.seats import seat_verdict
from strozzi_sim.study.verdict import score_unit

_DEAREST = 6  # things whose worth is said
_PAGE = "[in detail](findings-in-detail.md{})"


def page() -> str:
    """Return the page."""
    parts = list(_beginning())
    for game, title in GAMES.items():
        parts += ["", f"## {title}", ""]
        for question, answer in _answers(game):
            parts += [f"**{question}** {answer}", ""]
            if question == powers.QUESTION:
                parts += [*powers.table(), ""]
    return "\n".join([*parts[:-1], ""])


def _beginning() -> Iterator[str]:
    yield "# What the games teach"
    yield ""
    yield (
        "What a designer asks of each game, answered by the command that stands behind the answer. Ranges in brackets hold in 95 of 100 cases. All tables, "
        f"other player counts and what is easily misread are {_PAGE.format('')}."
    )
    yield ""
    yield (
        "Computer players play, not people: **weak** ones err on purpose, **usual** ones follow rules of thumb, **trained** ones value positions by what "
        f"millions of games taught them, **strong** ones also look ahead. What each wins among usual ones is {_PAGE.format('#what-the-games-teach-in-detail')}. "
        f"The ship cards of Strozzi, the tracks of Medici vs Strozzi, and Strasbourg's city and points of tasks are reconstructed; {runs.boxes.COUNT} other "
        "boxes that fit the known facts were played, too."
    )
    yield from ("", "![Games won by each seat more than an equal share](images/findings-seats.png)")


def _answers(game: str) -> Iterator[tuple[str, str]]:
    """Yield the questions on a game and their answers."""
    run = f"{game}-balance"
    seats = seat_verdict({name: runs.read(run, name) for name in ("balance", "seats")}, load_game(game))
    yield "Is it fair?", f"{' '.join(seats.lines)} {command(run)}"
    yield "What would make it fair?", " ".join(_changes(game))
    if game == powers.GAME:
        yield powers.QUESTION, powers.answer()
    yield "What else is worth having?" if game == powers.GAME else "What is worth having?", _worth(game)
    if plans := list(_plans(game)):
        yield "Does a plan win?", " ".join(plans)
    yield "How long is it, and how much is luck?", _luck(game)
    if alarms := list(runs.read(f"{game}-alarms", "alarms", ("text",))["text"]):
        yield (
            "What goes wrong in the box, with usual players?",
            f"{' '.join(map(_sentence, alarms))} {command(f'{game}-alarms')}",
        )
    yield "What depends on reconstructed data?", agreeing(game)


def _sentence(text: str) -> str:
    return with_capital(text if text.endswith(".") else f"{text}.")


def _changes(game: str) -> Iterator[str]:
    """Yield the smallest change that makes the game fair for each player who was asked, and the numbers that matter."""
    for run, (name, *_) in runs.FAIRER.items():
        if name == game:
            yield f"{with_capital(fairer.players_of(run))}: {fairer.smallest_change(run)} {command(run)}"


def _worth(game: str) -> str:
    """Return what is lost without the things worth most, apart from those that have an answer of their own."""
    _, here = worth_lines(game)
    the_game = load_game(game)
    box = resolve_variant(the_game, "base")
    own = powers.THINGS if game == powers.GAME else ()
    dear = [line for line in here if line["verdict"] == WORTH and line["thing"] not in own][:_DEAREST]
    parts = [
        f"{noun_of(the_game, box, line['thing'])} ({format_row(line['score_lost'], SCORE_LOST_BY)})" for line in dear
    ]
    unit = score_unit(the_game)
    lost = f"What a usual player who must do without loses at {USUAL[game]} players, in {unit} a game: {listed(parts)}."
    return f"{lost} {command(f'{game}-worth')}"


def _plans(game: str) -> Iterator[str]:
    """Yield whether a plan beats players who have none, at each strength that was asked."""
    for run, (name, *_) in runs.PLANNED.items():
        if name == game:
            verdict = strategies.verdict_on_plans(run)
            yield f"{verdict.answer} {verdict.subject} {command(run)}"


def _luck(game: str) -> str:
    """Return how long a game is, how it goes, and how much of who wins is who plays."""
    run, players = f"{game}-luck", USUAL[game]
    fields = who_plays(runs.read(f"{game}-fields", "luck"), GAMES[game], game)
    goes = f"{length(runs.read(run, 'luck'), players, game)} {course(runs.read(run, 'drama'), players)}"
    return f"{goes} {command(run)} {fields} {command(f'{game}-fields')}"
