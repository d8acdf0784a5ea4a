"""What a call loads: a user waits for every module, in each new process."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# Packages that take a tenth of a second and more, and parts of ours that a call does not need.
HEAVY = {"matplotlib", "pandas", "sklearn", "joblib", "scipy.stats", "numpy.ma"}
OTHER_PARTS = {f"halfwidth.{part}" for part in ("planning", "plots", "scoring", "study")}
OF_TERMINALS = {"typer", "rich", "pydantic", "halfwidth.cli", "halfwidth.reports"}
OF_FILES = {"halfwidth.io.table", "halfwidth.tables.readers", "html"}

ARRAYS = """
import numpy as np
import halfwidth as hw
truth, score = np.arange(60) % 2, np.arange(60) % 7 / 7
"""


def loaded(program: str) -> set[str]:
    """The modules that a fresh process holds after a program, which prints nothing itself."""
    ending = "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program + ending], capture_output=True, check=True, text=True
    )
    return set(json.loads(done.stdout))


def test_importing_the_package_imports_nothing_else() -> None:
    found = loaded("import halfwidth")
    assert {name for name in found if name.startswith("halfwidth")} == {"halfwidth"}
    assert "numpy" not in found


@pytest.mark.parametrize(
    "call",
    [
        "hw.metric_ci(truth, score, metric='auroc', method='percentile', rng=1)",
        "hw.summary_ci(score, metric='dsc', method='bca', rng=1)",
    ],
)
def test_a_call_with_arrays_loads_what_it_needs(call: str) -> None:
    found = loaded(ARRAYS + call)
    assert "halfwidth.intervals.compute" in found
    unwanted = HEAVY | OTHER_PARTS | OF_TERMINALS | OF_FILES
    assert found & unwanted <= {"numpy.ma"} & _with_scipy(found)


def _with_scipy(found: set[str]) -> set[str]:
    """NumPy's masked arrays come with SciPy, where a method needs that."""
    return found & {"numpy.ma"} if "scipy.special" in found else set()


def test_a_mean_loads_nothing_that_estimates_from_test_sets() -> None:
    found = loaded(ARRAYS + "hw.summary_ci(score, metric='dsc', method='bca')")
    others = (
        "halfwidth.estimation.test_sets",
        "halfwidth.estimation.runs",
        "halfwidth.detection.estimation",
        "halfwidth.detection.metrics.ranked",
    )
    assert not [name for name in found if name.startswith(others)]


def test_a_metric_loads_its_family_alone() -> None:
    found = loaded(
        """
import halfwidth as hw
from halfwidth.arithmetic import ranked_scores
assert "dsc" in hw.METRICS
assert hw.METRICS["Dice"].function is hw.metrics.overlap.dsc
"""
    )
    families = {"boundary_overlap", "counting", "error", "ranking", "detection.instances"}
    assert "halfwidth.metrics.overlap" in found
    assert not found & {f"halfwidth.metrics.{family}" for family in families}


def test_the_list_of_verbs_loads_none_of_them() -> None:
    program = """
import contextlib, io
from halfwidth.cli.main import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main(["--help"])
"""
    found = loaded(program)
    assert "halfwidth.cli.main" in found
    assert not found & {
        "numpy",
        "halfwidth.cli.ci",
        "halfwidth.cli.study",
        "halfwidth.tables.readers",
    }


def test_a_verb_loads_no_other() -> None:
    program = """
import contextlib, io
from halfwidth.cli.main import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main(["ci", "--help"])
"""
    found = loaded(program)
    assert "halfwidth.cli.ci" in found
    others = {f"halfwidth.cli.{verb}" for verb in ("plan", "review", "runs", "score", "study")}
    assert not found & (HEAVY | OTHER_PARTS | others)
