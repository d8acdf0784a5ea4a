"""The difference of two AUROCs: width of its interval, and power to settle it."""

from __future__ import annotations

import functools
from dataclasses import replace

from halfwidth.core.checks import as_flag, as_number
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.references import cite
from halfwidth.core.spec import Metric, spec_of
from halfwidth.core.types import Bounds, Level
from halfwidth.estimation.resolve import RULE
from halfwidth.metrics.ranking import auroc
from halfwidth.planning.aurocs import NORMAL, SIMULATED_TEXT, named_class_counts
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
from halfwidth.planning.scaled_studies import ScaledStudies
from halfwidth.planning.simulated_areas import AreaStudies
from halfwidth.planning.width_formulas import WidthFormula, plan_at, plan_for_width
from halfwidth.results.sample_size import Requirement, SampleSize

RANGE = Bounds(-1.0, 1.0)
# Cases of the studies that are simulated first.
FIRST = 200


def auroc_difference(
    expected: float,
    *,
    n: int | None = None,
    halfwidth: float | None = None,
    width: float | None = None,
    difference: float | None = None,
    margin: float | None = None,
    power: float | None = None,
    correlation: float | None = None,
    unpaired: bool = False,
    prevalence: float = 0.5,
    sd_ratio: float = 1.0,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases to settle how two AUROCs differ, or for a half-width; or what n cases give.

    By the interval that a comparison makes by default, in simulated studies whose scores are normal
    in both classes. Of two models on the same cases, whose scores correlate within a class, it is
    DeLong's with t where both rank enough cases wrongly, else that of Dirichlet weights; on cases
    of their own those of either are put together.

    Parameters
    ----------
    expected : float
        The AUROC expected of the old model, strictly between 0 and 1.
    n : int, optional
        The reverse: the width that so many cases give.
    halfwidth : float, optional
        The half-width wanted, the number after the ±.
    width : float, optional
        Instead of it the width wanted, high - low.
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
    unpaired : bool, default False
        Two models on cases of their own, n each, instead of the same cases twice.
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
    (416, 'delong_t', 'auto@2')
    >>> plan = auroc_difference(0.85, n=400, margin=0.05, correlation=0.6)
    >>> round(plan.halfwidth, 3), round(plan.power, 2)
    (0.036, 0.79)
    """
    halfwidth = check_goal(n, halfwidth, width, power=power)
    asked = _checked(
        (expected, difference, margin),
        correlation,
        paired=not as_flag("unpaired", unpaired),
        prevalence=prevalence,
        sd_ratio=sd_ratio,
        confidence_level=confidence_level,
    )
    formula, settled = asked.formula, difference is not None
    if n is not None:
        purpose = (
            f"a difference of AUROCs at prevalence {asked.areas.prevalence:g}, two of each class,"
        )
        plan = plan_at(formula, check_n(n, formula.least, purpose))
        return _with_power(plan, asked, settled=settled)
    if power is not None:
        if margin is None and difference is None:
            raise OptionError("power needs a difference or a margin; give one")
        share = check_power(power, asked.areas.level, asked.margin)
        goal = power_text(share, asked.studies.truth, asked.margin)
        fewest = asked.studies.cases_for_power(share, asked.margin, FIRST)
        need = Requirement(goal, fewest, formula.formula)
        formula = replace(formula, needs=(need, *formula.needs))
    if halfwidth is None:
        plan = plan_at(formula, max(need.n for need in formula.needs))
    else:
        plan = plan_for_width(formula, wanted_width(halfwidth, RANGE, "a difference"))
    return _with_power(replace(plan, aim=power), asked, settled=settled)


@frozen(eq=False)
class _TwoAreas:
    """Two AUROCs of normal scores, and what is asked of their difference."""

    areas: AreaStudies
    studies: ScaledStudies
    margin: float | None

    @property
    def formula(self) -> WidthFormula:
        """The width of the interval at n."""
        areas, metric = self.areas, Metric(spec_of(auroc))
        paired = areas.correlation is not None
        need = Requirement(
            "reliable coverage of the AUROC", metric.reliable_n, cite("andre2025").short
        )
        return WidthFormula(
            quantity=f"difference in {metric.spec.display}" + " of two groups" * (not paired),
            formula=f"{RULE}, simulated",
            formula_text=f"its mean width {SIMULATED_TEXT}",
            level=areas.level,
            assumed={
                "expected": areas.areas[1],
                "prevalence": areas.prevalence,
                **({"correlation": areas.correlation} if areas.correlation is not None else {}),
                **({} if areas.sd_ratio == 1 else {"sd_ratio": areas.sd_ratio}),
            },
            width_at=self.studies.width,
            curve_at=functools.partial(self.studies.width, simulate=False),
            search=lambda width: self.studies.cases_for_width(width, None, FIRST),
            least=self.studies.least,
            needs=(need,),
            counts_at=lambda n: named_class_counts(n, areas.prevalence),
            notes=() if paired else ("n is the number of cases of each of the two models.",),
            rule=RULE,
            shape=NORMAL,
        )


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
            f"{spelled('difference', 0)} cannot be detected; give a margin for non-inferiority"
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
            "give the correlation of the scores of both models within a class (at least 0, "
            f"below 1), or {spelled('unpaired', True)} for models on different cases"
        )
    if not paired and correlation is not None:
        raise OptionError("models on different cases have no correlation; leave it out")
    if correlation is not None:
        correlation = as_number("correlation", correlation)
        if not 0 <= correlation < 1:
            raise OptionError(
                f"{spelled('correlation', correlation)} must be at least 0 and below 1"
            )
    level, ratio = Level(confidence_level), check_positive("sd_ratio", sd_ratio)
    share = check_share("prevalence", prevalence)
    areas = AreaStudies((old + apart, old), correlation, share, ratio, level)
    return _TwoAreas(areas, areas.studies, loss)


def _with_power(plan: SampleSize, asked: _TwoAreas, *, settled: bool) -> SampleSize:
    """A plan with the power at its n, and the methods that studies of it take."""
    assumed, asks = dict(plan.assumed), settled or asked.margin is not None
    if settled:
        assumed["difference"] = asked.studies.truth
    if asked.margin is not None:
        assumed["margin"] = asked.margin
    power = asked.studies.power(plan.n, asked.margin) if asks else None
    notes = (*plan.notes, asked.studies.note(plan.n, power=power))
    return asked.areas.described(replace(plan, assumed=assumed, power=power, notes=notes))
