"""More deals extend a study, and parts of it merge: the same bytes as one run; parts that do not fit are refused by name."""

import shutil
from pathlib import Path

import pytest

import strozzi_sim as ss
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.study.progress import GAMES, Progress
from study_database import chunks, execute, keep_chunks
from study_examples import played

KEYS = {
    "game": "strozzi", "seed": 5, "players": [3, 4], "deals": 125, "chunk_deals": 11, "lineups": [["greedy"], ["heuristic", "random", "greedy", "random"]],
    "facts": ["ship"], "facts_share": 0.25, "rows": True, "report": {"pages": ["balance", "flags"]},
}  # fmt: skip
ALL = {**KEYS, "deals": 220}


def contents(folder):
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for name in ("tables", "games", "facts")
        for file in sorted((folder / name).rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return played(ALL, tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    place = tmp_path_factory.mktemp("parts")
    return [played(ALL, place / f"p{k}", part=f"{k}/3").folder for k in (1, 2, 3)]


@pytest.fixture
def copies(parts, tmp_path):
    return [Path(shutil.copytree(part, tmp_path / part.name)) for part in parts]


def test_more_deals_extend_a_study_to_the_byte(whole, tmp_path):
    assert played(KEYS, tmp_path).n_games == 2 * 125 + 125 * 4
    second = played(KEYS, tmp_path, workers=2, deals=220)
    assert second.new_games == 6 * (220 - 121)  # 11 full chunks stay, the short last one is played again
    assert contents(tmp_path) == contents(whole.folder)
    assert ss.load_results(tmp_path).n_games == 6 * 220


def test_fewer_deals_and_other_chunks_are_refused(whole):
    with pytest.raises(InputError, match="holds 220 deals of this study, not 125; ask for at least as many, or name"):
        played(KEYS, whole.folder)
    with pytest.raises(InputError, match=r"another study .*chunk_deals: 11 there, 20 here"):
        played({**ALL, "chunk_deals": 20}, whole.folder)


@pytest.mark.parametrize(
    "changes", [{"precision": 3.0, "chunk_deals": None}, {"lineups": [["greedy"], ["flat_mc"]], "search_deals": 20}]
)
def test_a_study_that_cannot_be_divided_has_neither_more_deals_nor_parts(changes, tmp_path):
    for asked in ({"deals": 200}, {"part": "1/2"}):
        with pytest.raises(ArgumentError) as refusal:
            played({**KEYS, **changes}, tmp_path / "r", **asked)
        assert refusal.value.argument in asked
    assert not (tmp_path / "r").exists()


def test_merged_parts_are_one_run_to_the_byte(whole, parts, tmp_path):
    merged = ss.merge(parts[::-1], folder=tmp_path, workers=1)
    assert merged.new_games == 0
    assert merged.n_games == whole.n_games
    assert contents(tmp_path) == contents(whole.folder)
    assert played(ALL, tmp_path).new_games == 0


def test_parts_are_disjoint_and_stay_the_same_with_more_deals(parts):
    found = [chunks(part) for part in parts]
    assert sum(map(len, found)) == len({key for keys in found for key in keys}) == 3 * 20
    assert {len(keys) for keys in found} == {20}
    assert all(sum(key) % 3 == k for k, keys in enumerate(found) for key in keys)


def test_a_part_extends_and_resumes_in_its_folder(parts, tmp_path):
    folder = tmp_path / "p2"
    played(KEYS, folder, part="2/3")
    keep_chunks(folder, 5)
    played(ALL, folder, part="2/3")
    assert chunks(folder) == chunks(parts[1])
    assert ss.merge([parts[0], folder, parts[2]], folder=tmp_path / "m", workers=1).n_games == 6 * 220


def test_a_part_is_no_study_and_a_study_no_part(parts, whole, tmp_path):
    with pytest.raises(InputError, match=r"holds part 1/3 of a study; join all parts with `strozzi merge`"):
        ss.load_results(parts[0])
    for folder, part, there in ((parts[0], "", "1/3"), (parts[0], "2/3", "1/3"), (whole.folder, "2/3", "1/1")):
        with pytest.raises(InputError, match=rf"holds part {there} \(.*not part {part or '1/1'} .*name another folder"):
            played(ALL, folder, part=part)
    with pytest.raises(InputError, match="expected every part once"):
        ss.merge([whole.folder, *parts], folder=tmp_path / "m")


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3"])
def test_a_wrong_part_is_refused(text, tmp_path):
    with pytest.raises(ArgumentError, match=r"part: must be I/N with 1 <= I <= N, such as 2/5, got "):
        played(KEYS, tmp_path / "r", part=text)


def test_a_part_needs_a_folder():
    with pytest.raises(ArgumentError, match="part: needs a results folder"):
        played(KEYS, part="1/2")


MISFITS = [
    (lambda parts: parts.pop(), "expected every part once, got 1/3, 2/3"),
    (lambda parts: parts.append(Path(shutil.copytree(parts[1], parts[1].parent / "twin"))), "expected every part once"),
    (lambda parts: parts.append(parts[1]), r"parts: \S*p2 is named 2 times"),
    (lambda parts: shutil.rmtree(parts[1]), r"p2: holds no results of a study"),
    (lambda parts: keep_chunks(parts[1], 7), r"p2: part 2/3 is not finished; run its command again: "),
    (lambda parts: execute(parts[2], "UPDATE chunks SET facts = x'00' WHERE chunk = 4 AND cell = 1"), r"p3: part 3/3 is not finished"),
    (lambda parts: execute(parts[1], "UPDATE runs SET versions = json_set(versions, '$.numba', '0.1')"), r"p2: does not fit \S*p1 \(versions.numba: '0.1' there"),
    (lambda parts: execute(parts[1], "DELETE FROM runs"), r"p2: its run ended before it began to play; run its command again"),
    (lambda parts: execute(parts[1], "UPDATE runs SET host = json_set(host, '$.cpu', 'z80')"), r"p2: does not fit \S*p1 \(processor: 'z80' there"),
    (lambda parts: execute(parts[2], "UPDATE study SET part = '3/4'"), "expected every part once"),
    (lambda parts: execute(parts[2], "UPDATE study SET part = '4/3'"), "part: must be I/N"),
    (lambda parts: execute(parts[2], "UPDATE chunks SET chunk = chunk - 1 WHERE chunk = 4 AND cell = 1"), r"p3: part 3/3 is not finished"),
]  # fmt: skip


@pytest.mark.parametrize(("harm", "words"), MISFITS)
def test_parts_that_do_not_fit_are_named_and_nothing_is_written(harm, words, copies, tmp_path):
    harm(copies)
    with pytest.raises(InputError, match=words):
        ss.merge(copies, folder=tmp_path / "m", workers=1)
    assert not (tmp_path / "m").exists()


def test_parts_of_another_study_are_named(copies, tmp_path):
    other = played({**ALL, "seed": 6}, tmp_path / "other", part="2/3").folder
    with pytest.raises(InputError, match=r"other: does not fit \S*p1 \(seed: 6 there, 5 here\)"):
        ss.merge([copies[0], other, copies[2]], folder=tmp_path / "m")


def test_a_part_counts_its_own_games_and_has_no_results_so_far(tmp_path):
    phases, results = [], []
    progress = Progress(on_phase=lambda *phase: phases.append(phase), on_results=results.append)
    keys = {**KEYS, "deals": 60, "chunk_deals": 1, "lineups": [["random"]]}
    played(keys, tmp_path, part="1/3", progress=progress)
    assert [phase for phase in phases if phase[0] == GAMES][-1] == (GAMES, 40, 40)
    assert results == []
