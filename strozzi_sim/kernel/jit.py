"""Decorators and compile functions, with numba's options for kernels.

`jit`, `force_inline` and `inline_source` mark kernels inside a compiled unit; they are compiled with their callers, and
optimised only there. `inline_source` inserts the source into the caller.
`entry` compiles a unit that Python calls, `compile_cfunc` one that compiled code calls by address. Only these two are
stored in the cache folder, so that the folder's key (see `runtime.cache`) covers everything compiled into them.
"""

import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from pathlib import Path
from textwrap import indent
from threading import RLock
from types import CodeType
from typing import Any, Self

import numba
from numba.core import caching, ir, serialize, sigutils, typeinfer, types
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.errors import TypingError
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import NopythonTypeInference
from numba.extending import overload

from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.kernel.compile_errors import COMPILE_ERRORS, describe_compile_error
from strozzi_sim.kernel.numba_patches import DRAFT, EntryCompiler, references, without_collection
from strozzi_sim.kernel.record_types import record_type, widen_signature
from strozzi_sim.runtime.cache import code_folder, give_up, print_status
from strozzi_sim.runtime.files import write_atomically

if numba.config.DISABLE_JIT:
    raise InputError(
        "NUMBA_DISABLE_JIT: must be 0, since games are played by compiled code; unset it, or remove disable_jit from "
        "the file .numba_config.yaml in this folder"
    )

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}
_ENTRY: dict[str, Any] = {**_OPTIONS, "pipeline_class": EntryCompiler}


# numba's `intrinsic`, typed for callers of the result, who pass no typing context.
intrinsic: Callable[[Callable[..., Any]], Any] = numba.extending.intrinsic


class _Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function without separate machine code (see `kernel.numba_patches`)."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the kernel from Python, as tests do: it is compiled as an entry at the first call."""
        if not hasattr(self, "from_python"):
            self.from_python = numba.njit(self.py_func, **_ENTRY)
        return self.from_python(*arguments, **named)


def _marker(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for kernels, which are compiled for widened signatures (see `widen_signature`)."""

    def mark(kernel: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(**options, **_OPTIONS, **DRAFT, **references(kernel))(kernel)
        dispatcher.__class__ = _Kernel
        compile_for = dispatcher.compile

        def compile_widened(signature: Any) -> Any:
            return compile_for(widen_signature(signature) if isinstance(signature, tuple) else signature)

        dispatcher.compile = compile_widened
        return dispatcher

    return mark


jit = _marker()
force_inline = _marker(forceinline=True)
inline_source = _marker(inline="always")


def entry(kernel: Any, signature: Any, game: str) -> Any:
    """Compile `kernel` for `signature`, with the cache folder of `game`; return a function for Python."""
    dispatcher = numba.njit(**_ENTRY, **references(kernel.py_func))(kernel.py_func)
    try:
        with _compiling, without_collection(), typeinfer.register_dispatcher(dispatcher):
            if (folder := code_folder(game)) is not None:
                dispatcher._cache = _Cache(kernel.py_func, folder)
            dispatcher.compile(signature)
            dispatcher.disable_compile()
            return dispatcher
    except COMPILE_ERRORS as error:
        raise InputError(f"game {game!r} does not compile: {describe_compile_error(error)}") from error


class Kernels:
    """The kernels of a game by name, as attributes: each is compiled, or loaded from the cache, at its first use.

    A kernel marked by `jit` becomes an entry, a plain function a C function.
    """

    def __init__(self, game: str, table: Mapping[str, tuple[Any, Any]]) -> None:
        self.game, self.table = game, table

    def __getattr__(self, name: str) -> Any:
        """Return a kernel, compiled at its first use; from then on it is an attribute."""
        if name not in vars(self).get("table", {}):
            raise AttributeError(name)
        kernel, signature = self.table[name]
        compile_unit = entry if isinstance(kernel, _Kernel) else compile_cfunc
        self.__dict__[name] = compiled = compile_unit(kernel, signature, self.game)
        return compiled

    def loaded(self) -> Self:
        """Return these kernels, all of them compiled."""
        for name in self.table:
            getattr(self, name)
        return self


@register_pass(mutates_CFG=False, analysis_only=True)
class _WholeNumbers(AnalysisPass):  # type: ignore[misc]
    """A pass that rejects a function whose result is not an integer; numba would truncate a float silently."""

    _name = "whole_numbers"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
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
        passes.add_pass_after(_WholeNumbers, NopythonTypeInference)


def compile_cfunc(
    kernel: Callable[..., Any], signature: Any, game: str, *, cache: bool = True, boundscheck: bool = False
) -> Any:
    """Compile `kernel`, which returns an integer, as a C function; the result's `address` is valid in this process."""
    options = {**_OPTIONS, **references(kernel), "boundscheck": boundscheck or None}
    normal = sigutils.normalize_signature(signature)
    callback: Any = CFunc(kernel, normal, locals={}, options=options, pipeline_class=_AgentCompiler)
    with _compiling, without_collection():
        if cache and (folder := code_folder(game)) is not None:
            callback._cache = _Cache(kernel, folder)
        callback.compile()
    return callback


_compiling = RLock()
_calls_before: ContextVar[list[Callable[[], None]] | None] = ContextVar("_calls_before", default=None)


@contextmanager
def before_compiling(call: Callable[[], None]) -> Iterator[None]:
    """Inside the block, call a function once, before the first code that the cache folder lacks is compiled."""
    token = _calls_before.set([call])
    try:
        yield
    finally:
        _calls_before.reset(token)


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    """The cached machine code of a function: a file for each signature, with its SHA-256, as damaged code crashes.

    numba's own cache has an index file for each function, which two processes must not write at the same time.
    """

    def __init__(self, function: Any, folder: Path) -> None:
        self._name, self._py_func, self._folder, self._cache_path = repr(function), function, folder, str(folder)
        self._text = _text_of(function.__code__)

    def _file(self, signature: Any, codegen: Any) -> Path:
        key = repr((self._text, self._py_func.__module__, self._index_key(signature, codegen)))
        return self._folder / f"{self._py_func.__name__.strip('<>')}-{sha256(key.encode()).hexdigest()[:24]}.nbc"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for a signature; None if it is missing or damaged.

        Parts of numba that only compiling needs are not loaded, which saves a quarter of a second; numba's runtime is
        initialised, since a game's package may use it.
        """
        rtsys.initialize(target_context)
        file = self._file(sig, target_context.codegen())
        try:
            content = file.read_bytes()
            if content[:32] == _digest(file, content[32:]):
                return CompileResult._rebuild(target_context, *pickle.loads(content[32:]))
            print_status(f"damaged code is compiled again: {file}")
        except FileNotFoundError:
            pass
        if calls := _calls_before.get():
            calls.pop()()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store the code for a signature, unless it holds an address of this process."""
        if data.library.has_dynamic_globals:
            return
        file, code = self._file(sig, data.codegen), serialize.dumps(data._reduce())
        try:
            write_atomically(file, _digest(file, code) + code)
        except StorageError as error:
            give_up(self._folder.parent, str(error))


def _digest(file: Path, code: bytes) -> bytes:
    return sha256(file.name.encode() + code).digest()


def _text_of(code: CodeType) -> str:
    """Return a text that identifies what a function computes, wherever it is in a file."""
    constants = [_text_of(constant) if isinstance(constant, CodeType) else constant for constant in code.co_consts]
    return repr((code.co_code, code.co_names, constants))


def register_overload(verb: Callable[..., Any], dtype: Any, kernel: Any, *, force_inline: bool = False) -> None:
    """Register `kernel` as the implementation of `verb` for a first argument that is a record of `dtype`.

    The dispatch is static, without cost at run time. Code compiled with `boundscheck` (third-party agents) calls the
    result of `verb.guard(kernel)` instead, if the verb has that attribute. Functions that numba compiles for plain
    record types may call the verb too.
    """
    body: Callable[..., Any] = kernel.py_func
    guard = getattr(verb, "guard", None)
    guarded: Callable[..., Any] = body if guard is None else guard(kernel)
    state_type, plain = record_type(dtype), numba.from_dtype(dtype)

    def call_kernel(*arguments: Any) -> Any:
        return kernel(*arguments)

    def choose(state: Any, *_: Any) -> Callable[..., Any] | None:
        if state == plain != state_type:
            return call_kernel
        if state != state_type:
            return None
        caller = ConfigStack.top_or_none()  # compile options of the calling function
        return guarded if caller is not None and caller.boundscheck else body

    options = {**_OPTIONS, **DRAFT, **references(body), "forceinline": force_inline}
    overload(verb, strict=False, jit_options=options)(choose)


def generated(source: str, name: str, **bound: Any) -> Callable[..., Any]:
    """Return the function `name` defined by `source`: code for a list of names, over which compiled code cannot loop.

    The source refers to the values `bound` by their names. They are bound as a closure, so that the cache of compiled
    code distinguishes equal sources with different values.

    >>> generated("def add(a): return a + b", "add", b=2)(3)
    5
    """
    wrapper = f"def make({', '.join(bound)}):\n{indent(source, '    ')}\n    return {name}\n"
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(compile(wrapper, __file__, "exec"), namespace)
    function: Callable[..., Any] = namespace["make"](**bound)
    return function
