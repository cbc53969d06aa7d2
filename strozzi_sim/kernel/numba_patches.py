"""Changes to numba's compilation of kernels, which then run as fast as C and compile in half the time.

Apart from names, code of other packages is not affected: only kernels and entries select these compilers, and indices
are plain only in marked modules.

- Drafts: numba optimises every function with its callees, and its caller does so again. Kernels run only inside an
  entry, so they are optimised only there, which halves the compile time.
- Private functions: numba exports every function that is linked into an entry, so LLVM must keep numba's calling
  convention between them. As private functions they lose unused arguments and results; this saves 7 % of random play.
- Plain indices: numba checks at every subscript whether a signed index counts from the end; in kernels of strozzi-sim
  none does. This saves a sixth of play with facts.
- No references: numba counts references to every array that it passes, with locked instructions: a tenth of the time of
  an agent with many arrays. Kernels of strozzi-sim allocate nothing, and their callers hold the arrays. Third-party
  code may allocate, so its references are counted.
- No collection: compiling makes millions of objects that live until its end; without garbage collection it takes 15 %
  less time.
- Unique names: numba names machine code by numbers counted within a process, so cached code of two processes can share
  a name, and a process that loads both gets the first for both (numba issue 10486).

The environment variable STROZZI_PLAIN_NUMBA turns changes off: names of PATCHES divided by commas, or `all`. A test
plays every game with all of them off, with equal results.

If numba changes: the two changes for the whole process replace `FunctionIdentity._unique_ids` (names) and
`arrayobj.fix_integer_index` (indices); the libraries override methods of `JITCodeLibrary` and `JITCPUCodegen` (drafts,
private), and `EntryCompiler` adds a pass before the one that precedes `NativeLowering`. If one of these is renamed,
importing or compiling fails at once, and the variable is the way out. If one is no longer called, code is slower, or an
unlinked function is found by `_Whole`; `tests/kernel/test_numba_patches.py` compares each with plain numba. No switch
replaces what else depends on numba's internals: `_Cache` of `kernel.jit`, the types of `kernel.record_types`, and the
texts of errors in `kernel.compile_errors`, which only word messages.
"""

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from numba.core import types
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.environment import lookup_environment
from numba.core.lowering import Environment
from numba.core.typed_passes import NativeLowering

from strozzi_sim.errors import InputError, short_repr, suggest_names

_PACKAGES = ("strozzi_sim", "strozzi_agents")
PATCHES = ("drafts", "private", "indices", "references", "collection", "names")


def _applied() -> frozenset[str]:
    """Return the changes that STROZZI_PLAIN_NUMBA does not turn off. Raises InputError for an unknown name."""
    off = os.environ.get("STROZZI_PLAIN_NUMBA", "")
    names = PATCHES if off == "all" else tuple(name for name in off.split(",") if name)
    for name in names:
        if name not in PATCHES:
            raise InputError(f"STROZZI_PLAIN_NUMBA: unknown change {short_repr(name)}; {suggest_names(name, PATCHES)}")
    return frozenset(PATCHES).difference(names)


APPLIED = _applied()

if "names" in APPLIED:
    FunctionIdentity._unique_ids = iter(lambda: int.from_bytes(os.urandom(8), "big"), None)


class _Codegen:
    """A code generator that registers no environments: a draft has no machine code to use one."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Ignore the environment."""


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel or entry; the modules of one of strozzi-sim are marked for `_plain_indices`."""

    plain_indices = False

    def create_ir_module(self, name: str) -> Any:
        module = super().create_ir_module(name)
        module.plain_indices = self.plain_indices
        return module


class _Draft(_Library):
    """The unoptimised code of a kernel, to be linked into its callers."""

    @property
    def codegen(self) -> Any:
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
        self.environments: list[Environment] = []  # kept alive, since the code points to them

    def _optimize_final_module(self) -> None:
        if "private" not in APPLIED:
            super()._optimize_final_module()
            return
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "linkonce_odr":
                # Not "internal": the JIT would find such a function by its name for other modules that link the same
                # kernel and call it by numba's convention.
                function.linkage = "private"
        manager, builder = self._codegen._module_pass_manager()  # numba runs it twice, for no faster code
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

        numba does so for functions that Python calls, not for callbacks or drafts: their `print` or `raise` would fail
        after it took the interpreter's lock, and never release it.
        """
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                self._codegen.set_env(variable.name, environment)
                self.environments.append(environment)


class _BeginLibrary(LoweringPass):  # type: ignore[misc]
    """A pass that creates the library of a function, before lowering creates one of numba's class."""

    library: Any = None

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        codegen = state.targetctx.codegen()
        if type(codegen) is JITCPUCodegen and state.library is None:
            state.library = self.library(codegen, state.func_id.func_qualname)
            state.library.plain_indices = is_internal(state.func_id.modname)
            if self.library is not _Draft:
                state.library.enable_object_caching()
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class _BeginDraft(_BeginLibrary):
    _name = "begin_draft"
    library = _Draft if "drafts" in APPLIED else _Library


@register_pass(mutates_CFG=False, analysis_only=True)
class _BeginWhole(_BeginLibrary):
    _name = "begin_whole"
    library = _Whole


class EntryCompiler(CompilerBase):  # type: ignore[misc]
    """numba's compiler, for code that Python or other machine code calls."""

    begin: Any = _BeginWhole

    def extend(self, passes: Any) -> None:
        """Add a subclass's passes."""

    def define_pipelines(self) -> list[Any]:
        """Return numba's passes, with the library created before lowering."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        if "indices" in APPLIED:
            _plain_indices()
        if APPLIED.intersection(("drafts", "private", "indices")):
            names = [pass_type.__name__ for pass_type, _ in passes.passes]
            passes.add_pass_after(self.begin, passes.passes[names.index(NativeLowering.__name__) - 1][0])
        self.extend(passes)
        passes.finalize()
        return [passes]


class _DraftCompiler(EntryCompiler):
    begin = _BeginDraft


# Options of a kernel that lives inside entries.
DRAFT: dict[str, Any] = {"pipeline_class": _DraftCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def references(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the option that counts references to arrays: off for functions of strozzi-sim, which allocate nothing."""
    return {"_nrt": "references" not in APPLIED or not is_internal(function.__module__)}


def is_internal(module: str) -> bool:
    """Return whether a module is in strozzi_sim or strozzi_agents."""
    return module.split(".")[0] in _PACKAGES


@contextmanager
def without_collection() -> Iterator[None]:
    """Switch garbage collection off inside the block."""
    enabled = gc.isenabled() and "collection" in APPLIED
    if enabled:
        gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@cache
def _plain_indices() -> None:
    """Make numba's `fix_integer_index` leave the indices of marked modules unchanged.

    With bounds checks a negative index is then out of bounds, so the tests with NUMBA_BOUNDSCHECK=1 find one.
    """
    from numba.np import arrayobj  # here, since cached code does not need it

    fix = arrayobj.fix_integer_index

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if kind.signed and getattr(builder.module, "plain_indices", False):
            return context.cast(builder, index, kind, types.intp)
        return fix(context, builder, kind, index, size)

    arrayobj.fix_integer_index = fix_integer_index
