"""Jobs from matched detections: a functional of each row and the records it is computed on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.objects import ObjectSet
from halfwidth.core.option_names import spelled_both
from halfwidth.core.spec import Metric
from halfwidth.detection.estimation.caution_rules import DetectionCautions
from halfwidth.detection.estimation.context import (
    Codes,
    MatchSummary,
    Units,
    summarise_matches,
)
from halfwidth.detection.estimation.functionals import detection_functional, detection_rows
from halfwidth.detection.estimation.matching_rules import prose_of
from halfwidth.detection.estimation.metric_kinds import needs_matches, unmatched
from halfwidth.detection.estimation.requested_metrics import RequestedMetric
from halfwidth.detection.estimation.thresholds import without_repeats
from halfwidth.detection.forms.declared import ImageSums
from halfwidth.detection.matching.instances import measure, wanted_by
from halfwidth.detection.matching.match import match_many
from halfwidth.detection.matching.match_lists import MatchingRule, MatchLists
from halfwidth.detection.metrics.all_criteria import ASSIGNMENTS, LOCALISATIONS
from halfwidth.estimation.functionals import MetricRow, Policies
from halfwidth.estimation.grouping import arrange_cases
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.records import Functional, Records

# How far the threshold is moved to see whether the result depends on it: an overlap by this much,
# and a distance by this share.
STEP, SHARE = 0.1, 0.2
# What stands for a matching where none is needed.
JOINED = "masks of a class joined"


@frozen(eq=False)
class Sets:
    """Detections and references of the same images and classes."""

    # In the same order of images.
    detections: ObjectSet
    references: ObjectSet
    units: Units
    # Of each image.
    groups: Codes | None = None
    strata: Codes | None = None
    # What is known of each way in which they were matched.
    matched: dict[MatchingRule, MatchSummary] = field(default_factory=dict)


@frozen(eq=False)
class RequestedRow:
    """A metric with the matching that it is computed by."""

    requested: RequestedMetric
    matching: MatchingRule
    # The threshold, where rows go over thresholds.
    by: Mapping[str, Any] = field(default_factory=dict)


_NOT_DRAWN = (
    "not checked how well boxes stand for their objects: drawing the polygons needs "
    "pycocotools (pip install 'halfwidth[detection]')"
)


def jobs_of(
    rows: Sequence[RequestedRow], sets: Sets, averages: Sequence[str] | None, policies: Policies
) -> tuple[list[Job], tuple[str, ...]]:
    """One job for each metric, average, class and threshold; and what is to be said of them."""
    matched = _matched(rows, sets)
    lists = _with_masks(rows, matched, sets)
    jobs: list[Job] = []
    notes: dict[str, None] = dict.fromkeys(_notes_on_scores(rows, sets.detections))
    for row in rows:
        own = lists[row.matching]
        notes |= dict.fromkeys(_notes(row, own))
        summary = matched[_without_thresholds(row.matching)]
        if summary.ragged is None:
            notes[_NOT_DRAWN] = None
        one = _Row(row, own, summary, sets, policies, prose_of(row.matching, sets.references))
        classes = sets.references.classes
        jobs += [one.job(each) for each in detection_rows(row.requested.metric, averages, classes)]
    return jobs, tuple(notes)


# --------------------------------------------------------------------------- matching


def _without_thresholds(matching: MatchingRule) -> MatchingRule:
    return replace(matching, thresholds=())


def _matched(rows: Sequence[RequestedRow], sets: Sets) -> dict[MatchingRule, MatchSummary]:
    """All matchings that rows need, each made once for all thresholds, and what is known of it."""
    thresholds: dict[MatchingRule, list[Sequence[float]]] = {}
    for row in rows:
        wanted = thresholds.setdefault(_without_thresholds(row.matching), [])
        wanted += [row.matching.thresholds, neighbours_of(row)]
    hows = {
        matching: replace(matching, thresholds=without_repeats(wanted))
        for matching, wanted in thresholds.items()
    }
    new = [how for how in hows.values() if how not in sets.matched]
    made = match_many(sets.detections, sets.references, new) if new else []
    for how, lists in zip(new, made, strict=True):
        criterion = LOCALISATIONS[how.localisation]
        sets.matched[how] = summarise_matches(
            sets.detections, sets.references, lists, criterion, sets.units
        )
    return {matching: sets.matched[how] for matching, how in hows.items()}


def neighbours_of(row: RequestedRow) -> tuple[float, ...]:
    """The thresholds beside the only one of a row; none where rows go over thresholds."""
    matching, criterion = row.matching, LOCALISATIONS[row.matching.localisation]
    if len(matching.thresholds) > 1 or row.by or criterion.binary or _measures(row):
        return ()
    strategy = ASSIGNMENTS[matching.assignment]
    if strategy.of_overlap or strategy.localisation:
        return ()
    (threshold,) = matching.thresholds
    if not criterion.of_overlap:
        return (threshold * (1 - SHARE), threshold * (1 + SHARE)) if threshold > 0 else ()
    return tuple(
        round(one, 10) for one in (threshold - STEP, threshold + STEP) if STEP / 2 < one < 1
    )


def at_thresholds(lists: MatchLists, thresholds: Sequence[float]) -> MatchLists:
    """Match lists at some of their thresholds."""
    known = lists.matching.thresholds
    if tuple(thresholds) == known:
        return lists
    places = [known.index(one) for one in thresholds]
    return replace(
        lists,
        matching=replace(lists.matching, thresholds=tuple(thresholds)),
        measured={
            one: values[places] if one.of == "pairs" else values
            for one, values in lists.measured.items()
        },
        outcome=lists.outcome[places],
        reference=lists.reference[places],
        similarity=lists.similarity[places],
    )


def _measures(row: RequestedRow) -> bool:
    """Whether a metric needs to know of masks besides the matches."""
    return bool(wanted_by([row.requested.metric]))


def _with_masks(
    rows: Sequence[RequestedRow], matched: Mapping[MatchingRule, MatchSummary], sets: Sets
) -> dict[MatchingRule, MatchLists]:
    """The lists of each row's thresholds, with what its metric needs of masks, measured once."""
    metrics: dict[MatchingRule, list[Metric]] = {}
    for row in rows:
        metrics.setdefault(row.matching, []).append(row.requested.metric)
    return {
        matching: measure(
            at_thresholds(matched[_without_thresholds(matching)].lists, matching.thresholds),
            sets.detections,
            sets.references,
            wanted,
        )
        for matching, wanted in metrics.items()
    }


def _notes_on_scores(rows: Sequence[RequestedRow], detections: ObjectSet) -> Iterator[str]:
    """Notes on score thresholds that leave no detection, as one of another scale does."""
    scores = [one.score.max() for one in detections.objects if one.score is not None and len(one)]
    for row in rows:
        threshold = row.matching.score_threshold
        if threshold is not None and scores and threshold > max(scores):
            yield (
                f"no detection scores {threshold:g} or more ({spelled_both('score_threshold')}; "
                f"the highest is {max(scores):.3g}): every object is missed"
            )


def _notes(row: RequestedRow, lists: MatchLists) -> Iterator[str]:
    form = row.requested.metric.form
    if isinstance(form, ImageSums) and form.notes is not None:
        for text in form.notes(lists):
            yield f"{row.requested.label or row.requested.metric.spec.display}: {text}"


# --------------------------------------------------------------------------- rows


@frozen(eq=False)
class _Row:
    """A row of the call before its classes and averages are told apart."""

    row: RequestedRow
    lists: MatchLists
    summary: MatchSummary
    sets: Sets
    policies: Policies
    prose: str

    def job(self, one: MetricRow) -> Job:
        """The functional, the records, and what cautions look at."""
        functional = self._functional(one, len(self.lists.matching.thresholds))
        metric, which = self.row.requested.metric, one.which if one.average == "none" else None
        context = DetectionCautions(
            self.summary,
            self.row.matching,
            self.prose if needs_matches(metric) else JOINED,
            which,
            self.policies.absent,
            tuple(self._values_at_neighbours(one)),
            unmatched(metric, self.lists, which),
        )
        classes = self.sets.references.classes
        label = "" if len(classes) == 1 else one.label
        at = [f"at {value:g}" for value in self.row.by.values()]
        return Job(
            functional,
            self._records(functional, self.lists),
            label=", ".join(filter(None, [self.row.requested.label, label, *at])),
            by=self.row.by,
            average=one.average,
            matched=context,
        )

    def _functional(self, one: MetricRow, thresholds: int) -> Functional:
        return detection_functional(one, self.sets.references.classes, thresholds, self.policies)

    def _records(self, functional: Functional, lists: MatchLists) -> Records:
        """Images in the order of their names, so that those of every detector are the same."""
        sets = self.sets
        in_order, design = arrange_cases(
            functional.records(lists),
            sets.groups,
            sets.strata,
            "cases",
            paired=True,
            identities=np.argsort(np.argsort(np.array(lists.images), kind="stable")),
        )
        n_groups = None if sets.groups is None else len(sets.units.names)
        return Records(in_order, design, lists.n_images, n_groups=n_groups)

    def _values_at_neighbours(self, one: MetricRow) -> Iterator[tuple[float, float]]:
        """The value at thresholds beside the only one."""
        for threshold in neighbours_of(self.row):
            lists = at_thresholds(self.summary.lists, (threshold,))
            functional = self._functional(one, 1)
            yield threshold, float(functional.statistic(functional.records(lists)[None])[0])
