"""What tables hold of each model, put together to families."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from halfwidth.core.errors import DataError, quoted, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.metric_spec import UNNAMED
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Kind, Metric
from halfwidth.core.titles import metric_title
from halfwidth.data.families import Family, ModelCases
from halfwidth.metrics.names import CustomMetric


@frozen(eq=False)
class TablePart:
    """What a table holds of one model in one family."""

    # The same for all parts of a family.
    key: tuple[Any, ...]
    by: Mapping[str, Any]
    label: str
    metric: Metric | CustomMetric
    model: ModelCases


def families_of(parts: Sequence[TablePart], pairing: str) -> tuple[list[Family], list[str]]:
    """Families in their order of appearance, and the models that some of them lack."""
    names = list(dict.fromkeys(part.model.name for part in parts))
    by_key: dict[tuple[Any, ...], list[TablePart]] = {}
    for part in parts:
        by_key.setdefault(part.key, []).append(part)
    families, notes = [], []
    for members in by_key.values():
        first = members[0]
        place = f"{first.label}: " if first.label else ""
        counts = Counter(part.model.name for part in members)
        if repeated := [name for name, count in counts.items() if count > 1]:
            raise DataError(
                f"{place}model(s) {quoted(repeated)} are in more than one table; give each model "
                "once"
            )
        lacking = [name for name in names if name not in counts]
        if lacking and pairing != "common":
            raise DataError(_incomplete_family(first, place, lacking, parts))
        if lacking:
            notes.append(f"{place}no rows of {shortened(lacking, 5)}")
            if len(members) == 1:
                continue
        families.append(
            Family(
                tuple(part.model for part in members),
                _common_metric(members),
                first.label,
                first.by,
            )
        )
    if not families:
        raise DataError(f"nothing to compare: {'; '.join(notes)}")
    return families, notes


def _incomplete_family(
    first: TablePart, place: str, lacking: Sequence[str], parts: Sequence[TablePart]
) -> str:
    """What to say of a family that some models have no rows for."""
    metrics: dict[str, dict[str, None]] = {}
    for part in parts:
        metrics.setdefault(part.model.name, {})[_title(part.metric)] = None
    own, other = (list(metrics[name]) for name in (first.model.name, lacking[0]))
    if not set(own) & set(other):
        better = {_plain(part.metric).spec.better for part in parts}
        opposite = "; one is better when larger, the other when smaller"
        return (
            f"{first.model.name} has {shortened(own, 3)} and {lacking[0]} has "
            f"{shortened(other, 3)}: different metrics cannot be compared"
            + (opposite if len(better) > 1 else "")
        )
    return (
        f"{place}no rows of {_title(first.metric)} for {shortened(lacking, 5)}, which other levels "
        f"have. Leave such levels out of the table; {spelled('pairing', 'common')} compares the "
        "models that are there, if there are at least two"
    )


def _plain(metric: Metric | CustomMetric) -> Metric:
    return metric.metric if isinstance(metric, CustomMetric) else metric


def _title(metric: Metric | CustomMetric) -> str:
    return metric_title(_plain(metric)) or "values"


def _common_metric(members: Sequence[TablePart]) -> Metric | CustomMetric:
    """The metric of all members; whether unnamed values are proportions is seen in all together."""
    metrics = [part.metric for part in members]
    if all(one == metrics[0] for one in metrics):
        return metrics[0]
    # Of one model all cases are right or wrong, and others have values between.
    names = {_plain(one).spec.name for one in metrics}
    between = [one for one in metrics if _plain(one).spec.kind is not Kind.BINARY]
    same = len(names) == 1 and all(one == between[0] for one in between)
    return between[0] if same else Metric(UNNAMED)
