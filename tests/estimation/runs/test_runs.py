"""Quantiles over training runs: what the front doors say of them, and what they refuse."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_data import over
from support import Run, codes

import halfwidth as hw
from halfwidth.core.types import Level
from halfwidth.intervals import asymptotic, exact, semiparametric
from halfwidth.intervals.ranks import randomized_ranks
from halfwidth.summaries import bootstrap_median, interpolated_quantile, sample_quantile

ACCURACY = np.random.default_rng(0).beta(170, 25, 25)
ASCENDING = np.sort(ACCURACY)


def table(**columns: Any) -> dict[str, Any]:
    """Twenty-five runs of each of two sources."""
    values = np.random.default_rng(1).beta(100, 20, 50)
    return {"accuracy": values, "source": ["weights"] * 25 + ["split"] * 25, **columns}


def made_of(*given: Any, quantile: Any = (0.1, 0.5, 0.9), mean: bool = True, **how: Any) -> Any:
    """The estimates of a table; what is known of runs alone is not in the type of `Estimates`."""
    levels = quantile if isinstance(quantile, list | tuple) else [quantile]
    statistics = [*(f"quantile:{level}" for level in levels), *["mean"] * mean]
    return over(hw.estimate, hw.CaseValues.from_runs)(*given, statistic=statistics, **how)


# --------------------------------------------------------------------------- one quantile


@pytest.mark.parametrize(
    ("method", "interval", "point"),
    [
        ("exact", exact, sample_quantile),
        ("asymptotic", asymptotic, interpolated_quantile),
        ("semiparametric", semiparametric, bootstrap_median),
    ],
)
def test_interval_and_point_go_together(method: str, interval: Any, point: Any) -> None:
    e = hw.runs_ci(ACCURACY, 0.75, metric="accuracy", method=method, confidence_level=0.9)
    bounds = interval(ASCENDING, 0.75, Level(0.9))
    assert (e.low, e.high) == (bounds.low, bounds.high)
    assert e.value == point(ACCURACY, q=0.75)
    assert e.low <= e.value <= e.high
    assert (e.method, e.n, e.over, e.quantile) == (method, 25, "runs", 0.75)


def test_all_point_estimates_are_there_whichever_is_shown() -> None:
    e = hw.runs_ci(ACCURACY, 0.9, point="interpolated")
    assert e.statistic == "interpolated_quantile"
    assert e.value == e.points["interpolated_quantile"]
    assert e.points["sample_quantile"] == sample_quantile(ACCURACY, q=0.9)
    assert e.points["bootstrap_median"] == bootstrap_median(ACCURACY, q=0.9)


def test_auto_is_exact_where_it_exists_and_else_of_the_level_attained() -> None:
    middle = hw.runs_ci(ACCURACY, 0.5, metric="accuracy", confidence_level=0.9)
    assert (middle.method, middle.statistic) == ("exact", "sample_quantile")
    outer = hw.runs_ci(ACCURACY[:10], 0.9, metric="accuracy", confidence_level=0.9)
    assert (outer.method, outer.statistic) == ("exact_attained", "sample_quantile")
    assert {"HW308", "HW702"} <= set(codes(outer))
    assert "22 runs would do" in next(str(c) for c in outer.cautions if c.code == "HW308")


def test_a_median_of_five_runs_is_printed_with_the_level_that_it_attains() -> None:
    e = hw.runs_ci(ACCURACY[:5], metric="accuracy")
    low, high = min(ACCURACY[:5]), max(ACCURACY[:5])
    assert (e.low, e.high, e.confidence_level) == (low, high, 0.9375)
    assert e.asked == Level(0.95)
    assert "(93.75 % CI " in e.sentence()
    assert ", asked: 95 % CI;" in e.sentence()
    made = e.to_dict()
    assert (made["confidence_level"], made["alternative"]) == (0.9375, "two-sided")
    assert made["asked"] == {"confidence_level": 0.95, "alternative": "two-sided"}
    assert e.to_row()["asked"] == "95 % CI"
    six = hw.runs_ci(ACCURACY[:6], metric="accuracy")
    assert (six.method, six.confidence_level, six.asked) == ("exact", 0.95, None)
    assert not {"asked"} & {*six.to_dict(), *six.to_row()}


def test_an_outer_quantile_of_few_runs_is_open_on_one_side() -> None:
    ordered = sorted(ACCURACY[:10])
    upper = hw.runs_ci(ordered, 0.1, metric="accuracy")
    lower = hw.runs_ci(ordered, 0.9, metric="accuracy")
    # P(Bin(10, 0.1) ≤ 3) = 0.987 and P(Bin(10, 0.1) ≤ 2) = 0.930.
    assert (upper.low, upper.high, upper.alternative) == (0.0, ordered[3], "upper")
    assert (lower.low, lower.high, lower.alternative) == (ordered[6], 1.0, "lower")
    assert upper.confidence_level == lower.confidence_level == 0.95
    assert np.isnan(upper.width)
    assert "below it is open" in next(c.message for c in upper.cautions if c.code == "HW308")
    assert "HW314" not in codes(hw.runs_ci(ordered, 0.9))
    assert hw.runs_ci(ordered, 0.9).high == np.inf


def test_a_side_that_was_asked_for_is_never_exchanged() -> None:
    short = hw.runs_ci(ACCURACY[:20], 0.9, metric="accuracy", alternative="upper")
    assert (short.alternative, short.high) == ("upper", max(ACCURACY[:20]))
    assert short.confidence_level == pytest.approx(1 - 0.9**20, abs=1e-4)
    assert short.confidence_level <= 1 - 0.9**20
    none = hw.runs_ci(ACCURACY[:5], 0.9, metric="accuracy", alternative="upper")
    assert np.isnan([none.low, none.high]).all()
    assert "HW306" in codes(none)


def test_runs_of_several_levels_say_each_its_own(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "runs.csv"
    rows = [f"{seed},{value}" for seed, value in enumerate(ACCURACY[:5])]
    table.write_text("\n".join(["seed,accuracy", *rows]) + "\n", encoding="utf-8")
    ran = run("runs", str(table), "--value", "accuracy")
    assert ran.status == 0
    assert "(93.75 %)" in ran.out
    assert "(95 %)" not in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines())
    assert "4 intervals of 95 % or less each" in " ".join(ran.out.split())
    together = run("runs", str(table), "--value", "accuracy", "--quantile", "0.5", "--simultaneous")
    # The median misses 6.25 % and the mean 2.5 %.
    assert "all hold at once with at least 91.25 %" in together.err


def test_what_needs_an_interval_of_the_level_asked_for_takes_no_other() -> None:
    cases: dict[str, Any] = {
        "case": list("abcdefghij"),
        "model": ["A"] * 5 + ["B"] * 5,
        "dsc": [0.8, 0.9, 0.85, 0.7, 0.95, 0.6, 0.7, 0.75, 0.5, 0.8],
    }
    how: dict[str, Any] = {"metric": "dsc", "statistic": "median", "test": "none"}
    data = hw.CaseValues.from_table(cases, pairing="none")
    made = hw.compare(data, goal=0.6, **how)
    # The smallest of A lies above 0.6, at 93.75 %.
    assert [goal.met for goal in made.goals] == [False, False]
    assert "no 95 % interval" in made.goals[0].sentence
    (difference,) = made
    assert difference.estimate.method == "mover:semiparametric"
    assert "HW317" in codes(difference.estimate)
    for method in ("exact_attained", "mover:exact_attained"):
        with pytest.raises(hw.OptionError, match="need intervals of one level"):
            hw.compare(data, method=method, **how)


def test_semiparametric_says_where_it_extrapolates() -> None:
    named = hw.runs_ci(ACCURACY[:5], metric="accuracy", method="semiparametric")
    assert named.low < min(ACCURACY[:5])
    assert "HW317" in codes(named)
    assert "HW317" not in codes(hw.runs_ci(ACCURACY, metric="accuracy", method="semiparametric"))


# Of 500 samples the SE of a coverage of 0.95 is 0.01: one that is kept falls 4 of them short
# with probability 1e-4. The interval that stood here as one of 95 % covered 0.82 to 0.88 of the
# outer tenths, and 0.52 of the lower one with a run in ten that diverged.
@pytest.mark.sampled(2)
@pytest.mark.parametrize("share_diverging", [0.0, 0.1])
@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [5, 10])
def test_a_quantile_of_few_runs_is_held_as_often_as_is_printed(
    n: int, q: float, share_diverging: float
) -> None:
    rng = np.random.default_rng(5)
    truth = _quantile_of_runs(q, share_diverging)
    samples = rng.normal(size=(500, n)) - 10 * (rng.random((500, n)) < share_diverging)
    columns = {f"{place}": row for place, row in enumerate(samples)}
    made = hw.estimate(hw.CaseValues.from_table(columns), statistic=f"quantile:{q}")
    level = made[0].confidence_level
    held = np.mean([e.low <= truth <= e.high for e in made])
    assert held > level - 4 * np.sqrt(level * (1 - level) / len(made))
    one = hw.runs_ci(samples[0], q)
    assert (one.low, one.high, one.level) == (made[0].low, made[0].high, made[0].level)


def _quantile_of_runs(q: float, share_diverging: float) -> float:
    """Of normal runs, a share of which lies ten SDs below."""
    from scipy import optimize, special

    def below(x: float) -> float:
        return float(
            (1 - share_diverging) * special.ndtr(x) + share_diverging * special.ndtr(x + 10) - q
        )

    return float(optimize.brentq(below, -20, 20))


def test_randomized_interval_tells_both_and_repeats_its_draw() -> None:
    pairs = randomized_ranks(25, 0.5, Level(0.9)) or ()
    seen = set()
    for seed in range(40):
        e = hw.runs_ci(ACCURACY, method="exact_randomized", confidence_level=0.9, rng=seed)
        again = hw.runs_ci(ACCURACY, method="exact_randomized", confidence_level=0.9, rng=seed)
        assert (e.low, e.high, e.seed) == (again.low, again.high, seed)
        for choice, pair in zip(e.choices, pairs, strict=True):
            assert choice.low == ASCENDING[pair.k - 1]
            assert choice.high == ASCENDING[pair.l - 1]
            assert (choice.probability, choice.coverage) == (pair.chance, pair.coverage)
        drawn = [(choice.low, choice.high) == (e.low, e.high) for choice in e.choices]
        assert sum(drawn) == 1
        seen.add(drawn.index(True))
    # The rarer one has a chance above 0.2: of 40 draws without it there is one in 7000.
    assert min(pair.chance for pair in pairs) > 0.2
    assert seen == {0, 1}
    assert hw.runs_ci(ACCURACY).choices == ()


def test_draws_of_a_table_are_those_of_each_source_alone() -> None:
    how: dict[str, Any] = {
        "metric": "accuracy",
        "method": "exact_randomized",
        "rng": 5,
        "confidence_level": 0.9,
    }
    runs = table()
    made = made_of(runs, by="source", quantile=0.5, mean=False, **how)
    for e, values in zip(made, (runs["accuracy"][:25], runs["accuracy"][25:]), strict=True):
        alone = hw.runs_ci(values, 0.5, **how)
        assert (e.low, e.high) == (alone.low, alone.high)


def test_widths_compare_by_the_interdecile_range() -> None:
    e = hw.runs_ci(ACCURACY, 0.5)
    low, high = np.quantile(ACCURACY, [0.1, 0.9])
    assert e.interdecile_range == pytest.approx(high - low, rel=1e-12)
    assert e.relative_width == pytest.approx((e.high - e.low) / (high - low), rel=1e-12)
    assert math.isnan(hw.runs_ci([0.5] * 12, 0.5).relative_width)


def test_readings_bound_what_the_definition_of_a_quantile_bounds() -> None:
    error = hw.runs_ci(10 + ACCURACY, 0.9, metric="rmse", confidence_level=0.8)
    assert (
        error.reading() == f"RMSE exceeds {error.value:.{error.decimals}f} in at most 10 % of runs"
    )
    score = hw.runs_ci(ACCURACY, 0.25, metric="accuracy")
    assert score.reading().endswith("or lower in at least 25 % of runs")
    (mean,) = made_of({"accuracy": ACCURACY}, quantile=0.5)[1:]
    assert mean.reading() == ""


def test_a_metric_of_test_sets_has_a_value_for_each_run() -> None:
    e = hw.runs_ci(ACCURACY, 0.5, metric="auroc")
    assert (e.metric, e.statistic) == ("auroc", "sample_quantile")
    assert e.subject == "0.5 quantile of AUROC over runs"
    assert e.to_dict()["statistic"] == "sample_quantile"
    whole = hw.runs_ci([0, 1, 1, 0, 1, 1, 1, 0, 1, 1], 0.5)
    assert whole.metric_spec.spec.kind is hw.Kind.CONTINUOUS


# --------------------------------------------------------------------------- tables


def test_each_source_has_its_quantiles_and_its_mean() -> None:
    runs = table()
    made = made_of(runs, by="source", quantile=[0.25, 0.75], confidence_level=0.9)
    assert [(e.label, e.statistic_title, e.method) for e in made] == [
        (source, what, method)
        for source in ("weights", "split")
        for what, method in (("0.25 quantile", "exact"), ("0.75 quantile", "exact"), ("mean", "t"))
    ]
    expected = hw.summary_ci(runs["accuracy"][:25], method="t", confidence_level=0.9)
    assert (made[2].low, made[2].high) == (expected.low, expected.high)
    assert made[0].by == {"source": "weights"}


def test_simultaneous_intervals_are_those_of_bonferronis_level() -> None:
    together = made_of(table(), quantile=[0.4, 0.6], simultaneous=True, confidence_level=0.9)
    assert {round(e.confidence_level, 12) for e in together} == {round(1 - 0.1 / 3, 12)}
    assert "HW703" not in codes(together[0])
    assert "at least 90 %" in together.notes[0]
    each = hw.runs_ci(table()["accuracy"], 0.4, confidence_level=1 - 0.1 / 3)
    assert (together[0].low, together[0].high) == (each.low, each.high)


def test_mlflow_exports_are_read() -> None:
    runs: dict[str, Any] = {
        "run_id": [f"r{i}" for i in range(12)],
        "status": ["FINISHED"] * 10 + ["FAILED", "KILLED"],
        "metrics.val_acc": [*ACCURACY[:10], math.nan, 0.1],
        "params.seed": range(12),
        "params.lr": [0.1] * 12,
    }
    made = made_of(runs, "val_acc", quantile=0.5, mean=False)
    assert made[0].n == 10
    assert made[0].value == sample_quantile(ACCURACY[:10], q=0.5)
    said = next(str(c) for c in made[0].cautions if c.code == "HW705")
    assert "2 of 12 runs did not finish" in said
    assert "r10" in said
    assert "HW704" not in codes(made[0])
    assert made_of(runs, quantile=0.5)[0].value == made[0].value


def test_wandb_exports_are_read() -> None:
    runs: dict[str, Any] = {
        "Name": [f"sweep-{i}" for i in range(10)],
        "State": ["finished"] * 9 + ["crashed"],
        "Created": ["2026-01-01"] * 10,
        "Runtime": range(10),
        "accuracy": [*ACCURACY[:9], None],
        "seed": range(10),
    }
    (e,) = made_of(runs, quantile=0.5, mean=False)
    assert (e.n, e.metric) == (9, "accuracy")
    assert "sweep-9" in next(str(c) for c in e.cautions if c.code == "HW705")


def test_settings_and_seeds_that_vary_together_are_told() -> None:
    settings = table(**{"params.lr": [0.1, 0.2] * 25, "params.depth": [3] * 50})
    found = made_of(settings, "accuracy", quantile=0.5)[0]
    assert "params.lr" in next(str(c) for c in found.cautions if c.code == "HW704")
    seeds = table(split_seed=range(50), init_seed=range(50))
    found = made_of(seeds, "accuracy", quantile=0.5)[0]
    assert "split_seed" in next(str(c) for c in found.cautions if c.code == "HW704")
    one = table(split_seed=range(50), init_seed=[0] * 50)
    assert "HW704" not in codes(made_of(one, "accuracy", by="source", quantile=0.5)[0])


def test_sources_that_are_pooled_are_told() -> None:
    pooled = made_of(table(), quantile=0.5)[0]
    assert "source" in next(str(c) for c in pooled.cautions if c.code == "HW704")
    assert "HW704" not in codes(made_of(table(), by="source", quantile=0.5)[0])
    # Names of runs, times and notes are no settings.
    named = table(Name=[f"run {i}" for i in range(50)], notes=["a"] * 25 + ["b"] * 25)
    assert "HW704" not in codes(made_of(named, by="source", quantile=0.5)[0])


@pytest.mark.parametrize("word", ["finshed", "3", "maybe"])
def test_states_that_nobody_knows_are_no_runs(word: str) -> None:
    runs: dict[str, Any] = {"accuracy": ACCURACY[:6], "State": ["finished"] * 5 + [word]}
    with pytest.raises(hw.DataError, match=f"column 'State' holds {word}"):
        made_of(runs)
    runs["State"] = [" Finished "] * 4 + ["ERROR", "Crashed"]
    made = made_of(runs, quantile=0.5, mean=False)
    assert (made[0].n, "HW705" in codes(made[0])) == (4, True)


@pytest.mark.parametrize("name", ["fold", "cv_fold", "kfold", "fold_id", "params.Fold", "folds"])
def test_folds_are_known_by_any_name(name: str) -> None:
    with pytest.raises(hw.DataError, match="5 folds"):
        made_of({"accuracy": ACCURACY[:5], name: range(5)}, "accuracy")
    assert made_of({"accuracy": ACCURACY[:5], "manifold": range(5)}, "accuracy")[0].n == 5


def test_folds_of_other_settings_are_other_runs() -> None:
    runs: dict[str, Any] = {
        "accuracy": [0.9, 0.8, 0.5, 0.4, 0.7, 0.6, 0.3, 0.2],
        "fold": [0, 1] * 4,
        "seed": [0, 0, 0, 0, 1, 1, 1, 1],
        "params.lr": ["a", "a", "b", "b"] * 2,
    }
    made = made_of(runs, "accuracy", quantile=0.5, folds="average")
    assert (made[0].n, "HW704" in codes(made[0])) == (4, True)
    with pytest.raises(hw.DataError, match="each fold once"):
        made_of({**runs, "fold": [0, 0] + [0, 1] * 3}, "accuracy", folds="average")
    gap = {**runs, "accuracy": [0.9, None, *runs["accuracy"][2:]]}
    with pytest.raises(hw.DataError, match="1 of 8 folds have no value"):
        made_of(gap, "accuracy", folds="average", missing="worst")


def test_equal_values_of_other_splits_are_other_runs() -> None:
    runs: dict[str, Any] = {"accuracy": [0.9, 0.9, 0.8], "seed": [0, 0, 0], "split": [1, 2, 3]}
    assert "HW706" not in codes(made_of(runs, "accuracy", quantile=0.5)[0])
    named = {"accuracy": [0.9, 0.9, 0.8], "run_id": ["a", "a", "b"]}
    assert "HW706" in codes(made_of(named, quantile=0.5)[0])


def test_auto_stays_in_the_range_and_what_extrapolates_by_name_may_leave_it() -> None:
    values = [0.1, 0.9, 0.91, 0.92, 0.93]
    low = hw.runs_ci(values, 0.1, metric="accuracy", confidence_level=0.9)
    assert (low.method, low.value, low.low) == ("exact_attained", 0.1, 0.0)
    assert low.points["bootstrap_median"] < 0
    assert "HW309" not in codes(low)
    named = hw.runs_ci(values, 0.1, metric="accuracy", method="semiparametric")
    assert named.value < 0


@pytest.mark.parametrize("column", ["accuracy", "Accuracy", "val_accuracy", "val/accuracy"])
def test_a_column_is_the_metric_that_it_is_called_by(column: str) -> None:
    (e,) = made_of({f"metrics.{column}": ACCURACY}, quantile=0.5, mean=False)
    assert e.metric == "accuracy"
    with pytest.raises(hw.DataError, match="scale=100"):
        made_of({column: 100 * ACCURACY})
    other = made_of({"loss2": ACCURACY}, quantile=0.5)[0]
    assert other.metric == "loss2"


def test_a_run_that_was_made_twice_is_told() -> None:
    runs: dict[str, Any] = {"accuracy": [*ACCURACY, *ACCURACY[:3]], "seed": [*range(25), 0, 1, 2]}
    (e,) = made_of(runs, quantile=0.5, mean=False)
    assert "3 of 28 runs" in next(str(c) for c in e.cautions if c.code == "HW706")


def test_folds_are_no_runs_but_their_means_are() -> None:
    values = np.random.default_rng(2).beta(80, 20, 60)
    runs: dict[str, Any] = {
        "accuracy": values,
        "fold": list(range(5)) * 12,
        "seed": np.repeat(range(12), 5),
    }
    with pytest.raises(hw.DataError, match=r"'fold' has 5 folds: .* average them within each seed"):
        made_of(runs)
    made = made_of(runs, quantile=0.5, folds="average")
    assert {e.n for e in made} == {12}
    assert made[0].value == sample_quantile(values.reshape(12, 5).mean(axis=1), q=0.5)
    without = {name: column for name, column in runs.items() if name != "seed"}
    with pytest.raises(hw.DataError, match="needs a column seed"):
        made_of(without, folds="average")
    short = {name: list(column)[:-1] for name, column in runs.items()}
    with pytest.raises(hw.DataError, match="seed 11 has the folds 0, 1, 2, 3 and"):
        made_of(short, folds="average")
    one = {**runs, "fold": [0] * 60}
    assert made_of(one, quantile=0.5)[0].n == 60


def test_what_comes_out_is_plain() -> None:
    made = made_of(
        table(), by="source", quantile=0.5, method="exact_randomized", rng=1, confidence_level=0.9
    )
    frame = made.to_frame()
    assert list(frame["by_source"] if "by_source" in frame else frame["source"])[::2] == [
        "weights",
        "split",
    ]
    assert {"sample_quantile", "interpolated_quantile", "bootstrap_median"} <= set(frame.columns)
    assert frame["choices"][0].count(" with ") == 2
    said = json.loads(made.to_json())["estimates"][0]
    assert said["points"]["sample_quantile"] == made[0].points["sample_quantile"]
    assert sum(choice["probability"] for choice in said["choices"]) == pytest.approx(1)
    assert said["seed"] == 1


# --------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"quantile": 0.0}, "quantile=0.0 is not strictly between 0 and 1"),
        ({"quantile": 1}, "quantile=1 is not strictly between 0 and 1"),
        ({"quantile": 90}, "for 90 % write 0.9"),
        ({"quantile": "0.9"}, "quantile='0.9' is not strictly between"),
        ({"quantile": [0.1, 0.9]}, "use estimate for all of them"),
        ({"confidence_level": 95}, "for 95 % write 0.95"),
        ({"method": "t"}, "makes no interval for the"),
        ({"method": "exakt"}, "did you mean 'exact'"),
        ({"point": "smaple"}, "did you mean 'sample'"),
        ({"metric": "accuracyy"}, "did you mean 'accuracy'"),
    ],
)
def test_options_that_cannot_be_used(given: dict[str, Any], words: str) -> None:
    with pytest.raises(hw.HalfwidthError) as raised:
        hw.runs_ci(ACCURACY, **given)
    assert words in str(raised.value)


def test_values_that_cannot_be_used() -> None:
    with pytest.raises(hw.DataError, match="no values given"):
        hw.runs_ci([], 0.5)
    with pytest.raises(hw.DataError, match="1 of 3 values are missing"):
        hw.runs_ci([0.8, None, 0.9], 0.5)
    with pytest.raises(hw.DataError, match="scale=100"):
        hw.runs_ci(100 * ACCURACY, 0.5, metric="accuracy")
    one = hw.runs_ci([0.8], 0.5, metric="accuracy")
    assert math.isnan(one.low)
    assert "HW306" in codes(one)


def test_runs_are_estimated_and_nothing_else() -> None:
    runs = hw.CaseValues.from_runs(table(), by="source")
    assert repr(runs) == "CaseValues(one model; value='accuracy', by='source')"
    for verb in (hw.compare, hw.rank, lambda data: hw.gate(data, margin=0.1)):
        with pytest.raises(hw.OptionError, match=r"are of training runs, .* not compared"):
            verb(runs)
    with pytest.raises(hw.OptionError, match="statistic='sd': training runs have"):
        hw.estimate(runs, statistic="sd")
    with pytest.raises(
        hw.OptionError, match="method='exact' makes intervals of quantiles over runs"
    ):
        hw.estimate(runs, method="exact")
    with pytest.raises(hw.OptionError, match="there are weights, split; use estimate"):
        hw.runs_ci(runs)
    with pytest.raises(hw.OptionError, match="these are values of cases; read training runs"):
        hw.runs_ci(hw.CaseValues.from_arrays(ACCURACY))
    with pytest.raises(hw.OptionError, match=r"by=.* goes with a table of runs"):
        hw.CaseValues.from_runs(ACCURACY, by="source")
    with pytest.raises(hw.OptionError, match="simultaneous=True has no effect on values of cases"):
        hw.estimate(ACCURACY, simultaneous=True)


def test_columns_that_cannot_be_used() -> None:
    with pytest.raises(hw.UnknownNameError, match="did you mean 'accuracy'"):
        made_of(table(), "acuracy")
    with pytest.raises(hw.UnknownNameError, match="did you mean 'source'"):
        made_of(table(), by="sourc")
    with pytest.raises(hw.OptionError, match="2 columns may be the metric"):
        made_of(table(f1=[0.5] * 50))
    with pytest.raises(hw.DataError, match="no column of numbers"):
        made_of({"name": ["a", "b"]})
    with pytest.raises(hw.DataError, match="none of 2 runs finished"):
        made_of({"accuracy": [0.1, 0.2], "status": ["FAILED", "RUNNING"]})
    with pytest.raises(hw.UnknownNameError, match="folds 'avrage'"):
        made_of(table(), folds="avrage")
