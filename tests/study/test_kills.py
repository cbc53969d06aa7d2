"""Studies of every kind are killed twice at random moments, and then finished: the tables have the bytes of one run."""

import os
import random
import signal
import time
import zlib

import pytest

import strozzi_sim as ss
from strozzi_sim.study.folders import study_of
from study_examples import EXAMPLES, KEYS, tables_in

KINDS = [kind for kind in EXAMPLES if kind != "leak_check"]  # a check plays no chunks


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked copy")
@pytest.mark.parametrize("kind", KINDS)
def test_a_study_that_was_killed_twice_has_the_same_bytes(kind, tmp_path):
    study, look = study_of({**KEYS, **EXAMPLES[kind], "kind": kind, "deals": 100, "report": {"pages": ["balance"]}})
    ss.run(study, tmp_path / "whole", look=look, workers=1, progress=False)
    began, moments = time.monotonic(), random.Random(zlib.crc32(kind.encode()))
    ss.run(study, look=look, workers=1, progress=False)
    seconds = time.monotonic() - began
    for _ in range(2):
        process = os.fork()
        if process == 0:
            try:
                ss.run(study, tmp_path / "killed", look=look, workers=1, progress=False)
            finally:
                os._exit(0)
        time.sleep(moments.uniform(0, 1.3 * seconds))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    ss.run(study, tmp_path / "killed", look=look, workers=1, progress=False)
    assert tables_in(tmp_path / "killed") == tables_in(tmp_path / "whole")
    assert ss.load_results(tmp_path / "killed").verdict
