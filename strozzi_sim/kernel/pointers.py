"""Intrinsics for records passed by pointer, which compiled games need and numba lacks.

A record is passed as a pointer to its bytes. `clone` makes a copy on the stack, `assign` copies one record over
another, `record_at` reads an address as a record, `call_at` calls an agent by address, `call_back` calls Python.
"""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from strozzi_sim.kernel.jit import force_inline, intrinsic

STOP_FIELD = "_stop"  # last field of every parameter record: 0, or the address of an int64 that is not 0 once cancelled
_BYTES = ir.IntType(8).as_pointer()


@intrinsic
def clone(typingctx: Any, source: Any) -> Any:
    """Return a copy of the record `source`, on the caller's stack: in a loop, in the same place each time."""
    if not isinstance(source, types.Record):
        return None

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target = cgutils.alloca_once(builder, context.get_data_type(source))
        cgutils.raw_memcpy(builder, _as_bytes(builder, target), _as_bytes(builder, args[0]), _size(source), 1)
        return builder.bitcast(target, context.get_value_type(source))

    return source(source), build


@intrinsic
def assign(typingctx: Any, target: Any, source: Any) -> Any:
    """Copy all bytes of the record `source` over the record `target`."""
    if not isinstance(target, types.Record) or target != source:
        return None

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        cgutils.raw_memcpy(builder, _as_bytes(builder, args[0]), _as_bytes(builder, args[1]), _size(target), 1)
        return context.get_dummy_value()

    return types.void(target, target), build


@intrinsic
def record_at(typingctx: Any, address: Any, like: Any) -> Any:
    """Return the record at `address` (int64), with the type of `like`."""
    if not isinstance(like, types.Record):
        return None

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(like))

    return like(types.int64, like), build


@intrinsic
def address_of(typingctx: Any, record: Any) -> Any:
    """Return the address of a record, int64."""
    if not isinstance(record, types.Record):
        return None

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ptrtoint(args[0], ir.IntType(64))

    return types.int64(record), build


@intrinsic
def prefetch(typingctx: Any, address: Any) -> Any:
    """Prefetch the cache line at `address` for writing; an invalid address is ignored."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i32 = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [_BYTES, i32, i32, i32])
        hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(hint, [builder.inttoptr(args[0], _BYTES), i32(1), i32(3), i32(1)])
        return context.get_dummy_value()

    return types.void(types.int64), build


@intrinsic
def int64_at(typingctx: Any, address: Any) -> Any:
    """Return the int64 at `address`."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], ir.IntType(64).as_pointer()))

    return types.int64(types.int64), build


@intrinsic
def float64_at(typingctx: Any, address: Any) -> Any:
    """Return the float64 at `address`."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], ir.DoubleType().as_pointer()))

    return types.float64(types.int64), build


@intrinsic
def zero_at(typingctx: Any, address: Any, size: Any) -> Any:
    """Set `size` bytes from `address` on to zero."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        cgutils.memset(builder, builder.inttoptr(args[0], _BYTES), args[1], 0)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), build


@intrinsic
def call_at(typingctx: Any, address: Any, state: Any, rules: Any, params: Any, memory: Any, rng: Any) -> Any:
    """Return the action of the agent at `address`; each of its arguments is a record or the address of one."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i64 = ir.IntType(64)
        function = ir.FunctionType(i64, [_BYTES] * 5)
        callee = builder.inttoptr(args[0], function.as_pointer())
        is_address = [isinstance(kind, types.Integer) for kind in signature.args]
        casts = [builder.inttoptr if address else builder.bitcast for address in is_address]
        return builder.call(callee, [cast(value, _BYTES) for cast, value in zip(casts[1:], args[1:], strict=True)])

    kinds = [types.int64 if isinstance(kind, types.Integer) else kind for kind in (state, rules, params, memory, rng)]
    return types.int64(types.int64, *kinds), build


@intrinsic
def call_back(typingctx: Any, address: Any) -> Any:
    """Call the function at `address`, without arguments, result or exceptions; it may be a ctypes callback."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = ir.FunctionType(ir.VoidType(), [])
        builder.call(builder.inttoptr(args[0], function.as_pointer()), [])
        return context.get_dummy_value()

    return types.void(types.int64), build


def _as_bytes(builder: Any, pointer: Any) -> Any:
    return builder.bitcast(pointer, _BYTES)


def _size(record: Any) -> Any:
    return ir.Constant(ir.IntType(64), record.size)


@force_inline
def is_stopped(params):
    """Return whether the run is cancelled: a search may then return any legal action, as its game is discarded."""
    return params._stop != 0 and int64_at(params._stop) != 0
