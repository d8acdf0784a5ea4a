"""Options of data: values of cases, predictions, and detections as they are matched."""

from __future__ import annotations

from typing import Final

from halfwidth.core.option_table.option import Group, Option

DATA: Final[dict[str, Option]] = {
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
        "Column that names the model of each row; default: the first of model, algorithm and "
        "alg_name that there is.",
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
        choices=("raise", "omit", "worst", "all", "worst_rank"),
        metavar="POLICY",
        group=Group.INPUT,
    ),
    "Predictions.missing": Option(
        'What a missing label or score means: ``"raise"``, an error; ``"omit"``: leave the case '
        'out, of all models that are compared; ``"wrong"``: a wrong answer, the other class or the '
        "worst score for the true class.",
        default="raise",
        choices=("raise", "omit", "wrong"),
        metavar="POLICY",
        group=Group.INPUT,
    ),
    "estimate.missing": Option(
        'What a missing value means: ``"raise"``, an error; ``"omit"``: not applicable, leave it '
        'out; ``"worst"``: failed, count it as the worst value; ``"all"``: these two side by side, '
        'with what the table itself has for failed cases; of predictions ``"wrong"``, a wrong '
        "answer.",
        default="raise",
        choices=("raise", "omit", "worst", "all", "wrong"),
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
    "Readings.missing": Option(
        'What a missing label means: ``"raise"``, an error, or ``"omit"``: leave out cases that '
        "some reader did not label.",
        default="raise",
        choices=("raise", "omit"),
        metavar="POLICY",
        group=Group.INPUT,
    ),
    "pairing": Option(
        'Which cases of several models are compared: ``"complete"``, all, and a case that some '
        'model lacks is an error; ``"common"``: such cases are left out and counted; ``"none"``: '
        "the models were measured on different cases, which are not matched.",
        default="complete",
        choices=("complete", "common", "none"),
        metavar="HOW",
        group=Group.INPUT,
        elsewhere="paired unpaired unmatched",
    ),
    "Readings.pairing": Option(
        'Which cases are compared: ``"complete"``, all, and a case that some reader lacks is an '
        'error; ``"common"``: such cases are left out and counted.',
        default="complete",
        choices=("complete", "common"),
        metavar="HOW",
        group=Group.INPUT,
    ),
    "from_pairs.missing": Option(
        'What a missing value means: ``"raise"``, an error; ``"omit"``: leave the case out; '
        '``"worst"``: count it as the worst value.',
        default="raise",
        choices=("raise", "omit", "worst"),
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
    "CaseValues.penalty": Option(
        'The worst value with ``missing="worst"``, for metrics without one (distances), in the '
        "unit after scaling.",
        'Of several metrics by name: ``{"hd95": 200}``.',
        type="float or mapping of str to float, optional",
        default=None,
        metavar="VALUE",
        group=Group.INPUT,
    ),
    "label": Option("Carried into the result.", default="", type="str, optional"),
}

TEST_SETS: Final[dict[str, Option]] = {
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
        key="positive",
        elsewhere="positive pos positive_label positive_class pos_class",
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
        "Of logits it is this probability; of more than two classes the largest score decides. A "
        "metric with costs is given as it is to ``metric``.",
        type="float, str or partial, optional",
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
        "``cohen_kappa:weights=costs``.",
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
        elsewhere="weight weights sample_weights",
    ),
    "from_table.sample_weight": Option(
        "Column of sample weights: what each case counts.",
        type="str, optional",
        default=None,
        metavar="COLUMN",
        group=Group.TEST_SETS,
    ),
    "names": Option(
        "What messages call the two.", type="pair of str", default=("y_true", "y_score")
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

MATCHING: Final[dict[str, Option]] = {
    "matching": Option(
        "How detections are matched with references; default: as is usual for the objects at hand.",
        'In short a mapping of its options, ``{"threshold": 0.3}``; the ``matching`` of an '
        "estimate matches as that was.",
        type="Matching or mapping, optional",
        default=None,
    ),
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

READINGS: Final[dict[str, Option]] = {
    "Readings.model": Option(
        "The reader that is compared with the others, its raters.",
        type="str, optional",
        default=None,
        metavar="NAME",
        group=Group.RATERS,
    ),
    "from_pairs.model": Option("What the model is called in the columns of pairs.", type="str"),
    "Readings.raters": Option(
        "A rater, two or more; default: all others in the columns of pairs.",
        type="sequence of str, optional",
        default=None,
        metavar="NAME",
        group=Group.RATERS,
        flag="--rater",
    ),
    "pairs": Option(
        "The two columns that say whose mask was scored, and whose was the reference.",
        type="pair of str",
        default=("prediction", "reference"),
        metavar="COLUMN,COLUMN",
        group=Group.RATERS,
        elsewhere="prediction reference",
    ),
    "reader": Option(
        "Column that names the reader of each row.", type="str, optional", default=None
    ),
    "modality": Option(
        "Column of the modality, or of another circumstance, in which a case was read: readers are "
        "compared within each.",
        type="str, optional",
        default=None,
    ),
    "truth": Option(
        "True classes or numbers of the cases, whatever readers say.",
        type="array-like, optional",
        default=None,
    ),
    "from_table.truth": Option(
        "Column of true classes or numbers.", type="str, optional", default=None
    ),
    "from_table.label": Option(
        "Column of the labels, or numbers, that readers give. Those of a sequence or mapping are "
        "of a reader each, called as its column or as the mapping says.",
        type="str, sequence of str, or mapping of str to str, optional",
        default=None,
    ),
    "Readings.from_table.score": Option(
        "The same of scores, instead of labels.",
        type="str, sequence of str, or mapping of str to str, optional",
        default=None,
    ),
}
