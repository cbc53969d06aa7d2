"""The learned values of Strozzi: features, training, and the agent that plays by them."""

import numpy as np
import pytest

from strozzi_agents.learned import train
from strozzi_agents.learned.fit import Fit, Rows, initial, parts_of, predictions, rows_of
from strozzi_agents.learned.positions import FIRST, LATER
from strozzi_agents.learned.train import Stage, Trainer, main
from strozzi_agents.strozzi.features import COMMON, OWN
from strozzi_games import BASE, STROZZI
from strozzi_sim.agent import load_agent
from strozzi_sim.agent.analysis import LEAD, SCORE, WIN
from strozzi_sim.agent.weights import packed_networks, read_networks, write_networks
from strozzi_sim.errors import InputError
from strozzi_sim.simulation.match import Match

pytestmark = pytest.mark.slow

PLAIN = Stage(1)


@pytest.fixture(scope="module")
def trainer():
    return Trainer("strozzi", 4, seed=7)


@pytest.mark.slow
def test_labels_of_games_without_trust_are_their_results(trainer):
    games = trainer.play(0, 200, PLAIN, None, 60)
    assert (games["kept"][:, FIRST] == 1).mean() > 0.9
    label = games["label"][games["kept"] == 1]
    np.testing.assert_allclose(label[..., WIN].sum(axis=-1), 1)
    np.testing.assert_allclose(label[..., LEAD].sum(axis=-1), 0, atol=1e-4)
    assert (label[..., SCORE] == label[..., SCORE].round()).all()
    assert (games["open"][games["kept"] == 1] == 0).all()
    both = games[(games["kept"][:, LATER] == 1).all(axis=1)]
    assert (both["now"][:, LATER, :, :, 0] >= both["now"][:, FIRST, :, :, 0]).all()  # scores never fall


def test_games_are_those_of_their_numbers(trainer):
    whole = trainer.play(0, 60, PLAIN, None, 60)
    parts = [trainer.play(0, 25, PLAIN, None, 60), trainer.play(25, 35, PLAIN, None, 60)]
    assert np.concatenate(parts).tobytes() == whole.tobytes()


def test_a_fit_finds_a_known_function():
    rng = np.random.default_rng(0)
    fit = Fit(initial((6, 32, 3), 1), 600, 1e-2, 50.0)
    for _ in range(600):
        inputs = rng.normal(size=(256, 6)).astype(np.float32)
        lead = np.maximum(inputs[:, 0], 0) - inputs[:, 1]
        labels = np.stack([inputs[:, 2], lead, lead > 0], axis=1).astype(np.float32)
        fit.learn(Rows(inputs, labels), FIRST)
    inputs = rng.normal(size=(500, 6)).astype(np.float32)
    found = predictions(fit.layers(), inputs)
    lead = np.maximum(inputs[:, 0], 0) - inputs[:, 1]
    assert np.mean((found[:, LEAD] / 50 - lead) ** 2) < 0.02
    assert np.mean((found[:, SCORE] / 50 - inputs[:, 2]) ** 2) < 0.02
    assert np.mean((found[:, WIN] > 0) == (lead > 0)) > 0.95
    for part, other in zip(parts_of(fit.layers(), 50.0), fit.averaged, strict=True):
        np.testing.assert_allclose(part, other, rtol=1e-6)


def test_gradients_are_those_of_the_loss():
    """With uncorrelated errors the step is along the gradient of half the weighted loss, checked by differences."""
    from strozzi_agents.learned import fit as module

    rng = np.random.default_rng(3)
    parts = [part.astype(np.float64) + 0.1 * rng.normal(size=part.shape) for part in initial((5, 4, 3), 2)]
    inputs, labels = rng.normal(size=(8, 5)), rng.random((8, 3))

    def loss():
        outputs, _ = module._forward(parts, inputs)
        squared = 0.5 * (outputs[:, :2] - labels[:, :2]) ** 2
        logit = outputs[:, 2]
        return (squared * module._HEADS[:2]).sum() + module._HEADS[2] * (
            np.logaddexp(0, logit) - labels[:, 2] * logit
        ).sum()

    outputs, hidden = module._forward(parts, inputs)
    gradients = module._backward(parts, hidden, module._errors(outputs, labels) * module._HEADS)
    for part, gradient in zip(parts, gradients, strict=True):
        for place in np.ndindex(part.shape):
            part[place] += 1e-6
            up = loss()
            part[place] -= 2e-6
            down = loss()
            part[place] += 1e-6
            assert gradient[place] == pytest.approx((up - down) / 2e-6, abs=1e-4)


def test_rows_are_seen_from_each_seat(trainer):
    games = trainer.play(0, 40, PLAIN, None, 60)
    rows = rows_of(games, FIRST, COMMON, OWN, None, scale=1.0)
    kept = games[(games["kept"][:, FIRST] == 1).all(axis=1)]
    assert len(rows.inputs) == 2 * 4 * len(kept)
    seat, number = 2, 5
    row, features = rows.inputs[seat * len(kept) + number], kept["features"][number, FIRST, 0]
    assert (row[:COMMON] == features[:COMMON]).all()
    for turn in range(4):
        block = (seat + turn) % 4
        assert (row[COMMON + turn * OWN :][:OWN] == features[COMMON + block * OWN :][:OWN]).all()
    expected = kept["label"][number, FIRST, 0, seat, LEAD] - kept["now"][number, FIRST, 0, seat, 1]
    assert rows.labels[seat * len(kept) + number, LEAD] == pytest.approx(expected)


@pytest.mark.slow
def test_training_again_writes_the_same_bytes_and_keeps_other_player_counts(tmp_path, monkeypatch):
    """Both stages, with values that are trusted, on a small number of games."""
    monkeypatch.setattr(train, "CHUNK", 500)
    for name in ("a", "b"):
        stages = ["--stages", "1000", "500:1:2:1e-3:0:0.1"]
        main(["strozzi", str(tmp_path / name), "--players", "4", *stages, "--hidden", "16"])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    main(["strozzi", str(tmp_path / "a"), "--players", "3", "--stages", "500", "--hidden", "16"])
    assert list(read_networks(tmp_path / "a")) == [3, 4]


@pytest.mark.nightly
def test_learning_brings_the_error_down(trainer):
    layers, curve = trainer.fit(None, Stage(60_000), [32], report=lambda line: None)
    assert curve[-1]["lead_mse"] < 0.75 * curve[0]["lead_mse"]
    assert curve[-1]["win_loss"] < curve[0]["win_loss"]
    _, trusted = trainer.fit(layers, Stage(20_000, trust=0.2), [32], report=lambda line: None)
    assert trusted[-1]["lead_mse"] < 1.05 * curve[-1]["lead_mse"]


@pytest.mark.parametrize("text", ["many", "1e6:x", "1e6:1:2:3:4:5:6:7"])
def test_a_stage_that_cannot_be_read_is_refused(text):
    with pytest.raises(InputError, match="expected GAMES"):
        Stage.read(text)
    with pytest.raises(InputError, match=r"expected a multiple of 10,000, got 12345"):
        Stage.read("12345")
    assert Stage.read("1e6:1:4:1e-3") == Stage(1_000_000, 1, 4, 1e-3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["strozzi", "nowhere/w.npz"], "there is no folder nowhere"),
        (["strozzi", "w.npz", "--stages", "5"], "expected a multiple of 10,000, got 5"),
        (["strozzi", "w.npz", "--stages", "1e6:1"], "learners: must be 0 in the first stage without --start"),
        (
            ["strozzi", "w.npz", "--hidden", "16", "600"],
            "--hidden: expected at most 5 widths of 1 to 512, got [16, 600]",
        ),
        (["strozzi", "w.npz", "--hidden", *"888888"], "--hidden: expected at most 5 widths of 1 to 512, got [8, 8, 8"),
        (["strozzi", "w.npz", "--players", "4", "--start", "three.npz"], "three.npz: no network for 4 players"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_it_begins(given, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    width = COMMON + 3 * OWN
    write_networks(tmp_path / "three.npz", {3: [(np.zeros((width, 3), np.float32), np.zeros(3, np.float32))]})
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_its_networks_are_part_of_its_identity(tmp_path, monkeypatch):
    monkeypatch.setattr(train, "CHUNK", 500)
    spec = load_agent("learned", STROZZI)
    assert spec.source_digest
    main(["strozzi", str(tmp_path / "other.npz"), "--players", "4", "--stages", "500", "--hidden", "16"])
    other = load_agent(f"learned:weights={tmp_path / 'other.npz'}", STROZZI)
    assert other.source_digest != spec.source_digest
    assert [sent.given for sent in other.sent_files] == [str(tmp_path / "other.npz")]
    with pytest.raises(InputError, match=r"other\.npz has no network for 3 players"):
        Match(STROZZI, 3, (other,), BASE, 1)
    with pytest.raises(InputError, match=r"weights: weights nowhere\.npz: expected an \.npz file"):
        load_agent("learned:weights=nowhere.npz", STROZZI)
    assert packed_networks(read_networks(tmp_path / "other.npz"))[0][4] != 0


@pytest.mark.parametrize("search", ["flat_mc:playouts=4", "ismcts:iterations=30", "mo_ismcts:iterations=30"])
@pytest.mark.parametrize("settings", ["", ",depth=3,utility=win", ",depth=2,utility=rank"])
def test_a_search_cuts_its_playouts_where_values_speak(search, settings):
    spec = load_agent(f"{search},evaluate=learned,rollout=heuristic{settings}", STROZZI)
    match = Match(STROZZI, 4, (spec, load_agent("heuristic", STROZZI)), BASE, 5)
    first, again = match.play(0, 1, rows=True), match.play(0, 1, rows=True)
    assert first.rows.tobytes() == again.rows.tobytes()
    assert first.playouts == again.playouts > 0


def test_without_an_evaluator_searches_are_as_before():
    plain, none = (load_agent(text, STROZZI) for text in ("flat_mc:playouts=3", "flat_mc:playouts=3,evaluate=none"))
    assert plain.text == none.text == "flat_mc:playouts=3"
    assert plain.policies == (load_agent("random", STROZZI),) * 2
    with pytest.raises(InputError, match="evaluate must be an agent that evaluates positions, or none, got 'heur"):
        load_agent("flat_mc:evaluate=heuristic", STROZZI)
    assert load_agent("flat_mc:evaluate=learned", STROZZI).source_digest


def test_values_make_a_short_search_strong():
    """With 12 playouts an action that end after a card, against the same search by the standings there."""
    cut = "flat_mc:playouts=12,depth=5,rollout=heuristic"
    lineup = (load_agent(f"{cut},evaluate=learned", STROZZI), *[load_agent(cut, STROZZI)] * 3)
    wins = Match(STROZZI, 4, lineup, BASE, 11, "rotate").play(0, 6).outcome["wins"][0, 0].sum() / 60
    assert wins >= 12  # of 24 games, 6 are an equal share; the standard error of an equal share is 2.1
