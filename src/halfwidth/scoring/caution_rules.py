"""Reasons to doubt metrics of masks, found on the masks: cautions of a whole run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import shortened
from halfwidth.core.spec import Metric
from halfwidth.metrics.boundaries import ROUNDING
from halfwidth.metrics.boundary import CHENG, SURFACE
from halfwidth.scoring.metric_choice import Wanted
from halfwidth.scoring.scores import CaseScores, LabelScores

__all__ = ["doubts_about"]

# With fewer voxels, one more or less moves the Dice by half a percentage point or more.
TINY = 100
# Sides of a voxel whose lengths differ by this factor make it oblong.
OBLONG = 2.0
SHOWN = 6

MetricsOf = Mapping[str, Sequence[Metric]]


def doubts_about(
    cases: Sequence[CaseScores],
    wanted: Wanted,
    *,
    regions: Collection[str] = (),
    in_voxels: bool = False,
    ignoring: bool = False,
) -> tuple[Caution, ...]:
    """The cautions that a set of scored cases calls for, in the order of their codes.

    Parameters
    ----------
    cases : sequence of CaseScores
    wanted : Wanted
    regions : collection of str
        Labels that are unions, and so in parts by their making.
    in_voxels : bool
        Whether the spacing was said to be 1 rather than read.
    ignoring : bool
        Whether there are voxels that count neither way.
    """
    labels = dict.fromkeys(one.label for case in cases for one in case.labels)
    metrics = {label: wanted.of(label) for label in labels}
    found = (
        _empty(cases),
        _in_parts(cases, regions),
        _tiny(cases, metrics),
        _in_voxels(metrics) if in_voxels else None,
        _oblong(cases, metrics),
        _coarse(cases, metrics),
        _cut(metrics) if ignoring else None,
    )
    return tuple(one for one in found if one is not None)


def _empty(cases: Sequence[CaseScores]) -> Caution | None:
    where = _where(cases, lambda one: one.voxels == 0)
    return caution("HW104", where=where) if where else None


def _in_parts(cases: Sequence[CaseScores], regions: Collection[str]) -> Caution | None:
    where = _where(cases, lambda one: one.parts > 1 and one.label not in regions)
    return caution("HW105", where=where) if where else None


def _tiny(cases: Sequence[CaseScores], metrics: MetricsOf) -> Caution | None:
    # A voxel is next to nothing to specificity, whose denominator is the background.
    names = _names(metrics, lambda m: m.spec.family == "overlap" and m.spec.name != "specificity")
    where = _where(cases, lambda one: 0 < one.voxels < TINY)
    if not names or not where:
        return None
    return caution("HW503", least=TINY, where=where, metrics=names)


def _in_voxels(metrics: MetricsOf) -> Caution | None:
    names = _names(metrics, _needs_spacing)
    return caution("HW504", metrics=names) if names else None


def _needs_spacing(metric: Metric) -> bool:
    return metric.spec.spaced and metric.parameters.get("definition") != CHENG


def _oblong(cases: Sequence[CaseScores], metrics: MetricsOf) -> Caution | None:
    names = _names(
        metrics,
        lambda metric: (
            metric.spec.family == "boundary"
            and metric.parameters.get("definition") not in (SURFACE, CHENG)
        ),
    )
    worst = [max((s for s in _spacings(c)), key=_oblongness, default=(1.0,)) for c in cases]
    oblong = [spacing for spacing in worst if _oblongness(spacing) >= OBLONG]
    if not names or not oblong:
        return None
    most = max(oblong, key=_oblongness)
    return caution(
        "HW505",
        ratio=_oblongness(most),
        spacing=" x ".join(f"{side:.3g}" for side in most),
        count=len(oblong),
        total=len(cases),
        metrics=names,
    )


def _spacings(case: CaseScores) -> list[tuple[float, ...]]:
    return [one.spacing for one in case.labels if one.spacing]


def _oblongness(spacing: tuple[float, ...]) -> float:
    return max(spacing) / min(spacing)


def _coarse(cases: Sequence[CaseScores], metrics: MetricsOf) -> Caution | None:
    longest: dict[str, float] = {}
    for one in (one for case in cases for one in case.labels):
        longest[one.label] = max((longest.get(one.label, 0.0), *(one.spacing or ())))
    below = {
        label: tolerance
        for label, own in metrics.items()
        for tolerance in [_tolerance(own)]
        if tolerance is not None and tolerance < longest.get(label, 0.0) * (1 - ROUNDING)
    }
    if not below:
        return None
    if len(set(below.values())) == 1 and len(below) == len(metrics):
        where = f"{next(iter(below.values())):g} mm"
    else:
        told = [f"{_said(label)} {tolerance:g} mm" for label, tolerance in below.items()]
        where = shortened(told, most=SHOWN)
    most = max(longest[label] for label in below)
    return caution("HW506", where=f"{where} against {most:.3g} mm")


def _said(label: str) -> str:
    """A label that is a number would not read as one."""
    return f"label {label}" if label.isdecimal() else label


def _cut(metrics: MetricsOf) -> Caution | None:
    names = _names(metrics, lambda metric: metric.spec.family == "boundary")
    return caution("HW507", metrics=names) if names else None


def _tolerance(metrics: Iterable[Metric]) -> float | None:
    """The least tolerance of an NSD."""
    return min((m.parameters["tolerance"] for m in metrics if m.spec.name == "nsd"), default=None)


def _names(metrics: MetricsOf, concerned: Callable[[Metric], bool]) -> str:
    """Those of the metrics that a doubt concerns, as prose."""
    every = (metric for own in metrics.values() for metric in own)
    return ", ".join(dict.fromkeys(m.spec.display for m in every if concerned(m)))


def _where(cases: Sequence[CaseScores], holds: Callable[[LabelScores], bool]) -> str:
    """How often something holds, of each label of which it ever does."""
    counts: dict[str, list[int]] = {}
    for case in cases:
        for one in case.labels:
            count = counts.setdefault(one.label, [0, 0])
            count[0] += holds(one)
            count[1] += 1
    told = [f"{_said(label)} ({n} of {total})" for label, (n, total) in counts.items() if n]
    return shortened(told, most=SHOWN)
