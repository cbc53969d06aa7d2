"""docs/your-own-game.md: the game of the walk works with every command, and the walk shows its code."""

import json
import re
import subprocess
import sys

import pytest

from own_game import FILES, FOLDER, files_of, install
from paths import ROOT
from strozzi_sim.game.new_game import write_new_game

OTHERS = (
    "template/fact_handlers.py",
    "template/report.toml",
    "games/medici_vs_strozzi/verify.py",
)  # that the walk shows too
FACTS = files_of((ROOT / "docs" / "facts.md").read_text())
SEARCHERS = ("flat_mc:playouts=5", "ismcts:iterations=30", "mo_ismcts:iterations=30")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The game, installed once: code compiled for them serves all tests that leave them as they are."""
    return install(tmp_path_factory.mktemp("game"))


@pytest.fixture
def own_copy(tmp_path):
    """The game in `tmp_path`, for a test that edits them."""
    return install(tmp_path)


@pytest.fixture
def python(request, tmp_path):
    """Return a function that runs Python in `tmp_path`, with the game."""
    environment = request.getfixturevalue("own_copy" if "own_copy" in request.fixturenames else "installed")

    def run(*arguments, code=0, stdin=""):
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(command, cwd=tmp_path, env=environment, input=stdin, capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def strozzi(python):
    """Run a command; returns what it prints."""

    def run(*arguments, code=0, stdin=""):
        return python("-m", "strozzi_sim", *arguments, code=code, stdin=stdin).stdout

    return run


@pytest.fixture
def document(strozzi):
    """Run a command with --json; returns its document."""

    def run(*arguments, code=0):
        return json.loads(strozzi(*arguments, "--json", code=code))

    return run


def record(document, path, *more):
    found = document("record", "goofspiel", "--games", 5, "--out", path, *more)
    assert found["games"] == 5
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


PAGE = (ROOT / "docs" / "your-own-game.md").read_text()


def test_the_walk_names_every_file_of_the_game_and_of_a_new_one(tmp_path):
    written = {path.name for path in write_new_game("fair", tmp_path / "fair")}
    parts = {name.rpartition("/")[2] for name in FILES}
    listed, _ = PAGE.split("The parts are Protocols")
    named = set(re.findall(r"`(\w+\.(?:py|toml|js|css))`", listed)) | {"test_fair.py"}
    assert parts | written <= named | {"test_goofspiel.py"}
    assert {name for name in named if name not in parts | written} == {"report.py", "restrictions.py", "table.css"}
    assert not re.search("kernel|numpy|numba", FILES["src/goofspiel/reference.py"].partition('"""\n\n')[2])


def test_the_code_of_the_walk_is_of_games_that_are_played():
    """A block is a part of the game, of the one that `strozzi new` writes, or of ours; the last tests run what checks it."""
    package = ROOT / "strozzi_sim"
    sources = [*FILES.values(), *((package / name).read_text() for name in OTHERS)]
    blocks = re.findall(r"^```(?:python|toml)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 12
    for block in blocks:
        assert any(block in source for source in sources) or block.startswith("from goofspiel import GAME\n"), block


def test_the_walk_is_short():
    assert len(PAGE.split()) <= 2500


@pytest.mark.slow
def test_record_verify_replay(document, tmp_path):
    path = tmp_path / "games.jsonl"
    lines = record(document, path)
    assert document("verify", path)["games"] == 5
    assert len(document("replay", path, "--game", 2)["words"]) > 20

    def message_about(number, **changes):
        """What `verify` says of the record with line `number` (from 1) changed; it must name that line."""
        write(path, [*lines[: number - 1], {**lines[number - 1], **changes}, *lines[number:]])
        found = document("verify", path, code=1)
        assert (found["ok"], found["line"]) == (False, number)
        return found["message"]

    assert [line["type"] for line in lines[:6]] == ["game", "prize", "bid", "bid", "bid", "award"]
    assert "expected the id of a prize" in message_about(2, prize=float(lines[1]["prize"]))
    assert "expected a bid of player 1: 1 or 2 or 3 or 4 or 5" in message_about(4, card=6)
    assert "instead of" in message_about(6, bids=[5, 5, 5])


@pytest.mark.slow
def test_its_table_is_text_then_zones_then_a_drawing(own_copy, strozzi, tmp_path):
    """Without `table.py`, with it, and with `table.js`: three pages of one game."""
    strozzi("record", "goofspiel", "--out", "games.jsonl")
    pages = {}
    for level, missing in (("drawing", ()), ("zones", ("table.js",)), ("text", ("table.js", "table.py"))):
        for name in missing:
            (tmp_path / "src" / "goofspiel" / name).unlink(missing_ok=True)
        strozzi("replay", "games.jsonl", "--html", f"{level}.html")
        text = (tmp_path / f"{level}.html").read_text()
        pages[level] = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1]), text
    assert "The drawing of goofspiel" in pages["drawing"][1]
    assert "const renderer = plain;" in pages["zones"][1]
    assert pages["zones"][0] == pages["drawing"][0]
    first = pages["zones"][0]["steps"][0]["set"]
    assert [zone["name"] for zone in first["zones"]] == ["The prize", "Prizes to come", "Cards laid"]
    assert any("Prize " in step["set"].get("text", "") for step in pages["text"][0]["steps"])
    assert pages["text"][0]["head"]["title"] == "Goofspiel"


def test_a_game_that_lacks_a_part_is_named(own_copy, python, tmp_path):
    """It is no internal error: the author reads what is missing."""
    python("-m", "strozzi_sim", "record", "goofspiel", "--out", "games.jsonl")
    view = tmp_path / "src" / "goofspiel" / "view.py"
    view.write_text(FILES["src/goofspiel/view.py"].replace("def conceal(", "def forget("))
    done = python("-m", "strozzi_sim", "bench", "goofspiel", "--games", 1, code=2)
    assert "game 'goofspiel': goofspiel.view has no conceal, which this file must have" in done.stderr
    (tmp_path / "src" / "goofspiel" / "reference.py").unlink()
    done = python("-m", "strozzi_sim", "verify", "games.jsonl", code=2)
    assert "game 'goofspiel': goofspiel has no module reference, which every game must have" in done.stderr


@pytest.fixture
def with_facts(tmp_path, own_copy):
    """Add the modules of docs/facts.md to the game."""
    assert {name.rpartition("/")[2] for name in FACTS} == {"fact_handlers.py", "report.py", "report.toml"}
    for name, text in FACTS.items():
        (tmp_path / name).write_text(text)


def test_facts_of_the_page_are_listed(with_facts, document):
    assert [table["name"] for table in document("facts", "goofspiel")] == ["bid", "player"]


@pytest.mark.slow
def test_the_game_of_the_page_has_facts_and_a_report(with_facts, python, strozzi, tmp_path):
    assert "'facts'" in python("-c", CHECK).stdout
    size = ("--agents", "random", "--deals", 60)
    strozzi("balance", "goofspiel", *size, "--workers", 1, "--out", tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Which card takes the prize?" in page
    assert re.search(r"[Cc]ard 5 takes the prize in \d+.% of its bids, card \d in \d+.%", page)
    strozzi("report", tmp_path / "out", "--figures")
    assert (tmp_path / "out" / "figures" / "bids.svg").exists()
    question = ("--rows", "card", "--columns", "prize", "--value", "share won", "--workers", 1)
    strozzi("heatmap", tmp_path / "out", *question)
    assert list((tmp_path / "out" / "tables").glob("heat_*.csv"))


@pytest.mark.slow
def test_a_misspelt_figure_of_its_report_is_named(with_facts, python, tmp_path):
    report = tmp_path / "src" / "goofspiel" / "report.toml"
    report.write_text(report.read_text().replace("figures.won_share", "figures.won_shaer"))
    last = python("-c", CHECK, code=1).stderr.splitlines()[-1]
    said = "goofspiel: report: picture 'bids', table 'bids': unknown figure 'won_shaer'; known: prize_mean, won_share"
    assert f"{said}; did you mean 'won_share'?" in last


@pytest.mark.nightly
def test_our_tests_hold_with_it_installed(python):
    files = (
        "project/test_house agent/test_agent_contract agent/test_agent_names cli/test_command_words play/test_record_headers "
        "cli/test_wrong_input study/test_study project/test_studies_page"
    )
    tests = [ROOT / "tests" / f"{name}.py" for name in files.split()]
    options = f"-q -n 0 -p no:cacheprovider --rootdir {ROOT} -c {ROOT / 'pyproject.toml'}"
    python("-m", "pytest", *options.split(), *tests)


@pytest.mark.slow
def test_bench_and_balance(document):
    assert document("bench", "goofspiel", "--games", 100, "--workers", 1)["games"] == 100
    tables = document("balance", "goofspiel", "--deals", 30, "--workers", 1)["tables"]
    shares = {}
    for row in tables["seats"]:
        if row["figure"] == "win_share" and row["deals"] >= 30:  # fewer have an interval alone
            shares[row["lineup"]] = shares.get(row["lineup"], 0) + row["value"]
    assert shares == dict.fromkeys(shares, pytest.approx(1))
    assert set(shares) >= {"random", "face-value"}
    assert {"decisions_mean", "score_mean"} <= {row["figure"] for row in tables["balance"]}


@pytest.mark.slow
def test_tournament(document):
    field = ("random", *SEARCHERS, "face-value")
    size = ("--players", 3, "--deals", 3, "--workers", 1)
    tables = document("tournament", "goofspiel", "--agents", ",".join(field), *size)["tables"]
    assert {row["agent"] for row in tables["agents"]} == set(field)


@pytest.mark.slow
@pytest.mark.nightly_for(*SEARCHERS)
@pytest.mark.parametrize("agent", ["face-value", *SEARCHERS])
def test_fairness(document, agent):
    found = document("leak-check", "goofspiel", agent, "--deals", 1)
    assert found["ok"]
    assert found["decisions"] == 12  # the last card of every hand is no decision


@pytest.mark.slow
def test_a_study_changes_the_cards(strozzi, document, tmp_path):
    study = (
        'name = "cards"\ngame = "goofspiel"\nplayers = [3]\ndeals = 20\nlineups = [["random"]]\nvariants = ["wide"]\n'
    )
    (tmp_path / "cards.toml").write_text(study + "[variant.wide.deck]\ncards = 13\n")
    record(document, tmp_path / "wide.jsonl", "--study", tmp_path / "cards.toml", "--variant", "wide")
    assert document("verify", tmp_path / "wide.jsonl")["games"] == 5
    strozzi("run", tmp_path / "cards.toml", "--out", tmp_path / "out", "--workers", 1)
    assert (tmp_path / "out" / "report.html").exists()


@pytest.mark.slow
def test_a_person_sees_no_hidden_bid(strozzi):
    said = strozzi("play", "goofspiel", "--agents", "face-value", "--seat", 2, stdin="quit\n")
    assert said.count("bids a card face down") == 2
    assert said.count("bid face down, hand 1 2 3 4 5") == 2
    assert "You left the table." in said


@pytest.mark.slow
def test_an_edited_rule_is_compiled_anew_and_found(own_copy, document, tmp_path):
    core, path = tmp_path / "src" / "goofspiel" / "core.py", tmp_path / "games.jsonl"
    record(document, path)
    core.write_text(core.read_text().replace("bid > highest", "bid >= highest"))  # the last of the highest takes it
    record(document, path)
    assert "award" in document("verify", path, code=1)["message"]


@pytest.mark.slow
def test_its_promises_are_tests(python):
    ran = python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", FOLDER / "test_goofspiel.py"
    ).stdout
    assert "16 passed, 3 skipped" in ran, ran  # it has no move trees, no facts and no report


CHECK = "from strozzi_sim.conformance import check_game; from goofspiel import GAME; print(check_game(GAME, deals=5).promises)"
