"""Workers of a Dask cluster; they need no shared file system, since they return results."""

from __future__ import annotations

import contextlib
import logging
import math
import secrets
import threading
import time
import warnings
from collections.abc import Callable, Collection
from queue import Empty, SimpleQueue
from typing import Any

from halfwidth import __version__
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.option_names import spelled
from halfwidth.study.chunks import Chunk, Queue, Work
from halfwidth.study.execution.attempts import Answer, Fault, Reply, attempt
from halfwidth.study.execution.interrupts import Stop
from halfwidth.study.execution.local_cluster import LocalCluster, retry_late_loop

# The address for workers on this machine.
LOCAL = "local"
# Seconds to wait for an answer of the scheduler, which may be busy; as long as Dask waits.
PATIENCE = 30.0
# Seconds to tell a scheduler that the run has ended.
CLOSE_SECONDS = 1.0
# Chunks that wait at the scheduler: per worker, so that none is idle, and at least, since workers
# may come later.
AHEAD, FEWEST = 4, 4
# Seconds between two counts of the workers.
LOOK = 5.0
# Seconds without a worker after which the user is informed.
WITHOUT_WORKERS = 60.0


class Cluster:
    """A Dask cluster, as a `Pool`.

    ``address`` is that of a scheduler, such as ``"tcp://node1:8786"``, or ``"local"`` for so many
    ``workers`` on this machine. ``alone``: one chunk at a time. ``tell`` is called with messages
    for the user while the run waits, which ``stop`` may end.
    """

    def __init__(
        self,
        address: str,
        workers: int,
        *,
        alone: bool = False,
        tell: Callable[[str], None] = lambda _: None,
        stop: Stop | None = None,
    ) -> None:
        self._address = address
        self._alone = alone
        self._watch = WorkerWatch(address, tell)
        self._running: set[Any] = set()
        self._room, self._counted = 0, -math.inf
        self._local: Any = None
        # Other runs, and other people, may use the scheduler too.
        self._token = secrets.token_hex(4)
        self._levels = _silence_dask()
        try:
            if address == LOCAL:
                self._local = _start(lambda: LocalCluster(workers), stop or Stop())
                address = self._local.address
            self._client = _start(lambda: _client(address), stop or Stop())
        except BaseException:
            _restore(self._levels)
            raise
        # Filled by a thread of Dask, emptied by the run.
        self._ends: SimpleQueue[tuple[Any, Any]] = SimpleQueue()
        self._outcomes: dict[Any, Any] = {}

    def submit(self, queue: Queue, work: Work) -> tuple[Any, Chunk] | None:
        """Send the next chunk to the scheduler, unless enough chunks wait there."""
        if len(self._running) >= self._room_now():
            return None
        chunk = queue.take()
        if chunk is None:
            return None
        key = f"{chunk.name}-{chunk.digest}-{self._token}"
        with warnings.catch_warnings():
            # Large chunks are expected.
            warnings.filterwarnings("ignore", message="Sending large graph")
            future = self._client.submit(
                attempt, work, chunk, __version__, key=key, pure=False, retries=0
            )
        self._running.add(future)
        future.add_done_callback(self._take)
        return future, chunk

    def _take(self, future: Any) -> None:
        """Fetch the outcome at once: its worker may die with the next chunk."""
        try:
            outcome = future.result()
        except BaseException as error:  # noqa: BLE001 -- the run looks at it, whatever it is
            outcome = error
        self._ends.put((future, outcome))

    def ended(self, futures: Collection[Any], *, wait: bool) -> list[Any]:
        """The futures that have ended; waits for at least one if ``wait``."""
        ended = [self._next()] if wait and futures else []
        while not self._ends.empty():
            ended.append(self._ends.get())
        self._outcomes.update(ended)
        return [future for future, _ in ended]

    def _next(self) -> tuple[Any, Any]:
        # Waiting in short steps lets interrupts through.
        while True:
            with contextlib.suppress(Empty):
                return self._ends.get(timeout=LOOK / 10)
            self._count_workers()

    def answer(self, future: Any) -> Answer:
        """The outcome of a chunk; a DataError if the scheduler has gone."""
        self._running.discard(future)
        outcome = self._outcomes.pop(future)
        if isinstance(outcome, Reply | Fault):
            # Lets the workers free it.
            future.release()
            return outcome
        if isinstance(outcome, _dask().KilledWorker):
            return Fault(f"the worker died: {outcome.last_worker}", died=True)
        # Errors of the work itself arrive as faults; these are errors of the transport.
        if isinstance(outcome, OSError) or "Cancelled" in type(outcome).__name__:
            raise DataError(
                f"{spelled('dask', self._address)}: the scheduler is gone or gave up a chunk"
            )
        return Fault(f"{type(outcome).__name__}: {outcome}")

    def close(self) -> None:
        """Cancel running chunks, and end the local cluster."""
        # A scheduler that does not answer must not block the end.
        closing = threading.Thread(target=self._cancel_and_close, daemon=True)
        closing.start()
        closing.join(CLOSE_SECONDS)
        if self._local is not None:
            self._local.close()
        _restore(self._levels)

    def _cancel_and_close(self) -> None:
        with warnings.catch_warnings(), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")
            self._client.cancel(list(self._running))
            self._client.close(timeout=CLOSE_SECONDS)

    def _room_now(self) -> int:
        """How many chunks may wait at the scheduler; depends on its current workers."""
        if self._alone:
            return 1
        self._count_workers()
        return self._room

    def _count_workers(self) -> None:
        if time.monotonic() - self._counted <= LOOK:
            return
        # A dead scheduler shows up as an error of a chunk.
        with contextlib.suppress(OSError):
            threads = sum(self._client.nthreads().values())
            self._room = max(FEWEST, AHEAD * threads)
            self._watch.count_at(threads, time.monotonic())
        self._counted = time.monotonic()


class WorkerWatch:
    """Reports when a cluster has had no workers for long, and when it has some again.

    >>> watch = WorkerWatch("tcp://node1:8786", print)
    >>> watch.count_at(0, 0.0)
    >>> watch.count_at(0, 61.0)
    no worker at tcp://node1:8786 for a minute: the run waits. Start one ('dask worker tcp://node1:8786 --nthreads 1'), or stop with Ctrl-C: the same command goes on, here or without dask=
    >>> watch.count_at(2, 70.0)
    2 workers at tcp://node1:8786: the run goes on
    """  # noqa: E501 -- a line of output

    def __init__(self, address: str, tell: Callable[[str], None]) -> None:
        self._address, self._tell = address, tell
        self._since: float | None = None
        self._reported = False

    def count_at(self, workers: int, now: float) -> None:
        """Record the number of workers at a time in seconds."""
        if workers:
            if self._reported:
                named = "1 worker" if workers == 1 else f"{workers} workers"
                self._tell(f"{named} at {self._address}: the run goes on")
            self._since, self._reported = None, False
            return
        self._since = now if self._since is None else self._since
        if now - self._since >= WITHOUT_WORKERS and not self._reported:
            self._reported = True
            self._tell(
                f"no worker at {self._address} for a minute: the run waits. {self._advice()}, or "
                f"stop with Ctrl-C: the same command goes on, here or without {spelled('dask')}"
            )

    def _advice(self) -> str:
        if self._address == LOCAL:
            return (
                f"Workers of {spelled('dask', LOCAL)} should come back by themselves; "
                f"{spelled('jobs')} needs no Dask"
            )
        return f"Start one ('dask worker {self._address} --nthreads 1')"


def _dask() -> Any:
    try:
        import distributed
    except ImportError:
        raise OptionError(
            f"{spelled('dask')} needs distributed: pip install 'halfwidth[cluster]'"
        ) from None
    return distributed


def _start(start: Callable[[], Any], stop: Stop) -> Any:
    """Start something slow; an interrupt ends the wait, and a late start is closed."""
    started: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
    given_up = threading.Event()

    def work() -> None:
        try:
            result = start()
        except BaseException as error:  # noqa: BLE001 -- raised by who waits
            started.put((None, error))
            return
        started.put((result, None))
        if given_up.is_set():
            result.close()

    threading.Thread(target=work, daemon=True).start()
    try:
        with stop.allowed():
            while True:
                with contextlib.suppress(Empty):
                    result, error = started.get(timeout=LOOK / 10)
                    break
    except KeyboardInterrupt:
        given_up.set()
        raise
    if error is not None:
        raise error
    return result


def _silence_dask() -> list[tuple[logging.Handler, int]]:
    """Silence Dask, whose messages repeat ours; returns the previous log levels."""
    _dask()
    handlers = logging.getLogger("distributed").handlers
    before = [(handler, handler.level) for handler in handlers]
    for handler in handlers:
        handler.setLevel(logging.CRITICAL + 1)
    return before


def _restore(levels: list[tuple[logging.Handler, int]]) -> None:
    for handler, level in levels:
        handler.setLevel(level)


def _client(address: str) -> Any:
    _check_address(address)
    try:
        return retry_late_loop(
            lambda: _dask().Client(address, timeout=PATIENCE, set_as_default=False)
        )
    except AssertionError:
        raise DataError(
            f"{spelled('dask', address)}: Dask did not start on this machine within a minute; "
            "the machine must be very busy: try again"
        ) from None
    except OSError as error:
        raise DataError(
            f"{spelled('dask', address)}: no scheduler answers there ({type(error).__name__}); "
            "'dask scheduler' starts one and prints its address"
        ) from None


def _check_address(address: str) -> None:
    """Refuse what Dask cannot read as an address, before it starts an event loop for it."""
    _dask()
    from distributed.comm.addressing import parse_address, parse_host_port
    from distributed.comm.registry import get_backend

    try:
        scheme, location = parse_address(address)
        get_backend(scheme)
        if scheme in {"tcp", "tls", "ws", "wss"}:
            parse_host_port(location)
    except (ValueError, TypeError) as error:
        raise OptionError(
            f"{spelled('dask', address)} is no address of a scheduler ({error}), such as "
            f"tcp://node1:8786, nor '{LOCAL}'"
        ) from None
