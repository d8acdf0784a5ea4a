"""Options by the names of other libraries, and estimates looked up by what they are of."""

from __future__ import annotations

import inspect
import operator
import pickle
from types import FunctionType
from typing import Any

import pytest

import halfwidth as hw

Y, P = [0, 1] * 20, [i / 40 for i in range(40)]
VALUES = [0.9, 0.8, 0.95, 0.7]


SET = {"y_true": Y, "y_score": P}


@pytest.mark.parametrize(
    ("door", "given", "words"),
    [
        ("summary_ci", {"seed": 1}, "summary_ci() has no option seed; it is called rng"),
        ("metric_ci", SET | {"metric": "auroc", "positive": 1}, "it is called pos_label"),
        ("metric_ci", {"y_true": Y, "y_pred": P, "metric": "f1"}, "it is called y_score"),
        ("metric_ci", SET | {"metric": "f1", "n_jobs": 2}, "n_threads=...) has it"),
        (
            "metric_ci",
            SET | {"metric": "f1", "scores": "any"},
            "estimate(Predictions.from_arrays(y_true, y_score, scores=...), metric=...) has it",
        ),
        (
            "compare",
            {"data": {"A": VALUES, "B": VALUES}, "paired": False},
            "it is called pairing and describes the data: give it where these are made",
        ),
        (
            "rank",
            {"data": {"A": VALUES, "B": VALUES}, "ties": "max"},
            "scheme='rank_then_aggregate:ties=average' says so",
        ),
        ("curve", {"data": Y, "kind": "roc", "random_state": 1}, "it is called rng"),
        ("difference_ci", {"values": VALUES, "n_boot": 9}, "it is called n_resamples"),
        ("runs_ci", {"data": VALUES, "n_bootstrap": 99}, "it is called n_resamples"),
        (
            "confusion_ci",
            {"data": Y, "y_score": P, "alpha": 0.1},
            "it is called confidence_level, which is 1 - alpha (0.9)",
        ),
        ("summary_ci", {"values": VALUES, "level": 0.9}, "it is called confidence_level"),
        ("summary_ci", {"values": VALUES, "labels": "x"}, "did you mean label?"),
        ("summary_ci", {"n_jobs": 2}, "CaseValues.from_arrays(values), n_threads=...) has it"),
        (
            "difference_ci",
            {"over": "clusters"},
            "compare(CaseValues.from_arrays({'A': values, 'B': other}, over=...)) has it",
        ),
        ("proportion_ci", {"label": "x"}, "has no option label; it has successes, n, method, "),
        (
            "compare",
            {"data": {"A": VALUES, "B": VALUES}, "missing": "omit"},
            "it describes the data: give it where these are made (CaseValues, Predictions,",
        ),
        ("compare", {"data": VALUES, "keep_cases": 1}, "results always keep the values of their"),
        ("estimate", {"data": VALUES, "names": ["A"]}, "models are named by the keys of what is"),
        ("rank", {"data": VALUES, "label": "A"}, "models are named by the keys of what is given"),
        ("runs_ci", {"data": VALUES, "bounds": (0, 1)}, "made (CaseValues, Predictions, Readings)"),
        ("gate", {"data": VALUES, "by": "organ"}, "made (CaseValues, Predictions, Readings)"),
        ("proportion_ci", {"count": 3, "nobs": 10}, "it is called successes"),
        ("planning.mean", {"sd": 0.1, "half_width": 0.02}, "did you mean halfwidth?"),
        ("study.open", {"store": "y"}, "open() has no option store; "),
    ],
)
def test_options_of_others_are_met_by_their_own_names(
    door: str, given: dict[str, Any], words: str
) -> None:
    with pytest.raises(hw.OptionError) as caught:
        operator.attrgetter(door)(hw)(**given)
    assert words in str(caught.value)
    assert isinstance(caught.value, TypeError)


def doors() -> list[tuple[Any, str]]:
    found = [(hw, name) for name in hw.__all__]
    found += [(hw.planning, name) for name in hw.planning.__all__]
    found += [(hw.study, name) for name in hw.study.__all__]
    return [
        (where, name) for where, name in found if isinstance(getattr(where, name), FunctionType)
    ]


@pytest.mark.parametrize(("where", "name"), doors(), ids=lambda it: getattr(it, "__name__", it))
def test_every_front_door_is_such_a_one_and_stays_itself(where: Any, name: str) -> None:
    function = getattr(where, name)
    with pytest.raises(hw.OptionError, match=f"^{name}\\(\\) has no option no_such_thing; "):
        function(no_such_thing=1)
    assert getattr(where, name) is function
    assert pickle.loads(pickle.dumps(function)) is function  # noqa: S301 -- our own
    signature = inspect.signature(function)
    assert not {p.kind for p in signature.parameters.values()} & {inspect.Parameter.VAR_KEYWORD}
    assert function.__doc__


@pytest.mark.parametrize(
    ("door", "given", "named", "words"),
    [
        ("summary_ci", (), {}, "summary_ci() lacks values; write summary_ci(values, metric=...)"),
        ("gate", (VALUES, VALUES), {}, "gate() lacks margin; write gate(data, other, margin=...)"),
        (
            "curve",
            (Y, {"A": P}, "roc"),
            {},
            "takes 2 positional arguments (data, kind), got 3; write curve(data, kind, y_score=",
        ),
        ("curve", (Y, P), {"kind": "roc"}, "curve() got kind both by position and by name"),
        ("Predictions.from_table", ({"y": Y},), {}, "lacks target; write Predictions.from_table("),
        ("Predictions.from_arrays", (Y, P, [0, 1]), {}, "takes 2 positional arguments (y_true, "),
        ("planning.mean", (), {}, "mean() lacks sd; write mean(sd, n=...)"),
    ],
)
def test_calls_with_too_many_or_too_few_values_are_written_out(
    door: str, given: tuple[Any, ...], named: dict[str, Any], words: str
) -> None:
    with pytest.raises(hw.OptionError) as caught:
        operator.attrgetter(door)(hw)(*given, **named)
    assert words in str(caught.value)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("n_resamples", "it describes no data, and verbs have it: estimate(data, n_resamples=...)"),
        ("random_state", "verbs have it: estimate(data, rng=...)"),
        ("statistic", "verbs have it: estimate(data, statistic=...)"),
        ("baseline", "verbs have it: compare(data, baseline=...)"),
    ],
)
def test_constructors_say_which_verb_has_an_option(option: str, words: str) -> None:
    from_table: Any = hw.CaseValues.from_table
    with pytest.raises(hw.OptionError) as caught:
        from_table({"dice": VALUES}, "dice", **{option: 1})
    assert words in str(caught.value)


def test_a_curve_has_a_kind_and_no_metric() -> None:
    with pytest.raises(hw.OptionError, match="kind= says which curve it is; estimate"):
        hw.curve(Y, "roc", y_score=P, metric="auroc")  # type: ignore[call-arg]


def test_classes_stay_themselves() -> None:
    assert all(isinstance(getattr(hw, name), type) for name in ("Estimates", "Matching", "Kind"))


# --------------------------------------------------------------------------- look-ups

METRICS = hw.metric_ci(Y, P, metric=["auroc", "f1", "sensitivity"], rng=1, n_resamples=49)
TABLE = hw.estimate(
    hw.CaseValues.from_table({"liver": VALUES, "spleen": VALUES}, metric="dsc"),
    statistic=["mean", "median"],
    rng=1,
)


@pytest.mark.parametrize("name", ["auroc", "AUROC", "roc_auc_score", "delong_logit_t"])
def test_an_estimate_is_found_by_what_it_is_of(name: str) -> None:
    assert METRICS[name] is METRICS[0]
    assert name in METRICS
    assert METRICS["recall"] is METRICS[2]


def test_places_and_slices_go_on_working() -> None:
    assert METRICS[-1].metric == "sensitivity"
    assert [e.metric for e in METRICS[:2]] == ["auroc", "f1"]
    assert METRICS[0] in METRICS
    with pytest.raises(IndexError):
        METRICS[3]


def test_labels_and_statistics_together() -> None:
    assert TABLE["liver", "median"] is TABLE[1]
    assert TABLE["mean DSC", "Spleen"] is TABLE[2]
    with pytest.raises(hw.OptionError) as caught:
        TABLE["liver"]
    assert str(caught.value).startswith(
        "2 estimates match 'liver': liver: mean DSC, liver: median DSC; name more"
    )


def test_what_is_not_there_lists_what_is() -> None:
    with pytest.raises(hw.OptionError) as caught:
        METRICS["aurok"]
    assert str(caught.value) == (
        "no estimate matches 'aurok'; did you mean 'auroc'? there are AUROC, F1, sensitivity"
    )
    assert "aurok" not in METRICS
    assert "" not in METRICS
    with pytest.raises(hw.OptionError, match="there are liver: mean DSC"):
        TABLE["liver", "sd"]
