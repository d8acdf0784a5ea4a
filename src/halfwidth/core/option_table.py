"""The options of all verbs, kinds of data and doors: each declared once.

From here come the parameters in the docstrings of public functions (`tools/options.py` writes
them), the options of the command line with their help, the words that checks allow, what an option
is called at each door, and which kinds of data it has an effect on. Texts are written as in
docstrings; `typed` turns one into what the command line shows.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, NamedTuple


class Group(StrEnum):
    """The headings under which a help lists options, in this order."""

    ARGUMENTS = "Arguments"
    INPUT = "Input"
    DETECTIONS = "Files of detections"
    PUBLISHED = "Published numbers"
    MASKS = "Masks"
    ESTIMATE = "What to estimate"
    MATCHING = "How detections are matched"
    COMPARISON = "Comparison"
    ASSUMED = "What is assumed"
    GOAL = "Width or number of cases"
    INTERVAL = "Interval"
    DESIGN = "Design"
    TEST_SETS = "Metrics of a whole test set"
    RATERS = "A model against raters"
    CELLS = "Which cells of the study"
    PARTS = "Options of a part (--what)"
    RUNNING = "Running"
    OUTPUT = "Output"
    OPTIONS = "Options"


class _Required:
    """The default of an option that has to be given."""

    def __repr__(self) -> str:
        return "required"


REQUIRED: Final = _Required()


class Option(NamedTuple):
    """An option: what it means, what it may be, and where it is given.

    Attributes
    ----------
    meaning : str
        In a sentence or two, at every door.
    more : str
        What the reference says further, where the option is at home.
    type : str
        As numpydoc writes it; empty where the choices or the default say it.
    default : object
    choices : tuple of str
        The words that it may be.
    metavar : str
        What the command line calls its value.
    group : Group
        The heading under which a help lists it.
    kinds : str
        The kinds of data on which it has an effect; empty for all.
    flag, off : str
        On the command line; where empty, the name with hyphens and ``--no-`` before that.
    key : str
        In the spec of a study; where empty, the name.
    elsewhere : str
        What users of scikit-learn, SciPy, statsmodels and R write.
    """

    meaning: str = ""
    more: str = ""
    type: str = ""
    default: Any = REQUIRED
    choices: tuple[str, ...] = ()
    metavar: str = ""
    group: Group = Group.OPTIONS
    kinds: str = ""
    flag: str = ""
    off: str = ""
    key: str = ""
    elsewhere: str = ""


def option_of(name: str, door: str = "") -> Option:
    """An option, as a door has it: that of the door before that of all.

    Raises
    ------
    KeyError
        If it is not declared.
    """
    kind, _, constructor = door.partition(".")
    at = (f"{door}.{name}", f"{constructor}.{name}", f"{kind}.{name}")
    return next((OPTIONS[one] for one in at if one in OPTIONS), None) or OPTIONS[name]


_INTERVAL = {
    "method": Option(
        'CI method, one of ``halfwidth methods``; ``"auto"`` chooses on evidence.',
        "It cuts its bounds to the metric's range; a method asked for by name gives its textbook "
        "formula (``halfwidth.METHODS``).",
        default="auto",
        metavar="NAME",
        group=Group.INTERVAL,
        elsewhere="formula",
    ),
    "failures": Option(
        'What ``"auto"`` allows for: ``"seen"``, failures such as these cases show; '
        '``"unseen"``, failures as none of them did; of verdicts also ``"both"``.',
        "Failures that are seen may be worse by a heavy tail of them, others as bad as the "
        'bounds of the metric. The other interval is ``if_unseen_failures``; for ``"both"`` a '
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
    "gate.rng": Option(
        "Of bootstraps; fixed, so that the same cases always get the same answer.",
        type="int, SeedSequence or Generator",
        default=1,
        metavar="INT",
        group=Group.INTERVAL,
        flag="--seed",
    ),
    "simultaneous": Option(
        "Intervals that hold for all comparisons together; default: where there are several.",
        type="bool, optional",
        default=None,
        group=Group.COMPARISON,
    ),
    "runs_ci.simultaneous": Option(
        "All intervals of a source hold at once (Bonferroni).",
        default=False,
        group=Group.INTERVAL,
    ),
    "curve.band": Option(
        "Whether each point has an interval of its own, or the whole curve lies in the band as "
        "often as the level says.",
        default="pointwise",
        choices=("pointwise", "simultaneous"),
        kinds="Detections",
        group=Group.INTERVAL,
    ),
    "n_threads": Option(
        "Processors to use, -1 for all; the result is the same.",
        default=1,
        metavar="N",
        group=Group.RUNNING,
        flag="--jobs",
        elsewhere="n_jobs workers n_workers num_threads threads",
    ),
}

_QUANTITIES = {
    "metric": Option(
        "Of predictions and detections, what is estimated; of values, what they are, where their "
        "data do not say it.",
        "It decides range, unit and which direction is better. Parameters stand after a colon: "
        '``"nsd:tolerance=3"``. Or a function of your own.',
        type="str, MetricSpec or callable, or sequence of them, optional",
        default=None,
        metavar="NAME",
        group=Group.ESTIMATE,
        elsewhere="metrics scoring scorer metric_fn",
    ),
    "metric_ci.metric": Option(
        'A name, with parameters after a colon: ``"f_beta:beta=2"``, ``"ppv:prevalence=0.05"``; or '
        "a function ``f(y_true, y_score)`` that returns a number.",
        "Names are those of ``halfwidth.SAMPLE_METRICS``; scikit-learn's are synonyms.",
        type="str, MetricSpec, callable, or sequence of them",
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
        kinds="CaseValues Readings",
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
        kinds="Predictions Detections Readings",
        elsewhere="averages averaging multi_class",
    ),
    "keep_cases": Option(
        "Whether the result carries the values of the cases (``.cases``), as some figures need "
        "them; no table, JSON document or sentence holds them.",
        default=False,
        group=Group.OUTPUT,
        kinds="CaseValues",
    ),
}

_COMPARISON = {
    "baseline": Option(
        "The model that all others are compared with; default: all pairs.",
        type="str, optional",
        default=None,
        metavar="MODEL",
        group=Group.COMPARISON,
    ),
    "new": Option(
        "The name of the new model; default: the first.", type="str, optional", default=None
    ),
    "effect": Option(
        "First minus second, or first over second.",
        "Of raters the ratio is Williams' index: 1 where the model is like one more rater.",
        default="difference",
        choices=("difference", "ratio"),
        group=Group.COMPARISON,
        flag="--ratio",
    ),
    "paired": Option(
        "Whether the models were measured on the same cases; otherwise their cases are not "
        "matched.",
        default=True,
        group=Group.COMPARISON,
        kinds="CaseValues Predictions",
        off="--unpaired",
    ),
    "unmatched": Option(
        'Cases that are not there for every model: ``"raise"`` (an error that lists them), or '
        '``"omit"`` (leave them out, and say how many).',
        default="raise",
        choices=("raise", "omit"),
        metavar="POLICY",
        group=Group.INPUT,
        kinds="CaseValues Predictions Readings",
    ),
    "test": Option(
        "The test beside the interval.",
        '``"auto"``: mid-p McNemar for proportions of independent cases, else a permutation of '
        "the two results of each case.",
        default="auto",
        choices=("auto", "permutation", "mcnemar", "mcnemar_midp", "wilcoxon", "none"),
        metavar="NAME",
        group=Group.COMPARISON,
    ),
    "rank.test": Option(
        'Of ``"test_then_rank"``; ``"auto"``: Wilcoxon\'s of values of cases, else that of '
        "`compare`.",
        default="auto",
        choices=("auto", "permutation", "mcnemar", "mcnemar_midp", "wilcoxon"),
        metavar="NAME",
        group=Group.COMPARISON,
    ),
    "correction": Option(
        "Of the p-values of several comparisons.",
        default="holm",
        choices=("holm", "bonferroni", "benjamini_hochberg"),
        metavar="NAME",
        group=Group.COMPARISON,
    ),
    "margin": Option(
        "Largest loss that would not matter, above 0, in the unit of the metric (of a ratio a "
        "share): asks for non-inferiority and equivalence.",
        type="float, optional",
        default=None,
        metavar="NUMBER",
        group=Group.COMPARISON,
    ),
    "gate.margin": Option(
        "Largest loss that would not matter, above 0, in the unit of the metric; of a ratio a "
        "share.",
        type="float",
        metavar="NUMBER",
        group=Group.COMPARISON,
    ),
    "rank.margin": Option(
        "A model ranks behind those that are better by more than this, in the unit of the metric.",
        'Of ``"rank_then_aggregate"`` in ranks.',
        default=0.0,
        metavar="NUMBER",
        group=Group.COMPARISON,
    ),
    "goal": Option(
        "Value that each model by itself should reach, with its confidence bound.",
        type="float, optional",
        default=None,
        metavar="NUMBER",
        group=Group.COMPARISON,
    ),
    "scheme": Option(
        '``"aggregate_then_rank"``: by the statistic of the values; ``"rank_then_aggregate"``: '
        'by that of the ranks within each case; ``"test_then_rank"``: by the tests that a model '
        "wins.",
        "These are one-sided paired tests with Holm's correction. Several schemes make a ranking "
        "each.",
        type="str or sequence of them",
        default="aggregate_then_rank",
        choices=("aggregate_then_rank", "rank_then_aggregate", "test_then_rank"),
        metavar="NAMES",
        group=Group.COMPARISON,
    ),
    "ties": Option(
        'The rank that models share which are equal in a case, of ``"rank_then_aggregate"``.',
        "In the ranking itself it always is the smallest.",
        default="min",
        choices=("min", "average", "max"),
        metavar="NAME",
        group=Group.COMPARISON,
        kinds="CaseValues",
    ),
    "top": Option(
        "How many first ranks the share of resamples among the first takes together.",
        default=3,
        metavar="COUNT",
        group=Group.COMPARISON,
    ),
    "combine": Option(
        "Combine the ranks by several metrics, within tasks and over them. Over tasks alone there "
        "always is a consensus, by mean ranks unless this says otherwise.",
        type='{"mean_rank", "median_rank"}, optional',
        default=None,
        choices=("mean_rank", "median_rank"),
        metavar="NAME",
        group=Group.COMPARISON,
    ),
    "absent_model": Option(
        'A model that some task lacks, with ``unmatched="omit"``: ``"omit"`` leaves it out of '
        'the consensus, ``"last"`` gives it the last rank in that task.',
        default="omit",
        choices=("omit", "last"),
        metavar="POLICY",
        group=Group.COMPARISON,
    ),
}

_DATA = {
    "from_arrays.metric": Option(
        'What the values are: ``"dsc"``, ``"hd95"``, ``"nsd:tolerance=3"``, ...; decides '
        "range, unit and which direction is better.",
        "Those of the catalogue are ``halfwidth.METRICS``.",
        type="str, MetricSpec or metric function, optional",
        default=None,
        metavar="NAME",
        group=Group.ESTIMATE,
    ),
    "from_table.metric": Option(
        "What the values are; of a canonical table those of its metrics that are wanted. Several "
        "are columns that are called as their metrics, or a mapping from column to metric.",
        type="str, MetricSpec or metric function, sequence or mapping of these, optional",
        default=None,
        metavar="NAME",
        group=Group.ESTIMATE,
    ),
    "value": Option(
        "Column with values; default: every numeric column that is neither a case id nor has "
        "another role.",
        type="str, sequence of str, or mapping of str to str, optional",
        default=None,
        metavar="COLUMN",
        group=Group.INPUT,
        elsewhere="values column",
    ),
    "model": Option(
        "Column that names the model of each row; default, where models are compared: the first "
        "of model, algorithm and alg_name that there is.",
        type="str, optional",
        default=None,
        metavar="COLUMN",
        group=Group.INPUT,
    ),
    "by": Option(
        "Column, such as the organ, for each of whose levels a verb answers apart.",
        "Of several columns each combination of levels.",
        type="str or sequence of str, optional",
        default=(),
        metavar="COLUMN",
        group=Group.INPUT,
        elsewhere="groupby group_by",
    ),
    "case": Option(
        "Column of case ids; default: the first of case, case_id, id, subject, patient, name, "
        "filename that exists.",
        "With ``groups``, ids need be unique within their cluster only.",
        type="str, optional",
        default=None,
        metavar="COLUMN",
        group=Group.INPUT,
        elsewhere="id ids case_id",
    ),
    "groups": Option(
        "Cluster of each case: its patient, its scan. Cases of a cluster are resampled together.",
        "They resemble each other: bootstraps draw whole clusters, ``t`` and Wilson's interval are "
        "made robust.",
        type="array-like, shape (n,), optional",
        default=None,
        group=Group.DESIGN,
        elsewhere="group cluster clusters patient patients cluster_id",
    ),
    "from_table.groups": Option(
        "Column that names the cluster of each row: its patient, its scan. Rows of a cluster are "
        "resampled together.",
        type="str, optional",
        default=None,
        metavar="COLUMN",
        group=Group.DESIGN,
    ),
    "from_files.groups": Option(
        "Patient of each image: a column or field of the references, a label for each name, or "
        "one for each image in the order of the references.",
        type="str, mapping, Series or sequence, optional",
        default=None,
        metavar="COLUMN",
        group=Group.DESIGN,
    ),
    "strata": Option(
        "Stratum of each case (its site, its class), where the number of cases in each was fixed "
        "beforehand: bootstraps keep it.",
        type="array-like, shape (n,), optional",
        default=None,
        group=Group.DESIGN,
        elsewhere="stratum stratify",
    ),
    "from_table.strata": Option(
        "Column that names the stratum of each row: its site, its class. Each keeps its size.",
        type="str, optional",
        default=None,
        metavar="COLUMN",
        group=Group.DESIGN,
    ),
    "from_files.strata": Option(
        "Stratum of each image, as the patient.",
        type="str, mapping, Series or sequence, optional",
        default=None,
        metavar="COLUMN",
        group=Group.DESIGN,
    ),
    "over": Option(
        "What the statistic is taken of: cases, or clusters, by the mean of each.",
        "The two estimate different things where clusters differ in size.",
        default="cases",
        choices=("cases", "clusters"),
        metavar="UNIT",
        group=Group.ESTIMATE,
    ),
    "bounds": Option(
        "Range of the values, for a metric of your own.",
        "It replaces that of the metric.",
        type="(low, high), optional",
        default=None,
        metavar="LOW,HIGH",
        group=Group.ESTIMATE,
        elsewhere="range limits value_range",
    ),
    "Predictions.bounds": Option(
        "Of one metric of a regression: the least and the largest error that a case can have, for "
        "methods that rest on them; ``r2`` by itself.",
        type="(low, high), optional",
        default=None,
        metavar="LOW,HIGH",
        group=Group.ESTIMATE,
    ),
    "scale": Option(
        "Values are divided by it; 100 for per cent.",
        default=1.0,
        metavar="NUMBER",
        group=Group.INPUT,
        elsewhere="unit divide_by",
    ),
    "missing": Option(
        'What a missing value means: ``"raise"``, an error; ``"omit"``: not applicable, leave '
        'it out; ``"worst"``: failed, count it as the worst value.',
        "An infinite value is missing too.",
        default="raise",
        choices=("raise", "omit", "worst"),
        metavar="POLICY",
        group=Group.INPUT,
        elsewhere="nan_policy na_action na_rm skipna dropna",
    ),
    "CaseValues.missing": Option(
        'What a missing value means: ``"raise"``, an error; ``"omit"``: not applicable, leave '
        'the case out, of all models that are compared; ``"worst"``: failed, count it as the '
        'worst value; ``"worst_rank"``, of `rank`: the last rank of its case; ``"all"``, of '
        "`estimate`: the first policies side by side, with what the table itself has for failed "
        "cases.",
        default="raise",
        choices=("raise", "omit", "worst", "worst_rank", "all"),
        metavar="POLICY",
        group=Group.INPUT,
    ),
    "Predictions.missing": Option(
        'What a missing label or score means: ``"raise"``, an error, or ``"omit"``: leave the '
        "case out, of all models that are compared.",
        default="raise",
        choices=("raise", "omit"),
        metavar="POLICY",
        group=Group.INPUT,
    ),
    "estimate.missing": Option(
        'What a missing value means: ``"raise"``, an error; ``"omit"``: not applicable, leave it '
        'out; ``"worst"``: failed, count it as the worst value; ``"all"``: these two side by side, '
        "with what the table itself has for failed cases.",
        default="raise",
        choices=("raise", "omit", "worst", "all"),
        metavar="POLICY",
        group=Group.INPUT,
    ),
    "rank.missing": Option(
        'What a missing value means: ``"raise"``, an error; ``"omit"``: leave the case out for all '
        'models; ``"worst"``: the worst value; ``"worst_rank"``, with '
        '``scheme="rank_then_aggregate"``: the last rank of its case.',
        default="raise",
        choices=("raise", "omit", "worst", "worst_rank"),
        metavar="POLICY",
        group=Group.INPUT,
    ),
    "penalty": Option(
        'The worst value with ``missing="worst"``, for metrics without one (distances), in the '
        "unit after scaling.",
        type="float, optional",
        default=None,
        metavar="VALUE",
        group=Group.INPUT,
    ),
    "label": Option("Carried into the result.", default="", type="str, optional"),
}

_TEST_SETS = {
    "target": Option(
        "Column of true classes (or of true numbers).",
        type="str",
        metavar="COLUMN",
        group=Group.TEST_SETS,
    ),
    "score": Option(
        "Column of scores; several are those of the classes, in the order of ``labels``. Of two "
        "classes that of the positive one is enough.",
        "As a mapping, those of each model.",
        type="str, sequence of str, or mapping of str to these, optional",
        default=(),
        metavar="COLUMN",
        group=Group.TEST_SETS,
    ),
    "prediction": Option(
        "Column of predicted classes (or numbers).",
        "As a mapping, that of each model.",
        type="str or mapping of str to str, optional",
        default=None,
        metavar="COLUMN",
        group=Group.TEST_SETS,
    ),
    "labels": Option(
        "All classes, in the order of the scores; default: those that occur, in ascending order.",
        "Or in the order of an ordered categorical. The set of classes is fixed before resampling.",
        type="sequence, optional",
        default=None,
        metavar="LABELS",
        group=Group.TEST_SETS,
        elsewhere="classes class_names",
    ),
    "pos_label": Option(
        "The positive class; default: 1 of 0 and 1 (or -1 and 1, False and True).",
        type="label, optional",
        default=None,
        metavar="LABEL",
        group=Group.TEST_SETS,
        flag="--positive",
        key="positive",
        elsewhere="pos positive_label positive_class pos_class",
    ),
    "scores": Option(
        'What the scores are; ``"auto"`` takes numbers in [0, 1] for probabilities.',
        '``"auto"`` takes labels for labels, and a single column of other numbers for scores '
        "that rank; several such columns are an error, because it matters whether they are logits. "
        '``"numbers"`` are those of a regression, which a function of your own may need to be '
        "told.",
        default="auto",
        choices=("auto", "probabilities", "logits", "any", "labels", "numbers"),
        metavar="KIND",
        group=Group.TEST_SETS,
        elsewhere="score_kind",
    ),
    "threshold": Option(
        "Positive from this score on; default: 0.5. Or the name of a metric: the threshold that is "
        "best by it, chosen again in each resample.",
        "Of logits it is this probability; of more than two classes the largest score decides.",
        type="float or str, optional",
        default=None,
        metavar="NUMBER|METRIC",
        group=Group.TEST_SETS,
        elsewhere="thresholds cutoff",
    ),
    "absent_class": Option(
        "What a class without a value counts in an average, in the data or in a resample.",
        default="omit",
        choices=("omit", "zero", "undefined"),
        metavar="POLICY",
        group=Group.TEST_SETS,
    ),
    "undefined": Option(
        'What 0/0 counts: ``"omit"``, nothing; ``"zero"``, as in scikit-learn; ``"worst"``.',
        "Resamples that are left out are counted.",
        default="omit",
        choices=("omit", "zero", "worst"),
        metavar="POLICY",
        group=Group.TEST_SETS,
        elsewhere="zero_division",
    ),
    "costs": Option(
        "Of decisions, a row for each true class: for expected costs, and as weights of "
        "``cohen_kappa``.",
        "Default: 1 for an error.",
        type="array-like, shape (C, C), optional",
        default=None,
        metavar="ROW;ROW",
        group=Group.TEST_SETS,
        elsewhere="cost_matrix",
    ),
    "priors": Option(
        "Shares of the classes for expected costs; default: those of the data.",
        type="array-like, shape (C,), optional",
        default=None,
        metavar="SHARES",
        group=Group.TEST_SETS,
        elsewhere="prior",
    ),
    "sample_weight": Option(
        "What each case counts.",
        type="array-like, shape (n,), optional",
        default=None,
        group=Group.TEST_SETS,
        flag="--weight",
        elsewhere="weights sample_weights",
    ),
    "from_table.sample_weight": Option(
        "Column of sample weights: what each case counts.",
        type="str, optional",
        default=None,
        metavar="COLUMN",
        group=Group.TEST_SETS,
        flag="--weight",
    ),
    "names": Option(
        "What messages call the two.", type="pair of str", default=("y_true", "y_score")
    ),
    "limits_of_agreement.names": Option(
        "What the two are called.", type="pair of str", default=("first", "second")
    ),
    # Of functions of true classes and scores, in messages.
    "y_true": Option(flag="--target", key="target", elsewhere="y targets truth y_test reference"),
    "y_score": Option(
        flag="--score",
        key="columns",
        elsewhere=(
            "y_pred y_prob y_proba y_scores probas_pred y_hat y_predicted prediction predictions"
        ),
    ),
    "y_pred": Option(flag="--prediction", key="columns"),
}

_MATCHING = {
    "localisation": Option(
        'What a detection is matched by; default: ``"box_iou"`` where both sides have boxes, '
        "else what suits masks or points.",
        "``halfwidth methods --localisation`` lists them.",
        type="str, optional",
        default=None,
        metavar="NAME",
        group=Group.MATCHING,
        elsewhere="iou_type localization",
    ),
    "assignment": Option(
        'Which detection is whose; default: ``"greedy_by_score"``, or without scores '
        '``"greedy_by_localisation"``; of pq, sq and rq ``"overlap_above_half"``.',
        type="str, optional",
        default=None,
        metavar="NAME",
        group=Group.MATCHING,
        elsewhere="matching",
    ),
    "Matching.threshold": Option(
        "Of localisation: 0.5; 0.25,0.5; 0.5:0.95 in steps of 0.05, over which metrics are "
        'averaged; ``"coco"`` for the same. Default: 0.5 of an IoU.',
        type="float, str or sequence of float, optional",
        default=None,
        metavar="NUMBERS",
        group=Group.MATCHING,
        elsewhere="iou iou_threshold iou_thr",
    ),
    "by_threshold": Option(
        "A row for each threshold instead of their mean; default thresholds: 0.1 to 0.9.",
        default=False,
        group=Group.MATCHING,
    ),
    "admits": Option(
        "Whether the threshold itself will do; default: as the criterion is defined.",
        type='{"at_least", "above", "at_most", "below"}, optional',
        default=None,
        choices=("at_least", "above", "at_most", "below"),
        metavar="NAME",
        group=Group.MATCHING,
    ),
    "score_threshold": Option(
        "Leave out detections of a lower score.",
        type="float, optional",
        default=None,
        metavar="SCORE",
        group=Group.MATCHING,
        elsewhere="conf_thres conf_threshold",
    ),
    "max_detections": Option(
        "Of an image and a class look at so many with the highest scores; 100 in COCO.",
        type="int, optional",
        default=None,
        metavar="N",
        group=Group.MATCHING,
        elsewhere="max_dets",
    ),
    "area": Option(
        'Only objects of this size: ``"small"`` (up to 32 x 32 pixels), ``"medium"``, '
        '``"large"`` (from 96 x 96), ``"all"``, or low and high in pixels or voxels.',
        type="str, (low, high), or sequence of them, optional",
        default=None,
        metavar="NAME|LOW,HIGH",
        group=Group.MATCHING,
        elsewhere="area_range",
    ),
    "by_class": Option(
        "Whether only objects of one class are matched with each other.",
        default=True,
        group=Group.MATCHING,
        off="--any-class",
    ),
    "duplicates": Option(
        "What further detections of a found object are.",
        default="false_positive",
        choices=("false_positive", "ignored"),
        metavar="POLICY",
        group=Group.MATCHING,
    ),
    "boundary_distance": Option(
        "Width of the bands of ``boundary_iou``, in mm where the files have a spacing.",
        type="float, optional",
        default=None,
        metavar="MM",
        group=Group.MATCHING,
    ),
    "dilation": Option(
        "How often ``lesionwise`` dilates references; default: 3.",
        type="int, optional",
        default=None,
        metavar="N",
        group=Group.MATCHING,
    ),
    "classes": Option(
        "The only classes that count; default: all of the references.",
        "A mapping gives names of the detections' classes the references' names.",
        type="sequence of str or mapping, optional",
        default=None,
        metavar="NAMES",
        group=Group.DETECTIONS,
    ),
    "unknown_images": Option(
        "What becomes of detections of images that the references lack.",
        default="raise",
        choices=("raise", "omit"),
        metavar="POLICY",
        group=Group.DETECTIONS,
    ),
}

_FILES_OF_DETECTIONS = {
    "role": Option(
        "Scores are of detections; crowds, ignored objects and areas of references.",
        default="detections",
        choices=("detections", "references"),
    ),
    "format": Option(
        '``"coco"``, ``"table"``, ``"yolo"``, ``"voc"``, ``"labels"`` or '
        '``"probabilities"``; ``"auto"`` tells it from the names of files.',
        default="auto",
        choices=("auto", "coco", "table", "yolo", "voc", "labels", "probabilities"),
        metavar="FORMAT",
        group=Group.DETECTIONS,
    ),
    "masks": Option(
        "Whether masks are read where there are some; boxes alone take less time and memory.",
        default=True,
    ),
    "read_objects.groups": Option(
        "What names the cluster of each image: a field of the images of COCO, a column of a "
        "table, or the path of a table with a column of images and one of these.",
        type="str, optional",
        default=None,
    ),
    "read_objects.strata": Option(
        "What names the stratum of each image, as the cluster.", type="str, optional", default=None
    ),
    "box_format": Option(
        'Of boxes whose columns leave it open: ``"xyxy"`` (two corners), ``"xywh"`` (the low '
        'corner and the sides) or ``"cxcywh"`` (the centre and the sides).',
        "Default of boxes in memory: two corners.",
        type='{"xyxy", "xywh", "cxcywh"}, optional',
        default=None,
        choices=("xyxy", "xywh", "cxcywh"),
        metavar="NAME",
        group=Group.DETECTIONS,
    ),
    "box_convention": Option(
        'Corners are places (``"continuous"``) or the first and the last pixel '
        '(``"inclusive"``); default: inclusive for Pascal VOC, else continuous.',
        type='{"continuous", "inclusive"}, optional',
        default=None,
        choices=("continuous", "inclusive"),
        metavar="NAME",
        group=Group.DETECTIONS,
    ),
    "columns": Option(
        "Columns of a table by role: ``image``, ``class``, ``score``, ``box`` (four or six, with "
        "commas), ``point``, ``radius``, ``diameter``, ``crowd``, ``ignored``, ``area``.",
        type="mapping, optional",
        default=None,
        metavar="ROLE=COLUMN",
        group=Group.DETECTIONS,
        flag="--column",
    ),
    "images": Option(
        "All images, those without objects among them, where the references name only others: a "
        "text with a name in each line, a table, or a folder.",
        type="path or sequence of str, optional",
        default=None,
        metavar="FILE",
        group=Group.DETECTIONS,
    ),
    "image_sizes": Option(
        "Of YOLO's images: a folder with them, a table, or COCO JSON.",
        "Or (width, height) by name.",
        type="path or mapping, optional",
        default=None,
        metavar="FILE",
        group=Group.DETECTIONS,
    ),
    "class_names": Option(
        "Names of classes that are numbered: a text with a name in each line.",
        "Or names by number.",
        type="path, sequence or mapping, optional",
        default=None,
        metavar="FILE",
        group=Group.DETECTIONS,
    ),
    "instances": Option(
        "In label maps objects are the labels, or the components of each label, a class.",
        type='{"labels", "components"}, optional',
        default=None,
        choices=("labels", "components"),
        metavar="labels|components",
        group=Group.DETECTIONS,
        flag="--objects",
    ),
    "read_objects.scores": Option(
        "Of the instances of label maps: a table with columns image, label and score.",
        type="path or data frame, optional",
        default=None,
    ),
    "candidates": Option(
        "The way from maps of probabilities to candidates, their components: "
        "``threshold=0.5,score=max``.",
        type="str or mapping, optional",
        default=None,
        metavar="OPTIONS",
        group=Group.DETECTIONS,
    ),
    "excluded": Option(
        "Table of findings that need not be found, as LUNA16's ``annotations_excluded.csv``.",
        type="path or data frame, optional",
        default=None,
        metavar="FILE",
        group=Group.DETECTIONS,
    ),
    "detections.format": Option(flag="--detections-format"),
    "references.format": Option(flag="--references-format"),
}

_MASKS = {
    "metrics": Option(
        'Names with parameters: ``"dsc"``, ``"hd:percentile=99"``, '
        '``"nsd:definition=surface"``; ``"all"`` means all but clDice.',
        type="str or sequence of str",
        default=("dsc", "hd95"),
        metavar="NAME",
        group=Group.ESTIMATE,
        flag="--metric",
    ),
    "tolerance": Option(
        "In mm, for ``nsd``, and as the distance of ``boundary_iou``; or that of a task of the "
        'Medical Segmentation Decathlon (``"msd:liver"`` is 7).',
        "One for all labels, or one for each.",
        type="float, str or mapping, optional",
        default=None,
        metavar="MM",
        group=Group.ESTIMATE,
    ),
    "tolerance_file": Option(
        "TOML with a tolerance for each label: ``liver = 3``, and ``default = 2`` for others.",
        type="path, optional",
        default=None,
        metavar="FILE",
        group=Group.ESTIMATE,
    ),
    "score.labels": Option(
        'Names of the values of label maps: ``{"liver": 1, "both": [1, 2]}``, or a JSON file '
        "of them such as nnU-Net's dataset.json; default: the values found.",
        type="path or mapping, optional",
        default=None,
        metavar="FILE",
        group=Group.MASKS,
        flag="--label-names",
    ),
    "only": Option(
        "The labels or regions to score, by name or number; default: all.",
        type="str or sequence of str, optional",
        default=None,
        metavar="NAME",
        group=Group.MASKS,
        flag="--label",
    ),
    "regions": Option(
        "Unions of labels, scored besides: ``whole=1+2+4``, ``lungs=Lung-Lt+Lung-Rt``.",
        type="str or sequence of str",
        default=(),
        metavar="NAME=A+B",
        group=Group.MASKS,
        flag="--region",
    ),
    "binary": Option(
        "Every value above 0 is one label, ``foreground`` (0 and 255 in pictures, say).",
        default=False,
        group=Group.MASKS,
    ),
    "spacing": Option(
        "Millimetres per voxel: one number, or one for each axis in the order of the array; 1 "
        "measures in voxels. Default: those in the files.",
        "Metrics that measure distances or volumes need it.",
        type="float or sequence of float, optional",
        default=None,
        metavar="MM",
        group=Group.MASKS,
    ),
    "ignore_geometry": Option(
        "Compare voxel by voxel even where spacing, orientation or origin differ.",
        "The spacing is that of the reference.",
        default=False,
        group=Group.MASKS,
    ),
    "allow_missing": Option(
        "Score a case without a prediction as missed; default: an error.",
        default=False,
        group=Group.MASKS,
    ),
    "max_voxels": Option(
        "Images of more voxels are refused; default: 512 x 512 x 1600, so that a process stays "
        "below 3 GB.",
        "Images with labels above 255 count twice, above 65535 four times.",
        type="int, optional",
        default=None,
        metavar="N",
        group=Group.MASKS,
    ),
    "jobs": Option(
        "Processors to use, -1 for all; the result is the same.",
        default=1,
        metavar="N",
        group=Group.RUNNING,
    ),
    "out": Option(
        "The file that the table is written to: ``.csv``, ``.tsv`` or ``.parquet``.",
        "What is done is kept beside it, in ``OUT.partial``, until all is, so that the same call "
        "goes on where it was cut off.",
        type="path, optional",
        default=None,
        metavar="FILE",
        group=Group.OUTPUT,
    ),
}

_RUNS = {
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
    "keep_runs": Option(
        "Whether the result carries the values of the runs (``.cases``), as a figure needs.",
        default=False,
    ),
}

_OF_RESULTS = {
    "plot.kind": Option(
        'Another picture of the same result: of estimates ``"distribution"`` or '
        '``"forest"``; of differences ``"forest"``, ``"cases"`` or '
        '``"bland-altman"``; of rankings ``"rank-sets"``, ``"significance"``, '
        '``"lines"``, ``"dots"``, ``"podium"``, ``"case-heatmap"``, '
        '``"heatmap"`` or ``"blob"``. Other results have one.',
        type="str, optional",
        default=None,
    ),
    "page": Option(
        "Which page, from 1, where the picture takes several.", type="int, optional", default=None
    ),
    "share": Option("Of the differences between the limits.", default=0.95),
}

# What only their names tell from those of the command line or of a spec.
_NAMES = {
    "q": Option(flag="--quantile"),
    "u": Option(flag="--quantile"),
    "raters": Option(flag="--rater"),
    "other": Option(elsewhere="b values2 second"),
    "frame": Option(elsewhere="df data table"),
    "successes": Option(elsewhere="count k x"),
    "n": Option(elsewhere="nobs total trials"),
    "values": Option(flag="--value", elsewhere="value x a data sample samples columns column"),
    "data.by": _DATA["by"]._replace(flag="--within"),
    "data.model": _DATA["model"]._replace(flag="--by"),
    "report.by": Option(flag="--within"),
    "score.metrics": Option(flag="--metric"),
    "score.only": Option(flag="--label"),
    "score.regions": Option(flag="--region"),
    "study.draws": Option(flag="--lilliefors"),
    "study.target": Option(flag="--coverage"),
}

OPTIONS: Final[dict[str, Option]] = {
    **_QUANTITIES,
    **_COMPARISON,
    **_INTERVAL,
    **_DATA,
    **_TEST_SETS,
    **_MATCHING,
    **_FILES_OF_DETECTIONS,
    **_MASKS,
    **_RUNS,
    **_OF_RESULTS,
    **_NAMES,
}
