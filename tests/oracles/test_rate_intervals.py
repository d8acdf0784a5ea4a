"""Garwood's interval of a rate of events, against SciPy's distributions, and at the doors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_data import estimate_detector
from scipy import stats
from support import Run, codes

import halfwidth as hw
from halfwidth.core.types import Level
from halfwidth.intervals import garwood

OBJECT, ELSEWHERE = [10, 10, 50, 50], [60, 60, 90, 90]


def images(n: int, false_positives: Any = ()) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Detections and references: each image holds an object, which is found."""
    references = [{"boxes": [OBJECT], "labels": [1]} for _ in range(n)]
    counts = [1 + (place in false_positives) for place in range(n)]
    detections = [
        {"boxes": [OBJECT, ELSEWHERE][:count], "labels": [1] * count, "scores": [0.9] * count}
        for count in counts
    ]
    return detections, references


def fppi(n: int, false_positives: Any = (), **how: Any) -> hw.Estimate:
    e: hw.Estimate = estimate_detector(*images(n, false_positives), metric="fppi", **how)
    return e


# --------------------------------------------------------------------------- the formula


@pytest.mark.parametrize("alternative", ["two-sided", "lower", "upper"])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99, 1 - 1e-12])
def test_bounds_are_quantiles_of_chi_squared(confidence: float, alternative: Any) -> None:
    level = Level(confidence, alternative)
    events, units = np.arange(0.0, 30.0), 17.0
    made = garwood(events / units, units, level)
    low = np.nan_to_num(stats.chi2.ppf(level.tail, 2 * events)) / 2 / units
    high = stats.chi2.isf(level.tail, 2 * events + 2) / 2 / units
    np.testing.assert_allclose(made.low, low, rtol=1e-9)
    np.testing.assert_allclose(made.high, high, rtol=1e-9)


def test_so_many_events_have_the_probability_of_a_tail_at_the_bounds() -> None:
    level = Level(0.95)
    for events in range(1, 12):
        made = garwood(events / 8, 8, level)
        assert stats.poisson.sf(events - 1, 8 * made.low) == pytest.approx(0.025)
        assert stats.poisson.cdf(events, 8 * made.high) == pytest.approx(0.025)


@pytest.mark.parametrize("mean", [0.05, 0.5, 3.0, 12.0])
def test_covers_poisson_counts_at_least_as_often_as_it_says(mean: float) -> None:
    # Summed over all counts that occur, so that nothing is drawn.
    counts = np.arange(0.0, 80.0)
    made = garwood(counts / 20, 20, Level(0.95))
    holds = (made.low <= mean / 20) & (mean / 20 <= made.high)
    assert stats.poisson.pmf(counts, mean)[holds].sum() >= 0.95


# --------------------------------------------------------------------------- at the doors


def test_an_fppi_of_none_has_a_bound() -> None:
    e = fppi(30)
    assert (e.value, e.low, e.method) == (0.0, 0.0, "garwood")
    assert e.high == pytest.approx(-np.log(0.025) / 30)
    assert fppi(30, alternative="upper").high == pytest.approx(-np.log(0.05) / 30)
    assert "HW318" in codes(e)
    assert "HW304" not in codes(e)


def test_patients_are_the_units_where_there_are_some() -> None:
    e = fppi(30, groups=[place // 3 for place in range(30)])
    assert (e.method, e.n, e.n_groups) == ("garwood", 30, 10)
    assert e.high == pytest.approx(-np.log(0.025) / 10)


def test_counts_that_differ_are_resampled_as_before() -> None:
    assert fppi(30, {2, 9}).method == "bca_expanded"
    # Resamples of images with one each say as little as of images without any.
    alike = fppi(30, range(30))
    assert alike.method == "garwood"
    assert alike.low < 1 < alike.high


def test_an_fppi_of_none_on_the_command_line(run: Run, tmp_path: Path) -> None:
    rows = [f"i{place},1,10,10,50,50" for place in range(40)]
    for name, more in (("found", ",score"), ("truth", "")):
        lines = [f"image,class,x_min,y_min,x_max,y_max{more}", *rows]
        text = (",0.9\n" if more else "\n").join([*lines[1:], ""])
        (tmp_path / f"{name}.csv").write_text(f"{lines[0]}\n{text}", encoding="utf-8")
    files = (str(tmp_path / "found.csv"), str(tmp_path / "truth.csv"))
    ran = run("detect", *files, "--metric", "fppi", "--json")
    assert ran.status == 0
    (made,) = json.loads(ran.out)["estimates"]
    assert (made["low"], made["method"]) == (0.0, "garwood")
    assert made["high"] == pytest.approx(-np.log(0.025) / 40)


# --------------------------------------------------------------------------- remedies


def test_no_remedy_is_the_method_that_ran() -> None:
    same = [7.0] * 20
    made = [
        fppi(30),
        *(fppi(30, method=name, rng=1) for name in ("percentile", "bca_expanded", "garwood")),
        hw.summary_ci(same, bounds=(0, np.inf), metric="mm"),
        hw.summary_ci(same, bounds=(0, 10), metric="mm", method="t"),
        hw.summary_ci(same, bounds=(0, 10), metric="mm"),
        hw.summary_ci(same, bounds=(0, np.inf), metric="mm", statistic="median"),
        hw.summary_ci([1.0] * 20, metric="correct"),
        hw.summary_ci([1.0] * 20, metric="correct", method="clopper_pearson"),
        hw.summary_ci([1.0] * 20, metric="correct", method="wald"),
        hw.runs_ci([0.9, 0.91, 0.92], 0.9, alternative="upper"),
        hw.runs_ci([0.9, 0.91, 0.92], method="semiparametric"),
        hw.summary_ci([1.0] * 20, metric="correct", groups=[place // 2 for place in range(20)]),
    ]
    chosen = {0, 4, 6, 7, 8, 11, 13}
    for place, e in enumerate(made):
        taken = {e.method, *(["auto"] if place in chosen else [])}
        for one in e.cautions:
            assert not taken & set(re.findall(r"\w+", one.remedy)), (e.method, one.code)
    assert "HW304" in codes(made[1])
    assert "HW304" in codes(made[4])
    assert (made[13].method, "HW203" in codes(made[13])) == ("wilson", True)


def test_every_remedy_that_names_auto_or_a_method_of_auto_has_another() -> None:
    # What auto takes may be what a remedy names.
    for spec in hw.CAUTIONS:
        if spec.code in ("HW203", "HW304", "HW306"):
            assert spec.otherwise
            assert not {"auto", *hw.METHODS.names} & set(re.findall(r"\w+", spec.otherwise))
