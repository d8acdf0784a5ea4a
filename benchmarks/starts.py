"""What starts take in several checkouts, in processor time: first calls and ``--help``.

    python benchmarks/starts.py [--turns 15] ../old/src src

Each figure is the median (and the least) of fresh processes, in which the checkouts take turns.
The clock of a call starts after ``import halfwidth, scipy.special``. Compile bytecode first where
Python may not write it: ``python -m compileall -q src``.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

CALLS = {
    "summary_ci, auto": "hw.summary_ci(values, metric='dsc')",
    "summary_ci, bca": "hw.summary_ci(values, metric='dsc', method='bca')",
    "metric_ci, auto": "hw.metric_ci(truth, score, metric='auroc')",
    "metric_ci, percentile": "hw.metric_ci(truth, score, metric='auroc', method='percentile')",
}
CALL = """
import json, sys, time
import numpy as np, scipy.special
import halfwidth as hw
generator = np.random.default_rng(0)
truth, values = generator.integers(0, 2, 334), generator.beta(8, 2, 334)
score = generator.normal(size=334) + truth
before, start = set(sys.modules), time.process_time()
{call}
print(json.dumps([1000 * (time.process_time() - start), len(set(sys.modules) - before)]))
"""
HELP = """
import contextlib, io, json, sys, time
from halfwidth.cli.main import status_of
with contextlib.redirect_stdout(io.StringIO()):
    status_of({words})
print(json.dumps([1000 * time.process_time(), len(sys.modules)]))
"""
PROGRAMS = {
    **{name: CALL.format(call=call) for name, call in CALLS.items()},
    "--help": HELP.format(words=["--help"]),
    "ci --help": HELP.format(words=["ci", "--help"]),
}


def started(program: str, source: Path) -> tuple[float, int]:
    """Milliseconds of a fresh process, and the modules that it loaded."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        check=True,
        text=True,
    )
    milliseconds, modules = json.loads(done.stdout)
    return milliseconds, modules


def main() -> None:
    """Print a row for each program and checkout."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sources", nargs="+", type=Path, help="folders that hold the package")
    parser.add_argument("--turns", type=int, default=15)
    given = parser.parse_args()
    taken = defaultdict(list)
    for _ in range(given.turns):
        for name, program in PROGRAMS.items():
            for source in given.sources:
                taken[name, source].append(started(program, source.resolve()))
    for (name, source), rows in taken.items():
        times = [milliseconds for milliseconds, _ in rows]
        middle, least = statistics.median(times), min(times)
        print(f"{name:<24}{middle:>8.1f} ms (least {least:.1f}), {rows[0][1]} modules, {source}")


if __name__ == "__main__":
    main()
