"""Options of plans: the width wanted, and what is assumed of the cases of a study."""

from __future__ import annotations

from typing import Final

from halfwidth.core.option_table.option import REQUIRED, Group, Option


def _wanted(meaning: str, more: str = "") -> Option:
    return Option(meaning, more, "float, optional", None, metavar="NUMBER", group=Group.GOAL)


def _assumed(meaning: str, more: str = "", *, metavar: str = "NUMBER") -> Option:
    return Option(meaning, more, "float, optional", None, metavar=metavar, group=Group.ASSUMED)


PLANNING: Final[dict[str, Option]] = {
    "halfwidth": _wanted(
        "The half-width wanted, the number after the ±.",
        "In the metric's unit; half of the width, where the interval is not symmetric.",
    ),
    "plan.halfwidth": Option(
        "The half-width wanted, the number after the ±.",
        "In the metric's unit; half of the width, where the interval is not symmetric.",
        type="float or sequence of float, optional",
        default=None,
        metavar="NUMBER",
        group=Group.GOAL,
    ),
    "width": _wanted("Instead of it the width wanted, high - low."),
    "plan.width": _wanted("Instead of it the width wanted, high - low.")._replace(
        type="float or sequence of float, optional"
    ),
    "power": _wanted(
        "The power wanted, to find the difference or to show non-inferiority, instead of a width "
        "or beside it: 0.8, for example."
    )._replace(metavar="SHARE"),
    "planning.margin": _wanted(
        "The largest loss that does not matter: plans for non-inferiority, the lower end of the "
        "interval above minus this.",
        "Without one, the power is that of excluding 0.",
    ),
    "assurance": _wanted(
        "The probability with which a study is to reach the width, from 0.5 up to below 1: 0.8, "
        "for example.",
        "Without it about half of the studies are wider than planned.",
    )._replace(metavar="SHARE"),
    "planning.method": Option(
        "The method planned for: what the default analysis takes, or one that is named, of "
        '``halfwidth.METHODS``; ``"t"`` and ``"z"`` have formulas.',
        '``"z"`` is El Jurdi\'s table; too small below about 100 cases.',
        default="auto",
        metavar="NAME",
        group=Group.INTERVAL,
    ),
    "auroc.method": Option(
        "The method planned for: what the default analysis takes, or ``delong_logit_t`` or "
        "``dirichlet``, simulated too; ``delong_logit``, ``delong`` and ``hanley_mcneil`` have "
        "formulas.",
        default="auto",
        metavar="NAME",
        group=Group.INTERVAL,
    ),
    "proportion.method": Option(
        "The method planned for.",
        "Published tables mostly have Wald's, p ± z SE, which is too narrow near 0 and 1.",
        default="wilson",
        choices=("wilson", "wald"),
        metavar="NAME",
        group=Group.INTERVAL,
    ),
    "planning.metric": Option(
        "What the values are: their range, their unit, and from how many cases their mean is "
        "reliable.",
        type="str, MetricSpec or metric function, optional",
        default=None,
        metavar="NAME",
        group=Group.ESTIMATE,
    ),
    "planning.bounds": Option(
        "Range of the values; replaces that of the metric, or declares one of your own.",
        type="(low, high), optional",
        default=None,
        metavar="LOW,HIGH",
        group=Group.ESTIMATE,
    ),
    "statistics": Option(
        'What else will be reported of the same cases, and has to be reliable too: ``"sd"``, '
        '``"median"``, ``"quantile:0.9"``, ...; the width is that of the mean.',
        type="sequence of str, optional",
        default=(),
        metavar="NAME",
        group=Group.ESTIMATE,
        flag="--statistic",
    ),
    "planning.sd": _assumed(
        "SD of the cases, in the metric's unit: of a pilot, of a published table.", metavar="SD"
    ),
    "difference.sd": _assumed(
        "SD of the differences within cases; of two groups, of the cases of each.", metavar="SD"
    ),
    "quantile.sd": _assumed(
        "SD of the cases, taken to be normal; without it the width is a share of the population, "
        "and nothing is assumed.",
        "Tails that are longer need more cases.",
        metavar="SD",
    ),
    "review.sd": _assumed("SD of the cases, with division by n - 1.", metavar="SD"),
    "sd_a": _assumed("Instead of it: the SD of one model.", metavar="SD"),
    "sd_b": _assumed("Instead of it: the SD of the other model.", metavar="SD"),
    "correlation": _assumed(
        "How the values of the two models correlate over cases, from -1 to 1.",
        "Two groups of other cases have none.",
        metavar="R",
    ),
    "auroc_difference.correlation": _assumed(
        "Of two models: how their scores correlate within a class, from 0 up to below 1.",
        "Models on the same cases need one, and others have none.",
        metavar="R",
    ),
    "unpaired": Option(
        "Two models on cases of their own, n each, instead of the same cases twice.",
        default=False,
        group=Group.ASSUMED,
    ),
    "difference": _assumed(
        "The true difference, whose power is told: how often the interval excludes 0, or with "
        "``margin`` lies above minus that (then new model minus old, 0 by default)."
    ),
    "planning.mean": _assumed(
        "The mean of the cases (of two groups, of the second), which says how far the bounds of "
        "the metric are; default: the middle between them, where intervals are widest.",
        "Without a finite range nothing is cut.",
    ),
    "review.mean": _assumed(
        "As published, in the metric's unit after scaling.",
        'Of ``metric="accuracy"``, the share that is right.',
    ),
    "failures_share": _assumed(
        "Share of cases that fail, with the worst value of the metric; ``sd`` and ``mean`` are "
        "then those of the others.",
        metavar="SHARE",
    ),
    "difference.pilot": Option(
        "Instead of an SD: differences within the cases of a pilot, new model minus old.",
        "Studies have cases like these, whatever their shape, moved to the true difference.",
        type="array-like, shape (n,), optional",
        default=None,
        group=Group.ASSUMED,
    ),
    "planning.pilot": Option(
        "Instead: predicted probabilities of cases as they will be collected.",
        "Those closer to 0 or 1 than 1e-7 are taken to be 1e-7 away from it.",
        type="array-like, shape (m,), optional",
        default=None,
        group=Group.ASSUMED,
    ),
    "planning.expected": _assumed("The value expected.")._replace(default=REQUIRED, type="float"),
    "sd_ratio": Option(
        "SD of the scores of positives over that of negatives, for DeLong's variance.",
        default=1.0,
        metavar="RATIO",
        group=Group.ASSUMED,
    ),
    "prevalence": Option(
        "Share of positive cases, between 0 and 1; their number is the nearest whole one.",
        default=0.5,
        metavar="SHARE",
        group=Group.ASSUMED,
    ),
    "classes.prevalence": Option(
        "Share of positive cases among those that will be collected, between 0 and 1.",
        "Of a sample with fixed numbers of each class, ``parts`` says what each needs.",
        type="float",
        metavar="SHARE",
        group=Group.ASSUMED,
    ),
    "sensitivity": _assumed("Expected; one that is not given is not planned for.", metavar="SHARE"),
    "specificity": _assumed("Expected; one that is not given is not planned for.", metavar="SHARE"),
    "slope_halfwidth": _wanted("The half-width wanted of the calibration slope."),
    "intercept_halfwidth": _wanted("The half-width wanted of the intercept joint with the slope."),
    "in_the_large_halfwidth": _wanted(
        "The half-width wanted of calibration-in-the-large, the intercept at slope 1."
    ),
    "oe_halfwidth": _wanted("The half-width wanted of the O:E ratio, (high - low) / 2."),
    "calibration.prevalence": _assumed("Share of positive cases; with ``auroc``.", metavar="SHARE"),
    "calibration.halfwidth": _wanted(
        "The half-width wanted, the number after the ±; of several metrics a mapping, "
        '``{"calibration_slope": 0.2, "oe_ratio": 0.1}``.',
        "Of O:E it is (high - low) / 2 of the ratio.",
    )._replace(type="float or mapping of str to float, optional"),
    "planning.auroc": _assumed(
        "AUROC of the model; log odds are then normal in each class, and right.",
        "They have the SD d = √2 Φ⁻¹(AUROC) and the means log(φ / (1 - φ)) ± d²/2.",
    ),
    "review.auroc": _assumed("As published."),
    "lp_mean": _assumed("Instead: the mean of the log odds of all cases, which are normal."),
    "lp_sd": _assumed("The SD of the log odds of all cases."),
    "lp_skewness": _assumed(
        "The skewness of the log odds, -0.995 to 0.995; default: 0.",
        "They then have a skew normal distribution.",
    ),
    "n_samples": Option(
        "Studies drawn at each n.", default=1000, metavar="S", group=Group.INTERVAL
    ),
    "plan.assurance": Option(
        "Share of studies that are to reach the width, from 0.5 up to below 1.",
        default=0.8,
        metavar="SHARE",
        group=Group.GOAL,
    ),
    "plan.n_resamples": Option(
        "Bootstrap resamples of each study, where any are drawn.",
        type="int",
        default=999,
        metavar="B",
        group=Group.INTERVAL,
    ),
    "plan.n": Option(
        "The reverse: the width that so many cases give.",
        type="int or sequence of int, optional",
        default=None,
        metavar="N",
        group=Group.GOAL,
    ),
    "plan.curve": Option(
        "Whether to simulate a quarter, half and twice as many cases too, for `plots.plan_curve`.",
        default=False,
    ),
    "planning.n": Option(
        "The reverse: the width that so many cases give.",
        "Of one of two groups or models on cases of their own.",
        type="int, optional",
        default=None,
        metavar="N",
        group=Group.GOAL,
    ),
    "planning.quantile": Option(
        "Level of the quantile, between 0 and 1.",
        type="float",
        metavar="Q",
        group=Group.ESTIMATE,
    ),
    "sizes": Option(
        "Cases in a subsample; default: 10 to 1000 and all.",
        "From 2 to n; 10, 20, 30, 50, 100, 200, 300, 500, 1000 below n, and n.",
        type="iterable of int, optional",
        default=None,
        metavar="K",
        group=Group.GOAL,
    ),
    "repeats": Option(
        "Subsamples of each size.",
        "At k = n there is but one.",
        default=100,
        metavar="N",
        group=Group.GOAL,
    ),
    "ddof": Option(
        "SD with division by k (0, as in the papers) or k - 1 (1).",
        type="{0, 1}",
        default=0,
        metavar="0|1",
        group=Group.ESTIMATE,
    ),
    "sem": _assumed("Instead of the SD: s/√n."),
    "review.halfwidth": _wanted(
        "Instead of an SD: half of the published 95 % interval.",
        "Its SD is that of a t interval.",
    ),
    "correct": Option("Cases that are right.", type="int, optional", default=None),
    "positives": Option("Positive cases, with ``auroc``.", type="int, optional", default=None),
    "versus": _assumed(
        "The published value of another model on the same cases, over which the lead is judged."
    ),
    "versus_sd": _assumed("SD of the other model's values; default: the same."),
    "versus_correct": Option(
        "Cases that are right by the other model.", type="int, optional", default=None
    ),
    "versus_n": Option(
        "Cases of the other model, where it saw other cases than the first.",
        type="int, optional",
        default=None,
    ),
    "review.scale": Option(
        "Published values and spreads are divided by it: 100 for per cent.", default=1.0
    ),
    "review_table.scale": Option(
        "Of the rows that have none.", type="float, optional", default=None
    ),
    "review_table.n": Option("Of the rows that have none.", type="int, optional", default=None),
    "review_table.metric": Option(
        "Of the rows that name none and hold a mean.",
        type="str, MetricSpec or metric function, optional",
        default=None,
    ),
    "plus_minus": Option(
        "What follows a ± (or stands in brackets) where the heading does not say it.",
        "It is never guessed.",
        type='{"sd", "sem", "halfwidth"}, optional',
        default=None,
        choices=("sd", "sem", "halfwidth"),
    ),
    "review_table.compare": Option(
        "Rows with the same metric, structure and n against the best one, or all pairs of them.",
        '``"auto"``: all pairs of up to four rows.',
        default="auto",
        choices=("auto", "best", "pairs", "none"),
    ),
}
