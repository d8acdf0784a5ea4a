"""Which metrics are wanted of each label, with which parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.errors import OptionError
from halfwidth.core.parameters import UNIT, bind, parse_name, split_names
from halfwidth.core.spec import Metric, MetricSpec, Takes
from halfwidth.metrics.boundary import CHENG, VOXELS
from halfwidth.metrics.catalogue import METRICS
from halfwidth.scoring.tolerances import Tolerances

__all__ = ["MASK_METRICS", "Wanted", "parameter_text", "resolve_wanted"]

MASK_METRICS: Catalogue[MetricSpec] = Catalogue(
    "metric of masks", tuple(spec for spec in METRICS if spec.takes is Takes.MASKS)
)
ALL = "all"
# What a tolerance is called by the metrics that take one.
LIMITS = {
    spec.name: parameter.name
    for spec in MASK_METRICS
    for parameter in spec.parameters
    if parameter.tolerated
}

Given = tuple[MetricSpec, Mapping[str, float]]


@dataclass(frozen=True)
class Wanted:
    """Metrics with the parameters that were given, and tolerances for those that need one.

    Attributes
    ----------
    metrics : tuple of (MetricSpec, mapping)
        Parameters as they were given, checked, without defaults.
    tolerances : Tolerances
    notes : tuple of str
        What ``all`` left out.
    """

    metrics: tuple[Given, ...]
    tolerances: Tolerances
    notes: tuple[str, ...] = ()

    def of(self, label: str) -> tuple[Metric, ...]:
        """The metrics of a label, every parameter bound.

        Raises
        ------
        OptionError
            If a metric needs a tolerance and none was given for the label.
        """
        return tuple(self._bound(spec, given, label) for spec, given in self.metrics)

    @property
    def in_mm(self) -> list[str]:
        """The metrics that need the size of the voxels."""
        return [
            spec.name
            for spec, given in self.metrics
            if spec.spaced and given.get("definition") != CHENG
        ]

    def _bound(self, spec: MetricSpec, given: Mapping[str, float], label: str) -> Metric:
        limit = LIMITS.get(spec.name)
        tolerance = self.tolerances.of(label)
        if _lacks_limit(spec, given):
            if tolerance is None:
                raise _without_limit(spec, f" for label {label!r}")
            given = {**given, str(limit): tolerance}
        return Metric(spec, bind(spec.name, spec.parameters, given, complete=True))


def _lacks_limit(spec: MetricSpec, given: Mapping[str, float]) -> bool:
    limit = LIMITS.get(spec.name)
    return limit is not None and limit not in given and given.get("definition") != CHENG


def _without_limit(spec: MetricSpec, where: str = "") -> OptionError:
    limit = LIMITS[spec.name]
    return OptionError(
        f"{spec.name} needs a {limit} in mm{where}: tolerance=3 (--tolerance 3), one for each "
        f"label in a file (--tolerance-file), or {spec.name}:{limit}=3"
    )


def resolve_wanted(
    texts: Sequence[str], tolerances: Tolerances, *, ignoring: bool = False
) -> Wanted:
    """The metrics meant by names with parameters.

    Parameters
    ----------
    texts : sequence of str
        ``"dsc"``, ``"hd:percentile=99"``, lists with commas, or ``"all"``: all but clDice, and
        those that need a tolerance only where there is one.
    tolerances : Tolerances
    ignoring : bool
        Whether there are voxels that count neither way, which specificity cannot do without.

    Raises
    ------
    UnknownNameError
        For a name that is no metric of masks; proposes the nearest.
    OptionError
        For a parameter that is not allowed, a metric that is there twice, or one that needs what
        is not there.
    """
    limited = tolerances.default is not None or bool(tolerances.by_label)
    spare = {spec.name: "slow" for spec in MASK_METRICS if spec.slow}
    if not limited:
        spare |= dict.fromkeys(LIMITS, "no tolerance")
    if ignoring:
        spare |= {s.name: "some voxels are ignored" for s in MASK_METRICS if s.of_background}
    split = split_names(texts)
    chosen: list[Given] = []
    for text in split:
        every: list[Given] = [(spec, {}) for spec in MASK_METRICS if spec.name not in spare]
        chosen += every if text == ALL else [_parsed(text)]
    if not chosen:
        raise OptionError(f"no metric is named; known: {', '.join(MASK_METRICS.names)}")
    _check_together(chosen, tolerances, limited=limited, ignoring=ignoring)
    left_out = ", ".join(f"{name} ({why})" for name, why in spare.items())
    notes = (f"'all' leaves out {left_out}",) if ALL in split else ()
    return Wanted(tuple(chosen), tolerances, notes)


def _check_together(
    chosen: Sequence[Given], tolerances: Tolerances, *, limited: bool, ignoring: bool
) -> None:
    seen = []
    for spec, given in chosen:
        if _lacks_limit(spec, given) and not limited:
            raise _without_limit(spec)
        if ignoring and spec.of_background:
            raise OptionError(
                f"{spec.name} counts all background, and voxels labelled 'ignore' are neither way; "
                "leave one of the two out"
            )
        bound = dict(given)
        if _lacks_limit(spec, given) and tolerances.default is not None:
            bound[LIMITS[spec.name]] = tolerances.default
        if (spec.name, bound) in seen:
            raise OptionError(f"metric {spec.name!r} is named twice; once is enough")
        seen.append((spec.name, bound))
    if limited and not any(_lacks_limit(spec, given) for spec, given in chosen):
        raise OptionError(
            f"tolerance= (--tolerance) has no effect: no {' or '.join(LIMITS)} is wanted that does "
            "not have its own"
        )


def _parsed(text: str) -> Given:
    """A metric, and the parameters that were given and are not the default anyway."""
    name, given = parse_name(text, lambda name: MASK_METRICS[name].parameters)
    spec = MASK_METRICS[name]
    if UNIT.name in given:
        raise OptionError(
            f"{text!r}: the unit is that of the spacing; spacing=1 (--spacing 1) is voxels"
        )
    checked = bind(spec.name, spec.parameters, given, complete=False)
    usual = {parameter.name: parameter.default for parameter in spec.parameters}
    usual |= {"definition": VOXELS} if "definition" in usual else {}
    return spec, {key: value for key, value in checked.items() if value != usual[key]}


def parameter_text(metric: Metric) -> str:
    """Parameters of a metric as the table says them: those that are not the default.

    >>> parameter_text(Metric(METRICS["nsd"], {"tolerance": 3.0, "definition": 2.0}))
    'tolerance=3;definition=surface'
    """
    return ";".join(
        f"{parameter.name}={parameter.word(metric.parameters[parameter.name])}"
        for parameter in metric.spec.parameters
        if metric.parameters.get(parameter.name, parameter.default) != parameter.default
    )
