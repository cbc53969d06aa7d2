"""Record types for compiled code: integer fields are read as int64.

numba adds two uint8 to a uint64, and a uint64 and an int64 to a float64, so that `state.coins[0] - state.coins[1]` of
small unsigned fields would wrap around or become a float. A record type of `record_type` stores its fields with the
sizes of its dtype, for speed, and reads them as int64: narrow in memory and wide in registers, like numba's booleans. A
uint64 is read as the int64 of the same bits, except in records of random words (`keep_words`).
"""

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core.datamodel import register_default
from numba.core.datamodel.models import DataModel, RecordModel
from numba.core.imputils import lower_cast
from numba.core.typeconv import Conversion
from numba.core.typeconv.rules import default_type_manager
from numba.core.typing.arraydecl import get_array_index_type
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import lower_builtin

Array = np.ndarray[Any, Any]

_WORD = ir.IntType(64)
# numba uses the text of a type as the name of NumPy's dtype, and in the names of composed types. So each size has a
# unique text that means an int64 to NumPy.
_AS_INT64 = {"uint8": "i8", "uint16": "=i8", "uint32": "q", "int8": "=q", "int16": "p", "int32": "=p", "uint64": "<i8"}
_words: set[Any] = set()  # plain record types whose uint64 fields are read as such


class Narrow(types.Integer):  # type: ignore[misc]
    """An integer field, of the type `stored` in memory and an int64 when read."""

    def __init__(self, stored: Any) -> None:
        self.stored = stored
        super().__init__(f"narrow_{stored.name}", stored.bitwidth, stored.signed)

    def __str__(self) -> str:
        return _AS_INT64[self.stored.name]

    def can_convert_to(self, typingctx: Any, other: Any) -> Any:
        """Return the conversion of an int64 to `other`, since the field is read as one."""
        return Conversion.promote if other == types.int64 else typingctx.can_convert(types.int64, other)

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        """Return an unsafe conversion: writing a field truncates a number to its size, as in NumPy."""
        return Conversion.unsafe if typingctx.can_convert(other, types.int64) is not None else None


@register_default(Narrow)
class _NarrowModel(DataModel):  # type: ignore[misc]
    """The data model: the field's bits in memory, 64 bits when read."""

    def get_value_type(self) -> Any:
        return _WORD

    get_argument_type = get_return_type = get_value_type

    def get_data_type(self) -> Any:
        return ir.IntType(self._fe_type.bitwidth)

    def as_data(self, builder: Any, value: Any) -> Any:
        return builder.trunc(value, self.get_data_type())

    def from_data(self, builder: Any, value: Any) -> Any:
        return (builder.sext if self._fe_type.signed else builder.zext)(value, _WORD)

    def _unchanged(self, builder: Any, value: Any) -> Any:
        return value

    as_argument = from_argument = as_return = from_return = _unchanged


@lower_cast(types.Integer, Narrow)
@lower_cast(types.IntegerLiteral, Narrow)
@lower_cast(types.Boolean, Narrow)
@lower_cast(types.BooleanLiteral, Narrow)
@lower_cast(types.Float, Narrow)
@lower_cast(types.IntEnumMember, Narrow)
def _lower_write(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return context.cast(builder, value, source, types.int64)


@lower_cast(Narrow, types.Integer)
@lower_cast(Narrow, types.Float)
@lower_cast(Narrow, types.Complex)
@lower_cast(Narrow, types.Boolean)
def _lower_read(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return context.cast(builder, value, types.int64, target)


@lower_cast(Narrow, Narrow)
def _lower_copy(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return value


class NarrowRecord(types.Record):  # type: ignore[misc]
    """A record whose integer fields are Narrow, except int64 and random words."""

    def __init__(self, plain: Any) -> None:
        self._plain = plain
        words = plain in _words
        fields = [
            (name, {"type": _narrow(field.type, words), "offset": field.offset, "alignment": field.alignment})
            for name, field in plain.fields.items()
        ]
        super().__init__(fields, plain.size, plain.aligned)
        self.name = f"Narrow{plain.name}"  # by which numba compares types

    __repr__ = types.Type.__repr__  # the name; numba calls it before every pass, and a record's repr is slow

    @property
    def members(self) -> Any:
        """The fields with NumPy's types."""
        return self._plain.members


register_default(NarrowRecord)(RecordModel)


@infer_getattr
class _Field(AttributeTemplate):  # type: ignore[misc]
    """Typing of a field: `state.phase` is an int64."""

    key = NarrowRecord

    def generic_resolve(self, record: Any, field: str) -> Any:
        kind = record.typeof(field)
        return types.int64 if isinstance(kind, Narrow) else kind


@infer_global(operator.getitem)
class _Item(AbstractTemplate):  # type: ignore[misc]
    """Typing of an item: `state.coins[seat]` is an int64. As a CPU template it precedes numba's, for any target."""

    metadata = {"target": "cpu"}  # noqa: RUF012 - required by numba

    def generic(self, args: Any, kws: Any) -> Any:
        items, index = args
        if not (isinstance(items, types.Array) and isinstance(items.dtype, Narrow)):
            return None
        typed = get_array_index_type(items, index)
        if typed is None:
            return None
        return signature(types.int64 if isinstance(typed.result, Narrow) else typed.result, items, typed.index)


# A loop `for coins in state.coins` yields numbers that are still Narrow; numba converts them where it expects an int64,
# except in these operations:


def _compare(compared: Callable[..., Any]) -> None:
    @lower_builtin(compared, Narrow, Narrow)
    def compare(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.get_function(compared, signature(types.boolean, types.int64, types.int64))(builder, args)


for _operator in (operator.lt, operator.le, operator.gt, operator.ge):
    _compare(_operator)


@infer_global(float)
class _Float(AbstractTemplate):  # type: ignore[misc]
    metadata = {"target": "cpu"}  # noqa: RUF012

    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.float64, types.int64) if isinstance(args[0], Narrow) else None


@cache
def _narrow(kind: Any, words: bool = False) -> Any:
    """Return a type with Narrow integers; with `words` uint64 is unchanged."""
    if isinstance(kind, types.NestedArray):
        return types.NestedArray(_narrow(kind.dtype, words), kind.shape)
    if isinstance(kind, types.Record) and not isinstance(kind, NarrowRecord):
        is_unchanged = all(_narrow(field.type, kind in _words) == field.type for field in kind.fields.values())
        return kind if is_unchanged else NarrowRecord(kind)
    if isinstance(kind, types.Integer) and not isinstance(kind, Narrow) and str(kind) in _AS_INT64:
        return kind if words and kind == types.uint64 else Narrow(kind)
    return kind


def keep_words(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Make compiled code read the uint64 fields of this record unchanged, as random words; return `dtype`."""
    _words.add(from_dtype(dtype))
    return dtype


@cache
def record_type(dtype: Any) -> Any:
    """Return the numba type of a record of `dtype`, for all compiled signatures."""
    plain = from_dtype(np.dtype(dtype))
    kind = _narrow(plain)
    _accept(plain, kind)
    return kind


@cache
def array_type(dtype: Any, ndim: int = 1) -> Any:
    """Return the numba type of a contiguous array of records of `dtype`."""
    plain = types.Array(from_dtype(np.dtype(dtype)), ndim, "C")
    kind = types.Array(record_type(dtype), ndim, "C")
    _accept(plain, kind)
    return kind


def tuple_type(of: type, *kinds: Any) -> Any:
    """Return the numba type of a named tuple `of` members of these types, as in `record_type` and `array_type`."""
    kind = types.NamedTuple(kinds, of)
    _accept(_plain_of(kind), kind)
    return kind


def _plain_of(kind: Any) -> Any:
    """Return the type of what Python passes as `kind`."""
    if isinstance(kind, NarrowRecord):
        return kind._plain
    if isinstance(kind, types.Array):
        return kind.copy(dtype=_plain_of(kind.dtype))
    if isinstance(kind, types.NamedTuple):
        return types.NamedTuple([_plain_of(member) for member in kind], kind.instance_class)
    return kind


def _accept(plain: Any, kind: Any) -> None:
    """Allow Python to pass a plain record, an array of them, or a tuple of these, as `kind`."""
    if kind != plain:
        default_type_manager.set_compatible(plain, kind, Conversion.safe)


def widen_signature(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the types of arguments, with records as in `record_type` and literals as their type, such as int64.

    Otherwise numba would compile a kernel again for every literal number in a call.
    """
    widened = tuple(_narrow(kind) if isinstance(kind, types.Record) else types.unliteral(kind) for kind in kinds)
    for plain, kind in zip(kinds, widened, strict=True):
        if isinstance(plain, types.Record):
            _accept(plain, kind)
    return widened


@lower_cast(types.Record, NarrowRecord)
def _lower_record(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return builder.bitcast(value, context.get_value_type(target))


def field_bytes(records: Array) -> bytes:
    """Return the bytes of all fields, without the padding between them: equal for equal records."""
    return b"".join(records[name].tobytes() for name in records.dtype.names or ())


def exact_copy(records: Array) -> Array:
    """Return a copy of all bytes, padding included, which NumPy does not guarantee."""
    return records.view(np.uint8).copy().view(records.dtype)
