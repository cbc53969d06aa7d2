"""Facts of Strasbourg recounted in plain Python from the lines of records."""

import string
from collections import Counter

import pytest

from kits import SEED
from recount import assert_recounted
from strasbourg_games import CHANGES, KIT, STRASBOURG, VARIANTS, variant
from strozzi_sim.agent import load_agent
from strozzi_sim.conformance.checked import Checked, GameCheck
from strozzi_sim.conformance.declared import check_core_matches_journal, check_facts
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.simulation.match import Match

pytestmark = pytest.mark.slow

STEPS = "ABCDEFG"
OF_ROUND = ("drawn", "influence", "stacks", "used", "bid", "waited")
OF_ACT = (
    "seat",
    "rank",
    "round",
    "bid",
    "good",
    "good_sold",
    "good_coins",
    "placed",
    "price",
    "sold",
    "coins",
    "declined",
)


def name(cell):
    return "none" if cell is None else f"{string.ascii_lowercase[cell[0] - 1]}{cell[1]}"


def told(lines, add):
    """Tell the rows of one record, from its lines."""
    header, *events = lines
    data, players = header["components"], header["players"]
    end = events[-1]
    win = [(seat in end["winners"]) / len(end["winners"]) for seat in range(players)]
    letters = data["guilds"]["letters"]
    guild_of = {
        (column, row): letters.get(letter)
        for row, line in enumerate(data["city"]["guild_map"], 1)
        for column, letter in enumerate(line.split(), 1)
    }
    council, before = {"nobility": 0, "church": 1}, {}
    goods = {}  # (seat, guild) -> turns that took one and have not sold it
    turns, members, edifices, chapels, kept = [], [], [], [], {}

    def close_step():
        """What the bids of the step came to."""
        nonlocal bids
        ranked = sorted(bids, key=lambda bid: (-sum(bid["stack"]), bid["lap"]))
        k = min(players - 1, 3) if step in "BDF" else 2 if step == "A" else 1
        for rank, bid in enumerate(ranked, 1):
            total, cards, seat = sum(bid["stack"]), len(bid["stack"]), bid["player"]
            add(
                "bid", seat=seat, round=round_, step=step, rank=rank, lap=bid["lap"], sum=total, cards=cards, acts=rank <= k,
                won=rank == 1, waited=bid["waited"], returned=bid["returned"], win=win[seat],
            )  # fmt: skip
            if rank <= k:
                did = [act for act in acts if act["player"] == seat]
                turn = Counter(bid=total, rank=rank, round=round_, seat=seat)
                turns.append((guild or "none", turn))
                for act in did:
                    kind = act["action"]
                    if kind == "seat":
                        council[act["seat"]] = seat
                    elif kind == "good":
                        turn["good"] += 1
                        goods.setdefault((seat, guild), []).append(turn)
                    elif kind == "place":
                        turn["placed"] += 1
                        turn["price"] += act["price"]
                        members.append((tuple(act["space"]), seat, rank, round_, act["price"]))
                    elif kind == "sell":
                        turn["coins"] += act["coins"]
                        for what, number in act["goods"].items():
                            turn["sold"] += number
                            for _ in range(number):
                                oldest = goods[seat, what].pop(0)
                                oldest["good_sold"], oldest["good_coins"] = 1, data["goods"]["value"][what]
                    else:
                        turn["declined"] += 1
        bids = []

    bids, step = [], ""
    for line in events:
        kind, seat = line["type"], line.get("player")
        if step and kind in ("step", "council") and step in STEPS:
            close_step()
        if kind == "keep_tasks":
            kept[seat] = line
        elif kind == "round":
            round_, first = line["round"], line["start_player"]
            of_round = {who: Counter() for who in range(players)}
        elif kind == "plan":
            of_round[seat] |= Counter(
                drawn=len(line["drawn"]), influence=sum(line["drawn"]), stacks=len(line["stacks"])
            )
        elif kind == "step":
            step, starting, guild, acts, waited = line["step"], line["start_player"], line["guild"], [], Counter()
        elif kind == "defer":
            waited[seat] += 1
            of_round[seat]["waited"] += 1
        elif kind == "bid" and line["stack"]:
            of_round[seat] += Counter(used=1, bid=sum(line["stack"]))
            bids.append({**line, "lap": (seat - starting) % players, "waited": waited[seat] > 0, "returned": 0})
        elif kind == "act":
            acts.append(line)
        elif kind == "return_card":
            next(bid for bid in bids if bid["player"] == seat)["returned"] = line["card"]
        elif kind == "chapel":
            chapels.append((line["site"], seat))
        elif kind == "edifice":
            edifices.append((line["edifice"], line["site"], round_, seat))
        elif kind == "council":
            for who, own in of_round.items():
                counted = {what: own[what] for what in OF_ROUND}
                add("round", seat=who, round=round_, starts=who == first, privilege=line["privileges"][who], **counted)
            for chair, who in council.items():
                points = data["council"]["prestige_per_member_each_council_phase"]
                add("council", chair=chair, seat=who, round=round_, changed=before.get(chair) != who, points=points)
            before = dict(council)
            coins = line["coins"]
    points = {edifice["id"]: edifice["points"] for edifice in data["edifices"]}
    chapel_points = data["chapels"]["points_per_adjacent_family_member"]
    for (column, row), seat, rank, number, price in members:
        touched = sum(column - site[0] in (0, 1) and row - site[1] in (0, 1) for site, _ in chapels if site)
        by_chapels = touched * chapel_points
        beside = [edifice for edifice, site, *_ in edifices if site and abs(column - site[0]) + abs(row - site[1]) == 1]
        by_edifices = sum(points[edifice] for edifice in beside)
        worth = 1 + by_chapels + by_edifices
        add(
            "placement", space=name((column, row)), guild=guild_of[column, row], seat=seat, rank=rank, round=number, price=price,
            chapels=by_chapels, edifices=by_edifices, points=worth, win=win[seat],
        )  # fmt: skip
    for edifice, site, number, seat in edifices:
        beside = [who for (c, r), who, *_ in members if site and abs(c - site[0]) + abs(r - site[1]) == 1]
        paid = {"points": points[edifice] * len(beside), "own_points": points[edifice] * beside.count(seat)}
        built = site is not None
        add("edifice", edifice=edifice, site=name(site), round=number, built=built, members=len(beside), **paid)
    for site, seat in chapels:
        beside = [who for (c, r), who, *_ in members if site and c - site[0] in (0, 1) and r - site[1] in (0, 1)]
        corner = name(site) + name([site[0] + 1, site[1] + 1]) if site else "none"
        paid = {"points": chapel_points * len(beside), "own_points": chapel_points * beside.count(seat)}
        add("chapel", site=corner, seat=seat, built=site is not None, members=len(beside), **paid)
    for guild, turn in turns:
        add("act", guild=guild, **{what: turn[what] for what in OF_ACT})
    worth_of = {task["id"]: task["points"] for task in data["tasks"]}
    penalty = data["tasks_meta"]["penalty_unfulfilled"]
    for seat, line in kept.items():
        for task in line["dealt"]:
            done, mine = task in end["fulfilled"][seat], task in line["tasks"]
            gained = worth_of[task] if done else -penalty if mine else 0
            add(
                "task",
                seat=seat,
                task=task,
                kept=mine,
                fulfilled=done,
                points=gained,
                lost=penalty * (mine and not done),
            )
        own = {"total": end["total"][seat], "tasks": end["tasks"][seat], "coins": coins[seat]}
        add("seat", seat=seat, kept=len(line["tasks"]), **own)
    best = sorted(end["total"])[::-1]
    add("game", tie=best[0] == best[1], shared=len(end["winners"]) > 1)


@pytest.mark.slow_for("random")
@pytest.mark.slow_for("3-base-random")
@pytest.mark.parametrize(
    ("players", "which", "agent"),
    [
        (3, "base", "random"), (5, "base", "random"), (3, "few-cards", "random"), (5, "poor", "random"),
        (3, "two-values", "random"), (5, "two-values", "random"), (3, "base", "heuristic"), (4, "small-city", "heuristic"),
    ],
)  # fmt: skip
def test_facts_recounted_from_records(players, which, agent):
    assert_recounted(told, "strasbourg", players, agent, 12, variant=which, changes=CHANGES.get(which))


@pytest.mark.parametrize(("players", "which"), [(3, "base"), (5, "other-tasks")])
def test_what_is_counted_twice_agrees_when_players_know_what_they_do(players, which):
    match = Match(STRASBOURG, players, (load_agent("heuristic", STRASBOURG),), variant(which), 17, "one")
    plan = match.plan([crosstab for _, *pair in STRASBOURG.facts.AGREEMENTS for crosstab in pair])
    counts = match.play(0, 60, plan=plan).counts[None]
    for what, *pair in STRASBOURG.facts.AGREEMENTS:
        one, other = (
            int(plan.read(crosstab, counts).reshape(-1, 1 + len(crosstab.sums))[:, 1:].sum()) for crosstab in pair
        )
        assert one == other != 0, what


@pytest.mark.parametrize("which", VARIANTS)
def test_facts_keep_their_promise_in_every_variant(which):
    """Random play of the kit draws many cards, so that decks run out and cards come back."""
    chosen = variant(which)
    for deal, players in enumerate((3, 5)):
        table = KIT.position(chosen, players, deal)
        actions = KIT.script(table, f"facts {which}")
        for action in actions:
            table.play(action)
        here = Checked(STRASBOURG, chosen, players, SEED, deal, GameCheck(), None, actions)
        check_core_matches_journal(here, table)
        check_facts(here)
        assert here.result.promises["facts"] > 100


def test_what_was_done_is_told_of_tasks_that_were_not_kept_too():
    match = Match(STRASBOURG, 4, (load_agent("random"),), variant("base"), 17, "one")
    crosstab = Crosstab("task", ("task", "kept"), ("done", "fulfilled"))
    plan = match.plan([crosstab])
    counts = plan.read(crosstab, match.play(0, 4000, plan=plan).counts[None])[0]
    names = plan.levels("task", "task").names
    (unkept, by_chance, none), (kept, done, fulfilled) = counts[names.index("T_LORD")]
    assert done == fulfilled
    assert none == 0
    assert kept > unkept  # of the 31 choices 16 keep a certain task
    assert by_chance / unkept == pytest.approx(done / kept, abs=0.05)  # seats are won at random
