"""Decorators and compile functions; the only module that sets numba's options.

`jit`, `force_inline` and `inline_source` mark kernels inside a compiled unit; they are compiled with their callers, and
optimised only there. `inline_source` inserts the source into the caller.
`entry` compiles a unit that Python calls, `compile_cfunc` one that compiled code calls by address. Only these two are
stored in the cache folder, so that the folder's key (see `runtime.cache`) covers everything compiled into them.
"""

import hashlib
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, ir, serialize, types
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.errors import NumbaError, TypingError
from numba.core.registry import CPUDispatcher
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import NopythonTypeInference
from numba.extending import overload

from strozzi_sim.errors import InputError
from strozzi_sim.kernel.compile_errors import describe_compile_error
from strozzi_sim.kernel.kept_drafts import keeping
from strozzi_sim.kernel.numba_patches import DRAFT, KERNELS, EntryCompiler, references, without_collection
from strozzi_sim.kernel.record_types import record_type, widen_signature
from strozzi_sim.runtime.cache import CacheFailed, cache_folder, sources_of, tell

if numba.config.DISABLE_JIT:
    raise InputError(
        "NUMBA_DISABLE_JIT: must be 0, since games are played by compiled code; unset it, or remove disable_jit from the file "
        ".numba_config.yaml in this folder"
    )

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}
_ENTRY: dict[str, Any] = {**_OPTIONS, "pipeline_class": EntryCompiler}


# numba's `intrinsic`, typed for callers of the result, who pass no typing context.
intrinsic: Callable[[Callable[..., Any]], Any] = numba.extending.intrinsic


class _Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function without separate machine code (see `kernel.numba_patches`)."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Compile it as an entry, once, and call that; used by tests."""
        if not hasattr(self, "from_python"):
            self.from_python = numba.njit(self.py_func, **_ENTRY)
        return self.from_python(*arguments, **named)


def _marker(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for kernels, which are compiled for records with integers as int64."""

    def mark(kernel: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(**options, **_OPTIONS, **DRAFT, **references(kernel))(kernel)
        dispatcher.__class__ = _Kernel
        KERNELS.add(dispatcher)
        compile_for = dispatcher.compile

        def compile_in_hand(kinds: Any) -> Any:
            return compile_for(widen_signature(kinds) if isinstance(kinds, tuple) else kinds)

        dispatcher.compile = compile_in_hand
        return dispatcher

    return mark


jit = _marker()
force_inline = _marker(forceinline=True)
inline_source = _marker(inline="always")


def entry(kernel: Any, signature: Any, game: str) -> Any:
    """Compile `kernel` for `signature`, with the cache folder of `game`; return a function for Python.

    Raises:
        InputError: code of the game does not compile; names its place and the cause.
    """
    function = kernel.py_func
    try:
        return _compiled(
            game, lambda kept: numba.njit(signature, cache=kept, **_ENTRY, **references(function))(function)
        )
    except (NumbaError, KeyError) as error:
        raise InputError(f"game {game!r} does not compile: {describe_compile_error(error)}") from error


@register_pass(mutates_CFG=False, analysis_only=True)
class _WholeNumbers(AnalysisPass):  # type: ignore[misc]
    """A pass that rejects a function whose result is not an integer; numba would truncate a float silently."""

    _name = "whole_numbers"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Check the type of each `return` value before its cast."""
        for block in state.func_ir.blocks.values():
            end = block.terminator
            if not isinstance(end, ir.Return):
                continue
            value = state.func_ir.get_definition(end.value)
            source = value.value if isinstance(value, ir.Expr) and value.op == "cast" else end.value
            kind = state.typemap[source.name]
            if not isinstance(kind, types.Integer):
                raise TypingError(f"it returns {kind}; an action is a whole number", loc=end.loc)
        return False


class _AgentCompiler(EntryCompiler):
    """The compiler of functions that must return integers."""

    def extend(self, passes: Any) -> None:
        """Add the check of results."""
        passes.add_pass_after(_WholeNumbers, NopythonTypeInference)


def compile_cfunc(
    kernel: Callable[..., Any], signature: Any, game: str, *, cache: bool = True, boundscheck: bool = False
) -> Any:
    """Compile `kernel` as a C function of `signature`; the result has an `address` valid in this process."""
    options = {**_OPTIONS, **references(kernel), "pipeline_class": _AgentCompiler}
    if boundscheck:
        options["boundscheck"] = True
    return _compiled(game, lambda kept: numba.cfunc(signature, cache=cache and kept, **options)(kernel))


class _CheckedFile(caching.IndexDataCacheFile):  # type: ignore[misc]
    """The cached code of a function, each piece with its key and SHA-256: numba fails, or crashes, on damaged files."""

    def save(self, key: Any, data: Any) -> None:
        """Store the code of a key."""
        code = serialize.dumps(data)
        super().save(key, (key, hashlib.sha256(code).digest(), code))

    def load(self, key: Any) -> Any:
        """Return the code of a key; None if it is missing or damaged."""
        try:
            kept = super().load(key)
            if kept is None:
                return None
            owner, digest, code = kept
            if owner == key and digest == hashlib.sha256(code).digest():
                return pickle.loads(code)
        except Exception:  # noqa: BLE001 - a damaged pickle may raise anything
            pass
        index = Path(self._index_path)
        for file in index.parent.glob(f"{escape(index.stem)}.*"):  # the next index must not name this one's code
            file.unlink()
        tell(f"damaged code is compiled again: {index}")
        return None


@contextmanager
def _checked_files() -> Iterator[None]:
    numbas = caching.IndexDataCacheFile
    caching.IndexDataCacheFile = _CheckedFile
    try:
        yield
    finally:
        caching.IndexDataCacheFile = numbas


def _compiled(game: str, compile_kernel: Callable[[bool], Any]) -> Any:
    """Call `compile_kernel(whether code can be cached)`, and retry if caching fails."""
    while True:  # ends: each failure excludes one folder
        try:
            with (
                cache_folder(game) as folder,
                _checked_files(),
                without_collection(),
                keeping(folder, sources_of(game)),
            ):
                return compile_kernel(folder is not None)
        except CacheFailed:
            continue


def register_overload(verb: Callable[..., Any], dtype: Any, kernel: Any, *, force_inline: bool = False) -> None:
    """Register `kernel` as the implementation of `verb` for a first argument that is a record of `dtype`.

    The dispatch is static, without cost at run time. With bounds checks (third-party agents), a verb with an attribute
    `guard` calls `guard(kernel)`. Functions that numba compiles lazily, for the types of a call, may call the verb too.
    """
    body: Callable[..., Any] = kernel.py_func
    guard = getattr(verb, "guard", None)
    guarded: Callable[..., Any] = body if guard is None else guard(kernel)
    state_type, plain = record_type(dtype), numba.from_dtype(dtype)

    def by_itself(*arguments: Any) -> Any:
        return kernel(*arguments)

    def choose(state: Any, *_: Any) -> Callable[..., Any] | None:
        if state == plain != state_type:
            return by_itself
        if state != state_type:
            return None
        caller = ConfigStack.top_or_none()  # compile options of the calling function
        return guarded if caller is not None and caller.boundscheck else body

    overload(verb, strict=False, jit_options={**_OPTIONS, **DRAFT, **references(body), "forceinline": force_inline})(
        choose
    )
