"""Caution rules of masks: what the masks of a run show about its metrics."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import shortened
from halfwidth.core.spec import Metric
from halfwidth.metrics.boundary import CHENG, SURFACE
from halfwidth.metrics.boundary_geometry import ROUNDING
from halfwidth.metrics.boundary_overlap import nsd
from halfwidth.scoring.metric_choice import MetricChoice
from halfwidth.scoring.scores import CaseScores, LabelScores

# With fewer voxels, one more or less moves the Dice by half a percentage point or more.
TINY_VOXELS = 100
# Sides of a voxel whose lengths differ by this factor make it oblong.
ANISOTROPIC = 2.0
SHOWN = 6

MetricsOf = Mapping[str, Sequence[Metric]]


def mask_cautions(
    cases: Sequence[CaseScores],
    choice: MetricChoice,
    *,
    regions: Collection[str] = (),
    in_voxels: bool = False,
    ignoring: bool = False,
) -> tuple[Caution, ...]:
    """The cautions about a set of scored cases, in the order of their codes.

    ``regions`` are unions of structures, of which several components are expected; ``in_voxels``
    says that the spacing given is 1, and ``ignoring`` that some voxels are ignored.
    """
    labels = dict.fromkeys(one.label for case in cases for one in case.labels)
    metrics = {label: choice.for_label(label) for label in labels}
    raised = (
        _empty_references(cases),
        _several_components(cases, regions),
        _tiny_structures(cases, metrics),
        _distances_in_voxels(metrics) if in_voxels else None,
        _anisotropic_voxels(cases, metrics),
        _tolerance_below_voxel(cases, metrics),
        _cut_boundaries(metrics) if ignoring else None,
    )
    return tuple(one for one in raised if one is not None)


def _empty_references(cases: Sequence[CaseScores]) -> Caution | None:
    where = _frequencies(cases, lambda one: one.voxels == 0)
    return caution("HW104", where=where) if where else None


def _several_components(cases: Sequence[CaseScores], regions: Collection[str]) -> Caution | None:
    where = _frequencies(cases, lambda one: one.components > 1 and one.label not in regions)
    return caution("HW105", where=where) if where else None


def _tiny_structures(cases: Sequence[CaseScores], metrics: MetricsOf) -> Caution | None:
    # A voxel hardly changes specificity, whose denominator is the background.
    names = _concerned_metrics(
        metrics, lambda m: m.spec.family == "overlap" and not m.spec.of_background
    )
    where = _frequencies(cases, lambda one: 0 < one.voxels < TINY_VOXELS)
    if not names or not where:
        return None
    return caution("HW503", least=TINY_VOXELS, where=where, metrics=names)


def _distances_in_voxels(metrics: MetricsOf) -> Caution | None:
    names = _concerned_metrics(metrics, _needs_spacing)
    return caution("HW504", metrics=names) if names else None


def _needs_spacing(metric: Metric) -> bool:
    return metric.spec.spaced and metric.parameters.get("definition") != CHENG


def _anisotropic_voxels(cases: Sequence[CaseScores], metrics: MetricsOf) -> Caution | None:
    names = _concerned_metrics(
        metrics,
        lambda metric: (
            metric.spec.family == "boundary"
            and metric.parameters.get("definition") not in (SURFACE, CHENG)
        ),
    )
    worst = [
        max((one.spacing for one in case.labels if one.spacing), key=_anisotropy, default=(1.0,))
        for case in cases
    ]
    oblong = [spacing for spacing in worst if _anisotropy(spacing) >= ANISOTROPIC]
    if not names or not oblong:
        return None
    most = max(oblong, key=_anisotropy)
    return caution(
        "HW505",
        ratio=_anisotropy(most),
        spacing=" x ".join(f"{side:.3g}" for side in most),
        count=len(oblong),
        total=len(cases),
        metrics=names,
    )


def _anisotropy(spacing: tuple[float, ...]) -> float:
    return max(spacing) / min(spacing)


def _tolerance_below_voxel(cases: Sequence[CaseScores], metrics: MetricsOf) -> Caution | None:
    longest: dict[str, float] = {}
    for one in (one for case in cases for one in case.labels):
        longest[one.label] = max((longest.get(one.label, 0.0), *(one.spacing or ())))
    below = {
        label: tolerance
        for label, metrics_of_label in metrics.items()
        for tolerance in [_smallest_tolerance(metrics_of_label)]
        if tolerance is not None and tolerance < longest.get(label, 0.0) * (1 - ROUNDING)
    }
    if not below:
        return None
    if len(set(below.values())) == 1 and len(below) == len(metrics):
        where = f"{next(iter(below.values())):g} mm"
    else:
        texts = [f"{_label_words(label)} {tolerance:g} mm" for label, tolerance in below.items()]
        where = shortened(texts, most=SHOWN)
    most = max(longest[label] for label in below)
    return caution("HW506", where=f"{where} against {most:.3g} mm")


def _label_words(label: str) -> str:
    """``label 3`` for a label that is a number, since ``3`` alone would not read as a label."""
    return f"label {label}" if label.isdecimal() else label


def _cut_boundaries(metrics: MetricsOf) -> Caution | None:
    names = _concerned_metrics(metrics, lambda metric: metric.spec.family == "boundary")
    return caution("HW507", metrics=names) if names else None


def _smallest_tolerance(metrics: Iterable[Metric]) -> float | None:
    """The smallest tolerance of an NSD."""
    return min(
        (m.parameters["tolerance"] for m in metrics if m.spec.name == nsd.__name__), default=None
    )


def _concerned_metrics(metrics: MetricsOf, concerned: Callable[[Metric], bool]) -> str:
    """The names of the metrics that a caution concerns, as prose."""
    every = (metric for metrics_of_label in metrics.values() for metric in metrics_of_label)
    return ", ".join(dict.fromkeys(m.spec.display for m in every if concerned(m)))


def _frequencies(cases: Sequence[CaseScores], holds: Callable[[LabelScores], bool]) -> str:
    """Each label with at least one case for which ``holds``, and in how many of its cases."""
    counts: dict[str, list[int]] = {}
    for case in cases:
        for one in case.labels:
            count = counts.setdefault(one.label, [0, 0])
            count[0] += holds(one)
            count[1] += 1
    texts = [f"{_label_words(label)} ({n} of {total})" for label, (n, total) in counts.items() if n]
    return shortened(texts, most=SHOWN)
