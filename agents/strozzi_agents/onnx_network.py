"""The agent `onnx_network`: plays by any ONNX graph over a game's observation, in batches."""

import numpy as np

from strozzi_sim.agent import File, Param, python_agent
from strozzi_sim.agent.files import place_of
from strozzi_sim.errors import InputError

_UNIT = 2.0**-53
_LARGEST = 1e30  # instead of an infinite logit


@python_agent(
    name="onnx_network",
    stochastic=True,
    file=File("ONNX graph from observations to a logit for each action; required", "onnxruntime", "onnx"),
    temperature=Param(0.0, 0.0, 1000.0, "0: the likeliest action; more: drawn by e^(logit / temperature)"),
)
class OnnxNetwork:
    """Plays by the first output of an ONNX graph, a logit for each action."""

    def __init__(self, file, temperature):
        import onnxruntime

        self._file, self._temperature = file, temperature
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # games already run in parallel processes
        try:
            self._session = onnxruntime.InferenceSession(place_of(file), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # noqa: BLE001 - onnxruntime raises many unrelated exceptions
            first_line = str(error).splitlines()[0]
            raise InputError(f"{file}: expected an ONNX graph; {first_line}") from None
        self._inputs = [(node.name, node.type, list(node.shape)) for node in self._session.get_inputs()]

    def act_batch(self, observations, legal, rng):
        """Return a legal action for each row, int64[B]: the likeliest, or drawn by the temperature."""
        logits = self._logits(observations, legal.shape[1])
        scores = np.where(legal, np.nan_to_num(logits, nan=0, posinf=_LARGEST, neginf=-_LARGEST), -np.inf)
        if self._temperature == 0:
            return scores.argmax(axis=1)
        weights = np.exp((scores - scores.max(axis=1, keepdims=True)) / self._temperature).cumsum(axis=1)
        points = (rng >> np.uint64(11)) * _UNIT * weights[:, -1]  # below the total weight
        return (weights <= points[:, None]).sum(axis=1)

    def _logits(self, observations, actions):
        """Return the first output of the graph, float64[B, A]. Raises InputError if it does not fit the game."""
        rows, size = observations.shape
        expected = f"one input float32 [B, {size}] with B of any size, and float32 [B, {actions}] as first output"
        fits = len(self._inputs) == 1 and self._inputs[0][1] == "tensor(float)"
        shape = self._inputs[0][2] if fits else []
        if len(shape) != 2 or any(isinstance(a, int) and a != b for a, b in zip(shape, (rows, size), strict=True)):
            inputs = ", ".join(f"{name} {kind} {shape}" for name, kind, shape in self._inputs)
            raise InputError(f"{self._file}: expected {expected}; got the inputs {inputs}")
        output = self._session.run(None, {self._inputs[0][0]: observations})[0]
        if output.shape != (rows, actions):
            raise InputError(f"{self._file}: expected {expected}; got the output {list(output.shape)} of {rows} rows")
        return output.astype(np.float64)
