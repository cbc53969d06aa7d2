"""A Dask scheduler and workers, each a process of its own, as a user starts them."""

import contextlib
import os
import socket
import subprocess
import sys
import time

from paths import ROOT


def free_port():
    with contextlib.closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Cluster:
    """A scheduler and its workers; a context manager that ends them all."""

    def __init__(self, folder, preload=None):
        """`preload` is a Python file that workers run first."""
        self.folder, self.address, self.preload = folder, f"tcp://127.0.0.1:{free_port()}", preload
        self.processes = []
        port = self.address.rpartition(":")[2]
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()

    def add(self, preload=None):
        """Start a worker of one thread; `preload` is another file to run first."""
        preload = preload or self.preload
        more = ["--preload", str(preload)] if preload else []
        return self._start("worker", self.address, "--nthreads", "1", "--no-nanny", *more)

    def wait_for(self, number, seconds=180):
        """Wait until so many workers are registered, and return their addresses."""
        from distributed import Client

        with Client(self.address, timeout=seconds, set_as_default=False) as client:
            deadline = time.monotonic() + seconds
            while len(workers := client.nthreads()) != number and time.monotonic() < deadline:
                time.sleep(0.1)
            assert len(workers) == number
            return sorted(workers)

    def _start(self, kind, *arguments):
        command = [sys.executable, "-m", "dask", kind, *arguments, "--no-dashboard"]
        path = os.pathsep.join([str(ROOT), str(ROOT / "agents"), os.environ.get("PYTHONPATH", "")])
        with (self.folder / f"{kind}-{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=self.folder, env={**os.environ, "PYTHONPATH": path}, stdout=log, stderr=log
            )
        self.processes.append(process)
        return process
