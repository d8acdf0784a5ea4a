"""The difference of two AUROCs: width of its interval, and power to settle it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from halfwidth.core.checks import as_flag, as_number
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled, spelled_both
from halfwidth.core.references import cite
from halfwidth.core.spec import Metric, spec_of
from halfwidth.core.types import Array, Bounds, Level
from halfwidth.estimation.choose import FEW_RANKED_WRONG, MANY_RANKED_WRONG
from halfwidth.estimation.resolve import RULE
from halfwidth.intervals.auc import delong_logit_t, delong_t
from halfwidth.intervals.dirichlet_intervals import dirichlet
from halfwidth.intervals.two_samples import mover
from halfwidth.metrics.ranking import auroc
from halfwidth.planning.aurocs import (
    LEAST_OF_A_CLASS,
    binormal_terms,
    class_counts,
    named_class_counts,
)
from halfwidth.planning.checks import (
    check_goal,
    check_level_of_quantile,
    check_n,
    check_not_inferior,
    check_positive,
    check_power,
    check_share,
    power_text,
    wanted_width,
)
from halfwidth.planning.width_formulas import WidthFormula, plan_at, plan_for_width, smallest_n
from halfwidth.results.sample_size import Requirement, SampleSize

RANGE = Bounds(-1.0, 1.0)
# Times as many cases ranked wrongly on average as `auto` asks of a study, so that few have less.
MOSTLY = 1.25
# Nodes of the quadrature of a bivariate normal probability, which is smooth in the angle.
NODES = 64


def auroc_difference(
    expected: float,
    *,
    n: int | None = None,
    halfwidth: float | None = None,
    difference: float | None = None,
    margin: float | None = None,
    power: float | None = None,
    correlation: float | None = None,
    paired: bool = True,
    prevalence: float = 0.5,
    sd_ratio: float = 1.0,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases to settle how two AUROCs differ, or for a half-width; or what n cases give.

    Of two models on the same cases by DeLong's interval with t, which a comparison takes by default
    where both rank enough cases wrongly; on cases of their own by DeLong's on the logit of either,
    put together. Scores are normal in both classes; the variance of the difference has the
    covariance of the two areas, which follows from how their scores correlate within a class.

    Parameters
    ----------
    expected : float
        The AUROC expected of the old model, strictly between 0 and 1.
    n : int, optional
        The reverse: the width that so many cases give.
    halfwidth : float, optional
        The half-width wanted, the number after the ±.
    difference : float, optional
        The true difference, whose power is told: how often the interval excludes 0, or with
        ``margin`` lies above minus that (then new model minus old, 0 by default).
    margin : float, optional
        The largest loss that does not matter: plans for non-inferiority, the lower end of the
        interval above minus this. Without one, the power is that of excluding 0.
    power : float, optional
        The power wanted, to find the difference or to show non-inferiority, instead of a width
        or beside it: 0.8, for example.
    correlation : float, optional
        Of two models: how their scores correlate within a class, from 0 up to below 1. Models
        on the same cases need one, and others have none.
    paired : bool, default True
        Whether both models see the same cases; otherwise n is the number of cases of each.
    prevalence : float, default 0.5
        Share of positive cases, between 0 and 1; their number is the nearest whole one.
    sd_ratio : float, default 1.0
        SD of the scores of positives over that of negatives, for DeLong's variance.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.

    Returns
    -------
    SampleSize
        ``counts`` holds the cases of each class.

    Raises
    ------
    OptionError

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988); Bamber (1975) for the variance of an area.

    Examples
    --------
    >>> plan = auroc_difference(0.85, margin=0.05, power=0.8, correlation=0.6)
    >>> plan.n, plan.formula, plan.rule
    (414, 'delong_t', 'auto@2')
    >>> plan = auroc_difference(0.85, n=400, margin=0.05, correlation=0.6)
    >>> round(plan.halfwidth, 3), round(plan.power, 2)
    (0.036, 0.79)
    """
    check_goal(n, halfwidth, power=power)
    asked = _checked(
        (expected, difference, margin),
        correlation,
        paired=as_flag("paired", paired),
        prevalence=prevalence,
        sd_ratio=sd_ratio,
        confidence_level=confidence_level,
    )
    formula = asked.formula
    if n is not None:
        purpose = f"a difference of AUROCs at prevalence {asked.prevalence:g}, two of each class,"
        plan = plan_at(formula, check_n(n, formula.least, purpose))
        return _with_power(plan, asked, settled=difference is not None)
    if power is not None:
        if asked.margin is None and difference is None:
            raise OptionError("power needs a difference or a margin; give one")
        share = check_power(power, asked.level, asked.margin)
        goal = power_text(share, asked.difference, asked.margin)
        fewest = smallest_n(lambda m: asked.power(m) >= share, formula.least, goal)
        need = Requirement(goal, fewest, formula.formula)
        formula = replace(formula, needs=(need, *formula.needs))
    if halfwidth is None:
        plan = plan_at(formula, max(need.n for need in formula.needs))
    else:
        plan = plan_for_width(formula, wanted_width(halfwidth, RANGE, "a difference"))
    return _with_power(replace(plan, aim=power), asked, settled=difference is not None)


def both_below(first: float, second: float, correlation: float) -> float:
    """Φ₂(h, k; ρ), the probability that two correlated normal values lie below h and k.

    By the integral of its derivative in the angle arcsin ρ.

    >>> round(both_below(0.0, 0.0, 0.5), 10), round(both_below(1.0, 0.5, 0.0), 4)
    (0.3333333333, 0.5818)
    """
    from scipy import special

    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    end = math.asin(correlation)
    angles = end * (nodes + 1) / 2
    exponent = (first**2 + second**2 - 2 * first * second * np.sin(angles)) / np.cos(angles) ** 2
    added = end / 2 * float(weights @ np.exp(-exponent / 2)) / (2 * math.pi)
    return float(special.ndtr(first) * special.ndtr(second)) + added


@frozen(eq=False)
class _TwoAreas:
    """Two AUROCs of normal scores, and what is asked of their difference."""

    # Of the new model, and of the old.
    areas: tuple[float, float]
    difference: float
    margin: float | None
    # None of models on cases of their own.
    correlation: float | None
    prevalence: float
    sd_ratio: float
    level: Level

    def power(self, n: int) -> float:
        """How often the interval lies above -margin, or excludes 0."""
        from scipy import special

        (below, above), error = self.distances(n), math.sqrt(self.variances(n)[0])
        if self.margin is not None:
            return float(special.ndtr((self.difference + self.margin - below) / error))
        higher = special.ndtr((self.difference - below) / error)
        return float(higher + special.ndtr((-self.difference - above) / error))

    def variances(self, n: int) -> tuple[float, float, tuple[float, float]]:
        """Of the difference, of DeLong's estimate of it on average, and its parts by class."""
        m, others = class_counts(n, self.prevalence)
        parts = [_parts(area, self.sd_ratio) for area in self.areas]
        each = np.array([sum(terms) for terms in zip(*parts, strict=True)])
        if self.correlation is not None:
            each -= 2 * np.array(_shared(self.areas, self.correlation, self.sd_ratio))
        own, q1, q2 = each
        true = (own + (m - 1) * q1 + (others - 1) * q2) / (m * others)
        # The components of positives vary by what two pairs with one positive share, and so on.
        by_class = (
            (own + (others - 1) * q2 - q1) / (m * others),
            (own + (m - 1) * q1 - q2) / (m * others),
        )
        return true, sum(by_class), by_class

    def distances(self, n: int) -> tuple[float, float]:
        """From the difference to either end of its interval, at the areas expected."""
        m, others = class_counts(n, self.prevalence)
        if self.correlation is not None:
            _, expected, by_class = self.variances(n)
            interval = delong_t(
                np.array(self.difference),
                np.sqrt(np.array(expected)),
                np.array(_degrees(by_class, m, others)),
                self.level,
            )
        else:
            each = []
            for area in self.areas:
                alone = replace(self, areas=(area, area))
                _, expected, (first, second) = alone.variances(n)
                degrees = _degrees((first / 2, second / 2), m, others)
                error = np.sqrt(np.array(expected / 2))
                each.append(delong_logit_t(np.array(area), error, np.array(degrees), self.level))
            interval = mover(np.array(self.areas), (each[0], each[1]), "difference", self.level)
        return float(self.difference - interval.low), float(interval.high - self.difference)

    @property
    def formula(self) -> WidthFormula:
        """The width of the interval at n."""
        paired = self.correlation is not None
        metric = Metric(spec_of(auroc))
        need = Requirement(
            "reliable coverage of the AUROC", metric.reliable_n, cite("andre2025").short
        )
        return WidthFormula(
            quantity=f"difference in {metric.spec.display}" + " of two groups" * (not paired),
            formula=(
                delong_t.__name__ if paired else f"{mover.__name__}:{delong_logit_t.__name__}"
            ),
            formula_text="DeLong's variance of normal scores",
            level=self.level,
            assumed={
                "expected": self.areas[1],
                "prevalence": self.prevalence,
                **({"correlation": self.correlation} if self.correlation is not None else {}),
                **({} if self.sd_ratio == 1 else {"sd_ratio": self.sd_ratio}),
            },
            width_at=lambda n: sum(self.distances(n)),
            least=smallest_n(
                lambda n: min(class_counts(n, self.prevalence)) >= LEAST_OF_A_CLASS, 4
            ),
            needs=(need,),
            counts_at=lambda n: named_class_counts(n, self.prevalence),
            notes=() if paired else ("n is the number of cases of each of the two models.",),
        )


def _parts(area: float, sd_ratio: float) -> tuple[float, float, float]:
    """Of a comparison of a positive with a negative: its variance, and what two share."""
    return area * (1 - area), *binormal_terms(area, sd_ratio)


def _shared(
    areas: tuple[float, float], correlation: float, sd_ratio: float
) -> tuple[float, float, float]:
    """Covariances of comparisons by two models that share both cases, a negative, a positive."""
    from scipy import special

    first, second = (float(special.ndtri(area)) for area in areas)
    negative = 1 / (1 + sd_ratio**2)
    joints = (
        both_below(first, second, correlation * share) for share in (1.0, negative, 1 - negative)
    )
    pair, negative, positive = (joint - areas[0] * areas[1] for joint in joints)
    return pair, negative, positive


def _degrees(by_class: tuple[float, float], positives: int, negatives: int) -> float:
    """Satterthwaite's degrees of freedom."""
    spread = by_class[0] ** 2 / (positives - 1) + by_class[1] ** 2 / (negatives - 1)
    return sum(by_class) ** 2 / spread


def _checked(
    question: tuple[float, float | None, float | None],
    correlation: float | None,
    *,
    paired: bool,
    prevalence: float,
    sd_ratio: float,
    confidence_level: float,
) -> _TwoAreas:
    expected, difference, margin = question
    old = check_level_of_quantile("expected", expected)
    apart = 0.0 if difference is None else as_number("difference", difference)
    if not 0 < old + apart < 1:
        raise OptionError(
            f"{spelled('difference', apart)} from an AUROC of {old:g} gives one outside 0 to 1"
        )
    if difference is not None and margin is None and not apart:
        raise OptionError(
            f"{spelled('difference', 0)} leaves nothing to find; give a margin for non-inferiority"
        )
    loss = None
    if margin is not None:
        loss = check_positive("margin", margin)
        if loss >= 1:
            raise OptionError(
                f"{spelled('margin', loss)} is no restriction: AUROCs differ by less than 1"
            )
        check_not_inferior(apart, loss)
    if paired and correlation is None:
        raise OptionError(
            "give the correlation of the scores of both models within a class (from 0 up to "
            f"below 1), or {spelled('paired', False)} for models on different cases"
        )
    if not paired and correlation is not None:
        raise OptionError("models on different cases have no correlation; leave it out")
    if correlation is not None:
        correlation = as_number("correlation", correlation)
        if not 0 <= correlation < 1:
            raise OptionError(
                f"{spelled('correlation', correlation)} must be at least 0 and below 1"
            )
    return _TwoAreas(
        (old + apart, old),
        apart,
        loss,
        correlation,
        check_share("prevalence", prevalence),
        check_positive("sd_ratio", sd_ratio),
        Level(confidence_level),
    )


def _with_power(plan: SampleSize, asked: _TwoAreas, *, settled: bool) -> SampleSize:
    """A plan with the power at its n, and whether the default analysis takes its method there."""
    assumed = dict(plan.assumed)
    if settled:
        assumed["difference"] = asked.difference
    if asked.margin is not None:
        assumed["margin"] = asked.margin
    asks = settled or asked.margin is not None
    plan = replace(plan, assumed=assumed, power=asked.power(plan.n) if asks else None)
    rarer: Array = np.array(class_counts(plan.n, asked.prevalence)).min()
    wrong = rarer * min(min(area, 1 - area) for area in asked.areas)
    enough = MANY_RANKED_WRONG if asked.correlation is not None else FEW_RANKED_WRONG
    if wrong >= MOSTLY * enough:
        return replace(plan, rule=RULE)
    named = delong_t.__name__ if asked.correlation is not None else delong_logit_t.__name__
    note = (
        f"With {wrong:.0f} cases of the rarer class ranked wrongly the default analysis ({RULE}) "
        f"takes {dirichlet.__name__} in many studies (below {enough}), which is wider: name the "
        f"method when you evaluate ({spelled_both('method', named)}), or plan for more cases."
    )
    return replace(plan, notes=(*plan.notes, note))
