"""Permutation tests: by hand, by enumeration, and uniform where nothing differs."""

from __future__ import annotations

import itertools
import pickle
import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
from analysed import with_pace
from scipy import stats

from halfwidth import DataError, OptionError, UnknownNameError
from halfwidth.study import analysis
from halfwidth.study.analysis import sign_flip_test, two_sample_test, unpaired_pace_tests

# --------------------------------------------------------------------------- paired


def test_three_differences_by_hand() -> None:
    # |±1 ±2 ±4| is 7 for 2 of 8 patterns.
    found = sign_flip_test([1.0, 2.0, 4.0])
    assert (found.p, found.exact, found.permutations) == (0.25, True, 8)
    # -1 + 2 + 4 = 5: it and 7, with either sign.
    assert sign_flip_test([-1.0, 2.0, 4.0]).p == 0.5


def test_enumeration_is_that_of_scipy() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(0.4, 1, 11), rng.normal(0, 1, 11)
    expected = stats.permutation_test(
        (x, y),
        lambda a, b: (a - b).mean(),
        permutation_type="samples",
        n_resamples=10_000,
        vectorized=False,
    )
    found = sign_flip_test(x - y)
    assert found.exact
    assert found.p == pytest.approx(expected.pvalue, abs=1e-12)
    assert found.statistic == pytest.approx(expected.statistic)


def test_random_flips_come_near_the_enumeration() -> None:
    d = np.random.default_rng(2).normal(0.3, 1, 14)
    exact = sign_flip_test(d)
    drawn = sign_flip_test(d, n_permutations=16_000, rng=3)
    assert (exact.exact, exact.permutations) == (True, 2**14)
    assert (drawn.exact, drawn.permutations) == (False, 16_000)
    # 5 SE: false alarm below 1e-6.
    assert drawn.p == pytest.approx(exact.p, abs=5 * np.sqrt(exact.p / 16_000))


def test_ties_count_though_sums_are_rounded() -> None:
    # All of 0.1: |T*| = |T| only where all signs agree, though sums differ in the last bit.
    d = np.full(12, 0.1) + 1e6
    assert sign_flip_test(d).p == 2 / 2**12
    mixed = np.array([0.1, 0.2, 0.3, -0.3])
    every = [abs(np.dot(s, [1, 2, 3, 3])) >= 3 for s in itertools.product((1, -1), repeat=4)]
    assert sign_flip_test(mixed).p == np.mean(every)


def test_no_difference_at_all_has_p_1() -> None:
    assert sign_flip_test(np.zeros(5)).p == 1
    assert sign_flip_test(np.zeros(50), rng=1).p == 1
    assert two_sample_test(np.ones(3), np.ones(4)).p == 1


def test_whole_tasks_flip_together() -> None:
    d = np.array([1.0, 2.0, -1.0, 4.0, 0.5])
    tasks = ["a", "a", "b", "c", "c"]
    # Sums 3, -1, 4.5: |±3 ±1 ±4.5| ≥ 6.5 for 4 of 8 patterns.
    found = sign_flip_test(d, tasks)
    assert (found.p, found.units, found.permutations) == (0.5, 3, 8)
    assert found.statistic == pytest.approx(1.3)
    # The order of cases and the names of tasks do not matter.
    assert sign_flip_test(d[::-1], ["x", "x", "k", "z", "z"]).p == 0.5


def test_as_many_tasks_as_instances_are_the_test_of_instances() -> None:
    d = np.random.default_rng(4).normal(0.2, 1, 200)
    alone, grouped = sign_flip_test(d, rng=5), sign_flip_test(d, np.arange(200), rng=6)
    assert grouped.units == alone.units == 200
    # 5 SE of the difference of two: false alarm below 1e-6.
    assert grouped.p == pytest.approx(alone.p, abs=5 * np.sqrt(2 * alone.p / 50_000))


def test_p_is_never_0() -> None:
    assert sign_flip_test(np.ones(100), rng=1).p == 1 / 50_001
    assert two_sample_test(np.zeros(40), np.ones(40), rng=1).p == 1 / 50_001


@pytest.mark.slow
def test_p_is_uniform_where_nothing_differs() -> None:
    # 400 tests of each kind; a Kolmogorov-Smirnov p below 1e-6 is the false alarm, twice.
    rng = np.random.default_rng(7)
    paired = [
        sign_flip_test(rng.standard_t(3, 30), n_permutations=999, rng=rng).p for _ in range(400)
    ]
    sides = [
        two_sample_test(rng.normal(size=12), rng.normal(size=20), n_permutations=999, rng=rng).p
        for _ in range(400)
    ]
    for found in (paired, sides):
        assert stats.kstest(found, "uniform").pvalue > 1e-6


def test_the_task_level_holds_its_level_where_that_of_instances_does_not() -> None:
    # 12 tasks of 10 instances that share all of their noise. Of 300 tests at 5 % at most 32 reject
    # (binomial: p < 1e-4 beyond); instances taken as independent reject about half.
    rng = np.random.default_rng(8)
    tasks = np.repeat(np.arange(12), 10)
    draws = [rng.normal(size=12)[tasks] for _ in range(300)]
    by_task = [sign_flip_test(d, tasks, 999, rng).p < 0.05 for d in draws]
    by_instance = [sign_flip_test(d, None, 999, rng).p < 0.05 for d in draws]
    assert sum(by_task) <= 32
    assert sum(by_instance) > 90


# --------------------------------------------------------------------------- unpaired


def test_two_samples_by_enumeration() -> None:
    rng = np.random.default_rng(9)
    x, y = rng.normal(0.8, 1, 5), rng.normal(0, 1, 7)
    found = two_sample_test(x, y)
    assert (found.exact, found.permutations) == (True, 792)
    # Sides differ in size, so T* is not symmetric: both tails are counted, none is doubled.
    means = [
        both[list(c)].mean() - np.delete(both, list(c)).mean()
        for both in [np.concatenate([x, y])]
        for c in itertools.combinations(range(12), 5)
    ]
    assert found.p == np.mean(np.abs(means) >= abs(x.mean() - y.mean()) - 1e-12)


def test_random_sides_come_near_the_enumeration() -> None:
    rng = np.random.default_rng(10)
    x, y = rng.normal(0.6, 1, 8), rng.normal(0, 1, 8)
    exact, drawn = two_sample_test(x, y), two_sample_test(x, y, n_permutations=12_000, rng=11)
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.p == pytest.approx(exact.p, abs=5 * np.sqrt(exact.p / 12_000))


def test_whole_tasks_change_sides() -> None:
    x, y = np.array([1.0, 2.0, 5.0]), np.array([0.0, 4.0, 4.0, 1.0])
    tasks_x, tasks_y = ["a", "a", "b"], ["c", "d", "d", "e"]
    values = {"a": [1, 2], "b": [5], "c": [0], "d": [4, 4], "e": [1]}
    made = []
    for side in itertools.combinations("abcde", 2):
        left = [v for task in side for v in values[task]]
        right = [v for task in set("abcde") - set(side) for v in values[task]]
        made.append(abs(np.mean(left) - np.mean(right)))
    observed = abs(x.mean() - y.mean())
    found = two_sample_test(x, y, tasks_x, tasks_y)
    assert (found.exact, found.permutations, found.units) == (True, 10, 5)
    assert found.p == np.mean([value >= observed - 1e-9 for value in made])


def test_a_task_on_both_sides_is_an_error() -> None:
    with pytest.raises(DataError, match="'b' is on both sides"):
        two_sample_test([1, 2], [3], ["a", "b"], ["b"])
    with pytest.raises(OptionError, match="one side only"):
        two_sample_test([1, 2], [3], ["a", "b"])


# --------------------------------------------------------------------------- shared


def test_a_seed_gives_the_same_answer_and_the_global_state_is_not_touched() -> None:
    d = np.random.default_rng(12).normal(0.1, 1, 60)
    before = pickle.dumps(np.random.get_state())  # noqa: NPY002 -- it must stay as it is
    assert sign_flip_test(d, rng=1) == sign_flip_test(d, rng=1)
    assert sign_flip_test(d, rng=1).p != sign_flip_test(d, rng=2).p
    assert two_sample_test(d, d[:20] + 0.2, rng=1) == two_sample_test(d, d[:20] + 0.2, rng=1)
    assert pickle.dumps(np.random.get_state()) == before  # noqa: NPY002 -- the same


def test_memory_stays_small() -> None:
    d = np.random.default_rng(13).normal(0.1, 1, 456)
    tracemalloc.start()
    try:
        sign_flip_test(d, n_permutations=20_000, rng=1)
        two_sample_test(d[:228], d[228:], n_permutations=20_000, rng=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6


@pytest.mark.parametrize("wrong", [[], [1.0, float("nan")], [[1.0, 2.0]]])
def test_bad_values_are_errors(wrong: list[float]) -> None:
    with pytest.raises(DataError, match="differences"):
        sign_flip_test(wrong)
    with pytest.raises(DataError, match="y"):
        two_sample_test([1.0], wrong)


def test_bad_options_are_errors() -> None:
    with pytest.raises(OptionError, match="below 1"):
        sign_flip_test([1.0], n_permutations=0)
    with pytest.raises(OptionError, match="2 entries for 1 values"):
        sign_flip_test([1.0], ["a", "b"])


# --------------------------------------------------------------------------- paces


def paces(rows: list[tuple[str, str, str, float]], **given: Any) -> pd.DataFrame:
    """Of (task, model, metric, pace)."""
    return analysis.pace(
        pd.concat(
            [with_pace(p, task=t, model=m, metric=metric, **given) for t, m, metric, p in rows],
            ignore_index=True,
        )
    )


def test_pairs_are_matched_by_task_and_model() -> None:
    rows = [("a", "m", "dsc", -1.0), ("b", "m", "dsc", -2.0), ("c", "m", "dsc", -9.0)]
    rows += [("b", "m", "hd", -4.0), ("a", "m", "hd", -2.0), ("a", "k", "hd", -7.0)]
    row = analysis.pace_tests(paces(rows)).iloc[0]
    assert (row["a"], row["b"], row["n"], row["tasks"]) == ("dsc", "hd", 2, 2)
    assert (row["mean_a"], row["mean_b"]) == pytest.approx((-1.5, -3.0))
    assert row["difference"] == pytest.approx(1.5)
    assert (row["p"], row["exact"], row["tested"]) == (0.5, True, 1)


def test_all_pairs_are_corrected_for_all_pairs() -> None:
    tasks = [f"t{i}" for i in range(10)]
    shift = {"a": 0.0, "b": -1.0, "c": -2.0}
    rows = [(t, "m", k, s - i / 10) for i, t in enumerate(tasks) for k, s in shift.items()]
    found = analysis.pace_tests(paces(rows))
    assert list(zip(found["a"], found["b"], strict=True)) == [("a", "b"), ("a", "c"), ("b", "c")]
    # Every difference has the same sign: 2 of 1024 patterns.
    assert found["p"].tolist() == pytest.approx([2 / 1024] * 3)
    assert found["p_bonferroni"].tolist() == pytest.approx([6 / 1024] * 3)
    assert found["significant"].all()


def test_tasks_have_less_to_say_than_instances() -> None:
    rows = [
        (t, m, metric, p - ord(t) / 1000 - ord(m) / 100)
        for t in "abcd"
        for m in "klmnop"
        for metric, p in (("dsc", -1.0), ("hd", -2.0))
    ]
    by_instance = analysis.pace_tests(paces(rows), rng=1).iloc[0]
    by_task = analysis.pace_tests(paces(rows), level="task", rng=1).iloc[0]
    assert by_instance["p"] == 1 / 50_001
    assert (by_task["p"], by_task["n"], by_task["tasks"]) == (2 / 16, 24, 4)
    assert not by_task["significant"]


def test_a_pace_that_is_not_known_is_left_out_and_counted() -> None:
    table = paces([("a", "m", "dsc", -1.0), ("a", "m", "hd", -2.0), ("b", "m", "dsc", -1.0)])
    table.loc[table["task"] == "a", "pace"] = [-1.0, float("nan")]
    row = analysis.pace_tests(table).iloc[0]
    assert (row["n"], row["left_out"], row["tested"]) == (0, 1, 0)
    assert np.isnan(row["p"])
    assert not row["significant"]


def test_methods_and_statistics_are_compared_within_the_rest() -> None:
    parts = [
        with_pace(-1.0 - i, task=t, method=method, statistic=statistic)
        for t in "ab"
        for i, method in enumerate(("t", "bca"))
        for statistic in ("mean", "median")
    ]
    table = analysis.pace(pd.concat(parts))
    by_method = analysis.pace_tests(table, "method")
    assert by_method["statistic"].tolist() == ["mean", "median"]
    assert by_method["difference"].tolist() == pytest.approx([-1.0, -1.0])  # bca less t
    by_statistic = analysis.pace_tests(table, "statistic")
    assert by_statistic["method"].tolist() == ["bca", "t"]
    assert by_statistic["p"].tolist() == [1.0, 1.0]


def test_accuracy_is_micro_recall_and_balanced_accuracy_macro_recall() -> None:
    parts = [
        with_pace(p, task=t, metric=metric, average=average, statistic="")
        for t in "ab"
        for metric, average, p in (
            ("accuracy", "", -1.0),
            ("balanced_accuracy", "macro", -3.0),
            ("f1", "micro", -1.0),
            ("f1", "macro", -2.0),
            ("mcc", "", -5.0),
        )
    ]
    found = analysis.pace_tests(analysis.pace(pd.concat(parts)), "average").set_index("metric")
    assert sorted(found.index) == ["f1", "recall"]
    assert found["difference"].to_dict() == pytest.approx({"f1": -1.0, "recall": -2.0})


def test_studies_without_common_instances_are_compared_unpaired() -> None:
    first = paces([(f"s{i}", "m", "dsc", -1.0 - i / 100) for i in range(6)])
    second = analysis.pace(
        pd.concat(
            with_pace(-3.0 - i / 100, task=f"c{i}", metric="auroc", average="macro", statistic="")
            for i in range(5)
        )
    )
    for level in ("instance", "task"):
        row = unpaired_pace_tests(first, second, level=level).iloc[0]
        assert (row["a"], row["b"], row["n_a"], row["n_b"]) == ("mean dsc", "macro auroc", 6, 5)
        # 462 ways; only the one observed is so far off, as the sides differ in size.
        assert (row["p"], row["exact"]) == (1 / 462, True)
        assert row["difference"] == pytest.approx(1.995)


def test_the_same_instance_on_both_sides_is_not_unpaired() -> None:
    first = paces([("liver", "A", "dsc", -1.0), ("spleen", "A", "dsc", -2.0)])
    second = paces([("liver", "A", "dsc", -3.0), ("liver", "B", "dsc", -4.0)])
    for other in (second, second.assign(statistic="median")):
        with pytest.raises(DataError, match=r"1 of the instances.*task 'liver', model 'A'"):
            unpaired_pace_tests(first, other)
    assert len(unpaired_pace_tests(first, second[second["model"] == "B"])) == 1
    unnamed = [x.assign(task="", model="") for x in (first, second)]
    with pytest.raises(DataError, match="stand on both sides"):
        unpaired_pace_tests(*unnamed)
    assert len(unpaired_pace_tests(unnamed[0], unnamed[1].assign(instance="other"))) == 1


def test_nothing_to_test_is_an_error() -> None:
    apart = paces([("a", "m", "dsc", -1.0), ("b", "m", "nsd", -1.0)])
    with pytest.raises(DataError, match=r"no two metrics share an instance \(task, model\)"):
        analysis.pace_tests(apart)


def test_what_cannot_be_compared_is_an_error() -> None:
    one = paces([("a", "m", "dsc", -1.0)])
    with pytest.raises(DataError, match="no two metrics"):
        analysis.pace_tests(one)
    with pytest.raises(UnknownNameError, match="did you mean 'metric'"):
        analysis.pace_tests(one, "metrics")
    with pytest.raises(UnknownNameError, match="level"):
        analysis.pace_tests(one, level="tsk")
    with pytest.raises(DataError, match="without a task"):
        analysis.pace_tests(one.assign(task=""), level="task")
    with pytest.raises(OptionError, match="not paces"):
        analysis.pace_tests(one.drop(columns="pace"))
    with pytest.raises(DataError, match="no method"):
        unpaired_pace_tests(one, one.assign(method="t"))
    twice = pd.concat([one, one.assign(instance="x"), one.assign(metric="hd")])
    with pytest.raises(DataError, match="occur twice"):
        analysis.pace_tests(twice)
