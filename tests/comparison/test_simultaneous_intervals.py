"""Intervals that hold together: under which law, and that they say what is claimed."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from families import family_of
from numpy.typing import NDArray

import halfwidth as hw
from halfwidth.comparison.inference import FamilyInference
from halfwidth.core.types import Level
from halfwidth.resampling.joint.laws import LargestT, RankedDraws

Array = NDArray[Any]
INPUTS = Path(__file__).parents[2].parent / "shared" / "inputs"
DRAWN: dict[str, Any] = {"n_resamples": 999}
# Models that are equal, near each other, and apart.
LEADS = (0.0, 0.0, 0.04, 0.3)


def models(n: int = 30, leads: tuple[float, ...] = LEADS, *, seed: int = 7) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    lead = np.array(leads)[:, None]
    noise = 0.1 * rng.normal(size=n) + 0.05 * rng.normal(size=(len(leads), n))
    return dict(zip("ABCDEF", np.clip(0.5 + lead + noise, 0, 1), strict=False))


def scores(n: int = 60) -> hw.Predictions:
    rng, truth = np.random.default_rng(3), np.arange(n) % 2
    case = rng.normal(size=n)
    made = {
        name: case + lead * truth + 0.5 * rng.normal(size=n)
        for name, lead in zip("ABC", (1.0, 1.1, 2.5), strict=True)
    }
    return hw.Predictions.from_arrays(truth, made)


def decisions(n: int = 60) -> hw.Predictions:
    rng, truth = np.random.default_rng(4), np.arange(n) % 2
    wrong = rng.random((3, n)) < np.array([[0.1], [0.2], [0.4]])
    made = dict(zip("ABC", np.where(wrong, 1 - truth, truth), strict=True))
    return hw.Predictions.from_arrays(truth, made)


def distances(n: int = 30, leads: tuple[float, ...] = LEADS) -> hw.CaseValues:
    given = {name: 30 * one for name, one in models(n, leads).items()}
    return hw.CaseValues.from_arrays(given, metric="hd95")


def of_dsc(n: int = 30, **options: Any) -> hw.CaseValues:
    return hw.CaseValues.from_arrays(models(n), metric="dsc", **options)


def nearly_equal(n: int = 40) -> hw.CaseValues:
    """The second model differs from the first in one case."""
    given = {name: 30 * one for name, one in models(n, (0.0, 0.0, 0.1)).items()}
    given["B"] = given["A"].copy()
    given["B"][4] += 3
    return hw.CaseValues.from_arrays(given, metric="hd95")


UNEQUAL = np.repeat(np.arange(12), [1] * 11 + [19])
Asked = tuple[Any, dict[str, Any], type | None]
ASKED: dict[str, Asked] = {
    "dirichlet_pareto": (of_dsc, DRAWN, RankedDraws),
    "dirichlet": (of_dsc, {"method": "dirichlet", **DRAWN}, RankedDraws),
    "mass of 2": (of_dsc, {"method": "dirichlet:mass=2", **DRAWN}, RankedDraws),
    "t": (of_dsc, {"method": "t", **DRAWN}, LargestT),
    "hd95": (distances, DRAWN, LargestT),
    "ratios": (distances, {"effect": "ratio", **DRAWN}, LargestT),
    "percentile": (of_dsc, {"method": "percentile", **DRAWN}, LargestT),
    "median": (of_dsc, {"statistic": "median", **DRAWN}, None),
    "few": (functools.partial(of_dsc, 9), {"method": "t", **DRAWN}, None),
    "few effective clusters": (
        functools.partial(of_dsc, groups=UNEQUAL),
        {"method": "t", **DRAWN},
        None,
    ),
    "clusters": (functools.partial(of_dsc, groups=np.arange(30) % 13), DRAWN, RankedDraws),
    "strata": (functools.partial(of_dsc, strata=np.arange(30) % 2), DRAWN, RankedDraws),
    "auroc": (scores, {"metric": "auroc", **DRAWN}, RankedDraws),
    "average precision": (scores, {"metric": "average_precision", **DRAWN}, RankedDraws),
    "mcc": (decisions, {"metric": "mcc", "method": "percentile", **DRAWN}, LargestT),
    "accuracy": (decisions, {"metric": "accuracy", **DRAWN}, LargestT),
    "nearly equal": (nearly_equal, DRAWN, LargestT),
    "holm": (of_dsc, {"correction": "holm", **DRAWN}, None),
    "bonferroni": (of_dsc, {"correction": "bonferroni", **DRAWN}, None),
}


@functools.cache
def asked(name: str) -> FamilyInference:
    data, options, _ = ASKED[name]
    family, _ = family_of(data(), **options)
    return family


@pytest.mark.parametrize("name", ASKED)
def test_the_law_is_that_of_the_single_intervals(name: str) -> None:
    law, expected = asked(name).law, ASKED[name][2]
    assert type(law) is (expected or type(None))


MARGINS = (None, 0.05, 0.3)


def margins_of(name: str) -> list[float | None]:
    scale = 30 if name in ("hd95", "nearly equal") else 1
    return [one and scale * one for one in MARGINS]


@pytest.mark.parametrize("name", ASKED)
def test_ends_say_what_is_claimed_and_nothing_else(name: str) -> None:
    """At any level, with and without a margin; of ratios too."""
    for alpha in (0.2, 0.05, 0.01):
        family = at_level(asked(name), alpha)
        for margin in margins_of(name):
            together = family.together(margin)
            assert together is not None
            better = family.adjusted()
            said = [(0.0, better)]
            if margin is not None:
                not_worse = np.fmin(family.not_worse(margin), better)
                said += [(margin, family.adjusted(margin)), (-margin, not_worse)]
            for beyond, p_values in said:
                above, below = family._nulls(beyond)
                claimed = p_values <= alpha
                # A side that is claimed is all that the interval holds; else it holds some of both.
                reaches = np.stack([together[:, 0] - above, below - together[:, 1]], axis=-1)
                assert (reaches[claimed] >= 0).all()
                assert (reaches[~claimed] <= 0).all()


def at_level(family: FamilyInference, alpha: float) -> FamilyInference:
    level = Level(1 - alpha)
    ends = [one.law.ends(level) for one in family.pairs]
    pairs = [
        replace(one, level=level, low=low, high=high)
        for one, (low, high) in zip(family.pairs, ends, strict=True)
    ]
    return replace(family, pairs=pairs, level=level, known={})


@pytest.mark.parametrize("name", ASKED)
def test_ends_are_no_nearer_than_single_ones_and_no_farther_than_bonferronis(name: str) -> None:
    family = asked(name)
    level, count = family.level, 2 * len(family.pairs)
    ends = family.ends(level)
    bonferroni = np.array(
        [one.law.ends(Level(1 - 2 * level.alpha / count)) for one in family.pairs]
    )
    singles = np.array([(one.low, one.high) for one in family.pairs])
    outwards = np.array([-1, 1])
    assert ((ends - singles) * outwards >= -1e-12).all()
    assert ((ends - bonferroni) * outwards <= 1e-9).all()
    if family.law is None:
        np.testing.assert_allclose(ends, bonferroni, rtol=1e-9)
    elif name != "percentile":  # whose ends are nearer than those of max-t
        assert (np.ptp(ends, axis=-1) < np.ptp(bonferroni, axis=-1) * (1 - 1e-9)).any()


def of_few_penalties() -> hw.CaseValues:
    table = pd.read_csv(INPUTS / "few_penalties.csv")
    return hw.CaseValues.from_table(table, metric="assd", missing="worst", penalty=100.0)


def log_normal(seed: int) -> hw.CaseValues:
    rng = np.random.default_rng(seed)
    made = np.exp(rng.normal(size=12) + 1.5 * rng.normal(size=(3, 12)))
    return hw.CaseValues.from_arrays(dict(zip("ABC", made, strict=True)), metric="hd95")


def test_no_end_is_farther_than_bonferronis_where_one_resample_has_no_spread() -> None:
    """Of six cases with penalties ends were −8261 and 8294 where the single ones are −24 and 57."""
    wider = 0
    for data in (of_few_penalties(), *map(log_normal, range(12))):
        joint = hw.compare(data, rng=1, n_resamples=999)
        plain = hw.compare(data, rng=1, n_resamples=999, correction="bonferroni")
        family, _ = family_of(data, n_resamples=999)
        if isinstance(family.law, LargestT):
            t = family.law.differences
            critical = np.quantile(np.abs(t.replicates).max(axis=0), 0.95)
            wider += 2 * critical * t.standard_errors[0] > 2 * (joint[0].high - joint[0].low)
        for one, other in zip(joint, plain, strict=True):
            assert one.simultaneous is not None
            assert other.simultaneous is not None
            assert other.simultaneous.low - 1e-9 <= one.simultaneous.low <= one.low
            assert one.high <= one.simultaneous.high <= other.simultaneous.high + 1e-9
    assert wider, "no sample shows what is asked here"


@pytest.mark.parametrize("name", ["hd95", "mcc", "ratios"])
def test_ends_by_max_t_are_c_standard_errors_away(name: str) -> None:
    family = asked(name)
    law = family.law
    assert isinstance(law, LargestT)
    assert law.known.all()
    critical = np.quantile(np.abs(law.differences.replicates).max(axis=0), 0.95)
    estimates, errors = law.differences.estimates, law.differences.standard_errors
    by_t = estimates[:, None] + critical * errors[:, None] * [-1, 1]
    by_t = np.exp(by_t) if name == "ratios" else by_t
    share = Level(1 - family.level.alpha / len(family.pairs))
    bonferroni, outwards = np.array([one.law.ends(share) for one in family.pairs]), [-1, 1]
    singles = np.array([(one.low, one.high) for one in family.pairs])
    nearer = np.where((by_t - bonferroni) * outwards < 0, by_t, bonferroni)
    expected = np.where((nearer - singles) * outwards > 0, nearer, singles)
    np.testing.assert_allclose(family.ends(family.level), expected, rtol=1e-9)
    assert (expected == by_t).any()


def test_dirichlet_intervals_leave_as_many_draws_outside_as_the_level_says() -> None:
    """All sides at one tail, by counting ranks: that of which α of the draws have a side."""
    for name in ("dirichlet_pareto", "dirichlet", "auroc", "strata"):
        family = asked(name)
        assert isinstance(family.law, RankedDraws)
        lowest = family.law.ranks.min(axis=(0, 1))
        tail = np.sort(lowest)[int(0.05 * len(lowest)) :][:2] / len(lowest)
        ends = family.ends(family.level)
        nearest = [one.law.ends(Level(1 - 2 * float(tail[0] + 0.002))) for one in family.pairs]
        farthest = [one.law.ends(Level(1 - 2 * float(tail[0] - 0.002))) for one in family.pairs]
        assert (ends[:, 0] <= np.array(nearest)[:, 0] + 1e-9).all(), name
        assert (ends[:, 1] >= np.array(nearest)[:, 1] - 1e-9).all()
        assert (ends[:, 0] >= np.array(farthest)[:, 0]).all()
        assert (ends[:, 1] <= np.array(farthest)[:, 1]).all()


def test_nearly_equal_models_do_not_spoil_the_intervals_of_the_others() -> None:
    family = asked("nearly equal")
    assert isinstance(family.law, LargestT)
    assert family.law.known.tolist() == [False, True, True]
    compared = hw.compare(nearly_equal(), rng=1, **DRAWN)
    found = [(one.simultaneous and one.simultaneous.method) for one in compared]
    assert found == ["bonferroni", "max_t", "max_t"]
    assert ["HW815" in [one.code for one in item.cautions] for item in compared] == [
        True,
        False,
        False,
    ]
    # Two of three comparisons have two thirds of the error probability.
    t = family.law.differences
    critical = np.quantile(np.abs(t.replicates[1:]).max(axis=0), 1 - 0.05 * 2 / 3)
    reach = critical * t.standard_errors[1:, None] * [-1, 1]
    by_t = t.estimates[1:, None] + reach
    ends = family.ends(family.level)[1:]
    assert ((ends - by_t) * [-1, 1] <= 1e-9).all()
    assert np.isclose(ends, by_t).any()


@pytest.mark.parametrize("correction", ["none", "benjamini_hochberg"])
def test_without_a_correction_of_intervals_there_are_none(correction: Any) -> None:
    for one in hw.compare(models(), metric="dsc", correction=correction, rng=1):
        assert one.simultaneous is None
    (two,) = hw.compare({name: models()[name] for name in "AD"}, metric="dsc")
    assert two.simultaneous is None


def test_ends_stay_in_the_range_of_the_difference() -> None:
    for one in hw.compare(decisions(12), metric="mcc", method="percentile", rng=1, **DRAWN):
        assert one.simultaneous is not None
        assert -2 <= one.simultaneous.low <= one.simultaneous.high <= 2
