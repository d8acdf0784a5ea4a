"""``halfwidth`` and ``python -m halfwidth``: the command line, whenever it is interrupted."""

import signal
import sys


def main() -> None:
    """Run the command line and exit with its status."""
    try:
        # Takes a second on a busy machine, in which people press Ctrl-C too.
        from halfwidth.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("halfwidth: interrupted\n")
        sys.exit(130)
    finally:
        # Whoever asks again while the interpreter tidies up shall see no traceback of that.
        signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    main()
