"""What instances are like, against SciPy, by hand, and by formula."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from smallstudies import labelled
from support import quickly

import halfwidth as hw
from halfwidth.study.analysis import characteristics, characteristics_summary
from halfwidth.study.populations import logit_empirical, logit_kde
from halfwidth.study.specs.parsing import parse_spec
from halfwidth.study.specs.spec import Instance

HERE = Path("study.toml")
DICE = [0.0, 0.0, 0.5, 0.7, 0.75, 0.8, 0.8, 0.85, 0.9, 1.0]


def planned_of(*instances: Instance) -> Any:
    spec = parse_spec({"study": {}, "populations": [{"name": "any", "family": "normal"}]}, HERE)
    return replace(hw.study.plan(spec), instances=instances)


def of_values(tmp_path: Path, columns: dict[str, list[float]], metric: str = "dsc") -> Any:
    lines = [",".join(["case", *columns])]
    for place, row in enumerate(zip(*columns.values(), strict=True)):
        lines.append(",".join([f"c{place}", *map(str, row)]))
    (tmp_path / "values.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    table = f'[[tables]]\nfiles = "values.csv"\nmodel = "net"\nmetric = "{metric}"\n'
    (tmp_path / "study.toml").write_text(table, encoding="utf-8")
    return hw.study.plan(tmp_path / "study.toml")


def rows(planned: Any) -> list[dict[Any, Any]]:
    return characteristics(planned).to_dict("records")


def test_values_by_hand(tmp_path: Path) -> None:
    (row,) = rows(of_values(tmp_path, {"liver": DICE}))
    assert (row["kind"], row["metric"], row["model"], row["n_cases"]) == ("cases", "dsc", "net", 10)
    assert (row["minimum"], row["median"], row["maximum"]) == (0.0, 0.775, 1.0)
    # Quartiles of type 7: 0.5 + 0.25·0.2 = 0.55 and 0.8 + 0.75·0.05 = 0.8375; fences at 0.11875
    # and 1.26875, so the two values of 0 are out, and both lie low.
    assert (row["outlier_share"], row["low_outlier_share"]) == (0.2, 0.2)
    # Two at 0 and one at 1; 0.8 and 0 occur twice.
    assert (row["share_at_bound"], row["distinct"]) == (0.3, 8)
    assert row["counts"] == ""
    assert all(math.isnan(row[name]) for name in ("classes", "accuracy", "multivariate_kurtosis"))


def test_outliers_on_both_sides(tmp_path: Path) -> None:
    values = [-0.9, 1.0, 2.0, 3.0, 4.0, 5.0, 99.0, 100.0]
    (row,) = rows(of_values(tmp_path, {"bias": values}, "relative_volume_error"))
    # Q1 = 1.75, Q3 = 28.5, IQR = 26.75: fences at -38.375 and 68.625.
    assert (row["outlier_share"], row["low_outlier_share"]) == (0.25, 0.0)


def test_moments_against_scipy(tmp_path: Path) -> None:
    values = np.random.default_rng(4).beta(8, 2, 61).round(4).tolist()
    (row,) = rows(of_values(tmp_path, {"liver": values}))
    assert row["mean"] == pytest.approx(np.mean(values), rel=1e-12)
    assert row["sd"] == pytest.approx(np.std(values, ddof=1), rel=1e-12)
    assert row["skewness"] == pytest.approx(stats.skew(values), rel=1e-9)
    assert row["kurtosis"] == pytest.approx(stats.kurtosis(values, fisher=False), rel=1e-9)


def test_equal_values_have_no_shape(tmp_path: Path) -> None:
    (row,) = rows(of_values(tmp_path, {"liver": [0.5] * 60}))
    assert math.isnan(row["skewness"])
    assert math.isnan(row["kurtosis"])
    assert (row["sd"], row["distinct"], row["outlier_share"]) == (0.0, 1, 0.0)


def test_a_formula_has_its_own() -> None:
    normal = {"name": "bell", "family": "normal", "location": 2, "scale": 3}
    (row,) = rows(hw.study.plan(parse_spec({"study": {}, "populations": [normal]}, HERE)))
    assert row["kind"] == "formula"
    assert [row[name] for name in ("mean", "sd", "skewness", "kurtosis", "median")] == [
        *(2.0, 3.0, 0.0, 3.0, 2.0)
    ]
    # Beyond 4 quartiles of a normal: 2Φ(-2.698).
    assert row["outlier_share"] == pytest.approx(0.00697660, abs=1e-8)
    assert row["low_outlier_share"] == pytest.approx(0.00697660 / 2, abs=1e-8)
    assert math.isnan(row["n_cases"])
    assert math.isnan(row["distinct"])


# --------------------------------------------------------------------------- test sets

# Three classes, one of them without a hit: 3 of 5 are right, recalls 2/2, 1/2 and 0/1.
LOGITS = [[3.0, 2.0, 0.0, 1.5, 2.0], [0.0, 1.0, 2.0, 1.0, 0.5], [0.5, 0.0, 1.0, -1.0, 1.0]]
LABELS = [0, 0, 1, 1, 2]


def replaced(population: Any, classes: tuple[str, ...] = ("a", "b")) -> Instance:
    from dataclasses import replace

    return replace(labelled(), build=lambda: population, classes=classes)


def test_a_test_set_by_hand() -> None:
    (row,) = rows(planned_of(replaced(logit_empirical(LOGITS, LABELS))))
    assert (row["kind"], row["metric"], row["n_cases"]) == ("test set", "", 5)
    assert (row["classes"], row["counts"], row["smallest_count"]) == (3, "2/2/1", 1)
    assert (row["largest_share"], row["smallest_share"]) == (0.4, 0.2)
    assert row["accuracy"] == pytest.approx(0.6, rel=1e-15)
    assert row["balanced_accuracy"] == pytest.approx(0.5, rel=1e-15)
    assert math.isnan(row["mean"])
    assert math.isnan(row["distinct"])


def test_a_class_without_cases_has_no_recall() -> None:
    (row,) = rows(planned_of(replaced(logit_empirical(LOGITS, [0, 0, 1, 1, 1]))))
    # Recalls 1 and 1/3 of the two classes that have cases.
    assert row["balanced_accuracy"] == pytest.approx(2 / 3, rel=1e-15)
    assert (row["counts"], row["smallest_share"]) == ("2/3/0", 0.0)


def test_accuracies_are_those_of_metrics() -> None:
    instance = labelled(classes=3, n=80)
    population = instance.build()
    (row,) = rows(planned_of(instance))
    predicted = population.logits.argmax(axis=0)
    for name in ("accuracy", "balanced_accuracy"):
        # Balanced accuracy of three classes is the mean of their recalls.
        average = None if name == "accuracy" else "macro"
        found = quickly(
            hw.metric_ci, population.labels, predicted, metric=name, average=average, n_resamples=99
        )
        assert row[name] == pytest.approx(found.value, rel=1e-12)


def mori(logits: Any) -> tuple[float, float, float]:
    """Norm of E|Y|²Y, E(ΣY)³ and E|Y|⁴ with the symmetric root, by loops over cases."""
    x = np.asarray(logits, dtype=float)
    values, vectors = np.linalg.eigh(np.cov(x, bias=True))
    kept = values > 1e-9 * values.max()
    root = (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T
    direction, cubes, fourths = np.zeros(len(x)), 0.0, 0.0
    for case in x.T:
        y = root @ (case - x.mean(axis=1))
        square = sum(part**2 for part in y)
        direction += square * y / x.shape[1]
        cubes += sum(a * b * c for a in y for b in y for c in y) / x.shape[1]
        fourths += square**2 / x.shape[1]
    return float(np.linalg.norm(direction)), float(cubes), float(fourths)


@pytest.mark.parametrize("singular", [False, True])
def test_multivariate_shape_by_loops(singular: bool) -> None:
    logits = np.random.default_rng(8).exponential(size=(3, 50))
    if singular:
        logits -= logits.mean(axis=0)
    population = logit_kde(logits, np.arange(50) % 3)
    (row,) = rows(planned_of(replaced(population)))
    names = ("multivariate_skewness", "multivariate_skewness_sum", "multivariate_kurtosis")
    found = [row[name] for name in names]
    assert found == pytest.approx(mori(logits), rel=1e-9, abs=1e-9)
    # Logits that add up to 0 are spread in one direction less than there are classes.
    d = 2 if singular else 3
    assert (row["rank"], row["normal_kurtosis"]) == (d, d * (d + 2))


def test_normal_logits_have_the_shape_of_a_normal() -> None:
    # Of 200 000 cases; SE of the kurtosis about 0.06, of the skewness about 0.01: 6 of them.
    logits = np.random.default_rng(3).normal(size=(2, 200_000))
    mixed = np.array([[2.0, 1.0], [0.5, 1.0]]) @ logits
    population = logit_empirical(mixed, np.arange(200_000) % 2)
    (row,) = rows(planned_of(replaced(population)))
    assert row["multivariate_kurtosis"] == pytest.approx(row["normal_kurtosis"], abs=0.36)
    assert row["multivariate_skewness"] < 0.06


def test_infinite_logits_have_no_shape_but_an_accuracy() -> None:
    logits = [[0.0, -1.0, -math.inf, 0.0], [-math.inf, -1.5, 0.0, -2.0]]
    (row,) = rows(planned_of(replaced(logit_empirical(logits, [0, 0, 1, 1]))))
    assert row["accuracy"] == 0.75
    assert math.isnan(row["multivariate_skewness"])
    assert math.isnan(row["rank"])


def test_equal_logits_have_rank_0() -> None:
    (row,) = rows(planned_of(replaced(logit_empirical(np.ones((2, 6)), [0, 1] * 3))))
    assert row["rank"] == 0
    assert math.isnan(row["multivariate_kurtosis"])


# --------------------------------------------------------------------------- summaries


def test_quartiles_over_instances(tmp_path: Path) -> None:
    columns = {f"organ{k}": [0.1 * k + x for x in (0.0, 0.1, 0.2, 0.3, 0.4)] for k in range(5)}
    frame = characteristics_summary(characteristics(of_values(tmp_path, columns)))
    (row,) = frame[frame["characteristic"] == "mean"].to_dict("records")
    five = [row[name] for name in ("minimum", "q1", "median", "q3", "maximum")]
    assert five == pytest.approx([0.2, 0.3, 0.4, 0.5, 0.6])
    assert (row["metric"], row["instances"]) == ("dsc", 5)
    normal = dict(zip(frame["characteristic"], frame["normal"], strict=True))
    assert (normal["skewness"], normal["kurtosis"]) == (0.0, 3.0)
    assert math.isnan(normal["mean"])


def test_test_sets_are_summed_up_by_their_classes() -> None:
    made = planned_of(labelled("two"), labelled("three", classes=3), labelled("more", classes=3))
    frame = characteristics_summary(characteristics(made))
    kurtosis = frame[frame["characteristic"] == "multivariate_kurtosis"]
    found = kurtosis[["classes", "instances", "normal"]].to_numpy().tolist()
    assert found == [[2.0, 1.0, 8.0], [3.0, 2.0, 15.0]]


def test_values_and_test_sets_in_one_study(tmp_path: Path) -> None:
    values = of_values(tmp_path, {"liver": DICE})
    frame = characteristics(planned_of(*values.instances, labelled()))
    assert frame["kind"].tolist() == ["cases", "test set"]
    assert set(characteristics_summary(frame)["kind"]) == {"cases", "test set"}
