"""Patches of numba's compilation of kernels, which then run as fast as C and compile in half of the time.

This is the only module that depends on numba's internals. Each patch in `PATCHES` states why it exists and what it
needs. A patch applies only if everything it needs is found, and if the environment variable `STROZZI_PATCHES_OFF`
(comma-separated names) does not list it. Without patches kernels are slower and compute the same.
Code of other packages is never affected: each patch checks the module of a function, or its library.
"""

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakSet

from llvmlite import binding
from numba.core import compiler, config, serialize, types
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.cpu import CPUContext
from numba.core.environment import lookup_environment
from numba.core.lowering import Environment
from numba.core.options import DefaultOptions
from numba.core.typed_passes import NativeLowering
from numba.np import arrayobj

from strozzi_sim.kernel import kept_drafts
from strozzi_sim.runtime.cache import PATCHES_OFF as OFF

TESTED = ("0.62", "0.68")  # oldest and newest tested version of numba
_OURS = ("strozzi_sim", "strozzi_agents")


@dataclass(frozen=True)
class Patch:
    """A change to numba.

    Attributes:
        name: short name, for `STROZZI_PATCHES_OFF`.
        reason: its benefit.
        needs: attributes of numba's internals that it uses, as (owner, name).
    """

    name: str
    reason: str
    needs: tuple[tuple[Any, str], ...]

    @property
    def missing(self) -> list[str]:
        """Needed attributes that the installed numba lacks, as `owner.name`."""
        return [f"{getattr(owner, '__name__', owner)}.{name}" for owner, name in self.needs if not hasattr(owner, name)]

    @property
    def is_on(self) -> bool:
        """Whether the patch applies in this process."""
        return self.name not in _switched_off() and not self.missing


PATCHES = {
    patch.name: patch
    for patch in (
        Patch(
            "unique_names",
            "numba names machine code by numbers counted within a process, so cached code of two processes can share a name, and "
            "a process that loads both gets the first for both (numba issue 10486); random numbers make names unique",
            ((FunctionIdentity, "_unique_ids"),),
        ),
        Patch(
            "drafts",
            "numba optimises every function with its callees, and its caller does so again; kernels run only inside "
            "an entry, so that optimising them there alone halves the compile time",
            tuple(
                (JITCodeLibrary, name)
                for name in (
                    "_optimize_final_module", "_optimize_functions", "_finalize_final_module", "_finalize_dynamic_globals",
                    "get_pointer_to_function",
                )
            ),
        ),
        Patch(
            "kept_drafts",
            "numba caches the machine code of entries alone; with cached drafts a further entry of a game compiles in 0.75 of "
            "the time",
            (
                (JITCodeLibrary, "_ensure_finalized"), (JITCodeLibrary, "has_dynamic_globals"), (Environment, "from_fndesc"),
                (compiler, "compile_result"), (CPUContext, "get_executable"), (serialize, "dumps"),
            ),
        ),
        Patch(
            "private",
            "numba exports every function that is linked into an entry, so LLVM must keep numba's calling convention between them; "
            "as private functions they lose unused arguments and results: 7 % of random play",
            ((JITCodeLibrary, "_optimize_final_module"), (JITCPUCodegen, "_module_pass_manager")),
        ),
        Patch(
            "plain_indices",
            "numba checks at every subscript whether a signed index counts from the end; in kernels none does: 4 % of random play",
            ((arrayobj, "fix_integer_index"), (JITCodeLibrary, "create_ir_module")),
        ),
        Patch(
            "no_references",
            "numba counts references to every array that it passes, with locked instructions: 7 % of counted play; our kernels "
            "allocate nothing, and their callers hold the arrays",
            ((DefaultOptions, "_nrt"),),
        ),
        Patch(
            "no_collection",
            "compiling makes millions of objects that live until its end; without garbage collection it takes 0.85 of the time",
            (),
        ),
    )
}  # fmt: skip


@cache
def _switched_off() -> frozenset[str]:
    return frozenset(name.strip() for name in os.environ.get(OFF, "").split(",") if name.strip())


def fallbacks() -> list[str]:
    """Return a line for each patch that does not apply here, or for each unknown name in `STROZZI_PATCHES_OFF`."""
    lines = [
        f"{OFF}: no patch is called {name!r}; known: {', '.join(PATCHES)}" for name in _switched_off() - set(PATCHES)
    ]
    for patch in PATCHES.values():
        if patch.missing:
            lines.append(f"slower: patch {patch.name!r} is off; this numba has no {', '.join(patch.missing)}")
        elif not patch.is_on:
            lines.append(f"slower: patch {patch.name!r} is switched off by {OFF}")
    return sorted(lines)


class _Codegen:
    """A code generator that registers no environments: a draft has no machine code to use one."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Ignore the environment."""


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function of strozzi-sim: its modules are marked for `_index_as_it_is`."""

    plain_indices = False

    def create_ir_module(self, name: str) -> Any:
        """Create a module, marked if indices are never negative."""
        module = super().create_ir_module(name)
        module.plain_indices = self.plain_indices
        return module


class _Draft(_Library):
    """The unoptimised code of a kernel, to be linked into its callers."""

    kept: str | None = None  # name in `kernel.kept_drafts`
    own = b""  # bitcode of its module, if drafts are cached
    environment: Any = None  # of a cached draft

    def finalize(self) -> None:
        """Link its callees."""
        if kept_drafts.is_keeping():
            self.own = self._final_module.as_bitcode()
        super().finalize()

    @property
    def codegen(self) -> Any:
        """The code generator."""
        return _Codegen(self._codegen)

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Do nothing: the entry optimises."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no machine code."""
        return 0


class _Whole(_Library):
    """The code of an entry: linked functions are private, so LLVM may change their calling convention or drop them."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.environments: list[Environment] = []  # that the code points to

    def _optimize_final_module(self) -> None:
        if not PATCHES["private"].is_on or not config.LLVM_REFPRUNE_PASS:
            super()._optimize_final_module()
            return
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "linkonce_odr":
                # Not "internal": the JIT would find such a function by its name for other modules that link the same
                # kernel and call it by numba's convention.
                function.linkage = "private"
        manager, builder = self._codegen._module_pass_manager()  # numba runs it twice; the code is as fast after one
        with self._recorded_timings.record("Module passes (full optimization)", builder):
            manager.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        """Check that all called functions are linked: the JIT would call address 0."""
        for function in self._final_module.functions:
            if function.is_declaration and function.name.startswith("_ZN"):
                raise RuntimeError(f"{self.name} calls {function.name}, which is not linked")
        super()._finalize_final_module()
        self._set_environments()

    def _set_environments(self) -> None:
        """Give the code the environments of all linked functions: Python objects, which `print` and `raise` need.

        numba does so for functions that Python calls, not for callbacks or drafts: these would fail while they hold the lock of
        the interpreter, and never release it.
        """
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                self._codegen.set_env(variable.name, environment)
                self.environments.append(environment)


class _BeginLibrary(LoweringPass):  # type: ignore[misc]
    """A pass that creates a `_Library` for a function before lowering would create numba's."""

    library: Any = None

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Create the library."""
        codegen = state.targetctx.codegen()
        if type(codegen) is JITCPUCodegen and state.library is None:
            state.library = self.library(codegen, state.func_id.func_qualname)
            state.library.plain_indices = _is_ours(state.func_id.modname) and PATCHES["plain_indices"].is_on
            if self.library is _Whole:
                state.library.enable_object_caching()
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class _BeginDraft(_BeginLibrary):
    _name = "begin_draft"
    library = _Draft


@register_pass(mutates_CFG=False, analysis_only=True)
class _BeginWhole(_BeginLibrary):
    _name = "begin_whole"
    library = _Whole


def _add_before_lowering(passes: Any, begin: Any) -> None:
    names = [one.__name__ for one, _ in passes.passes]
    passes.add_pass_after(begin, passes.passes[names.index(NativeLowering.__name__) - 1][0])


KERNELS: WeakSet[Any] = WeakSet()  # all kernels marked by `kernel.jit`


def _holds_no_address(library: Any) -> bool:
    """Return whether a draft contains no address of this process except those, never read, of called kernels."""
    kernels = {id(kernel) for kernel in KERNELS}
    return all(int(name.rpartition(".")[2], 16) in kernels for name in library._dynamic_globals)


def _keep(key: str, result: Any) -> None:
    """Cache a draft, unless it holds an object or an address of this process, or links a draft that is not cached."""
    library = result.library
    library._ensure_finalized()
    linked = [
        one for one in dict.fromkeys(library._linking_libraries) if one.name != "nrt"
    ]  # every entry links nrt itself
    drafts = [one for one in linked if isinstance(one, _Draft)]
    if result.environment.consts or not _holds_no_address(library) or any(one.kept is None for one in drafts):
        return
    module = binding.parse_bitcode(library.own)
    for one in linked:
        if not isinstance(one, _Draft):
            module.link_in(one._get_module_for_linking(), preserve=True)
    description = copy(result.fndesc)
    description.typemap = description.calltypes = None  # as numba does: they are large and no longer needed
    needs = tuple(str(one.kept) for one in drafts)
    pickled = serialize.dumps((description, result.signature))
    library.kept = description.llvm_func_name
    kept_drafts.add(library.kept, library, kept_drafts.Kept(key, module.as_bitcode(), needs, pickled))


class _DraftCompiler(CompilerBase):  # type: ignore[misc]
    def compile_extra(self, function: Any) -> Any:
        """Return the compile result of a function, from the cached drafts if possible."""
        are_kept = all(PATCHES[name].is_on for name in ("drafts", "unique_names", "kept_drafts"))
        key = kept_drafts.key_of(function, self.state.args, self.state.flags) if are_kept else None
        if key is None:
            return super().compile_extra(function)
        if name := kept_drafts.name_of(key):
            return self._result(name)
        result = super().compile_extra(function)
        _keep(key, result)
        return result

    def _library(self, name: str, bitcode: bytes, needs: list[Any]) -> Any:
        """Return the library of a cached draft."""
        library = _Draft(self.state.targetctx.codegen(), name)
        library.kept = name
        library.add_llvm_module(binding.parse_bitcode(bitcode))
        for needed in needs:
            library.add_linking_library(needed)
        library.finalize()
        return library

    def _result(self, name: str) -> Any:
        """Return the compile result of a cached draft."""
        context, library = self.state.targetctx, kept_drafts.library_of(name, self._library)
        description, signature = kept_drafts.description_of(name)
        library.environment = Environment.from_fndesc(description)  # numba knows it as long as somebody holds it
        entry = context.get_executable(library, description, library.environment)
        context.insert_user_function(entry, description, [library])
        return compiler.compile_result(
            typing_context=self.state.typingctx, target_context=context, entry_point=entry, library=library, fndesc=description,
            signature=signature, type_annotation="", objectmode=False, lifted=(), metadata={}, reload_init=[],
        )  # fmt: skip

    def define_pipelines(self) -> list[Any]:
        """Return numba's passes, with a draft created before lowering."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        if PATCHES["drafts"].is_on:
            _add_before_lowering(passes, _BeginDraft)
        passes.finalize()
        return [passes]


class EntryCompiler(CompilerBase):  # type: ignore[misc]
    """numba's compiler, for code that Python or other machine code calls."""

    def extend(self, passes: Any) -> None:
        """Add further passes."""

    def define_pipelines(self) -> list[Any]:
        """Return numba's passes, with a `_Whole` library created before lowering."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        _add_before_lowering(passes, _BeginWhole)
        self.extend(passes)
        passes.finalize()
        return [passes]


# Options of a kernel that lives inside entries.
DRAFT: dict[str, Any] = {"pipeline_class": _DraftCompiler}
if PATCHES["drafts"].is_on:
    DRAFT |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def references(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the option for reference counting of arrays: on for third-party code, which may allocate some."""
    return {"_nrt": not (_is_ours(function.__module__) and PATCHES["no_references"].is_on)}


def _is_ours(module: str) -> bool:
    return module.split(".")[0] in _OURS


@contextmanager
def without_collection() -> Iterator[None]:
    """Collect no garbage inside the block."""
    enabled = gc.isenabled() and PATCHES["no_collection"].is_on
    if enabled:
        gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _index_as_it_is(fix: Callable[..., Any]) -> Callable[..., Any]:
    """Return numba's `fix_integer_index`, with the index unchanged in marked modules.

    With bounds checks a negative index is then out of bounds, so the tests with NUMBA_BOUNDSCHECK=1 find one.
    """

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if kind.signed and getattr(builder.module, "plain_indices", False):
            return context.cast(builder, index, kind, types.intp)
        return fix(context, builder, kind, index, size)

    return fix_integer_index


if PATCHES["unique_names"].is_on:
    FunctionIdentity._unique_ids = iter(lambda: int.from_bytes(os.urandom(8), "big"), None)
if PATCHES["plain_indices"].is_on:
    arrayobj.fix_integer_index = _index_as_it_is(arrayobj.fix_integer_index)
