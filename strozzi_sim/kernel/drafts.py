"""Kernels as drafts: typed and lowered, but optimised only as part of the code that they are linked into.

numba optimises every function with all that it calls, and makes machine code of it, before its caller is compiled, which
does the same again: along a chain of calls the innermost is optimised once for every link. Kernels run only inside an
entry's code, so that all but the last of it is for nothing; without it a loop compiles in half of the time.

This leans on how numba keeps a function's code (`numba.core.codegen`, since numba 0.62).
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.typed_passes import NativeLowering


class _Codegen:
    """A code generator that is told of no environment: a draft has no machine code that could use one."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """There is nowhere to note it."""


class _Draft(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel, to be linked into that of its callers."""

    @property
    def codegen(self) -> Any:
        """The code generator."""
        return _Codegen(self._codegen)

    def _optimize_final_module(self) -> None:
        """Whoever links it optimises it."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """There is no machine code: 0."""
        return 0


@register_pass(mutates_CFG=False, analysis_only=True)
class _BeginDraft(LoweringPass):  # type: ignore[misc]
    """Has the code that comes next written into a draft."""

    _name = "begin_draft"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Begin a library for the function, as lowering would."""
        codegen = state.targetctx.codegen()
        if type(codegen) is JITCPUCodegen and state.library is None:
            state.library = _Draft(codegen, state.func_id.func_qualname)
        return False


class _DraftCompiler(CompilerBase):  # type: ignore[misc]
    def define_pipelines(self) -> list[Any]:
        """The usual passes, with that one before lowering."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        names = [one.__name__ for one, _ in passes.passes]
        passes.add_pass_after(_BeginDraft, passes.passes[names.index(NativeLowering.__name__) - 1][0])
        passes.finalize()
        return [passes]


OPTIONS: dict[str, Any] = {"pipeline_class": _DraftCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
