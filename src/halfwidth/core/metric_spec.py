"""What is known of a metric, declared once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from halfwidth.core.declaring import LAST, F, attach, first_line
from halfwidth.core.forms import MetricForm
from halfwidth.core.frozen import frozen
from halfwidth.core.kinds import Better, ClassNeed, Estimand, Kind, MetricLevel, Takes, Transform
from halfwidth.core.parameters import UNIT, VOXEL, Parameter
from halfwidth.core.types import UNBOUNDED, Bounds, Quotient


@frozen
class MetricSpec:
    """What is known of a metric before any value is seen.

    Attributes
    ----------
    name : str
        The name on the command line and in results.
    title : str or None
        The name in prose and on axes; None: the same as ``name``, empty: none is said.
    summary : str
        One line: what it measures.
    bounds : Bounds
        The range that every value lies in; drives range checks, ``missing="worst"``,
        concentration bounds, pseudo-cases and axes.
    bounds_given : bool
        Whether the user gave them, in place of the metric's own.
    better : Better
    unit : str
        Of a value; empty where it has none.
    kind : Kind
    family : str
        Overlap, boundary, volume, error, ...
    parameters : tuple of Parameter
    synonyms : tuple of str
        Other names by which people call it.
    special : mapping
        Names that mean it in one setting only, each with the fields of the spec that this changes:
        the class-wise calibration error is the ECE averaged over classes.
    reliable_n : int or callable
        Cases from which the median coverage of the mean's interval reaches 92.5 %: 25 for DSC and
        75 for ASSD in andre2025, and assumed to be alike for metrics of the same kind; or
        ``reliable_n(**parameters)``.
    level : MetricLevel
    takes : Takes or None
        What the metric is a function of; None where its values arrive ready-made.
    function : callable or None
        The arithmetic of a metric, on what it takes.
    spaced : bool
        Whether a metric of masks needs the spacing of the voxels.
    slow : bool
        Whether it takes much longer than others of its kind.
    of_background : bool
        Whether a metric of masks counts the background, all of the image.
    of_nothing : bool
        Whether a metric of masks has a value where both are empty.
    averages : tuple of str
        How a sample-level metric may be averaged over classes; empty where it is of all at once.
    halved : bool
        Whether over vectors of two classes it is twice, or by some factor more than, what it is of
        the positive one, so that a result must say of which it is.
    share : tuple of str
        The two cells a, b of a two by two table where the metric is a / (a + b), a proportion.
    quotient : callable or None
        ``quotient(**parameters)``: where the metric is the ratio of two weighted sums of TP, FN,
        FP and TN, their weights in the numerator and in the denominator. ``share`` says as much.
    tables : tuple of str
        Which of ``costs`` and ``priors`` the function takes.
    prevalence_dependent : bool
        Whether the value changes with the shares of the classes at the same error rates.
    estimand : Estimand or callable
        What kind of population value it is, of one class where it can be; or
        ``estimand(**parameters)``.
    form : MetricForm, callable or None
        What a metric of a test set is of scores or numbers, or ``form(**parameters)``; None where
        it is a function of counts, but of `OfMargins`, and of metrics of a case.
    bounds_rule : callable or None
        ``bounds_rule(**parameters, **tables)``: the range where these make it another one.
    class_needs : ClassNeed
        What a class must have for its part of an average to have a value.
    transform : Transform
        The scale for intervals by the delta method.
    pitfalls : tuple of str
        What it does not see, and where it misleads.
    listed : int
        Where it stands in lists and in the output of studies: low numbers first, then as the file
        of its family declares them.
    cite : str
        Key of the reference; empty for metrics that need none.
    """

    name: str
    title: str | None = None
    summary: str = ""
    bounds: Bounds = UNBOUNDED
    bounds_given: bool = False
    better: Better = Better.UNSTATED
    unit: str = ""
    kind: Kind = Kind.CONTINUOUS
    family: str = "custom"
    parameters: tuple[Parameter, ...] = ()
    synonyms: tuple[str, ...] = ()
    special: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, compare=False)
    reliable_n: int | Callable[..., int] = 25
    level: MetricLevel = MetricLevel.INDIVIDUAL
    takes: Takes | None = None
    function: Callable[..., Any] | None = None
    spaced: bool = False
    slow: bool = False
    of_background: bool = False
    of_nothing: bool = False
    averages: tuple[str, ...] = ()
    halved: bool = False
    share: tuple[str, ...] = ()
    quotient: Callable[..., Quotient] | None = None
    tables: tuple[str, ...] = ()
    prevalence_dependent: bool = False
    estimand: Estimand | Callable[..., Estimand] = Estimand.OTHER
    form: MetricForm | Callable[..., MetricForm | None] | None = None
    bounds_rule: Callable[..., Bounds] | None = None
    class_needs: ClassNeed = ClassNeed.CASES
    transform: Transform = Transform.IDENTITY
    pitfalls: tuple[str, ...] = ()
    listed: int = LAST
    cite: str = ""

    @property
    def worst(self) -> float | None:
        """The worst value a case can have, or None where there is no finite one."""
        end = {Better.HIGHER: self.bounds.low, Better.LOWER: self.bounds.high}.get(self.better)
        return end if end is not None and np.isfinite(end) else None

    @property
    def display(self) -> str:
        """The title, or the name where none is set."""
        return self.name if self.title is None else self.title

    @property
    def called(self) -> str:
        """What messages call it, also where it has no title."""
        return self.display or "the values"


@frozen
class Metric:
    """A metric with its parameters bound."""

    spec: MetricSpec
    parameters: Mapping[str, float] = field(default_factory=dict)
    # Costs and priors, as far as they are given: those of the spec's ``tables``.
    tables: Mapping[str, Any] = field(default_factory=dict, compare=False)
    # Of which class it is, and its range, where the name says neither.
    of: str = ""

    @property
    def function(self) -> Callable[..., Any]:
        """What computes it; a `TypeError` where its values arrive ready-made."""
        if self.spec.function is None:
            raise TypeError(f"{self.spec.name} is not computed: its values arrive ready-made")
        return self.spec.function

    @property
    def _declared(self) -> dict[str, float]:
        """The parameters that the spec has, without what is stated beside them."""
        names = [parameter.name for parameter in self.spec.parameters]
        return {name: self.parameters[name] for name in names if name in self.parameters}

    @property
    def usual(self) -> bool:
        """Whether all parameters are as they are where none is given."""
        usual = {parameter.name: parameter.default for parameter in self.spec.parameters}
        return all(value == usual[name] for name, value in self._declared.items())

    @property
    def estimand(self) -> Estimand:
        """What kind of population value it is, of one class where it can be."""
        rule = self.spec.estimand
        return rule if isinstance(rule, Estimand) else rule(**self._declared)

    @property
    def form(self) -> MetricForm | None:
        """What it is of scores or numbers."""
        rule = self.spec.form
        return rule(**self._declared) if callable(rule) else rule

    @property
    def reliable_n(self) -> int:
        """Cases from which intervals of it are reliable."""
        rule = self.spec.reliable_n
        return rule(**self._declared) if callable(rule) else rule

    @property
    def states_prevalence(self) -> bool:
        """Whether it is of a prevalence, or of priors, that the cases at hand do not decide."""
        return "prevalence" in self.parameters or "priors" in self.tables

    @property
    def heeded_tables(self) -> tuple[str, ...]:
        """Which of ``costs`` and ``priors`` it takes: one that is a word of a parameter if said."""
        return tuple(
            name
            for name in self.spec.tables
            if all(
                self.parameters.get(one.name) == number
                for one in self.spec.parameters
                for word, number in one.words
                if word == name
            )
        )

    @property
    def table_texts(self) -> dict[str, str]:
        """Costs and priors as an option writes them: ``0,1;5,0``."""
        return {
            name: ";".join(
                ",".join(f"{value:g}" for value in row)
                for row in (table if isinstance(table[0], Sequence) else [table])
            )
            for name, table in self.tables.items()
        }

    def bounded(self, average: str | None = None) -> Metric:
        """A copy with the range that its parameters and tables make."""
        rule = self.spec.bounds_rule
        if rule is None:
            return self
        tables = {name: self.tables.get(name) for name in ("costs", "priors")}
        bounds = rule(**self._declared, **tables, average=average)
        classes = {"binary": "the positive class", "none": "one class"}.get(average or "", "")
        of = ""
        if self.spec.halved and classes:
            of = f"{classes}, {bounds.low:g} to {bounds.high:g}"
        return replace(self, spec=replace(self.spec, bounds=bounds), of=of)

    @property
    def quotient(self) -> Quotient | None:
        """Weights of TP, FN, FP and TN in numerator and denominator; None where it is no ratio."""
        if self.spec.quotient is not None:
            return self.spec.quotient(**self._declared)
        if not self.spec.share or not self.usual:
            return None
        cells = ("tp", "fn", "fp", "tn")
        part = self.spec.share[:1]
        numerator, denominator = (
            tuple(float(cell in held) for cell in cells) for held in (part, self.spec.share)
        )
        return numerator, denominator

    @property
    def in_voxels(self) -> bool:
        """Whether its lengths are in voxels."""
        return self.parameters.get(UNIT.name) == VOXEL or any(
            word in one.in_voxels and self.parameters.get(one.name) == number
            for one in self.spec.parameters
            for word, number in one.words
        )

    @property
    def unit(self) -> str:
        """Unit of a value; empty where it has none."""
        return "voxels" if self.in_voxels and self.spec.unit else self.spec.unit


def metric(**fields: Any) -> Callable[[F], F]:
    """Declare a metric: attach its `MetricSpec` and return the same function."""

    def declare(function: F) -> F:
        function_field: dict[str, Any] = {"function": function} if "takes" in fields else {}
        return attach(
            function,
            MetricSpec(function.__name__, summary=first_line(function), **function_field, **fields),
        )

    return declare


# Values that nobody has named, and such as are 0 and 1 alone.
UNNAMED = MetricSpec("value", title="", summary="any number per case")

PROPORTION = MetricSpec(
    "proportion", title="", bounds=Bounds(0.0, 1.0), kind=Kind.BINARY, reliable_n=10
)
