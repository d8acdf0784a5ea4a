"""--quiet, and output without escape codes whatever the environment."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from support import Run

RUN = [sys.executable, "-m", "halfwidth"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    rows = "".join(f"c{i},{0.6 + i / 100},Submandibular-Lt\n" for i in range(12))
    path.write_text(f"case,dice,organ\n{rows}")
    return path


def test_quiet_leaves_the_data_alone(run: Run, table: Path, tmp_path: Path) -> None:
    given = ("ci", table, "--metric", "dsc", "--seed", "1", "--by", "organ")
    loud, quiet = run(*given), run(*given, "--quiet")
    assert (quiet.status, quiet.out, quiet.err) == (0, loud.out, "")
    out = ("--out", tmp_path / "o.csv")
    assert "wrote" in run(*given, *out).err
    assert run(*given, *out, "--quiet").err == ""
    assert "wrote" in run(*given, *out).err


def test_quiet_does_not_hide_errors(run: Run, table: Path) -> None:
    ran = run("ci", table, "--metric", "dcs", "--quiet")
    assert (ran.status, ran.out) == (2, "")
    assert "did you mean 'dsc'?" in ran.err
    ran = run("ci", table, "--quiet", "--frobnicate")
    assert (ran.status, ran.err.count("\n")) == (2, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    [{"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}, {"NO_COLOR": "1"}, {"TERM": "dumb"}, {}],
)
def test_no_escape_code_is_written_to_a_terminal(environment: dict[str, str], table: Path) -> None:
    shown = on_a_terminal(60, ["ci", "t.csv"], table.parent, environment)
    assert "dice" in shown
    assert "\x1b" not in shown


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 60])
def test_a_table_is_no_wider_than_its_terminal(columns: int, table: Path) -> None:
    arguments = ["ci", "t.csv", "--by", "organ", "--metric", "dsc", "--seed", "1"]
    shown = on_a_terminal(columns, arguments, table.parent, {})
    assert max(map(len, shown.splitlines())) <= columns
    assert "Submandibular-Lt" in shown.replace("-\r\n", "-").replace("\r", "")


def on_a_terminal(columns: int, arguments: list[str], folder: Path, changes: dict[str, str]) -> str:
    """What the command shows where stdout and stderr are a terminal."""
    ours, theirs = pty.openpty()
    os.set_inheritable(theirs, True)
    import fcntl
    import struct
    import termios

    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        [*RUN, *arguments], stdout=theirs, stderr=theirs, cwd=folder, env={**kept, **changes}
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # nobody writes any more
            break
        if not part:
            break
        shown += part
    process.wait()
    os.close(ours)
    return shown.decode()
