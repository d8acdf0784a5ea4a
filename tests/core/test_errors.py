"""Errors say what was given, what is known, and what was probably meant."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import halfwidth as hw
from halfwidth.core.errors import closest, quoted, shortened

CHOICES = ["mean", "median", "trimmed_mean"]


@pytest.mark.parametrize("kind", [hw.DataError, hw.OptionError, hw.UnknownNameError])
def test_every_error_of_ours_is_a_value_error(kind: type[Exception]) -> None:
    assert issubclass(kind, hw.HalfwidthError)
    assert issubclass(kind, ValueError)


def test_an_unknown_name_is_an_option_error_with_a_proposal_and_the_choices() -> None:
    error = hw.UnknownNameError("statistic", "medain", CHOICES)
    assert isinstance(error, hw.OptionError)
    assert str(error) == (
        "unknown statistic 'medain'; did you mean 'median'? Known: mean, median, trimmed_mean."
    )


def test_a_name_near_nothing_gets_no_proposal() -> None:
    error = hw.UnknownNameError("statistic", "xyz", CHOICES)
    assert str(error) == "unknown statistic 'xyz'. Known: mean, median, trimmed_mean."


def test_synonyms_are_proposed_but_not_listed() -> None:
    error = hw.UnknownNameError("metric", "jacard", ["iou"], synonyms=["jaccard"], hint="Hint.")
    assert str(error) == "unknown metric 'jacard'; did you mean 'jaccard'? Known: iou. Hint."


def test_hundreds_of_choices_are_cut_short() -> None:
    text = str(hw.UnknownNameError("column", "nope", [f"organ {i}" for i in range(300)]))
    assert "and 270 more" in text
    assert len(text) < 500


@pytest.mark.parametrize(
    ("given", "near"),
    [("medain", "median"), ("MEDIAN", "median"), ("Mean", "mean"), ("xyz", None), ("", None)],
)
def test_closest(given: str, near: str | None) -> None:
    assert closest(given, CHOICES) == near


def test_closest_keeps_the_spelling_of_the_choice() -> None:
    assert closest("dice", ["Case", "Dice"]) == "Dice"


def test_closest_of_nothing_is_nothing() -> None:
    assert closest("dice", []) is None


def test_quoted_shows_blanks_and_control_characters() -> None:
    assert quoted(["a b", "\x1b[31m"]) == r"'a b', '\x1b[31m'"


@pytest.mark.parametrize(
    ("most", "text"), [(3, "1, 2, 3"), (2, "1, 2 and 1 more"), (1, "1 and 2 more")]
)
def test_shortened(most: int, text: str) -> None:
    assert shortened([1, 2, 3], most=most) == text


@pytest.mark.parametrize("given", [{"mean": 0.8, "metric": "dcs"}, {"mean": 1.2, "metric": "dsc"}])
def test_an_error_of_a_worker_arrives_whole(given: dict[str, Any]) -> None:
    with pytest.raises(hw.HalfwidthError) as raised:
        hw.planning.review(50, **given)
    error = raised.value
    received = pickle.loads(pickle.dumps(error))  # noqa: S301 -- pickled in the line itself
    assert type(received) is type(error)
    assert (str(received), vars(received)) == (str(error), vars(error))


def test_a_parameter_given_twice_is_an_error() -> None:
    with pytest.raises(hw.OptionError, match="max_fpr is given twice"):
        hw.metric_ci([0, 1], [0.2, 0.3], metric="auroc:max_fpr=0.1,max_fpr=0.2")
    with pytest.raises(hw.OptionError, match="tolerance is given twice"):
        hw.summary_ci([0.2, 0.3, 0.1], metric="nsd:2,tolerance=3")
