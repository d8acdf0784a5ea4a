"""What a study estimates of test sets, and by which methods."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import numpy as np
import pytest
from over_data import metric_ci
from smallstudies import Row, cells_of_sets, cells_of_values, labelled, rows_of, the_row

import halfwidth as hw
from halfwidth.core.spec import Estimand, Takes
from halfwidth.core.types import Array
from halfwidth.resampling.designs import arrange
from halfwidth.study.simulation.cells import Cells, batch_parts, simulated
from halfwidth.study.simulation.fitted import fitted

# Of one class these are proportions of a part of the cases, whose number varies from sample to
# sample: a study takes them as functions of the confusion matrix.
OF_A_PART = {"sensitivity", "specificity", "ppv", "npv"}
STATISTICS = ["mean", "sd", "trimmed_mean", "median", "iqr", "quantile:q=0.9"]
NAMES = {"net_benefit": "net_benefit:exchange_rate=0.2"}


def _cases() -> list[tuple[str, str | None, int]]:
    """Metrics and their averages, those of a positive class with two classes."""
    metrics = [
        spec
        for spec in hw.SAMPLE_METRICS
        if spec.takes is not Takes.NUMBERS and spec.estimand is not Estimand.ERROR_OF_PAIRS
    ]
    return [
        (NAMES.get(spec.name, spec.name), average, 2 if average == "binary" else 3)
        for spec in metrics
        for average in (spec.averages if len(spec.averages) > 1 else (None,))
    ]


def _accepted(cells: Cells, records: Array, average: str | None) -> list[str]:
    """The methods that the front door proposes for this test set, and takes.

    What it takes of a metric is asked under one average of those over classes.
    """
    classes = cells.instance.classes
    ask = functools.partial(
        metric_ci,
        *(records[-1].astype(int), records[:-1].T if len(classes) > 2 else records[1]),
        metric=cells.metric,
        average=average,
        labels=list(range(len(classes))),
        scores="probabilities",
        n_resamples=5,
        rng=1,
    )
    with pytest.raises(hw.OptionError, match=r"^method 'exact' makes no interval") as refused:
        ask(method="exact")
    auto, *proposed = str(refused.value).rpartition("; use ")[2].split(", ")
    assert auto == "auto"
    if average in ("micro", "weighted"):
        return proposed
    names = []
    for name in proposed:
        # The specs of a few metrics allow more than the door does.
        with contextlib.suppress(hw.OptionError):
            ask(method=name)
            names.append(name)
    return names


@pytest.mark.parametrize(("metric", "average", "classes"), _cases())
def test_the_methods_offered_are_those_that_the_front_door_takes(
    metric: str, average: str | None, classes: int
) -> None:
    cells = cells_of_sets(labelled(classes=classes), metric, 60, average)
    (records,) = fitted(cells.instance).population.draw(np.random.default_rng(5), 1, 60)
    taken = _accepted(cells, records, average)
    rows = cells.measured
    assert len(rows) == (classes if average == "none" else 1)
    for measured in rows:
        offered = [method.name for method in measured.methods]
        if metric in OF_A_PART and average in ("binary", "none"):
            bootstraps = ["percentile", "bca", "bca_expanded", "basic"]
            assert offered == [*bootstraps, "delta", "jackknife_t", "dirichlet", "gaffke"]
        else:
            assert offered == taken


@pytest.mark.parametrize(
    "statistic", ["mean", "sd", "trimmed_mean", "median", "iqr", "quantile:q=0.9"]
)
@pytest.mark.parametrize("metric", ["dsc", "hd95", "correct", "nothing"])
def test_the_methods_offered_for_values_are_those_that_the_front_door_takes(
    metric: str, statistic: str
) -> None:
    populations: dict[str, dict[str, Any]] = {
        "dsc": {"family": "beta", "a": 4, "b": 2},
        "hd95": {"family": "gamma", "shape": 2},
        "correct": {"family": "bernoulli", "probability": 0.6},
        "nothing": {"family": "normal"},
    }
    named = None if metric == "nothing" else metric
    population = populations[metric] | ({"metric": named} if named else {})
    cells = cells_of_values(population, statistics=[statistic], sizes=[40])
    (measured,) = cells.measured
    ((sample,),) = batch_parts(cells, fitted(cells.instance).population, 0, 1)
    taken = []
    for method in hw.METHODS:
        try:
            hw.summary_ci(
                sample,
                metric=named,
                statistic=statistic,
                method=method.name,
                n_resamples=5,
                rng=1,
            )
        except hw.OptionError:
            continue
        taken.append(method.name)
    assert [method.name for method in measured.methods] == taken


@pytest.mark.parametrize("metric", ["brier_miscalibration", "smooth_ece", "kce", "ece"])
def test_intervals_are_of_cases_whose_values_stay_together(metric: str) -> None:
    cells = cells_of_sets(labelled(classes=2), metric, 60, "binary")
    (measured,) = cells.measured
    assert measured.design(60).paired


def test_a_metric_without_a_value_in_a_population_is_refused() -> None:
    with pytest.raises(
        hw.OptionError, match=r"ece_kde cannot be studied: .* use ece, smooth_ece or kce"
    ):
        cells_of_sets(labelled(classes=2), "ece_kde", 60, "binary").measured  # noqa: B018


def test_methods_asked_for_are_those_of_them_that_fit() -> None:
    study: dict[str, Any] = {
        "methods": ["t", "exact", "percentile"],
        "statistics": ["mean", "median"],
    }
    mean, median = cells_of_values({"family": "normal"}, **study).measured
    assert [method.name for method in mean.methods] == ["t", "percentile"]
    assert [method.name for method in median.methods] == ["percentile", "exact"]


# --------------------------------------------------------------------------- samples


@pytest.mark.parametrize(
    ("metric", "average", "classes"),
    [
        ("accuracy", None, 3),
        ("mcc", None, 3),
        ("f_beta", "binary", 2),
        ("auroc", "binary", 2),
        ("auroc", "none", 3),
        ("auroc", "macro", 3),
        ("average_precision", "micro", 3),
    ],
)
def test_samples_are_in_the_order_of_their_design(
    metric: str, average: str | None, classes: int
) -> None:
    cells = cells_of_sets(labelled(classes=classes), metric, 25, average)
    # Coarse scores: cases that are tied in their first values, and in all of them.
    generator = np.random.default_rng(2)
    scores = generator.integers(1, 4, size=(8, classes, 25)).astype(float)
    truth = generator.integers(classes, size=(8, 1, 25))
    records = np.concatenate([scores / scores.sum(axis=1, keepdims=True), truth], axis=1)
    for measured in cells.measured:
        samples = measured.samples(records)
        design = measured.design(25)
        assert samples.shape == ((8, 25) if samples.ndim == 2 else (8, samples.shape[1], 25))
        for sample in samples:
            values, expected = arrange(sample, paired=design.paired)
            assert expected == design
            if measured.binary:
                values, sample = np.sort(values), np.sort(sample)  # noqa: PLW2901
            assert np.array_equal(values, sample)


def test_samples_keep_every_case_whole() -> None:
    sets = labelled(classes=3)
    records = fitted(sets).population.draw(np.random.default_rng(2), 5, 20)
    before = records.copy()
    (ranked,) = cells_of_sets(sets, "auroc", 20, "macro").measured
    first, second, third = cells_of_sets(sets, "auroc", 20, "none").measured
    (counted,) = cells_of_sets(sets, "mcc", 20).measured
    for place, sample in enumerate(ranked.samples(records)):
        assert sorted(map(tuple, sample.T)) == sorted(map(tuple, records[place].T))
    for which, measured in enumerate((first, second, third)):
        assert measured.label == sets.classes[which]
        for place, sample in enumerate(measured.samples(records)):
            marks = (records[place, -1] != which).astype(float)
            cases = zip(records[place, which], marks, strict=True)
            assert sorted(map(tuple, sample.T)) == sorted(cases)
    for place, codes in enumerate(counted.samples(records)):
        truth, said = records[place, -1], records[place, :-1].argmax(axis=0)
        assert codes.tolist() == sorted((3 * truth + said).tolist())
    assert np.array_equal(records, before)


# --------------------------------------------------------------------------- absent classes


def _estimates(metric: str, average: str, absent: str) -> tuple[Array, Array, list[Row]]:
    """Estimates, samples, and rows, where a class in twenty is often absent."""
    rare = labelled(classes=3, shares=[0.55, 0.4, 0.05], n=100, seed=6)
    cells = cells_of_sets(
        *(rare, metric, 10, average),
        samples=30,
        batches=2,
        resamples=30,
        truth_draws=4000,
        absent_class=absent,
    )
    population = fitted(rare).population
    (measured,) = cells.measured
    made = simulated(cells, measured, population)
    records = np.concatenate([next(batch_parts(cells, population, batch, 15)) for batch in (0, 1)])
    return made.estimates, records, list(rows_of(cells))


@pytest.mark.parametrize("absent", ["omit", "zero", "undefined"])
def test_a_class_that_a_sample_lacks(absent: str) -> None:
    from sklearn.metrics import f1_score, roc_auc_score

    estimates, records, rows = _estimates("f_beta", "macro", absent)
    ranked, _, of_ranks = _estimates("auroc", "macro", absent)
    assert len({tuple(np.unique(sample[-1])) for sample in records}) > 1
    for place, sample in enumerate(records):
        truth, said = sample[-1].astype(int), sample[:-1].argmax(axis=0)
        some = [c for c in range(3) if (truth == c).any() or (said == c).any()]
        each = f1_score(truth, said, labels=some, average=None)
        expected = {
            "omit": each.mean(),
            "zero": each.sum() / 3,
            "undefined": each.mean() if len(some) == 3 else np.nan,
        }
        assert estimates[place] == pytest.approx(expected[absent], rel=1e-12, nan_ok=True)
        areas = [
            roc_auc_score(truth == c, sample[c])
            for c in range(3)
            if 0 < (truth == c).sum() < len(truth)
        ]
        expected = {
            "omit": np.mean(areas) if areas else np.nan,
            "zero": np.sum(areas) / 3 if areas else np.nan,
            "undefined": np.mean(areas) if len(areas) == 3 else np.nan,
        }
        if areas:
            assert ranked[place] == pytest.approx(expected[absent], rel=1e-12, nan_ok=True)
    for made, found in ((estimates, rows), (ranked, of_ranks)):
        gone = int(np.isnan(made).sum())
        assert (gone > 0) == (absent == "undefined")
        for row in found:
            assert row["estimates_undefined"] == gone
            # An estimate that does not exist has no interval; other reasons are counted too.
            assert row["undefined"] >= gone
            assert row["coverage"] <= 1 - row["undefined"] / 30
        percentile = the_row(found, method="percentile")
        assert percentile["resamples_undefined"] >= gone / 30
    if absent == "undefined":
        assert the_row(rows, method="percentile")["undefined"] == np.isnan(estimates).sum()


def test_binary_rankings_of_one_class_alone_are_undefined() -> None:
    rare = labelled(classes=2, shares=[0.93, 0.07], n=100, seed=6)
    cells = cells_of_sets(
        *(rare, "auroc", 10, "binary"),
        samples=60,
        batches=2,
        resamples=30,
        truth_draws=4000,
    )
    rows = rows_of(cells)
    draws = [next(batch_parts(cells, fitted(rare).population, batch, 30)) for batch in (0, 1)]
    positives = np.concatenate(draws)[:, -1].sum(axis=-1)
    alone = int((positives == 0).sum())
    assert alone > 20
    assert {row["estimates_undefined"] for row in rows} == {alone}
    for row in rows:
        assert row["undefined"] >= alone
        total = row["coverage"] + row["missed_below"] + row["missed_above"]
        assert total + row["undefined"] / 60 == pytest.approx(1)
        assert row["coverage_defined"] * (1 - row["undefined"] / 60) == pytest.approx(
            row["coverage"]
        )


def test_values_have_no_metric_of_test_sets() -> None:
    cells = cells_of_values({"family": "normal"})
    assert {one.average for one in cells.measured} == {""}
    assert [one.statistic for one in cells.measured] == ["mean", "median"]
