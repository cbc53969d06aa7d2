"""Dense networks in compiled code, for one row at a time: inputs of 0 are skipped; bits are equal on every processor.

A network is packed into one array: a header of sizes, then the biases and weights of each layer, whose outputs are
padded with zeros to whole blocks. Each output is a sum that begins with the bias and adds the inputs in their order; a
product is rounded before it is added, so that IEEE 754 determines every bit. Hidden layers replace negative sums by 0
(ReLU); the last layer is linear.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import int64
from numba.core import types

from strozzi_sim.kernel.jit import force_inline, intrinsic, jit
from strozzi_sim.kernel.pointers import int64_at

WIDEST = 512  # most outputs of a layer
MOST_INPUTS = 1 << 16  # of the first layer
MOST_LAYERS = 6
BLOCK = 32  # outputs that are computed together, by vector instructions
Layers = Sequence[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]  # weights [I, O] and bias [O] of each

_HEADER = 32  # size in float32: int64 numbers of layers, inputs, padded outputs of each layer, outputs; 2 cache lines
_OUTPUTS = 8 * (MOST_LAYERS + 2)  # offset of the number of outputs, bytes
_FLOAT = 4  # bytes
_LINE = 64  # bytes of a cache line; aligned blocks of weights are read a third faster


def network_work(inputs: int) -> np.dtype[Any]:
    """Return the dtype of the `work` of `run_network`, for networks of up to `inputs` inputs."""
    longest = max(inputs, WIDEST)
    return np.dtype([
        ("input", "f4", (longest,)),
        ("output", "f4", (WIDEST,)),  #  of each layer in turn, at the end of the last
        ("index", "i8", (longest,)),  #  of the inputs of a layer that are not 0
        ("value", "f4", (longest,)),  #  these inputs
    ], align=True)  # fmt: skip


NETWORK_WORK = network_work(WIDEST)


def packed_network(layers: Layers) -> npt.NDArray[np.float32]:
    """Return a network as `run_network` reads it, float32[*], aligned to a cache line.

    >>> len(packed_network([(np.ones((3, 2), np.float32), np.zeros(2, np.float32))]))
    160
    """
    if not 1 <= len(layers) <= MOST_LAYERS:
        raise ValueError(f"a network has 1 to {MOST_LAYERS} layers, got {len(layers)}")
    header = np.zeros(_HEADER // 2, np.int64)
    header[0], header[1] = len(layers), len(layers[0][0])
    parts, inputs, rows = [], len(layers[0][0]), len(layers[0][0])
    for number, (weights, bias) in enumerate(layers):
        fits = weights.ndim == 2 and len(weights) == inputs and bias.shape == weights.shape[1:]
        if not fits or len(weights) > MOST_INPUTS or weights.shape[1] > WIDEST:
            limits = f"at most {MOST_INPUTS:,} inputs and {WIDEST} outputs"
            got = f"{list(weights.shape)} and {list(bias.shape)}"
            raise ValueError(f"layer {number}: expected weights [{inputs}, O] and bias [O], {limits}, got {got}")
        inputs = weights.shape[1]
        width = -(-inputs // BLOCK) * BLOCK
        header[2 + number] = width
        parts += [np.zeros(width, np.float32), np.zeros((rows, width), np.float32)]
        parts[-2][:inputs], parts[-1][: len(weights), :inputs] = bias, weights
        rows = width
    header[_OUTPUTS // 8] = inputs
    parts.insert(0, header.view(np.float32))
    size = sum(part.size for part in parts)
    buffer = np.empty(size + _LINE // _FLOAT, np.float32)
    start = -buffer.ctypes.data % _LINE // _FLOAT
    return np.concatenate([part.ravel() for part in parts], out=buffer[start : start + size])


@intrinsic
def _block(typingctx, bias, weights, stride, index, value, count, out, hidden):
    """Write BLOCK outputs to `out`, from `count` inputs; all arguments are int64, `stride` in bytes; `hidden`: ReLU."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bias, weights, stride, index, value, count, out, hidden = args
        word, number = ir.IntType(64), ir.FloatType()
        vector = ir.VectorType(number, BLOCK)
        entry_block = builder.block
        loop = builder.append_basic_block("inputs")
        body = builder.append_basic_block("input")
        end_block = builder.append_basic_block("done")
        first = builder.load(builder.inttoptr(bias, vector.as_pointer()), align=_FLOAT)
        builder.branch(loop)
        builder.position_at_end(loop)
        place, total = builder.phi(word), builder.phi(vector)
        place.add_incoming(ir.Constant(word, 0), entry_block)
        total.add_incoming(first, entry_block)
        builder.cbranch(builder.icmp_signed("<", place, count), body, end_block)
        builder.position_at_end(body)
        row = builder.load(builder.gep(builder.inttoptr(index, word.as_pointer()), [place]))
        factor = builder.load(builder.gep(builder.inttoptr(value, number.as_pointer()), [place]))
        start = builder.add(weights, builder.mul(row, stride))
        weight_row = builder.load(builder.inttoptr(start, vector.as_pointer()), align=_FLOAT)
        single = builder.insert_element(ir.Constant(vector, ir.Undefined), factor, ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), BLOCK), [0] * BLOCK)
        factors = builder.shuffle_vector(single, ir.Constant(vector, ir.Undefined), zeros)
        new_total = builder.fadd(total, builder.fmul(factors, weight_row))
        place.add_incoming(builder.add(place, ir.Constant(word, 1)), body)
        total.add_incoming(new_total, body)
        builder.branch(loop)
        builder.position_at_end(end_block)
        zero_vector = ir.Constant(vector, [0.0] * BLOCK)
        positive = builder.select(builder.fcmp_ordered(">", total, zero_vector), total, zero_vector)
        is_hidden = builder.icmp_signed("!=", hidden, ir.Constant(word, 0))
        result = builder.select(is_hidden, positive, total)
        builder.store(result, builder.inttoptr(out, vector.as_pointer()), align=_FLOAT)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 8), build


@jit
def _gather(values, inputs, work):
    """Write the values other than 0, and their indices, into `work`; return their number."""
    count = 0
    for i in range(inputs):
        work.index[count] = i
        work.value[count] = values[i]
        count += values[i] != 0  # without a branch, which would often be mispredicted
    return count


@force_inline
def network_outputs(address):
    """Return the number of outputs of the network at `address`."""
    return int64_at(address + _OUTPUTS)


@jit
def run_network(address, work):
    """Compute the network at `address` (see `packed_network`) for `work.input`; its outputs are in `work.output`."""
    layers = int64_at(address)
    inputs = int64_at(address + 8)
    place = address + _HEADER * _FLOAT
    output, index, value = int64(work.output.ctypes.data), int64(work.index.ctypes.data), int64(work.value.ctypes.data)
    count = _gather(work.input, inputs, work)
    for layer in range(layers):
        width = int64_at(address + 8 * (2 + layer))
        stride, hidden = width * _FLOAT, layer < layers - 1
        weights = place + stride
        for block in range(0, stride, BLOCK * _FLOAT):
            _block(place + block, weights + block, stride, index, value, count, output + block, hidden)
        if not hidden:
            return
        place = weights + inputs * stride
        inputs = width
        count = _gather(work.output, inputs, work)
