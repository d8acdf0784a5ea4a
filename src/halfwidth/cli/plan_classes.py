"""``halfwidth plan proportion``, ``auroc`` and ``classes``: plans for two classes."""

from __future__ import annotations

from typing import Annotated

from halfwidth.cli import options
from halfwidth.cli.answer import Answer
from halfwidth.cli.option_groups import declared
from halfwidth.cli.plan_options import (
    Assurance,
    Expected,
    Formula,
    Halfwidths,
    Margin,
    Outlet,
    Plot,
    Power,
    Prevalence,
    Sizes,
    Widths,
    answer,
    parse_goals,
)
from halfwidth.core.errors import OptionError
from halfwidth.estimation.resolve import AUTO
from halfwidth.intervals.proportion import wilson
from halfwidth.planning.auroc_differences import auroc_difference
from halfwidth.planning.aurocs import auroc as planned_auroc
from halfwidth.planning.class_shares import classes as planned_classes
from halfwidth.planning.proportions import proportion as planned_proportion


def proportion(
    expected: Expected,
    halfwidth: Halfwidths = None,
    width: Widths = None,
    n: Sizes = None,
    method: Annotated[str, declared("method", "proportion")] = wilson.__name__,
    assurance: Assurance = None,
    confidence_level: options.ConfidenceLevel = 0.95,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: Plot = None,
) -> Answer:
    """A proportion, such as an accuracy: the width of Wilson's interval where it is as expected.

    \b
    halfwidth plan proportion --expected 0.9 --width 0.1
    halfwidth plan proportion --expected 0.9 --halfwidth 0.01 --method wald
    halfwidth plan proportion --expected 0.9 --expected 0.5 -n 50 -n 100
    """
    outlet = Outlet.from_options(fmt, json, out, plot)
    goals = parse_goals(halfwidth, width, n)

    return answer(
        [
            planned_proportion(
                one,
                **goal,
                method=method,
                assurance=assurance,
                confidence_level=confidence_level,
            )
            for one in expected
            for goal in goals
        ],
        outlet,
    )


def auroc(
    expected: Expected,
    prevalence: Prevalence = [0.5],  # noqa: B006 -- typer copies it
    effect: Annotated[float | None, declared("difference")] = None,
    correlation: Annotated[float | None, declared("correlation", "auroc_difference")] = None,
    unpaired: Annotated[bool, declared("unpaired")] = False,
    margin: Margin = None,
    power: Power = None,
    halfwidth: Halfwidths = None,
    width: Widths = None,
    n: Sizes = None,
    method: Formula = AUTO,
    sd_ratio: Annotated[float, declared("sd_ratio")] = 1.0,
    assurance: Assurance = None,
    confidence_level: options.ConfidenceLevel = 0.95,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: Plot = None,
) -> Answer:
    """An AUROC, or the difference of two (--margin, --difference, --correlation, --unpaired).

    By the interval that ci or compare makes by default, in simulated studies with normal scores;
    of --method delong_logit, delong and hanley_mcneil, of one AUROC, by formula.

    \b
    halfwidth plan auroc --expected 0.85 --prevalence 0.3 --width 0.1
    halfwidth plan auroc --expected 0.85 --margin 0.05 --power 0.8 \\
        --correlation 0.6
    halfwidth plan auroc --expected 0.85 --prevalence 0.3 -n 200 \\
        --method hanley_mcneil
    """
    outlet = Outlet.from_options(fmt, json, out, plot)
    goals = parse_goals(halfwidth, width, n, power)
    if unpaired or any(one is not None for one in (effect, correlation, margin, power)):
        for name, given in {"method": method != AUTO, "assurance": assurance is not None}.items():
            if given:
                raise OptionError(
                    f"--{name} is for one AUROC; leave it out for the difference of two"
                )

        return answer(
            [
                auroc_difference(
                    one,
                    **goal,
                    difference=effect,
                    margin=margin,
                    power=power,
                    correlation=correlation,
                    unpaired=unpaired,
                    prevalence=share,
                    sd_ratio=sd_ratio,
                    confidence_level=confidence_level,
                )
                for one in expected
                for share in prevalence
                for goal in goals
            ],
            outlet,
        )

    return answer(
        [
            planned_auroc(
                one,
                **goal,
                prevalence=share,
                method=method,
                sd_ratio=sd_ratio,
                assurance=assurance,
                confidence_level=confidence_level,
            )
            for one in expected
            for share in prevalence
            for goal in goals
        ],
        outlet,
    )


def classes(
    prevalence: Prevalence,
    sensitivity: Annotated[float | None, declared("sensitivity")] = None,
    specificity: Annotated[float | None, declared("specificity")] = None,
    halfwidth: Halfwidths = None,
    width: Widths = None,
    n: Sizes = None,
    assurance: Assurance = None,
    confidence_level: options.ConfidenceLevel = 0.95,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: Plot = None,
) -> Answer:
    """Sensitivity, specificity or both: enough cases of each class, by Wilson's interval.

    \b
    halfwidth plan classes --sensitivity .9 --specificity .95 --prevalence .1 \\
        --halfwidth .05
    halfwidth plan classes --sensitivity .9 --prevalence .1 --halfwidth .05
    """
    outlet = Outlet.from_options(fmt, json, out, plot)
    goals = parse_goals(halfwidth, width, n)

    return answer(
        [
            planned_classes(
                sensitivity,
                specificity,
                **goal,
                prevalence=share,
                assurance=assurance,
                confidence_level=confidence_level,
            )
            for share in prevalence
            for goal in goals
        ],
        outlet,
    )
