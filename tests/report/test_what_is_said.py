"""Reports say of each variant what is true of it, and of each line-up and player count what is true there."""

import re
from copy import deepcopy
from dataclasses import replace

import pandas as pd
import pytest

from report_cells import cell, tables_of
from strozzi_sim.declare.figure_tables import agent_names, pick
from strozzi_sim.declare.pages import report_of
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import from_changes, resolve_variant
from strozzi_sim.report.html_tables import page_table
from strozzi_sim.report.outline import Naming
from strozzi_sim.study.games import with_agents
from strozzi_sim.study.look import pictures_of
from strozzi_sim.study.wording import (
    agent_labels,
    lineup_names,
    lineup_words,
    played_by,
    player_name,
    player_sentence,
    player_words,
    players_words,
)

PLAYERS = {"strozzi": 4, "medici_vs_strozzi": 2, "strasbourg": 4}
SLOW = {"strasbourg": pytest.mark.slow}


@pytest.fixture(scope="module", params=[pytest.param(name, marks=SLOW.get(name, ())) for name in PLAYERS])
def game(request):
    return load_game(request.param)


# Variants


def leaves(data, path=()):
    """(path, value) of every number and word in plain data."""
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from leaves(value, (*path, key))
    else:
        yield path, data


def kind_of(path):
    """The path without the places in lists."""
    return tuple("*" if isinstance(key, int) else key for key in path)


def others(value, known):
    """Values that a leaf could have instead."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value + 2, value - 1]
    return [*(each for each in known if each != value), f"{value}x"]


RENAMED = {  # ids that stand in several places
    "strozzi": {"S12": "X12", "T05": "X05"},
    "medici_vs_strozzi": {"cloth": "wool", "H2": "X2", "full": "moored"},
    "strasbourg": {"baker": "miller", "E5": "E7", "T_ROW3": "X_ROW3", "1 1 2 2 . 4 4 . 4": "1 3 2 2 . 4 4 . 4"},
}
FIXED = {  # components that no variant can change alone: constants of the game, totals that follow, numbers that go together
    "strozzi": {"flags.ids", "tracks.cities", "rules.start_order"},
    "medici_vs_strozzi": {"ships", "tiles.total", "gold", "tracks", "marker_steps", "scoring", "money", "price_space.granularity", "rounds"},
    "strasbourg": {"guilds", "influence_cards", "coins", "goods", "privileges", "council.seats", "city", "tasks_meta", "switches.planning"},
}  # fmt: skip


def changed_variant(game):
    """Return a variant in which one of every kind of component is another, and the kinds that are as in the base."""
    base = resolve_variant(game, "base").components
    changes = renamed(base, RENAMED[game.name])
    data = from_changes(game, "changed", changes, "tests changed").components
    kinds = {}
    for path, value in leaves(data):
        kinds.setdefault(kind_of(path), []).append((path, value))
    same = []
    for kind, places in kinds.items():
        if {value for _, value in places} != {value for path, value in leaves(base) if kind_of(path) == kind}:
            continue
        known = list(dict.fromkeys(value for _, value in places if isinstance(value, str)))
        for path, value in places[::-1]:
            if any(try_change(game, data, changes, path, other) for other in others(value, known)):
                break
        else:
            same.append(".".join(key for key in kind if key != "*"))
    return from_changes(game, "changed", changes, "tests changed"), same


def renamed(data, names):
    """Return the data with these words, or parts of maps, replaced everywhere."""
    if isinstance(data, dict):
        return {names.get(key, key): renamed(value, names) for key, value in data.items()}
    if isinstance(data, list):
        return [renamed(value, names) for value in data]
    return names.get(data, data) if isinstance(data, str) else data


def try_change(game, data, changes, path, value):
    """Whether the component can be this; then it is from now on."""
    section, tried = path[0], deepcopy(data[path[0]])
    place = tried
    for key in path[1:-1]:
        place = place[key]
    if len(path) == 1:
        return False
    place[path[-1]] = value
    try:
        variant = from_changes(game, "changed", {**changes, section: tried}, "tests changed")
    except InputError:
        return False
    if variant.components[section] == data[section]:
        return False
    changes[section] = tried
    data.update(variant.components)
    return True


@pytest.fixture(scope="module")
def changed(game):
    return changed_variant(game)


@pytest.fixture(scope="module")
def cells(game, changed):
    """One cell of the base, and one of the variant."""
    return [
        cell(game, PLAYERS[game.name], deals=60, chunks=6, variant=variant)
        for variant in (resolve_variant(game, "base"), changed[0])
    ]


@pytest.fixture(scope="module")
def data(cells):
    """The component data of the variants."""
    return {each.variant: each.components for each in cells}


@pytest.fixture(scope="module")
def tables(game, cells):
    return tables_of(game, cells, report_of(game).pages, {})


@pytest.fixture(scope="module")
def own(tables):
    """The tables of the variant alone."""
    return only(tables, "changed")


def only(tables, variant):
    """Return the rows of a variant."""
    return {name: pick(table, variant=variant).reset_index(drop=True) for name, table in tables.items()}


def lines(game, tables, data):
    """Return the tables of a page, of the changed variant: title -> its lines."""
    naming, found = Naming(game, tables, data), {}
    for picture in [*pictures_of("balance", tables), *report_of(game).pictures(tables)]:
        if picture.kind == "table":
            rows = pick(tables[picture.table], variant="changed")
            table = page_table(picture, rows, naming.of("changed", "random"))
            rows = sorted(table.rows, key=lambda row: row[0]) if table else ()
            found[picture.name] = table and (table.columns, rows, table.left_out)
    return found


def test_every_kind_of_component_is_changed(game, changed):
    """What is not is known, so that a new component must be changed here too."""
    sections = {kind.split(".")[0] for kind in FIXED[game.name]}
    for kind in changed[1]:
        assert kind in FIXED[game.name] or (kind.split(".")[0] in sections & FIXED[game.name]), kind


@pytest.mark.slow_for("medici_vs_strozzi")
def test_tables_of_a_variant_have_its_own_labels(game, tables, own, data):
    assert lines(game, tables, data) == lines(game, own, data)


def test_labels_that_variants_share_are_said_to_vary(game, tables, data):
    every = Naming(game, tables, data).of_all()
    base, own = (report_of(game).words(tables, data[variant]) for variant in ("base", "changed"))
    for raw in base.keys() & own.keys():
        assert every[raw] == own[raw] if own[raw] == base[raw] else every[raw].endswith("varies"), raw
    if game.name == "strozzi":
        assert [raw for raw in base.keys() & own.keys() if base[raw] != own[raw]]
        assert "X12" in own
        assert "S12" not in own


# Cells


def planted(tables, **cell):
    """The same tables of another cell in which the contrary holds: where a figure was large it is small."""
    found = {}
    for name, table in tables.items():
        if table.empty:
            found[name] = table
            continue
        ends = table.groupby("figure")["value"].agg(["min", "max"])
        both = table["figure"].map(ends["min"] + ends["max"])
        flat = table["figure"].map(ends["min"] == ends["max"])
        value = (both - table["value"]).where(~flat, (1.97 * table["value"] + 0.972).clip(upper=0.972))
        value = value.where(table["figure"] != "seat_fairness_p", 1e-9)
        half = (table["high"] - table["low"]) / 2
        found[name] = table.assign(value=value, low=value - half, high=value + half, **cell)
    return found


@pytest.fixture(scope="module")
def sure(tables):
    """The tables of the base, all figures known so well that everything that can be said is."""
    found = only(tables, "base")
    known = {"n": 1_000_000, "deals": 100_000}
    found = {
        name: table.assign(low=table["value"] - 1e-4, high=table["value"] + 1e-4, **known)
        for name, table in found.items()
    }
    balance = found["balance"]
    p = balance["figure"] == "seat_fairness_p"
    return {**found, "balance": balance.assign(value=balance["value"].mask(p, 0.5))}


@pytest.fixture(scope="module")
def together(game, sure):
    """The tables of this cell, and of others in which the contrary holds: another line-up, player count, and variant."""
    others = [{"lineup": "greedy"}, {"players": PLAYERS[game.name] + 1}, {"variant": "changed"}]
    every = [sure, *(planted(sure, **other) for other in others)]
    return {name: pd.concat([each[name] for each in every], ignore_index=True) for name in sure}


def found_in(game, tables, data):
    """The findings without the names of their games: page -> sentence."""
    found = report_of(game).findings(tables, data, 6)
    return {
        page: re.sub(r"^Played by [^:]* players: (.)", lambda first: first[1].upper(), text)
        for page, text in found.items()
    }


SILENT = {
    "ports",  # differ by fewer than two coins
    "positions",  # of one agent
    "city", "monopolies", "tasks",  # too few events for a value
}  # fmt: skip


def test_every_page_has_a_finding_where_all_is_known(game, data, sure):
    assert set(report_of(game).pages) - set(report_of(game).findings(sure, data, 6)) <= SILENT


def test_a_finding_is_of_the_picture_beside_it(game, sure):
    """The title of a section is about the first picture that it shows; `balance` begins with the seats, which are the verdict's."""
    pictures = report_of(game).pictures(sure)
    for page, (picture, _, _) in report_of(game).comparisons(sure).items():
        drawn = [each for each in pictures if each.page == page and each.kind != "table"]
        assert page == "balance" or picture.name in {each.name for each in drawn[:1] or pictures}, page


def test_findings_name_their_games_if_there_are_several_and_hold_there(game, data, sure, together):
    """Whatever is said of the first cell stays as it is where the contrary holds in the others."""
    every = report_of(game).findings(together, data, 6)
    whom = f"Played by random at {PLAYERS[game.name]} players: "
    assert every
    assert [text for text in every.values() if not text.startswith(whom)] == []
    assert found_in(game, together, data) == found_in(game, sure, data)


def test_findings_of_a_variant_use_its_own_data(game, tables, own, data):
    last = {key: pd.concat([own[key], only(tables, "base")[key]], ignore_index=True) for key in tables}
    assert all(" in changed at " in text for text in report_of(game).findings(last, data, 6).values())
    assert found_in(game, last, data) == found_in(game, own, data)


def test_all_is_never_said_to_be_one_of_the_levels(game, sure, data):
    """Tables have rows of all rounds, all steps and so on, which are no round and no step."""
    found = report_of(game).findings(sure, data, 6)
    assert len(found) > 3
    assert [sentence for sentence in found.values() if re.search(r"\ball\b", sentence)] == []


# Agents


def test_agents_are_named_and_copies_numbered():
    lineup = pd.DataFrame(
        {"position": [0, 1, 2, 0], "agent": ["greedy:margin=4", "random", "random", "greedy:margin=4"]}
    )
    assert agent_names(lineup, 3, {}) == ["greedy:margin=4", "first random", "second random"]
    assert agent_names(lineup[:0], 3, {}) == ["the first player", "the second player", "the third player"]


def test_agents_of_no_tier_are_called_by_their_name_and_the_labels_of_their_parameters():
    strozzi, medici, strasbourg = map(load_game, ("strozzi", "medici_vs_strozzi", "strasbourg"))
    assert player_words(strozzi, "learned:level=4") == "the trained player with level 4"
    assert player_words(medici, "fixed-price:value=6,tiles=2") == "fixed-price with tiles shown 2 and price 6"
    assert player_words(medici, "fixed-price:value=6,tiles=2", bare=True) == "fixed-price with 2 other settings"
    kept = "the usual player with chance to keep a task 0.5"
    assert player_words(strasbourg, "heuristic:keep_blindly=0.5") == kept
    assert players_words(strasbourg, "heuristic", "heuristic:keep_blindly=0.5") == f"usual players and {kept}"
    assert lineup_words(strasbourg, "heuristic:keep_blindly=0.5,random,random") == (
        f"one {kept.removeprefix('the ')} among random moves"
    )
    trained = "learned:redraws=4,plan=goods,bonus="  # closer to the trained tier than to the agent's default
    assert player_words(strasbourg, f"{trained}1") == "the trained player with bonus 1 and goods"
    many = [trained + str(bonus) for bonus in range(1, 6)]
    assert played_by(strasbourg, many) == "played by the trained player at 5 settings"
    assert played_by(strozzi, ["/home/ann/bots.py::careful:margin=3"]) == "played by careful"
    same = ["/home/ann/bots.py::careful", "/home/bob/bots.py::careful", "greedy"]
    assert agent_labels(strozzi, same) == {same[0]: same[0], same[1]: same[1], "greedy": "greedy"}
    assert player_sentence(strozzi, "/home/ann/bots.py::careful") == ""


def test_players_of_tiers_have_names():
    strozzi, strasbourg = load_game("strozzi"), load_game("strasbourg")
    for game in (strozzi, strasbourg):
        assert [player_name(game, agent) for agent in game.tiers.values()] == ["weak", "usual", "trained", "strong"]
    assert player_name(replace(strozzi, tiers={"weak": "random"}), "random") == "random moves"
    assert player_words(strozzi, "learned") == "the trained player"
    assert players_words(strozzi, "greedy,heuristic", "random", "learned") == (
        "usual and trained players, greedy and random moves"
    )
    assert lineup_words(strozzi, "learned,heuristic,heuristic") == "one trained player among usual players"
    assert lineup_words(strozzi, "greedy,racer,racer") == "one greedy among copies of racer"
    assert lineup_words(strozzi, "heuristic,random") == "usual players and random moves"
    names = lineup_names(strozzi, ["heuristic", "greedy", "heuristic,random,random"])
    assert list(names.values()) == ["usual", "greedy", "one usual player among random moves"]
    many = [f"greedy:margin={margin}" for margin in range(5)]
    assert played_by(strozzi, ["heuristic", *many]) == "played by usual players and greedy at 5 settings"
    others = ["greedy", "racer", "eager", "trader", "picky"]
    assert played_by(strozzi, ["heuristic", *others]) == "played by usual players, greedy, racer, eager and 2 more"


def test_copies_of_a_player_are_numbered_by_its_name():
    lineup = pd.DataFrame({"position": [0, 1, 2], "agent": ["learned", "heuristic", "heuristic"]})
    names = load_game("strozzi").player_names
    assert agent_names(lineup, 3, names) == ["trained", "first usual", "second usual"]


def test_agents_that_differ_in_their_parameters_alone_are_not_confused():
    agents = ["heuristic:keep_plus_one=2", "heuristic:keep_plus_one=3", "heuristic"]
    keys = {"players": 3, "variant": "base", "lineup": ",".join(agents)}
    named = with_agents(pd.DataFrame({"position": range(3), "agent": agents}).assign(**keys), load_game("strozzi"))[
        "who"
    ]
    changed = [f"the usual player with keep plus one {worth}" for worth in (2, 3)]
    assert [name.replace("\n", " ") for name in named] == [*changed, "usual"]
    assert max(len(line) for name in named for line in name.split("\n")) <= 24
