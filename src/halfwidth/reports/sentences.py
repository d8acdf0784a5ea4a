"""Results in sentences: each where they are few, else what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from halfwidth.core.formatting import as_beginning, percent
from halfwidth.reports.results import MOST_SENTENCES, Results
from halfwidth.results.comparison import Difference
from halfwidth.results.comparison_words import families_of, family_sentence
from halfwidth.results.estimate import Estimate

# Metrics of one test set, each said once, that are still read.
MOST_METRICS = 12
# The caution that the interval and the test of a difference disagree.
DISAGREEMENT = "HW807"


def estimate_sentences(results: Results) -> list[str]:
    """One of each estimate, or the range of those of one subject where there are many."""
    estimates = list(results.estimates)
    by_subject: dict[str, list[Estimate]] = {}
    for one in estimates:
        by_subject.setdefault(one.subject, []).append(one)
    once = len(by_subject) == len(estimates) <= MOST_METRICS
    if once or len(estimates) <= MOST_SENTENCES:
        return [one.sentence() for one in estimates]
    return [_range(some) for some in by_subject.values()]


def _range(estimates: Sequence[Estimate]) -> str:
    """The least and the greatest of estimates of one subject, with what they are of."""
    if len(estimates) == 1:
        return estimates[0].sentence()
    known = sorted((one for one in estimates if one.value == one.value), key=_value)
    about = as_beginning(estimates[0].subject)
    if not known:
        return f"{about}: {len(estimates)} estimates, none of which is defined."
    return (
        f"{about} ranges from {_with_interval(known[0])} to {_with_interval(known[-1])} among "
        f"{len(estimates)} estimates (n = {span(one.n for one in estimates)})."
    )


def span(counts: Iterable[int]) -> str:
    """Counts from the least to the greatest.

    >>> span([12, 12]), span([12, 7, 9])
    ('12', '7 to 12')
    """
    each = set(counts)
    return f"{min(each)} to {max(each)}" if len(each) > 1 else f"{min(each)}"


def _value(estimate: Estimate) -> float:
    return estimate.value


def _with_interval(e: Estimate) -> str:
    unit = f" {e.metric_spec.unit}" if e.metric_spec.unit else ""
    level, label = percent(e.confidence_level), f"{e.label}; " if e.label else ""
    return f"{e.text_of(e.value)}{unit} ({label}{level} CI {e.ends_text})"


def difference_sentences(results: Results) -> list[str]:
    """One of each difference with what it allows to say; of many, one of each family.

    Where a test that was asked for would be read differently, why.
    """
    compared = list(results.comparisons or ())
    if len(compared) > MOST_SENTENCES:
        return verdict_sentences(compared)
    return [
        " ".join(
            [item.sentence(), *(one.message for one in item.cautions if one.code == DISAGREEMENT)]
        )
        for item in compared
    ]


def verdict_sentences(compared: Sequence[Difference]) -> list[str]:
    """What the comparisons of each family allow to say."""
    judged = [one for one in compared if one.verdict is not None]
    return [family_sentence(family) for family in families_of(judged)]
