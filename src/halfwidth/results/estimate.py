"""Results: an estimate with its interval, and collections of estimates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError, proposed, shortened
from halfwidth.core.formatting import (
    apart_from,
    as_beginning,
    as_given,
    decimals_for,
    fixed_apart,
    percent,
    plain,
    told_apart,
)
from halfwidth.core.forms import Contrast
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import (
    MethodSpec,
    Metric,
    MetricLevel,
    Need,
    Statistic,
)
from halfwidth.core.titles import IF_UNSEEN, metric_title, statistic_title, subject_of
from halfwidth.core.types import Array, Bounds, Level
from halfwidth.core.undefined import WithoutResult
from halfwidth.results.result import ResultCollection, SingleResult

if TYPE_CHECKING:
    from halfwidth.document.parts import Document
    from halfwidth.results.runs_estimate import RunsEstimate

# The level of ``by`` that names the model of an estimate.
MODEL = "model"

# How a design qualifies a method.
DESIGN_WORDS = {
    "clustered": "cluster",
    "stratified": "stratified",
    "clustered within strata": "stratified cluster",
    "paired": "paired",
}

# How many times as long an interval that allows for unseen failures must be to be mentioned.
MUCH_LONGER = 1.25

# What methods need that count cases; of clusters they count as many as these are worth.
COUNTED = {Need.TRIALS, Need.BOTH_TRIALS, Need.PAIRED_COUNTS}


class ConfidenceInterval(NamedTuple):
    """The bounds as SciPy names them."""

    low: float
    high: float


@frozen(repr=False)
class Estimate(SingleResult):
    """A number with its confidence interval and the reasons to doubt it.

    Attributes
    ----------
    value : float
        The statistic on the cases given, in the metric's unit; NaN where undefined.
    low, high : float
        The bounds, in the same unit; NaN where the method gives no interval, infinite on the open
        side of a one-sided interval of an unbounded metric.
    level : Level
        Confidence level and alternative of the interval.
    asked : Level or None
        Those asked for, where so few cases cannot attain them.
    metric_spec : Metric
    statistic_spec : Statistic
    method_spec : MethodSpec
        The method used, under its own name also where ``auto`` chose it.
    n : int
        Cases that the value rests on.
    n_each : tuple of int
        Of a difference between models on cases of their own, those of each.
    n_missing : int
        Values that were missing or infinite.
    missing : str
        The policy for those.
    without_result : WithoutResult or None
        What the policy makes of cases without a result, where several stand side by side.
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
    over : {"cases", "clusters", "runs"}
        What the statistic is taken of: cases, each counting once, the means of clusters, or
        training runs.
    average : str or None
        Averaging over classes; None for per-case metrics.
    n_groups : int or None
        Number of clusters; None where none were given.
    n_effective : float or None
        As many cases of equal weight as the cases weigh, (Σw)²/Σw² (Kish); None without weights.
    given_decimals : int
        Decimals of a value that was given rather than computed: a published one.
    cautions : tuple of Caution
    rule : str or None
        The version of ``auto`` that chose the method; None where it was named.
    if_unseen_failures : ConfidenceInterval or None
        With ``failures="both"`` the interval if cases can fail as none of these did, with a
        pseudo-case at the bound of the metric for either end; None where that is the interval
        itself, or is not known.
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
    n_effective: float | None = None
    given_decimals: int = 0
    n_each: tuple[int, ...] = ()
    cautions: tuple[Caution, ...] = ()
    without_result: WithoutResult | None = None
    rule: str | None = None
    if_unseen_failures: ConfidenceInterval | None = None
    asked: Level | None = None

    # ---- the contract's names

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return self.metric_spec.spec.name

    @property
    def statistic(self) -> str | None:
        """Name of the summary statistic; None for a metric of a whole test set."""
        return None if self.is_of_test_set else self.statistic_spec.spec.name

    @property
    def is_of_test_set(self) -> bool:
        """Whether the metric has one value for the whole test set."""
        return self.metric_spec.spec.level is MetricLevel.SAMPLE

    @property
    def method(self) -> str:
        """Name of the method used."""
        return self.method_spec.name

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the metric and of the statistic, and costs and priors: no names clash."""
        statistic_parameters = {} if self.is_of_test_set else self.statistic_spec.parameters
        metric = self.metric_spec
        of = {"of": metric.of} if metric.of else {}
        return {**of, **metric.parameters, **metric.tables, **statistic_parameters}

    def _parameter_text(self, name: str) -> Any:
        """A parameter as it is written in an option: a number, or the word that stands for it."""
        value = self.parameters[name]
        declared = {parameter.name: parameter for parameter in self.metric_spec.spec.parameters}
        return (
            declared[name].word(value)
            if name in declared and declared[name].words
            else plain(value)
        )

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
    def unseen_failures_matter(self) -> bool:
        """Whether the interval would be much longer if cases could fail as none of these did."""
        if self.if_unseen_failures is None:
            return False
        low, high = self.if_unseen_failures
        ends = {"two-sided": high - low, "lower": self.value - low, "upper": high - self.value}
        own = {
            "two-sided": self.width,
            "lower": self.value - self.low,
            "upper": self.high - self.value,
        }
        return ends[self.alternative] > MUCH_LONGER * own[self.alternative]

    @property
    def unseen_ends(self) -> ConfidenceInterval:
        """Ends if unseen failures count, for figures: NaN where they are not much farther apart."""
        if self.if_unseen_failures is None or not self.unseen_failures_matter:
            return ConfidenceInterval(math.nan, math.nan)
        return self.if_unseen_failures

    @property
    def unseen_failures_text(self) -> str:
        """Interval if unseen failures count, in words: ``0.69 to 0.92``, ``at least 0.69``."""
        low, high = (self.text_of(end) for end in self.if_unseen_failures or (math.nan, math.nan))
        return {
            "two-sided": f"{low} to {high}",
            "lower": f"at least {low}",
            "upper": f"at most {high}",
        }[self.alternative]

    @property
    def range(self) -> Bounds:
        """The range in which the estimated value lies."""
        return self.statistic_spec.range(self.metric_spec.spec.bounds, self.n)

    @property
    def statistic_title(self) -> str:
        """The statistic in prose: ``mean``, ``0.9 quantile``, ``trimmed mean (10 % per side)``."""
        return statistic_title(self.statistic_spec)

    @property
    def subject(self) -> str:
        """What is estimated: ``mean DSC``, ``SD of DSC``; ``proportion correct`` of 0 and 1.

        Of a metric of a test set, with its average: ``macro AUROC``.
        """
        over = "" if self.n_groups is None else self.over
        return subject_of(self.metric_spec, self.statistic_spec, self.average, over)

    @property
    def method_title(self) -> str:
        """The method in prose, with what the design makes of it: ``cluster BCa bootstrap``."""
        title, metric = self.method_spec.title, self.metric_spec.spec
        if Need.WEIGHTED in self.method_spec.needs and metric.bounds_given:
            title = f"{title} on {metric.bounds}"
        # Means of clusters are independent cases to the method.
        design = "iid" if self.over == "clusters" and self.design == "clustered" else self.design
        if design not in DESIGN_WORDS:
            return title
        method = self.method_spec
        if design != "paired" and COUNTED & set(method.needs):
            return f"{title} with design effect"
        by_error = not (method.resamples or method.takes_intervals)
        robust = "-robust" if design == "clustered" and by_error else ""
        return f"{DESIGN_WORDS[design]}{robust} {title}"

    @property
    def basis_text(self) -> str:
        """What it rests on, as the sentence says it."""
        return self.n_text

    @property
    def case_noun(self) -> str:
        """What ``n`` counts one of."""
        return "case"

    @property
    def matched_by(self) -> str:
        """How detections were matched, in prose; empty for any other estimate."""
        return ""

    @property
    def over_runs(self) -> RunsEstimate | None:
        """Itself, if it is over training runs."""
        return None

    @property
    def n_text(self) -> str:
        """How many cases, in how many clusters, by weight: ``n = 200 in 100 clusters``.

        Of models on cases of their own ``n = 90 + 110``.
        """
        text = f"n = {' + '.join(map(str, self.n_each or (self.n,)))}"
        if self.n_groups is not None:
            text += f" in {self.n_groups} cluster{'' if self.n_groups == 1 else 's'}"
        if self.n_effective is not None:
            text += f", by weight {self.n_effective:.3g}"
        return text

    @property
    def decimals(self) -> int:
        """How many decimals the interval supports, or a published value has."""
        reach = {
            "two-sided": self.halfwidth,
            "lower": self.value - self.low,
            "upper": self.high - self.value,
        }[self.alternative]
        supported = decimals_for(self.value, reach, self.range.largest)
        places = as_given(supported, self.given_decimals)
        return apart_from(self.value, (self.low, self.high), places)

    def text_of(self, number: float) -> str:
        """A value or a bound with as many decimals as the interval supports.

        With more where it would read as 0, as an end of the range or, of a ratio, as 1, and is not.
        """
        form = self.statistic_spec.spec.form
        equal = (1.0,) if isinstance(form, Contrast) and form.effect == "ratio" else ()
        ends = (0.0, self.range.low, self.range.high, *equal)
        places = told_apart((self.value, self.low, self.high), self.decimals, ends)
        return fixed_apart(number, places, ends)

    @property
    def ends_text(self) -> str:
        """The bounds as tables have them: ``0.892 to 0.902``, ``≥ 0.892``, ``none``."""
        if math.isnan(self.low) or math.isnan(self.high):
            return "none"
        low, high = self.text_of(self.low), self.text_of(self.high)
        texts = {"two-sided": f"{low} to {high}", "lower": f"≥ {low}", "upper": f"≤ {high}"}
        return texts[self.alternative]

    # ---- ways out

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract: plain types, NaN and infinities as None."""
        return {
            "label": self.label,
            "by": {name: plain(level) for name, level in self.by.items()},
            "metric": self.metric,
            "parameters": {name: self._parameter_text(name) for name in self.parameters},
            "bounds": [
                plain(self.metric_spec.spec.bounds.low),
                plain(self.metric_spec.spec.bounds.high),
            ],
            "statistic": self.statistic,
            "average": self.average,
            "value": plain(self.value),
            "low": plain(self.low),
            "high": plain(self.high),
            "halfwidth": plain(self.halfwidth),
            "method": self.method,
            "rule": self.rule,
            "confidence_level": self.confidence_level,
            "alternative": self.alternative,
            "n": self.n,
            "n_missing": self.n_missing,
            "missing": self.missing,
            "n_not_applicable": self.n_not_applicable,
            "n_groups": self.n_groups,
            "n_effective": plain(self.n_effective),
            "design": self.design,
            "over": self.over,
            "standard_error": plain(self.standard_error),
            "n_resamples": self.n_resamples,
            "n_undefined": self.n_undefined,
            "seed": self.seed,
            "if_unseen_failures": self.if_unseen_failures
            and list(map(plain, self.if_unseen_failures)),
            "cautions": [caution.to_dict() for caution in self.cautions],
            **self._special_dict(),
        }

    def _special_dict(self) -> dict[str, Any]:
        """What only differences of unpaired models, other levels and several policies have."""
        special: dict[str, Any] = {}
        if self.n_each:
            special["n_each"] = list(self.n_each)
        if self.asked is not None:
            special["asked"] = {
                "confidence_level": float(self.asked.confidence_level),
                "alternative": self.asked.alternative,
            }
        if self.without_result is not None:
            special["without_result"] = self.without_result.to_dict()
        return special

    def to_row(self) -> dict[str, Any]:
        """A flat row: that of the JSON contract without ``by``, numbers left as they are."""
        row = self.to_dict()
        row.pop("by")
        bounds = self.metric_spec.spec.bounds
        row["bounds"] = f"{bounds.low:.12g},{bounds.high:.12g}"
        texts = {name: self._parameter_text(name) for name in self.parameters}
        texts |= self.metric_spec.table_texts
        row["parameters"] = "; ".join(
            f"{name}={text}" if isinstance(text, str) else f"{name}={self.parameters[name]:g}"
            for name, text in texts.items()
        )
        row["cautions"] = " ".join(caution.code for caution in self.cautions)
        low, high = row.pop("if_unseen_failures") or (None, None)
        row |= {"low_if_unseen_failures": low, "high_if_unseen_failures": high}
        row["cautions"] = row.pop("cautions")
        if self.n_each:
            row["n_each"] = " + ".join(map(str, self.n_each))
        if self.without_result is not None:
            row["without_result"] = self.without_result.text
        if self.asked is not None:
            row["asked"] = self.asked.text
        # Numbers stay numbers here, where NaN and infinity can be written.
        numbers = ("value", "low", "high", "halfwidth", "standard_error")
        return row | {name: getattr(self, name) for name in numbers}

    @property
    def _alone(self) -> Estimates:
        """A table of this one estimate."""
        return Estimates((self,))

    def sentence(self) -> str:
        """One sentence for a paper.

        Examples
        --------
        ``Mean DSC 0.897 (95 % CI 0.892 to 0.902; n = 110; BCa bootstrap).``
        """
        unit = f" {self.metric_spec.unit}" if self.metric_spec.unit else ""
        low, high = self.text_of(self.low), self.text_of(self.high)
        ends = {"two-sided": f"{low} to {high}", "lower": low, "upper": high}[self.alternative]
        interval = f"{self.level.text} {ends}{unit}"
        if math.isnan(self.low) or math.isnan(self.high):
            interval = f"no {percent(self.confidence_level)} CI"
        elif self.asked is not None:
            interval += f", asked: {self.asked.text}"
        about = f"{self.label}: " if self.label else ""
        subject = self.subject if self.label else as_beginning(self.subject)
        missing = f"; {self.n_missing} missing" if self.n_missing else ""
        otherwise = ""
        if self.unseen_failures_matter:
            otherwise = f"; {self.unseen_failures_text}{unit} {IF_UNSEEN}"
        return (
            f"{about}{subject} {self.text_of(self.value)}{unit} "
            f"({interval}; {self.basis_text}{missing}; {self.method_title}){otherwise}."
        )

    def __repr__(self) -> str:
        lines = [f"Estimate: {self.sentence()}", *(f"  {caution}" for caution in self.cautions)]
        return "\n".join(lines)


def turned_round(estimate: Estimate) -> Estimate:
    """Estimate of the difference of the same two models, the second minus the first."""

    def negative(ends: tuple[float, float]) -> ConfidenceInterval:
        low, high = (0.0 - end for end in reversed(ends))
        return ConfidenceInterval(low, high)

    low, high = negative((estimate.low, estimate.high))
    unseen, n_each = estimate.if_unseen_failures, estimate.n_each
    return replace(
        estimate,
        value=0.0 - estimate.value,
        low=low,
        high=high,
        if_unseen_failures=None if unseen is None else negative(unseen),
        n_each=n_each[::-1],
    )


# --------------------------------------------------------------------------- collections


@frozen(eq=False)
class Cases:
    """The values behind an estimate, for those who ask for them."""

    # That of the estimate, and the metric in prose.
    label: str
    metric: str
    # In the metric's unit, in the order of the table.
    values: Array
    # The cluster of each.
    groups: tuple[Any, ...] | None = None


@frozen(repr=False)
class Estimates(ResultCollection[Estimate]):
    """Estimates in the order of the table they come from.

    Attributes
    ----------
    items : tuple of Estimate
    notes : tuple of str
        What was done to the table: columns left out, rows not applicable.
    cases : tuple of Cases
        The values behind each label and metric, where they were asked for; no output holds them.
    """

    KEY = "estimates"
    WHOLE_NUMBERS = ("seed", "n_resamples")

    items: tuple[Estimate, ...]
    notes: tuple[str, ...] = ()
    cases: tuple[Cases, ...] = field(default=(), compare=False)

    def _only(self, wanted: str | tuple[str, ...]) -> Estimate:
        """The only estimate that matches all the names, or an `OptionError`.

        ``["auroc"]`` is the only one of that metric; a label, a statistic, an average or a method
        will do as well, and ``["liver", "median"]`` has both.
        """
        texts = (wanted,) if isinstance(wanted, str) else wanted
        matching = [item for item in self if all(_matches(item, text) for text in texts)]
        if len(matching) == 1:
            return matching[0]
        query = wanted if isinstance(wanted, str) else ", ".join(map(str, texts))
        there = shortened([_short_name(item) for item in matching or self], 12)
        if matching:
            raise OptionError(
                f"{len(matching)} estimates match {query!r}: {there}; name more, as in "
                '["auroc", "macro"], or take one by its place'
            )
        names = [item.label or item.metric for item in self]
        raise OptionError(
            f"no estimate matches {query!r}{proposed(query, names) or ';'} there are {there}"
        )

    def __contains__(self, wanted: object) -> bool:
        """Whether it holds an estimate, or one that is of what a text names."""
        if isinstance(wanted, str):
            return any(_matches(item, wanted) for item in self)
        return wanted in self.items

    @property
    def families(self) -> list[Family]:
        """Estimates that are read together: of one metric, and of one task where there are models.

        In a family each label is that of the model alone.
        """
        members: dict[tuple[str, str], list[tuple[str, Estimate]]] = {}
        for estimate in self:
            model, task = _model_and_task(estimate)
            key = metric_title(estimate.metric_spec), task
            members.setdefault(key, []).append((model, estimate))
        return [
            Family(
                metric,
                task,
                Estimates(tuple(replace(e, label=model) for model, e in family)),
                tuple(self._cases_of(metric, model, e) for model, e in family),
            )
            for (metric, task), family in members.items()
        ]

    def _cases_of(self, metric: str, model: str, estimate: Estimate) -> Cases | None:
        """The values behind an estimate, under the name of its model, where they were kept."""
        for cases in self.cases:
            if (cases.metric, cases.label) == (metric, estimate.label):
                return replace(cases, label=model)
        return None

    def document(self) -> Document:
        """A table of the estimates, what quantiles say, cautions and the seed."""
        from halfwidth.results.documents.estimates import estimates_document

        return estimates_document(self)


@frozen(eq=False)
class Family:
    """Estimates that are read together."""

    # In prose.
    metric: str
    # Empty where there is one only.
    task: str
    estimates: Estimates
    # The values behind each.
    cases: tuple[Cases | None, ...]


def _model_and_task(estimate: Estimate) -> tuple[str, str]:
    """What tells it from others of its task, and the task; all in one where no model is named."""
    model = str(estimate.by.get(MODEL, ""))
    task = estimate.label.removeprefix(f"{model} / ") if model else ""
    return (model, task) if task and task != estimate.label else (estimate.label, "")


def _matches(item: Estimate, text: str) -> bool:
    """Whether a text names what an estimate is of: its label, its metric, its statistic, ..."""
    spec = item.metric_spec.spec
    names = {item.label, item.subject, item.metric, spec.display, *spec.synonyms}
    names |= {str(level) for level in item.by.values()}
    names |= {item.statistic or "", item.average or "", item.method, metric_title(item.metric_spec)}
    if item.without_result is not None:
        names.add(item.missing)
    return bool(text) and text.casefold() in {name.casefold() for name in names}


def _short_name(item: Estimate) -> str:
    """What an estimate is of, in short."""
    return f"{item.label}: {item.subject}" if item.label else item.subject
