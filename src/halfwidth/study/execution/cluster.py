"""Workers of a Dask cluster: they need no file system in common, since results come back to us."""

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
from halfwidth.study.chunks import Chunk, Queue, Work
from halfwidth.study.execution.attempts import Answer, Fault, Reply, attempt
from halfwidth.study.execution.interrupts import Stop
from halfwidth.study.execution.local_cluster import LocalCluster

__all__ = ["LOCAL", "Cluster"]

# Asks for workers on this machine.
LOCAL = "local"
# Seconds to wait for an answer of the scheduler.
PATIENCE = 10
# Seconds to tell a scheduler that the run has ended.
GOODBYE = 1.0
# Chunks that wait at the scheduler, for each worker, so that none is idle; and at least so many,
# since workers may come later.
AHEAD, FEWEST = 4, 4
# Seconds between two counts of the workers.
LOOK = 5.0
# Seconds without a worker after which the user is told.
DESERTED = 60.0


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
    tell : callable, optional
        Takes what the user should know while the run waits.
    stop : Stop, optional
        May end the wait for the cluster.

    Raises
    ------
    OptionError
        If that is no address, or Dask is not installed.
    DataError
        If nobody answers there.
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
        self._desertion = Desertion(address, tell)
        self._running: set[Any] = set()
        self._room, self._counted = 0, -math.inf
        self._local: Any = None
        # Other runs, and other people, may use the scheduler too.
        self._token = secrets.token_hex(4)
        self._levels = _silenced()
        try:
            if address == LOCAL:
                self._local = _started(lambda: LocalCluster(workers), stop or Stop())
                address = self._local.address
            self._client = _started(lambda: _client(address), stop or Stop())
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
            self._count_workers()

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
        # A scheduler that does not answer must not keep us.
        goodbye = threading.Thread(target=self._say_goodbye, daemon=True)
        goodbye.start()
        goodbye.join(GOODBYE)
        if self._local is not None:
            self._local.close()
        _restore(self._levels)

    def _say_goodbye(self) -> None:
        with warnings.catch_warnings(), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")
            self._client.cancel(list(self._running))
            self._client.close(timeout=GOODBYE)

    def _room_now(self) -> int:
        """How many chunks may wait at the scheduler; workers come and go."""
        if self._alone:
            return 1
        self._count_workers()
        return self._room

    def _count_workers(self) -> None:
        if time.monotonic() - self._counted <= LOOK:
            return
        # A scheduler that does not answer is noticed by what it has been sent.
        with contextlib.suppress(OSError):
            threads = sum(self._client.nthreads().values())
            self._room = max(FEWEST, AHEAD * threads)
            self._desertion.seen(threads, time.monotonic())
        self._counted = time.monotonic()


class Desertion:
    """Says when a cluster has had no workers for long, and when it has some again.

    Examples
    --------
    >>> one = Desertion("tcp://node1:8786", print)
    >>> one.seen(0, 0.0)
    >>> one.seen(0, 61.0)
    no worker at tcp://node1:8786 for a minute: the run waits. Start one ('dask worker tcp://node1:8786 --nthreads 1'), or stop with Ctrl-C: the same command goes on, here or without --dask
    >>> one.seen(2, 70.0)
    2 workers at tcp://node1:8786: the run goes on
    """  # noqa: E501 -- a line of output

    def __init__(self, address: str, tell: Callable[[str], None]) -> None:
        self._address, self._tell = address, tell
        self._since: float | None = None
        self._told = False

    def seen(self, workers: int, now: float) -> None:
        """So many workers were there at this second."""
        if workers:
            if self._told:
                named = "1 worker" if workers == 1 else f"{workers} workers"
                self._tell(f"{named} at {self._address}: the run goes on")
            self._since, self._told = None, False
            return
        self._since = now if self._since is None else self._since
        if now - self._since >= DESERTED and not self._told:
            self._told = True
            self._tell(
                f"no worker at {self._address} for a minute: the run waits. {self._advice()}, or "
                "stop with Ctrl-C: the same command goes on, here or without --dask"
            )

    def _advice(self) -> str:
        if self._address == LOCAL:
            return "Workers of --dask local should come back by themselves; --jobs needs no Dask"
        return f"Start one ('dask worker {self._address} --nthreads 1')"


def _dask() -> Any:
    try:
        import distributed
    except ImportError:
        raise OptionError("--dask needs distributed: pip install 'halfwidth[cluster]'") from None
    return distributed


def _started(start: Callable[[], Any], stop: Stop) -> Any:
    """What takes long to start; an interrupt ends the wait, and what comes up then is closed."""
    made: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
    given_up = threading.Event()

    def work() -> None:
        try:
            found = start()
        except BaseException as error:  # noqa: BLE001 -- raised by who waits
            made.put((None, error))
            return
        made.put((found, None))
        if given_up.is_set():
            found.close()

    threading.Thread(target=work, daemon=True).start()
    try:
        with stop.allowed():
            while True:
                with contextlib.suppress(Empty):
                    found, error = made.get(timeout=LOOK / 10)
                    break
    except KeyboardInterrupt:
        given_up.set()
        raise
    if error is not None:
        raise error
    return found


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
