"""The command line: what it prints, where, and with which exit code. What depends on the process runs in one of its own."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commands import strozzi
from our_games import KNOWN_GAMES, OUR_GAMES
from strozzi_sim.cli import app as cli_app
from strozzi_sim.cli.parser import PLACES, SUMMARIES, command_named
from strozzi_sim.cli.play import names_meant
from strozzi_sim.cli.show import linked
from strozzi_sim.errors import Stopped, StorageError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import shipped_variants
from strozzi_sim.runtime import cache
from strozzi_sim.runtime.system import ENDING

BOT = """
from strozzi_sim.agent import compiled_agent

@compiled_agent(name="bad")
def bad(state, rules, params, memory, rng):
    '''Chooses what is not there.'''
    return 99
"""


def process(*arguments, cwd=None, stdin=None, **environment):
    command = [sys.executable, "-m", "strozzi_sim", *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, input=stdin, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=False
    )  # fmt: skip


def document(*arguments, **options):
    done = strozzi(*arguments, "--json", **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_help_lists_every_command_and_each_has_an_example():
    """The summaries of the list are those of the docstrings."""
    overview = strozzi("--help")
    assert overview.returncode == 0
    assert list(SUMMARIES) == list(PLACES)
    for command in PLACES:
        assert SUMMARIES[command] == command_named(command).summary
        assert f"  {command:<12} {SUMMARIES[command]}\n" in overview.stdout
        page = strozzi(command, "--help")
        assert page.returncode == 0
        assert f"strozzi {command}" in page.stdout.split("Example:")[1]
        assert not re.search(r"default:\s+[A-Z_]{3,}", page.stdout), "a constant is shown by its name"


def test_help_imports_nothing_heavy():
    code = "import sys; from strozzi_sim.cli.app import run; run(['--help']); run(['run', '--help']); print(sorted(set(sys.modules) & {'numpy', 'numba', 'pandas', 'matplotlib', 'scipy', 'joblib', 'rich', 'msgspec'}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_bench_imports_no_table_or_picture_library():
    # numba itself imports scipy.linalg, for the addresses of its BLAS
    code = (
        "import sys; from strozzi_sim.cli.app import run; run(['bench', 'strozzi', '--games', '50', '--workers', '2']);"
        "print(sorted(set(sys.modules) & {'pandas', 'pyarrow', 'matplotlib', 'scipy.stats', 'scipy.special'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_bench_json():
    found = document("bench", "strozzi", "--players", 4, "--agents", "random", "--workers", 1, "--games", 1000)
    assert set(found) == {
        "game", "players", "agents", "workers", "games", "seconds", "games_per_s", "rounds_per_s", "decisions_per_s",
        "decisions_per_game", "s_per_decision", "playouts_per_s", "compile_s", "first_result_s", "peak_rss_mib", "slower",
    }  # fmt: skip
    assert found["games"] == 1000
    assert found["agents"] == ["random"] * 4
    assert found["rounds_per_s"] == pytest.approx(3 * found["games_per_s"])
    assert 100 < found["decisions_per_game"] < 125
    assert found["playouts_per_s"] is None


@pytest.mark.slow
def test_bench_counts_playouts():
    found = document("bench", "strozzi", "--agents", "ismcts:iterations=10,random", "--workers", 1, "--games", 3)
    assert found["playouts_per_s"] > 10


def test_agents_and_games_json():
    agents = {agent["name"]: agent for agent in document("agents")}
    styles = {"florence", "promoter", "racer", "trader", "pirate-early", "pirate-late", "picky", "eager"}
    assert set(agents) >= {"random", "greedy", "heuristic", *styles}
    assert agents["random"]["stochastic"] is True
    assert set(agents["greedy"]["params"]["margin"]) >= {"default", "low", "high"}
    found = {game["name"]: game for game in document("games")}
    for name in OUR_GAMES:
        game = load_game(name)
        assert found[name] == {
            "name": name, "players": list(game.player_counts), "variants": ["base", *shipped_variants(game)],
            "behaviour": game.behaviour, "tiers": dict(game.tiers),
        }  # fmt: skip
    (strozzi_alone,) = document("games", "strozzi")
    assert strozzi_alone == found["strozzi"] | {"actions": 14, "observation_size": 354, "state_bytes": 428}
    assert document("cache")["folders"]


def test_agents_games_and_cache_in_the_terminal():
    assert "heuristic" in strozzi("agents").stdout
    assert "weight of ship prizes" in strozzi("agents", "heuristic").stdout
    assert "no parameters" in strozzi("agents", "random").stdout
    assert "variant long-tracks" in strozzi("games").stdout
    assert "state bytes: " in strozzi("games", "strozzi").stdout
    assert "MiB" in strozzi("cache").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--warm", "medici"], "medici_vs_strozzi"),
        (["--warm", "--clear"], "--clear: leave out --warm, or this"),
        (["strozzi"], "GAME: must be left out without --warm, got strozzi"),
    ],
)
def test_what_cannot_be_compiled_ahead_is_refused(arguments, words):
    done = strozzi("cache", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


@pytest.mark.nightly
def test_after_warm_nothing_is_compiled():
    (line,) = json.loads(process("cache", "--warm", "medici_vs_strozzi", "--json").stdout)
    assert line["pieces"] > 15
    assert line["mib"] > 0.5
    assert Path(line["folder"]).name.startswith("medici_vs_strozzi-")
    code = """
from numba.core.compiler_machinery import PassManager
PassManager.run = None
import strozzi_sim as ss
ss.simulate("medici_vs_strozzi", agents=["fair-price"], deals=2)
print("simulated")
position = ss.Position("medici_vs_strozzi", 2)
position.observation()
position.play(position.ask("appraiser:playouts=4"))
ss.VectorEnv("medici_vs_strozzi", 2, 4).reset(seed=1)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "simulated\n"), done.stderr


def test_cache_can_be_cleared(tmp_path):
    cache._make(tmp_path / f"strozzi-{7:016x}")
    assert "1 folders removed" in process("cache", "--clear", STROZZI_CACHE_DIR=tmp_path, TMPDIR=tmp_path).stdout
    assert list(tmp_path.iterdir()) == []


def test_run_and_report(tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(
        'name = "tiny"\ngame = "strozzi"\nplayers = [3]\ndeals = 60\nlineups = [["random"]]\n[report]\npages = ["balance"]\n'
    )
    found = document("run", study, cwd=tmp_path)
    assert found["games"] == found["played_now"] == 60
    assert Path(found["results"]) == Path("results/tiny")
    assert (tmp_path / found["report"]).is_file()
    assert (tmp_path / found["tables"]["balance"]).is_file()
    assert document("run", study, cwd=tmp_path)["played_now"] == 0
    (tmp_path / found["report"]).unlink()
    again = document("report", tmp_path / "results" / "tiny")
    assert Path(again["report"]).is_file()
    assert again["played_now"] == 0


@pytest.mark.parametrize(
    ("can", "words"), [(True, ""), (False, "strozzi: no browser can be opened here; open {} in one\n")]
)
def test_the_page_is_opened_in_the_browser_or_it_is_said_that_there_is_none(can, words, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or can)
    folder = tmp_path / "a folder"
    play = ["balance", "strozzi", "--players", 3, "--agents", "random", "--deals", 60, "--out", folder]
    for command in ([*play, "--open"], ["report", folder, "--open", "--json"]):
        done = strozzi(*command)
        assert (done.returncode, opened) == (0, [(folder / "report.html").as_uri()])
        assert done.stderr.endswith(words.format(folder / "report.html"))
        opened.clear()
    assert strozzi(*play).returncode == 0
    assert opened == []


@pytest.mark.parametrize(
    ("terminal", "is_link"),
    [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"TERM": "xterm", "NO_COLOR": "1"}, False), (None, False)],
)
def test_a_printed_path_is_a_link_where_a_terminal_can(terminal, is_link, tmp_path, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in (terminal or {"TERM": "xterm"}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal is not None)
    path = tmp_path / ("a long folder " * 20) / "report.html"
    text = linked(path)
    assert re.sub("\x1b]8;[^\x1b]*\x1b\\\\", "", text) == str(path)
    assert (f";{path.as_uri()}\x1b" in text) == is_link
    assert ("\x1b" in text) == is_link


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("record") / "games.jsonl"
    asked = "record strozzi --players 4 --agents random,heuristic --games 3 --seed 7 --out"
    found = document(*asked.split(), path)
    assert found == {"out": str(path), "games": 3, "seed": 7}
    return path


def test_records_are_written_and_verified(games):
    headers = [line for line in map(json.loads, games.read_text().splitlines()) if line["type"] == "game"]
    assert [header["deal"] for header in headers] == [0, 1, 2]
    assert headers[0]["agents"] == ["random", "heuristic", "random", "heuristic"]
    assert headers[0]["format"] == "strozzi-sim.record/1"
    assert document("verify", games) == {"ok": True, "games": 3, "line": None, "message": None}


def test_one_game_of_a_study_can_be_had_again(games, tmp_path):
    one = tmp_path / "one.jsonl"
    asked = "record strozzi --players 4 --agents random,heuristic --deal 1 --seed 7 --out"
    document(*asked.split(), one)
    lines = games.read_text().splitlines()
    starts = [k for k, line in enumerate(lines) if line.startswith('{"type":"game"')]
    assert one.read_text().splitlines() == lines[starts[1] : starts[2]]
    document(*asked.split(), one, "--seating", 1)
    assert json.loads(one.read_text().splitlines()[0])["agents"] == ["heuristic", "random", "heuristic", "random"]


def test_a_record_replaces_a_record_and_another_file_only_if_told_so(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("my thesis")
    asked = ("record", "strozzi", "--players", 3, "--out", file)
    done = strozzi(*asked)
    advice = "move it away, name another file, or give `--overwrite`"
    assert done.stderr == f"strozzi: error: --out: {file} exists and is not a record of strozzi-sim; {advice}\n"
    assert (done.returncode, file.read_text()) == (2, "my thesis")
    assert strozzi(*asked, "--overwrite").returncode == strozzi(*asked).returncode == 0
    assert strozzi("verify", file).returncode == 0


def test_a_list_of_things_leaves_no_option_out(tmp_path):
    done = strozzi("worth", "strozzi", "--deals", 5000, "--out", tmp_path / "r")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "strozzi: error: THINGS: name things or patterns such as flag:pirate, or give `--all`"
    )
    assert "flag:pirate" in strozzi("worth", "strozzi", "--variant", "long-tracks").stdout
    assert strozzi("worth", "strozzi", "--tables").returncode == 2
    assert not (tmp_path / "r").exists()


def test_a_broken_rule_is_named_by_its_line(games, tmp_path):
    lines = games.read_text().splitlines()
    number = next(k for k, line in enumerate(lines) if '"place"' in line)
    event = json.loads(lines[number])
    event["speed"] += 1
    lines[number] = json.dumps(event)
    changed = tmp_path / "changed.jsonl"
    changed.write_text("\n".join(lines) + "\n")
    done = strozzi("verify", changed)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"strozzi: error: {changed}: line {number + 1}: ")
    done = strozzi("verify", changed, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["line"] == number + 1


def test_replay_shows_words_and_board(games):
    done = strozzi("replay", games, "--game", 2)
    assert done.returncode == 0
    assert done.stdout.count("Tracks ") == 4
    assert "Round 3 begins" in done.stdout
    assert "The game ends; the best first: " in done.stdout
    assert "florence" in done.stdout
    assert len(document("replay", games, "--game", 3)["words"]) > 100


@pytest.mark.slow
def test_after_play_a_person_reads_what_each_decision_cost():
    answers = "pa\nvenice\nrome\nnaples\nT\n" * 400
    given = ("--players", 3, "--agents", "greedy", "--seat", 1, "--seed", 5, "--judge", "learned")
    done = process("play", "strozzi", *given, stdin=answers)
    assert done.returncode == 0, done.stderr
    judged = done.stdout.partition("judged by learned, the mean of 32 draws for each figure")[2]
    assert re.search(r"^  1 +you +[-+][\d.]+ .* \d+\.\d\d +\d+ +(\d|below)", judged, re.MULTILINE)
    assert "turning points, by change of the expected share of the win" in judged


def test_only_an_agent_that_evaluates_can_judge():
    for judge, words in (
        ("heuristic", "agent 'heuristic' does not evaluate positions"),
        ("learned:level=11", "agent 'learned:level=11': level must be between 0 and 10, got 11"),
        ("network", "agent 'network': weights must be a file"),
    ):
        refused = strozzi("play", "strozzi", "--players", 3, "--judge", judge, stdin="")
        assert refused.returncode == 2
        assert f"--judge: {words}" in refused.stderr


@pytest.mark.slow
def test_a_person_can_play_to_the_end():
    answers = "nonsense\npass\n" + "pa\nvenice\nrome\nnaples\nT\n" * 400
    done = strozzi("play", "strozzi", "--players", 3, "--agents", "greedy", "--seat", 1, "--seed", 5, stdin=answers)
    assert done.returncode == 0, done.stderr
    assert "'nonsense' is not a valid choice" in done.stdout
    assert "The game ends; the best first: " in done.stdout
    assert re.search(r"^Round 1 is scored\. +ships +markers +bonus +coins$", done.stdout, re.MULTILINE)
    assert re.search(r"^  you +\d+ +\d+ +\d+ +\d+$", done.stdout, re.MULTILINE)
    left = strozzi("play", "strozzi", "--players", 3, stdin="p\nq\n")
    assert "'p' may be pass / pirate / plus_one." in left.stdout
    assert left.returncode == 0
    assert "You left the table." in left.stdout


def test_a_person_chooses_tasks_by_name_and_is_told_the_end():
    first = "t_ed\nT_ED5 T_LORD\nt_bord, t_ed5\n"
    spaces = "".join(f"{column}{row}\n" for column in "abcdefghi" for row in range(1, 7))
    answers = first + ("draw\nstop\nstop\n" + "6\n5\n4\n3\n2\n1\nseat\ngood\ndecline\n0\n" + spaces) * 30
    done = strozzi("play", "strasbourg", "--players", 3, "--agents", "random", "--seed", 34, stdin=answers)
    assert done.returncode == 0, done.stderr
    assert "'t_ed' may be T_ED5 / T_ED6." in done.stdout
    assert "'T_ED5 T_LORD' is not a valid choice" in done.stdout
    assert "You keep T_ED5 (2 beside E5, 5 points), T_BORDER6 (6 on the border, 5 points)." in done.stdout
    assert "You draw 3, " in done.stdout
    assert "(seat 0)" not in done.stdout
    lines = done.stdout.splitlines()
    start = lines.index(next(line for line in lines if line.startswith("The game ends.")))
    points = [line.split()[-1] for line in lines[start + 1 : start + 4]]
    board = lines[start:]
    heading = next(k for k, line in enumerate(board) if line.split()[-1:] == ["total"])
    assert [row.split()[-1] for row in board[heading + 1 : heading + 4]] == points
    # a part of the table is printed only where it has changed
    assert sum(line.startswith("City ") for line in lines) < sum(" > " in line for line in lines)


@pytest.mark.slow
def test_a_person_can_ask_for_help_and_take_a_choice_back():
    answers = "help\n?\nboard\nundo\nmore\nundo\nmore\nstop\n3\n\nquit\n"
    done = strozzi("play", "medici_vs_strozzi", "--agents", "random", "--seed", 1, stdin=answers)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("  undo   to take your last choice back") == 2
    assert done.stdout.count("\nH3\n") >= 2
    assert "There is no choice of yours to take back." in done.stdout
    shown = re.findall(r"You show (\S+)\.", done.stdout)
    assert shown[1] == shown[2]  # `more` was taken back, and shows the same again
    assert "Taken back: more, and all that followed." in done.stdout
    assert "You name 3 coins." in done.stdout


@pytest.mark.slow
def test_a_choice_that_leads_to_debt_is_confirmed(tmp_path):
    study = tmp_path / "poor.toml"
    study.write_text(
        'name = "poor"\ngame = "medici_vs_strozzi"\ndeals = 2\nlineups = [["random"]]\nvariants = ["poor"]\n'
        "[variant.poor.money]\nstart_cash = 20\n"
    )
    arguments = ["play", "medici_vs_strozzi", "--agents", "random", "--variant", "poor", "--study", study]
    done = strozzi(*arguments, stdin="stop\n30\nno\n40\nyes\nquit\n")
    assert "You have 20 coins; if Strozzi declines, this leaves you with -10. Type yes to do it" in done.stdout
    assert "this leaves you with -20." in done.stdout
    assert "You name 30 coins." not in done.stdout
    assert "You name 40 coins." in done.stdout
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_whatever_is_typed_is_answered():
    typed = b"\x00\n\xff\xfe\x1b[A\n" + b"x" * 9999 + b"\n"
    command = [sys.executable, "-m", "strozzi_sim", "play", "medici_vs_strozzi", "--agents", "random"]
    done = subprocess.run(command, input=typed, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"is not a valid choice") == 3
    assert max(map(len, done.stdout.splitlines())) < 200
    assert b"\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("3", []), ("30", ["30"]), ("5@", []), ("5@h1", ["5@H1"]), ("4+", []), ("4+2", ["4+2"]), ("di", ["discard"]), ("d", ["discard", "draw"]),
        ("disc", ["discard"]), ("q", []), ("¹", []),
    ],
)  # fmt: skip
def test_numbers_are_typed_whole(answer, found):
    assert names_meant(answer, ["30", "31", "5@H1", "4+2", "discard", "draw"], ()) == found


# -- bad input -------------------------------------------------------------------------------------------------------

BAD = {
    "bench strozi": f"GAME: unknown game 'strozi'; {KNOWN_GAMES}; did you mean 'strozzi'?",
    "bench strozzi --players 3-5": "--players: this is played at one player count",
    "bench strozzi --players 3 --agents random,random,random,random": "--agents: 4 agents",
    "bench strozzi --seconds 0.001": "--seconds: must be between 0.01 and 1,000,000, got 0.001",
    "bench strozzi --games 5 --seconds 5": "--seconds: leave out --games, or this",
    "bench strozzi --speed": "--speed: there is no such option; did you mean --seed? (see strozzi bench --help)",
    "bench strozzi --json=1": "--json: takes no value, got '1'",
    "bench strozzi --seed": "--seed: a value is missing",
    "balance strozzi --open": "--open: there is no page without --out",
    "replay games.jsonl --open": "--open: there is no page without --html",
    "bench strozzi --open": "--open: there is no such option",
    "bench strozzi more": "'more': there is no place for it",
    "bench": "GAME: is needed",
    "xyz": "no command 'xyz'; strozzi --help lists them",
    "rnu study.toml": "no command 'rnu'; did you mean 'run'?",
    "bench strozzi --agents greedy:margins=2": "greedy has no parameter 'margins'; known: margin",
    "bench strozzi --agents ismcts:backup=maxm": "backup: got 'maxm'; known: ",
    "bench strozzi --agents ismcts:rollout=(gredy)": "did you mean 'greedy'?",
    "balance strozzi --players 3-4 --agents random,random,random,random": "for 3 seats",
    "balance strozzi --set tracks.bonus.7=1_0": "--set: tracks.bonus.7: expected plain digits, got '1_0'",
    "balance strozzi --agents racer:speed=1_0": "--agents: agent 'racer:speed=1_0': speed must be a number",
    "heatmap strozzi --rows seat --columns round --where round==1_0": "--where: 'round==1_0' is not a condition",
    "tournament strozzi --players 4 --agents random,greedy,racer": "--agents: 4 players need at least as many agents, got greedy,",
    "compare strozzi greedy": "SECOND: ",
    "record strozzi --deal 3 --games 2": "--games: `--deal` is one game, got 2 games",
    "record strozzi --out /nowhere/at/all.jsonl": "cannot write /nowhere/at/all.jsonl",
    "record strozzi --out=": "--out: a file or folder name must not be empty; use . for the current folder",
    "verify nothing.jsonl": "nothing.jsonl: there is no such file",
    "report nowhere": "nowhere: holds no ",
    "run nothing.toml": "nothing.toml: there is no such file",
    "play strozzi --seat 9": "--seat: must be between 0 and 3, got 9",
    "play strozzi --json": "--json: there is no such option",
    "record strozzi --out a\0b": "--out: must not hold a NUL character, got ",
    "run a\0b": "FILE: must not hold a NUL character, got ",
    f"bench strozzi --games {'9' * 5000}": "--games: ",
    "bench strozzi --seconds nan": "--seconds: ",
    f"bench strozzi --agents {'a' * 10**6}": "--agents: ",
    f"bench strozzi --agents {'(' * 10**5}{')' * 10**5}": "--agents: ",
    f"bench strozzi --agents {'ismcts:rollout=(' * 300}random{')' * 300}": "--agents: ",
    "bench strozzi --agents a\x1b[2J\udcff": "--agents: ",
    f"run {'x' * 5000}": "File name too long",
}


@pytest.mark.parametrize(("line", "words"), BAD.items(), ids=lambda text: repr(text[:60]))
def test_bad_input_is_one_short_line_and_leaves_nothing(tmp_path, line, words):
    done = strozzi(*line.split(" "), cwd=tmp_path)
    assert done.returncode == (4 if "cannot write" in words or "too long" in words else 2), done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("strozzi: error: ")
    assert done.stderr.count("\n") == 1
    assert done.stderr[:-1].isprintable()
    assert len(done.stderr) < 2_100
    assert words in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_process_ends_with_the_exit_code():
    """The rows above run in the test's process."""
    done = process("bench", "strozi")
    assert (done.returncode, done.stdout) == (2, "")
    assert BAD["bench strozi"] in done.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"type":"game"', "line 1: not a line of JSON"),
        ("[1]\n", "line 1: expected an object with a type"),
        ('{"type":"reveal","player":0}\n', "line 1: expected a line of type game"),
        ('{"type":"game","format":"chess/1"}\n', "line 1: format: expected 'strozzi-sim.record/1', got 'chess/1'"),
        ("", "holds no game"),
    ],
)
def test_unreadable_records_are_refused_by_line(tmp_path, content, words):
    path = tmp_path / "record.jsonl"
    path.write_text(content)
    done = strozzi("verify", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_a_truncated_record_is_refused(games, tmp_path):
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(games.read_bytes()[:-30])
    done = strozzi("verify", cut)
    assert done.returncode == 2
    assert "the file ends in the middle of a line" in done.stderr
    lines = games.read_text().splitlines(keepends=True)
    cut.write_text("".join(lines[:-1]))
    done = strozzi("verify", cut)
    assert done.returncode == 1
    assert f"line {len(lines) - 1}:" in done.stderr


def test_an_agents_fault_is_exit_3_with_a_replay_that_faults_again(tmp_path):
    (tmp_path / "bots.py").write_text(BOT)
    bench = ("bench", "strozzi", "--agents", "bots.py::bad", "--workers", 1)
    done = strozzi(*bench, "--games", 5, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert "illegal action 99" in done.stderr
    replay = done.stderr.split("replay: strozzi ")[1].strip().replace("'", "").split()
    assert strozzi(*replay, cwd=tmp_path).returncode == 3
    assert not (tmp_path / "fault.jsonl").exists()
    (tmp_path / "bots.py").write_text("import nothing_of_that_name")
    assert strozzi(*bench, cwd=tmp_path).returncode == 3


def test_the_replay_of_a_played_game_has_its_variant(tmp_path):
    (tmp_path / "bots.py").write_text(BOT)
    given = ["--players", 3, "--agents", "bots.py::bad", "--seat", 1, "--set", "setup.rounds=2"]
    done = strozzi("play", "strozzi", *given, cwd=tmp_path, stdin="quit\n")
    assert done.returncode == 3
    words = "--players=3 --agents=bots.py::bad --seat=1 --seed=0 --deal=0 --variant=base --set=setup.rounds=2"
    assert done.stderr.endswith(f"replay: strozzi play strozzi {words}\n")


@pytest.mark.parametrize("kind", [ImportError, OSError, StorageError])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_error_that_a_signal_caused_is_an_interruption(number, kind, monkeypatch, capsys):
    """A compiled module stopped in its import says "initialization failed" and nothing of the signal."""

    def importing(**_):
        try:
            signal.raise_signal(number)
        except Stopped:
            raise kind("initialization failed") from None

    before = {each: signal.getsignal(each) for each in ENDING}
    monkeypatch.setattr(cli_app, "arguments_of", lambda *_: importing())
    monkeypatch.setattr(cli_app, "_signals", [])
    monkeypatch.setattr(sys, "argv", ["strozzi", "games"])
    try:
        signal.signal(number, signal.SIG_DFL)  # nohup ignores SIGHUP
        with pytest.raises(SystemExit) as left:
            cli_app.main()
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert left.value.code == 128 + number
    assert capsys.readouterr().err == f"strozzi: error: interrupted by {number.name}\n"
