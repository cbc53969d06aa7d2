"""A human player's game for the page: its course, undo and lines of play, hints, and that a rival's secret changes no byte of it."""

import json
import random
import threading
from dataclasses import replace

import msgspec
import pytest

from strozzi_sim.agent import load_agent
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.play.position import Position
from strozzi_sim.table.schema import check
from strozzi_sim.web import session as session_module
from strozzi_sim.web.session import Refused, Session, Sitting


def sitting(game="strozzi", players=3, agents="random", seat=1, hint="heuristic", judge=None, variant="base", seed=5):
    the_game = load_game(game)
    spec = load_agent(agents, the_game)
    chosen = resolve_variant(the_game, variant)
    found = None if judge is None else load_agent(judge, the_game)
    return Sitting(the_game, chosen, players, seed, 0, seat, [spec] * players, hint, found)


def settled(session):
    session.wait(600)
    state = session.state()
    assert state["thinking"] is None
    return state


def choose(session, rng):
    """Play a random choice; return the state after the agents have played."""
    state = settled(session)
    asked = state["ask"]
    if asked.get("range"):
        session.play(state["version"], name=str(rng.randint(*asked["range"])))
    elif asked.get("together"):
        session.play(state["version"], name=rng.choice(asked["together"])["name"])
    else:
        session.play(state["version"], action=rng.choice(asked["choices"])["action"])
    return settled(session)


@pytest.mark.slow_for("medici_vs_strozzi")
@pytest.mark.parametrize(("game", "players"), [("strozzi", 3), ("medici_vs_strozzi", 2), ("strasbourg", 3)])
def test_a_whole_game_whose_record_is_the_position_of_its_choices(game, players):
    ended, at_end = threading.Event(), []
    session = Session(sitting(game, players, hint="random"), lambda _, position: (at_end.append(position), ended.set()))
    state, rng, asked = settled(session), random.Random(3), 0
    while state["ask"] is not None:
        check(json.loads(msgspec.json.encode(state)))
        assert state["ask"]["question"]
        state = choose(session, rng)
        asked += 1
    assert asked > 5
    assert ended.wait(10)
    position = session.finished()
    assert position is not None
    view = {key: value for step in state["steps"] for key, value in step["set"].items()}
    assert view["now"] == list(position.scores)
    lines = [json.loads(line) for line in session.record().splitlines()]
    assert Position.from_record(lines) == position
    assert lines[0]["agents"] == ["random", "you", "random"][:players]
    assert state["heading"].startswith(("The ", "You ", "Medici ", "Strozzi "))
    position.deal += 1
    session.set_result(position, {})
    assert session.result is None  # the same actions in another deal
    position.deal -= 1
    session.undo(state["version"])
    assert session.finished() is None
    assert at_end == [position]  # what is judged is not undone
    session.set_result(position, {})
    assert session.result is None  # another ending, or none


def test_a_page_receives_only_the_steps_that_it_lacks():
    session = Session(sitting())
    state = settled(session)
    have, version = len(state["steps"]), state["version"]
    assert state["keep"] == 0
    session.play(version, name="pass")
    settled(session)
    later = session.state(have, version)
    assert later["keep"] == have
    whole = session.state()
    assert whole["steps"] == state["steps"] + later["steps"]
    session.undo(whole["version"])
    back = session.state(len(whole["steps"]), whole["version"])
    assert back["keep"] == have
    assert back["steps"] == []
    assert session.state()["steps"] == state["steps"]


def test_undo_keeps_the_line_of_play_and_returns_to_it():
    session, rng = Session(sitting(hint="flat_mc:playouts=20")), random.Random(1)
    for _ in range(4):
        choose(session, rng)
    before = settled(session)
    session.undo(before["version"])
    undone = settled(session)
    assert len(undone["lines"]) == 1
    assert "tries" in undone["lines"][0]["value"]
    choice = undone["ask"]["choices"][0]
    session.play(undone["version"], action=choice["action"])
    other = settled(session)
    session.line(other["version"], undone["lines"][0]["number"])
    again = settled(session)
    assert [step["said"] for step in again["steps"]] == [step["said"] for step in before["steps"]]
    assert again["ask"] == before["ask"]
    for _ in range(4):
        session.undo(settled(session)["version"])
    assert not settled(session)["can_undo"]
    with pytest.raises(Refused, match="no choice of yours"):
        session.undo(settled(session)["version"])


def test_what_does_not_fit_the_game_is_refused_and_changes_nothing():
    session = Session(sitting())
    state = settled(session)
    version = state["version"]
    actions = ({"action": number} for number in (99, -1, 0, "2", True))
    for wrong in (*actions, {"name": "florence"}, {"name": "x" * 2_000}, {}):
        with pytest.raises(InputError):
            session.play(version, **wrong)
    with pytest.raises(InputError, match="not one of the choices"):
        session.play(version, composed=[[1]])
    with pytest.raises(Refused, match="load the page again"):
        session.play(version - 1, name="pass")
    for number in (7, None, "1", True, [1]):
        with pytest.raises(Refused, match="no such line"):
            session.line(version, number)
    with pytest.raises(Refused, match="when the game is over"):
        session.record()
    assert session.state() == state


def test_a_hint_names_a_choice_in_words():
    for agent, words in (("heuristic", "The usual player would choose "), ("flat_mc:playouts=20", "its tries: ")):
        session = Session(sitting(hint=agent))
        state = settled(session)
        hint = session.hint(state["version"])
        assert hint["name"] in {choice["name"] for choice in state["ask"]["choices"]}
        assert words in hint["words"]
        assert session.state() == state


def test_a_search_thinks_while_the_page_is_answered(monkeypatch):
    monkeypatch.setattr(session_module, "PATIENCE", 0)
    session = Session(sitting(agents="flat_mc:playouts=60000", seat=0, players=3))
    state = settled(session)
    session.play(state["version"], name="pass")
    thinking = session.state()
    assert thinking["thinking"] in (1, 2)
    with pytest.raises(Refused, match="still thinking"):
        session.play(thinking["version"], name="pass")
    session.new()  # is not held up by the thread of the last game
    fresh = settled(session)
    assert fresh["head"]["deal"] == 1
    assert fresh["ask"] is not None


def test_the_hinting_agent_searches_while_the_page_is_answered(monkeypatch):
    session, hinted, waits = Session(sitting(hint="flat_mc:playouts=20")), Session._hinted, []

    def searching(self, position):
        request = threading.Thread(target=self.state, daemon=True)
        request.start()
        request.join(10)
        waits.append(request.is_alive())
        return hinted(self, position)

    monkeypatch.setattr(Session, "_hinted", searching)
    session.hint(settled(session)["version"])
    first, second = (choice["action"] for choice in session.state()["ask"]["choices"][:2])
    session.play(session.state()["version"], action=first)
    session.undo(settled(session)["version"])
    session.play(settled(session)["version"], action=second)
    session.line(settled(session)["version"], 1)
    assert waits == [False] * 3
    assert ["tries" in line["value"] for line in settled(session)["lines"]] == [True]


def test_the_number_of_games_is_bounded(monkeypatch):
    monkeypatch.setattr(session_module, "MAX_GAMES", 2)
    session = Session(sitting())
    session.new()
    with pytest.raises(Refused, match="2 games were begun"):
        session.new()


def test_an_agent_that_fails_is_named_and_the_page_goes_on(tmp_path):
    file = tmp_path / "bots.py"
    file.write_text(
        "from strozzi_sim.agent import python_agent\n\n\n@python_agent(name='wrong', games=('strozzi',))\n"
        "class Wrong:\n    def act(self, view, legal, rng):\n        return 14\n"
    )
    session = Session(sitting(agents=f"{file}::wrong"))
    state = settled(session)
    assert "wrong" in state["fault"]
    assert state["ask"] is None
    with pytest.raises(Refused, match="not your turn"):
        session.hint(state["version"])  # would show what the agent's seat knows
    session = Session(sitting(agents=f"{file}::wrong", seat=0))
    session.play(settled(session)["version"], name="pass")
    session.undo(settled(session)["version"])
    state = settled(session)
    assert state["fault"] == ""
    assert state["ask"] is not None


# -- stacks of Strasbourg


def planning():
    """Return a session in which the player divides at least four cards."""
    session = Session(sitting("strasbourg", 3, hint="random", seat=0))
    for _ in range(40):
        state = settled(session)
        asked = state["ask"]
        if asked.get("together"):
            session.play(state["version"], name=asked["together"][0]["name"])
        elif "compose" in asked["mine"]:
            return session, state
        else:
            session.play(state["version"], name="draw" if len(asked["mine"]["hand"]) < 4 else "stop")
    raise AssertionError("no stacks were divided")


def test_stacks_are_laid_as_they_were_composed():
    session, state = planning()
    cards = state["ask"]["mine"]["compose"]["cards"]
    assert len(cards) == 4
    composed = [cards[1:3], [cards[0], cards[3]]]
    session.play(state["version"], composed=composed)
    laid = settled(session)["steps"]
    stacks = next(step["set"]["stacks"][0] for step in laid if step["type"] == "plan" and step["marks"] == ["stacks:0"])
    assert sorted(map(sorted, stacks)) == sorted(map(sorted, composed))
    session.undo(settled(session)["version"])
    assert settled(session)["ask"]["mine"]["compose"]["cards"] == cards  # one undo takes all of it back


def test_stacks_that_are_not_these_cards_are_refused_and_nothing_is_laid():
    session, state = planning()
    cards = state["ask"]["mine"]["compose"]["cards"]
    for wrong in ([cards, [6]], [cards[:3]], "6", [["6"]], [cards[:2], 3], [[], []], {"a": 1}):
        with pytest.raises(InputError, match="stacks"):
            session.play(state["version"], composed=wrong)
    assert session.state() == state


# -- secrets


def test_another_seats_secret_tasks_change_no_byte_of_the_page():
    """Seat 0 keeps other tasks in two games of one deal; what seat 1 receives is the same."""
    pages = []
    for place in (0, 1):
        session = Session(sitting("strasbourg", 3, hint="random"))
        settled(session)
        position = session._position
        while len(position.actions):
            position.undo()
        position.play(position.legal[place])
        session._play_on()
        pages.append(msgspec.json.encode(settled(session) | {"version": 0}))
        assert len(position.actions) >= 1
    assert pages[0] == pages[1]


@pytest.mark.parametrize(
    ("game", "players", "switch", "keys"),
    [
        ("strasbourg", 3, "hide_money", ("coins", "privileges", "goods")),
        ("medici_vs_strozzi", 2, "hidden_cash", ("cash", "now")),
    ],
)
def test_hidden_money_is_unknown_on_the_page(game, players, switch, keys):
    base = sitting(game, players, hint="random")
    variant = resolve_variant(base.game, {"hidden": {"switches": {switch: True}}})
    session, rng = Session(replace(base, variant=variant)), random.Random(2)
    for _ in range(12):
        view = {key: value for step in choose(session, rng)["steps"] for key, value in step["set"].items()}
        assert not view["over"]
        for key in keys:
            assert {str(view[key][seat]) for seat in range(players) if seat != 1} == {"None"}, key
            assert view[key][1] is not None
