"""A partial AUROC at the front doors: `auroc` with a parameter."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from over_data import metric_ci
from sklearn.metrics import roc_auc_score
from smallstudies import cells_of_sets, labelled, rows_of
from support import Run

import halfwidth as hw

N = 80
GENERATOR = np.random.default_rng(3)
Y = np.arange(N) % 2
S = np.round(GENERATOR.uniform(size=N) + 0.3 * Y, 2)
PART = "auroc:max_fpr=0.25"


def codes(estimate: hw.Estimate) -> set[str]:
    return {caution.code for caution in estimate.cautions}


@pytest.mark.parametrize("method", ["delong", "delong_logit", "newcombe", "hanley_mcneil"])
def test_formulas_for_a_whole_area_are_refused(method: str) -> None:
    with pytest.raises(hw.OptionError, match=r"no interval for the AUROC \(max_fpr 0\.25\); use"):
        metric_ci(Y, S, metric=PART, method=method)


def test_auto_takes_dirichlet_and_quotes_no_study() -> None:
    estimate = metric_ci(Y, S, metric="auroc:max_fpr=0.05", n_resamples=199, rng=1)
    assert estimate.method == "dirichlet"
    assert estimate.parameters == {"max_fpr": 0.05}
    (few,) = (caution for caution in estimate.cautions if caution.code == "HW201")
    assert "about 200 or more" in few.message
    assert "real instances" not in few.message


def test_up_to_a_rate_of_1_it_is_the_auroc() -> None:
    whole, part = (metric_ci(Y, S, metric=metric) for metric in ("auroc", "auroc:1"))
    assert (part.value, part.low, part.high) == (whole.value, whole.low, whole.high)
    assert part.method == whole.method == "delong_logit_t"


def test_its_range_ends_where_no_positive_is_found_in_time() -> None:
    # All negatives score above all positives.
    worst = metric_ci(Y, -2.0 * Y + 0.1 * S, metric=PART, method="basic", n_resamples=99, rng=1)
    assert worst.range == hw.Bounds(0.75 / 1.75, 1)
    assert worst.value == pytest.approx(worst.range.low)
    # It says nothing of the scores being turned round: curves may cross the diagonal.
    assert "HW410" not in codes(worst)


@pytest.mark.parametrize("rate", ["0", "1.1", "x"])
def test_a_rate_that_is_none_is_refused(rate: str) -> None:
    with pytest.raises(hw.OptionError, match=f"auroc: max_fpr={rate} is not at least"):
        metric_ci(Y, S, metric=f"auroc:{rate}")


def test_the_command_line_takes_it(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    with file.open("w", newline="") as opened:
        csv.writer(opened).writerows([("y", "p"), *zip(Y, S / 2, strict=True)])
    ran = run("ci", file, "--target", "y", "--score", "p", "--metric", PART, "--json", "--seed", 1)
    (made,) = json.loads(ran.out)["estimates"]
    assert (made["metric"], made["parameters"]) == ("auroc", {"max_fpr": 0.25})
    assert made["value"] == pytest.approx(roc_auc_score(Y, S, max_fpr=0.25))


def test_a_study_takes_it() -> None:
    few = {"samples": 20, "resamples": 19, "methods": ["percentile"]}
    cells = cells_of_sets(labelled(empirical=True), PART, 20, "binary", **few)
    rows = rows_of(cells)
    assert {row["metric"] for row in rows} == {PART}
    assert all(0.43 < row["truth"] < 1 for row in rows)


def test_a_bound_beyond_the_range_by_rounding_is_not_cut() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(60) < 0.3
    score = truth + rng.normal(size=60)
    patients = np.arange(60) // 3
    e = metric_ci(truth, score, metric="auroc:max_fpr=0.1", scores="any", groups=patients, rng=1)
    assert e.low == pytest.approx(0.9 / 1.9, abs=1e-12)
    assert "HW309" not in [caution.code for caution in e.cautions]
