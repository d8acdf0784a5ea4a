"""Workers of a Dask cluster: they need no file system in common, since results come back to us."""

from __future__ import annotations

import contextlib
import logging
import math
import secrets
import signal
import time
import warnings
from collections.abc import Collection
from queue import Empty, SimpleQueue
from typing import Any

from halfwidth import __version__
from halfwidth.core.errors import DataError, OptionError
from halfwidth.study.chunks import Chunk, Queue, Work
from halfwidth.study.execution.attempts import Answer, Fault, Reply, attempt

__all__ = ["LOCAL", "Cluster", "dask_setup"]

# Asks for workers on this machine.
LOCAL = "local"
# Seconds to wait for an answer of the scheduler.
PATIENCE = 10
# Chunks that wait at the scheduler, for each worker, so that none is idle; and at least so many,
# since workers may come later.
AHEAD, FEWEST = 4, 4
# Seconds between two counts of the workers.
LOOK = 5.0


class Cluster:
    """A Dask cluster, as a `Pool`.

    Parameters
    ----------
    address : str
        Of a scheduler, such as ``"tcp://node1:8786"``; ``"local"`` for processes on this machine.
    workers : int
        How many, where they are local.
    alone : bool
        Whether one chunk is worked on at a time.

    Raises
    ------
    OptionError
        If that is no address, or Dask is not installed.
    DataError
        If nobody answers there.
    """

    def __init__(self, address: str, workers: int, *, alone: bool = False) -> None:
        self._address = address
        self._alone = alone
        self._running: set[Any] = set()
        self._room, self._counted = 0, -math.inf
        self._local: Any = None
        # Other runs, and other people, may use the scheduler too.
        self._token = secrets.token_hex(4)
        self._levels = _silenced()
        try:
            if address == LOCAL:
                self._local = _local_cluster(workers)
                address = self._local.scheduler_address
            self._client = _client(address)
        except BaseException:
            _restore(self._levels)
            raise
        # Put in by a thread of Dask, taken out by the run.
        self._ends: SimpleQueue[tuple[Any, Any]] = SimpleQueue()
        self._outcomes: dict[Any, Any] = {}

    def submit(self, queue: Queue, work: Work) -> tuple[Any, Chunk] | None:
        """Send the next chunk to the scheduler, unless enough wait there."""
        if len(self._running) >= self._room_now():
            return None
        chunk = queue.take()
        if chunk is None:
            return None
        key = f"{chunk.name}-{chunk.digest}-{self._token}"
        with warnings.catch_warnings():
            # That a large chunk takes long to send is no news.
            warnings.filterwarnings("ignore", message="Sending large graph")
            future = self._client.submit(
                attempt, work, chunk, __version__, key=key, pure=False, retries=0
            )
        self._running.add(future)
        future.add_done_callback(self._take)
        return future, chunk

    def _take(self, future: Any) -> None:
        """Get the outcome here as soon as it is there: its worker may die with the next chunk."""
        try:
            outcome = future.result()
        except BaseException as error:  # noqa: BLE001 -- the run looks at it, whatever it is
            outcome = error
        self._ends.put((future, outcome))

    def ended(self, futures: Collection[Any], *, wait: bool) -> list[Any]:
        """The futures that have ended; at least one where it waits."""
        found = [self._next()] if wait and futures else []
        while not self._ends.empty():
            found.append(self._ends.get())
        self._outcomes.update(found)
        return [future for future, _ in found]

    def _next(self) -> tuple[Any, Any]:
        # Interrupts are heard between two looks where they do not end a wait.
        while True:
            with contextlib.suppress(Empty):
                return self._ends.get(timeout=LOOK / 10)

    def answer(self, future: Any) -> Answer:
        """What came of a chunk.

        Raises
        ------
        DataError
            If the scheduler has gone.
        """
        self._running.discard(future)
        outcome = self._outcomes.pop(future)
        if isinstance(outcome, Reply | Fault):
            # The workers may forget it.
            future.release()
            return outcome
        if isinstance(outcome, _dask().KilledWorker):
            return Fault(f"the worker died: {outcome.last_worker}", died=True)
        # Errors of the work itself are faults; these are of the way to it.
        if isinstance(outcome, OSError) or "Cancelled" in type(outcome).__name__:
            raise DataError(f"--dask {self._address}: the scheduler has gone, or gave a chunk up")
        return Fault(f"{type(outcome).__name__}: {outcome}")

    def close(self) -> None:
        """Give up what is running, and end what was started here."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._client.cancel(list(self._running))
            self._client.close(timeout=PATIENCE)
            if self._local is not None:
                self._local.close(timeout=PATIENCE)
        _restore(self._levels)

    def _room_now(self) -> int:
        """How many chunks may wait at the scheduler; workers come and go."""
        if self._alone:
            return 1
        if time.monotonic() - self._counted > LOOK:
            # A scheduler that does not answer is noticed by what it has been sent.
            with contextlib.suppress(OSError):
                threads = sum(self._client.nthreads().values())
                self._room = max(FEWEST, AHEAD * threads)
            self._counted = time.monotonic()
        return self._room


def _dask() -> Any:
    try:
        import distributed
    except ImportError:
        raise OptionError("--dask needs distributed: pip install 'halfwidth[cluster]'") from None
    return distributed


def _silenced() -> list[tuple[logging.Handler, int]]:
    """Silence Dask, which says the same as we do in fifty lines; how loud it was."""
    _dask()
    handlers = logging.getLogger("distributed").handlers
    before = [(handler, handler.level) for handler in handlers]
    for handler in handlers:
        handler.setLevel(logging.CRITICAL + 1)
    return before


def _restore(levels: list[tuple[logging.Handler, int]]) -> None:
    for handler, level in levels:
        handler.setLevel(level)


def dask_setup(_worker: Any) -> None:
    """What a local worker does first, by a name that Dask knows: leave interrupts to the run."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _local_cluster(workers: int) -> Any:
    import dask

    # A chunk that was beside one that killed their worker may try once more; the rest is for us.
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}):
        return _dask().LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            # Nobody from outside, whatever the port.
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
            preload=[__name__],
        )


def _client(address: str) -> Any:
    try:
        return _dask().Client(address, timeout=PATIENCE, set_as_default=False)
    except OSError as error:
        raise DataError(
            f"--dask {address}: no scheduler answers there ({type(error).__name__}); 'dask "
            "scheduler' starts one and prints its address"
        ) from None
    except (ValueError, TypeError) as error:
        raise OptionError(
            f"--dask {address} is no address of a scheduler ({error}), such as tcp://node1:8786, "
            f"nor '{LOCAL}'"
        ) from None
