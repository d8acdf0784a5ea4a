"""Chunks: their names, what their digests depend on, and what nobody can make chunks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from smallstudies import labelled, of_logits, spec_of_sets, spec_of_values

import halfwidth as hw
from halfwidth import METHODS, Bounds, OptionError
from halfwidth.study.chunks import Chunk, check_chunks
from halfwidth.study.specs.spec import Instance, StudySpec
from halfwidth.study.studies import plan_chunks, shared_settings

BETA = {"family": "beta", "a": 8, "b": 2}
# "-" and its like come of names that hold nothing else that a file system takes.
HOSTILE = [
    *("a/b", "a-b", "a b", "a\\b", "a:b", "a.b", "a\nb", "a\tb", "a\0b"),
    *("Model", "model", "MODEL", "", ".", "..", "-", "--", " "),
    *("../../etc/passwd", "/etc/passwd", "~", "$HOME", "`x`", "*", "?", "[a]", "{model}"),
    *("ä", "Ä", "æ", "日本", "日本語", "ß", "SS", "ss", "İ", "i", "I", "ﬁ", "fi", "é", "e\u0301"),
    *("x" * 500, "x" * 499 + "y", "X" * 500, "ü" * 500, "x" * 80, "x" * 81),
    *("a.n00010", "a.mcc", "a.mcc.n00010", "model.n00010-0123456789abcdef"),
    *("CON", "nul", "instance", "-rf", "=1+1", "a%20b", "a.parquet", ".hidden"),
]


def _spec(**study: Any) -> StudySpec:
    return spec_of_values(BETA, **{"sizes": [10, 25], "samples": 40, **study})


def _chunks(spec: StudySpec) -> tuple[Chunk, ...]:
    return plan_chunks(spec, hw.study.plan(spec).instances)


def _digests(spec: StudySpec, instances: Sequence[Instance] | None = None) -> set[str]:
    found = plan_chunks(spec, hw.study.plan(spec).instances if instances is None else instances)
    return {chunk.digest for chunk in found}


# --------------------------------------------------------------------------- names


def test_chunks_are_instances_by_metrics_by_sizes() -> None:
    spec = replace(
        spec_of_sets(metrics=["auroc", "f_beta:beta=2", "mcc"], sizes=[25, 10]),
        statistics=_spec().statistics,
    )
    (values,) = hw.study.plan(_spec()).instances
    sets = labelled("model/task")
    chunks = plan_chunks(spec, [values, sets])
    assert [chunk.name for chunk in chunks] == [
        "beta-a=8-b=2.n00010",
        "beta-a=8-b=2.n00025",
        "model-task.f_beta-beta=2.n00010",
        "model-task.f_beta-beta=2.n00025",
        "model-task.mcc.n00010",
        "model-task.mcc.n00025",
        "model-task.auroc.n00010",
        "model-task.auroc.n00025",
    ]
    assert [chunk.group for chunk in chunks] == [values.name] * 2 + [sets.name] * 6
    assert all(chunk.payload.spec is spec for chunk in chunks)
    assert [chunk.payload.n for chunk in chunks] == [10, 25] * 4
    assert all(chunk.cost > 0 for chunk in chunks)
    for small, large in zip(chunks[::2], chunks[1::2], strict=True):
        assert small.cost < large.cost


@pytest.mark.parametrize("kind", ["values", "sets"])
def test_names_are_unique_and_safe_whatever_instances_are_called(kind: str) -> None:
    if kind == "values":
        spec, (first,) = _spec(), hw.study.plan(_spec()).instances
    else:
        spec, first = spec_of_sets(metrics=["mcc", "accuracy"], sizes=[10, 25]), labelled()
    instances = [replace(first, name=name) for name in HOSTILE]
    chunks = plan_chunks(spec, instances)
    assert len(chunks) == len(HOSTILE) * (2 if kind == "values" else 4)
    check_chunks(chunks)
    assert len({chunk.digest for chunk in chunks}) == len(chunks)
    for chunk in chunks:
        assert chunk.name.isascii()
        assert not set(chunk.name) & set('/\\:*?"<>| \n\t\0')
        assert not chunk.name.startswith(".")
        # With the digest and the suffix of a part, and of a file half-written.
        assert len(chunk.name) < 200
    again = plan_chunks(spec, instances[::-1])
    assert {chunk.name: chunk.digest for chunk in again} == {
        chunk.name: chunk.digest for chunk in chunks
    }


def test_parts_of_hostile_names_are_files(tmp_path: Path) -> None:
    (first,) = hw.study.plan(_spec()).instances
    chunks = plan_chunks(_spec(), [replace(first, name=name) for name in HOSTILE])
    for chunk in chunks:
        (tmp_path / f"{chunk.name}-{chunk.digest}.parquet").touch()
    there = list(tmp_path.iterdir())
    assert len(there) == len(chunks)
    assert all(path.parent == tmp_path for path in there)


def test_large_samples_keep_names_apart() -> None:
    chunks = _chunks(_spec(sizes=[99_999, 100_000, 999_999]))
    assert [chunk.name.rpartition(".")[2] for chunk in chunks] == ["n99999", "n100000", "n999999"]


# --------------------------------------------------------------------------- digests

CHANGES: dict[str, dict[str, Any]] = {
    "samples": {"samples": 60},
    "resamples": {"resamples": 99},
    "batches": {"batches": 5},
    "level": {"levels": [0.9]},
    "one more level": {"levels": [0.9, 0.95]},
    "alternative": {"alternative": "lower"},
    "seed": {"seed": 1},
    "methods": {"methods": ["t", "percentile", "exact"]},
    "statistics": {"statistics": ["mean"]},
    "parameter of a statistic": {"statistics": ["mean", "trimmed_mean:share=0.1"]},
    "parameter of no effect": {"truth_draws": 5000},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_digest_changes_with_each_setting(change: str) -> None:
    before, after = _digests(_spec()), _digests(_spec(**CHANGES[change]))
    assert (len(before), len(after)) == (2, 2)
    assert not before & after


def test_digests_differ_by_parameters_that_differ_but_little() -> None:
    specs = [
        _spec(statistics=[f"quantile:q={q}"]) for q in ("0.9", "0.90000001", "0.1", "0.9000000001")
    ]
    assert len(set.union(*map(_digests, specs))) == 8


@pytest.mark.parametrize(
    "change",
    [{"absent_class": "zero"}, {"averages": ["micro"]}, {"averages": ["macro", "micro"]}],
    ids=str,
)
def test_a_digest_changes_with_each_setting_of_test_sets(change: dict[str, Any]) -> None:
    asked = {"metrics": ["f_beta", "auroc"], "sizes": [10], "samples": 40}
    sets = [labelled(classes=3)]
    assert not _digests(spec_of_sets(**asked), sets) & _digests(
        spec_of_sets(**asked, **change), sets
    )


def test_a_digest_changes_with_the_data_and_what_is_made_of_them() -> None:
    spec = spec_of_sets(metrics=["mcc"], sizes=[10], samples=40)
    logits = np.random.default_rng(1).normal(size=(2, 30))
    truth = np.arange(30) % 2
    instance = of_logits("one", logits, truth)
    others = [
        of_logits("another", logits, truth),
        of_logits("one", logits + 1e-9, truth),
        of_logits("one", logits, 1 - truth),
        of_logits("one", logits, truth, empirical=True),
    ]
    found = [_digests(spec, [one]) for one in (instance, *others)]
    assert len(set.union(*found)) == len(found)
    formulas = [
        spec_of_values(one, sizes=[10], samples=40)
        for one in (
            {**BETA, "name": "x"},
            {**BETA, "name": "x", "b": 2.0000001},
            {**BETA, "name": "x", "bounds": [0, 2]},
            {**BETA, "name": "x", "metric": "dsc"},
            {"name": "x", "family": "uniform"},
        )
    ]
    assert len(set.union(*map(_digests, formulas))) == len(formulas)


def test_a_digest_changes_with_what_rows_say_of_an_instance() -> None:
    """Names of classes, task and model stand in the rows of a part."""
    spec = spec_of_sets(metrics=["f_beta"], averages=["none"], sizes=[10], samples=40)
    sets = labelled("model/task")
    others = [
        replace(sets, classes=("benign", "malignant")),
        replace(sets, model="model", task="task"),
    ]
    for other in others:
        assert not _digests(spec, [sets]) & _digests(spec, [other])


def test_a_digest_does_not_change_with_what_rows_do_not_depend_on(tmp_path: Path) -> None:
    before = {chunk.name: chunk.digest for chunk in _chunks(_spec())}
    for same in (
        _spec(sizes=[25, 10]),
        _spec(name="another name"),
        replace(_spec(), folder=tmp_path),
        _spec(statistics=["median", "mean"]),
        _spec(levels=[0.95]),
        _spec(methods="all"),
        spec_of_values(BETA, {"family": "normal"}, sizes=[10, 25], samples=40),
    ):
        after = {chunk.name: chunk.digest for chunk in _chunks(same)}
        assert before.items() <= after.items()
    more = {chunk.name: chunk.digest for chunk in _chunks(_spec(sizes=[10, 17, 25, 50]))}
    assert before.items() < more.items()


def test_the_settings_of_a_store_say_what_parts_have_in_common() -> None:
    settings = shared_settings(_spec())
    assert settings["samples"] == 40
    assert settings["statistics"] == ["mean", "median"]
    assert settings["methods"] == [method.name for method in METHODS]
    assert settings["halfwidth"]
    assert "name" not in settings
    assert "folder" not in settings


# --------------------------------------------------------------------------- nothing to do


@pytest.mark.parametrize(
    ("study", "said"),
    [
        ({"statistics": ["mean"], "methods": ["t", "exact"]}, "exact accepts nothing"),
        (
            {"statistics": ["median"], "methods": ["exact", "delong", "t"]},
            "t, delong accept nothing",
        ),
        ({"statistics": ["mean"], "methods": ["wilson"]}, "wilson accepts nothing"),
        # BETA reaches from 0 to 1, so that a guarantee can be given; a normal has no end.
        ({"statistics": ["median"], "methods": ["hoeffding"]}, "hoeffding accepts nothing"),
    ],
)
def test_methods_that_accept_nothing_are_refused(study: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        _chunks(_spec(**study))


def test_a_method_may_accept_some_instances_alone() -> None:
    spec = _spec(statistics=["mean"], methods=["hoeffding"])
    (beta,) = hw.study.plan(spec).instances
    endless = replace(beta, name="endless", bounds=Bounds(0, np.inf))
    chunks = plan_chunks(spec, [endless, beta])
    assert {chunk.group for chunk in chunks} == {beta.name}
    with pytest.raises(OptionError, match="hoeffding accepts nothing"):
        plan_chunks(spec, [endless])


def test_an_instance_that_nothing_is_asked_of_is_no_study() -> None:
    with pytest.raises(OptionError, match="no cells"):
        plan_chunks(_spec(), [labelled()])
    with pytest.raises(OptionError, match="no cells"):
        plan_chunks(_spec(), [])
