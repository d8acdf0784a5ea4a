"""Ratios of means: every ratio that Student's t does not refute, by SciPy and by `t`."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support import codes

import halfwidth as hw
from halfwidth.core.types import Array

RANDOM = np.random.default_rng(12)
N = 36
HARD = RANDOM.normal(0, 0.4, N)
FIRST = np.exp(HARD + RANDOM.normal(0, 0.3, N))
SECOND = np.exp(HARD + RANDOM.normal(0.2, 0.4, N))
PATIENT, SITE = np.arange(N) // 3, np.arange(N) % 2


def ratio(first: Array, second: Array, level: float = 0.95, **about: Any) -> hw.Estimate:
    models = {"A": first, "B": second}
    values = hw.CaseValues.from_arrays(models, metric="hd95", **about)
    return hw.compare(values, effect="ratio", confidence_level=level)[0].estimate


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99, 0.999])
def test_the_ends_are_the_ratios_that_a_t_test_just_does_not_refute(level: float) -> None:
    e = ratio(FIRST, SECOND, level)
    assert (e.method, e.n_resamples) == ("fieller", None)
    assert e.value == pytest.approx(FIRST.mean() / SECOND.mean())
    for end in (e.low, e.high):
        p = stats.ttest_1samp(FIRST - end * SECOND, 0).pvalue
        assert p == pytest.approx(1 - level, rel=1e-6)
    assert e.low < e.value < e.high


@pytest.mark.parametrize("about", [{"groups": PATIENT}, {"strata": SITE}])
def test_with_clusters_and_strata_it_is_the_t_interval_of_what_is_left(
    about: dict[str, Any],
) -> None:
    e = ratio(FIRST, SECOND, **about)
    assert e.method == "fieller"
    at_low, at_high = (
        hw.summary_ci(FIRST - end * SECOND, method="t", **about) for end in (e.low, e.high)
    )
    assert at_low.low == pytest.approx(0, abs=1e-9)
    assert at_high.high == pytest.approx(0, abs=1e-9)


def test_it_widens_with_the_level_scales_and_turns_over() -> None:
    made = [ratio(FIRST, SECOND, level) for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)]
    assert all(
        outer.low <= inner.low <= inner.value <= inner.high <= outer.high
        for inner, outer in itertools.pairwise(made)
    )
    e = made[3]
    doubled, turned = ratio(2 * FIRST, SECOND), ratio(SECOND, FIRST)
    assert (doubled.low, doubled.high) == pytest.approx((2 * e.low, 2 * e.high))
    assert (turned.low, turned.high) == pytest.approx((1 / e.high, 1 / e.low))
    order = np.random.default_rng(3).permutation(N)
    mixed = ratio(FIRST[order], SECOND[order])
    assert (mixed.low, mixed.high) == pytest.approx((e.low, e.high), rel=1e-12)
    same = ratio(FIRST, FIRST)
    assert (same.low, same.value, same.high) == (1, 1, 1)


@pytest.mark.parametrize("level", [1 - 1e-6, 1 - 1e-12, 1 - 2**-53])
def test_levels_near_1_give_an_interval_or_say_why_not(level: float) -> None:
    wide, short = ratio(FIRST, SECOND, level), ratio(FIRST[:3], SECOND[:3], level)
    assert math.isnan(wide.low) or wide.low < wide.value < wide.high < math.inf
    assert math.isnan(short.low)
    assert "HW306" in codes(short)


@pytest.mark.parametrize("n", [3, 8, 30])
def test_it_holds_its_estimate_and_nests_until_it_has_no_end(n: int) -> None:
    for seed in range(8):
        first, second = np.random.default_rng(seed).lognormal(0, 1, (2, n))
        made = [ratio(first, second, level) for level in (0.5, 0.9, 0.99, 0.999)]
        known = [not math.isnan(one.low) for one in made]
        assert known == sorted(known, reverse=True)
        there = [one for one in made if not math.isnan(one.low)]
        assert all(0 <= one.low <= one.value <= one.high for one in there)
        assert all(
            outer.low <= inner.low and inner.high <= outer.high
            for inner, outer in itertools.pairwise(there)
        )


def test_it_holds_1_exactly_where_t_of_the_difference_holds_0() -> None:
    for seed in range(40):
        random = np.random.default_rng(seed)
        first, second = np.exp(random.normal([0, 0.35], 0.5, (12, 2))).T
        of_ratio, p = ratio(first, second), stats.ttest_rel(first, second).pvalue
        assert (of_ratio.low <= 1 <= of_ratio.high) == (p >= 0.05)


def test_a_second_mean_that_could_be_0_leaves_no_interval_and_the_reason(
    tmp_path: Path, run: Any
) -> None:
    first, second = [1, 0.5, 0, 2, 0, 1], [0, 0, 0, 0, 9, 0]
    e = ratio(np.array(first), np.array(second))
    assert stats.ttest_1samp(second, 0).pvalue > 0.05
    assert math.isnan(e.low)
    assert math.isnan(e.high)
    assert e.value == pytest.approx(0.5)
    (message,) = (one.message for one in e.cautions if one.code == "HW306")
    assert message == (
        "Fieller gives no interval here: the second mean could be 0 by what 6 cases say, and any "
        "ratio be true; compare differences, or add cases."
    )
    table = tmp_path / "errors.csv"
    lines = [f"{case},{a},{b}" for case, (a, b) in enumerate(zip(first, second, strict=True))]
    table.write_text("\n".join(["case,A,B", *lines]))
    said = run(
        "compare", table, "--value", "A", "--value", "B", "--metric", "hd95", "--ratio", "--json"
    ).out
    (one,) = json.loads(said)["comparisons"]
    assert (one["low"], one["high"], one["method"]) == (None, None, "fieller")
    assert one["verdict"]["word"] == "open"


def test_three_models_two_metrics_and_two_groups_each_as_by_itself(
    tmp_path: Path, run: Any
) -> None:
    models = {"A": FIRST, "B": SECOND, "C": np.sqrt(FIRST * SECOND)}
    lines = ["case,site,model,hd95,assd"]
    for name, values in models.items():
        lines += [
            f"{case},{SITE[case]},{name},{value},{value**2}" for case, value in enumerate(values)
        ]
    table = tmp_path / "distances.csv"
    table.write_text("\n".join(lines))
    ran = run(
        *("compare", table, "--by", "site", "--value", "hd95", "--value", "assd", "--ratio"),
        *("--format", "csv", "--n-resamples", 99, "--seed", 1),
    )
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert len(rows) == 3 * 2 * 2
    for row in rows:
        power, here = 1 + ("assd" in row["label"]), str(row["site"]) == SITE.astype(str)
        alone = ratio(*(models[row[side]][here] ** power for side in ("first", "second")))
        assert row["method"] == "fieller"
        assert float(row["low"]) == pytest.approx(alone.low)
        assert float(row["high"]) == pytest.approx(alone.high)


def test_by_its_name_it_is_of_ratios_alone() -> None:
    assert ratio(FIRST, SECOND).method == "fieller"
    with pytest.raises(hw.OptionError, match="'fieller' makes no interval for the difference"):
        hw.difference_ci(FIRST, SECOND, method="fieller")
    assert "HW306" not in codes(ratio(FIRST, SECOND))
