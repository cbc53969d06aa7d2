"""More deals extend a study, and parts of it merge: the same bytes as one run, and whatever does not fit is refused by name."""

import shutil
from pathlib import Path

import pytest
from strozzi_sim.studies.folder import MANIFEST, read_manifest, write_manifest
from strozzi_sim.studies.plan import Part
from strozzi_sim.studies.results import load_results
from strozzi_sim.studies.store import Store

import strozzi_sim as ss
from strozzi_sim.cli.app import run as command
from strozzi_sim.errors import ArgumentError, InputError
from study_database import chunks, execute, keep_chunks

STUDY = {
    "name": "parts", "game": "strozzi", "seed": 5, "players": [3, 4], "deals": 125, "chunks": 12, "lineups": [["greedy"], ["heuristic", "random", "greedy", "random"]],
    "facts": ["ship"], "facts_share": 0.25, "rows": True, "report": {"pages": ["balance", "flags"]},
}  # fmt: skip
FILE = """
name = "parts"
game = "strozzi"
players = [3]
deals = 40
lineups = [["random"]]
[report]
pages = ["balance"]
"""


def study(**changes):
    return ss.Study(**{**STUDY, **changes})


def contents(folder):
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for name in ("tables", "games", "facts")
        for file in sorted((folder / name).rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A study of 220 deals, in chunks of 11, which 125 deals in 12 chunks begin."""
    return ss.run(study(), tmp_path_factory.mktemp("whole") / "r", workers=1, deals=220)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    place = tmp_path_factory.mktemp("parts")
    return [ss.run(study(), place / f"p{k}", workers=1, deals=220, part=f"{k}/3").folder for k in (1, 2, 3)]


@pytest.fixture
def copies(parts, tmp_path):
    return [Path(shutil.copytree(part, tmp_path / part.name)) for part in parts]


# -- extension ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_more_deals_extend_a_study_to_the_byte(whole, tmp_path):
    first = ss.run(study(), tmp_path / "r", workers=1)
    assert first.n_games == 2 * 125 + 125 * 4
    second = ss.run(study(), tmp_path / "r", workers=2, deals=220)
    assert second.new_games == 6 * (220 - 121)  # 11 full chunks stay, the short last one is played again
    assert contents(tmp_path / "r") == contents(whole.folder)
    assert load_results(tmp_path / "r").n_games == 6 * 220


@pytest.mark.slow
def test_a_study_with_the_same_chunks_extends_without_deals(whole, tmp_path):
    ss.run(study(chunks=None, chunk_deals=11), tmp_path / "r", workers=1)
    ss.run(study(chunks=None, chunk_deals=11, deals=220), tmp_path / "r", workers=1)
    assert contents(tmp_path / "r") == contents(whole.folder)


@pytest.mark.slow
def test_an_extension_that_was_killed_resumes(whole, tmp_path):
    folder = tmp_path / "r"
    ss.run(study(), folder, workers=1)
    keep_chunks(folder, 20)
    extended = study().with_plan(study().plan.extended(220))
    with Store(folder, extended.plan) as store:  # dies before it plays
        assert len(store.done) == 20 - 1
    assert ss.run(study(), folder, workers=1, deals=220).n_games == 6 * 220
    assert contents(folder) == contents(whole.folder)


@pytest.mark.slow
def test_a_damaged_study_extends(whole, tmp_path):
    folder = tmp_path / "r"
    ss.run(study(), folder, workers=1)
    execute(folder, "UPDATE chunks SET outcome = x'00' WHERE cell = 1 AND chunk = 3")
    ss.run(study(), folder, workers=1, deals=220)
    assert contents(folder) == contents(whole.folder)


def test_fewer_deals_are_refused_and_other_chunks_too(whole):
    with pytest.raises(
        InputError, match="holds 220 deals of this study, more than 125; ask for at least as many, or name"
    ):
        ss.run(study(), whole.folder, workers=1)
    with pytest.raises(
        InputError, match=r"another plan .*chunk_deals: 11 there, 20 here.*set chunk_deals = 11 in its file"
    ):
        ss.run(study(deals=240), whole.folder, workers=1)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"precision": 3.0, "chunks": None}, "it may stop before all deals are played"),
        ({"lineups": [["greedy"], ["flat_mc"]], "search_deals": 10}, "search_deals divides its deals differently"),
    ],
)
def test_what_cannot_be_divided_is_refused(changes, words, tmp_path):
    for asked in ({"deals": 200}, {"part": "1/2"}):
        with pytest.raises(ArgumentError, match=words) as refusal:
            ss.run(study(**changes), tmp_path / "r", workers=1, **asked)
        assert refusal.value.argument in asked
    assert not (tmp_path / "r").exists()


# -- parts -------------------------------------------------------------------------------------------------------------


def test_merged_parts_are_one_run_to_the_byte(whole, parts, tmp_path):
    merged = ss.merge(parts[::-1], tmp_path / "m")
    assert merged.new_games == 0
    assert merged.n_games == whole.n_games
    assert contents(tmp_path / "m") == contents(whole.folder)
    assert ss.run(study(), tmp_path / "m", workers=1, deals=220).new_games == 0


def test_parts_are_disjoint_and_whatever_they_do_the_same_for_more_deals(parts):
    found = [chunks(part) for part in parts]
    assert sum(map(len, found)) == len({key for keys in found for key in keys}) == 3 * 20
    assert {len(keys) for keys in found} == {20}
    assert all(Part(k, 3).has(*key) for k, keys in enumerate(found, start=1) for key in keys)


def test_a_part_extends_and_resumes_in_its_folder(parts, tmp_path):
    folder = tmp_path / "p2"
    ss.run(study(), folder, workers=1, part="2/3")
    keep_chunks(folder, 5)
    ss.run(study(), folder, workers=1, deals=220, part="2/3")
    assert chunks(folder) == chunks(parts[1])
    merged = ss.merge([parts[0], folder, parts[2]], tmp_path / "m")
    assert merged.n_games == 6 * 220


def test_a_part_is_no_study_and_a_study_no_part(parts, whole, tmp_path):
    with pytest.raises(InputError, match=r"holds part 1/3 of a study; join all parts with `strozzi merge`"):
        load_results(parts[0])
    with pytest.raises(InputError, match=r"holds part 1/3 of the study, not all of it; name another folder"):
        ss.run(study(), parts[0], workers=1, deals=220)
    with pytest.raises(InputError, match=r"holds part 1/3 of the study, not part 2/3; name another folder"):
        ss.run(study(), parts[0], workers=1, deals=220, part="2/3")
    with pytest.raises(InputError, match=r"holds the study without parts, not part 2/3; name another folder"):
        ss.run(study(), whole.folder, workers=1, deals=220, part="2/3")
    with pytest.raises(InputError, match="holds a study without parts"):
        ss.merge([whole.folder, *parts], tmp_path / "m")


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3"])
def test_what_is_no_part_is_refused(text, tmp_path):
    with pytest.raises(ArgumentError, match=r"part: must be I/N with 1 <= I <= N, such as 2/5, got "):
        ss.run(study(), tmp_path / "r", part=text)


def test_more_parts_than_chunks_are_refused(tmp_path):
    with pytest.raises(ArgumentError, match="part: 90/100 has none of the 12 chunks of a cell; use fewer parts"):
        ss.run(study(), tmp_path / "r", part="90/100")
    with pytest.raises(ArgumentError, match="part: needs a results folder"):
        ss.run(study(), part="1/2")


# -- what does not fit -------------------------------------------------------------------------------------------------


def change(folder, **keys):
    manifest = read_manifest(folder)
    for key, value in keys.items():
        manifest[key] = {**manifest[key], **value} if isinstance(value, dict) else value
    write_manifest(folder, manifest)


MISFITS = [
    (lambda parts: parts.pop(), r"part 3 of 3 is missing; play it with part 3/3 into a folder of its own"),
    (lambda parts: parts.append(Path(shutil.copytree(parts[1], parts[1].parent / "twin"))), r"part 2/3 is given twice: \S*p2 and \S*twin; leave one"),
    (lambda parts: shutil.rmtree(parts[1]), r"p2: holds no part of a study \(no manifest.json\)"),
    (lambda parts: keep_chunks(parts[1], 7), r"p2: part 2/3 lacks \d+ of its \d+ chunks; run its command again: "),
    (lambda parts: execute(parts[2], "UPDATE chunks SET counts = x'00' WHERE chunk = 4 AND cell = 1"), r"p3: chunk 4 of cell 1 is damaged; run the command of this folder again"),
    (lambda parts: change(parts[1], versions={"numba": "0.1"}), r"p2: has another version than \S*p1 \(numba: \"0.1\" in \S*p2, .* in \S*p1\); play this part again"),
    (lambda parts: change(parts[1], host={"cpu": "z80 00"}), r"p2: has another processor than \S*p1 \(cpu: \"z80 00\" in"),
    (lambda parts: change(parts[2], part="3/4"), r"p3: has another number of parts than"),
    (lambda parts: change(parts[2], part="4/3"), r"manifest.json: part: must be I/N"),
    (lambda parts: execute(parts[2], "UPDATE chunks SET id = id - 1, chunk = chunk - 1 WHERE chunk = 4 AND cell = 1"), r"p3: chunk 3 of cell 1 does not belong there"),
]  # fmt: skip


@pytest.mark.parametrize(("harm", "words"), MISFITS)
def test_parts_that_do_not_fit_are_named_and_nothing_is_written(harm, words, copies, tmp_path):
    harm(copies)
    with pytest.raises(InputError, match=words):
        ss.merge(copies, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_parts_of_another_plan_are_named(copies, tmp_path):
    other = ss.run(study(seed=6), tmp_path / "other", workers=1, deals=220, part="2/3").folder
    with pytest.raises(InputError, match=r"other: has another plan than \S*p1 \(seed: 6 in \S*other, 5 in"):
        ss.merge([copies[0], other, copies[2]], tmp_path / "m")


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_plays_parts_and_joins_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text(FILE)
    assert command(["run", "study.toml", "--part", "1/2"]) == 2
    assert "--part: a part needs a folder of its own: add --out results/parts-1-of-2" in capsys.readouterr().err
    for part in (1, 2):
        assert command(["run", "study.toml", "--part", f"{part}/2", "--out", f"p{part}", "--workers", "1"]) == 0
    assert "part 2/2: p2; join all parts: strozzi merge DIR... --out DIR" in capsys.readouterr().out
    assert command(["merge", "p1", "--out", "m"]) == 2
    assert "part 2 of 2 is missing" in capsys.readouterr().err
    assert command(["merge", "p1", "p2", "--out", "m"]) == 0
    assert Path("m/report.html").exists()
    assert command(["run", "study.toml", "--deals", "60", "--out", "m"]) == 0
    assert "20 games played" in capsys.readouterr().out
    assert (read_manifest(Path("m"))["deals"], (Path("m") / MANIFEST).exists()) == (60, True)
