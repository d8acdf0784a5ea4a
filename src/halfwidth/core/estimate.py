"""Results: an estimate with its interval, and collections of estimates."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from halfwidth.core.cautions import Caution
from halfwidth.core.formatting import decimals_for, fixed, percent
from halfwidth.core.spec import Kind, MethodSpec, Metric, MetricSpec, Need, Statistic
from halfwidth.core.types import Array, Bounds, Level

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SCHEMA_VERSION", "Cases", "ConfidenceInterval", "Estimate", "Estimates"]

SCHEMA_VERSION = 1
# How a design qualifies a method.
DESIGN_WORDS = {
    "clustered": "cluster",
    "stratified": "stratified",
    "clustered within strata": "stratified cluster",
    "paired": "paired",
}


class ConfidenceInterval(NamedTuple):
    """The bounds as SciPy names them."""

    low: float
    high: float


@dataclass(frozen=True, repr=False)
class Estimate:
    """A number with its confidence interval and the reasons to doubt it.

    Attributes
    ----------
    value : float
        The statistic on the cases given, in the metric's unit; NaN where undefined.
    low, high : float
        The bounds, in the same unit; NaN where the method gives no interval, infinite on the open
        side of a one-sided interval of an unbounded metric.
    level : Level
        Confidence level and alternative.
    metric_spec : Metric
    statistic_spec : Statistic
    method_spec : MethodSpec
        The method used, under its own name also where ``auto`` chose it.
    n : int
        Cases that the value rests on.
    n_missing : int
        Values that were missing or infinite.
    missing : str
        The policy for those.
    n_not_applicable : int
        Rows left out because the metric does not apply to them.
    label : str
        What the row is about: a column, or the levels of ``by``.
    by : mapping
        The levels of ``by``, apart.
    standard_error : float
        The method's standard error; NaN where it has none.
    n_resamples : int or None
        None where the bootstrap distribution is exact or no bootstrap was used.
    n_undefined : int
        Resamples on which the statistic was undefined.
    seed : int or None
        Passing it as ``rng`` reproduces the draws; None where nothing was drawn.
    design : str
        How cases were resampled or counted: ``"iid"`` (as independent), ``"clustered"``,
        ``"stratified"``, ``"clustered within strata"``, ``"paired"``.
    over : {"cases", "clusters"}
        What the statistic is taken of: cases, each counting once, or the means of clusters.
    average : str or None
        Averaging over classes; None for per-case metrics.
    n_groups : int or None
        Number of clusters; None where none were given.
    cautions : tuple of Caution
    """

    value: float
    low: float
    high: float
    level: Level
    metric_spec: Metric
    statistic_spec: Statistic
    method_spec: MethodSpec
    n: int
    n_missing: int = 0
    missing: str = "raise"
    n_not_applicable: int = 0
    label: str = ""
    by: Mapping[str, Any] = field(default_factory=dict)
    standard_error: float = math.nan
    n_resamples: int | None = None
    n_undefined: int = 0
    seed: int | None = None
    design: str = "iid"
    over: str = "cases"
    average: str | None = None
    n_groups: int | None = None
    cautions: tuple[Caution, ...] = ()

    # ---- the contract's names

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return self.metric_spec.spec.name

    @property
    def statistic(self) -> str:
        """Name of the summary statistic."""
        return self.statistic_spec.spec.name

    @property
    def method(self) -> str:
        """Name of the method used."""
        return self.method_spec.name

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters of the metric and of the statistic; their names never clash."""
        return {**self.metric_spec.parameters, **self.statistic_spec.parameters}

    @property
    def confidence_level(self) -> float:
        """1 - α."""
        return float(self.level.confidence_level)

    @property
    def alternative(self) -> str:
        """Two-sided, or on which side the bound is."""
        return self.level.alternative

    @property
    def width(self) -> float:
        """``high - low``; NaN for a one-sided interval, whose open end says nothing."""
        return self.high - self.low if self.alternative == "two-sided" else math.nan

    @property
    def halfwidth(self) -> float:
        """Half of the width: the number after the ±; NaN for a one-sided interval."""
        return self.width / 2

    @property
    def confidence_interval(self) -> ConfidenceInterval:
        """The bounds as SciPy names them."""
        return ConfidenceInterval(self.low, self.high)

    @property
    def range(self) -> Bounds:
        """The range in which the estimated value lies."""
        return self.statistic_spec.spec.range_rule(self.metric_spec.spec.bounds)

    @property
    def statistic_title(self) -> str:
        """The statistic in prose: ``mean``, ``0.9 quantile``, ``trimmed mean (10 % per side)``."""
        return statistic_title(self.statistic_spec)

    @property
    def subject(self) -> str:
        """What is estimated: ``mean DSC``; ``proportion correct`` for the mean of 0 and 1."""
        statistic = self.statistic_title
        if self.metric_spec.spec.kind is Kind.BINARY and self.statistic == "mean":
            statistic = "proportion"
        over = "" if self.n_groups is None else f" over {self.over}"
        return f"{statistic} {metric_title(self.metric_spec)}".strip() + over

    @property
    def method_title(self) -> str:
        """The method in prose, with what the design makes of it: ``cluster BCa bootstrap``."""
        title = self.method_spec.title
        # Means of clusters are independent cases to the method.
        design = "iid" if self.over == "clusters" and self.design == "clustered" else self.design
        if design not in DESIGN_WORDS:
            return title
        if Need.TRIALS in self.method_spec.needs:
            return f"{title} with design effect"
        robust = "-robust" if design == "clustered" and not self.method_spec.resamples else ""
        return f"{DESIGN_WORDS[design]}{robust} {title}"

    @property
    def n_text(self) -> str:
        """How many cases, in how many clusters: ``n = 200 in 100 clusters``."""
        if self.n_groups is None:
            return f"n = {self.n}"
        return f"n = {self.n} in {self.n_groups} cluster{'' if self.n_groups == 1 else 's'}"

    @property
    def decimals(self) -> int:
        """How many decimals the interval supports."""
        reach = {
            "two-sided": self.halfwidth,
            "lower": self.value - self.low,
            "upper": self.high - self.value,
        }[self.alternative]
        return decimals_for(self.value, reach)

    # ---- ways out

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract: plain types, NaN and infinities as None."""
        return {
            "label": self.label,
            "by": {name: _plain(level) for name, level in self.by.items()},
            "metric": self.metric,
            "parameters": {name: _plain(value) for name, value in self.parameters.items()},
            "statistic": self.statistic,
            "average": self.average,
            "value": _plain(self.value),
            "low": _plain(self.low),
            "high": _plain(self.high),
            "halfwidth": _plain(self.halfwidth),
            "method": self.method,
            "confidence_level": self.confidence_level,
            "alternative": self.alternative,
            "n": self.n,
            "n_missing": self.n_missing,
            "missing": self.missing,
            "n_not_applicable": self.n_not_applicable,
            "n_groups": self.n_groups,
            "design": self.design,
            "over": self.over,
            "standard_error": _plain(self.standard_error),
            "n_resamples": self.n_resamples,
            "n_undefined": self.n_undefined,
            "seed": self.seed,
            "cautions": [caution.to_dict() for caution in self.cautions],
        }

    def to_json(self) -> str:
        """A JSON document with this one estimate."""
        return Estimates((self,)).to_json()

    def to_frame(self) -> pd.DataFrame:
        """A data frame of one row."""
        return Estimates((self,)).to_frame()

    def sentence(self) -> str:
        """One sentence for a paper.

        Examples
        --------
        ``Mean DSC 0.897 (95 % CI 0.892 to 0.902; n = 110; BCa bootstrap).``
        """
        unit = f" {self.metric_spec.spec.unit}" if self.metric_spec.spec.unit else ""
        places = self.decimals
        level = percent(self.confidence_level)
        low, high = fixed(self.low, places), fixed(self.high, places)
        interval = {
            "two-sided": f"{level} CI {low} to {high}{unit}",
            "lower": f"lower {level} confidence bound {low}{unit}",
            "upper": f"upper {level} confidence bound {high}{unit}",
        }[self.alternative]
        if math.isnan(self.low) or math.isnan(self.high):
            interval = f"no {level} CI"
        about = f"{self.label}: " if self.label else ""
        subject = self.subject if self.label else self.subject[:1].upper() + self.subject[1:]
        missing = f"; {self.n_missing} missing" if self.n_missing else ""
        return (
            f"{about}{subject} {fixed(self.value, places)}{unit} "
            f"({interval}; {self.n_text}{missing}; {self.method_title})."
        )

    def __repr__(self) -> str:
        lines = [f"Estimate: {self.sentence()}", *(f"  {caution}" for caution in self.cautions)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return Estimates((self,))._repr_html_()


@dataclass(frozen=True, eq=False)
class Cases:
    """The values behind an estimate, for those who ask for them.

    Attributes
    ----------
    label : str
        That of the estimate.
    metric : str
        The metric in prose.
    values : ndarray, shape (n,)
        In the metric's unit, in the order of the table.
    groups : tuple or None
        The cluster of each.
    """

    label: str
    metric: str
    values: Array
    groups: tuple[Any, ...] | None = None


@dataclass(frozen=True, repr=False)
class Estimates(Sequence[Estimate]):
    """Estimates in the order of the table they come from.

    Attributes
    ----------
    items : tuple of Estimate
    notes : tuple of str
        What was done to the table: columns left out, rows not applicable.
    cases : tuple of Cases
        The values behind each label and metric, where they were asked for; no output holds them.
    """

    items: tuple[Estimate, ...]
    notes: tuple[str, ...] = ()
    cases: tuple[Cases, ...] = field(default=(), compare=False)

    @overload
    def __getitem__(self, index: int) -> Estimate: ...
    @overload
    def __getitem__(self, index: slice) -> Estimates: ...
    def __getitem__(self, index: int | slice) -> Estimate | Estimates:
        """One estimate, or some."""
        if isinstance(index, slice):
            return Estimates(self.items[index], self.notes, self.cases)
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.items)

    @property
    def by(self) -> tuple[str, ...]:
        """Names of the ``by`` columns."""
        return tuple(dict.fromkeys(name for item in self for name in item.by))

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """All cautions, each text once."""
        return tuple(dict.fromkeys(caution for item in self for caution in item.cautions))

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        return {
            "schema_version": SCHEMA_VERSION,
            "estimates": [item.to_dict() for item in self],
        }

    def to_json(self) -> str:
        """The JSON contract as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row per estimate: the ``by`` columns apart, then those of the JSON contract."""
        rows = []
        for item in self:
            row = item.to_dict()
            row.pop("by")
            row["parameters"] = "; ".join(f"{k}={v:g}" for k, v in item.parameters.items())
            row["cautions"] = " ".join(caution.code for caution in item.cautions)
            # Numbers stay numbers here, where NaN and infinity can be written.
            row |= {
                "value": item.value,
                "low": item.low,
                "high": item.high,
                "halfwidth": item.halfwidth,
                "standard_error": item.standard_error,
            }
            rows.append({_free(name, row): item.by.get(name) for name in self.by} | row)
        return rows

    def to_frame(self) -> pd.DataFrame:
        """A row per estimate: the ``by`` columns apart, then those of the JSON contract."""
        import pandas as pd

        rows = self.to_rows()
        frame = pd.DataFrame(rows)
        for name in ("seed", "n_resamples"):
            # As objects: floating point would round a seed that has company without one.
            frame[name] = pd.Series([row[name] for row in rows], dtype=object)
        return frame

    def caution_lines(self) -> list[tuple[str, str]]:
        """Each code once, in order, with its first message, and how many more there are."""
        by_code: dict[str, list[tuple[str, Caution]]] = {}
        for item in self:
            for caution in item.cautions:
                by_code.setdefault(caution.code, []).append((item.label, caution))
        several = len({item.label for item in self}) > 1
        lines = []
        for code, raised in sorted(by_code.items()):
            label, first = raised[0]
            where = f"{label}: " if label and several else ""
            more = f" (and {len(raised) - 1} more)" if len(raised) > 1 else ""
            lines.append((code, f"{where}{first.message}{more}"))
        return lines

    def __repr__(self) -> str:
        lines = [f"Estimates ({len(self)}):", *(f"  {item.sentence()}" for item in self)]
        lines += [f"  {code} {text}" for code, text in self.caution_lines()]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        if not self:
            return "<p>No estimates.</p>"
        frame = self.to_frame()
        shown = ["label", "metric", "statistic", "value", "low", "high", "n", "method", "cautions"]
        # Everything is escaped, so that a column called <script> stays text.
        table: str = frame[shown].to_html(index=False, escape=True, float_format="{:.4g}".format)
        said = [*(f"{code} {text}" for code, text in self.caution_lines()), *self.notes]
        cautions = "".join(f"<li>{html.escape(text)}</li>" for text in said)
        return table + (f"<ul>{cautions}</ul>" if cautions else "")


def _free(name: str, row: Mapping[str, Any]) -> str:
    """A grouping column's name that is none of our own."""
    return f"by_{name}" if name in row else name


def metric_title(metric: Metric) -> str:
    """A metric in prose, with the parameters that are bound: ``NSD (tolerance 3 mm)``."""
    return _with_parameters(metric.spec.display, metric.spec, metric.parameters)


def statistic_title(statistic: Statistic) -> str:
    """A statistic in prose, with the parameters that differ from their defaults."""
    spec = statistic.spec
    if spec.quantile_level and "q" in statistic.parameters:
        return f"{statistic.parameters['q']:g} {spec.title}"
    changed = {
        parameter.name: statistic.parameters[parameter.name]
        for parameter in spec.parameters
        if statistic.parameters[parameter.name] != parameter.default
    }
    if not changed:
        return spec.title
    return f"{spec.title} ({', '.join(f'{k} {v:g}' for k, v in changed.items())})"


def _with_parameters(title: str, spec: MetricSpec, bound: Mapping[str, float]) -> str:
    shown = [
        f"{parameter.name} {bound[parameter.name]:g} {parameter.unit}".strip()
        for parameter in spec.parameters
        if parameter.name in bound and bound[parameter.name] != parameter.default
    ]
    return f"{title} ({', '.join(shown)})" if shown else title


def _plain(value: Any) -> Any:
    """A value that JSON can hold."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)
