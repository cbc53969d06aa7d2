"""The forms of the desk: the box of a game, with all its numbers, switches and blocks, and the questions about it.

Each question is a command, and its form is made from the declaration of the command's function. The function adds plain
words, the fields that stand first, and the size of a quick look; most other options are under *More*.
"""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

from strozzi_sim.agent import load_agent
from strozzi_sim.cli.parser import REQUIRED, Argument, Declared, arguments_of, command_named, parsed
from strozzi_sim.declare.pages import report_of
from strozzi_sim.errors import ArgumentError, InputError, check_names, short_repr
from strozzi_sim.facts.blocks import Block, Ratio
from strozzi_sim.facts.figures import DECISIONS, SCORE
from strozzi_sim.game import Game, default_players, find_game
from strozzi_sim.game.component_names import changes_in_words, name_of_key
from strozzi_sim.game.converting import types_at
from strozzi_sim.game.restricting import things
from strozzi_sim.game.sentences import listed, seat_words, with_capital
from strozzi_sim.game.variants import BASE, Variant, component_data, resolve_variant, shipped_variants, with_settings
from strozzi_sim.runtime.parsing import toml_value
from strozzi_sim.study.box_numbers import box_number, numbers, tunable_numbers
from strozzi_sim.study.cells import SEAT_GAP
from strozzi_sim.study.kinds import KINDS
from strozzi_sim.study.kinds.balance import TIERS
from strozzi_sim.study.wording import lineup_words, player_sentence, player_words, players_words

Json = dict[str, Any]
_SILENT = ("provenance", "provenance_note", "id")  # keys without a field: a designer does not change them
_NUMBER = {"kind": "number"}
_INPUTS = {bool: "switch", int: "number", float: "number", list: "list"}  # of a value by its type
# Most deals of a quick look at these questions, which plays as many as the strip has; a sweep: of each value.
MOST_SEEN = {"balance": 100_000, "compare": 100_000, "sweep": 20_000}
SHEETS = "sheets.csv"  # file of final scores in the folder of an answer
# Arguments that the desk sets itself, or that a form leaves out unless they are in `front`.
_OWN = {"game", "source", "settings", "variant", "study", "first", "second", "opponents", "precision"}
_OWN |= {"workers", "folder", "file", "code", "rows", "facts", "facts_share", "every"}


@cache
def questions() -> dict[str, Declared]:
    """Return the commands that are questions of the desk, by name."""
    commands = {kind.command: command_named(kind.command) for kind in KINDS}
    return {name: command for name, command in commands.items() if command.offer.asks}


def fields_of(question: Declared) -> dict[str, Argument]:
    """Return the arguments in the form of a question, by name; those in front come first."""
    known = question.by_name
    front = [name for name in question.offer.front if name in known]
    return {name: known[name] for name in [*front, *known] if name in front or name not in _OWN}


def precisions_of(question: Declared) -> dict[str, dict[str, int]]:
    """Return the arguments of each precision: a quick look, the usual one and, if play can stop, until it is sure."""
    sure = {"sure": {"precision": 1}} if "precision" in question.by_name else {}
    return {"quick": dict(question.offer.quick), "usual": {}, **sure}


class Asked(msgspec.Struct, kw_only=True):
    """A question about a box, a variant with `settings` (KEY=VALUE), and the form's `values` by argument."""

    game: str = ""
    variant: str = BASE
    settings: list[str] = []
    question: str = ""
    values: dict[str, str | bool] = {}
    precision: str = "usual"
    seen: int = 0  # deals that the strip has played of this box, with these players or some of them


def changes_of_box(asked: Asked) -> str:
    """Return what the settings of a question change in its variant, as text; "" for nothing."""
    game = find_game(asked.game)
    before, after = (with_settings(game, asked.variant, settings) for settings in ([], asked.settings))
    return listed([words for _, words in changes_in_words(game, before.components, after.components)])


def forms() -> list[dict[str, Any]]:
    """Return the questions with the arguments in their forms, in the order of the page."""
    asked = []
    for name, each in questions().items():
        form: Json = {"name": name, "fields": [*fields_of(each).values()], "precisions": precisions_of(each)}
        form["seen"] = MOST_SEEN.get(name, 0)
        offer = {key: getattr(each.offer, key) for key in ("asks", "about", "front", "needs_change", "plays", "usual")}
        asked.append(form | offer)
    # a type becomes its name, and REQUIRED becomes ""
    return list(msgspec.to_builtins(asked, enc_hook=lambda other: getattr(other, "__name__", "")))


def words_for(asked: Asked, folder: Path = Path()) -> list[str]:
    """Return a question's command line without `strozzi`; `folder` is that of its answer. Raises InputError."""
    check_names("question", [asked.question], questions())
    question = questions()[asked.question]
    offer, precisions = question.offer, precisions_of(question)
    check_names("field", asked.values, fields_of(question))
    check_names("precision", [asked.precision], precisions)
    if offer.needs_change and not asked.settings:
        raise InputError("change something in the box first: this question compares it with the box before")
    given: dict[str, Any] = {"settings": asked.settings, **precisions[asked.precision]}
    is_of_all = (asked.values.get("agents") or offer.usual.get("agents")) == TIERS  # of whom some are slow
    if asked.precision == "quick" and not is_of_all:  # it may not know less than the strip
        given["deals"] = max(given["deals"], min(asked.seen, MOST_SEEN.get(asked.question, 0)))
    given |= {name: value for name, value in asked.values.items() if value}
    if asked.variant != BASE:
        given["first" if offer.needs_change else "variant"] = asked.variant
    if "file" in offer.front:
        if "file" not in given:
            raise InputError("write the final scores of your games first, a line a game")
        given["file"] = str(folder / SHEETS)
    words = [asked.question, find_game(asked.game).name]
    for name, each in question.by_name.items():
        if each.default is REQUIRED and name in fields_of(question) and name not in given:
            raise InputError(f"{offer.front.get(name, name)}: fill in this field first")
        value = given.get(name, [])
        texts = value if isinstance(value, list) else str(value).split() if name == "things" else [str(value)]
        for text in texts:
            words += _words_of(each, text)
    return words


def _words_of(argument: Argument, text: str) -> list[str]:
    """Return an argument's words of a command line, of which only the first can be read as an option."""
    if text == "--" or (text.startswith("-") and not argument.is_option):
        raise ArgumentError(argument.name, f"must not begin with -, got {short_repr(text)}")
    if not argument.is_option:
        return [text]
    if argument.type is bool:
        return [argument.label]
    return [f"{argument.label}={text}"] if text.startswith("-") else [argument.label, text]


def command_of(words: Sequence[str]) -> str:
    """Return the text of a command line, quoted for a shell."""
    return shlex.join(["strozzi", *words])


def python_of(words: Sequence[str]) -> str:
    """Return Python code that gives the results of a command line and their page. Raises InputError.

    >>> print(python_of(["balance", "strozzi", "--players", "4", "--agents", "random", "--deals", "100"]))
    import strozzi_sim as ss
    <BLANKLINE>
    results = ss.simulate("strozzi", players="4", agents="random", deals=100)
    results.report("report.html")
    """
    command, options = command_named(words[0]), parsed(words[0], words[1:])
    given = arguments_of(words[0], options)

    def shown(value: Any) -> str:
        if isinstance(value, Variant):  # with changed keys
            pairs = [setting.partition("=") for setting in options["settings"]]
            changed = {key: toml_value(text) for key, _, text in pairs}
            return f"ss.Variant.of({shown(words[1])}, {shown(value.origin)}, {changed})"
        if isinstance(value, list):
            return f"[{', '.join(map(shown, value))}]"
        return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)

    named = [(f"{each.name}=" if each.is_option else "", each.name) for each in command.arguments if each.name in given]
    called = ", ".join(key + shown(given[name]) for key, name in named)
    function = command.function.__name__
    return f'import strozzi_sim as ss\n\nresults = ss.{function}({called})\nresults.report("report.html")'


def box_of(game: str | Game, variant: str = BASE, settings: Sequence[str] = ()) -> Json:
    """Return the box of a variant with changed keys, KEY=VALUE, and the names that questions about it can use.

    A group of the box has fields, or a table of blocks; groups and blocks name the source of their data.
    """
    game = find_game(game)
    unchanged, changed = resolve_variant(game, variant), with_settings(game, variant, settings)
    data = component_data(game)
    kind = inspect.type_info(game.components_part.Components)
    groups = []
    for section in game.components_part.VARIABLE:
        boxed, now, before = data.get(section, {}), changed.components[section], unchanged.components[section]
        label = with_capital(name_of_key(game, section).label)
        group = {
            "name": section,
            "label": label,
            **_source(boxed if isinstance(boxed, Mapping) else data.get(f"{section}_meta", {})),
        }
        if isinstance(now, list) and now and isinstance(now[0], Mapping) and "id" in now[0]:
            groups.append(group | _blocks(game, kind, section, now, before, boxed))
        else:
            groups.append(group | {"fields": list(_fields(game, kind, (section,), now, before))})
    shipped = {name: each.get("about", "") for name, each in shipped_variants(game).items()}
    columns = sorted({column.name for table in game.fact_tables for column in table.columns})
    box: Json = {
        "game": game.name,
        "groups": groups,
        "variant": variant,
        "settings": list(settings),
        "warnings": list(changed.warnings),
    }
    box |= {"variants": {BASE: "the published game", **shipped}, "players": list(game.player_counts)}
    named = [(name, thing.noun or thing.words) for name, thing in things(game, unchanged).items()]
    box |= {"columns": columns, "things": named}
    box |= {"aims": aims_of(game), "tunable": tunable_of(game, changed), "sweeps": sweeps_of(game, unchanged, changed)}
    agents = [
        (name, agent, player_sentence(game, agent), players_words(game, agent))
        for agent, name in game.player_names.items()
    ]
    return box | {"agents": agents, "usual": game.default_agent, "opponent": player_words(game, opponent_of(game))}


@cache
def aims_of(game: Game) -> list[Json]:
    """Return the figures that a target can be about, with the first number and tolerance of a row; see `study.targets`.

    Agents that search are left out: their games take too long for a search of boxes.
    """
    share = {"unit": "of 100 games", "tolerance": 1}
    aims: list[Json] = [{"text": "gap", "label": SEAT_GAP.label, "relation": "<=", "number": 5, "unit": "points"}]
    players = default_players(game)
    for who in [seat_words(seat, players) for seat in range(players)]:
        aims.append({"text": f"{who} wins", "label": f"games won by {who}", "number": round(100 / players), **share})
    tiers = [spec for spec in game.tiers.values() if not load_agent(spec, game).searches]
    for weak, strong in pairwise(tiers):
        who = lineup_words(game, f"{weak},{strong},{strong}")
        aims.append({"text": f"{weak} among {strong} wins", "label": f"games won by {who}", **share})
    counted = {
        ratio.name: ratio.figure.measure
        for block in report_of(game).pages["balance"].blocks
        if isinstance(block, Block) and not block.axes
        for ratio in block.figures
        if isinstance(ratio, Ratio)
    }
    counted |= {figure.name: figure.measure for figure in (SCORE, DECISIONS)}
    labels = {SCORE.name: SCORE.label, DECISIONS.name: DECISIONS.label} | report_of(game).described("balance")
    aims += [
        {"text": name, "label": label} | (share if counted[name].factor > 1 else {})
        for name, label in labels.items()
        if name in counted
    ]
    return [{"relation": "=", "number": "", "unit": "", "tolerance": 1, **each} for each in aims]


def tunable_of(game: Game, variant: Variant) -> list[Json]:
    """Return the numbers of a box that a designer may tune, by group: the pattern of a key, and a label.

    A number that every block of a group has is one entry: GROUP.*.NAME.
    """
    groups: dict[str, dict[str, str]] = {}
    for number in tunable_numbers(game, variant):
        section, *rest = number.key.split(".")
        blocks = variant.components[section]
        if isinstance(blocks, list) and blocks and isinstance(blocks[0], Mapping):
            rest[0] = "*"
        label = name_of_key(game, ".".join([section, *rest]).replace("*", "\N{HORIZONTAL ELLIPSIS}")).label
        groups.setdefault(section, {})[".".join([section, *rest])] = label
    return [
        {"label": with_capital(name_of_key(game, section).label), "numbers": list(entries.items())}
        for section, entries in groups.items()
    ]


def sweeps_of(game: Game, before: Variant, now: Variant) -> list[tuple[str, str]]:
    """Return key and label of each number that a designer may tune, changed ones first; of blocks only changed ones."""
    old, changed, others = dict(numbers(game, before)), [], []
    for number in tunable_numbers(game, now):
        if old.get(number.key) != number.value:
            changed.append((number.key, number.name.label))
        elif not isinstance(now.components[number.key.partition(".")[0]], list):
            others.append((number.key, number.name.label))
    return changed + others


def opponent_of(game: Game) -> str:
    """Return the agent that plays against a person who names none: the trained one, else the usual one."""
    return game.tiers.get("trained", game.default_agent)


def _source(block: Mapping[str, Any]) -> Json:
    return {"source": block.get("provenance", ""), "note": block.get("provenance_note", "")}


def _fields(game: Game, kind: inspect.Type, path: tuple[str, ...], now: Any, before: Any) -> Iterator[Json]:
    if not isinstance(now, Mapping):
        key = ".".join(path)
        name = name_of_key(game, key)
        says = listed([words for _, words in changes_in_words(game, before, now, key)]) or name.clause(now)
        control = _control(kind, path, now)
        words = {"label": name.label, "says": says, "step": name.step, "slide": _slide(game, key, now, control)}
        places = [*_places(game, key, now)] if control["kind"] == "list" else []
        yield {"key": key, "value": now, "before": before, "places": places, **words, **control}
        return
    for name, value in now.items():
        if name not in _SILENT:
            old = before.get(name) if isinstance(before, Mapping) else None
            yield from _fields(game, kind, (*path, name), value, old)


def _places(game: Game, key: str, values: list[Any]) -> Iterator[Json]:
    """Yield key, label and slider of each number of a list that a designer may tune."""
    for place, value in enumerate(values):
        name, slide = name_of_key(game, f"{key}.{place}"), _slide(game, f"{key}.{place}", value)
        if name.tunable and slide:
            yield {"key": f"{key}.{place}", "label": name.label, "slide": slide}


def _control(kind: inspect.Type, path: Sequence[str | int], value: Any) -> Json:
    """Return the input of a value: `kind` (number, switch, choice, list, text or fixed), choices and, if any, range."""
    found: Json = {"kind": _INPUTS.get(type(value), "text"), "choices": [], "low": None, "high": None}
    for each in types_at(kind, path):
        if isinstance(each, inspect.LiteralType):
            found |= {"kind": "choice" if len(each.values) > 1 else "fixed", "choices": list(each.values)}
        elif isinstance(each, inspect.IntType | inspect.FloatType):
            found |= {"low": each.ge, "high": each.le}
    return found | ({"kind": "fixed"} if len(path) == 1 else {})  # a section without keys


@cache
def _ranges(game: Game) -> dict[str, tuple[float, float, float]]:
    """Return lowest and highest value and step of the slider of each number, by key, of all shipped boxes."""
    ranges: dict[str, tuple[float, float, float]] = {}
    for name in (BASE, *shipped_variants(game)):
        box = resolve_variant(game, name)
        for key in dict(numbers(game, box)).keys() - ranges.keys():
            values = box_number(game, box, key).values
            ranges[key] = values[0], values[-1], min((after - before for before, after in pairwise(values)), default=1)
    return ranges


def _slide(game: Game, key: str, value: Any, control: Json = _NUMBER) -> list[float] | None:
    """Return lowest and highest value and step of a number's slider; None for other data."""
    if control["kind"] != "number" or value is None or key not in _ranges(game):
        return None
    low, high, step = _ranges(game)[key]
    return [min(low, value), max(high, value), step]


def _blocks(
    game: Game, kind: inspect.Type, section: str, now: list[Json], before: list[Json], boxed: list[Json]
) -> Json:
    columns = [name for name in now[0] if name not in _SILENT]
    kept, old, sources = ({each["id"]: each for each in blocks} for blocks in (now, before, boxed))
    heads = [{"name": name, **_control(kind, (section, 0, name), now[0][name])} for name in columns]

    def row(name: str) -> Json:
        state = "added" if name not in old else "" if name in kept else "removed"
        shown, was = kept.get(name) or old[name], old.get(name, {})
        values = [shown.get(column) for column in columns]
        keys = [f"{section}.{name}.{column}" for column in columns]
        slides = [_slide(game, *each) for each in zip(keys, values, heads, strict=True)]
        cells = {"values": values, "before": [was.get(column) for column in columns], "slides": slides}
        return {"id": name, "state": state, **cells, **_source(sources.get(name, {}))}

    return {"columns": heads, "rows": [row(name) for name in {**old, **kept}]}
