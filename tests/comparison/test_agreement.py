"""Limits of agreement against published tolerance factors, simulation and closed forms."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import halfwidth as hw

RNG = np.random.default_rng(3)


def measured(first: Any, second: Any, **described: Any) -> hw.CaseValues:
    return hw.CaseValues.from_arrays({"first": first, "second": second}, **described)


@pytest.mark.parametrize(
    ("n", "factor"),
    # One-sided tolerance factors, 95 % of a normal population with 95 % confidence: NIST/SEMATECH
    # e-Handbook of Statistical Methods, section 7.2.6.3, and Hahn and Meeker (1991), table A.12.
    [(10, 2.911), (20, 2.396), (50, 2.065), (100, 1.927)],
)
def test_factors_are_those_of_published_tables(n: int, factor: float) -> None:
    # The limits of 90 % of the differences are 1.645 SDs away; of differences of SD 1 about 0 the
    # upper bound of the upper one is the factor.
    values = stats.zscore(np.arange(n), ddof=1)
    made = hw.limits_of_agreement(values, np.zeros(n), share=0.9, confidence_level=0.9)
    assert made.upper.high == pytest.approx(factor, abs=6e-4)


def test_bias_is_that_of_a_t_interval_and_limits_are_symmetric() -> None:
    first, second = RNG.normal(10, 2, 25), RNG.normal(10, 2, 25)
    made = hw.limits_of_agreement(first, second)
    low, high = stats.ttest_rel(first, second).confidence_interval(0.95)
    np.testing.assert_allclose(made.bias, [np.mean(first - second), low, high])
    sd = np.std(first - second, ddof=1)
    np.testing.assert_allclose(
        [made.lower.value, made.upper.value], made.bias.value + np.array([-1, 1]) * 1.959964 * sd
    )
    np.testing.assert_allclose(made.upper.low - made.bias.value, made.bias.value - made.lower.high)
    assert made.lower.low < made.lower.value < made.lower.high


@pytest.mark.slow
def test_intervals_of_limits_cover() -> None:
    truth = 1.0 + 1.959964 * 2.0
    hits = 0
    for _ in range(2000):
        made = hw.limits_of_agreement(RNG.normal(1, 2, 8), np.zeros(8))
        hits += made.upper.low <= truth <= made.upper.high
    assert 0.938 < hits / 2000 < 0.962  # ± 2.5 SE of simulation


def test_it_says_what_it_is() -> None:
    made = hw.limits_of_agreement({"a": [10.1, 12.0, 9.4, 11.2], "b": [9.8, 12.3, 9.0, 11.0]})
    assert made.sentence() == (
        "a against b: mean difference 0.15 (95 % CI -0.34 to 0.64), 95 % limits of agreement "
        "-0.46 to 0.76 (n = 4)."
    )
    # SciPy's t with 3 degrees of freedom.
    reach = stats.t.ppf(0.975, 3) * made.sd / 2
    assert made.bias.high == pytest.approx(0.15 + reach)
    assert made.sentence() in repr(made)


def test_it_is_a_result_as_others_are() -> None:
    made = hw.limits_of_agreement({"a": [10.1, 12.0, 9.4, 11.2], "b": [9.8, 12.3, 9.0, 11.0]})
    rows = made.to_frame().set_index("kind")
    assert tuple(rows.loc["upper", ["value", "low", "high"]]) == made.upper
    assert set(rows["sd"]) == {made.sd}
    told = json.loads(made.to_json())
    assert told["bias"] == made.bias._asdict()
    assert told["sentence"] == made.sentence()
    html = made._repr_html_()
    missing = [
        text for text in ("a against b", "mean difference", "lower limit") if text not in html
    ]
    assert missing == []


def test_limits_of_clusters_have_no_interval_to_show() -> None:
    made = hw.limits_of_agreement(measured([1, 2, 4, 3], [1, 2, 3, 1], groups=[1, 1, 2, 2]))
    assert json.loads(made.to_json())["upper"]["low"] is None
    assert "none" in made._repr_html_()


def test_ratios_are_differences_of_logarithms() -> None:
    first, second = np.exp(RNG.normal(size=(2, 20)))
    logs = hw.limits_of_agreement(np.log(first), np.log(second))
    made = hw.limits_of_agreement(first, second, effect="ratio")
    for kind in ("lower", "bias", "upper"):
        np.testing.assert_allclose(getattr(made, kind), np.exp(getattr(logs, kind)))
    np.testing.assert_allclose(np.sort(made.differences), np.sort(first / second))


def test_the_sd_of_clusters_has_both_components() -> None:
    clusters = np.repeat(np.arange(40), 5)
    between = RNG.normal(0, 3, 40)
    noise = RNG.normal(0, 1, 200)
    made = hw.limits_of_agreement(
        measured(between[clusters] + noise, np.zeros(200), groups=clusters)
    )
    table = pd.DataFrame({"d": made.differences, "g": made.groups})
    within = table.groupby("g")["d"].var().mean()
    means = table.groupby("g")["d"].mean().var()
    # Equal sizes: the method of moments in its textbook form.
    assert made.sd**2 == pytest.approx(within + means - within / 5)
    assert np.isnan(made.upper.low)
    alone = hw.limits_of_agreement(between[clusters] + noise, np.zeros(200))
    assert made.bias.high - made.bias.low > 1.5 * (alone.bias.high - alone.bias.low)
    each = hw.limits_of_agreement(measured(noise, np.zeros(200), groups=np.arange(200)))
    assert each.sd == pytest.approx(float(np.std(noise, ddof=1)))


def test_cases_are_matched_by_label_and_bad_input_is_refused() -> None:
    first = pd.Series([1.0, 2.0, 4.0], index=["a", "b", "c"])
    second = pd.Series([4.5, 2.5, 1.25], index=["c", "b", "a"])
    made = hw.limits_of_agreement(first, second)
    np.testing.assert_allclose(np.sort(made.differences), [-0.5, -0.5, -0.25])
    for bad, words in (
        (([1, 2], [1, 2]), "3 cases or more"),
        (([1, 2, 3], [1, 2]), "differ in their number of cases"),
        (([1, 2, np.nan], [1, 2, 3]), "missing"),
    ):
        with pytest.raises(hw.DataError, match=words):
            hw.limits_of_agreement(*bad)
    with pytest.raises(hw.DataError, match="values above 0"):
        hw.limits_of_agreement([0, 1, 2], [1, 2, 3], effect="ratio")
    with pytest.raises(hw.OptionError, match="between 0 and 1"):
        hw.limits_of_agreement([0, 1, 2], [1, 2, 3], share=95)
    kept = hw.limits_of_agreement(measured([1, 2, 3, np.nan], [1, 2, 4, 3], missing="omit"))
    assert kept.n == 3


def test_ratios_beyond_floating_point_have_no_limits() -> None:
    with pytest.raises(hw.DataError, match="limits exceed the largest number in floating point"):
        hw.limits_of_agreement([1e99, 1e-99, 1], [1e-99, 1e99, 1], effect="ratio")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            hw.Predictions.from_arrays([0, 1], {"A": [0.2, 0.7], "B": [0.1, 0.7]}),
            "need CaseValues, not predictions",
        ),
        (measured([1, 2, 3], [1, 2, 4], missing="worst"), "missing='worst' has no meaning"),
        (measured([1, 2, 3], [1, 2, 4], pairing="none"), "pairing='none' has no meaning"),
        ({"A": [1, 2, 3], "B": [1, 2, 4], "C": [2, 2, 2]}, "need two models, not A, B, C"),
        (np.float32(0.95), "need two models, not one without a name"),
        (
            hw.CaseValues.from_table(
                pd.DataFrame(
                    {"organ": list("kkkllllkk"), "A": np.arange(9.0), "B": np.arange(9.0) ** 2}
                ),
                {"A": "A", "B": "B"},
                by="organ",
            ),
            "need one level and one metric, not k",
        ),
    ],
)
def test_data_of_which_there_are_no_limits(data: Any, words: str) -> None:
    with pytest.raises(hw.OptionError, match=words):
        hw.limits_of_agreement(data)


def test_a_table_gives_the_limits_of_its_columns() -> None:
    frame = pd.DataFrame({"case": list("abcd"), "old": [1.0, 2, 4, 3], "new": [1.5, 2, 3, 1]})
    of_table = hw.limits_of_agreement(frame)
    assert (of_table.first, of_table.second) == ("old", "new")
    assert of_table.bias == hw.limits_of_agreement(frame["old"], frame["new"]).bias
