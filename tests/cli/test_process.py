"""What only a process of its own shows: what is loaded, encodings, pipes, tracebacks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("scipy", "pandas", "matplotlib", "numba", "sklearn", "pyarrow", "openpyxl")
RUN = [sys.executable, "-m", "halfwidth"]
PRINTING = [["explain", "HW201"], ["explain", "--help"]]


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, "COLUMNS": "80", **changes}


def loaded_after(code: str) -> set[str]:
    """Top-level names in ``sys.modules`` after some code has run."""
    program = (
        f"import sys, json\ntry:\n    {code}\nexcept SystemExit:\n    pass\n"
        "print('\\n' + json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env=environment(),
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "code",
    [
        "import halfwidth; halfwidth.Estimate, halfwidth.METRICS, halfwidth.summary_ci",
        "from halfwidth.cli.main import main; main(['--help'])",
        "from halfwidth.cli.main import main; main(['ci', '--help'])",
        "from halfwidth.cli.main import main; main(['explain', 'HW201'])",
        "from halfwidth.cli.main import main; main(['ci', 'absent.csv', '--format', 'nope'])",
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(code: str) -> None:
    assert loaded_after(code).isdisjoint(HEAVY)


def test_import_alone_does_not_even_load_numpy() -> None:
    assert loaded_after("import halfwidth").isdisjoint({*HEAVY, "numpy"})


def test_python_m_and_the_script_are_the_same_command(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("case,dice\na,0.9\nb,0.8\nc,0.7\n")
    done = subprocess.run(
        [*RUN, "ci", "t.csv", "--metric", "dcs"],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env=environment(),
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("halfwidth: unknown metric 'dcs'; did you mean 'dsc'?")


def test_debug_shows_the_traceback_and_keeps_the_status(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("case,dice\na,0.9\nb,0.8\nc,0.7\n")
    done = subprocess.run(
        [*RUN, "ci", "t.csv", "--metric", "dcs", "--debug"],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env=environment(),
        cwd=tmp_path,
    )
    assert "Traceback (most recent call last)" in done.stderr
    assert "did you mean 'dsc'?" in done.stderr.splitlines()[-1]
    assert done.returncode == 2


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "arguments",
    [["methods"], ["methods", "exact"], ["ci", "größe.csv", "--by", "模型"]],
)
def test_output_survives_a_pipe_on_windows(arguments: list[str], tmp_path: Path) -> None:
    path = tmp_path / "größe.csv"
    path.write_text("模型,ß\na,0.9\na,0.8\na,0.7\n", encoding="utf-8")
    done = subprocess.run(
        [*RUN, *arguments],
        capture_output=True,
        check=False,
        env=environment(PYTHONIOENCODING="cp1252"),
        cwd=tmp_path,
    )
    assert done.returncode == 0
    assert done.stdout
    assert b"internal error" not in done.stderr


@pytest.mark.sampled(2)
@pytest.mark.parametrize("arguments", PRINTING)
def test_a_reader_that_goes_away_is_no_error(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("case,dice\na,0.9\nb,0.8\nc,0.7\n")
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = subprocess.run(
            [*RUN, *arguments],
            stdout=write_end,
            stderr=subprocess.PIPE,
            check=False,
            encoding="utf-8",
            env=environment(),
            cwd=tmp_path,
        )
    finally:
        os.close(write_end)
    assert (done.returncode, done.stderr) == (0, "")


def ended_with(
    streams: str, arguments: list[str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """What comes of a command whose streams a shell has set."""
    (folder / "t.csv").write_text("case,dice\na,0.9\nb,0.8\nc,0.7\n")
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {streams}', "sh", *RUN, *arguments],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env=environment(),
        cwd=folder,
    )


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("streams", "reason", "arguments"),
    [
        (">/dev/full", "No space left on device", PRINTING[0]),
        (">&-", "Bad file descriptor", PRINTING[1]),
    ],
)
def test_what_cannot_be_printed_is_said(
    streams: str, reason: str, arguments: list[str], tmp_path: Path
) -> None:
    done = ended_with(streams, arguments, tmp_path)
    said = f"halfwidth: standard output: cannot be written ({reason})\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_where_no_error_can_be_written_the_status_says_it(tmp_path: Path) -> None:
    done = ended_with("2>/dev/full", ["explain", "HW201x"], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_a_file_is_written_without_any_stream(tmp_path: Path) -> None:
    arguments = ["ci", "t.csv", "--metric", "dsc", "-o", "out.csv"]
    assert ended_with("<&- >&- 2>&-", arguments, tmp_path).returncode == 0
    assert (tmp_path / "out.csv").read_text().startswith("label,")


def test_closed_standard_input_is_empty(tmp_path: Path) -> None:
    done = ended_with("<&-", ["ci", "-", "--metric", "dsc"], tmp_path)
    assert done.stderr == "halfwidth: standard input: the file is empty\n"


def test_too_low_a_limit_of_memory_is_said() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -v 200000; exec "$@"', "sh", *RUN, "--version"],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "halfwidth: the limit of memory is 205 MB (ulimit -v); set it to 537 MB or more\n"
    )


def test_a_table_is_read_and_estimated_without_any_warning(tmp_path: Path) -> None:
    rows = "\n".join(f"c{i},0.{60 + i}" for i in range(30))
    (tmp_path / "t.csv").write_text(f"case,dice\n{rows}\n")
    done = subprocess.run(
        [*RUN, "ci", "t.csv", "--metric", "dsc", "--method", "bca"],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env=environment(PYTHONWARNINGS="error", PYTHONDEVMODE="1"),
        cwd=tmp_path,
    )
    assert done.stderr == ""


def test_an_interrupt_ends_a_long_job_with_one_word() -> None:
    rows = [f"c{i},{(i * 37 % 1000) / 1000}" for i in range(100_000)]
    # Minutes of work, whatever the kernels.
    options = ["--method", "percentile", "--n-resamples", "1000000"]
    process = subprocess.Popen(
        [*RUN, "ci", "-", "--input-format", "csv", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    # More than a pipe holds: it is written once the command has started and reads.
    process.stdin.write("\n".join(["case,dice", *rows]))
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "halfwidth: interrupted"
    assert "Traceback" not in err
