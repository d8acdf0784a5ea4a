"""What the first call of a fresh process takes, beside what a user would use instead.

``python benchmarks/first_calls.py`` installs the project into an environment of its own with a
plain ``pip install .`` (not editable, bytecode compiled by pip) and measures there. Every figure is
the median of five processes that take turns with those of the alternative. The clock starts after
``import halfwidth, scipy.special``, or after the imports of the alternative; what imports take has
rows of its own. Loops over scikit-learn are timed on some of the resamples after one that does not
count, and scaled. BLAS has one thread.

``--python PATH`` measures in an environment where the packages are installed already, ``--cpu``
counts processor time, for a machine with other work, ``--long`` adds what takes minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from timing import RESAMPLES, RUNS, Line

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
PROJECT = Path(__file__).parents[1]
# Resamples of a loop that are timed.
PART = 20

PREPARED = """
import json, resource, time
import numpy as np
{imports}
def predictions(n, classes):
    generator = np.random.default_rng(0)
    truth = generator.integers(0, classes, n)
    score = generator.normal(size=(n, classes)) + 1.5 * np.eye(classes)[truth]
    score = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    return truth, score[:, 1] if classes == 2 else score
{data}
{before}
start = time.{clock}()
{call}
seconds = time.{clock}() - start
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([seconds, memory]))
"""
LOOP = """
generator = np.random.default_rng(1)
for _ in range({part}):
    drawn = generator.integers(0, len(truth), len(truth))
    {metric}
"""


@dataclass(frozen=True)
class Program:
    """A call in a process of its own.

    Attributes
    ----------
    name : str
    imports : str
        What is imported before the clock starts.
    call : str
    before : str
        What runs before the clock starts and is part of no figure.
    scale : float
        How many times the work of the call a user would do.
    """

    name: str
    imports: str
    call: str
    before: str = ""
    scale: float = 1.0


@dataclass(frozen=True)
class Machine:
    """The interpreter that has the package, and the clock."""

    python: str
    clock: str

    @property
    def environment(self) -> dict[str, str]:
        """One thread, and no package but those installed."""
        return {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | ONE_THREAD

    def first(self, program: Program, data: str) -> tuple[float, float]:
        """Seconds and MB of one fresh process."""
        code = PREPARED.format(
            imports=program.imports,
            data=data,
            before=program.before,
            clock=self.clock,
            call=program.call,
        )
        done = self._run("-c", code)
        seconds, memory = json.loads(done)
        return seconds * program.scale, memory

    def whole(self, *arguments: str) -> float:
        """Seconds of a process from its start to its end."""
        wall, used = time.perf_counter(), _of_children()
        self._run(*arguments)
        if self.clock == "process_time":
            return _of_children() - used
        return time.perf_counter() - wall

    def has(self, package: str) -> bool:
        """Whether a package is installed there."""
        code = (
            f"import importlib.util as u, json; print(json.dumps(bool(u.find_spec({package!r}))))"
        )
        return bool(json.loads(self._run("-c", code)))

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [self.python, *arguments],
            check=True,
            capture_output=True,
            text=True,
            env=self.environment,
            cwd=tempfile.gettempdir(),
        )
        return done.stdout


def _of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def compared(
    machine: Machine, work: str, data: str, programs: Sequence[Program], wanted: str, runs: int
) -> Iterator[Line]:
    """A row for each alternative to the first program, all of which take turns."""
    seconds: list[list[float]] = [[] for _ in programs]
    memory = [0.0 for _ in programs]
    for _ in range(runs):
        for place, program in enumerate(programs):
            taken, memory[place] = machine.first(program, data)
            seconds[place].append(taken)
    mine, *others = (statistics.median(times) for times in seconds)
    if not others:
        yield Line(work, mine, None, f"peak {memory[0]:.0f} MB", wanted)
    for program, other in zip(programs[1:], others, strict=True):
        yield Line(work, mine, other, program.name, wanted)


def ours(call: str) -> Program:
    """A call of this package."""
    return Program("halfwidth", "import halfwidth as hw, scipy.special", call)


def loop(metric: str) -> Program:
    """A bootstrap by a loop over a metric of scikit-learn."""
    return Program(
        "scikit-learn in a loop",
        "from sklearn.metrics import accuracy_score, roc_auc_score",
        LOOP.format(part=PART, metric=metric),
        before=LOOP.format(part=1, metric=metric),
        scale=RESAMPLES / PART,
    )


def package_of_intervals(function: str) -> Program:
    """The package confidenceinterval from PyPI, which loops too."""
    call = f"ci.{function}(truth, score, method='bootstrap_percentile', n_resamples={{}})"
    return Program(
        "confidenceinterval",
        "import confidenceinterval as ci",
        call.format(PART),
        before=call.format(2),
        scale=RESAMPLES / PART,
    )


def test_sets(machine: Machine) -> Iterator[Line]:
    """Metrics of a whole test set."""
    call = "hw.metric_ci(truth, score, metric={metric!r}, method='percentile', rng=1{more})"
    auroc = call.format(metric="auroc", more="")
    more = [package_of_intervals("roc_auc_score")] if machine.has("confidenceinterval") else []
    yield from compared(
        machine,
        "AUROC, n = 20,000, percentile",
        "truth, score = predictions(20_000, 2)",
        [ours(auroc), loop("roc_auc_score(truth[drawn], score[drawn])"), *more],
        ">= 200 x",
        RUNS,
    )
    yield from compared(
        machine,
        "macro AUROC, 3 classes, n = 5000, percentile",
        "truth, score = predictions(5000, 3)",
        [
            ours(call.format(metric="auroc", more=", average='macro'")),
            loop("roc_auc_score(truth[drawn], score[drawn], multi_class='ovr')"),
        ],
        "0.4 s",
        RUNS,
    )
    yield from compared(
        machine,
        "accuracy, n = 1,000,000, percentile",
        "truth, score = predictions(1_000_000, 2); score = (score > 0.5).astype(int)",
        [
            ours(call.format(metric="accuracy", more="")),
            loop("accuracy_score(truth[drawn], score[drawn])"),
        ],
        "0.08 s",
        RUNS,
    )


def long_test_sets(machine: Machine) -> Iterator[Line]:
    """An AUROC of a million cases, once."""
    yield from compared(
        machine,
        "AUROC, n = 1,000,000, percentile (one run)",
        "truth, score = predictions(1_000_000, 2)",
        [ours("hw.metric_ci(truth, score, metric='auroc', method='percentile', rng=1)")],
        "20 s, 500 MB",
        1,
    )


def means(machine: Machine) -> Iterator[Line]:
    """Bootstraps of a mean beside SciPy, at its default and at its best batch."""
    for n, methods, wanted in (
        (334, ("percentile", "basic", "BCa"), ">= 10 x"),
        (10_000, ("BCa",), ">= 30 x"),
    ):
        for method in methods:
            scipys = [
                Program(
                    f"scipy.stats.bootstrap, batch={batch}",
                    "from scipy import stats",
                    f"stats.bootstrap((values,), np.mean, method={method!r}, batch={batch}, rng=1)",
                )
                for batch in (None, 100)
            ]
            mine = ours(f"hw.summary_ci(values, metric='dsc', method={method.lower()!r}, rng=1)")
            data = f"values = np.random.default_rng(0).beta(8, 2, {n})"
            work = f"mean, n = {n:,}, {method}"
            yield from compared(machine, work, data, [mine, *scipys], wanted, RUNS)
    yield from compared(
        machine,
        "mean, n = 1,000,000, BCa",
        "values = np.random.default_rng(0).beta(8, 2, 1_000_000)",
        [ours("hw.summary_ci(values, metric='dsc', method='bca')")],
        "0.5 s",
        RUNS,
    )


IMPORTS = {
    "nothing (bare Python)": "pass",
    "import numpy": "import numpy",
    "import halfwidth": "import halfwidth",
    "import numpy, halfwidth, and the modules of metric_ci": "import halfwidth as hw; hw.metric_ci",
    "import numpy, scipy.special": "import numpy, scipy.special",
    "import scipy.stats": "import scipy.stats",
    "import sklearn.metrics": "import sklearn.metrics",
    "import confidenceinterval": "import confidenceinterval",
}


def whole_processes(machine: Machine) -> Iterator[Line]:
    """Imports and the command line, from the start of the process to its end."""
    with tempfile.TemporaryDirectory() as folder:
        cases, table = Path(folder) / "cases.csv", Path(folder) / "predictions.csv"
        generator = np.random.default_rng(0)
        truth = generator.integers(0, 2, 10_000)
        score = 1 / (1 + np.exp(1.5 - 3 * truth - 1.5 * generator.normal(size=10_000)))
        values = generator.beta(8, 2, 110)
        np.savetxt(table, np.stack([truth, score], 1), "%.17g", ",", header="y,p", comments="")
        np.savetxt(cases, values, "%.17g", header="dice", comments="")
        command = ("-m", "halfwidth")
        predictions = ("--target", "y", "--score", "p", "--metric", "auroc", "--seed", "1")
        jobs: dict[tuple[str, str], tuple[str, ...]] = {
            (f"process: {name}", ""): ("-c", code) for name, code in IMPORTS.items()
        }
        jobs |= {
            ("process: halfwidth --help", "< 0.5 s"): (*command, "--help"),
            ("process: halfwidth ci, 110 rows, DSC", "< 1 s"): (
                *(*command, "ci", str(cases)),
                *("--metric", "dsc", "--seed", "1"),
            ),
            ("process: halfwidth ci, 10,000 predictions, AUROC", "1.2 s"): (
                *(*command, "ci", str(table)),
                *(*predictions, "--method", "percentile"),
            ),
        }
        if not machine.has("confidenceinterval"):
            del jobs["process: import confidenceinterval", ""]
        seconds: dict[tuple[str, str], list[float]] = {job: [] for job in jobs}
        for _ in range(RUNS):
            for job, arguments in jobs.items():
                seconds[job].append(machine.whole(*arguments))
    for (work, wanted), times in seconds.items():
        yield Line(work, statistics.median(times), None, "", wanted)


def installed(folder: Path) -> str:
    """The interpreter of a new environment with the package, as a user installs it."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [str(python), "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, str(PROJECT), "scikit-learn"], check=True)
    # An alternative that may not install everywhere.
    subprocess.run([*install, "confidenceinterval"], check=False)
    return str(python)


def first_calls(
    python: str | None = None, *, cpu: bool = False, long: bool = False
) -> Iterator[Line]:
    """All rows, measured in an environment that is made for it where none is given."""
    with tempfile.TemporaryDirectory() as folder:
        clock = "process_time" if cpu else "perf_counter"
        machine = Machine(python or installed(Path(folder) / "environment"), clock)
        for part in (whole_processes, test_sets, means, *([long_test_sets] if long else [])):
            yield from part(machine)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", help="interpreter of an environment that has the package")
    parser.add_argument("--cpu", action="store_true", help="processor time, for a busy machine")
    parser.add_argument("--long", action="store_true", help="also what takes minutes")
    given = parser.parse_args()
    what = "first calls of fresh processes" + (", CPU seconds" if given.cpu else ", seconds")
    print(f"{what:<54}{'ours':>9}{'other':>10}{'ratio':>11}  {'wanted':<15}other")
    for line in first_calls(given.python, cpu=given.cpu, long=given.long):
        print(line, flush=True)


if __name__ == "__main__":
    main()
