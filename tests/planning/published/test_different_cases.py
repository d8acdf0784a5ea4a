"""Published numbers of different cases: their difference, against the formulas of others."""

from __future__ import annotations

from typing import Any

import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep
from support import Run

import halfwidth as hw

ROWS = "Model,N,Dice (SD)\nOld,40,0.87 ± 0.06\nNew,35,0.89 ± 0.05\nSame,35,0.88 ± 0.05\n"


def test_means_of_different_cases_differ_by_welch(tmp_path: Any, run: Run) -> None:
    file = tmp_path / "published.csv"
    file.write_text(ROWS)
    expected = stats.ttest_ind_from_stats(0.89, 0.05, 35, 0.87, 0.06, 40, equal_var=False)
    found = hw.planning.review_table(file, compare="pairs")
    # Rows of as many cases are compared as before.
    assert [(one.first, one.second) for one in found.comparisons] == [("New", "Same")]
    assert [(one.first, one.second) for one in found.unpaired] == [("New", "Old"), ("Same", "Old")]
    one = found.unpaired[0]
    assert one.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert (round(one.low, 3), round(one.high, 3)) == (-0.005, 0.045)
    alone = hw.planning.review(
        35, mean=0.89, sd=0.05, metric="dsc", versus=0.87, versus_sd=0.06, versus_n=40
    )
    assert alone.lead is None
    assert alone.unpaired is not None
    assert (alone.unpaired.low, alone.unpaired.p) == (one.low, one.p)
    answer = run("review", file, "--compare", "pairs")
    text = " ".join(answer.out.split())
    assert (
        "New against Old, DSC: difference 0.020 (95 % CI -0.005 to 0.045; n = 35 and 40; Welch; "
        "p = .12). " in text
    )
    assert "This holds if the two numbers are of different patients" in text
    assert hw.planning.review_table(file, compare="none").unpaired == ()


def test_counts_of_different_cases_differ_by_newcombe() -> None:
    found = hw.planning.review(200, correct=181, versus_correct=80, versus_n=100).unpaired
    assert found is not None
    ends = confint_proportions_2indep(181, 200, 80, 100, method="newcomb", compare="diff")
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-9)
    # The level at which the interval ends at 0.
    at = confint_proportions_2indep(
        181, 200, 80, 100, method="newcomb", compare="diff", alpha=found.p
    )
    assert at[0] == pytest.approx(0, abs=1e-9)
    share = hw.planning.review(
        200, mean=0.905, metric="accuracy", versus=0.80, versus_n=100
    ).unpaired
    assert share is not None
    assert (share.low, share.p) == (found.low, found.p)


def test_areas_of_different_cases_have_independent_errors() -> None:
    rows = {"Model": ["a", "b"], "N": [100, 120], "AUROC": [0.9, 0.85], "Positives": [30, 40]}
    found = hw.planning.review_table(rows)
    (one,) = found.unpaired
    a, b = found
    assert one.low == pytest.approx(0.05 - ((0.9 - a.low) ** 2 + (b.high - 0.85) ** 2) ** 0.5)
    assert one.p > 0.05
    assert one.low < 0 < one.high


@pytest.mark.parametrize(
    "options",
    [
        {"mean": 0.87, "sd": 0.06, "metric": "dsc", "versus_n": 3},
        {"mean": 0.87, "sd": 0.06, "metric": "dsc", "versus": 0.8, "versus_n": 1},
        {"correct": 30, "versus_correct": 11, "versus_n": 10},
        {"auroc": 0.9, "positives": 10, "versus": 0.8, "versus_n": 30},
    ],
)
def test_numbers_of_other_cases_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(hw.DataError, match="versus"):
        hw.planning.review(40, **options)
