"""An AUROC, from its expected value and the shares of the two classes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.references import cite
from halfwidth.core.spec import Metric, spec_of
from halfwidth.core.types import UNIT_INTERVAL, Array, Interval, Level
from halfwidth.estimation.resolve import AUTO, RULE
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.auc import delong, delong_logit, delong_logit_t, hanley_mcneil
from halfwidth.intervals.dirichlet_intervals import dirichlet
from halfwidth.metrics import ranking
from halfwidth.planning.checks import (
    check_assurance,
    check_choice,
    check_goal,
    check_n,
    check_positive,
    check_share,
    wanted_width,
)
from halfwidth.planning.simulated_areas import LEAST_OF_A_CLASS, AreaStudies, class_counts
from halfwidth.planning.width_formulas import (
    MOST_CASES,
    WidthFormula,
    plan_at,
    plan_for_width,
    smallest_n,
)
from halfwidth.results.sample_size import Requirement, SampleSize

FORMULAS = {
    delong_logit.__name__: "DeLong's variance of normal scores, on the logit scale",
    delong.__name__: "A ± z SE, DeLong's variance of normal scores",
    hanley_mcneil.__name__: "A ± z SE, Hanley and McNeil's variance",
}
SIMULATED = (AUTO, delong_logit_t.__name__, dirichlet.__name__)
SIMULATED_TEXT = "over simulated studies of n cases"
NORMAL = "normal scores in both classes"


def auroc(
    expected: float,
    *,
    n: int | None = None,
    halfwidth: float | None = None,
    width: float | None = None,
    prevalence: float = 0.5,
    method: str = AUTO,
    sd_ratio: float = 1.0,
    assurance: float | None = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases for an interval of an AUROC as narrow as wanted, or its width at n cases in all.

    The smallest n at which the mean width of the interval that a study gets by default is no more
    than wanted, in simulated studies whose scores are normal in both classes; with an assurance,
    at which such a share of the studies reach it. Of ``"delong"`` and ``"delong_logit"`` by
    formula: the expectation of DeLong's variance of such scores,
    [2A(1 - A) + (m - 2)(Q₁ - A²) + (n - 2)(Q₂ - A²)] / (mn) with Q₁ = Φ₂(d, d; 1/(1 + r²)),
    Q₂ = Φ₂(d, d; r²/(1 + r²)), d = Φ⁻¹(A), of m positive and n negative cases; r is the ratio of
    the SDs. Φ₂ is the bivariate normal distribution function. ``"hanley_mcneil"``: their variance,
    which supposes exponential scores.

    Parameters
    ----------
    expected : float
        The AUROC A expected, strictly between 0 and 1.
    n : int, optional
        The reverse: the width that so many cases give. Of one of two groups or models on cases
        of their own.
    halfwidth : float, optional
        The half-width wanted, the number after the ±. In the metric's unit; half of the width,
        where the interval is not symmetric.
    width : float, optional
        Instead of it the width wanted, high - low.
    prevalence : float, default 0.5
        Share of positive cases, between 0 and 1; their number is the nearest whole one.
    method : str, default "auto"
        The method planned for: what the default analysis takes, or ``delong_logit_t`` or
        ``dirichlet``, simulated too; ``delong_logit``, ``delong`` and ``hanley_mcneil`` have
        formulas.
    sd_ratio : float, default 1.0
        SD of the scores of positives over that of negatives, for DeLong's variance.
    assurance : float, optional
        The probability with which a study is to reach the width, from 0.5 up to below 1: 0.8,
        for example. Without it about half of the studies are wider than planned.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.

    Returns
    -------
    SampleSize
        ``counts`` holds the cases of each class, ``low`` and ``high`` the interval expected.

    Raises
    ------
    OptionError

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988); Bamber (1975) for the variance of an area in terms of
    Q₁ and Q₂, which give the expectation; Hanley & McNeil (1982); Owen (1956) for Φ₂.

    Examples
    --------
    >>> plan = auroc(0.85, prevalence=0.3, halfwidth=0.05)
    >>> plan.n, dict(plan.counts)
    (266, {'positives': 80, 'negatives': 186})
    >>> round(auroc(0.85, n=200, prevalence=0.3).width, 3)
    0.116
    """
    halfwidth = check_goal(n, halfwidth, width, assurance=assurance)
    name = check_choice("method", method, [*SIMULATED, *FORMULAS])
    level, ratio = Level(confidence_level), check_positive("sd_ratio", sd_ratio)
    area, share = check_share("expected", expected), check_share("prevalence", prevalence)
    formula = _width_formula(area, share, name, ratio, level)
    purpose = f"an AUROC at prevalence {float(prevalence):g}, with two cases of each class,"
    cases = None if n is None else check_n(n, formula.least, purpose)
    wanted = None if cases else wanted_width(halfwidth, UNIT_INTERVAL, "an AUROC")
    if name in FORMULAS:
        if assurance is not None:
            raise OptionError(
                f"{spelled('assurance', assurance)} needs studies that are simulated: methods "
                f"{', '.join(SIMULATED)}, not {name}"
            )
        return plan_at(formula, cases) if cases else plan_for_width(formula, wanted or 0.0)
    one = AreaStudies((area,), None, share, ratio, level, None if name == AUTO else METHODS[name])
    return _simulated_plan(one, formula, cases, wanted, assurance)


def _simulated_plan(
    areas: AreaStudies,
    formula: WidthFormula,
    n: int | None,
    wanted: float | None,
    assurance: float | None,
) -> SampleSize:
    """Plan by the intervals of studies; the formula says about how many cases to begin with."""
    studies, share = areas.studies, None if assurance is None else check_assurance(assurance)

    def search(width: float) -> int:
        start = smallest_n(lambda m: formula.width_at(m) <= width, formula.least)
        return studies.cases_for_width(width, share, min(start, MOST_CASES))

    named = AUTO if areas.method is None else areas.method.name
    simulated = replace(
        formula,
        formula=f"{RULE if named == AUTO else named}, simulated",
        formula_text=f"its mean width {SIMULATED_TEXT}",
        width_at=studies.width,
        ends_at=studies.ends,
        curve_at=functools.partial(studies.width, simulate=False),
        search=search,
        rule=RULE if named == AUTO else "",
        shape=NORMAL,
    )
    plan = plan_at(simulated, n) if n else plan_for_width(simulated, wanted or 0.0, assurance=share)
    plan = replace(plan, notes=(*plan.notes, studies.note(plan.n, share=share)))
    return areas.described(plan)


def named_class_counts(n: int, prevalence: float) -> dict[str, int]:
    """Numbers of cases by the name of the class."""
    return dict(zip(("positives", "negatives"), class_counts(n, prevalence), strict=True))


def binormal_terms(area: float, sd_ratio: float) -> tuple[float, float]:
    """Q₁ - A² and Q₂ - A² of normal scores.

    Q₁ is the probability that two positives both outscore one negative, Q₂ that one positive
    outscores two negatives. With T Owen's function, Φ₂(d, d; ρ) = A - 2 T(d, √((1 - ρ)/(1 + ρ))).

    >>> [round(term, 6) for term in binormal_terms(0.5, 1.0)]
    [0.083333, 0.083333]
    """
    from scipy import special

    d = float(special.ndtri(area))
    shared = 1 / (1 + sd_ratio**2)
    q1, q2 = (
        area - 2 * special.owens_t(d, math.sqrt((1 - rho) / (1 + rho))) - area**2
        for rho in (shared, 1 - shared)
    )
    return float(q1), float(q2)


def expected_delong_variance(area: float, m: int, n: int, sd_ratio: float = 1.0) -> float:
    """The expectation of DeLong's variance for m positives and n negatives with normal scores.

    The variance of the components of the positives has the expectation
    [A(1 - A) + (n - 1)(Q₂ - A²) - (Q₁ - A²)]/n, that of the negatives likewise; the sum of one
    over m and the other over n is a little more than the variance of the area itself.

    >>> round(expected_delong_variance(0.85, 30, 70), 6)
    0.00173
    """
    q1, q2 = binormal_terms(area, sd_ratio)
    return (2 * area * (1 - area) + (m - 2) * q1 + (n - 2) * q2) / (m * n)


def _interval_function(
    area: float, formula: str, sd_ratio: float, level: Level
) -> Callable[[int, int], Interval]:
    estimate = np.array(area)
    if formula == hanley_mcneil.__name__:
        return lambda m, n: hanley_mcneil(estimate, (np.array(float(m)), np.array(float(n))), level)
    method = delong if formula == delong.__name__ else delong_logit

    def interval_at(m: int, n: int) -> Interval:
        error: Array = np.sqrt(np.array(expected_delong_variance(area, m, n, sd_ratio)))
        return method(estimate, error, np.inf, level)

    return interval_at


def _width_formula(
    area: float, share: float, named: str, ratio: float, level: Level
) -> WidthFormula:
    """Formula of a method that has one; of others that of DeLong's interval on the logit."""
    if named == hanley_mcneil.__name__ and ratio != 1:
        raise OptionError(
            "sd_ratio has no effect on hanley_mcneil, which supposes exponential scores"
        )
    named = named if named in FORMULAS else delong_logit.__name__
    interval_at = _interval_function(area, named, ratio, level)

    def ends(n: int) -> tuple[float, float]:
        interval = interval_at(*class_counts(n, share))
        return float(interval.low), float(interval.high)

    def width(n: int) -> float:
        low, high = ends(n)
        return high - low

    metric = Metric(spec_of(ranking.auroc))
    need = Requirement("reliable coverage of the AUROC", metric.reliable_n, cite("andre2025").short)
    assumed = {"expected": area, "prevalence": share}
    return WidthFormula(
        quantity=metric.spec.display,
        formula=named,
        formula_text=FORMULAS[named],
        level=level,
        assumed=assumed if ratio == 1 else {**assumed, "sd_ratio": ratio},
        width_at=width,
        least=smallest_n(lambda n: min(class_counts(n, share)) >= LEAST_OF_A_CLASS, 4),
        needs=(need,),
        ends_at=ends,
        counts_at=lambda n: named_class_counts(n, share),
    )
