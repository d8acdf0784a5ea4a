"""``hw.plan`` of a pilot with clusters or strata: studies are what `hw.estimate` would be given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import halfwidth as hw
from halfwidth.planning.drawn_studies import DrawnStudies
from halfwidth.planning.simulated_studies import Studies, check_pilot
from halfwidth.resampling.designs import Design

QUICK: dict[str, Any] = {"n_samples": 100, "rng": 1}


def clusters(
    count: int, sizes: Any, correlation: float, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Values of an intra-class correlation, about 0 with SD 1, and the cluster of each."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(count), np.resize(sizes, count))
    common, own = rng.normal(size=count)[groups], rng.normal(size=len(groups))
    return np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own, groups


RAGGED, PATIENTS = clusters(24, (1, 2, 5, 3), 0.6)
SHARES = 1 / (1 + np.exp(-RAGGED))
RIGHT = np.greater(SHARES, 0.3)
SITES = np.array(["x", "y", "y"])[PATIENTS % 3]


def plan(values: Any, **options: Any) -> Any:
    (found,) = hw.plan(values, **QUICK | options)
    return found


# --------------------------------------------------------------------------- one story


def drawn_and_estimated(
    values: np.ndarray, groups: np.ndarray, studies: int, **options: Any
) -> list[float]:
    """Widths of intervals of studies of as many clusters, drawn plainly, each by `hw.estimate`."""
    rng, widths = np.random.default_rng(5), []
    members = [np.flatnonzero(groups == one) for one in np.unique(groups)]
    for _ in range(studies):
        picked = [members[place] for place in rng.integers(0, len(members), len(members))]
        data = hw.CaseValues.from_arrays(
            values[np.concatenate(picked)],
            groups=np.repeat(np.arange(len(picked)), [len(one) for one in picked]),
        )
        (found,) = hw.estimate(data, rng=1, **options)
        widths.append(found.high - found.low)
    return widths


@pytest.mark.parametrize(
    ("method", "resamples", "studies"),
    [("t", None, 400), pytest.param("bca_expanded", 199, 200, marks=pytest.mark.slow)],
)
def test_widths_are_those_that_estimate_gives_of_studies_drawn_plainly(
    method: str, resamples: int | None, studies: int
) -> None:
    options: dict[str, Any] = {"method": method, "n_resamples": resamples}
    drawn = np.array(drawn_and_estimated(RAGGED, PATIENTS, studies, **options))
    # The pilot's spread is off as those of pilots drawn from it are, the other way round.
    off = np.log(drawn).mean() - np.log(drawn)
    widths = np.outer(drawn, np.exp(off) * 24 / 23)
    data = hw.CaseValues.from_arrays(RAGGED, groups=PATIENTS)
    found = plan(data, n=24, n_samples=500, **options)
    assert found.simulated.q1 == pytest.approx(np.quantile(widths, 0.25), rel=0.05)
    assert found.width == pytest.approx(np.median(widths), rel=0.05)
    assert found.simulated.q3 == pytest.approx(np.quantile(widths, 0.75), rel=0.05)
    # Cases drawn one by one would promise much less.
    alone = plan(RAGGED, n=len(RAGGED), n_samples=500, **options)
    assert alone.width < 0.8 * found.width


def studies_of(values: Any, method: str, **options: Any) -> Studies:
    given = {"metric": None, "bounds": None, "statistic": "mean", "scale": 1.0, "label": ""}
    given |= {"confidence_level": 0.95, "missing": "raise", "penalty": None, "n_resamples": 99}
    return check_pilot(values, method=method, n_samples=100, rng=1, **given | options)


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("values", "method", "options"),
    [
        (RAGGED, "t", {}),
        (RAGGED, "t", {"strata": SITES}),
        (RAGGED, "t", {"over": "clusters"}),
        (RAGGED, "t", {"over": "clusters", "strata": SITES}),
        (RAGGED, "auto", {"over": "clusters"}),
        (SHARES, "auto", {"metric": "dsc"}),
        (RIGHT, "auto", {}),
        (RIGHT, "wilson", {"strata": SITES}),
    ],
)
@pytest.mark.parametrize("n", [7, 24])
def test_each_width_is_that_of_the_interval_that_estimate_gives_of_the_study(
    values: np.ndarray, method: str, options: dict[str, Any], n: int
) -> None:
    """Where nothing is drawn by chance but the study itself."""
    simulated = studies_of(values, method, groups=PATIENTS, **options)
    widths = simulated.widths_at(n).ravel()
    assert np.isfinite(widths).any()
    # The order of units in the pilot, found by giving cases their numbers for values.
    order = simulated_order(values, options)
    drawn = simulated.drawn.units(n, 0, 8)
    # Means of clusters have tails, as independent cases do.
    means = simulated.drawn.values(drawn, 0, 8) if simulated.design.simple else None
    for place, units in enumerate(drawn):
        cases = [np.flatnonzero(np.equal(PATIENTS, order[unit])) for unit in units]
        if means is not None:
            cases = [one[:1] for one in cases]
        rows = np.concatenate(cases)
        data = hw.CaseValues.from_arrays(
            values[rows] if means is None else means[place],
            groups=np.repeat(np.arange(n), [len(one) for one in cases]),
            strata=None if "strata" not in options else SITES[rows],
            over=options.get("over", "cases"),
            metric=options.get("metric"),
        )
        (found,) = hw.estimate(data, method=method, rng=1)
        assert widths[place] == pytest.approx(found.high - found.low, rel=1e-9, nan_ok=True)


def simulated_order(values: np.ndarray, options: dict[str, Any]) -> list[int]:
    """The clusters in canonical order: within strata by size, then values; or by their means."""
    members = {
        one: np.sort(values[np.equal(PATIENTS, one)].astype(float)) for one in np.unique(PATIENTS)
    }
    sites = {one: SITES[np.equal(PATIENTS, one)][0] for one in members}
    size_of = {site: sum(own == site for own in sites.values()) for site in "xy"}

    def key(one: int) -> tuple[Any, ...]:
        stratum = size_of[sites[one]] if "strata" in options else 0
        if options.get("over") == "clusters":
            return (stratum, float(members[one].mean()))
        return (stratum, len(members[one]), members[one].tolist())

    return sorted(members, key=key)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.8])
def test_widths_grow_by_the_design_effect_of_kish(correlation: float) -> None:
    size, count = 5, 300
    values, groups = clusters(count, size, correlation, seed=3)
    table = values.reshape(count, size)
    between = size * table.mean(axis=1).var(ddof=1)
    within = table.var(axis=1, ddof=1).mean()
    found = (between - within) / (between + (size - 1) * within)
    kept = plan(hw.CaseValues.from_arrays(values, groups=groups), n=120, method="t", n_samples=500)
    alone = plan(values, n=120 * size, method="t", n_samples=500)
    expected = np.sqrt(1 + (size - 1) * found)
    assert kept.width / alone.width == pytest.approx(expected, rel=0.03)
    assert kept.n_cases == 120 * size


@pytest.mark.slow
def test_over_clusters_is_the_plan_of_their_means() -> None:
    means = [RAGGED[np.equal(PATIENTS, one)].mean() for one in np.unique(PATIENTS)]
    of_means = plan(means, halfwidth=0.3, method="t")
    found = plan(
        hw.CaseValues.from_arrays(RAGGED, groups=PATIENTS, over="clusters"),
        halfwidth=0.3,
        method="t",
    )
    assert (found.n, found.counted, of_means.counted) == (of_means.n, "clusters", "cases")
    assert found.width == pytest.approx(of_means.width, rel=1e-12)
    assert found.n_cases == pytest.approx(found.n * len(RAGGED) / 24)


def test_a_plan_asks_for_as_many_clusters_as_raise_no_caution() -> None:
    values, groups = clusters(40, 3, 0.5)
    for method in ("t", "percentile"):
        data = hw.CaseValues.from_arrays(values, groups=groups)
        _, reliable = plan(data, halfwidth=0.5, method=method, n_resamples=49).requirements
        for few in (0, 1):
            kept = groups < reliable.n - few
            fewer = hw.CaseValues.from_arrays(values[kept], groups=groups[kept])
            (found,) = hw.estimate(fewer, method=method, rng=1)
            assert ("HW201" in [one.code for one in found.cautions]) is bool(few), method


# --------------------------------------------------------------------------- strata


def test_studies_keep_the_shares_of_strata_and_are_parts_of_larger_ones() -> None:
    values = np.arange(40.0)
    sample = studies_of(values, "t", strata=["x"] * 30 + ["y"] * 10).sample
    design = Design((10, 30))
    assert sample.records.design == design
    drawn = DrawnStudies(sample.records, 3)
    for n in range(1, 60):
        counts = (drawn.units(n, 0, 5) < 10).sum(axis=1)
        assert (np.abs(counts - n / 4) < 1).all()
        fewer, more = drawn.units(n, 0, 1)[0], drawn.units(n + 1, 0, 1)[0]
        left = more.tolist()
        for unit in fewer.tolist():
            left.remove(unit)
        assert len(left) == 1


def test_strata_that_differ_make_intervals_narrower() -> None:
    values = np.concatenate([np.random.default_rng(0).normal(place, 1, 30) for place in (0, 9)])
    data = hw.CaseValues.from_arrays(values, strata=["x"] * 30 + ["y"] * 30)
    found = plan(data, n=60, method="t")
    assert found.width < 0.4 * plan(values, n=60, method="t").width
    assert (found.counted, found.n_cases) == ("cases", None)
    assert "60 cases in 2 strata" in found.formula_text


# --------------------------------------------------------------------------- what is said


def test_n_is_said_to_count_clusters() -> None:
    data = hw.CaseValues.from_arrays(SHARES, groups=PATIENTS, metric="dsc")
    plans = hw.plan(data, halfwidth=0.1, method="t", curve=True, **QUICK)
    (found,) = plans
    assert (found.counted, found.n_cases) == ("clusters", found.n * 66 / 24)
    assert found.sentence().startswith(f"{found.n} clusters (about {found.n_cases:.0f} cases) give")
    (told,) = plans.to_dict()["plans"]
    assert (told["counted"], told["n_cases"]) == ("clusters", found.n_cases)
    assert plans.to_frame()["counted"].tolist() == ["clusters"]
    text = plans.document()
    assert "n counts clusters, drawn whole; cases in each, on average of the pilot: 2.75." in str(
        text
    )
    assert "simulated from a pilot of 24 clusters with 66 cases" in str(text)
    assert hw.plots.plan_curve(plans).get_xlabel() == "clusters"
    (alone,) = hw.plan(SHARES, n=20, metric="dsc", method="t", **QUICK)
    assert "counted" not in alone.to_dict()


def test_clusters_by_the_name_of_a_column_are_told() -> None:
    table = pd.DataFrame(
        {"case": range(66), "metric": "dsc", "value": SHARES, "group": PATIENTS, "stratum": SITES}
    )
    plans = hw.plan(hw.CaseValues.from_table(table), n=20, method="t", **QUICK)
    assert plans.notes == (
        "clusters are taken from column 'group' of the table",
        "strata are taken from column 'stratum' of the table",
    )
    assert plans[0].counted == "clusters"
    assert "  clusters are taken from column" in repr(plans)


def test_repeats_say_to_name_clusters() -> None:
    table = pd.DataFrame({"patient_id": PATIENTS, "dice": SHARES})
    (note,) = hw.plan(hw.CaseValues.from_table(table, "dice"), n=20, method="t", **QUICK).notes
    assert "cases repeat" in note
    assert "(groups=, --groups)" in note
    named = hw.CaseValues.from_table(table, "dice", groups="patient_id")
    assert not hw.plan(named, n=20, method="t", **QUICK).notes
    crossed = hw.CaseValues.from_table(
        pd.DataFrame({"case": [*range(33)] * 2, "dice": SHARES, "ward": PATIENTS}),
        "dice",
        groups="ward",
    )
    (note,) = hw.plan(crossed, n=20, method="t", **QUICK).notes
    assert note.startswith("cases of several clusters repeat")


@pytest.mark.parametrize(
    ("options", "how", "error", "words"),
    [
        ({"groups": ["a"] * 66}, {"n": 9}, hw.DataError, "all 66 cases are of one cluster"),
        ({"groups": PATIENTS}, {"n": 7273}, hw.OptionError, "more than the 7272 clusters"),
        ({"over": "clusters"}, {"n": 9}, hw.OptionError, "needs clusters: give groups="),
        ({"groups": PATIENTS}, {"n": 9, "method": "exact"}, hw.OptionError, "exact"),
    ],
)
def test_what_cannot_be_planned_of_clusters(
    options: dict[str, Any], how: dict[str, Any], error: type[Exception], words: str
) -> None:
    data = hw.CaseValues.from_arrays(RAGGED, **options)
    with pytest.raises(error, match=words):
        hw.plan(data, **{"method": "t"} | how, **QUICK)


def test_clusters_of_a_case_each_are_cases_that_are_counted_as_clusters() -> None:
    values = RAGGED[:30]
    data = hw.CaseValues.from_arrays(values, groups=[*range(30)])
    found, alone = (plan(one, n=20, method="t") for one in (data, values))
    assert found.width == pytest.approx(alone.width, rel=1e-12)
    assert (found.counted, found.n_cases) == ("clusters", 20)
    assert found.requirements == alone.requirements


@pytest.mark.slow
def test_the_assurance_is_kept_on_average_over_pilots() -> None:
    """Pilots of 20 normal clusters, and the share of the studies of each that reach the width."""
    rng, shares = np.random.default_rng(6), []
    for _ in range(120):
        pilot = rng.normal(0, 1, 20)
        (made,) = hw.plan(pilot, halfwidth=0.35, method="t", n_samples=100, rng=1)
        n = made.n_for_width
        assert n is not None
        # The width is as wanted where the SD is; v s²/σ² is chi-squared.
        most = 0.35 * math.sqrt(n) / stats.t.ppf(0.975, n - 1)
        shares.append(stats.chi2.cdf((n - 1) * most**2, n - 1))
    # A plan that takes the pilot for the population reaches 60 %.
    assert np.mean(shares) == pytest.approx(0.8, abs=0.09)
