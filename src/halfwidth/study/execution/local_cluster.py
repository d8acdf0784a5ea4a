"""A Dask cluster on this machine, in a session of its own.

Ctrl-C on a terminal goes to all processes of the session. Those of Dask would die of it with a
traceback each, whatever the run wants to do; in a session of their own they never hear of it, and
the run ends them, or its death does.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import signal
import subprocess
import sys
from typing import IO, Any, cast

from halfwidth.core.errors import DataError

__all__ = ["LocalCluster"]

# Seconds for the cluster to end by itself.
GOODBYE = 2.0


class LocalCluster:
    """So many workers, each in a process.

    Parameters
    ----------
    workers : int

    Raises
    ------
    DataError
        If it does not come up.
    """

    def __init__(self, workers: int) -> None:
        self._process = subprocess.Popen(  # noqa: S603 -- this program
            [sys.executable, "-m", __name__, str(workers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # What Dask says is no news, and what the work says comes back with its results.
            stderr=subprocess.DEVNULL,
            text=True,
            # Workers import the work from where this process has it.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,
        )
        self._input = cast(IO[str], self._process.stdin)
        self._output = cast(IO[str], self._process.stdout)
        self.address = self._output.readline().strip()
        if not self.address:
            self.close()
            raise DataError("--dask local: no cluster comes up on this machine; --jobs needs none")

    def close(self) -> None:
        """End the cluster, in an orderly way if it can."""
        process = self._process
        with contextlib.suppress(OSError):
            self._input.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GOODBYE)
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        self._output.close()


def _serve(workers: int) -> None:
    """Be the cluster until whoever started it closes its end, or is dead."""
    import dask

    distributed: Any = importlib.import_module("distributed")
    # A chunk that was beside one that killed their worker may try once more; the rest is for us.
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}):
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            # Nobody from outside, whatever the port.
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )
    with cluster:
        sys.stdout.write(f"{cluster.scheduler_address}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
