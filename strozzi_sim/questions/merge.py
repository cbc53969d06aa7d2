"""merge: join the parts of a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from strozzi_sim.studies.lookup import Folder
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results


def merge(
    parts: Sequence[str | Path],
    folder: Folder,
    *,
    code: Sequence[str | Path] = (),
    progress: ProgressOption = None,
) -> Results:
    """Join the parts of a study, each played with `run FILE --part I/N`; the tables are those of one run, to the byte.

    Args:
        parts: results folders of all parts
        folder: results folder of the whole study
        code: a file of agents that the parts may run, or several
        progress: as in `simulate`

    Raises:
        InputError: a part is missing, given twice, unfinished, damaged, or of another plan, version or processor; names the
            part.
        StorageError, Interrupted: as `run`.

    >>> import tempfile
    >>> import strozzi_sim as ss
    >>> place = tempfile.mkdtemp()
    >>> study = ss.Study(name="mine", game="medici_vs_strozzi", deals=40, lineups=[["random"]])
    >>> for part in (1, 2):
    ...     _ = ss.run(study, f"{place}/{part}", part=f"{part}/2")
    >>> ss.merge([f"{place}/1", f"{place}/2"], f"{place}/whole").n_games
    40
    """
    from strozzi_sim.errors import ArgumentError
    from strozzi_sim.studies.lookup import path_of
    from strozzi_sim.studies.merging import merge_parts
    from strozzi_sim.studies.progress import report_progress

    if isinstance(parts, str) or not parts:
        raise ArgumentError("parts", "expected the results folders of all parts")
    folders = [path_of("parts", part) for part in parts]
    out = path_of("folder", folder)
    with report_progress(progress) as reporter:
        return merge_parts(folders, out, code=code, progress=reporter)
