"""Results in sentences: each where they are few, else what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from halfwidth.core.formatting import as_beginning, percent
from halfwidth.reports.whole.results import MOST_SENTENCES, Results
from halfwidth.results.comparison import Difference
from halfwidth.results.estimate import Estimate

# Metrics of one test set, each said once, that are still read.
MOST_METRICS = 12
# The caution that the interval and the test of a difference disagree.
DISAGREEMENT = "HW807"
# Tasks of one verdict that are named, not counted.
MOST_NAMED = 12


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
    """One of each difference with what it allows to say; of many, what they allow to say.

    Where its test would be read differently, why.
    """
    compared = list(results.comparisons or ())
    if len(compared) > MOST_SENTENCES:
        return verdict_sentences(compared)
    return [
        " ".join(
            [
                item.sentence(),
                *([item.verdict.sentence] if item.verdict else []),
                *(one.message for one in item.cautions if one.code == DISAGREEMENT),
            ]
        )
        for item in compared
    ]


def verdict_sentences(compared: Sequence[Difference]) -> list[str]:
    """What few differences allow to say; of more, which of them allow what."""
    judged = [one for one in compared if one.verdict is not None]
    if len(judged) <= MOST_SENTENCES:
        return [_verdict(one) for one in judged]
    by_pair: dict[str, dict[str, list[str]]] = {}
    for one in judged:
        by_word = by_pair.setdefault(f"{one.first} against {one.second}{_margin(one)}", {})
        by_word.setdefault(one.verdict.word if one.verdict else "", []).append(one.estimate.label)
    return [
        f"{pair}: {'; '.join(_count_and_labels(word, labels) for word, labels in by_word.items())}."
        for pair, by_word in by_pair.items()
    ]


def _margin(item: Difference) -> str:
    margin = item.verdict.margin if item.verdict else None
    unit = f" {item.metric_spec.unit}" if item.metric_spec.unit and item.effect != "ratio" else ""
    return f" (margin {margin:g}{unit})" if margin else ""


def _count_and_labels(word: str, labels: Sequence[str]) -> str:
    """``inferior in 3 (liver, spleen, stomach)``; of many the number alone."""
    named = list(dict.fromkeys(filter(None, labels)))
    listed = f" ({', '.join(named)})" if 0 < len(named) <= MOST_NAMED else ""
    return f"{word} in {len(labels)}{listed}"


def _verdict(item: Difference) -> str:
    about = f"{item.estimate.label}: " if item.estimate.label else ""
    return f"{about}{item.verdict.sentence}" if item.verdict else ""
