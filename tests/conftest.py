"""What all tests share."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings
from support import Ran, Run

from halfwidth.cli.main import main

# No test is timed: a machine that does other work as well is slow now and then. `make test` tries
# few random examples, `make test-slow` tries them all again (--hypothesis-profile=thorough).
settings.register_profile("quick", deadline=None, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=40)
settings.load_profile("quick")

# What a shell starts in the background does not hear Ctrl-C, nor do its children; tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data and published tables, which is no part of the repository."""
    if not SHARED.is_dir():
        pytest.skip("../shared is absent: real data and published tables not tested")
    return SHARED


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in this process, as on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")

    def runs(*arguments: object) -> Ran:
        capfdbinary.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        assert isinstance(left.value.code, int)
        return Ran(left.value.code, out.decode(), err.decode())

    return runs
