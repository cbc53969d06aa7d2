"""`strozzi new GAME`: a folder that plays, keeps the contract, and has facts and a page."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from functools import partial
from types import SimpleNamespace

import pytest

from own_game import outputs
from paths import ROOT
from strozzi_sim.cli.app import run
from strozzi_sim.declare.pictures import Picture
from strozzi_sim.errors import InputError
from strozzi_sim.facts.columns import Column, Table
from strozzi_sim.facts.figures import Figure
from strozzi_sim.facts.sink import row_writer
from strozzi_sim.game.events import Event, Events
from strozzi_sim.game.new_game import write_new_game
from strozzi_sim.game.sentences import written_rules
from strozzi_sim.game.slices import Group, Layout, Slice, members, number, observer, one_hot, seat_of, things_shown
from strozzi_sim.kernel.jit import jit
from strozzi_sim.template import GAME
from strozzi_sim.template.events import EVENTS
from strozzi_sim.template.state import STATE

TAKES = Table("take", "a token taken", (Column("seat", "who"), Column("turn", "when"), Column("token", "which")))


@jit
def one_too_few(facts, seat):
    """Handle an event with two fields."""


@pytest.fixture
def fair(tmp_path):
    """Write the game `fair` and its entry points; return a function that runs Python with it, whose `strozzi` runs commands."""
    assert run(["new", "fair", "--out", str(tmp_path / "made")]) == 0
    points = tomllib.loads((tmp_path / "made" / "pyproject.toml").read_text())["project"]["entry-points"]
    info = tmp_path / "made" / "fair-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fair\nVersion: 0.1\n")
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in found.items())
        for group, found in points.items()
    ]
    (info / "entry_points.txt").write_text("".join(lines))
    folders = (str(tmp_path / "made"), str(tmp_path / "made" / "src"), os.environ.get("PYTHONPATH"))
    path = os.pathsep.join(filter(None, folders))

    environment = {**os.environ, "PYTHONPATH": path}

    def python(*arguments, code=0):
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stderr if code else done.stdout

    python.strozzi = partial(outputs, environment, tmp_path)
    return python


def test_files_and_names(fair, tmp_path):
    made = tmp_path / "made"
    text = "".join(path.read_text() for path in made.rglob("*.*") if path.suffix in (".py", ".toml"))
    assert "template" not in text.lower()
    assert {path.name for path in made.iterdir()} == {"src", "pyproject.toml", "test_fair.py", "fair-0.1.dist-info"}
    assert 'title="Fair"' in (made / "src" / "fair" / "__init__.py").read_text()


@pytest.mark.slow
def test_it_plays_and_keeps_the_contract(fair, tmp_path):
    fair("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", tmp_path / "made" / "test_fair.py")
    _, verified, _, played = fair.strozzi(
        "record fair --games 30 --out games.jsonl",
        "verify games.jsonl",
        "balance fair --players 3 --deals 200 --workers 1 --out out",
        "tournament fair --agents random,highest --players 2 --deals 20 --json",
    )
    assert "every line follows the rules" in verified
    page = (tmp_path / "out" / "report.html").read_text()
    assert re.search(r"Games won: token [1-5] with \d+.%, token [1-5] with \d+.%\.", page)
    assert (
        "Of each choice of a seat between several actions: number of decisions in a game. Token: value of the token taken."
        in page
    )
    assert "Share of the row by seat and token" in page
    assert {row["agent"] for row in json.loads(played)["tables"]["agents"]} == {"random", "highest"}
    equal_tokens = "balance fair --players 2 --deals 3 --agents random --set tokens.copies=[20,0,0,0,0]"
    said = fair("-m", "strozzi_sim", *equal_tokens.split(), code=2)
    assert re.search(r"error: fair: variant \S+: no seat has a choice in 3 games with 2 players; change its comp", said)


@pytest.mark.nightly
def test_luck_of_a_game_whose_tiers_are_its_own_agents(fair):
    """Its agents are followed, in a process that can be killed, as those of the package are."""
    (said,) = fair.strozzi("luck fair --players 3 --deals 60 --games 30 --playouts 50 --workers 1")
    assert "with one highest among random; among equal players, nothing." in said
    assert "kingmaking share" in said


DECLARED = """
from strozzi_sim.facts.columns import Column, decision_table, numbers, seat_table
from strozzi_sim.kernel.jit import jit

@jit
def ahead(state, rules, seat):
    return state.score[seat] - state.score[(seat + 1) % state.players]

TABLES = (
    decision_table([Column("left", "turns left", of="state.turns_left"), Column("ahead", "lead", None, "i4", of=ahead)]),
    seat_table([Column("sum", "its tokens", numbers(range(200)), of="state.score[seat]")]),
)
"""


@pytest.mark.nightly
def test_a_deal_that_goes_on_with_the_draws_of_another_is_refused(fair, tmp_path):
    core = tmp_path / "made" / "src" / "fair" / "core.py"
    core.write_text(core.read_text().replace("    reset_source(chance, SACK_SOURCE)\n", ""))
    check = "import strozzi_sim as ss; from fair import GAME; ss.check_game(GAME, deals=2)"
    assert "the game ends differently after other deals: `deal` must call reset_source" in fair("-c", check, code=1)


@pytest.mark.slow
def test_tables_of_decisions_and_players_need_no_handler(fair, tmp_path):
    """Every choice and every player has a row, whose columns are read from the state."""
    facts = tmp_path / "made" / "src" / "fair" / "fact_handlers.py"
    facts.write_text(DECLARED)
    report = facts.with_name("report.toml")
    report.write_text(
        '[pages.balance]\ntitle = "Balance"\nquestion = "Fair?"\nfact = "seat"\nfigures = { sum_mean = "mean sum", score_share = "mean score" }\n'
    )
    count = (
        "import json, strozzi_sim as ss\n"
        "study = ss.simulate('fair', players=3, deals=30, facts=['decision', 'seat'], workers=1)\n"
        "rows, seats = study.facts('decision'), study.facts('seat')\n"
        "one = ss.Position('fair', 3, deal=7)\n"
        "mine = rows[rows['deal'] == 7]\n"
        "for row in mine.itertuples():\n"
        "    scores = one.scores\n"
        "    assert (row.seat, row.choices, row.left) == (one.actor, len(one.legal), one.state['turns_left'][0])\n"
        "    assert row.ahead == scores[row.seat] - scores[(row.seat + 1) % 3] and row.action in one.legal\n"
        "    one.play(int(row.action))\n"
        "assert one.over and list(seats[seats['deal'] == 7]['sum']) == list(one.scores)\n"
        "print(len(mine), (seats['sum'] == seats['score']).all())"
    )
    assert re.fullmatch(r"[1-9]\d* True\n", fair("-c", count))
    fair("-c", "import strozzi_sim as ss; from fair import GAME; print(ss.check_game(GAME, players=[3], deals=2))")
    facts.write_text(DECLARED + "\n@jit\ndef close_game(facts, state, rules):\n    pass\n")
    ended = fair("-m", "strozzi_sim", "balance", "fair", "--deals", 20, "--out", "x", code=2)
    assert "fair.fact_handlers has close_game, which replaces the default that writes the table seat" in ended
    facts.unlink()
    report.unlink()
    (said,) = fair.strozzi("heatmap fair --fact seat --rows seat --columns place --deals 40 --players 2 --workers 1")
    assert "40 games played" in said


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "Fair",
            "2 to 40 lower-case letters, digits and underscores, a letter first, no word or module of Python, got 'Fair'",
        ),
        ("a b", "got 'a b'"),
        ("class", "got 'class'"),
        ("random", "got 'random'"),
        ("com1", "'com1' names a device on Windows; choose another name"),
        ("../x", "got '../x'"),
        ("strozzi", "a game 'strozzi' is installed"),
        ("test", "'test' would hide the module in "),
        ("numpy", "'numpy' would hide the installed package numpy; choose another name"),
        ("pillow", "'pillow' would hide the installed package pillow"),  # whose module has another name
        ("mpl_toolkits", "'mpl_toolkits' would hide the module in "),  # which has no __init__.py
    ],
)
def test_a_bad_name_is_refused(name, words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["new", name]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("strozzi: error: GAME: ")
    assert words in printed
    assert not list(tmp_path.iterdir())


def test_a_folder_beside_hides_no_name(tmp_path, monkeypatch):
    (tmp_path / "fair").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    assert run(["new", "fair", "--out", "mine"]) == 0


def test_what_builds_it_comes_with_the_package():
    of_package = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    for project in (ROOT / "strozzi_sim" / "template", ROOT / "examples" / "goofspiel"):
        assert set(tomllib.loads((project / "pyproject.toml").read_text())["build-system"]["requires"]) <= set(
            of_package
        )


@pytest.mark.slow
def test_it_is_installed_without_a_network(tmp_path):
    """By the command of the page, in an environment that has only what this one has; a wheel has all its files."""
    (command,) = re.findall(
        "`pip (install --no-build-isolation .*) goofspiel`", (ROOT / "docs" / "your-own-game.md").read_text()
    )
    write_new_game("fair", tmp_path / "fair")
    (tmp_path / "fair" / "src" / "fair" / "short_rules.txt").write_text("Take the highest token.")
    venv.create(tmp_path / "new", symlinks=True)
    python = tmp_path / "new" / "bin" / "python"
    (site,) = (tmp_path / "new" / "lib").glob("python*/site-packages")
    (site / "libraries.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})")
    alone = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")} | {"PIP_NO_INDEX": "1"}
    pip = partial(subprocess.run, cwd=tmp_path, env=alone, check=True, capture_output=True)
    pip([sys.executable, "-m", "pip", "--python", python, *command.split(), "fair"])
    listed = pip(
        [python, "-c", "import fair, strozzi_sim.game; print(strozzi_sim.game.load_game('fair').title, fair.__file__)"]
    )
    assert listed.stdout.decode().split() == ["Fair", str(tmp_path / "fair" / "src" / "fair" / "__init__.py")]
    pip([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "./fair"])
    (wheel,) = tmp_path.glob("*.whl")
    assert {"fair/short_rules.txt", "fair/components.toml"} <= set(zipfile.ZipFile(wheel).namelist())


def test_an_existing_folder_is_untouched(tmp_path, capsys):
    (tmp_path / "fair").mkdir()
    (tmp_path / "fair" / "mine.txt").write_text("mine")
    assert run(["new", "fair", "--out", str(tmp_path / "fair")]) == 4
    assert "exists; choose another folder" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "fair").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (Slice("x", (), "x"), "slice 'x': needs a source, since view.py has no observe"),
        (Slice("x", (), "x", source=number("nothing")), "slice 'x': the state has no field 'nothing'"),
        (Slice("x", (3,), "x", source=number("phase")), "slice 'x': has shape (3,), the state's field 'phase' ()"),
        (Slice("x", (), "x", source=number("phase", "most")), "slice 'x': the rules have no field 'most'"),
        (
            Slice("x", (3,), "x", source=members("score")),
            "slice 'x': a set needs a slice of one axis and a field that is one number",
        ),
    ],
)
def test_a_source_that_does_not_fit_is_named(part, words):
    with pytest.raises(InputError) as refused:
        observer(Layout(part), STATE, GAME.rules)
    assert words in str(refused.value)


def test_every_kind_of_source_writes_its_columns():
    import numpy as np

    layout = Layout(
        Group("seats", (4,), "seats", (Slice("score", (), "score", source=number("score", 10)),)),
        Slice("actor", (4,), "actor", source=seat_of("actor")),
        Slice("phase", (2,), "phase", source=one_hot("phase")),
        Slice("bits", (8,), "turns left as a set", source=members("turns_left")),
        Slice("sack", (5,), "sack", source=number("sack", "turns")),
    )
    state, rules = np.zeros(1, STATE).view(np.recarray), np.zeros(1, GAME.rules).view(np.recarray)
    state[0].players, state[0].actor, state[0].turns_left = 3, 0, 5
    state[0].score[:], state[0].sack[:], rules[0].turns = [10, 20, 30, 0], [1, 2, 3, 4, 5], 2
    out = np.full(layout.size, np.nan, np.float32)
    observer(layout, STATE, GAME.rules)(state[0], rules[0], 1, out)
    found = {part.name: part.of(out).tolist() for part in layout.values()}
    assert found["seats.score"] == [2, 3, 1, 0]  # clockwise from seat 1; seat 3 is not in the game
    assert found["actor"] == [0, 0, 1, 0]
    assert found["phase"] == [1, 0]
    assert found["bits"] == [1, 0, 1, 0, 0, 0, 0, 0]
    assert found["sack"] == [0.5, 1, 1.5, 2, 2.5]
    signed = np.array([(3, -1)], [("players", "u1"), ("owner", "i1")]).view(np.recarray)
    owner = Layout(Slice("owner", (4,), "owner, or -1", source=seat_of("owner")))
    observer(owner, signed.dtype, GAME.rules)(signed[0], rules[0], 1, out := np.zeros(4, np.float32))
    assert out.tolist() == [0, 0, 0, 0]


def test_text_names_phases_kinds_and_seats():
    layout = Layout(
        Group("seats", (3,), "seats", (Slice("goods", (2,), "goods", source=number("goods"), names=("wool", "wine")),)),
        Slice("phase", (2,), "phase", source=one_hot("phase", first=1), names=("buy", "sell")),
        Slice("cheques", (4,), "cheques", source=number("cheques"), names=range(0, 8, 2)),
        Slice("bag", (4,), "without names", source=number("cheques")),
        Slice("cards", (3,), "cards", source=members("cards", first=1), names=("a", "b", "c")),
        Slice("buyer", (3,), "buyer", source=seat_of("buyer")),
        Slice("owner", (3,), "a number that is no seat", source=seat_of("owner")),
    )
    shown = {"phase": 2, "cheques": (2, 0, 1, 0), "cards": 0b1010, "buyer": 1, "owner": 255, "goods": ((0, 3), (1, 0), (0, 0))}  # fmt: skip
    found = {part.name: value for part, value in things_shown(layout, SimpleNamespace(**shown), ["you", "ann", "bob"])}
    assert found == {
        "seats.goods": [["wine x3"], ["wool"], []], "phase": ["sell"], "cheques": ["0 x2", "4"], "bag": (2, 0, 1, 0),
        "cards": ["a", "c"], "buyer": ["ann"], "owner": [],
    }  # fmt: skip
    bare = Layout(
        Slice("phase", (2,), "phase", source=one_hot("phase")), Slice("cards", (3,), "c", source=members("cards"))
    )
    assert {part.name for part, _ in things_shown(bare, SimpleNamespace(**shown), [])} == {"cards"}
    shown_text = GAME.view.render(
        SimpleNamespace(face_up=[0, 2, 0, 0, 1], turns_left=3, score=[4, 0]), {}, ["you", "ann"]
    )
    assert shown_text == "Table\nFace up: 2 x2, 5\nTurns left: 3\n\nSeats\nYou: score 4\nann (second player): score 0"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: Layout(Slice("x", (3,), "x", names=("a", "b"))),
            "slice 'x': names: expected one for each of 3, got 2",
        ),
        (lambda: EVENTS.handlers(takes=one_too_few), "known: reveal, take, score_end; did you mean 'take'?"),
        (lambda: EVENTS.handlers(take=one_too_few), "event 'take' needs (facts, player, value), got (facts, seat)"),
        (lambda: row_writer(TAKES, zero=("tokn",)), "'tokn'; known: seat, turn, token; did you mean 'token'?"),
        (lambda: Events(Event("a", ("b",) * 6)), "event 'a': 6 fields; a journal row has 5"),
        (lambda: Events(Event("a"), Event("a")), "events: types must differ, got a, a"),
        (
            lambda: Picture("p", "", "lines", "t", (Figure("a", "a", "share"), Figure("b", "b", "amount")), "P"),
            "picture 'p': several figures in one panel of lines need one unit and series='figure'; use dots",
        ),
    ],
)
def test_a_declaration_that_does_not_fit_is_named(make, words):
    with pytest.raises(InputError) as refused:
        make()
    assert words in str(refused.value)


def test_short_rules_have_the_values_of_the_components(tmp_path, monkeypatch):
    package = tmp_path / "short_dice"
    package.mkdir()
    (package / "short_rules.txt").write_text("{games} pay {prizes[ranks]: / } of {prizes[bank]}.\n")
    monkeypatch.syspath_prepend(tmp_path)
    prizes = {"ranks": [3, 1], "bank": 9}
    assert written_rules("short_dice", {"prizes": prizes}, games="All") == "All pay 3 / 1 of 9."
    with pytest.raises(InputError, match=r"short_rules\.txt: no component 'prizes'"):
        written_rules("short_dice", {}, games="All")


@pytest.mark.slow
def test_a_table_of_its_own_needs_no_method_and_its_faults_are_named(fair, tmp_path):
    """Lines without a method have the text of their event; an error of the author's code names its line."""
    package = tmp_path / "made" / "src" / "fair"
    page = ("-m", "strozzi_sim", "replay", "games.jsonl", "--html", "game.html")
    view = package / "view.py"
    as_written = view.read_text()
    view.write_text(as_written + 'short_rules = "Take the highest."\n')
    rules = "from fair import GAME; print(GAME.view.short_rules({}, 2))"
    assert fair("-c", rules) == "Take the highest.\n"
    view.write_text(as_written)  # for which the game is compiled
    table = package / "table.py"
    table.write_text(
        "from strozzi_sim.game.table import GameTable\n\nclass Mine(GameTable):\n    pass\n\nTABLE = Mine\n"
    )
    fair.strozzi("record fair --out games.jsonl", "replay games.jsonl --html game.html")
    text = (tmp_path / "game.html").read_text()
    steps = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])["steps"]
    assert re.fullmatch(r"Random \(first player\) takes a \d\.", steps[4]["said"])
    assert sum(steps[-1]["set"]["now"]) > 0
    table.write_text(table.read_text().replace("pass", "def on_take(self, line):\n        return line['token']"))
    assert "error: table.py, line 5: KeyError: 'token'" in fair(*page, code=2)
    table.write_text("from strozzi_sim.game.table import Tabel\n")
    assert "error: table.py, line 1: ImportError: cannot import name 'Tabel'" in fair(*page, code=2)


HANDLER = """
from strozzi_sim.kernel.jit import jit
@jit
def on_take(facts, seat, value):
    facts.games = valeu
from fair.events import EVENTS
note = EVENTS.handlers(take=on_take)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "right", "wrong", "words"),
    [
        (
            "core",
            "state.turns_left -= 1",
            "state.turns_lft -= 1",
            r"core\.py, line \d+: no field 'turns_lft'; known: .*; did you mean 'turns_left'\?",
        ),
        (
            "fact_handlers",
            "TABLES = (",
            f"{HANDLER}TABLES = (",
            r"fact_handlers\.py, line \d+: NameError: name 'valeu' is not defined",
        ),
        (
            "core",
            "write_event(journal, TAKEN, ",
            "write_event(",
            r"core\.py, line \d+: missing a required argument: 'd'",
        ),
    ],
)
def test_code_that_does_not_compile_is_named(fair, tmp_path, file, right, wrong, words):
    path = tmp_path / "made" / "src" / "fair" / f"{file}.py"
    assert right in path.read_text()
    path.write_text(path.read_text().replace(right, wrong))
    said = fair("-m", "strozzi_sim", "balance", "fair", "--players", 2, "--deals", 3, code=2)
    assert re.search(f"strozzi: error: game 'fair' does not compile: .*{words}", said)
