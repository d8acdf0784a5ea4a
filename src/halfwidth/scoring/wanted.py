"""Which metrics are wanted of each label, with which parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.errors import OptionError
from halfwidth.core.parameters import bind, parse_name
from halfwidth.core.spec import Metric, MetricSpec, Takes
from halfwidth.metrics.boundary import CHENG
from halfwidth.metrics.catalogue import METRICS
from halfwidth.scoring.tolerances import Tolerances

__all__ = ["MASK_METRICS", "Wanted", "parameter_text", "resolve_wanted", "split_metrics"]

MASK_METRICS: Catalogue[MetricSpec] = Catalogue(
    "metric of masks", tuple(spec for spec in METRICS if spec.takes is Takes.MASKS)
)
ALL = "all"
# What a tolerance is to a metric.
LIMITS = {"nsd": "tolerance", "boundary_iou": "distance"}


@dataclass(frozen=True)
class Wanted:
    """Metrics with the parameters that were given, and tolerances for those that need one.

    Attributes
    ----------
    metrics : tuple of (MetricSpec, mapping)
        Parameters as they were given, checked, without defaults.
    tolerances : Tolerances
    """

    metrics: tuple[tuple[MetricSpec, Mapping[str, float]], ...]
    tolerances: Tolerances

    def of(self, label: str) -> tuple[Metric, ...]:
        """The metrics of a label, every parameter bound.

        Raises
        ------
        OptionError
            If a metric needs a tolerance and none was given for the label.
        """
        return tuple(self._bound(spec, given, label) for spec, given in self.metrics)

    def _bound(self, spec: MetricSpec, given: Mapping[str, float], label: str) -> Metric:
        limit = LIMITS.get(spec.name)
        tolerance = self.tolerances.of(label)
        if _lacks_limit(spec, given):
            if tolerance is None:
                raise _without_limit(spec, f" for label {label!r}")
            given = {**given, str(limit): tolerance}
        if limit == "distance" and given.get(str(limit)) == 0:
            raise OptionError(f"{spec.name}: a band of 0 mm for label {label!r} holds nothing")
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


def split_metrics(texts: Sequence[str]) -> list[str]:
    """Single metrics of lists with commas, which also part the parameters of one metric.

    >>> split_metrics(["dsc,hd:percentile=99,definition=pooled,nsd:2"])
    ['dsc', 'hd:percentile=99,definition=pooled', 'nsd:2']
    """
    found: list[str] = []
    for part in (part.strip() for text in texts for part in text.split(",")):
        name = part.partition(":")[0]
        if "=" in name and found:
            found[-1] += ("," if ":" in found[-1] else ":") + part
        elif part:
            found.append(part)
    return found


def resolve_wanted(texts: Sequence[str], tolerances: Tolerances) -> Wanted:
    """The metrics meant by names with parameters.

    Parameters
    ----------
    texts : sequence of str
        ``"dsc"``, ``"hd:percentile=99"``, lists with commas, or ``"all"``: all but clDice, and
        those that need a tolerance only where there is one.
    tolerances : Tolerances

    Raises
    ------
    UnknownNameError
        For a name that is no metric of masks; proposes the nearest.
    OptionError
        For a parameter that is not allowed, or a metric that is there twice.
    """
    chosen: list[tuple[MetricSpec, dict[str, float]]] = []
    limited = tolerances.default is not None or bool(tolerances.by_label)
    for text in split_metrics(texts):
        if text == ALL:
            every = (spec for spec in MASK_METRICS if spec.name != "cldice")
            chosen += [(spec, {}) for spec in every if limited or spec.name not in LIMITS]
        else:
            chosen.append(_parsed(text))
    if not chosen:
        raise OptionError(f"no metric is named; known: {', '.join(MASK_METRICS.names)}")
    for i, (spec, given) in enumerate(chosen):
        if (spec, given) in chosen[:i]:
            raise OptionError(f"metric {spec.name!r} is named twice; once is enough")
        if _lacks_limit(spec, given) and not limited:
            raise _without_limit(spec)
    return Wanted(tuple(chosen), tolerances)


def _parsed(text: str) -> tuple[MetricSpec, dict[str, float]]:
    name, given = parse_name(text, lambda name: MASK_METRICS[name].parameters)
    spec = MASK_METRICS[name]
    checked = bind(spec.name, spec.parameters, given, complete=False)
    return spec, {key: value for key, value in checked.items() if key in given}


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
