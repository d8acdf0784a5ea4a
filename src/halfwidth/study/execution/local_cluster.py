"""A Dask cluster on this machine, in a session of its own.

Ctrl-C on a terminal goes to all processes of the session. Those of Dask would each die with a
traceback; in a session of their own they do not receive it. They end with the run, or with its
death.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import IO, Any, TypeVar, cast

from halfwidth.core.errors import DataError
from halfwidth.core.option_names import spelled

# Seconds for the cluster to end by itself.
CLOSE_SECONDS = 2.0
# How often to start an event loop of Dask, which has ten seconds to begin each time.
ATTEMPTS = 6

T = TypeVar("T")


def retry_late_loop(start: Callable[[], T]) -> T:
    """Start something that has an event loop of Dask's, again if the loop is late.

    Dask gives its loop ten seconds to begin and then asserts that it did, which a machine under
    load may not keep.
    """
    for _ in range(ATTEMPTS - 1):
        with contextlib.suppress(AssertionError):
            return start()
    return start()


class LocalCluster:
    """Workers on this machine, each in a process."""

    def __init__(self, workers: int) -> None:
        self._process = subprocess.Popen(  # noqa: S603 -- this program
            [sys.executable, "-m", __name__, str(workers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Messages of Dask repeat ours, and those of the work come back with its results.
            stderr=subprocess.DEVNULL,
            text=True,
            # Workers import the same modules as this process.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,
        )
        self._input = cast(IO[str], self._process.stdin)
        self._output = cast(IO[str], self._process.stdout)
        self.address = self._output.readline().strip()
        if not self.address:
            self.close()
            raise DataError(
                f"{spelled('dask', 'local')}: no cluster comes up on this machine; "
                f"{spelled('jobs')} needs none"
            )

    def close(self) -> None:
        """End the cluster, gracefully if possible."""
        process = self._process
        with contextlib.suppress(OSError):
            self._input.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(CLOSE_SECONDS)
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        self._output.close()


def _serve(workers: int) -> None:
    """Run the cluster until the parent closes the pipe or dies."""
    import dask

    distributed: Any = importlib.import_module("distributed")

    def start() -> Any:
        return distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            # No connections from other machines.
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )

    # A chunk on the same worker as a fatal one may be tried again; more retries are ours.
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}):
        cluster = retry_late_loop(start)
    with cluster:
        sys.stdout.write(f"{cluster.scheduler_address}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
