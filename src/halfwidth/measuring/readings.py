"""Readings: a model and its raters, and what is computed of each pair of readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from halfwidth.core.errors import DataError, OptionError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import Door, current_door, flag_of, spelled
from halfwidth.core.types import Scores
from halfwidth.data.families import Family
from halfwidth.data.predictions import PredictionTables
from halfwidth.data.reader_pairs import Raters, pair_name
from halfwidth.data.readings import OF_A_TRUTH, PairValues, Readings
from halfwidth.data.test_set_options import TestSetOptions
from halfwidth.estimation.resolve import Request, resolve_request
from halfwidth.measuring import case_values
from halfwidth.measuring.jobs import FamilyJobs
from halfwidth.measuring.matching import matched
from halfwidth.measuring.plans import FamilyPlan, Matched, MetricPlan, plans_of_metrics
from halfwidth.measuring.predictions import families_by_metric
from halfwidth.measuring.quantities import Quantities
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS

DATA = Readings
MATCHED_WHEN_READ = False


def request(readings: Readings, **inference: Any) -> Request:
    """What all estimates of a verb share: the policy of these data, and its inference."""
    source = readings.source
    if isinstance(source, PairValues):
        return case_values.request(source.values, **inference)
    return resolve_request(missing=readings.missing, **inference)


def families(
    readings: Readings, quantities: Quantities, how: Matched
) -> tuple[Sequence[FamilyPlan], list[str]]:
    """The readers of each level and metric, to be measured, and notes on what was read."""
    raters, source = readings.raters, readings.source
    if isinstance(source, PairValues):
        pairs, notes = case_values.families(source.values, quantities, how)
        for one in pairs:
            check_pairs(one.family, raters)
        return pairs, notes
    if source.has_target:
        raise OptionError(
            f"{spelled('truth')} has no effect on the agreement of a model with its raters. "
            f"{OF_A_TRUTH}"
        )
    plans = _plans(quantities, readings.options)
    has_scores = isinstance(source, PredictionTables) and source.where.scores
    if has_scores and not all(one.numbers for one in plans):
        raise OptionError(
            "a metric of classes compares labels, and readers gave scores: name the column of "
            f"labels ({spelled('label')}), or a metric of numbers"
        )
    labelled, notes = families_by_metric(source, plans, how)
    return [compared_readers(one, raters) for one in labelled], notes


def _refuse_metric_of_cases(metric: Any) -> None:
    """Refuse metrics that have a value for each case, as labels have none."""
    name = metric.partition(":")[0] if isinstance(metric, str) else ""
    if name in METRICS and name not in SAMPLE_METRICS:
        at_line = current_door() is Door.COMMAND_LINE
        how = f"{flag_of('pairs')} COLUMN,COLUMN" if at_line else "Readings.from_pairs"
        raise OptionError(
            f"{name} has a value for each case and pair of readers: give a table of these values, "
            f"and the columns that say who is compared with whom ({how})"
        )


def _plans(quantities: Quantities, options: TestSetOptions) -> list[MetricPlan]:
    """What is computed of what two readers said, by each metric: of labels, or of numbers."""
    if quantities.metric is None:
        raise OptionError(
            f"{spelled('metric')} is missing: what agreement is measured by, such as cohen_kappa"
        )
    for metric in quantities.metrics:
        _refuse_metric_of_cases(metric)
    kinds: tuple[Scores, Scores] = ("labels", "numbers")
    labels, numbers = (
        plans_of_metrics(
            quantities.metrics, quantities.averages, replace(options, scores=kind), None
        )
        for kind in kinds
    )
    return [other if one.numbers else one for one, other in zip(labels, numbers, strict=True)]


@frozen(eq=False)
class ComparedReaders(FamilyPlan):
    """A model and its raters, who labelled the same cases, by one metric."""

    raters: Raters

    def measured(self, how: Matched) -> list[FamilyJobs]:
        """The pairs of readers, on the cases that all of them labelled."""
        family = matched(self.family, how.pairing, values=False)
        readings = {one.name: one for one in family.models}
        # Each pair is a model, whose target is what its second member said.
        pairs = tuple(
            replace(
                readings[prediction],
                name=pair_name(prediction, reference),
                target=readings[reference].predictions,
            )
            for prediction, reference in self.raters.pairs
        )
        return self.plan.measured_as_matched(replace(family, models=pairs), how)


def compared_readers(readers: FamilyPlan, raters: Raters) -> ComparedReaders:
    """The model and its raters, in this order; each has to have readings."""
    family = readers.family
    by_name = {one.name: one for one in family.models}
    wanted = [raters.model, *raters.names]
    lacking = [name for name in wanted if name not in by_name]
    if lacking:
        raise DataError(f"{family.place}no readings of {shortened(lacking, 5)}")
    ordered = replace(family, models=tuple(by_name[name] for name in wanted))
    return ComparedReaders(ordered, readers.plan, raters)


def check_pairs(family: Family, raters: Raters) -> None:
    """Refuse a family in which a pair is lacking, of two raters in both orders."""
    names = {one.name for one in family.models}
    for one, other in raters.pairs:
        if names.isdisjoint({pair_name(one, other), pair_name(other, one)}):
            raise DataError(f"{family.place}no rows of {one!r} with {other!r}")
