"""From the score files of a spec to instances: pairs, classes, logits, and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sourcefolders import complaint, loaded, only

import halfwidth as hw
from halfwidth.core.spec import MetricLevel
from halfwidth.study.specs.spec import Instance

N = 60
LABELS = np.arange(N) % 3
LOGITS = np.random.default_rng(1).normal(size=(N, 3)) + 2 * np.eye(3)[LABELS]


def softmax(logits: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    shares: np.ndarray[Any, Any] = np.exp(logits)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(tmp_path, "a", LOGITS, LABELS)
    return tmp_path


def save(folder: Path, name: str, scores: Any, targets: Any) -> None:
    np.save(folder / f"{name}_scores.npy", scores)
    np.save(folder / f"{name}_targets.npy", targets)


def section(*lines: str, kind: str = "logits") -> str:
    return "\n".join(["[[scores]]", f'kind = "{kind}"', *lines, ""])


PAIRS = ('scores = "*_scores.npy"', 'targets = "*_targets.npy"')
FROM_TABLE = ('files = "*.csv"', 'target = "label"', 'columns = ["p0", "p1"]')
BINARY = '[study]\nmetrics = ["f1"]\naverages = ["binary"]\n'


def arguments_of(instance: Instance) -> tuple[Any, Any, dict[str, Any]]:
    """Logits, codes and options that the population is built from."""
    build: Any = instance.build
    return (*build.args, build.keywords)


# --------------------------------------------------------------------------- what they hold


def test_a_pair_of_files_is_an_instance(folder: Path) -> None:
    instance = only(folder, section(*PAIRS))
    assert (instance.name, instance.task, instance.model) == ("a", "a", "")
    assert instance.source == "a_scores.npy, a_targets.npy"
    assert (instance.level, instance.metric) == (MetricLevel.SAMPLE, None)
    assert (instance.n_cases, instance.classes) == (N, ("0", "1", "2"))
    assert (instance.cautions, instance.notes) == ((), ())
    logits, codes, options = arguments_of(instance)
    assert options == {"exponent": "d+4"}
    # The same cases, in an order of their own.
    assert sorted(zip(*logits, codes, strict=True)) == sorted(zip(*LOGITS.T, LABELS, strict=True))
    again = pickle.loads(pickle.dumps(instance))  # noqa: S301 -- our own
    drawn = [i.build().draw(np.random.default_rng(0), 2, 7) for i in (instance, again)]
    assert drawn[0].shape == (2, 4, 7)
    np.testing.assert_array_equal(*drawn)


def test_pairs_are_those_whose_wildcards_agree(folder: Path) -> None:
    save(folder, "b", LOGITS[::2], LABELS[::2])
    assert [(i.name, i.n_cases) for i in loaded(folder, section(*PAIRS))] == [("a", 60), ("b", 30)]
    named = [line.replace("*", "{task}") for line in PAIRS]
    assert [i.name for i in loaded(folder, section(*named))] == ["a", "b"]
    models = [line.replace("*", "{model}") for line in PAIRS]
    assert [(i.name, i.model) for i in loaded(folder, section(*models))] == [("a", "a"), ("b", "b")]


def test_the_population_and_its_bandwidth_can_be_chosen(folder: Path) -> None:
    empirical: Any = only(folder, section(*PAIRS, 'population = "empirical"')).build
    assert empirical.func.__name__ == "logit_empirical"
    printed: Any = only(folder, section(*PAIRS, 'bandwidth = "5"')).build
    assert printed.func.__name__ == "logit_kde"
    assert printed.keywords == {"exponent": "5"}


def test_the_calibration_that_a_model_is_given_stands_in_its_name(folder: Path) -> None:
    made = only(folder, section(*PAIRS, "calibration_slope = 0.5"))
    assert made.name.endswith(", slope 0.5")
    assert made.digest != only(folder, section(*PAIRS, "calibration_slope = 0.6")).digest
    assert made.build().calibration == (0.0, 0.5)
    with pytest.raises(hw.DataError, match="needs two classes, and there are 3"):
        only(folder, section(*PAIRS, "calibration_slope = 1", "calibration_intercept = 1"))


def test_the_digest_is_of_cases_and_of_what_is_made_of_them(folder: Path) -> None:
    first = only(folder, section(*PAIRS)).digest
    order = np.random.default_rng(0).permutation(N)
    save(folder, "a", LOGITS[order].astype(">f8"), LABELS[order].astype(np.uint8)[:, None])
    assert only(folder, section(*PAIRS)).digest == first
    others = [
        only(folder, section(*PAIRS, 'bandwidth = "5"')).digest,
        only(folder, section(*PAIRS, 'population = "empirical"')).digest,
    ]
    save(folder, "a", LOGITS, LABELS[::-1])
    others.append(only(folder, section(*PAIRS)).digest)
    save(folder, "a", LOGITS + 1e-12, LABELS)
    others.append(only(folder, section(*PAIRS)).digest)
    assert len({first, *others}) == 5


def test_probabilities_become_their_logarithms(folder: Path) -> None:
    save(folder, "a", softmax(LOGITS), LABELS)
    logits, codes, _ = arguments_of(only(folder, section(*PAIRS, kind="probabilities")))
    order = np.lexsort((LABELS, *np.log(softmax(LOGITS)).T[::-1]))
    np.testing.assert_allclose(logits, np.log(softmax(LOGITS)).T[:, order], rtol=1e-12)
    np.testing.assert_array_equal(codes, LABELS[order])


def test_one_column_is_that_of_the_positive_class(folder: Path) -> None:
    chance = softmax(LOGITS[:, :2])[:, 1]
    save(folder, "a", chance, LABELS % 2)
    logits, codes, _ = arguments_of(only(folder, section(*PAIRS, kind="probabilities")))
    np.testing.assert_allclose(np.exp(logits[1]), np.sort(chance)[::-1], rtol=1e-12)
    np.testing.assert_allclose(np.exp(logits).sum(axis=0), 1, rtol=1e-12)
    np.testing.assert_array_equal(codes, (LABELS % 2)[np.argsort(-chance)])
    save(folder, "a", LOGITS[:, 0], LABELS % 2)
    logits, codes, _ = arguments_of(only(folder, section(*PAIRS)))
    np.testing.assert_array_equal(logits[0], np.zeros(N))
    np.testing.assert_array_equal(logits[1], np.sort(LOGITS[:, 0]))


def test_the_second_of_two_classes_is_the_positive_one(folder: Path) -> None:
    truth = np.where(LABELS % 2, "healthy", "sick")
    save(folder, "a", LOGITS[:, :2], truth)
    plain = only(folder, section(*PAIRS))
    assert plain.classes == ("healthy", "sick")
    assert only(folder, BINARY + section(*PAIRS, 'positive = "sick"')).classes == plain.classes
    turned = only(folder, BINARY + section(*PAIRS, 'positive = "healthy"'))
    assert turned.classes == ("sick", "healthy")
    logits, codes, _ = arguments_of(turned)
    order = np.lexsort((truth == "healthy", LOGITS[:, 0], LOGITS[:, 1]))
    np.testing.assert_array_equal(logits, LOGITS[order, 1::-1].T)
    np.testing.assert_array_equal(codes, truth[order] == "healthy")
    # A single column is of whichever class is positive.
    save(folder, "a", LOGITS[:, 0], truth)
    logits, codes, _ = arguments_of(only(folder, section(*PAIRS, 'positive = "healthy"')))
    np.testing.assert_array_equal(logits[1], np.sort(LOGITS[:, 0]))
    np.testing.assert_array_equal(codes, (truth == "healthy")[np.argsort(LOGITS[:, 0])])


def test_classes_are_named_or_counted(folder: Path) -> None:
    save(folder, "a", LOGITS, np.where(LABELS == 2, 1, LABELS))
    counted = only(folder, section(*PAIRS))
    assert counted.classes == ("0", "1", "2")
    assert [str(c) for c in counted.cautions] == [
        "HW603 Few cases of class '2' (0): the population knows it by these alone."
    ]
    names = np.array(["x", "b", "a"])[LABELS]
    save(folder, "a", LOGITS, names)
    named = only(folder, section(*PAIRS, 'labels = ["x", "b", "a"]'))
    assert named.classes == ("x", "b", "a")
    sorted_ones = only(folder, section(*PAIRS))
    assert sorted_ones.classes == ("a", "b", "x")
    assert {named.digest, sorted_ones.digest, counted.digest} == {
        named.digest,
        sorted_ones.digest,
        counted.digest,
    }
    assert named.digest != sorted_ones.digest


def test_tables_hold_test_sets_too(folder: Path) -> None:
    shares = softmax(LOGITS[:, :2])
    frame = pd.DataFrame({"label": np.where(LABELS % 2, "b", "a"), "p0": shares[:, 0]})
    frame.assign(p1=1 - frame["p0"]).to_csv(folder / "x.csv", index=False)
    save(folder, "a", shares, LABELS % 2)
    from_table = only(folder, section(*FROM_TABLE, kind="probabilities"))
    assert from_table.source == "x.csv, columns 'p0', 'p1'"
    assert (from_table.name, from_table.classes) == ("x", ("a", "b"))
    first, second = (
        arguments_of(i) for i in (from_table, only(folder, section(*PAIRS, kind="probabilities")))
    )
    np.testing.assert_allclose(first[0], second[0], rtol=1e-12)
    np.testing.assert_array_equal(first[1], second[1])


def test_tables_with_several_rows_of_a_patient_are_noted(folder: Path) -> None:
    p1 = softmax(LOGITS[:, :2])[:, 1]
    frame = pd.DataFrame({"label": LABELS % 2, "p0": 1 - p1, "p1": p1})
    frame["patient"] = np.arange(len(frame)) // 2
    frame.to_csv(folder / "x.csv", index=False)
    notes = only(folder, section(*FROM_TABLE, kind="probabilities")).notes
    total = len(frame)
    assert notes[-1] == (
        f"{total} rows share {(total + 1) // 2} levels of column 'patient', and count as cases"
    )


def test_few_cases_are_cautioned_and_fewer_refused(folder: Path) -> None:
    for n, codes in ((50, []), (49, ["HW601"]), (20, ["HW601", "HW603"]), (5, ["HW601", "HW603"])):
        save(folder, "a", LOGITS[:n], LABELS[:n])
        instance = only(folder, section(*PAIRS))
        assert [c.code for c in instance.cautions] == codes
        instance.build()
    save(folder, "a", LOGITS[:4], LABELS[:4])
    text = complaint(folder, section(*PAIRS))
    assert text.startswith("a_scores.npy, a_targets.npy: 4 cases left; a population needs 5 at")
    save(folder, "b", LOGITS, LABELS)
    assert only(folder, section(*PAIRS, "min_cases = 50")).name == "b"


def test_missing_scores_and_labels(folder: Path) -> None:
    holes = LOGITS.copy()
    holes[3, 1] = np.nan
    save(folder, "a", holes, np.where(np.arange(N) == 5, np.nan, LABELS))
    text = complaint(folder, section(*PAIRS))
    assert 'lack a label or a finite score (cases #4, #6). missing = "omit" leaves' in text
    omitted = only(folder, section(*PAIRS, 'missing = "omit"'))
    assert omitted.n_cases == N - 2
    assert omitted.notes == ("left out: 2 cases without a label or a score",)


def test_a_probability_of_zero_needs_a_floor(folder: Path) -> None:
    shares = softmax(LOGITS)
    shares[7] = [0, 0, 1]
    save(folder, "a", shares, LABELS)
    text = complaint(folder, section(*PAIRS, kind="probabilities"))
    assert text == (
        "a_scores.npy: 1 of 60 cases have a probability of 0 (the first: #8), which has no "
        "logarithm; give the logits of the model, or say what 0 is to count: floor = 1e-6"
    )
    floored = only(folder, section(*PAIRS, "floor = 1e-6", kind="probabilities"))
    assert floored.notes == ("1 cases have probabilities below 1e-06, which count as 1e-06",)
    assert arguments_of(floored)[0].min() == np.log(1e-6)
    empirical = section(*PAIRS, 'population = "empirical"', kind="probabilities")
    assert np.isneginf(arguments_of(only(folder, empirical))[0]).sum() == 2


def test_an_infinite_logit_is_refused_where_a_density_needs_it(folder: Path) -> None:
    logits = LOGITS.copy()
    logits[7, 0] = -np.inf
    save(folder, "a", logits, LABELS)
    text = complaint(folder, section(*PAIRS))
    assert text.startswith("a_scores.npy: 1 of 60 cases have an infinite logit (the first: #8), th")
    assert only(folder, section(*PAIRS, 'population = "empirical"')).n_cases == N


# --------------------------------------------------------------------------- what is refused


def test_logits_and_probabilities_are_told_apart(folder: Path) -> None:
    text = complaint(folder, section(*PAIRS, kind="probabilities"))
    assert 'are no probabilities; write kind = "logits" (log-probabilities are logits too)' in text
    save(folder, "a", softmax(LOGITS), LABELS)
    text = complaint(folder, section(*PAIRS))
    assert 'they are probabilities; write kind = "probabilities"' in text
    save(folder, "a", softmax(LOGITS) * 0.9, LABELS)
    text = complaint(folder, section(*PAIRS, kind="probabilities"))
    assert "the sum of the probabilities of a case is off 1 by up to 0.1 (allowed: 0.001)" in text


def test_files_without_a_partner(folder: Path) -> None:
    save(folder, "b", LOGITS, LABELS)
    (folder / "b_targets.npy").unlink()
    text = complaint(folder, section(*PAIRS))
    assert text == (
        "b_scores.npy: no targets belong to it; there are a_targets.npy. Wildcards of both must "
        "stand for the same text"
    )
    (folder / "b_scores.npy").rename(folder / "b_targets.npy")
    assert complaint(folder, section(*PAIRS)).startswith("b_targets.npy: no scores belong to it;")
    assert "matches no file" in complaint(folder, section(PAIRS[0], 'targets = "*_truth.npy"'))
    twins = ('scores = "?_sco*s.npy"', 'targets = "?_tar*s.npy"')
    assert complaint(folder, section(*twins)).startswith("a_scores.npy: no targets belong to it")


def test_different_lengths(folder: Path) -> None:
    save(folder, "a", LOGITS, LABELS[:-1])
    text = complaint(folder, section(*PAIRS))
    assert text.startswith("a_targets.npy has 59 cases and a_scores.npy 60; they must be the same")


def test_more_columns_than_classes(folder: Path) -> None:
    save(folder, "a", LOGITS, np.array(["x", "y"])[LABELS % 2])
    text = complaint(folder, section(*PAIRS))
    assert "3 score columns for 2 classes ('x', 'y', the sorted labels of a_targets.npy)" in text
    save(folder, "a", LOGITS, LABELS + 1)
    assert only(folder, section(*PAIRS)).classes == ("1", "2", "3")
    save(folder, "a", LOGITS, LABELS * 2)
    assert only(folder, section(*PAIRS)).classes == ("0", "2", "4")


def test_the_binary_average_needs_two_classes_and_the_positive_one(folder: Path) -> None:
    text = complaint(folder, BINARY + section(*PAIRS))
    assert "averages = [\"binary\"] needs two classes, and there are 3 ('0', '1', '2')" in text
    save(folder, "a", LOGITS[:, :2], np.array(["x", "y"])[LABELS % 2])
    text = complaint(folder, BINARY + section(*PAIRS))
    assert "needs to know which of 'x', 'y' is positive = ..." in text
    text = complaint(folder, section(*PAIRS, 'positive = "z"'), hw.OptionError)
    assert 'positive = "z" is not one of the labels' in text
    save(folder, "a", LOGITS, LABELS)
    text = complaint(folder, section(*PAIRS, "positive = 1"))
    assert "positive has no effect on 3 classes ('0', '1', '2')" in text
    save(folder, "a", LOGITS[:, 0], np.array(["x", "y"])[LABELS % 2])
    text = complaint(folder, section(*PAIRS), hw.OptionError)
    assert "say which of 'x', 'y' that is: positive =" in text


def test_columns_that_are_not_there_or_no_scores(folder: Path) -> None:
    frame = pd.DataFrame({"label": LABELS % 2, "p0": 0.5, "p1": 0.5})
    frame.to_csv(folder / "x.csv", index=False)
    text = complaint(
        folder, section(*FROM_TABLE, kind="probabilities").replace("p1", "P1"), hw.UnknownNameError
    )
    assert text.startswith("x.csv: unknown column 'P1'; did you mean 'p1'?")
    text = complaint(folder, section(*FROM_TABLE, kind="probabilities").replace("p1", "label"))
    assert "column 'label' cannot be the target and a score at once" in text
    frame.assign(p1="high").to_csv(folder / "x.csv", index=False)
    text = complaint(folder, section(*FROM_TABLE, kind="probabilities"))
    assert text == "x.csv: column 'p1' holds 'high', and scores are numbers"


def test_files_that_are_no_arrays(folder: Path) -> None:
    (folder / "a_scores.npy").write_bytes(b"no array")
    assert "is no NumPy file" in complaint(folder, section(*PAIRS))


# --------------------------------------------------------------------------- real data


def test_the_test_sets_of_medmnist(shared: Path, tmp_path: Path) -> None:
    data = (shared / "data" / "medmnist_scores").as_posix()
    pairs = [f"{k} = '{data}/{{task}}_{k}.npy'" for k in ("scores", "targets")]
    instances = loaded(tmp_path, section(*pairs))
    assert [(i.name, i.n_cases) for i in instances] == [
        ("adrenalmnist", 298),
        ("pneumoniamnist", 624),
    ]
    for instance in instances:
        assert instance.classes == ("0", "1")
        assert instance.cautions == ()
        logits, codes, _ = arguments_of(instance)
        # Log-posteriors: the probabilities of a case add up to 1.
        np.testing.assert_allclose(np.exp(logits).sum(axis=0), 1, rtol=1e-6)
        targets = np.load(f"{data}/{instance.task}_targets.npy")
        assert codes.sum() == (targets == 1).sum()


def test_one_file_of_targets_is_of_many_models(tmp_path: Path) -> None:
    tasks = {"derma": LABELS, "x_derma": LABELS[::-1]}
    for task, labels in tasks.items():
        np.save(tmp_path / f"{task}_targets.npy", labels)
        for model in ("unet", "swin_t"):
            np.save(tmp_path / f"{model}_{task}_scores.npy", LOGITS)
    section = (
        '[[scores]]\nkind = "logits"\nscores = "{model}_{task}_scores.npy"\n'
        'targets = "{task}_targets.npy"\n'
    )
    (tmp_path / "spec.toml").write_text(section)
    instances = hw.study.plan(tmp_path / "spec.toml").instances
    assert {(i.model, i.task) for i in instances} == {
        (model, task) for model in ("unet", "swin_t") for task in tasks
    }
    for i in instances:
        assert i.source == f"{i.model}_{i.task}_scores.npy, {i.task}_targets.npy"
    np.save(tmp_path / "unet_blood_scores.npy", LOGITS)
    with pytest.raises(hw.DataError, match=r"unet_blood_scores.npy: no targets belong to it"):
        hw.study.plan(tmp_path / "spec.toml")
