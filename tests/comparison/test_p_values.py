"""P values are those of intervals: the least α at which one excludes a null."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from families import family_of
from numpy.typing import NDArray
from scipy import optimize, stats

import halfwidth as hw
from halfwidth.comparison.p_values import LEAST_P
from halfwidth.core.types import Level

Array = NDArray[Any]
GROUPS = np.repeat(np.arange(13), [1, 2, 3] * 4 + [4])
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)


def values(n: int = 28, lead: float = 0.03, *, digits: int = 6, seed: int = 3) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    case = rng.normal(0.7, 0.1, n)
    both = case + np.array([[lead], [0.0]]) + 0.07 * rng.normal(size=(2, n))
    return dict(zip("AB", np.clip(both, 0, 1).round(digits), strict=True))


def scores(n: int = 40) -> hw.Predictions:
    rng, truth = np.random.default_rng(2), np.arange(n) % 2
    case = rng.normal(size=n) + truth
    made = {name: (case + rng.normal(0, 0.5, n)).round(1) for name in "AB"}
    return hw.Predictions.from_arrays(truth, made)


def decisions(n: int = 40) -> hw.Predictions:
    rng, truth = np.random.default_rng(7), np.arange(n) % 2
    made = {
        name: np.where(rng.random(n) < share, truth, 1 - truth)
        for name, share in (("A", 0.9), ("B", 0.65))
    }
    return hw.Predictions.from_arrays(truth, made)


def of_values(given: dict[str, Array], **options: Any) -> hw.CaseValues:
    return hw.CaseValues.from_arrays(given, metric="dsc", **options)


def one_p(data: Any, **options: Any) -> float:
    (difference,) = hw.compare(data, **options)
    return float(difference.p_value)


# --------------------------------------------------------------------------- closed forms


def test_of_t_it_is_the_paired_t_tests() -> None:
    for lead in (0.0, 0.01, 0.03, 0.1):
        given = values(lead=lead)
        expected = stats.ttest_rel(given["A"], given["B"]).pvalue
        expected = max(expected, LEAST_P)
        assert one_p(of_values(given), method="t") == pytest.approx(expected, rel=1e-4)


def test_of_welch_it_is_welchs() -> None:
    given = values()
    given["B"] = given["B"][:17]
    data = of_values(given, pairing="none")
    expected = stats.ttest_ind(given["A"], given["B"], equal_var=False).pvalue
    assert one_p(data, method="welch") == pytest.approx(expected, rel=1e-4)


def test_of_tango_it_is_mcnemars_without_a_correction() -> None:
    found = decisions()
    (difference,) = hw.compare(found, metric="accuracy", method="tango")
    truth = np.arange(40) % 2
    rng = np.random.default_rng(7)
    right = [rng.random(40) < share for share in (0.9, 0.65)]
    more, less = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    assert difference.value == pytest.approx((more - less) / len(truth))
    expected = stats.chi2.sf((more - less) ** 2 / (more + less), 1)
    assert difference.p_value == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("method", ["delong", "delong_t"])
def test_of_delong_it_is_the_z_or_t_tests(method: str) -> None:
    (one,) = hw.compare(scores(), metric="auroc", method=method)
    # Its degrees of freedom, from how many standard errors away its ends lie.
    reach = (one.high - one.value) / one.estimate.standard_error
    degrees = math.inf
    if method == "delong_t":
        degrees = optimize.brentq(lambda found: stats.t.isf(0.025, found) - reach, 1, 1e4)
    away = abs(one.value) / one.estimate.standard_error
    assert one.p_value == pytest.approx(2 * stats.t.sf(away, degrees), rel=1e-4)


def test_of_newcombes_interval_a_square_and_add_of_wilsons_it_is_the_root() -> None:
    (difference,) = hw.compare(decisions(), metric="accuracy", method="newcombe_paired")
    alpha = difference.p_value
    (at,) = hw.compare(
        decisions(), metric="accuracy", method="newcombe_paired", confidence_level=1 - alpha
    )
    assert 0 < alpha < 0.1
    assert at.low == pytest.approx(0.0, abs=1e-4)


# --------------------------------------------------------------------------- the definition

MEANS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("t", {}),
    ("hall", {}),
    ("empirical_bernstein", {}),
    ("dirichlet_pareto", {}),
    ("dirichlet", {}),
    ("dirichlet_or_pareto", {}),
    *((name, {"n_resamples": 199}) for name in ("percentile", "bca", "basic", "studentized")),
)
OF_SETS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("auroc", "dirichlet", {"n_resamples": 199}),
    ("auroc", "percentile", {"n_resamples": 199}),
    ("auroc", "delong_t", {}),
    ("average_precision", "dirichlet", {"n_resamples": 199}),
    ("accuracy", "tango", {}),
    ("accuracy", "newcombe_paired", {}),
    ("accuracy", "dirichlet", {"n_resamples": 199}),
)
TABLES = {
    "cases": lambda: of_values(values()),
    "few": lambda: of_values(values(7)),
    "ties": lambda: of_values(values(digits=1)),
    "clusters": lambda: of_values(values(), groups=GROUPS),
    "strata": lambda: of_values(values(), strata=np.arange(28) % 2),
}
# Of independent cases alone, without strata.
SIMPLE = {"hall", "empirical_bernstein"}
ASKED = [
    *(
        (TABLES[table], {"method": name, **how})
        for table in TABLES
        for name, how in MEANS
        if name not in SIMPLE or table in ("cases", "few", "ties")
    ),
    *(
        (scores if metric != "accuracy" else decisions, {"metric": metric, "method": name, **how})
        for metric, name, how in OF_SETS
    ),
    # Of whose draws many are exactly 0.
    (lambda: scores(8), {"metric": "auroc", "method": "percentile", "n_resamples": 199}),
]


@pytest.mark.parametrize(("table", "options"), ASKED)
def test_it_is_at_most_alpha_exactly_where_the_interval_excludes_the_null(
    table: Any, options: dict[str, Any]
) -> None:
    """At other levels than the one that was asked for, too; and of other nulls than 0."""
    data = table()
    family, _ = family_of(data, **options)
    (one,) = family.pairs
    ends = {level: family_of(data, confidence_level=level, **options)[1][0] for level in LEVELS}
    for null in (0.0, -0.05, 0.02, 0.05, 0.2):
        p = one.p_value(null)
        assert one.least <= p <= 1
        for level, e in ends.items():
            if math.isclose(p, 1 - level, rel_tol=1e-3) or 1 - level < one.least:
                continue
            assert (p <= 1 - level) is not (e.low <= null <= e.high), (null, level, p)


@pytest.mark.parametrize("table", ["cases", "clusters"])
@pytest.mark.parametrize("method", ["dirichlet_pareto", "dirichlet"])
def test_a_tail_that_is_known_is_the_root_that_is_looked_for(table: str, method: str) -> None:
    family, _ = family_of(TABLES[table](), method=method)
    (one,) = family.pairs
    assert one.law.tail_at is not None
    blind = replace(one, law=replace(one.law, tail_at=None))
    for null in (0.0, -0.01, 0.02, 0.05):
        p = one.p_value(null)
        assert blind.p_value(null) == pytest.approx(p, rel=1e-4)
        # There the interval ends at the null.
        low, high = one.law.ends(Level(1 - p)) if p < 1 else (null, null)
        assert (low if null < one.value else high) == pytest.approx(null, abs=1e-9)


@pytest.mark.parametrize(("metric", "seed"), [("auroc", 1), ("average_precision", 2)])
def test_a_tail_of_draws_is_the_root_that_is_looked_for(metric: str, seed: int) -> None:
    options: dict[str, Any] = {"metric": metric, "rng": seed, "n_resamples": 2000}
    family, _ = family_of(scores(), method="dirichlet", **options)
    (one,) = family.pairs
    assert one.law.tail_at is not None
    blind = replace(one, law=replace(one.law, tail_at=None))
    for null in (0.0, -0.02, 0.03, 0.1):
        assert blind.p_value(null) == pytest.approx(one.p_value(null), rel=1e-4)


@pytest.mark.parametrize("method", ["percentile", "studentized", "basic"])
def test_no_p_value_of_draws_is_below_one_of_so_many_and_one(method: str) -> None:
    given = values(lead=0.25)
    assert one_p(of_values(given), method=method, n_resamples=399) == 1 / 400
    assert one_p(of_values(given), method="t") == pytest.approx(LEAST_P)


def test_without_an_interval_there_is_none() -> None:
    first = values()["A"]
    data = of_values({"A": np.full(28, 0.9), "B": np.full(28, 0.8)})
    assert math.isnan(one_p(data, method="dirichlet_pareto"))
    assert one_p(of_values({"A": first, "B": first})) == 1.0


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("how", [{}, {"method": "bca", "n_resamples": 299}])
def test_the_order_of_the_models_means_nothing(table: str, how: dict[str, Any]) -> None:
    given = values(digits=1 if table == "ties" else 6)
    options = {"clusters": {"groups": GROUPS}, "strata": {"strata": np.arange(28) % 2}}
    data = [
        of_values({name: given[name] for name in names}, **options.get(table, {}))
        for names in ("AB", "BA")
    ]
    (one,), (other,) = (hw.compare(two, margin=0.05, rng=1, **how) for two in data)
    assert one.p_value == other.p_value
    assert (one.low, one.high) == (-other.high, -other.low)
    assert one.verdict is not None
    assert other.verdict is not None
    assert one.verdict.p_not_worse == other.verdict.p_not_worse[::-1]


# --------------------------------------------------------------------------- few units


@pytest.mark.parametrize(
    ("data", "units"),
    [
        (of_values(values(5, 0.3)), 2.0**-4),
        (of_values(values(28, 0.3), groups=np.arange(28) % 4), 2.0**-3),
        (
            of_values({"A": values(4)["A"] / 2 + 0.45, "B": values(3)["B"] / 10}, pairing="none"),
            2 / math.comb(7, 3),
        ),
    ],
)
def test_it_is_no_less_than_that_of_an_exact_test_of_so_many_units(
    data: hw.CaseValues, units: float
) -> None:
    (one,) = hw.compare(data)
    assert one.p_value == pytest.approx(units)
    assert one.verdict is not None
    assert one.verdict.least_p == pytest.approx(units)


def test_of_several_comparisons_the_least_is_as_many_times_as_large() -> None:
    rng = np.random.default_rng(1)
    given = {name: 0.2 * k + 0.01 * rng.random(8) + 0.1 for k, name in enumerate("ABCD")}
    for one in hw.compare(given, metric="dsc", method="t"):
        assert one.p_value == pytest.approx(2.0**-7)
        assert one.p_adjusted == pytest.approx(6 * 2.0**-7)
        assert one.verdict is not None
        assert one.verdict.least_p == pytest.approx(6 * 2.0**-7)
    for one in hw.compare(given, metric="dsc", method="t", correction="none"):
        assert one.verdict is not None
        assert one.verdict.least_p == pytest.approx(2.0**-7)
