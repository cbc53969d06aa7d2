"""docs/your-own-game.md: the game of the walk works with every command, and the walk shows its code."""

import json
import re
import subprocess
import sys
from functools import partial

import pytest

from own_game import FILES, FOLDER, files_of, install, outputs
from paths import ROOT
from strozzi_sim.game.new_game import write_new_game

pytestmark = pytest.mark.slow

OTHERS = ("template/fact_handlers.py", "template/report.toml")  # that the walk shows too
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
def environment(request):
    """Of a Python that finds the game."""
    return request.getfixturevalue("own_copy" if "own_copy" in request.fixturenames else "installed")


@pytest.fixture
def python(environment, tmp_path):
    """Return a function that runs Python in `tmp_path`, with the game."""

    def run(*arguments, code=0, stdin=""):
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(command, cwd=tmp_path, env=environment, input=stdin, capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def strozzi(environment, tmp_path):
    """Run commands in one Python; returns what each prints."""
    return partial(outputs, environment, tmp_path)


@pytest.fixture
def documents(strozzi):
    """Run commands with --json; returns their documents."""

    def run(*commands, code=0):
        return [json.loads(said) for said in strozzi(*(f"{command} --json" for command in commands), code=code)]

    return run


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


PAGE = (ROOT / "docs" / "your-own-game.md").read_text()


def test_the_walk_names_every_file_of_the_game_and_of_a_new_one(tmp_path):
    written = {path.name for path in write_new_game("fair", tmp_path / "fair")}
    parts = {name.rpartition("/")[2] for name in FILES}
    listed, _ = PAGE.split("The parts are classes")
    named = set(re.findall(r"`(\w+\.(?:py|toml|js|css))`", listed)) | {"test_fair.py"}
    assert parts | written <= named | {"test_goofspiel.py"}
    assert {name for name in named if name not in parts | written} == {
        "report.py",
        "restrictions.py",
        "table.css",
        "names.toml",
    }
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
def test_record_verify_replay(documents, tmp_path):
    asked = ("record goofspiel --games 5 --out games.jsonl", "verify games.jsonl", "replay games.jsonl --game 2")
    recorded, verified, replayed = documents(*asked)
    assert recorded["games"] == verified["games"] == 5
    assert len(replayed["words"]) > 20
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert [line["type"] for line in lines[:6]] == ["game", "prize", "bid", "bid", "bid", "award"]
    spoiled = [  # a line, from 1, what is changed in it, and what `verify` says of it
        (2, {"prize": float(lines[1]["prize"])}, "expected the id of a prize"),
        (4, {"card": 6}, "expected a bid of player 1: 1 or 2 or 3 or 4 or 5"),
        (6, {"bids": [5, 5, 5]}, "instead of"),
    ]
    for number, changes, _ in spoiled:
        write(tmp_path / f"{number}.jsonl", [*lines[: number - 1], {**lines[number - 1], **changes}, *lines[number:]])
    found = documents(*(f"verify {number}.jsonl" for number, *_ in spoiled), code=1)
    for (number, _, words), said in zip(spoiled, found, strict=True):
        assert (said["ok"], said["line"]) == (False, number)
        assert words in said["message"]


@pytest.mark.slow
def test_its_table_is_text_then_zones_then_a_drawing(own_copy, strozzi, tmp_path):
    """Without `table.py`, with it, and with `table.js`: three pages of one game."""
    strozzi("record goofspiel --out games.jsonl")
    pages = {}
    for level, missing in (("drawing", ()), ("zones", ("table.js",)), ("text", ("table.js", "table.py"))):
        for name in missing:
            (tmp_path / "src" / "goofspiel" / name).unlink(missing_ok=True)
        strozzi(f"replay games.jsonl --html {level}.html")
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


def test_facts_of_the_page_are_listed(with_facts, documents):
    (listed,) = documents("facts goofspiel")
    assert [table["name"] for table in listed] == ["bid", "player"]


@pytest.mark.slow
def test_the_game_of_the_page_has_facts_and_a_report(with_facts, python, strozzi, tmp_path):
    assert "'facts'" in python("-c", CHECK).stdout
    strozzi(
        "balance goofspiel --agents random --deals 60 --workers 1 --out out",
        "report out --figures",
        "heatmap out --rows card --columns prize --value 'share won' --workers 1",
    )
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Which card takes the prize?" in page
    assert re.search(r"[Cc]ard 5 takes the prize in \d+.% of its bids, card \d in \d+.%", page)
    assert (tmp_path / "out" / "figures" / "bids.svg").exists()
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
def test_bench_and_balance(documents):
    timed, played = documents("bench goofspiel --games 100 --workers 1", "balance goofspiel --deals 30 --workers 1")
    assert timed["games"] == 100
    tables = played["tables"]
    shares = {}
    for row in tables["seats"]:
        if row["figure"] == "win_share" and row["deals"] >= 30:  # fewer have an interval alone
            shares[row["lineup"]] = shares.get(row["lineup"], 0) + row["value"]
    assert shares == dict.fromkeys(shares, pytest.approx(1))
    assert set(shares) >= {"random", "face-value"}
    assert {"decisions_mean", "score_mean"} <= {row["figure"] for row in tables["balance"]}


@pytest.mark.slow
def test_tournament(documents):
    field = ("random", "mo_ismcts:iterations=30", "face-value")
    (found,) = documents(f"tournament goofspiel --agents {','.join(field)} --players 3 --deals 3 --workers 1")
    assert {row["agent"] for row in found["tables"]["agents"]} == set(field)


@pytest.mark.slow
@pytest.mark.nightly_for(*SEARCHERS)
@pytest.mark.parametrize("agent", ["face-value", *SEARCHERS])
def test_fairness(documents, agent):
    (found,) = documents(f"leak-check goofspiel {agent} --deals 1")
    assert found["ok"]
    assert found["decisions"] == 12  # the last card of every hand is no decision


@pytest.mark.slow
def test_a_study_changes_the_cards(documents, tmp_path):
    study = (
        'name = "cards"\ngame = "goofspiel"\nplayers = [3]\ndeals = 20\nlineups = [["random"]]\nvariants = ["wide"]\n'
    )
    (tmp_path / "cards.toml").write_text(study + "[variant.wide.deck]\ncards = 13\n")
    _, verified, _ = documents(
        "record goofspiel --games 5 --out wide.jsonl --study cards.toml --variant wide",
        "verify wide.jsonl",
        "run cards.toml --out out --workers 1",
    )
    assert verified["games"] == 5
    assert (tmp_path / "out" / "report.html").exists()


@pytest.mark.slow
def test_its_decisions_are_json(python):
    python(
        "-c",
        """if True:
        import json
        from strozzi_sim.play.position import Position
        position = Position("goofspiel", 3, seed=1)
        document = json.loads(position.json())
        assert document["game"] == "goofspiel" and document["seat"] == document["view"]["seat"] == position.actor
        assert [action["name"] for action in document["legal"]] == list(position.names)
        assert not {"components", "game"} & set(document["view"])
        assert "components" not in repr(position.view()) and "seat=0" in repr(position.view())
    """,
    )


@pytest.mark.slow
def test_a_person_sees_no_hidden_bid(strozzi):
    (said,) = strozzi("play goofspiel --agents face-value --seat 2", stdin="quit\n")
    assert said.count("bids a card face down") == 2
    assert said.count("bid face down, hand 1 2 3 4 5") == 2
    assert "You left the table." in said


@pytest.mark.slow
def test_an_edited_rule_is_compiled_anew_and_found(own_copy, documents, strozzi, tmp_path):
    core, recording = tmp_path / "src" / "goofspiel" / "core.py", "record goofspiel --games 5 --out games.jsonl"
    strozzi(recording)
    core.write_text(core.read_text().replace("bid > highest", "bid >= highest"))  # the last of the highest takes it
    strozzi(recording)
    (found,) = documents("verify games.jsonl", code=1)
    assert "award" in found["message"]


@pytest.mark.slow
def test_its_promises_are_tests(python):
    ran = python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", FOLDER / "test_goofspiel.py"
    ).stdout
    assert "16 passed, 3 skipped" in ran, ran  # it has no move trees, no facts and no report


CHECK = "from strozzi_sim.conformance import check_game; from goofspiel import GAME; print(check_game(GAME, deals=1).promises)"
