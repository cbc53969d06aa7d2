"""Studies: one value, whose JSON is file and identity; errors name the key or the option."""

import dataclasses
import inspect
import json
import pickle

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strozzi_sim as ss
from strozzi_sim.cli.parser import PLACES, declared
from strozzi_sim.errors import ArgumentError, InputError, StorageError
from strozzi_sim.study.folders import study_of
from strozzi_sim.study.kinds import STUDIES
from strozzi_sim.study.look import Look
from strozzi_sim.study.store import Store, as_file
from study_examples import EXAMPLES, KEYS


def balance(**keys):
    return ss.Study.of(**{**KEYS, **keys})


@pytest.mark.parametrize("kind", STUDIES)
def test_the_json_of_a_study_is_its_file_and_its_identity(kind):
    study, look = study_of({**KEYS, **EXAMPLES[kind], "kind": kind})
    again, same_look = study_of(json.loads(as_file(study, look)))
    assert (again, again.hash, same_look) == (study, study.hash, look)
    assert [cell.lineup for cell in again.cells] == [cell.lineup for cell in study.cells]


@given(deals=st.integers(1, 3000), chunk=st.integers(1, 500), more=st.integers(0, 500))
@settings(max_examples=40, deadline=None)
def test_chunks_hold_all_deals_and_stay_when_a_study_grows(deals, chunk, more):
    study = balance(deals=deals, chunk_deals=chunk)
    cell, grown = study.cells[0], study.extended(deals + more)
    ranges = [study.deals_of(cell, k) for k in range(study.chunks)]
    assert [first for first, _ in ranges] == [0, *(last for _, last in ranges[:-1])]
    assert ranges[-1][1] == deals
    assert [grown.deals_of(grown.cells[0], k) for k in range(study.chunks - 1)] == ranges[:-1]


def test_a_changed_study_has_nothing_that_is_out_of_date():
    study = balance()
    assert study.games == 2 * 130
    assert dataclasses.replace(study, deals=260, players=(3,)).games == 260


def test_an_agent_declared_in_code_is_in_a_field_that_the_json_leaves_out():
    @ss.compiled_agent(name="own", games=("strozzi",))
    def own(state, rules, params, memory, rng):
        return 1

    study = balance(players=[3], lineups=[[own, "random", "random"]])
    for same in (study, study.extended(130), study.first_chunks(study.chunks), pickle.loads(pickle.dumps(study))):
        assert same == study
        assert (same.json, same.specs["own"].agent.name) == (study.json, "own")
        assert same.cells[0].lineup == "own,random,random"
    plain = msgspec.json.decode(study.json)
    assert {*plain} == {"kind", *(each.name for each in dataclasses.fields(study))} - {"given"}
    assert plain["agents"]["own"]["source"] == study.specs["own"].source_digest
    as_shown = type(study).shown(plain)
    assert (as_shown, as_shown.given) == (study, None)
    with pytest.raises(InputError, match="unknown agent 'own'"):
        _ = as_shown.specs
    with pytest.raises(ArgumentError, match="given: unknown key of a balance"):
        study_of({**plain, "given": {}})


def test_a_study_that_cannot_be_played_is_refused():
    with pytest.raises(ArgumentError, match=r"seed: .*9007199254740992"):
        balance(seed=2**53)
    with pytest.raises(ArgumentError, match=r"2 agents \(greedy, random\) fit no player count; give 1 agent, or 3"):
        balance(players=[3], lineups=[["greedy", "random"]])
    with pytest.raises(ArgumentError, match="chunks: is the number of chunks, chunk_deals their length; give one"):
        balance(chunks=4, chunk_deals=5)


def test_a_study_of_another_behaviour_or_with_changed_agents_is_refused():
    plain = msgspec.json.decode(balance().json)
    with pytest.raises(ArgumentError, match="behaviour"):
        study_of({**plain, "behaviour": plain["behaviour"] + 1})
    with pytest.raises(ArgumentError, match=r"agents.*random\.source"):
        study_of({**plain, "agents": {"random": {"values": {}, "source": "0" * 64}}})


def test_a_behaviour_without_agents_and_variants_is_checked_alone():
    plain = msgspec.json.decode(balance().json)
    assert balance(behaviour=plain["behaviour"]) == balance()


def test_changes_are_a_table_by_name():
    with pytest.raises(ArgumentError, match="variant: expected changes by name, got 'base'; list names in variants"):
        balance(variant="base")


def test_another_study_and_a_second_run_are_refused(tmp_path):
    ss.run(balance(), tmp_path, workers=1, progress=False)
    with pytest.raises(InputError, match="seed: 7 there, 8 here"):
        ss.run(balance(seed=8), tmp_path, progress=False)
    with (
        Store(tmp_path, balance(), Look()),
        pytest.raises(
            StorageError, match="another run is writing here; wait for it, or look at it with `strozzi report`"
        ),
    ):
        ss.run(balance(), tmp_path, progress=False)


@pytest.mark.parametrize("command", PLACES)
def test_every_argument_has_a_line_in_the_docstring(command):
    found = declared(PLACES[command])
    names = set(inspect.signature(found.function).parameters)
    assert names - {"progress"} == {each.name for each in found.arguments}
    assert all(each.words for each in found.arguments)
