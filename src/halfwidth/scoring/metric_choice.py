"""The metrics to compute for each label, with their parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.parameters import UNIT, bind, parse_name, split_names
from halfwidth.core.spec import Metric, MetricSpec, Takes
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.metrics.boundary import CHENG, VOXELS
from halfwidth.scoring.tolerances import Tolerances

MASK_METRICS: Catalogue[MetricSpec] = Catalogue(
    "metric of masks", (lambda: [spec for spec in METRICS if spec.takes is Takes.MASKS],)
)
ALL = "all"
# The name of the tolerance parameter of each metric that has one.
LIMITS = {
    spec.name: parameter.name
    for spec in MASK_METRICS
    for parameter in spec.parameters
    if parameter.tolerated
}

# A metric and the parameters given for it, checked, without defaults.
ChosenMetric = tuple[MetricSpec, Mapping[str, float]]


@frozen
class MetricChoice:
    """Metrics with the parameters given for them, and tolerances for those that need one."""

    metrics: tuple[ChosenMetric, ...]
    tolerances: Tolerances
    # The metrics that ``all`` left out.
    notes: tuple[str, ...] = ()

    def for_label(self, label: str) -> tuple[Metric, ...]:
        """The metrics of a label with all parameters bound."""
        return tuple(self._bind(spec, parameters, label) for spec, parameters in self.metrics)

    @property
    def in_mm(self) -> list[str]:
        """The metrics that need the size of the voxels."""
        return [
            spec.name
            for spec, parameters in self.metrics
            if spec.spaced and parameters.get("definition") != CHENG
        ]

    def _bind(self, spec: MetricSpec, parameters: Mapping[str, float], label: str) -> Metric:
        limit = LIMITS.get(spec.name)
        tolerance = self.tolerances.for_label(label)
        if _needs_tolerance(spec, parameters):
            if tolerance is None:
                raise _missing_tolerance(spec, f" for label {label!r}")
            parameters = {**parameters, str(limit): tolerance}
        named = {one.name: one.choices[0] for one in spec.parameters if one.named}
        parameters = {**named, **parameters}
        return Metric(spec, bind(spec.name, spec.parameters, parameters, complete=True))


def _needs_tolerance(spec: MetricSpec, parameters: Mapping[str, float]) -> bool:
    limit = LIMITS.get(spec.name)
    return limit is not None and limit not in parameters and parameters.get("definition") != CHENG


def _missing_tolerance(spec: MetricSpec, where: str = "") -> OptionError:
    limit = LIMITS[spec.name]
    return OptionError(
        f"{spec.name} needs a {limit} in mm{where}: {spelled('tolerance', 3)}, one for each label "
        f"in a file ({spelled('tolerance_file')}), or {spec.name}:{limit}=3"
    )


def choose_metrics(texts: Sequence[str], tolerances: Tolerances, *, ignoring: bool) -> MetricChoice:
    """Resolve names with parameters to metrics.

    ``"dsc"``, ``"hd:percentile=99"``, lists with commas, or ``"all"``: all but clDice, and those
    that need a tolerance only where there is one. ``ignoring``: whether some voxels are ignored,
    which specificity does not allow.
    """
    has_tolerance = tolerances.default is not None or bool(tolerances.by_label)
    excluded = {spec.name: "slow" for spec in MASK_METRICS if spec.slow}
    if not has_tolerance:
        excluded |= dict.fromkeys(LIMITS, "no tolerance")
    if ignoring:
        excluded |= {s.name: "some voxels are ignored" for s in MASK_METRICS if s.of_background}
    names = split_names(texts)
    chosen: list[ChosenMetric] = []
    for text in names:
        every: list[ChosenMetric] = [
            (spec, {}) for spec in MASK_METRICS if spec.name not in excluded
        ]
        chosen += every if text == ALL else [_parse_metric(text)]
    if not chosen:
        raise OptionError(f"no metric is named; known: {', '.join(MASK_METRICS.names)}")
    _check_together(chosen, tolerances, has_tolerance=has_tolerance, ignoring=ignoring)
    left_out = ", ".join(f"{name} ({why})" for name, why in excluded.items())
    notes = (f"'all' leaves out {left_out}",) if ALL in names else ()
    return MetricChoice(tuple(chosen), tolerances, notes)


def _check_together(
    chosen: Sequence[ChosenMetric], tolerances: Tolerances, *, has_tolerance: bool, ignoring: bool
) -> None:
    seen = []
    for spec, parameters in chosen:
        if _needs_tolerance(spec, parameters) and not has_tolerance:
            raise _missing_tolerance(spec)
        if ignoring and spec.of_background:
            raise OptionError(
                f"{spec.name} counts all background, but voxels labelled 'ignore' count neither "
                "way; leave one of the two out"
            )
        bound = dict(parameters)
        if _needs_tolerance(spec, parameters) and tolerances.default is not None:
            bound[LIMITS[spec.name]] = tolerances.default
        if (spec.name, bound) in seen:
            raise OptionError(f"metric {spec.name!r} is named twice; once is enough")
        seen.append((spec.name, bound))
    if has_tolerance and not any(_needs_tolerance(spec, parameters) for spec, parameters in chosen):
        raise OptionError(
            f"{spelled('tolerance')} has no effect: no {' or '.join(LIMITS)} is computed that does "
            "not have its own"
        )


def _parse_metric(text: str) -> ChosenMetric:
    """A metric, and those of its given parameters that differ from the default."""
    name, parameters = parse_name(text, lambda name: MASK_METRICS[name].parameters)
    spec = MASK_METRICS[name]
    if UNIT.name in parameters:
        raise OptionError(
            f"{text!r}: the unit is that of the spacing; {spelled('spacing', 1)} is voxels"
        )
    checked = bind(spec.name, spec.parameters, parameters, complete=False)
    usual = {parameter.name: parameter.default for parameter in spec.parameters}
    usual |= {"definition": VOXELS} if "definition" in usual else {}
    return spec, {key: value for key, value in checked.items() if value != usual[key]}


def parameter_text(metric: Metric) -> str:
    """The parameters of a metric that are not the default, as text for the table.

    >>> parameter_text(Metric(METRICS["nsd"], {"tolerance": 3.0, "definition": 2.0}))
    'tolerance=3;definition=surface'
    """
    return ";".join(
        f"{parameter.name}={parameter.word(metric.parameters[parameter.name])}"
        for parameter in metric.spec.parameters
        if metric.parameters.get(parameter.name, parameter.default) != parameter.default
    )
