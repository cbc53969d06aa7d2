"""How often each thing of each game is used and how often its users win, beside a recount of kept rows."""

from string import ascii_lowercase

import pandas as pd
import pytest

from strozzi_sim.game import load_game
from strozzi_sim.game.restricting import things
from strozzi_sim.game.variants import resolve_variant
from study_examples import played

GAME, ROUND = ["deal", "seating", "seat"], ["deal", "seating", "seat", "round"]


class Recount:
    """Shares of use and of wins, counted from kept rows with pandas.

    Args:
        game: name of the game.
        players: number of players.
        agent: agent that plays itself.
        deals: number of deals.
        facts: fact tables to keep.
    """

    def __init__(self, game, players, agent, deals, facts):
        keys = {"game": game, "players": [players], "deals": deals, "lineups": [[agent]], "worth": ["*"], "seed": 4}
        found = played({**keys, "facts": facts, "report": {"pages": ["balance"]}})
        self.rows = {name: found.facts(name) for name in facts}
        self.components = resolve_variant(load_game(game), "base").components
        self.table = found.tables["worth"].pivot_table(
            index="thing", columns="figure", values=["value", "n"], sort=False
        )
        self.things = list(dict.fromkeys(found.tables["worth"]["thing"]))
        self.checked = set()

    def check(self, thing, occasions, used, win=None):
        """Compare a thing with its occasions, of which those with True in `used` are uses."""
        used = used.astype(bool).to_numpy()
        wins = (occasions["win"] if win is None else win).to_numpy()[used]
        line = self.table.loc[thing]
        assert line["n"]["popularity"] == len(occasions), thing
        if len(occasions) >= 30:  # fewer have no value
            assert line["value"]["popularity"] == pytest.approx(used.mean()), thing
        if len(wins) >= 30:  # fewer have no value
            assert line["value"]["naive_win_share"] == pytest.approx(wins.mean()), thing
        self.checked.add(thing)

    def any_of(self, whole, rows, key):
        """Return whether each of the rows `whole` has a row with its key among `rows`."""
        return whole.set_index(key).index.isin(rows.set_index(key).index).view("u1")

    def check_keyed(self, thing, whole, rows, key):
        self.check(thing, whole, pd.Series(self.any_of(whole, rows, key)))


@pytest.mark.slow
def test_things_of_strozzi():
    strozzi = Recount("strozzi", 4, "heuristic", 50, ["ship", "round", "seat", "tile"])
    ships, rounds, seats, tiles = (strozzi.rows[name] for name in ("ship", "round", "seat", "tile"))
    for kind, column, words in (("flag", "flag", "flags"), ("power", "flag", "flags"), ("port", "port", "ports")):
        for what in ships[column].unique():
            strozzi.check(
                f"{kind}:{what}", rounds, rounds[words].astype(str).str.split(">").map(lambda own, w=what: w in own)
            )
    cards = len(strozzi.components["ships"]) - strozzi.components["setup"]["cards_removed"]["4"]
    for number in (2, 3):
        early = ships[cards - ships["cards_left"] < number]
        strozzi.check_keyed(f"claim:before-{number}", rounds, early, ROUND)
    for card in (each["id"] for each in strozzi.components["ships"]):
        strozzi.check_keyed(f"card:{card}", rounds, ships[ships["card"] == card], ROUND)
    for sail in {each["sail"] for each in strozzi.components["ships"]}:
        strozzi.check(f"sail:{sail}", ships, ships["sail"] == sail)
    for tile in strozzi.components["promotion_tiles"]:
        strozzi.check_keyed(f"tile:{tile['id']}", seats, tiles[tiles["tile"] == tile["id"]], GAME)
    for category in {each["category"] for each in strozzi.components["promotion_tiles"]}:
        strozzi.check_keyed(f"category:{category}", seats, tiles[tiles["category"] == category], GAME)
    assert strozzi.checked == set(strozzi.things)


@pytest.mark.slow
def test_things_of_medici():
    found = Recount("medici_vs_strozzi", 2, "fair-price", 60, ["lot", "ship", "round", "seat", "tile"])
    lots, ships, rounds, tiles = (found.rows[name] for name in ("lot", "ship", "round", "tile"))
    win = found.rows["seat"].set_index(GAME)["win"]

    def wins_of(rows, seats):
        return win.loc[pd.MultiIndex.from_arrays([rows["deal"], rows["seating"], seats])]

    shown = wins_of(lots, lots["proposer"].astype(str))
    for number in (1, 2):
        found.check(f"lot:above-{number}", lots, lots["tiles"] > number, shown)
    for coins in (5, 10, 20, 30):
        found.check(f"price:above-{coins}", lots, lots["price"] > coins, shown)
    offers = lots[lots["asked"]]
    rival = offers["proposer"].astype(str).map({"Medici": "Strozzi", "Strozzi": "Medici"})
    found.check("buy:any", offers, offers["bought"], wins_of(offers, rival))
    for size in found.components["ships"]["capacities"]:
        own = ships[ships["ship"] == size]
        found.check(f"ship:{size}", own, own["tiles"] > 0)
    for harbor in (each["id"] for each in found.components["harbor"]):
        found.check_keyed(f"harbor:{harbor}", rounds, tiles[tiles["harbor"] == harbor], ROUND)
    assert found.checked == set(found.things)


@pytest.mark.nightly
@pytest.mark.parametrize("deals", [10, 40])
def test_things_of_strasbourg(deals):
    facts = ["bid", "act", "placement", "round", "seat", "task", "chapel", "edifice"]
    found = Recount("strasbourg", 4, "heuristic", deals, facts)
    bids, acts, members, rounds, seats, tasks, _, _ = (found.rows[name] for name in facts)
    for step in "ABCDEFG":
        found.check_keyed(f"step:{step}", rounds, bids[bids["step"] == step], ROUND)
    merchants = pd.concat([rounds.assign(step=step) for step in "CEG"])
    found.check_keyed("auction:merchants", merchants, bids, [*ROUND, "step"])
    found.check("defer:any", rounds, rounds["waited"] > 0)
    for number in (1, 3, 5):
        found.check(f"draw:above-{number}", rounds, rounds["drawn"] > number)
    steps = acts[["deal", "seating", "round", "step", "guild"]].drop_duplicates().query("guild != 'none'")
    assert (steps.groupby(["deal", "seating"]).size() == 3 * len(found.components["round_cards"])).all()
    turns = acts[acts["guild"] != "none"]
    placed = turns.merge(members, on=[*ROUND, "rank", "guild"], how="left", suffixes=("", "_of_member"))
    assert len(placed) == len(turns)  # a guild comes up once on a card
    found.check("space:any", placed, placed["space"].notna())
    found.check("good:any", turns, turns["good"])
    for guild in found.components["guilds"]["order"]:
        own = steps[steps["guild"] == guild].merge(seats[[*GAME, "win"]], on=["deal", "seating"])
        found.check_keyed(f"auction:{guild}", own, bids, [*ROUND, "step"])
        mine = (placed["guild"] == guild).to_numpy()
        found.check(f"space:{guild}", placed[mine], placed[mine]["space"].notna())
        found.check(f"good:{guild}", turns[mine], turns[mine]["good"])
    found.check("task:any", seats, seats["kept"] > found.components["tasks_meta"]["keep_min"])
    for task in (each["id"] for each in found.components["tasks"]):
        own = tasks[tasks["task"] == task]
        found.check(f"task:{task}", own, own["kept"])
    for what, spaces_of in (("chapel", _around_corner), ("edifice", _around_site)):
        built = found.rows[what]
        own = [
            site != "none" and bool(set(spaces_of(site)) & _spaces_of(members, *key))
            for site, *key in zip(built["site"].astype(str), *(built[name] for name in ROUND), strict=True)
        ]
        found.check(f"{what}:own", built, pd.Series(own))
        if f"{what}:any" in found.things:
            found.check(f"{what}:any", built, built["site"] != "none")
    assert found.checked == set(found.things)


def _spaces_of(members, deal, seating, seat, round_):
    """Return the spaces of a seat's members at the end of a round."""
    own = members[(members["deal"] == deal) & (members["seating"] == seating) & (members["seat"] == seat)]
    return set(own[own["round"] <= round_]["space"])


def _around_corner(name):
    """Return the four spaces at a corner, such as a1b2."""
    return [column + row for column in (name[0], name[2]) for row in (name[1], name[3])]


def _around_site(name):
    """Return the spaces beside a space, not diagonally."""
    column, row = ascii_lowercase.index(name[0]), int(name[1])
    return [
        f"{ascii_lowercase[c]}{r}"
        for c, r in ((column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1))
    ]


@pytest.mark.parametrize("name", ["strozzi", "medici_vs_strozzi", "strasbourg"])
def test_every_thing_says_what_its_uses_are_counted_of(name):
    game = load_game(name)
    known = things(game, resolve_variant(game, "base"))
    assert known
    assert all(thing.use.of.words for thing in known.values())
