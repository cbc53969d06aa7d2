"""Restricted play: a restricted seat does without, the others do not notice, and what it does is allowed by the rules."""

import random
from collections import Counter
from itertools import product

import pytest

import strasbourg_games
from strozzi_sim.agent import load_agent
from strozzi_sim.conformance import check_game
from strozzi_sim.errors import InputError, RuleViolation
from strozzi_sim.game import load_game
from strozzi_sim.game.restricting import restricted, restrictions
from strozzi_sim.game.variants import from_changes, from_components, resolve_variant
from strozzi_sim.games.strasbourg.geometry import city_of
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match

PLAYERS = {"strozzi": (3, 6), "medici_vs_strozzi": (2,), "strasbourg": (3, 5)}
COMPONENTS = resolve_variant(load_game("strozzi"), "base").components
TILES, SHIPS = ({each["id"]: each for each in COMPONENTS[section]} for section in ("promotion_tiles", "ships"))


def uses(line, name):
    """Whether a line of a record does what the restriction `name` forbids, and who does it."""
    kind, _, what = name.partition(":")
    seat = line.get("player")
    above = int(what.removeprefix("above-")) if what.startswith("above-") else None
    if kind == "price":
        return line["type"] == "price" and line["price"] > above, seat
    if kind == "buy":
        return line["type"] == "answer" and line["buy"], seat
    if kind == "ship":
        return line["type"] == "load" and str(line["ship"]) == what, seat
    return line["type"] == "load" and line["harbor"] == what, seat


def uses_in_strozzi(lines, name):
    """For each line of a record whether it does what the restriction `name` forbids, and who does it."""
    kind, _, what = name.partition(":")
    card, number, display, claimed = "", 0, [], False
    for line in lines:
        deed, seat, used = line["type"], line.get("player"), False
        if deed == "round":
            number = 0
        elif deed == "tiles":
            display = line["display"]
        elif deed == "reveal":
            card, number, claimed = line["ship"], number + 1, False
        elif deed == "claim" and line["flag"] is not None:
            early = kind == "claim" and number < int(what.removeprefix("before-"))
            takes_over = (kind, what) == ("power", "pirate") and claimed
            claimed = True
            used = (
                early
                or takes_over
                or (kind, what) in (("flag", line["flag"]), ("card", card), ("sail", str(SHIPS[card]["sail"])))
            )
        elif deed == "place":
            is_faster = line["speed"] > SHIPS[card]["sail"]
            used = (kind, what) == ("port", line["port"]) or ((kind, what) == ("power", "plus_one") and is_faster)
        elif deed == "take_tile":
            forbidden = {tile for tile in display if what in (TILES[tile]["category"], tile)}
            used = line["tile"] in forbidden != {*display}  # where all are forbidden, one is taken nevertheless
        if "replacement" in line:
            display = [line["replacement"] if tile == line["tile"] else tile for tile in display]
        yield used, seat


def uses_in_strasbourg(lines, name, components):
    """For each line of a record whether it does what the restriction `name` forbids, and who does it."""
    kind, _, what = name.partition(":")
    city, members, step = city_of(components), {}, {}
    for line in lines:
        deed, seat, used = line["type"], line.get("player"), False
        if deed == "step":
            step = line
        elif deed == "bid":
            named = {"step": step["step"], "auction": step["guild"] or ("merchants" if step["step"] in "CEG" else None)}
            used = line["stack"] is not None and named.get(kind) == what
        elif deed == "defer":
            used = kind == "defer"
        elif deed == "plan":
            used = kind == "draw" and len(line["drawn"]) > int(what.removeprefix("above-"))
        elif deed == "keep_tasks":
            used = kind == "task" and (len(line["tasks"]) > 1 if what == "any" else what in line["tasks"])
        elif deed == "act" and line["action"] == "good":
            used = kind == "good" and what in ("any", line["guild"])
        elif deed == "act" and line["action"] == "place":
            cell = tuple(line["space"])
            members[cell] = seat
            used = kind == "space" and what in ("any", city.guilds[cell])
        elif deed in ("chapel", "edifice") and line["site"] is not None:
            site = tuple(line["site"])
            around = city.around(site) if deed == "chapel" else city.beside(site)
            used = kind == deed and (what == "any" or seat in [members.get(cell) for cell in around])
        yield used, seat


def users(game, variant, lines, restriction):
    """How often each seat does what a restriction forbids."""
    if game.name == "strozzi":
        found = uses_in_strozzi(lines, restriction)
    elif game.name == "strasbourg":
        found = uses_in_strasbourg(lines, restriction, variant.components)
    else:
        found = (uses(line, restriction) for line in lines)
    return Counter(seat for used, seat in found if used)


def played(game, variant, players, deal, seed=11):
    chooser = random.Random(f"{seed} {deal} {players}")
    position = Position(game, players, seed=seed, deal=deal, variant=variant)
    while not position.over:
        assert len(position.legal) >= 2
        position.play(position.legal[int(chooser.random() * len(position.legal))])
    return position


def verified(game, variant, position, without=()):
    """The lines of the game, played again in the reference, which knows of powers alone: what a seat may not choose, it did not."""
    lines = position.lines()
    header = {"players": position.players, "components": variant.components, "without": without}
    game.verify.REPLAY.check_game(header, 1, list(enumerate(lines, 2)))
    return lines


def cases():
    """Every restriction; of kinds with many, one at the fewest players, and the others, which are slow, at one count in turn."""
    for name, counts in PLAYERS.items():
        seen = set()
        game = load_game(name)
        for number, restriction in enumerate(restrictions(game, resolve_variant(game, "base"))):
            if restriction.startswith("lot:") or restriction == "power:ware":  # have tests of their own
                continue
            kind, _, what = restriction.partition(":")
            likeness = (kind, what in ("any", "own", "merchants"))
            many = name == "strasbourg" or kind in ("card", "sail", "tile")
            again = many and likeness in seen
            seen.add(likeness)
            for players in (counts[number % len(counts)],) if again else counts[:1] if many else counts:
                asked = restriction.replace("-N", "-3" if kind == "claim" else "-1")
                yield pytest.param(name, players, asked, marks=pytest.mark.slow if again else ())


@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize(("name", "players", "restriction"), list(cases()))
def test_a_restricted_seat_does_without_while_it_can(name, players, restriction):
    game, seat = load_game(name), players - 1
    base = resolve_variant(game, "base")
    limited = restricted(game, base, {seat: [restriction]})
    by, voids = Counter(), 0
    rare = restriction.startswith(("task:T_", "tile:", "card:"))  # a task is dealt to one seat in five
    for deal in range(12 if rare or restriction.endswith(":own") else 6):
        position = played(game, limited, players, deal)
        without = [[restriction] * (each == seat) for each in range(players)]
        by += users(game, limited, verified(game, limited, position, without), restriction)
        voids += int(position.state["voids"][0][seat]) if "voids" in (game.state.names or ()) else 0
    assert by[seat] <= (
        0 if restriction.startswith(("tile:T", "category:")) else voids
    )  # a void restriction leaves it free, and is counted
    assert sum(by.values()) > by[seat] or (rare and players == 3)  # the others go on as they like
    if restriction.partition(":")[0] not in ("port", "category", "task", "tile"):
        assert voids == 0


@pytest.mark.parametrize("second_lap", [False, True])
def test_flags_without_power_are_claims_and_no_more(second_lap):
    game, powers = load_game("strozzi"), ["power:pirate", "power:plus_one", "power:ware"]
    base = from_changes(game, "lap", {"rules": {"second_lap": second_lap}}, "test")
    without = [powers, [], powers[:1], powers[1:]]
    limited = restricted(game, base, dict(enumerate(without)))
    taken_over, refused = Counter(), 0
    for deal in range(20):
        position = played(game, limited, 4, deal)
        lines, holder = verified(game, limited, position, without), None
        for line in lines:
            if line["type"] == "reveal":
                holder = None
            elif line["type"] == "claim" and line["flag"] is not None:
                if holder is not None:
                    taken_over[holder] += 1
                    assert line["player"] in (1, 3), "a pirate with power takes over"
                holder = (line["player"], line["flag"])
        try:
            verified(game, limited, position)
        except RuleViolation:
            refused += 1
    assert taken_over[0, "pirate"] > 0, "a pirate without power may be taken over"
    assert not taken_over[1, "pirate"] + taken_over[3, "pirate"]
    assert refused == 20, "by the rules alone, every game goes another way"


def test_the_card_that_a_restriction_names_may_be_claimed():
    game = load_game("strozzi")
    limited = restricted(game, resolve_variant(game, "base"), {0: ["claim:before-3"]})
    claimed, number = set(), 0
    for deal in range(8):
        for line in verified(game, limited, played(game, limited, 3, deal)):
            number = 0 if line["type"] == "round" else number + 1 if line["type"] == "reveal" else number
            if line["type"] == "claim" and line["player"] == 0 and line["flag"] is not None:
                claimed.add(number)
    assert min(claimed) == 3


def test_small_lots():
    game = load_game("medici_vs_strozzi")
    limited = restricted(game, resolve_variant(game, "base"), {0: ["lot:above-1"]})
    most = Counter()
    for deal in range(6):
        proposer, lot = None, 0
        for line in verified(game, limited, played(game, limited, 2, deal)):
            if line["type"] == "reveal":
                proposer, lot = line["player"], lot + 1
            elif line["type"] == "price":
                most[proposer], lot = max(most[proposer], lot), 0
    assert most[0] == 1 < most[1]


def test_where_nothing_would_be_left_a_restriction_is_void_and_counted():
    game = load_game("strozzi")
    base = resolve_variant(game, "base")
    limited = restricted(game, base, {0: ["port:venice", "port:rome", "port:naples"]})
    position = played(game, limited, 3, deal=0)
    placed = sum(line["type"] == "place" and line["player"] == 0 for line in verified(game, limited, position))
    assert position.state["voids"][0].tolist() == [placed, 0, 0, 0, 0, 0]
    assert placed > 0


def test_a_seat_whose_last_allowed_flag_is_spent_passes_without_being_asked():
    game = load_game("strozzi")
    one = restricted(game, resolve_variant(game, "base"), {0: ["flag:pirate", "flag:plus_one"], 2: ["flag:pirate"]})
    for deal in range(5):
        position = played(game, one, 3, deal, seed=1)  # never asks where one action is left
        lines = [line for line in verified(game, one, position) if line.get("player") == 0]
        placed = [line["flag"] for line in lines if line["type"] == "place"]
        passed = [line for line in lines if line["type"] == "claim" and line["flag"] is None]
        assert placed == ["ware"] * 3  # one a round, then it passes
        assert len(passed) > 3


def changed(**changes):
    game = load_game("strasbourg")
    components = resolve_variant(game, "base").components
    return from_components(game, "changed", components | {k: components[k] | v for k, v in changes.items()}, "changed")


def test_a_task_that_must_be_kept_is_kept():
    """Strasbourg: void is counted for the seat alone that may keep none of its tasks, and others do not learn it."""
    game, base = load_game("strasbourg"), resolve_variant(load_game("strasbourg"), "base")
    every = [name for name in restrictions(game, base) if name.startswith("task:T_")]
    for names, kept in ((every, range(1, 6)), ([*every, "task:any"], [1]), (every[:-3], [1, 2, 3])):
        voids = 0
        for deal in range(8):
            position = played(game, restricted(game, base, {1: names}), 3, deal)
            (line,) = [line for line in position.lines() if line["type"] == "keep_tasks" and line["player"] == 1]
            allowed = {f"task:{task}" for task in line["dealt"]} - set(names)
            assert len(line["tasks"]) in (range(1, 6) if not allowed and "task:any" not in names else kept)
            assert allowed == set() or {f"task:{task}" for task in line["tasks"]} <= allowed
            assert position.state["voids"][0].tolist() == [0, int(not allowed), 0, 0, 0]
            assert [int(position.concealed(seat)["voids"][0][1]) for seat in (0, 1, 2)] == [0, int(not allowed), 0]
            voids += not allowed
        assert voids > 0


def test_who_must_build_builds_beside_own_members_if_there_is_no_other_site():
    corner = {"chapel_sites": [[1, 1]]}
    game, must = load_game("strasbourg"), changed(switches={"building_optional": False}, city=corner)
    assert not {"chapel:any", "edifice:any"} & restrictions(game, must).keys()
    may = changed(city=corner)
    found = Counter()
    for deal in range(30):
        for variant in (must, may):
            limited = restricted(game, variant, {seat: ["chapel:own"] for seat in range(3)})
            position = played(game, limited, 3, deal)
            used = users(game, limited, verified(game, limited, position), "chapel:own")
            assert position.state["voids"][0][:3].tolist() == [used[seat] for seat in range(3)]
            found[variant is must] += used.total()
    assert found[True] > 0 == found[False]


def test_all_seats_without_a_choice_for_a_while():
    """Strasbourg: what has one way only happens by itself, from the deal on."""
    game = load_game("strasbourg")
    variant = changed(tasks_meta={"dealt_per_player": 1, "keep_max": 1})
    assert "task:any" not in restrictions(game, variant)
    bids = [f"step:{step}" for step in "ABCDEF"]
    limited = restricted(game, variant, {seat: ["draw:above-1", *bids, "good:any"] for seat in range(3)})
    position = Position(game, 3, seed=1, variant=limited)
    assert [line["type"] for line in position.lines()][-3:] == ["bid", "bid", "step"]
    lines = verified(game, limited, played(game, limited, 3, 0))
    bid = [line["stack"] for line in lines if line["type"] == "bid"]
    assert all(stack is None for stack in bid[:18])
    assert all(len(line["drawn"]) == 1 for line in lines if line["type"] == "plan")


def test_several_restrictions_of_several_seats():
    """Strasbourg: whatever is forbidden at random, the rules allow what is left, and nobody is asked where one way is left."""
    game, chooser = load_game("strasbourg"), random.Random(5)
    for deal, changes in product(range(6), ("base", "all-flipped")):
        variant = strasbourg_games.variant(changes)
        every = [name.replace("-N", "-2") for name in restrictions(game, variant)]
        forbidden = {seat: chooser.sample(every, 12) for seat in (0, 2)}
        limited = restricted(game, variant, forbidden)
        lines = verified(game, limited, played(game, limited, 3, deal))
        for seat, names in forbidden.items():
            for name in names:
                if not name.startswith(("task:", "chapel:", "edifice:")):
                    assert users(game, limited, lines, name)[seat] == 0, name


@pytest.mark.nightly_for("base")
@pytest.mark.slow
@pytest.mark.parametrize("changes", ["base", "all-flipped"])
def test_what_a_seat_knows_of_a_restricted_game(changes):
    """Strasbourg: what is imagined of rivals keeps to their restrictions; that one was void is no business of others."""
    game = load_game("strasbourg")
    variant = strasbourg_games.variant(changes)
    every = [name for name in restrictions(game, variant) if name.startswith("task:T_")]
    forbidden = {0: ["draw:above-1", "space:baker", "good:smith"], 2: [*every[2:], "chapel:own", "step:B", "defer:any"]}
    found = check_game(game, variant=restricted(game, variant, forbidden), players=[4], deals=2)
    assert found.promises["conceal"] > 500


@pytest.mark.parametrize("name", PLAYERS)
def test_without_a_name_nothing_changes(name):
    game = load_game(name)
    base = resolve_variant(game, "base")
    assert restricted(game, base, {0: []}).rules.tobytes() == base.rules.tobytes()


@pytest.mark.parametrize(
    ("name", "forbidden", "said"),
    [
        ("strozzi", {0: ["flag:pirat"]}, "restriction 'flag:pirat': unknown in strozzi; known: flag:"),
        ("strozzi", {6: ["flag:pirate"]}, "restriction of seat 6: strozzi has the seats 0 to 5"),
        (
            "strozzi",
            {4: ["flag:ware", "flag:pirate", "flag:plus_one"]},
            "restriction flag:plus_one of seat 4: all three flags are forbidden",
        ),
        ("strozzi", {0: ["claim:before-999"]}, "claim:before-999 of seat 0: a round may have only 12 cards"),
        ("medici_vs_strozzi", {0: ["price:above-0"]}, "expected a whole number above 0"),
        ("strasbourg", {0: ["draw:above-0"]}, "restriction 'draw:above-0': expected a whole number above 0"),
        ("strasbourg", {0: ["step:H"]}, "restriction 'step:H': unknown in strasbourg; known: step:"),
        (
            "strasbourg",
            {2: [f"step:{step}" for step in "ABDF"] + ["auction:merchants"]},
            "restriction auction:merchants of seat 2: no step is left in which it may bid",
        ),
        ("medici_vs_strozzi", {1: ["ship:6"]}, "restriction 'ship:6': unknown in medici_vs_strozzi; known: lot:above"),
    ],
)
def test_what_is_unknown_is_refused(name, forbidden, said):
    game = load_game(name)
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        restricted(game, resolve_variant(game, "base"), forbidden)


@pytest.mark.nightly_for("strasbourg-strategist:iterations=4")
@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize(
    ("name", "agent"),
    [("strozzi", "greedy"), ("strozzi", "heuristic"), ("strozzi", "flat_mc:playouts=2"), ("medici_vs_strozzi", "fair-price"),
     ("medici_vs_strozzi", "fixed-price:value=30"), pytest.param("medici_vs_strozzi", "appraiser:playouts=4", marks=pytest.mark.slow),
     ("strasbourg", "heuristic"), ("strasbourg", "tasker"),
     pytest.param("strasbourg", "strategist:iterations=4", marks=pytest.mark.slow),
     pytest.param("strasbourg", "ismcts:iterations=10", marks=pytest.mark.slow)],
)  # fmt: skip
def test_agents_plan_with_their_restrictions(name, agent):
    game = load_game(name)
    base = resolve_variant(game, "base")
    for restriction in restrictions(game, base):
        limited = restricted(game, base, {0: [restriction.replace("-N", "-3")]})
        deals = 1 if "iterations" in agent else 3
        played = Match(game, game.player_counts[0], (load_agent(agent, game),), limited, 1).play(0, deals)
        assert played.games == deals  # an illegal action would be a fault


@pytest.mark.slow
def test_the_evaluator_of_strasbourg_means_nothing_for_a_step_where_it_may_not_bid():
    """It makes no more stacks than there are steps in which it may bid, and passes no more often than it must."""
    game = load_game("strasbourg")
    base, heuristic = resolve_variant(game, "base"), load_agent("heuristic", game)
    for names, steps in (((), 7), (("auction:merchants", "step:A"), 3)):
        stacks, bids, limited = [], 0, restricted(game, base, {0: names})
        for deal in range(3):
            position = Position(game, 3, seed=3, deal=deal, variant=limited)
            while not position.over:
                position.play(position.ask(heuristic))
            mine = [line for line in position.lines() if line.get("player") == 0]
            stacks += [len(line["stacks"]) for line in mine if line["type"] == "plan"]
            bids += sum(line["stack"] is not None for line in mine if line["type"] == "bid")
        assert max(stacks) in (steps - 1, steps)
        assert bids > 0.8 * sum(stacks)
