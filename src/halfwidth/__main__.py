"""``halfwidth`` and ``python -m halfwidth``: the command line, whenever it is interrupted."""

import atexit
import os
import signal
import sys

from halfwidth.core.processes import terminate

# Bytes of addresses that the libraries take to load; with less, OpenBLAS waits for more for ever.
LEAST_MEMORY = 1 << 29


def main() -> None:
    """Run the command line and exit with its status."""
    _open_closed_streams()
    if _memory_limit() < LEAST_MEMORY:
        sys.stderr.write(
            f"halfwidth: the limit of memory is {_memory_limit() / 1e6:.0f} MB (ulimit -v); set it "
            f"to {LEAST_MEMORY / 1e6:.0f} MB or more\n"
        )
        sys.exit(2)
    try:
        # Takes a second on a busy machine, in which people press Ctrl-C too.
        from halfwidth.cli.main import main as run

        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, terminate)
            # The sender of the signal looks at the exit status.
            atexit.register(signal.raise_signal, signal.SIGTERM)
        run()
    except KeyboardInterrupt:
        sys.stderr.write("halfwidth: interrupted\n")
        sys.exit(130)
    finally:
        # Whoever asks again while the interpreter tidies up shall see no traceback of that.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if signal.getsignal(signal.SIGTERM) is terminate:
            # It has not come.
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            atexit.unregister(signal.raise_signal)


def _open_closed_streams() -> None:
    """In streams that the caller has closed nothing is read, errors go nowhere, results fail.

    Otherwise the next file would take the number of one, and hold what libraries print.
    """
    streams = (
        ("stdin", "r", os.O_RDONLY),
        ("stdout", "w", os.O_RDONLY),
        ("stderr", "w", os.O_WRONLY),
    )
    for number, (name, mode, flags) in enumerate(streams):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, flags), number)
            setattr(sys, name, os.fdopen(number, mode, closefd=False))


def _memory_limit() -> float:
    """Bytes of addresses that this process may take; infinite where that has no limit."""
    try:
        import resource
    except ImportError:  # on Windows
        return float("inf")
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return float("inf") if limit == resource.RLIM_INFINITY else limit


if __name__ == "__main__":
    main()
