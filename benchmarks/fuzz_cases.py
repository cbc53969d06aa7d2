"""Cases for fuzz.py: a command with the files it reads, each made of a seed and a number alone.

A case begins with what works (a study, a record, a results folder, a spec string, options) and spoils something: bytes
of a file, a value in its place, a whole line, a path.
"""

import json
import os
import random
import re
import shutil
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

STUDY = """name = "mine"
game = "strozzi"
seed = 7
players = [3]
deals = 4
chunks = 2
seatings = "rotate"
lineups = [["random"]]
variants = ["base"]
rows = false
[report]
pages = ["balance"]
heatmaps = []
"""
VARIANTS = {
    "strozzi": {
        "setup": {"rounds": 2, "cards_removed": {"3": 10}, "promotion_tiles_face_up": 2},
        "flags": {"plus_one_speed": 2, "ware_steps": 1},
        "rules": {"start_order": "reverse", "second_lap": True, "tile_optional": True},
        "coins": {"v5": 3},
        "scoring": {"ship_ranks": [9, 5], "marker_ranks": [4], "category_ranks": []},
        "tracks": {"top_index": 12, "bonus": {"3": 5, "12": 20}},
        "ships": {"S01": {"sail": 3, "venice": 2}},
        "promotion_tiles": [{"id": "A", "category": "art", "value": 2, "ware": "rome"}],
    },
    "medici_vs_strozzi": {
        "ships": {"capacities": [2, 5]},
        "tiles": {"values_per_type": [0, 1, 1, 5], "gold_count": 3, "gold_value": 4},
        "harbor": {"H1": {"tracks": ["dye", "fur"]}},
        "tracks": {"half_length": 4, "bonus": {"2": 10}, "per_track": {"H1.dye": {"half_length": 2, "bonus": {}}}},
        "marker_steps": {"value_zero_tile": 3},
        "scoring": {"harbor_majority": 7},
        "money": {"start_cash": 0, "coins": [{"value": 1, "count": 2}]},
        "price_space": {"action_space_cap": 50},
        "rounds": {"count": 2, "starter": ["Medici", "Medici"], "reveal_max": 2},
        "switches": {"round_ends_when": "moored", "hidden_cash": True},
    },
}
BOTS = """
from strozzi_sim.agent import python_agent

@python_agent(name="good", margin=2.0)
class Good:
    def __init__(self, margin):
        self.margin = margin
    def act(self, view, legal, random):
        return legal[0]
"""
DEEP = [[]]
for _ in range(50):
    DEEP = [DEEP]
HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63) - 1, 10**30, 1.5, -0.0, 1e308, 5.0,
    float("inf"), float("nan"), "", " ", "x", "x" * 300, "../..", "/", "\0", "\x1b[2J", "\udc80", "Ü", "\U0001f6a2",
    "$\\frac{$", "<b>&", "%s{}", "9" * 5000, [], {}, [[]], [None], {"a": 1}, {"7": 5}, {"": 0}, {"a.b": 1}, DEEP,
    list(range(1000)), {str(k): k for k in range(1000)}, "strozzi", "random", "base", ["random"], [["random"] * 3],
)  # fmt: skip
TOKENS: tuple[bytes, ...] = (
    b"[", b"]", b"{", b"}", b'"', b"'", b"\\", b"\0", b"\xff", b"\xef\xbb\xbf", b"\n", b"\r\n", b"=", b",", b":", b".", b"#",
    b"-", b"null", b"NaN", b"-1", b"1e999", b"9" * 5000, b"[" * 5000, b"{" * 5000, b"a." * 5000, b'{"a":' * 3000,
    b"\\ud800", b"\\u0000", b'""', b"[[a]]", b"[variant.a]", b"true", b"1979-05-27", b"0x10", b"1_0", b"\xe2\x80\xa8",
)  # fmt: skip
WORDS = (
    "random", "greedy", "heuristic", "racer", "fair-price", "fixed-price", "ismcts", "flat_mc", "bots.py::good", "nobody",
    "bots.py::none", "none.py::x", "gredy", ":", "=", ",", "(", ")", "::", "margin", "margin=2", "margin=nan", "ware=2",
    "iterations=3", "iterations=0", "iterations=-5", "iterations=1e3", "iterations=99999999999999999999", "playouts=2",
    "rollout=(greedy:margin=3)", "rollout=random", "rollout=(ismcts)", "rollout=((random))", "value=6", "value=inf",
    "backup=maxn", "backup=x", "/", "..", "x" * 300, "9" * 400, "\0", "\n", "\x1b", "Ü", "$\\frac{$", " ", "", "-", "@strozzi",
)  # fmt: skip


@dataclass
class Case:
    """One command.

    Attributes:
        arguments: the command and its options.
        stdin: what somebody types.
        writes: paths the command may create or change, if it succeeds or has begun to play.
        must_fail: whether exit code 0 would mean that nonsense was let through.
    """

    arguments: list[str]
    stdin: str = ""
    writes: list[str] = field(default_factory=list)
    must_fail: bool = False


def make_case(seed: int, number: int, folder: Path, template: Path, *, quick: bool = False) -> Case:
    """Fill `folder` with the files of a case; `quick` leaves out what plays a study or draws."""
    rng = random.Random(f"{seed}/{number}")
    (folder / "notes.txt").write_text("mine")
    (folder / "keep").mkdir()
    (folder / "keep" / "notes.txt").write_text("mine too")
    kinds: dict[Callable[..., Case], int] = {
        records: 30,
        specs: 14,
        variants: 14,
        options: 14,
        studies: 14,
        results: 8,
        paths: 8,
    }
    if quick:
        kinds = {partial(records, quick=True): 3, specs: 1, variants: 2, broken_studies: 2}
    kind = rng.choices(list(kinds), list(kinds.values()))[0]
    return kind(rng, folder, template)


# -- spoiling --------------------------------------------------------------------------------------------------------


def spoiled_bytes(rng: random.Random, content: bytes) -> bytes:
    """A few bytes changed, cut out, doubled or put in."""
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        low = rng.randrange(len(content) + 1)
        high = min(len(content), low + rng.choice((0, 1, 1, 5, 50, 500)))
        how = rng.randrange(5)
        if how == 0:
            content = content[:low] + rng.choice(TOKENS) + content[high:]
        elif how == 1:
            content = content[:low] + content[high:]
        elif how == 2:
            content = content[:high] + content[low:]
        elif how == 3 and low < len(content):
            content = content[:low] + bytes([rng.randrange(256)]) + content[low + 1 :]
        else:
            content = content[:low]
    return content


def spoiled_value(rng: random.Random, document: Any) -> Any:
    """The plain document with one value replaced, taken away, or one key too many; places at any depth."""
    document = deepcopy(document)
    place, key = document, None
    while isinstance(place, dict | list) and place and (key is None or rng.random() < 0.75):
        key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if not isinstance(place[key], dict | list) or not place[key] or rng.random() < 0.15:
            break
        place = place[key]
    if isinstance(place, dict) and rng.random() < 0.15:
        place[rng.choice(("", "x", "ship", "a.b", "__class__", "\x00", "x" * 300))] = rng.choice(HOSTILE)
    elif isinstance(place, dict | list) and place:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = key if key in keys else rng.choice(keys)
        if rng.random() < 0.15:
            del place[key]
        else:
            place[key] = rng.choice(HOSTILE)
    return document


def toml(value: Any) -> str:
    """A plain value as TOML has it; what TOML has not becomes something near."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "nan"}[value]
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(str(key))} = {toml(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def toml_file(document: dict[str, Any]) -> bytes:
    """A document as a TOML file, one key a line."""
    return "".join(f"{toml(str(key))} = {toml(value)}\n" for key, value in document.items()).encode()


# -- kinds of cases --------------------------------------------------------------------------------------------------


def records(rng: random.Random, folder: Path, template: Path, *, quick: bool = False) -> Case:
    """A record with something wrong in it, verified, shown or explained."""
    content = (template / rng.choice(("strozzi.jsonl", "medici_vs_strozzi.jsonl"))).read_bytes()
    lines = content.splitlines(keepends=True)
    how, must_fail = rng.randrange(4), False
    if how == 0:
        content = spoiled_bytes(rng, content)
    elif how == 1:  # a header
        number = rng.choice([k for k, line in enumerate(lines) if line.startswith(b'{"type":"game"')])
        lines[number] = json.dumps(spoiled_value(rng, json.loads(lines[number]))).encode() + b"\n"
        content = b"".join(lines)
    elif how == 2:  # a line after it
        number = rng.choice([k for k, line in enumerate(lines) if not line.startswith(b'{"type":"game"')])
        before = json.loads(lines[number])
        after = spoiled_value(rng, before)
        must_fail = any(key not in after or json.dumps(after[key]) != json.dumps(before[key]) for key in before)
        lines[number] = json.dumps(after).encode() + b"\n"
        content = b"".join(lines)
    else:
        number, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[number : number + rng.choice((0, 1))] = rng.choice(
            ([], [lines[other]], [lines[other]] * 2, [b"{}\n"], [b"\n"])
        )
        content = b"".join(lines)
    (folder / "games.jsonl").write_bytes(content)
    shown = (
        ["verify", "games.jsonl"], ["verify", "games.jsonl", "--json"], ["replay", "games.jsonl"],
        ["replay", "games.jsonl", "--json"], ["replay", "games.jsonl", "--game", "2"],
        ["replay", "games.jsonl", "--explain", "random", "--decision", "2"],
    )  # fmt: skip
    arguments = rng.choice(shown[:-1] if quick else shown)
    return Case(arguments, "\n" * rng.choice((0, 1, 500)), must_fail=must_fail and arguments[0] == "verify")


def specs(rng: random.Random, folder: Path, template: Path) -> Case:
    """A spec string, or a list of them, made of pieces of such."""
    (folder / "bots.py").write_text(BOTS)
    good = (
        "greedy:margin=2",
        "ismcts:iterations=3,rollout=(greedy:margin=3)",
        "bots.py::good:margin=1",
        "random,greedy",
    )
    text = rng.choice(good)
    if rng.random() < 0.5:
        pieces = re.split(r"(?<=[:=,()])|(?=[:=,()])", text)
        pieces[rng.randrange(len(pieces))] = rng.choice(WORDS)
        text = "".join(pieces)
    else:
        text = "".join(rng.choices(WORDS, k=rng.choice((1, 2, 3, 5))))
    game = rng.choice(("strozzi", "strozzi", "medici_vs_strozzi"))
    if rng.random() < 0.2:
        return Case(["agents", text])
    return Case(["record", game, "--agents", text, "--out", "out.jsonl"], writes=["out.jsonl"])


def variants(rng: random.Random, folder: Path, template: Path) -> Case:
    """One game of a variant that a study defines."""
    game = rng.choice(("strozzi", "medici_vs_strozzi"))
    (folder / "study.toml").write_bytes(_variant_study(rng, game))
    arguments = ["record", game, "--study", "study.toml", "--variant", "a", "--out", "out.jsonl"]
    return Case([*arguments, *rng.choice(([], ["--json"]))], writes=["out.jsonl"])


def _variant_study(rng: random.Random, game: str) -> bytes:
    changes = VARIANTS[game]
    chosen = {section: changes[section] for section in rng.sample(list(changes), rng.choice((1, 1, 2, 5)))}
    for _ in range(rng.choice((0, 1, 1, 2))):
        chosen = spoiled_value(rng, chosen)
    players = [3] if game == "strozzi" else [2]
    study = {"name": "mine", "game": game, "players": players, "deals": 2, "lineups": [["random"]], "variants": ["a"]}
    content = toml_file(study | {"variant": {"a": chosen}})
    return spoiled_bytes(rng, content) if rng.random() < 0.15 else content


def broken_studies(rng: random.Random, folder: Path, template: Path) -> Case:
    """A study that cannot be read."""
    case = studies(rng, folder, template)
    (folder / "study.toml").write_bytes(
        (folder / "study.toml").read_bytes() + b"\n" + rng.choice((b"x = 1", b"deals", b"["))
    )
    case.must_fail = True
    return case


def studies(rng: random.Random, folder: Path, template: Path) -> Case:
    """A study with something wrong in it."""
    import tomllib

    how = rng.randrange(3)
    if how == 0:
        content = spoiled_bytes(rng, STUDY.encode())
    elif how == 1:
        content = toml_file(spoiled_value(rng, tomllib.loads(STUDY)))
    else:
        content = (
            _variant_study(rng, rng.choice(("strozzi", "medici_vs_strozzi"))) + b'report = {pages = ["balance"]}\n'
        )
    (folder / "study.toml").write_bytes(content)
    arguments = ["run", "study.toml", "--workers", "1", "--out", "out"]
    return Case([*arguments, *rng.choice(([], ["--json"]))], writes=["out"])


def results(rng: random.Random, folder: Path, template: Path) -> Case:
    """A results folder with a damaged, missing or foreign file; run again, reported, or extended."""
    kind = rng.choice(("study", "tournament"))
    out = folder / "out"
    shutil.copytree(template / kind, out)
    (out / "figures").mkdir(exist_ok=True)
    for place in ("", "tables", "figures"):
        (out / place / "mine.txt").write_text("mine")
    files = sorted(path for path in out.rglob("*") if path.is_file() and path.name != "mine.txt")
    inner = [path for path in files if path.parent == out or path.suffix == ".parquet"]
    for path in rng.sample(inner, rng.choice((1, 1, 2, 3))):
        how = rng.randrange(5)
        if how == 0:
            path.unlink()
        elif how == 1:
            path.unlink()
            path.mkdir()
        elif how == 2 and path.suffix in (".json", ".jsonl"):
            lines = path.read_bytes().splitlines() if path.suffix == ".jsonl" else [path.read_bytes()]
            number = rng.randrange(len(lines))
            lines[number] = json.dumps(spoiled_value(rng, json.loads(lines[number]))).encode()
            path.write_bytes(b"\n".join(lines) + b"\n")
        else:
            path.write_bytes(spoiled_bytes(rng, path.read_bytes()))
    (folder / "study.toml").write_text(STUDY)
    tournament = [
        "tournament",
        "strozzi",
        "--players",
        "3",
        "--agents",
        "random,greedy,racer",
        "--deals",
        "4",
        "--workers",
        "1",
    ]
    again = ["run", "study.toml", "--workers", "1"] if kind == "study" else tournament
    arguments = rng.choice((["report", "out"], ["report", "out", "--json"], [*again, "--out", "out"]))
    return Case(arguments, writes=["out"])


def paths(rng: random.Random, folder: Path, template: Path) -> Case:
    """An awkward path for something to read or to write."""
    (folder / "study.toml").write_text(STUDY)
    shutil.copy(template / "strozzi.jsonl", folder / "games.jsonl")
    (folder / "dangling").symlink_to(folder / "nowhere" / "at all")
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "empty").write_bytes(b"")
    path = rng.choice((
        "", ".", "..", "/", "//", "~", " ", "keep", "keep/", "notes.txt", "notes.txt/inside", "nowhere/inside", "x" * 300,
        "x/" * 3000, "dangling", "loop", "empty", "Ü", "\U0001f6a2", "a\nb", "-", "--json", "$HOME", "*", "keep/notes.txt",
        "/dev/zero", "/proc/self/mem", "/proc/nothing", "/sys/x", "x\udcff", "con:", "a\\b", "study.toml", "out/../out",
    ))  # fmt: skip
    read = (
        ["run", path, "--out", "out", "--workers", "1"], ["verify", path], ["replay", path], ["report", path],
        ["record", "strozzi", "--study", path, "--out", "out"], ["record", "strozzi", "--agents", f"{path}::a", "--out", "out"],
    )  # fmt: skip
    write = (
        ["record", "strozzi", "--players", "3", "--out", path], ["run", "study.toml", "--workers", "1", "--out", path],
        ["balance", "strozzi", "--players", "3", "--agents", "random", "--deals", "3", "--workers", "1", "--out", path],
    )  # fmt: skip
    harmless = not path.startswith(("/dev", "/proc", "/sys"))
    own = (folder / path).resolve() if path not in ("x" * 300, "x/" * 3000, "loop") else folder
    writes = ["out"]
    if harmless and rng.random() < 0.6:
        arguments = rng.choice(write)
        if own.parent != folder and own.is_relative_to(folder):
            writes.append(os.path.normpath(path).split("/")[0])  # folders on the way to it are made
        elif own not in (folder, *folder.parents):
            writes.append(path)  # a file that was named is written over
    else:
        arguments = rng.choice(read)
    return Case(arguments, writes=writes)


NUMBERS = (
    "-1", "0", "1", "2", "3", "", " ", "x", "1.5", "nan", "inf", "-inf", "1e999", "1_0", "٣", "0x10", "--json", "99999999999999",
    "9" * 30, "9" * 400, "9" * 5000, "-9", "+2", "1e-9", "2 ", "\0",
)  # fmt: skip
TEXTS = (
    "", " ", "x", "random", "base", "long-tracks", "long", "all", "one", "latin", "rotate", "decided", "0.3", "4", "3-6", "2",
    "3,5", "3-99999999999", "9" * 400, "-", ",", ",,", "a,b", "base,base", "base,long-tracks", "x" * 3000, "\x1b[2J", "$\\frac{$",
    "greedy", "heuristic", "fair-price", "ismcts:iterations=2", "../..", "--", "-h", "--help", "\udcff",
)  # fmt: skip
PLAIN = {  # a quick call of every command
    "run": ["study.toml", "--out", "out", "--workers", "1"], "report": ["out"],
    "balance": ["GAME", "--agents", "random", "--deals", "3", "--workers", "1"],
    "tournament": ["GAME", "--agents", "random,greedy,racer,ismcts:iterations=2", "--deals", "2", "--workers", "1"],
    "compare": ["GAME", "random", "random", "--opponents", "random", "--deals", "3", "--workers", "1"],
    "exploit": ["GAME", "random", "--challengers", "random", "--deals", "2", "--workers", "1"],
    "leak-check": ["GAME", "random", "--deals", "1"], "play": ["GAME", "--agents", "random"],
    "record": ["GAME", "--out", "out.jsonl"], "replay": ["games.jsonl"], "verify": ["games.jsonl"], "agents": [], "games": [],
    "bench": ["GAME", "--games", "2", "--workers", "1"], "cache": [],
}  # fmt: skip
TYPED = ("", "pass\n", "q\n", "x\n\n\n", "pass\nvenice\n" * 300, "\0\x1b\n", "quit\n", "Ü\n" * 5)


def options(rng: random.Random, folder: Path, template: Path) -> Case:
    """Any command with a strange value of an option, an option too many or an argument too many."""
    from strozzi_sim.cli.parser import parser_of

    command = rng.choice(list(PLAIN))
    game = rng.choice(("strozzi", "strozzi", "medici_vs_strozzi", "strozi", "", "../strozzi", "\0"))
    arguments = [command, *(game if word == "GAME" else word for word in PLAIN[command])]
    (folder / "study.toml").write_text(STUDY)
    shutil.copy(template / "strozzi.jsonl", folder / "games.jsonl")
    known = parser_of(command)._actions
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        chosen = rng.choice(known)
        if chosen.dest in ("out", "tree", "clear", "file", "folder", "study", "help"):
            continue
        value = rng.choice(rng.choice((NUMBERS, TEXTS)))
        if not chosen.option_strings:
            arguments.append(value)
        else:
            option = chosen.option_strings[0]
            arguments += [option] if chosen.nargs == 0 else rng.choice(([option, value], [f"{option}={value}"]))
    if rng.random() < 0.1:
        arguments.insert(
            rng.randrange(len(arguments) + 1), rng.choice(("--nothing", "-x", "x", "--", "--debug", "--version"))
        )
    return Case(arguments, rng.choice(TYPED), writes=["out", "out.jsonl"])
