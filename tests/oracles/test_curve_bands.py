"""Curves and their bands, against scikit-learn on the same draws; confusion against metric_ci."""

from __future__ import annotations

import functools
import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from over_data import metric_ci, over
from sklearn.metrics import confusion_matrix, precision_recall_curve, roc_curve

import halfwidth as hw
from halfwidth.core.forms import Ranking
from halfwidth.core.rng import Key
from halfwidth.core.types import Array
from halfwidth.estimation.test_sets import curves as module
from halfwidth.estimation.test_sets.curve_heights import drawn_heights
from halfwidth.resampling.designs import arrange
from halfwidth.resampling.draws import Plan

curves_from = over(hw.curve, hw.Predictions.from_arrays)
confusion = over(hw.confusion_ci, hw.Predictions.from_arrays)

KINDS: list[Any] = ["roc", "pr"]
STEPS = 200


def roc_heights(positive: NDArray[Any], score: Array) -> Array:
    fpr, tpr, _ = roc_curve(positive, score, drop_intermediate=False)
    negatives = int((1 - positive).sum())
    # Of vertical parts np.interp takes the top; in whole numbers, so that it finds them.
    rates = np.rint(fpr * negatives) * STEPS
    return np.asarray(np.interp(np.arange(STEPS + 1) * negatives, rates, tpr))


def pr_heights(positive: NDArray[Any], score: Array) -> Array:
    precision, recall, _ = precision_recall_curve(positive, score)
    # From the highest threshold down; the point that has no threshold left out.
    precision, recall = precision[:-1][::-1], recall[:-1][::-1]
    reached = np.rint(recall * positive.sum()) * STEPS
    return np.array([precision[reached >= k * positive.sum()][0] for k in range(STEPS + 1)])


HEIGHTS: dict[Any, Any] = {"roc": roc_heights, "pr": pr_heights}


def data_of(n: int, *, ties: bool, clusters: bool) -> dict[str, Any]:
    generator = np.random.default_rng([n, ties, clusters])
    # Fewer than six clusters have no band.
    groups = np.arange(n) * max(n // 3, 6) // n if clusters else None
    truth = (generator.random(n) < 0.35).astype(int)
    score = truth + generator.normal(size=n) + (0 if groups is None else groups % 3)
    score = np.round(score) if ties else score
    return {"truth": truth, "score": score, "groups": groups}


def on_the_grid(curve: hw.Curve) -> slice:
    """Where the grid begins: before it a ROC curve has its origin."""
    return slice({"roc": 1, "pr": 0}[curve.kind], None)


def same(curve: hw.Curve, y: Array, heights: Array) -> None:
    heights = heights[~np.isnan(heights[:, 0])]
    low, high = np.quantile(heights, [0.025, 0.975], axis=0)
    for found, wanted in ((curve.y, y), (curve.low, low), (curve.high, high)):
        np.testing.assert_allclose(found[on_the_grid(curve)], wanted, rtol=0, atol=1e-12)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("n", [12, 80])
def test_bands_are_those_of_a_loop_over_the_same_draws(
    kind: Any, n: int, *, ties: bool, clusters: bool
) -> None:
    data = data_of(n, ties=ties, clusters=clusters)
    truth, score, groups = data["truth"], data["score"], data["groups"]
    (curve,) = curves_from(
        truth, score, kind=kind, scores="any", groups=groups, n_resamples=60, rng=3
    )
    # The order of the records of an area: score, then 0 for a positive case.
    (s, code), design = arrange(np.stack([score, 1.0 - truth]), groups, paired=True)
    positive = 1 - code
    heights = np.full((60, STEPS + 1), np.nan)
    for place, units in enumerate(Plan(3, 60).indices(design, 0, 60)):
        cases = np.concatenate(
            [design.first_cases[u] + np.arange(design.unit_sizes[u]) for u in units]
        )
        own = positive[cases]
        if own.any() and (kind == "pr" or not own.all()):
            heights[place] = HEIGHTS[kind](own, s[cases])
    same(curve, HEIGHTS[kind](truth, score), heights)
    assert curve.n_undefined == int(np.isnan(heights[:, 0]).sum())
    assert curve.n_groups == (None if groups is None else len(np.unique(groups)))
    assert curve.design == ("clustered" if clusters else "iid")


@pytest.mark.parametrize("kind", KINDS)
def test_resamples_without_a_curve_are_left_out_and_counted(kind: Any) -> None:
    truth, score = np.array([1, 0, 0, 0, 0, 0, 0, 0]), np.arange(8)[::-1] / 8
    (curve,) = curves_from(truth, score, kind=kind, n_resamples=400, rng=1)
    # P(none drawn) = (7/8)**8 = 0.34; beyond five SD once in a million.
    assert 90 < curve.n_undefined < 190
    assert np.isfinite(curve.low).all()
    assert curve.y[-1] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_neither_the_order_of_cases_nor_the_size_of_blocks_matters(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(5)
    truth, groups = generator.integers(0, 3, 60), generator.integers(0, 20, 60)
    score = generator.dirichlet([1, 1, 1], 60)
    strata = groups % 2
    order = generator.permutation(60)

    def made(of: Any = slice(None)) -> list[list[float]]:
        given: dict[str, Any] = {
            "groups": groups[of],
            "strata": strata[of],
            "n_resamples": 99,
            "rng": 2,
        }
        frame = curves_from(truth[of], score[of], kind=kind, **given).to_frame()
        numbers: list[list[float]] = frame[["y", "low", "high"]].to_numpy().tolist()
        return numbers

    first = made()
    assert made(order) == first
    monkeypatch.setattr(module, "MOST_HEIGHTS", 1)
    monkeypatch.setattr(module, "Plan", functools.partial(Plan, block_elements=1))
    assert made() == first


def drawn_heights_of(kind: Any, counts: NDArray[Any]) -> Array:
    """Heights in resamples with so many positive and negative cases of each score, (B, G, 2)."""
    each = counts.reshape(len(counts), -1)
    mark = np.resize(np.array([Ranking.POSITIVE, Ranking.LAST_OF_TIES], np.uint8), each.shape[1])
    return module._Ranked(np.arange(each.shape[1]), mark).heights(kind, each)


@pytest.mark.parametrize("kind", KINDS)
def test_counts_of_32_bits_have_the_heights_of_many_cases(kind: Any) -> None:
    """200 times as many as 11 million are more than such numbers hold."""
    counts = np.random.default_rng(1).integers(0, 11_000_000 // 25, (1, 60, 2))
    tp, fp = counts.sum(axis=1)[0]
    assert min(tp, fp) * STEPS > 2**31
    (found,) = drawn_heights_of(kind, counts.astype(np.int32))
    rates = np.arange(STEPS + 1) / STEPS
    tp, fp = counts[0].cumsum(axis=0).T
    if kind == "roc":
        x, y = (np.append(0, one / one[-1]) for one in (fp, tp))
        assert found == pytest.approx(np.interp(rates, x, y), abs=1e-12)
    else:
        assert np.array_equal(found, (tp / (tp + fp))[(tp / tp[-1] < rates[:, None]).sum(axis=1)])


def test_a_curve_per_class_or_of_the_positive_one() -> None:
    generator = np.random.default_rng(6)
    truth = generator.choice(["a", "b", "c"], 90)
    score = generator.normal(size=(90, 3))
    given: dict[str, Any] = {"scores": "logits", "n_resamples": 99, "rng": 1}
    curves = curves_from(truth, score, kind="roc", **given)
    assert [curve.label for curve in curves] == ["a", "b", "c"]
    assert [curve.n_positive for curve in curves] == [int((truth == c).sum()) for c in "abc"]
    (one,) = curves_from(truth, score, pos_label="b", kind="roc", **given)
    assert one.to_frame().equals(curves[1].to_frame())
    areas = metric_ci(truth, score, metric="auroc", average="none", **given)
    assert [(e.value, e.low, e.high) for e in curves.areas] == [
        (e.value, e.low, e.high) for e in areas
    ]
    assert curves.cautions == areas.cautions
    assert [curve.label for curve in curves[1:]] == ["b", "c"]


def test_areas_that_data_keep_are_those_of_each_seed() -> None:
    generator = np.random.default_rng(9)
    truth, score = generator.integers(0, 3, 60), generator.dirichlet([1, 1, 1], 60)

    def areas(data: hw.Predictions, rng: int) -> list[tuple[float, ...]]:
        table = hw.estimate(data, metric="average_precision", average="none", rng=rng)
        curves = hw.curve(data, "pr", n_resamples=49, rng=rng)
        return [(e.value, e.low, e.high) for e in (*table, *(one.area for one in curves))]

    fresh = hw.Predictions.from_arrays(truth, score)
    keeping = replace(fresh, kept={})
    made = [areas(keeping, rng) for rng in (1, 2, 1)]
    assert made == [areas(fresh, rng) for rng in (1, 2, 1)]
    assert made[0] != made[1]


@pytest.mark.parametrize("kind", KINDS)
def test_the_height_of_the_curve_adds_up_to_the_area(kind: Any) -> None:
    generator = np.random.default_rng(7)
    # As many cases of each kind as the grid has steps: no height is between two points of it.
    truth = np.repeat([0, 1], STEPS)
    score = generator.normal(size=2 * STEPS) + truth
    (curve,) = curves_from(truth, score, kind=kind, scores="any", n_resamples=9, rng=1)
    assert curve.area is not None
    # Each negative is a step at its end (no ties), each positive one at its own recall.
    y = curve.y[on_the_grid(curve)]
    steps = y[:-1] if kind == "roc" else y[1:]
    assert steps.mean() == pytest.approx(curve.area.value, abs=1e-12)


def test_a_class_without_cases_has_no_curve() -> None:
    generator = np.random.default_rng(8)
    truth, score = generator.integers(0, 2, 40), generator.dirichlet([1, 1, 1], 40)
    curves = curves_from(truth, score, labels=[0, 1, 2], n_resamples=99, rng=1, kind="roc")
    assert np.isnan(curves[2].to_frame()[["y", "low", "high"]].to_numpy()).all()
    assert np.isfinite(curves[0].y).all()
    assert curves[2].n_undefined == 99
    assert "Curves (3)" in repr(curves)


BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"kind": "rok"}, hw.OptionError, "did you mean 'roc'"),
    ({"scores": "logit"}, hw.OptionError, "did you mean 'logits'"),
    ({"confidence_level": 95}, hw.OptionError, "write 0.95"),
    ({"n_resamples": 1}, hw.OptionError, "integer ≥ 2"),
    ({"rng": -1}, hw.OptionError, "negative"),
    ({"missing": "drop"}, hw.OptionError, "none of raise"),
    ({"y_true": [1, 1, 1, 1]}, hw.DataError, "all 4 cases are positive"),
    ({"y_true": [0, 1, 0]}, hw.DataError, "3 cases and y_score 4"),
    ({"y_true": [0, 1, None, 1]}, hw.DataError, "1 of 4 cases lack"),
    ({"y_true": ["a", "b", "a", "b"], "y_score": np.eye(4)[:, :2]}, hw.OptionError, "pos_label="),
    ({"y_score": [0.1, 0.2, 0.3, 7], "scores": "probabilities"}, hw.DataError, "no probabilities"),
    ({"groups": [1, 2]}, hw.DataError, "2 labels for 4"),
]


@pytest.mark.parametrize(("change", "error", "said"), BAD)
def test_bad_input_of_curves_is_refused(
    change: dict[str, Any], error: type[Exception], said: str
) -> None:
    given: dict[str, Any] = {
        "y_true": [0, 1, 0, 1],
        "y_score": [0.1, 0.2, 0.3, 0.4],
        "kind": "roc",
        "n_resamples": 9,
    } | change
    with pytest.raises(error, match=said):
        curves_from(**given)


@pytest.mark.slow
def test_pointwise_coverage_of_roc_bands() -> None:
    # Binormal scores, whose ROC curve is known. At 100 + 100 cases the bands cover 0.955 to 0.96;
    # 200 sets have an SD of 0.014, so that the limits are two of it away and five. The seed
    # is fixed: a failure is a change, not chance.
    from scipy.special import ndtr, ndtri

    generator, truth = np.random.default_rng(9), np.repeat([0, 1], 100)
    at = [20, 60, 100]
    wanted = ndtr(1 + ndtri(np.array(at) / STEPS))
    held = np.zeros((200, len(at)))
    for row in held:
        score = generator.normal(size=200) + truth
        (curve,) = curves_from(
            truth, score, scores="any", n_resamples=599, rng=generator, kind="roc"
        )
        low, high = (band[on_the_grid(curve)][at] for band in (curve.low, curve.high))
        row[:] = (low <= wanted) & (wanted <= high)
    assert (held.mean(axis=0) > 0.88).all()
    assert (held.mean(axis=0) < 0.99).all()


# --------------------------------------------------------------------------- confusion


@pytest.mark.parametrize("clusters", [5, 6])
def test_a_curve_of_fewer_than_six_clusters_has_no_band(clusters: int) -> None:
    generator = np.random.default_rng(4)
    truth, groups = np.arange(60) // 6 % 2, np.arange(60) % clusters
    score = truth + generator.normal(size=60)
    (curve,) = curves_from(
        truth, score, scores="any", groups=groups, n_resamples=49, rng=1, kind="roc"
    )
    assert np.isfinite(curve.y).all()
    assert curve.area is not None
    assert curve.area.low < curve.area.value < curve.area.high
    for end in (curve.low[1:], curve.high[1:]):
        assert np.isnan(end).all() if clusters < 6 else np.isfinite(end).all()


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("method", ["auto", "clopper_pearson", "percentile"])
def test_the_diagonal_holds_the_sensitivities(method: str, *, clusters: bool) -> None:
    generator = np.random.default_rng(10)
    truth = generator.choice(["a", "b", "c"], 120, p=[0.5, 0.3, 0.2])
    said = np.where(generator.random(120) < 0.6, truth, generator.choice(["a", "b", "c"], 120))
    given: dict[str, Any] = {"method": method, "rng": 1, "n_resamples": 199}
    given |= {"groups": np.arange(120) // 4} if clusters else {}
    if clusters and method == "clopper_pearson":
        given["method"] = "wilson"
    made = confusion(truth, said, **given)
    np.testing.assert_array_equal(made.counts, confusion_matrix(truth, said))
    wanted = metric_ci(truth, said, metric="sensitivity", average="none", **given)
    for row, e in enumerate(wanted):
        own = made.estimates[row][row]
        assert own.to_dict() == e.to_dict()
    np.testing.assert_allclose(made.shares.sum(axis=1), 1, rtol=0, atol=1e-12)


def test_a_cell_is_a_proportion_of_its_row() -> None:
    truth, said = ["cat"] * 20 + ["dog"] * 30, ["cat"] * 18 + ["dog"] * 29 + ["cat"] * 3
    made = confusion(truth, said)
    wanted = hw.proportion_ci(3, 30)
    e = made.estimates[1][0]
    assert (e.value, e.low, e.high, e.n) == (wanted.value, wanted.low, wanted.high, 30)
    assert e.sentence().startswith("dog predicted as cat: proportion 0.10 (95 % CI 0.03 to 0.26")
    frame = made.to_frame()
    assert frame["count"].tolist() == [18, 2, 3, 27]
    assert frame["share"].tolist() == made.shares.ravel().tolist()
    assert "dog" in repr(made)


def test_scores_become_decisions_as_in_metric_ci() -> None:
    generator = np.random.default_rng(11)
    truth, score = generator.integers(0, 2, 50), generator.random(50)
    made = confusion(truth, score, threshold=0.7)
    np.testing.assert_array_equal(made.counts, confusion_matrix(truth, score >= 0.7))
    logits = np.log(np.stack([1 - score, score], axis=1))
    made = confusion(truth, logits, scores="logits")
    np.testing.assert_array_equal(made.counts, confusion_matrix(truth, score >= 0.5))


@pytest.mark.parametrize("method", ["auto", "wilson", "percentile"])
def test_a_row_without_cases_has_no_shares(method: str) -> None:
    made = confusion([0, 0, 1, 1], [0, 2, 1, 1], labels=[0, 1, 2], method=method, rng=1)
    assert made.counts.tolist() == [[1, 0, 1], [0, 2, 0], [0, 0, 0]]
    last = made.to_frame().tail(3)
    assert last[["share", "low", "high"]].isna().to_numpy().all()
    assert last["n"].tolist() == [0, 0, 0]


BAD_DECISIONS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"threshold": "youden_j"}, hw.OptionError, "use metric_ci"),
    ({"threshold": float("nan")}, hw.OptionError, "is not a number"),
    ({"threshold": True}, hw.OptionError, "is not a number"),
    ({"method": "bcaa"}, hw.OptionError, "unknown method"),
    ({"method": "delong_logit"}, hw.OptionError, "makes no interval"),
    ({"y_score": [0, 1, 2, 1], "labels": [0, 1]}, hw.DataError, "label 2"),
    ({"y_score": [0, 1, 1]}, hw.DataError, "4 cases and y_score 3"),
    ({"y_score": [0.1, 2.0, 3.0, 0.2]}, hw.DataError, "say scores="),
    ({"missing": "worst", "y_true": [0, 1, None, 1]}, hw.OptionError, "no meaning"),
]


@pytest.mark.parametrize(("change", "error", "said"), BAD_DECISIONS)
def test_bad_input_of_confusions_is_refused(
    change: dict[str, Any], error: type[Exception], said: str
) -> None:
    given: dict[str, Any] = {"y_true": [0, 1, 0, 1], "y_score": [0, 1, 1, 1]} | change
    with pytest.raises(error, match=said):
        confusion(**given)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "table",
    [
        # Positive and negative cases of each distinct score, the highest first.
        [(1, 0), (0, 1), (1, 1), (0, 1)],
        [(2, 2), (0, 1)],
        [(0, 2), (2, 0)],
    ],
)
def test_heights_drawn_alone_have_the_distribution_of_all_resamples(
    kind: Any, table: list[tuple[int, int]]
) -> None:
    """Every resample of 4 or 5 cases; 5 standard errors of the draws at each value."""
    groups, draws = np.array(table), 8000
    n, of_case = groups.sum(), np.repeat(np.arange(groups.size), groups.ravel())
    drawn_cells = of_case[np.array(list(itertools.product(range(n), repeat=n)))]
    counts = (drawn_cells[..., None] == np.arange(groups.size)).sum(axis=1)
    by_score = counts.reshape(-1, *groups.shape)
    every = np.nan_to_num(drawn_heights_of(kind, by_score), nan=-1).T
    tp_upto, fp_upto = groups.cumsum(axis=0).T
    found = np.nan_to_num(drawn_heights(kind, tp_upto, fp_upto, Key(5), draws), nan=-1)
    for place in (0, 1, 40, 66, 67, 100, 134, 160, 199, 200):
        values, times = np.unique(every[place].round(9), return_counts=True)
        chance = times / len(every[place])
        at = np.searchsorted(values, found[place] - 1e-8).clip(max=len(values) - 1)
        np.testing.assert_allclose(found[place], values[at], rtol=0, atol=1e-8)
        shares = np.bincount(at, minlength=len(values)) / draws
        assert (np.abs(shares - chance) <= 5 * np.sqrt(chance * (1 - chance) / draws)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_bands_of_many_cases_are_those_of_resamples(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ends differ by what draws leave of them, some 5 % of half the width: less than a third."""
    data = data_of(4000, ties=False, clusters=False)

    def band() -> hw.Curve:
        options = {"kind": kind, "scores": "any", "n_resamples": 999, "rng": 1}
        (made,) = curves_from(data["truth"], data["score"], **options)
        assert isinstance(made, hw.Curve)
        return made

    resampled = band()
    monkeypatch.setattr(module, "MANY_CASES", 1000)
    alone = band()
    np.testing.assert_array_equal(alone.y, resampled.y)
    wide = slice(20, 180)
    half = (resampled.high - resampled.low)[wide] / 2
    for found, wanted in ((alone.low, resampled.low), (alone.high, resampled.high)):
        assert (np.abs(found - wanted)[wide] < half / 3).all()
