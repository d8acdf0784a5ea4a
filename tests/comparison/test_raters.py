"""A model against raters: plain averages, scikit-learn's kappa, and the bootstrap by gathering."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import over
from scipy import stats
from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score, recall_score
from support import codes

import halfwidth as hw
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan

N = 60
of_pairs = over(hw.compare, hw.Readings.from_pairs)


def against_raters(model: Any, raters: Any, **options: Any) -> hw.Comparisons:
    """A model, called so, against raters."""
    if isinstance(raters, pd.DataFrame):
        raters = {name: raters[name] for name in raters}
    return over(hw.compare, hw.Readings.from_arrays)(
        {"model": model, **raters}, model="model", **options
    )


RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 3, N)


def rater(guesses: float) -> np.ndarray[Any, Any]:
    return np.where(RNG.random(N) < guesses, RNG.integers(0, 3, N), TRUTH)


MODEL = rater(0.2)
RATERS = {"A": rater(0.2), "B": rater(0.3), "C": rater(0.25)}


def by_hand(score: Callable[[Any, Any], float]) -> tuple[float, float]:
    """Averages over raters, and over pairs of them in both orders."""
    model = [score(said, MODEL) for said in RATERS.values()]
    raters = [score(one, other) for one, other in itertools.permutations(RATERS.values(), 2)]
    return float(np.mean(model)), float(np.mean(raters))


@pytest.mark.parametrize(
    ("metric", "options", "score"),
    [
        ("cohen_kappa", {}, cohen_kappa_score),
        ("accuracy", {}, accuracy_score),
        ("f1", {"average": "macro"}, lambda y, p: f1_score(y, p, average="macro")),
        # Not symmetric: the rater is the reference.
        ("sensitivity", {"average": "macro"}, lambda y, p: recall_score(y, p, average="macro")),
        ("mae", {}, lambda y, p: float(np.abs(y - p).mean())),
    ],
)
def test_values_are_plain_averages(
    metric: str, options: dict[str, Any], score: Callable[[Any, Any], float]
) -> None:
    d = against_raters(MODEL, RATERS, metric=metric, rng=1, n_resamples=99, **options)[0]
    first, second = by_hand(score)
    assert (d.first_value, d.second_value) == pytest.approx((first, second))
    assert d.value == pytest.approx(first - second)
    assert d.low < d.value < d.high
    assert d.estimate.subject.startswith("difference in ")


def test_the_interval_of_an_accuracy_is_that_of_a_mean_of_differences() -> None:
    each = np.mean([said == MODEL for said in RATERS.values()], axis=0)
    among = np.mean([a == b for a, b in itertools.combinations(RATERS.values(), 2)], axis=0)
    for method in ("t", "dirichlet"):
        d = against_raters(MODEL, RATERS, metric="accuracy", method=method)[0]
        plain = hw.difference_ci(each, among, bounds=(0, 1), method=method)
        assert (d.value, d.low, d.high) == pytest.approx((plain.value, plain.low, plain.high))


def test_the_ratio_is_williams_index() -> None:
    d = against_raters(MODEL, RATERS, metric="accuracy", effect="ratio", rng=1)[0]
    first, second = by_hand(accuracy_score)
    assert d.value == pytest.approx(first / second)
    kappa = against_raters(MODEL, RATERS, metric="cohen_kappa", effect="ratio", n_resamples=99)[0]
    first, second = by_hand(cohen_kappa_score)
    assert kappa.value == pytest.approx(first / second)


def kappa(first: Any, second: Any) -> float:
    """Cohen's kappa; scikit-learn takes a millisecond for each."""
    counts = np.zeros((3, 3))
    np.add.at(counts, (first, second), 1 / len(first))
    by_chance = counts.sum(axis=0) @ counts.sum(axis=1)
    return float((counts.trace() - by_chance) / (1 - by_chance))


def test_intervals_are_those_of_gathered_cases() -> None:
    """The engine of averages over pairs equals the statistic on every resample."""
    # The canonical order: by the first target, then by who is compared with it, by their names.
    order = np.lexsort([MODEL, RATERS["C"], RATERS["A"], RATERS["B"]])
    model, raters = MODEL[order], {name: said[order] for name, said in RATERS.items()}

    def difference(chosen: Any) -> float:
        said = {name: one[chosen] for name, one in raters.items()}
        of_model = [kappa(one, model[chosen]) for one in said.values()]
        pairs = itertools.permutations(said.values(), 2)
        among = [kappa(one, other) for one, other in pairs]
        return float(np.mean(of_model) - np.mean(among))

    assert kappa(model, raters["A"]) == pytest.approx(cohen_kappa_score(model, raters["A"]))
    drawn = Plan(3, 99, kept={}).indices(Design((N,), paired=True), 0, 99)
    replicates = np.array([difference(chosen) for chosen in drawn])
    left_out = np.array([difference(np.delete(np.arange(N), case)) for case in range(N)])
    from_mean = left_out.mean() - left_out
    acceleration = (from_mean**3).sum() / (6 * (from_mean**2).sum() ** 1.5)
    options: dict[str, Any] = {"metric": "cohen_kappa", "n_resamples": 99, "rng": 3}
    plain = against_raters(model, raters, method="percentile", **options)[0]
    assert (plain.low, plain.high) == pytest.approx(np.quantile(replicates, (0.025, 0.975)))
    corrected = against_raters(model, raters, method="bca", **options)[0]
    bias = stats.norm.ppf((replicates < corrected.value).mean())
    moved = bias + stats.norm.ppf((0.025, 0.975))
    levels = stats.norm.cdf(bias + moved / (1 - acceleration * moved))
    assert (corrected.low, corrected.high) == pytest.approx(np.quantile(replicates, levels))


def test_cases_are_matched_and_clusters_widen_the_interval() -> None:
    index = [f"c{k}" for k in range(N)]
    model = pd.Series(MODEL, index)
    raters = pd.DataFrame(RATERS, index).sample(frac=1, random_state=1)
    options: dict[str, Any] = {"metric": "cohen_kappa", "rng": 1, "n_resamples": 199}
    plain = against_raters(MODEL, RATERS, **options)[0]
    shuffled = against_raters(model, raters, **options)[0]
    assert shuffled.value == pytest.approx(plain.value)
    doubled = {name: np.tile(said, 4) for name, said in RATERS.items()}
    groups = np.tile(np.arange(N), 4)
    clustered = against_raters(np.tile(MODEL, 4), doubled, groups=groups, **options)[0]
    alone = against_raters(np.tile(MODEL, 4), doubled, **options)[0]
    assert clustered.high - clustered.low > 1.6 * (alone.high - alone.low)
    with pytest.raises(hw.DataError, match="not there for all"):
        against_raters(model[:50], raters, metric="accuracy")
    part = against_raters(model[:50], raters, metric="accuracy", pairing="common")[0]
    assert (part.estimate.n, part.n_unmatched) == (50, 10)


def pair_table(score: Callable[[Any, Any], Any], **both: Any) -> pd.DataFrame:
    """Values of each case of the model on each rater, and of raters on each other."""
    said = {"model": MODEL, **RATERS}
    pairs = [("model", name) for name in RATERS] + list(itertools.combinations(RATERS, 2))
    frames = [
        pd.DataFrame(
            {"case": range(N), "prediction": a, "reference": b, "v": score(said[a], said[b])}
        )
        for a, b in pairs
    ]
    return pd.concat(frames, ignore_index=True).assign(**both)


def closeness(one: Any, other: Any) -> Any:
    return 1 - np.abs(one - other) / 2


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_a_table_of_pairs(statistic: str) -> None:
    table = pair_table(closeness)
    options: dict[str, Any] = {"model": "model", "metric": "dsc", "rng": 1}
    d = of_pairs(table, "v", statistic=statistic, **options)[0]
    reduce: Callable[[Any], Any] = np.mean if statistic == "mean" else np.median
    first, second = by_hand(lambda y, p: float(reduce(closeness(y, p))))
    assert (d.first_value, d.second_value) == pytest.approx((first, second))
    assert d.value == pytest.approx(first - second)
    # Either order, or both, of each pair of raters.
    swapped = table.rename(columns={"prediction": "reference", "reference": "prediction"})
    again = pd.concat([table, swapped[swapped["prediction"].isin(list(RATERS))]])
    both = of_pairs(again, "v", statistic=statistic, **options)[0]
    assert both.value == pytest.approx(d.value)
    assert (both.low, both.high) == pytest.approx((d.low, d.high), abs=0.02)


def test_each_organ_is_a_family() -> None:
    table = pd.concat([pair_table(closeness, organ=organ) for organ in ("liver", "spleen")])
    found = of_pairs(table, "v", model="model", by="organ", metric="dsc", margin=0.1)
    assert [d.by["organ"] for d in found] == ["liver", "spleen"]
    assert found[0].low == pytest.approx(found[1].low)
    assert found[0].verdict is not None
    assert found[0].verdict.margin == 0.1


def test_cautions() -> None:
    two = {name: RATERS[name] for name in ("A", "B")}
    d = against_raters(MODEL, two, metric="accuracy")[0]
    assert "HW841" in {caution.code for caution in d.cautions}
    # One rater guesses: without that one the others agree more than the model does.
    odd = {"A": TRUTH, "B": TRUTH, "C": np.random.default_rng(1).integers(0, 3, N)}
    found = against_raters(rater(0.1), odd, metric="accuracy")[0]
    assert any(c.code == "HW842" and "Without C" in c.message for c in found.cautions)


@pytest.mark.parametrize("metric", ["sensitivity", "specificity"])
def test_raters_differ_in_how_often_they_give_the_positive_class(metric: str) -> None:
    model, raters = MODEL == 2, {name: said == 2 for name, said in RATERS.items()}
    d = against_raters(model, raters, metric=metric, rng=1, n_resamples=99)[0]
    positive = metric == "sensitivity"
    model_pairs = [recall_score(one, model, pos_label=positive) for one in raters.values()]
    pairs = itertools.permutations(raters.values(), 2)
    rater_pairs = [recall_score(*pair, pos_label=positive) for pair in pairs]
    assert d.first_value == pytest.approx(np.mean(model_pairs))
    assert d.second_value == pytest.approx(np.mean(rater_pairs))
    assert d.low < d.value < d.high


def test_a_rater_who_never_gives_the_positive_class() -> None:
    model, raters = MODEL == 2, {"A": TRUTH == 2, "B": RATERS["B"] == 2, "C": np.full(N, False)}
    d = against_raters(model, raters, metric="sensitivity", rng=1)[0]
    assert np.isnan([d.value, d.low, d.high]).all()
    (told,) = [one.message for one in d.cautions if one.code == "HW843"]
    assert "3 of 9 pairs have no value (model on C, A on C, B on C)" in told
    zero = against_raters(model, raters, metric="sensitivity", undefined="zero", rng=1)[0]
    assert zero.low < zero.value < zero.high
    # All that C never gives is the negative class, which others do give.
    assert against_raters(model, raters, metric="specificity", rng=1)[0].value > 0


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(hw.OptionError, match="1 rater"):
        against_raters(MODEL, {"A": RATERS["A"]}, metric="accuracy")
    with pytest.raises(hw.OptionError, match="need other names"):
        against_raters(MODEL, {"raters": RATERS["A"], **RATERS}, metric="accuracy")
    with pytest.raises(hw.UnknownNameError, match=r"'unet'.*model, A, B, C"):
        hw.Readings.from_arrays({"model": MODEL, **RATERS}, model="unet")
    with pytest.raises(hw.OptionError, match="metric= is missing"):
        against_raters(MODEL, RATERS)
    with pytest.raises(hw.OptionError, match="dsc has a value for each case and pair"):
        against_raters(MODEL, RATERS, metric="dsc")
    with pytest.raises(
        hw.OptionError, match=r"statistic=.median. has no effect on labels of readers"
    ):
        against_raters(MODEL, RATERS, metric="accuracy", statistic="median")
    with pytest.raises(hw.UnknownNameError, match="model"):
        of_pairs(pair_table(closeness), "v", model="modle", metric="dsc")
    table = pair_table(closeness)
    lacking = table[(table["prediction"] != "A") | (table["reference"] != "B")]
    with pytest.raises(hw.DataError, match="no rows of 'A' with 'B'"):
        of_pairs(lacking, "v", model="model", metric="dsc")
    with pytest.raises(hw.UnknownNameError, match="column"):
        of_pairs(table, "v", model="model", pairs=("pred", "reference"), metric="dsc")
    with pytest.raises(hw.UnknownNameError, match="rater"):
        of_pairs(table, "v", model="model", raters=["Z", "A"], metric="dsc")


def test_no_difference_has_no_sign_whatever_the_order_of_the_raters() -> None:
    said = {
        "p": [1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0],
        "q": [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1],
        "s": [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0],
    }
    model = [1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1]
    for order in itertools.permutations(said):
        raters = {name: said[name] for name in order}
        (one,) = against_raters(model, raters, metric="accuracy", rng=1)
        assert abs(one.value) < 1e-15
        assert "HW842" not in codes(one)


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("baseline", "A"),
        ("test", "permutation"),
        ("correction", "bonferroni"),
        ("goal", 0.5),
    ],
)
def test_options_of_models_have_no_effect(option: str, given: Any) -> None:
    with pytest.raises(hw.OptionError, match=f"^{option}=.* has no effect on labels of readers"):
        against_raters(MODEL, RATERS, metric="accuracy", **{option: given})


@pytest.mark.parametrize("verb", [hw.estimate, hw.rank, hw.gate])
def test_verbs_of_models_say_what_can_be_done(verb: Callable[..., Any]) -> None:
    readings = hw.Readings.from_arrays({"model": MODEL, **RATERS}, model="model")
    further = {"margin": 0.1} if verb is hw.gate else {}
    with pytest.raises(
        hw.OptionError, match=r"takes no readings: compare.*Predictions\.from_table"
    ):
        verb(readings, metric="accuracy", **further)


# --------------------------------------------------------------------------- tables of labels


def side_by_side(**further: Any) -> pd.DataFrame:
    """A column for the model and each rater, ids in no order."""
    ids = [f"c{place:02}" for place in np.random.default_rng(1).permutation(N)]
    return pd.DataFrame({"case": ids, "model": MODEL, **RATERS, **further})


def one_below_the_other(table: pd.DataFrame) -> pd.DataFrame:
    everyone = ["model", *RATERS]
    others = [name for name in table if name not in everyone]
    return table.melt(others, everyone, "reader", "label")


def ends(found: hw.Comparisons) -> tuple[float, ...]:
    (d,) = found
    return d.first_value, d.second_value, d.low, d.high


def same_ends(found: hw.Comparisons) -> Any:
    return pytest.approx(ends(found), rel=1e-12)


@pytest.mark.parametrize("metric", ["cohen_kappa", "mae"])
def test_a_table_holds_what_arrays_do(metric: str) -> None:
    table = side_by_side(patient=np.arange(N) // 2)
    options: dict[str, Any] = {"metric": metric, "rng": 1, "n_resamples": 99}
    by_id = table.set_index("case")
    model, raters, patients = by_id["model"], by_id[list(RATERS)], by_id["patient"]
    of_table = over(hw.compare, hw.Readings.from_table)
    named: dict[str, Any] = {"model": "model", **options}
    wide = of_table(table, label=["model", *RATERS], case="case", groups="patient", **named)
    assert ends(wide) == same_ends(against_raters(model, raters, groups=patients, **options))
    wanted = same_ends(against_raters(model, raters, **options))
    long = one_below_the_other(table).sample(frac=1, random_state=1)
    assert ends(of_table(long, label="label", reader="reader", **named)) == wanted
    each = dict(list(long.groupby("reader")))
    assert ends(of_table(each, label="label", **named)) == wanted


def test_rows_in_which_all_readers_stand_need_no_ids() -> None:
    options: dict[str, Any] = {"metric": "cohen_kappa", "rng": 1, "n_resamples": 99}
    wide = hw.Readings.from_table(side_by_side(), label=["model", *RATERS], model="model")
    assert ends(hw.compare(wide, **options)) == same_ends(against_raters(MODEL, RATERS, **options))


def test_each_modality_is_a_family() -> None:
    table = one_below_the_other(side_by_side())
    both = pd.concat([table.assign(mode="CT"), table.assign(mode="MR", label=0)])
    named: dict[str, Any] = {"label": "label", "reader": "reader", "modality": "mode"}
    readings = hw.Readings.from_table(both, model="model", **named)
    found = hw.compare(readings, metric="accuracy")
    assert [d.by for d in found] == [{"mode": "CT"}, {"mode": "MR"}]
    assert found[0].value == pytest.approx(
        against_raters(MODEL, RATERS, metric="accuracy")[0].value
    )
    assert (found[1].first_value, found[1].second_value) == pytest.approx((1, 1))
    part = both[(both["mode"] == "CT") | (both["reader"] != "B")]
    for pairing in ("complete", "common"):
        some = hw.Readings.from_table(part, model="model", pairing=pairing, **named)
        with pytest.raises(hw.DataError, match="MR: no r"):
            hw.compare(some, metric="accuracy")
    with pytest.raises(hw.OptionError, match="'none' is none of complete, common"):
        hw.Readings.from_table(both, model="model", **named | {"pairing": "none"})


def test_scores_are_compared_as_numbers() -> None:
    table = one_below_the_other(side_by_side())
    scored = hw.Readings.from_table(table, score="label", reader="reader", model="model")
    wanted = against_raters(MODEL, RATERS, metric="mae")
    assert hw.compare(scored, metric="mae")[0].value == pytest.approx(wanted[0].value)
    with pytest.raises(hw.OptionError, match="readers gave scores"):
        hw.compare(scored, metric="cohen_kappa")


def test_readings_of_a_reader_study() -> None:
    """They can be made; what they are for is another verb's."""
    table = one_below_the_other(side_by_side(truth=TRUTH > 0))
    named: dict[str, Any] = {"score": "label", "reader": "reader", "truth": "truth"}
    readings = hw.Readings.from_table(table, **named)
    assert readings.readers == ("model", *RATERS)
    with pytest.raises(hw.OptionError, match=r"say which reader is the model"):
        hw.compare(readings, metric="auroc")
    with pytest.raises(hw.OptionError, match=r"truth=.* no effect on the agreement"):
        hw.compare(hw.Readings.from_table(table, model="model", **named), metric="mae")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "label= or score= names the column"),
        ({"label": "label", "score": "label"}, "not both"),
        ({"label": "label"}, "nothing says who gave a reading"),
        ({"label": ["case", "case"]}, "'case' named twice"),
        ({"label": "label", "reader": "radiologist"}, "unknown column 'radiologist'"),
        ({"label": {"A": ["label", "case"]}}, "give one column for each reader"),
    ],
)
def test_columns_of_readings(options: dict[str, Any], words: str) -> None:
    table = one_below_the_other(side_by_side())
    with pytest.raises(hw.OptionError, match=words):
        hw.Readings.from_table(table, **options)


def test_a_level_that_lacks_a_pair() -> None:
    table = pd.concat([pair_table(closeness, organ=organ) for organ in ("liver", "spleen")])
    lacking = (table["organ"] == "spleen") & (table["prediction"] == "A")
    with pytest.raises(hw.DataError, match="spleen: no rows of 'A' with 'B'"):
        of_pairs(table[~lacking], "v", model="model", by="organ", metric="dsc", pairing="common")
