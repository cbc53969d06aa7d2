"""What holds for the rules, records, views and agents of every game, by its kit; what is one game's own is in its folder."""

import copy
import dataclasses
import json
from collections.abc import Iterator

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from every_kit import KITS
from machine_code import decide
from our_games import OUR_GAMES
from paths import TESTS
from spoiled_records import broken_line, named_line, of_other_types, with_another, words_of
from strozzi_sim.agent import load_agent, registry
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.errors import InputError
from strozzi_sim.game.variants import from_changes, from_components
from strozzi_sim.kernel.streams import RANDOM
from strozzi_sim.play.leak_check import check_leaks
from strozzi_sim.play.records import check_header, record_game, verify_record, write_record

SLOW = pytest.mark.slow


def cases(*more):
    """(kit, ...) for every game; `more` are functions of a kit that give values, or values with marks."""
    found = [[kit] for kit in KITS.values()]
    for values in more:
        found = [[*case, value] for case in found for value in values(case[0])]
    marks = [[mark for value in case if hasattr(value, "marks") for mark in value.marks] for case in found]
    plain = [[value.values[0] if hasattr(value, "marks") else value for value in case] for case in found]
    names = ["-".join(getattr(getattr(v, "game", None), "name", str(v)) for v in case) for case in plain]
    return [pytest.param(*case, marks=mark, id=name) for case, mark, name in zip(plain, marks, names, strict=True)]


def every_count(kit):
    return kit.game.player_counts


def ends_of(kit):
    """The fewest and the most players."""
    return kit.game.player_counts[0], kit.game.player_counts[-1]


def slow_between(kit):
    """Every number of players; those between the fewest and the most are slow."""
    return [n if n in ends_of(kit) else pytest.param(n, marks=SLOW) for n in kit.game.player_counts]


USUAL = "base", "all-flipped"


def every_variant(kit):
    """All of them; those that are neither base nor all-flipped are slow."""
    return [name if name in USUAL else pytest.param(name, marks=SLOW) for name in kit.variants]


def nightly_but_base(names):
    """All of them; nightly are those that are not base, and slow is all-flipped."""
    marks = {"base": (), "all-flipped": SLOW}
    return [pytest.param(name, marks=marks.get(name, pytest.mark.nightly)) for name in names]


def test_every_game_has_a_kit():
    assert sorted(KITS) == OUR_GAMES
    for kit in KITS.values():
        assert set(USUAL) <= set(kit.variants)
        assert len(cases(every_agent)) > 4 * len(KITS)
        assert len({kit.variant(name).rules.tobytes() for name in kit.variants}) == len(kit.variants)


# -- the core beside the reference -----------------------------------------------------------------------------------


def plain(value):
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return [plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def assert_same(kit, table, reference, replay, whole=True):
    assert table.over == reference.over, replay
    pairs = [] if table.over else [*kit.question(table, reference)]
    for what, mine, theirs in [*pairs, *(kit.standing(table, reference) if whole or table.over else [])]:
        assert plain(mine) == plain(theirs), f"{what}: {replay}"


def assert_same_games(kit, name, players, first, last):
    for deal in range(first, last):
        replay = f"{kit.game.name}, variant {name}, {players} players, deal {deal}"
        decisions = 0
        for table, reference in kit.side_by_side(kit.variant(name), players, deal):
            assert_same(kit, table, reference, f"{replay}, decision {decisions}", whole=deal < 15)
            decisions += 1
        assert table.lines() == reference.events, replay
        assert decisions > 20


@pytest.mark.parametrize(("kit", "name", "players"), cases(every_variant, slow_between))
def test_every_decision_is_the_same(kit, name, players):
    assert_same_games(kit, name, players, 0, kit.deals[0])


def in_turn():
    """Every variant with every number of players; nightly are all but base and all-flipped at both ends."""
    for case in cases(every_variant, every_count):
        kit, name, players = case.values
        usual = name in USUAL and players in ends_of(kit)
        yield pytest.param(*case.values, marks=() if usual else pytest.mark.nightly, id=case.id)


@pytest.mark.slow
@pytest.mark.parametrize(("kit", "name", "players"), list(in_turn()))
def test_every_decision_of_many_games_is_the_same(kit, name, players):
    assert_same_games(kit, name, players, kit.deals[0], kit.deals[2 if name == "base" else 1])


@pytest.mark.parametrize(("kit", "players"), cases(every_count))
def test_the_start_player_is_an_argument(kit, players):
    for table, reference in kit.side_by_side(kit.variant("base"), players, 0, start_player=players - 1):
        assert_same(kit, table, reference, f"start player {players - 1}")
    first = next(line for line in table.lines() if line["type"] == "round")
    assert first == {"type": "round", "round": 1, "start_player": players - 1}


def readable(reference):
    """All that can be read of it, copied; not how far it has come through lists that were given."""
    parts = {
        name: part for name, part in vars(reference).items() if name != "question" and not isinstance(part, Iterator)
    }
    return copy.deepcopy(parts), reference.legal


def is_offered(option, legal):
    kinds = {int} if isinstance(legal, range) else {type(each) for each in legal}
    return type(option) in kinds and option in legal  # in this order: a range of all prices is long


@pytest.mark.parametrize("kit", cases())
def test_an_illegal_option_is_refused_and_changes_nothing(kit):
    """Options of other decisions, and what is none at all."""
    base, players = kit.variant("base"), kit.game.player_counts[0]
    known = {repr(kit.option(action, table)): kit.option(action, table)
             for table in kit.positions(base, players, 1) if not table.over for action in table.legal[:40]}  # fmt: skip
    for _, reference in kit.side_by_side(base, players, 1):
        before = readable(reference)
        for option in (*known.values(), None, "", -1, 0.5, "H9"):
            if not is_offered(option, reference.legal):
                with pytest.raises(ValueError, match=r"not legal|not a price"):
                    reference.play(option)
        assert readable(reference) == before


def walk(kit, table, reference_after, options, depth):
    """Compare every position within `depth` decisions; returns how many there are at the end of them."""
    reference = reference_after(table, options)
    assert_same(kit, table, reference, f"{table.variant.name}, after {options}")
    if depth == 0 or table.over:
        return 1
    leaves = 0
    for action in table.legal:
        branch = table.copy()
        branch.play(action)
        leaves += walk(kit, branch, reference_after, [*options, kit.option(action, table)], depth - 1)
    return leaves


def assert_same_tree(kit, table, before, depth):
    """Walk the tree below a position, which is `before` (options) from the start of its deal; the core counts as much."""

    def reference_after(branch, options):
        reference = kit.beside(branch, [])
        for option in [*before, *options]:
            reference.play(option)
        return reference

    known = table.state.tobytes(), table.chance.tobytes()
    counted = kernels(kit.game).count(table.state, table.variant.rules, table.chance, depth)
    assert counted == walk(kit, table, reference_after, [], depth)
    assert (table.state.tobytes(), table.chance.tobytes()) == known
    return counted


@pytest.mark.parametrize(("kit", "name"), cases(lambda kit: nightly_but_base(kit.variants)))
def test_the_first_decisions_all_ways(kit, name):
    for deal, players in enumerate(kit.game.player_counts, 1):
        assert assert_same_tree(kit, kit.position(kit.narrow(name), players, deal), [], 3) > 4


@pytest.mark.parametrize(("kit", "name"), cases(lambda kit: nightly_but_base(kit.variants)))
def test_the_last_decisions_all_ways(kit, name):
    """To the last coin, promotion tiles, ties and all."""
    counted = 0
    for deal, players in enumerate(kit.game.player_counts * 2):
        table, options = kit.position(kit.narrow(name), players, deal), []
        for action in kit.script(table, f"{name} {players} {deal}")[:-3]:
            options.append(kit.option(action, table))
            table.play(action)
        counted += assert_same_tree(kit, table, options, 4)
    assert counted > 12


@pytest.mark.slow
@pytest.mark.parametrize(("kit", "switch"), cases(lambda kit: nightly_but_base(kit.switches)))
def test_every_course_of_a_tiny_game(kit, switch):
    chosen = from_changes(kit.game, "tiny", {**kit.tiny, **kit.switches[switch]}, "tests tiny")
    table, options = kit.position(chosen, kit.game.player_counts[0], 0), []
    for _ in range(kit.opening):
        options.append(kit.option(table.legal[0], table))
        table.play(table.legal[0])
    assert assert_same_tree(kit, table, options, 99) > 1_000


# -- records and chance ----------------------------------------------------------------------------------------------


def golden(kit, players, name):
    """(file, lines) of a golden record; made anew by this module when `behaviour` is raised."""
    folder = TESTS / "games" / kit.game.name / "golden"
    match = kit.match("random", variant=name, players=players, seed=2008, seatings="rotate")
    several = len(kit.game.player_counts) > 1
    return folder / f"random-{players if several else name}.jsonl", [record_game(match, 0, 0)]


@pytest.mark.parametrize(("kit", "case"), cases(lambda kit: kit.golden))
def test_the_same_seed_gives_the_same_game(kit, case, tmp_path):
    """To the byte, for as long as `behaviour` stays the same."""
    file, games = golden(kit, *case)
    write_record(tmp_path / "now.jsonl", games)
    (now, *lines), (then, *known) = ((tmp_path / "now.jsonl").read_text().splitlines(), file.read_text().splitlines())
    header, older = json.loads(now), json.loads(then)
    played = from_components(kit.game, "base", older["components"], "")  # a switch may be younger than the file
    older["components"] = played.components
    assert (header, lines) == (older, known)
    assert older["behaviour"] == kit.game.behaviour
    assert verify_record(file) == 1


def shown(kit, *, agents=("random",), seating=0, name="base", seed=5, deal=3, players=0):
    """What chance brought in one game, by source."""
    match = kit.match(*agents, variant=name, players=players, seed=seed, seatings="rotate")
    return kit.chance(record_game(match, deal, seating)[1:])


@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize(("kit", "name"), cases(lambda kit: kit.paired))
def test_lineup_seating_and_variant_are_not_in_the_random_streams(kit, name):
    """What pairs comparisons: chance brings the same in the same order whoever plays, wherever, under what."""
    first, two = shown(kit), (kit.game.default_agent, "random")
    for agents, seating in ((two, 0), (two, 1), (two[:1], 0)):
        for other in (shown(kit, agents=agents, seating=seating, name=each) for each in ("base", name)):
            for one, another in zip(first, other, strict=True):
                count = min(len(one), len(another))
                assert one[:count] == another[:count]
                assert count >= 4


@pytest.mark.parametrize("kit", cases())
def test_other_deals_seeds_and_counts_are_other_games(kit):
    games = [{"seed": 1, "deal": 0}, {"seed": 1, "deal": 1}, {"seed": 2, "deal": 0}]
    games += [{"seed": 1, "deal": 0, "players": players} for players in kit.game.player_counts[:-1]]
    for sources in zip(*(shown(kit, **each) for each in games), strict=False):  # there may be some for each seat
        assert len({tuple(source[:8]) for source in sources}) == len(games)
    assert len({tuple(source[:8]) for source in shown(kit)}) == len(shown(kit))  # each in an order of its own
    assert len({tuple(map(tuple, shown(kit, deal=deal))) for deal in range(50)}) == 50


# -- spoiled records: the check names the very line ------------------------------------------------------------------


def recorded(kit, name):
    """(check, header, numbered lines) of one game."""
    lines = record_game(kit.match("random", variant=name, players=kit.game.player_counts[0]), 1, 0)
    return kit.game.verify.REPLAY, lines[0], list(enumerate(lines[1:], 2))


def may_be_another_choice(kit, event, changed):
    """Whether a changed line differs in nothing but what the seat chose."""
    differing = [key for key in event if repr(changed.get(key)) != repr(event[key])]
    if differing == ["type"]:
        return (event["type"], changed.get("type")) in kit.choices
    return set(event) == set(changed) and all((event["type"], key) in kit.choices for key in differing)


@pytest.mark.slow
@pytest.mark.nightly_for("strasbourg-all-flipped", "strozzi-all-flipped")
@pytest.mark.parametrize(("kit", "name"), cases(lambda kit: USUAL))
def test_the_check_is_strict_about_types_and_keys(kit, name):
    check, header, numbered = recorded(kit, name)
    assert named_line(check, header, numbered) is None
    for position, (line, event) in enumerate(numbered):
        if position > 60 and position % 5 and line < numbered[-1][0] - 3:
            continue  # enough is enough
        kinds = {"teleport", None, 3, *(later["type"] for _, later in numbered)} - {event["type"]}
        for changed in [*of_other_types(event), *({**event, "type": kind} for kind in kinds)]:
            named = broken_line(check, header, numbered, position, changed)
            if may_be_another_choice(kit, event, changed):
                assert named is None or named >= line, changed
            else:
                assert named == line, changed
        assert broken_line(check, header, numbered, position, {**event, "remark": 7, "ships2": []}) is None


@pytest.mark.slow
@pytest.mark.parametrize(("kit", "name"), cases(lambda kit: USUAL))
def test_the_check_names_the_line_of_another_number_word_or_truth(kit, name):
    """Another choice, or other chance, may be as good, or break a later line; what is no word of the game never is."""
    check, header, numbered = recorded(kit, name)
    known = sorted(words_of([event for _, event in numbered]))
    for position, (line, event) in enumerate(numbered):
        if position > 60 and position % 5 and line < numbered[-1][0] - 3:
            continue  # enough is enough

        def others(leaf, words=(*known[position % 5 :: 5], "S99")):
            found = {int: lambda: (leaf + 1, leaf - 1), str: lambda: words, bool: lambda: (not leaf,)}
            return [other for other in found.get(type(leaf), tuple)() if other != leaf]

        for key in set(event) - {"type"}:
            for value in with_another(event[key], others):
                changed = {**event, key: value}
                named = broken_line(check, header, numbered, position, changed)
                if (event["type"], key) in kit.free and "S99" not in words_of([value]):
                    assert named is None or named >= line, changed
                else:
                    assert named == line, changed


@pytest.mark.slow_for("all-flipped")
@pytest.mark.slow_for("medici_vs_strozzi-base", "strasbourg-base")
@pytest.mark.parametrize(("kit", "name"), cases(lambda kit: USUAL))
def test_the_check_misses_lines_and_notices_doubled_ones(kit, name):
    check, header, numbered = recorded(kit, name)
    last = numbered[-1][0]
    for position, (line, event) in enumerate(numbered):
        neighbours = {later["type"] for _, later in numbered[max(position - 1, 0) : position + 2 : 2]}
        named = named_line(check, header, numbered[:position] + numbered[position + 1 :])
        if event["type"] in kit.joining & neighbours:
            assert named > line
        else:
            assert named == (line + 1 if line < last else last - 1)
        assert named_line(check, header, numbered[:position]) == line - 1  # stops early
        doubled = [*numbered[: position + 1], (1000 + line, event), *numbered[position + 1 :]]
        assert named_line(check, header, doubled) == 1000 + line
    for more in ({"type": "remark"}, numbered[0][1], {"type": "round", "round": 4, "start_player": 1}):
        assert named_line(check, header, [*numbered, (last + 1, more)]) == last + 1


@pytest.mark.parametrize("kit", cases())
def test_replay_stops_at_every_decision(kit):
    """And at the end; the lines between the stops are all lines."""
    base, players = kit.variant("base"), kit.game.player_counts[-1]
    asked = [(reference.actor, len(reference.events)) for _, reference in kit.side_by_side(base, players, 1)]
    (table,) = (table for table in kit.positions(base, players, 2) if table.over and table.deal == 1)
    numbered, stops, told = list(enumerate(table.lines(), 2)), [], []
    for reference, new in kit.game.verify.REPLAY.replay_game(
        {"players": players, "components": base.components}, 1, numbered
    ):
        told += new
        stops.append((reference.actor, len(told)))
    assert stops == asked
    assert told == table.lines()


@pytest.mark.parametrize("kit", cases())
def test_a_header_needs_every_section(kit):
    _, header, _ = recorded(kit, "base")
    check_header(header, "line 1")
    assert set(kit.game.components_part.VARIABLE) <= set(header["components"])
    for key in header["components"]:
        less = {other: value for other, value in header["components"].items() if other != key}
        with pytest.raises(InputError, match=rf"line 1: components.*{key}"):
            check_header({**header, "components": less}, "line 1")


# -- component data --------------------------------------------------------------------------------------------------


@SLOW
@pytest.mark.parametrize("kit", cases())
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_legal_variant_plays_to_an_end_that_the_rules_confirm(kit, data):
    chosen = from_changes(kit.game, "drawn", data.draw(kit.changes), "drawn")
    players, deal = data.draw(st.sampled_from(kit.game.player_counts)), data.draw(st.integers(0, 1000))
    lines = record_game(kit.match("random", variant=chosen, players=players), deal, 0)
    kit.game.verify.REPLAY.check_game(lines[0], 1, list(enumerate(lines[1:], 2)))
    assert lines[-1]["type"] == "score_end"
    rounds = kit.game.components_part.rounds(chosen.components)
    assert [line["round"] for line in lines if line["type"] == "round"] == list(range(1, rounds + 1))


def assert_survives(kit, chosen):
    header = msgspec.json.decode(msgspec.json.encode(chosen.components))
    again = from_components(kit.game, "again", header, "header")
    assert again.components == chosen.components
    assert again.rules.tobytes() == chosen.rules.tobytes()


@pytest.mark.parametrize("kit", cases())
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_plain_components_make_the_same_variant(kit, data):
    assert_survives(kit, from_changes(kit.game, "drawn", data.draw(kit.changes), "drawn"))


@pytest.mark.parametrize(("kit", "name"), cases(every_variant))
def test_every_variant_survives_json(kit, name):
    assert_survives(kit, kit.variant(name))


# -- what a seat knows -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kit", "name"), cases(lambda kit: every_variant(kit) if kit.unordered else ()))
def test_arbitrary_order_is_in_no_seats_knowledge(kit, name):
    """Nor what was in a place that is not used."""
    moved = 0
    for table in kit.positions(kit.variant(name), kit.game.player_counts[0], 1):
        other = table.copy()
        for field, counted in kit.unordered.items():
            left = int(table.state[counted][0])
            other.state[field][0, :left] = table.state[field][0, :left][::-1]
            other.state[field][0, left:] = 7
        moved += other.state.tobytes() != table.state.tobytes()
        for seat in range(table.players):
            assert other.concealed(seat).tobytes() == table.concealed(seat).tobytes()
    assert moved > 20


def every_open_variant(kit):
    return [name for name in kit.variants if not kit.variant(name).hidden]


@pytest.mark.parametrize(("kit", "name"), cases(every_open_variant))
def test_nothing_is_unknown_where_nothing_is_hidden(kit, name):
    chosen = kit.variant(name)
    for table in kit.positions(chosen, kit.game.player_counts[-1], 1):
        known = table.concealed(1)
        before = known.tobytes()
        kernels(kit.game).determinize(known, chosen.rules, 1, np.zeros(1, RANDOM))
        assert known.tobytes() == before


@pytest.mark.parametrize("kit", cases())
def test_a_view_cannot_be_changed(kit):
    view = kit.position(kit.variant("base"), kit.game.player_counts[0], 0).view(0)
    for field in dataclasses.fields(view):
        with pytest.raises(AttributeError):
            setattr(view, field.name, None)


@pytest.mark.parametrize(("kit", "name"), cases(every_variant))
def test_every_event_has_its_words(kit, name):
    names, chosen = ["ann", "bob", "cid", "dot", "eve", "fay"][: kit.game.max_players], kit.variant(name)
    for table in (table for table in kit.positions(chosen, kit.game.player_counts[-1], 2) if table.over):
        for line in [*table.lines(), *table.lines(viewer=0)]:
            words = kit.game.events.EVENTS.describe(line, names, chosen.components)
            assert words.endswith(".") or "\n  " in words, words  # a sentence, or columns by seat
            assert "{" not in words, words
        assert any("ann" in kit.game.events.EVENTS.describe(line, names, chosen.components) for line in table.lines())


# -- agents ----------------------------------------------------------------------------------------------------------

BUDGETS = {
    "appraiser": ("playouts=20,lots=1", "playouts=20,lots=1,utility=win"), "flat_mc": ("playouts=1", "playouts=1,utility=win"),
    "ismcts": ("iterations=30",), "mo_ismcts": ("iterations=30",), "strategist": ("iterations=6",),
}  # fmt: skip


def every_agent(kit):
    """All that come with the package and play the game, searches with small budgets."""
    for name in registry.agents(kit.game):
        spec = load_agent(name, kit.game)
        if spec.builtin and not spec.missing and spec.agent.plays(kit.game, kit.game.player_counts[-1]):
            yield from [f"{name}:{budget}" for budget in BUDGETS[name]] if name in BUDGETS else [name]


def searches(kit, agent):
    return load_agent(agent, kit.game).searches


def slow_but_standard(kit):
    """Every agent; those that are not the game's standard one are slow, and that of Strasbourg too, which takes 10 s to compile."""
    quick = kit.game.default_agent if kit.game.name != "strasbourg" else ""
    return [agent if agent == quick else pytest.param(agent, marks=SLOW) for agent in every_agent(kit)]


# Its code is that of all games; in Strasbourg, for which it takes long to compile, the other searches play too.
flat_mc_is_nightly = pytest.mark.nightly_for(*(f"strasbourg-flat_mc:{budget}" for budget in BUDGETS["flat_mc"]))


@flat_mc_is_nightly
@pytest.mark.nightly_for("strasbourg-strategist:iterations=6", "strasbourg-learned")
@pytest.mark.slow_for("learned")
@pytest.mark.parametrize(("kit", "agent"), cases(slow_but_standard))
def test_every_agent_plays_every_variant(kit, agent):
    deals = 1 if searches(kit, agent) else 3
    for players in kit.game.player_counts:
        for name in kit.variants:  # an illegal action would be a fault
            assert kit.match(agent, "random", variant=name, players=players).play(0, deals).games == deals


@pytest.mark.slow_for("learned")
@pytest.mark.nightly_for("strasbourg-strategist:iterations=6")
@flat_mc_is_nightly
@pytest.mark.parametrize(("kit", "agent"), cases(slow_but_standard))
def test_results_depend_on_the_deal_alone(kit, agent):
    played, deals = kit.match(agent, kit.game.default_agent), 2 if searches(kit, agent) else 10
    whole, again, second_half = (played.play(first, 2 * deals, rows=True).rows for first in (0, 0, deals))
    assert whole.tobytes() == again.tobytes()
    assert whole[len(whole) // 2 :].tobytes() == second_half.tobytes()  # nothing is left of earlier games


@flat_mc_is_nightly
@pytest.mark.parametrize(("kit", "agent"), cases(slow_but_standard))
def test_agents_leave_the_state_and_the_rules_alone_and_need_no_memory_of_the_game(kit, agent):
    spec = load_agent(agent, kit.game)
    compiled = compile_agent(spec, kit.game)
    for deal, name in enumerate(("base", "all-flipped", kit.variants[-2])):
        table = kit.position(kit.variant(name), kit.game.player_counts[deal % len(kit.game.player_counts)], deal)
        memories, rng = np.zeros(table.players, compiled.memory), np.zeros(1, RANDOM)
        while not table.over:
            before = table.state.tobytes(), table.variant.rules.tobytes(), compiled.params.tobytes()
            stands = rng.copy()
            action = decide(compiled, table, memories[table.actor : table.actor + 1], rng)
            assert before == (table.state.tobytes(), table.variant.rules.tobytes(), compiled.params.tobytes())
            assert action in table.legal
            # the same random numbers and a fresh memory: a search hands out such in the midst of a game. What draws random numbers
            # may carry out without them what it decided before.
            if not spec.agent.stochastic or rng.tobytes() != stands.tobytes():
                assert action == decide(compiled, table, np.zeros(1, compiled.memory), stands)
            table.play(action)


@flat_mc_is_nightly
@pytest.mark.parametrize(("kit", "agent"), cases(slow_but_standard))
def test_every_agent_is_fair(kit, agent):
    """All-flipped hides what can be hidden."""
    counts = sorted({kit.game.player_counts[0], kit.game.player_counts[-1]})
    for name in ("base", "all-flipped"):
        found = check_leaks(load_agent(agent, kit.game), kit.game, kit.variant(name), players=counts, deals=1)
        assert found.leak is None, found.leak
        assert found.decisions > 20


if __name__ == "__main__":
    for each in KITS.values():
        for case in each.golden:
            write_record(*golden(each, *case))
