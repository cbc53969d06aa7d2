"""`onnx_network` plays what its graph says, in batches, and refuses graphs of other games."""

import itertools

import numpy as np
import pytest

from needed import need
from strozzi_games import BASE, STROZZI
from strozzi_sim.agent import load_agent, parameters
from strozzi_sim.agent.weights import ALL, write_networks
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.simulation.match import Match

onnx = need("onnx")
need("onnxruntime")

pytestmark = pytest.mark.slow
INPUTS, ACTIONS = STROZZI.observation_size, STROZZI.actions


def graph(file, layers, rows="batch", value=False):
    """Write a dense network with ReLU, as graph of one input, with the mean of its logits as second output."""
    helper, constants, nodes, here = onnx.helper, [], [], "observations"
    for number, (weights, bias) in enumerate(layers):
        last = number == len(layers) - 1
        for name, array in (("w", weights), ("b", bias)):
            constants.append(onnx.numpy_helper.from_array(array, f"{name}{number}"))
        out = "logits" if last else f"sum{number}"
        nodes.append(helper.make_node("Gemm", [here, f"w{number}", f"b{number}"], [out]))
        if not last:
            nodes.append(helper.make_node("Relu", [out], [f"hidden{number}"]))
        here = f"hidden{number}"
    outputs = [("logits", [rows, len(layers[-1][1])])]
    if value:
        nodes.append(helper.make_node("ReduceMean", ["logits"], ["value"], keepdims=1))
        outputs.append(("value", [1, 1]))
    kind = onnx.TensorProto.FLOAT
    made = helper.make_graph(
        nodes, "policy", [helper.make_tensor_value_info("observations", kind, [rows, len(layers[0][0])])],
        [helper.make_tensor_value_info(name, kind, shape) for name, shape in outputs], constants,
    )  # fmt: skip
    onnx.save(helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), file)


def layers_of(*sizes):
    """Layers of whole numbers, so that every order of a sum has the same bits."""
    rng = np.random.default_rng(1)
    return [
        (rng.integers(-8, 9, (a, b)).astype(np.float32), rng.integers(-8, 9, b).astype(np.float32))
        for a, b in itertools.pairwise(sizes)
    ]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphs")
    layers = layers_of(INPUTS, 16, ACTIONS)
    graph(folder / "p.onnx", layers, value=True)
    write_networks(folder / "p.npz", {ALL: layers})
    return folder / "p.onnx"


def played(text, deals=6):
    lineup = (load_agent(text, STROZZI), load_agent("greedy", STROZZI))
    return Match(STROZZI, 4, lineup, BASE, 3).play(0, deals, rows=True).rows.tobytes()


def test_it_plays_as_the_same_network_in_compiled_code(file):
    assert played(f"onnx_network:file={file}") == played(f"network:weights={file.with_suffix('.npz')}")


def test_it_draws_by_temperature(file):
    games = [played(f"onnx_network:file={file}{more}", 2) for more in ("", ",temperature=0.001", ",temperature=1000")]
    assert games[0] == games[1] != games[2]
    assert games[2] == played(f"onnx_network:file={file},temperature=1000", 2)


def test_its_file_is_part_of_its_identity(file, tmp_path):
    spec = load_agent(f"onnx_network:file={file}", STROZZI)
    assert [sent.given for sent in spec.sent_files] == [str(file)]
    graph(tmp_path / "other.onnx", layers_of(INPUTS, ACTIONS))
    other = load_agent(f"onnx_network:file={tmp_path / 'other.onnx'}", STROZZI)
    assert spec.source_digest != other.source_digest


@pytest.mark.parametrize(
    ("sizes", "rows", "got"),
    [
        ((INPUTS - 1, ACTIONS), "batch", rf"got the inputs observations tensor\(float\) \['batch', {INPUTS - 1}\]"),
        ((INPUTS, ACTIONS), 1, rf"got the inputs observations tensor\(float\) \[1, {INPUTS}\]"),
        ((INPUTS, ACTIONS), 64, rf"got the inputs observations tensor\(float\) \[64, {INPUTS}\]"),
        ((INPUTS, ACTIONS - 1), "batch", rf"got the output \[256, {ACTIONS - 1}\] of 256 rows"),
    ],
)
def test_a_graph_of_other_sizes_is_refused(tmp_path, sizes, rows, got):
    graph(tmp_path / "w.onnx", layers_of(*sizes), rows)
    expected = rf"w\.onnx: expected one input float32 \[B, {INPUTS}\] with B of any size, and float32 \[B, {ACTIONS}\] as first"
    with pytest.raises(AgentFault, match=f"{expected} output; {got}"):
        played(f"onnx_network:file={tmp_path / 'w.onnx'}")


def test_a_file_must_be_a_graph(tmp_path, monkeypatch):
    (tmp_path / "w.onnx").write_bytes(b"no graph")
    with pytest.raises(AgentFault, match=r"w\.onnx: expected an ONNX graph; "):
        played(f"onnx_network:file={tmp_path / 'w.onnx'}")
    with pytest.raises(InputError, match=r"agent 'onnx_network:file=no\.onnx': file: no file 'no\.onnx'"):
        load_agent("onnx_network:file=no.onnx", STROZZI)
    with pytest.raises(InputError, match="agent 'onnx_network': file must be a file, such as onnx_network:file=FILE"):
        played("onnx_network")
    monkeypatch.setattr(parameters, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"needs onnxruntime; install it with: pip install 'strozzi-sim\[onnx\]'"):
        load_agent(f"onnx_network:file={tmp_path / 'w.onnx'}", STROZZI)
