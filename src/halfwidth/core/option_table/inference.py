"""Options of verbs: what is estimated, how models are compared, and the interval."""

from __future__ import annotations

from typing import Final

from halfwidth.core.option_table.option import DataKind, Group, Option

_OF_MODELS = (DataKind.VALUES, DataKind.PREDICTIONS, DataKind.DETECTIONS)

QUANTITIES: Final[dict[str, Option]] = {
    "metric": Option(
        "Of predictions and detections, what is estimated; of values, what they are, where their "
        "data do not say it.",
        "It decides range, unit and which direction is better. Parameters stand after a colon: "
        '``"nsd:tolerance=3"``; costs and priors by ``functools.partial(halfwidth.metrics.'
        "expected_cost, costs=[[0, 1], [5, 0]])``. Or a function of your own.",
        type="str, MetricSpec or callable, or sequence of them, optional",
        default=None,
        metavar="NAME",
        group=Group.ESTIMATE,
        elsewhere="metrics scoring scorer metric_fn",
    ),
    "metric_ci.metric": Option(
        'A name, with parameters after a colon: ``"f_beta:beta=2"``, ``"ppv:prevalence=0.05"``; or '
        "a function ``f(y_true, y_score)`` that returns a number.",
        "Names are those of ``halfwidth.SAMPLE_METRICS``; scikit-learn's are synonyms. Costs and "
        "priors: ``functools.partial(halfwidth.metrics.expected_cost, costs=[[0, 1], [5, 0]])``.",
        type="str, MetricSpec, callable, or sequence of them",
    ),
    "calibration_by_centre.metric": Option(
        "Of the slope, both intercepts and the O:E ratio; default: all four.",
        type="str or sequence of str, optional",
        default=None,
    ),
    "calibration_test.statistic": Option(
        "One or several of the names above, with parameters behind a colon: "
        '``"hosmer_lemeshow:groups=20"``, ``"ece:bins=15,binning=mass"``.',
        type='str or sequence of str, default "spiegelhalter"',
        default="spiegelhalter",
    ),
    "calibration_test.average": Option(
        'Of the positive class (``"binary"``), of each class by itself (``"none"``), or of the '
        'largest probability of each case and whether it is right (``"top_label"``). Default: that '
        "of the positive class where there is one, else that of the top label.",
        type="str or sequence of them, optional",
        default=None,
    ),
    "calibration_by_centre.average": Option(
        "As for `calibration_test`.", type="str, optional", default=None
    ),
    "calibration_test.n_resamples": Option(
        "Samples of outcomes, N; default: 9999, and none for Spiegelhalter's z and the likelihood "
        "ratio of so many cases that their distribution in large samples is as near (Lyapunov's "
        "ratio at most 0.03: some 1000 / (p (1 - p)) cases). p is then that of large samples.",
        type="int, default 9999",
        default=None,
    ),
    "curve.average": Option(
        'Of calibration ``"binary"``, ``"none"`` (each class) or ``"top_label"`` (the largest '
        'probability, and whether it is right). Of detections ``"macro"``, ``"micro"``, '
        '``"weighted"`` or ``"none"``, which makes a curve for each class; default: the mean of '
        "the classes. ROC, precision-recall and decision curves are those of the positive class, "
        "where none is known of each against the rest.",
        type="str, optional",
        default=None,
    ),
    "curve.y_score": Option(
        "Scores, where ``data`` are true classes.",
        type="array-like, or mapping of str to these, optional",
        default=None,
    ),
    "statistic": Option(
        'Summary statistic of values of cases; with parameters: ``"quantile:0.9"``.',
        '``"mean"``, ``"median"``, ``"trimmed_mean"`` (or ``"trimmed_mean:0.1"``), '
        '``"sd"`` (``"sd:ddof=0"``), ``"iqr"``, ``"quantile:0.9"``; or a function of the '
        "values, vectorised if it takes ``axis``; or a `StatisticSpec`, which can have an "
        "``influence`` and thereby a standard error.",
        type='str, callable or StatisticSpec, default "mean"',
        default="mean",
        metavar="NAME",
        group=Group.ESTIMATE,
        kinds=(DataKind.VALUES, DataKind.RUNS, DataKind.PAIRS),
        elsewhere="statistics stat stats estimator func",
    ),
    "average": Option(
        'Over classes: ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``; '
        '``"none"`` takes each class apart.',
        'Default: that of the positive class where there is one, else ``"macro"``. Of '
        'probabilities there are also ``"top_label"``, ``"sum"`` and ``"canonical"``, of the '
        'whole vector, and the default is the first that the metric has of ``"sum"``, '
        '``"canonical"`` and ``"top_label"``.',
        type="str or sequence of them, optional",
        default=None,
        metavar="AVERAGE",
        group=Group.TEST_SETS,
        kinds=(DataKind.PREDICTIONS, DataKind.DETECTIONS, DataKind.LABELS),
        elsewhere="averages averaging multi_class",
    ),
}

COMPARISON: Final[dict[str, Option]] = {
    "baseline": Option(
        "The model that all others are compared with; default: all pairs.",
        type="str, optional",
        default=None,
        metavar="MODEL",
        group=Group.COMPARISON,
        kinds=_OF_MODELS,
    ),
    "against": Option(
        "The name of the old model; default: the other of two.",
        type="str, optional",
        default=None,
        metavar="NAME",
        group=Group.COMPARISON,
    ),
    "new": Option(
        "The name of the new model; default: the first.",
        type="str, optional",
        default=None,
        metavar="NAME",
        group=Group.COMPARISON,
    ),
    "effect": Option(
        "First minus second, or first over second.",
        "Of raters the ratio is Williams' index: 1 where the model is like one more rater.",
        default="difference",
        choices=("difference", "ratio"),
        group=Group.COMPARISON,
        flag="--ratio",
    ),
    "test": Option(
        "Another test, beside the p value of the interval; verdicts rest on the latter.",
        '``"auto"``: mid-p McNemar for proportions of independent cases, else a permutation of '
        "the two results of each case.",
        default="none",
        choices=("auto", "permutation", "mcnemar", "mcnemar_midp", "wilcoxon", "none"),
        metavar="NAME",
        group=Group.COMPARISON,
        kinds=_OF_MODELS,
    ),
    "correction": Option(
        "Of the p values of several comparisons, with intervals that hold for all of them.",
        '``"stepdown"`` under their joint law has the most power; ``"holm"`` and '
        '``"bonferroni"`` know none; ``"benjamini_hochberg"`` has no such intervals; ``"none"`` '
        "leaves out both.",
        type="str",
        default="stepdown",
        choices=("stepdown", "holm", "bonferroni", "benjamini_hochberg", "none"),
        metavar="NAME",
        group=Group.COMPARISON,
        kinds=_OF_MODELS,
    ),
    "margin": Option(
        "Largest loss that would not matter, above 0, in the unit of the metric (of a ratio a "
        "share): asks for non-inferiority and equivalence.",
        'Of several metrics that of each: ``{"dsc": 0.02, "hd95": 1}``.',
        type="float or mapping of str to float, optional",
        default=None,
        metavar="NUMBER",
        group=Group.COMPARISON,
    ),
    "gate.margin": Option(
        "Largest loss that would not matter, above 0, in the unit of the metric; of a ratio a "
        "share.",
        'Of several metrics that of each: ``{"dsc": 0.02, "hd95": 1}``.',
        type="float or mapping of str to float",
        metavar="NUMBER",
        group=Group.COMPARISON,
    ),
    "rank.margin": Option(
        "A model ranks behind those that are better by more than this, in the unit of the metric.",
        'Of ``"rank_then_aggregate"`` in ranks. Of several metrics that of each: '
        '``{"dsc": 0.02, "hd95": 1}``.',
        type="float or mapping of str to float, default 0.0",
        default=0.0,
        metavar="NUMBER",
        group=Group.COMPARISON,
    ),
    "goal": Option(
        "Value that each model by itself should reach, with its confidence bound.",
        'Of several metrics that of each: ``{"dsc": 0.9, "hd95": 5}``.',
        type="float or mapping of str to float, optional",
        default=None,
        metavar="NUMBER",
        group=Group.COMPARISON,
        kinds=_OF_MODELS,
    ),
    "scheme": Option(
        '``"aggregate_then_rank"``: by the statistic of the values; ``"rank_then_aggregate"``: '
        'by that of the ranks within each case; ``"test_then_rank"``: by the tests that a model '
        "wins. Further: ``rank_then_aggregate:ties=average`` (or ``max``), "
        "``test_then_rank:test=wilcoxon`` (``permutation``, ``mcnemar``, ``mcnemar_midp``).",
        "Ranks within a case are shared by ``ties``, ``min`` by default; in the ranking itself it "
        "always is the smallest. Tests are one-sided, of pairs, with Holm's correction; by default "
        "Wilcoxon's of values of cases, else that of `compare`. Several schemes make a ranking "
        "each.",
        type="str or sequence of them",
        default="aggregate_then_rank",
        choices=("aggregate_then_rank", "rank_then_aggregate", "test_then_rank"),
        metavar="NAMES",
        group=Group.COMPARISON,
    ),
    "top": Option(
        "How many first ranks the share of resamples among the first takes together.",
        default=3,
        metavar="COUNT",
        group=Group.COMPARISON,
    ),
    "combine": Option(
        "Combine the ranks by several metrics, within tasks and over them. Further: "
        "``mean_rank:absent_model=last``, of a model that some task lacks.",
        "Over tasks alone there always is a consensus, by mean ranks unless this says otherwise. A "
        'model that some task lacks, with ``pairing="common"``, is left out of the consensus, or '
        "last in that task.",
        type="str, optional",
        default=None,
        choices=("mean_rank", "median_rank"),
        metavar="NAME",
        group=Group.COMPARISON,
    ),
}

INTERVAL: Final[dict[str, Option]] = {
    "method": Option(
        'CI method, one of ``halfwidth.METHODS``; ``"auto"`` chooses on evidence.',
        "It cuts its bounds to the metric's range; a method asked for by name gives its textbook "
        "formula.",
        default="auto",
        metavar="NAME",
        group=Group.INTERVAL,
        elsewhere="formula",
    ),
    "failures": Option(
        'What ``"auto"`` allows for: ``"seen"``, failures such as these cases show; '
        '``"unseen"``, failures as none of them did; ``"both"``, the first with the second beside '
        "it.",
        "Failures that are seen may be worse by a heavy tail of them, others as bad as the "
        'bounds of the metric. With ``"both"`` the other interval is ``if_unseen_failures``, and a '
        "verdict has to hold under either.",
        default="seen",
        choices=("seen", "unseen", "both"),
        metavar="WHICH",
        group=Group.INTERVAL,
    ),
    "confidence_level": Option(
        "Between 0 and 1; at least 0.5 for a one-sided bound.",
        type="float",
        default=0.95,
        metavar="LEVEL",
        group=Group.INTERVAL,
        key="levels",
        elsewhere=(
            "alpha ci level conf conf_int conf_level confidence ci_level cl coverage significance"
        ),
    ),
    "alternative": Option(
        '``"lower"`` gives a lower confidence bound, ``"upper"`` an upper one.',
        "The other end is then that of the range.",
        default="two-sided",
        choices=("two-sided", "lower", "upper"),
        metavar="SIDE",
        group=Group.INTERVAL,
        elsewhere="side sides tail tails",
    ),
    "n_resamples": Option(
        "Bootstrap resamples; default: 9999, and none where the bootstrap distribution is known "
        "exactly, as of means and of ratios of counts.",
        type="int, optional",
        default=None,
        metavar="B",
        group=Group.INTERVAL,
        elsewhere=(
            "n_boot n_boots nboot n_bootstrap n_bootstraps n_bootstrap_samples "
            "bootstraps n_iter n_iterations n_replicates n_reps num_resamples resamples "
            "reps B R"
        ),
    ),
    "curve.confidence_level": Option("Of each point, or of the band.", type="float", default=0.95),
    "curve.n_resamples": Option(
        "From 20 000 independent cases on a curve takes some seconds for any number of them. Of "
        "calibration those of the numbers that "
        "stand on the figure, and up to 1999 of the band of a reliability curve.",
        type="int, optional",
        default=None,
    ),
    "rng": Option(
        "Makes bootstraps repeatable; default: fresh, and reported.",
        "A source of randomness as in SPEC 7. The result's ``seed`` reproduces it, and all rows "
        "share it: a seed gives the same resamples for every pair of models.",
        type="None, int, SeedSequence or Generator, optional",
        default=None,
        metavar="INT",
        group=Group.INTERVAL,
        flag="--seed",
        key="seed",
        elsewhere="random_state random_seed rng_seed generator",
    ),
    "subsample.rng": Option(
        "Makes subsamples repeatable; default: fresh, and reported.",
        "A source of randomness as in SPEC 7. The result's ``seed`` reproduces it.",
        type="None, int, SeedSequence or Generator, optional",
        default=None,
        metavar="INT",
        group=Group.INTERVAL,
        flag="--seed",
    ),
    "gate.rng": Option(
        "Of bootstraps; fixed, so that the same cases always get the same answer.",
        type="int, SeedSequence or Generator",
        default=1,
        metavar="INT",
        group=Group.INTERVAL,
        flag="--seed",
    ),
    "simultaneous": Option(
        "Of training runs: all intervals of a source hold at once (Bonferroni).",
        default=False,
        group=Group.INTERVAL,
        kinds=(DataKind.RUNS,),
    ),
    "curve.band": Option(
        "Whether each point has an interval of its own, or the whole curve lies in the band as "
        "often as the level says.",
        default="pointwise",
        choices=("pointwise", "simultaneous"),
        kinds=(DataKind.DETECTIONS,),
        group=Group.INTERVAL,
    ),
    "n_threads": Option(
        "Threads of bootstraps that the compiled library does; the result is the same for any "
        "number.",
        default=1,
        metavar="N",
        group=Group.RUNNING,
        flag="--jobs",
        elsewhere="n_jobs workers n_workers num_threads threads",
    ),
}

RUNS: Final[dict[str, Option]] = {
    "quantile": Option(
        "Level of a quantile; several are a row each.",
        type="float or sequence of float",
        default=(0.1, 0.5, 0.9),
        metavar="LEVEL",
        group=Group.ESTIMATE,
        elsewhere="q quantiles",
    ),
    "mean": Option(
        "The mean, with t, beside the quantiles.",
        default=True,
        group=Group.ESTIMATE,
    ),
    "folds": Option(
        'What a column ``fold`` means: ``"refuse"``, an error, as folds are no independent '
        'runs; or ``"average"`` over the folds of each seed as one run.',
        default="refuse",
        choices=("refuse", "average"),
        metavar="POLICY",
        group=Group.INPUT,
    ),
    "point": Option(
        'Point estimate; ``"auto"`` takes the one that goes with the interval.',
        'That is interpolated with ``"asymptotic"``, the bootstrap median with '
        '``"semiparametric"``, else the sample quantile.',
        default="auto",
        choices=("auto", "sample", "interpolated", "bootstrap_median"),
        metavar="NAME",
        group=Group.ESTIMATE,
    ),
}

OF_RESULTS: Final[dict[str, Option]] = {
    "page": Option(
        "Which page, from 1, where the picture takes several.",
        "Default: the first, which then says above how many there are.",
        type="int, optional",
        default=None,
    ),
    "title": Option("Of the page.", type="str", default="Performance with confidence intervals"),
    "figures": Option(
        "Whether to draw the values of the cases, the curves and the sets of ranks; takes "
        "matplotlib.",
        default=True,
    ),
    "evidence.n": Option("Only this size of the samples.", type="int, optional", default=None),
    "share": Option("Of the differences between the limits.", default=0.95),
}
