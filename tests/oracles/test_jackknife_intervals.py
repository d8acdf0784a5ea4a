"""The jackknife with t, against a loop that leaves out one unit after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from over_data import metric_ci
from scipy import special, stats
from sklearn.metrics import average_precision_score, f1_score, matthews_corrcoef

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.estimation import choose


def sample(n: int, seed: int = 1) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(int)
    return truth, truth + rng.normal(size=n)


def jackknife(statistic: Any, groups: NDArray[Any]) -> tuple[float, float, int]:
    """The value of all cases, its SE and the number of units."""
    units, value = np.unique(groups), statistic(np.ones(len(groups), bool))
    left_out = np.array([statistic(groups != unit) for unit in units])
    share = (len(units) - 1) / len(units)
    return value, np.sqrt(share * ((left_out - value) ** 2).sum()), len(units)


@pytest.mark.parametrize("clusters", [False, True])
def test_average_precision_is_taken_on_the_logit_scale(clusters: bool) -> None:
    truth, score = sample(90)
    groups = np.arange(90) // (3 if clusters else 1)
    value, error, units = jackknife(
        lambda kept: average_precision_score(truth[kept], score[kept]), groups
    )
    reach = stats.t.ppf(0.975, units - 1) * error / (value * (1 - value))
    e = metric_ci(
        truth,
        score,
        metric="average_precision",
        method="jackknife_t",
        scores="any",
        groups=groups if clusters else None,
    )
    ends = special.expit(special.logit(value) + np.array([-reach, reach]))
    np.testing.assert_allclose([e.low, e.high], ends, rtol=1e-9)
    assert e.standard_error == pytest.approx(error, rel=1e-9)
    assert e.n_resamples is None


@pytest.mark.parametrize(
    ("metric", "reference"), [("f1", f1_score), ("mcc", matthews_corrcoef)], ids=["f1", "mcc"]
)
def test_differences_of_clustered_models_are_taken_as_they_are(metric: str, reference: Any) -> None:
    truth, score = sample(120)
    other = score + np.random.default_rng(2).normal(size=120)
    groups = np.arange(120) // 2
    said = {"a": (score > 0.5).astype(int), "b": (other > 0.5).astype(int)}
    value, error, units = jackknife(
        lambda kept: (
            reference(truth[kept], said["a"][kept]) - reference(truth[kept], said["b"][kept])
        ),
        groups,
    )
    data = hw.Predictions.from_arrays(truth, said, scores="labels", groups=groups, pos_label=1)
    (found,) = hw.compare(data, metric=metric, method="jackknife_t", test="none")
    reach = stats.t.ppf(0.975, units - 1) * error
    np.testing.assert_allclose(
        [found.value, found.low, found.high], [value, value - reach, value + reach], rtol=1e-8
    )


def test_many_cases_take_the_jackknife_and_so_what_dirichlet_weights_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    truth, score = sample(20_000)
    options: dict[str, Any] = {"metric": "average_precision", "scores": "any", "rng": 1}
    weighted = metric_ci(truth, score, **options)
    monkeypatch.setattr(choose, "MANY_CASES", 20_000)
    alone = metric_ci(truth, score, **options)
    assert (weighted.method, alone.method) == ("dirichlet", "jackknife_t")
    half = (weighted.high - weighted.low) / 2
    assert [alone.low, alone.high] == pytest.approx([weighted.low, weighted.high], abs=half / 15)


def test_few_of_a_class_keep_dirichlet_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, score = sample(2000)
    monkeypatch.setattr(choose, "MANY_CASES", 1000)
    e = metric_ci(truth, score, metric="average_precision", scores="any", n_resamples=99)
    assert e.method == "dirichlet"


def test_a_statistic_that_no_case_changes_has_no_interval() -> None:
    truth = np.repeat([0, 1], 20)
    e = metric_ci(
        truth, truth * 1.0, metric="average_precision", scores="any", method="jackknife_t"
    )
    assert np.isnan([e.low, e.high]).all()
    assert any("the standard error is 0" in one.message for one in e.cautions)


def clustered(clusters: int) -> dict[str, Any]:
    """Two models that rank about one case in six wrongly, three cases to a cluster."""
    rng = np.random.default_rng(clusters)
    groups = np.repeat(np.arange(clusters), 3)
    truth = (rng.random(len(groups)) < 0.4).astype(int)
    shared = rng.normal(size=clusters)[groups] / 2
    scores = {name: truth * 1.5 + shared + rng.normal(size=len(groups)) for name in "ab"}
    return {"truth": truth, "scores": scores, "groups": groups}


@pytest.mark.parametrize(("clusters", "own"), [(20, "dirichlet"), (50, "variance")])
def test_differences_of_fifty_clusters_take_the_variance(clusters: int, own: str) -> None:
    data = clustered(clusters)
    truth, groups = data["truth"], data["groups"]
    labels = {name: (score > 0.7).astype(int) for name, score in data["scores"].items()}
    scored = hw.Predictions.from_arrays(truth, data["scores"], scores="any", groups=groups)
    said = hw.Predictions.from_arrays(truth, labels, scores="labels", groups=groups, pos_label=1)
    n_resamples = None if own == "variance" else 99
    for of, metric in (
        (scored, "auroc"),
        (scored, "average_precision"),
        (said, "f1"),
        (said, "mcc"),
    ):
        (found,) = hw.compare(of, metric=metric, test="none", rng=1, n_resamples=n_resamples)
        wanted = "delong_t" if metric == "auroc" else "jackknife_t"
        assert found.estimate.method == (wanted if own == "variance" else "dirichlet"), metric


def test_an_auroc_of_clusters_takes_delong_where_one_is_ranked_wrongly() -> None:
    data = clustered(20)
    e = metric_ci(
        data["truth"], data["scores"]["a"], metric="auroc", scores="any", groups=data["groups"]
    )
    assert e.method == "delong_logit_t"
    perfect = metric_ci(
        *(data["truth"], data["truth"] * 1.0),
        metric="auroc",
        scores="any",
        groups=data["groups"],
        n_resamples=99,
    )
    assert perfect.method == "dirichlet"
