"""Every figure of the gallery: what it shows, and the command that draws it."""

from __future__ import annotations

from halfwidth.core.frozen import frozen


@frozen
class Shown:
    """A figure and how it is drawn.

    Attributes
    ----------
    name : str
        Of its file, without an ending.
    caption : str
    command : str
        After ``halfwidth``; ``--plot`` is added. Empty where it takes Python.
    code : str
        In place of a command; it leaves a Figure in ``figure``.
    """

    name: str
    caption: str
    command: str = ""
    code: str = ""

    @property
    def typed(self) -> str:
        """The command as it is typed."""
        return f"halfwidth {self.command} --plot {self.name}.png"


CASES = "ci masks.csv --metric dsc --by model --seed 1"
CANCER = "ci cancer.csv --target y --score p1 --seed 1"
WINE = "ci wine.csv --target y --score p0 --score p1 --score p2 --seed 1"
EIGHTS = (
    'compare eights.csv --value "Gaussian filter" --value "median filter" --metric dsc --seed 1'
)
ERRORS = "rank errors.csv --seed 1"
FOUND = "detect detections.json references.json --threshold 0.5 --seed 1"

GALLERY: dict[str, tuple[Shown, ...]] = {
    "Values of cases": (
        Shown(
            "ci-distribution",
            "The DSC of every case, its density and quartiles, and the mean with its interval.",
            CASES,
        ),
        Shown(
            "ci-clusters",
            "The same where cases belong together: a line and a colour for each cluster.",
            f"{CASES} --groups label",
        ),
        Shown(
            "ci-two-metrics",
            "Two metrics of the same cases, each on its own scale.",
            "ci masks.csv --by model --seed 1",
        ),
        Shown(
            "ci-forest",
            "Estimates with their intervals, n and cautions, a row for each model and structure.",
            f"{CASES} --by label --plot-kind forest",
        ),
        Shown(
            "forest-two-metrics",
            "The intervals of two metrics, which share no axis: a panel for each.",
            "ci masks.csv --by model --plot-kind forest --seed 1",
        ),
    ),
    "Metrics of a test set": (
        Shown(
            "roc",
            "A ROC curve with its pointwise band; the AUROC has an interval of its own.",
            f"{CANCER} --metric auroc",
        ),
        Shown(
            "pr",
            "Precision and recall; the dotted line is the prevalence.",
            f"{CANCER} --metric average_precision --plot-kind pr",
        ),
        Shown(
            "roc-three-classes",
            "Three classes, each against the rest.",
            f"{WINE} --metric auroc --average none",
        ),
        Shown(
            "confusion",
            "A confusion matrix whose cells have intervals.",
            f"{WINE} --metric accuracy --plot-kind confusion",
        ),
        Shown(
            "forest-classes",
            "A metric of each class.",
            f"{WINE} --metric sensitivity --average none --plot-kind forest",
        ),
        Shown(
            "forest-test-set",
            "Several metrics of one test set.",
            f"{WINE} --metric accuracy,f1,auroc,mcc --average macro --plot-kind forest",
        ),
    ),
    "Comparisons": (
        Shown(
            "compare-forest",
            "Differences of three models within four structures, against a margin that was named "
            "beforehand. Thin bars hold together.",
            "compare masks.csv --metric dsc --margin 0.02 --seed 1",
        ),
        Shown(
            "compare-cases",
            "Both values of each case: a difference of means says little of single cases.",
            f"{EIGHTS} --plot-kind cases",
        ),
        Shown(
            "compare-bland-altman",
            "Difference against mean of each case (Bland and Altman).",
            f"{EIGHTS} --plot-kind bland-altman",
        ),
    ),
    "Rankings": (
        Shown(
            "rank-sets",
            "Ranks with their 95 % confidence sets: where a bar is long, the order is open.",
            f"{ERRORS} --plot-kind rank-sets",
        ),
        Shown(
            "rank-significance",
            "Who is shown to be better than whom; all claims hold together.",
            f"{ERRORS} --plot-kind significance",
        ),
        Shown("rank-lines", "Ranks from task to task.", f"{ERRORS} --plot-kind lines"),
        Shown("rank-dots", "The values of all cases by model.", f"{ERRORS} --plot-kind dots"),
        Shown(
            "rank-heatmap",
            "How often each model has each rank among bootstrap resamples.",
            f"{ERRORS} --plot-kind heatmap",
        ),
        Shown(
            "rank-blob",
            "The same as circles, by task; medians and the middle 95 % of the resamples.",
            f"{ERRORS} --plot-kind blob",
        ),
        Shown(
            "rank-case-heatmap",
            "How often each model is first, second, ... among the cases.",
            f"{ERRORS} --plot-kind case-heatmap",
        ),
        Shown(
            "rank-podium",
            "Each case as a line over the places of the models (the first of three tasks).",
            f"{ERRORS} --plot-kind podium",
        ),
    ),
    "Detections": (
        Shown(
            "detect-pr",
            "Precision and recall of a detector, as far as its detections reach.",
            f"{FOUND} --metric ap",
        ),
        Shown(
            "detect-froc",
            "Sensitivity against false positives per image, with the seven points of the FROC "
            "score.",
            f"{FOUND} --metric froc_score",
        ),
        Shown(
            "detect-afroc",
            "Sensitivity against the share of images without objects that have a false positive.",
            f"{FOUND} --metric afroc_auc --plot-kind afroc",
        ),
        Shown(
            "detect-thresholds",
            "What the result owes to the threshold of localisation.",
            f"{FOUND} --metric ap --by-threshold".replace("threshold 0.5", "threshold coco"),
        ),
        Shown(
            "detect-matches",
            "The images with the most errors: what was found, missed and made up.",
            f"{FOUND} --metric ap --plot-kind matches",
        ),
    ),
    "Cases needed": (
        Shown(
            "plan-mean",
            "Half-width of the interval of a mean against n, for two guesses of the SD.",
            "plan mean --sd 0.1 --sd 0.2 --halfwidth 0.02 --metric dsc",
        ),
        Shown(
            "plan-proportion",
            "Of a proportion.",
            "plan proportion --expected 0.9 --expected 0.8 --width 0.1",
        ),
        Shown(
            "plan-auroc",
            "Of an AUROC, at two prevalences.",
            "plan auroc --expected 0.85 --prevalence 0.3 --prevalence 0.1 --width 0.1",
        ),
        Shown(
            "plan-classes",
            "Of sensitivity and specificity at once.",
            "plan classes --sensitivity 0.9 --specificity 0.95 --prevalence 0.1 --halfwidth 0.05",
        ),
        Shown(
            "plan-difference",
            "Of the difference of two models.",
            "plan difference --sd 0.1 --halfwidth 0.01",
        ),
        Shown(
            "plan-quantile",
            "Of a quantile.",
            "plan quantile --quantile 0.5 --sd 0.1 --halfwidth 0.02",
        ),
        Shown(
            "plan-pilot",
            "From a pilot study, by resampling its cases.",
            "plan pilot masks.csv --metric dsc --by model --method t --halfwidth 0.01 --seed 1 "
            "--n-samples 200",
        ),
        Shown(
            "plan-subsample",
            "What fewer of the cases would have told.",
            'plan subsample eights.csv --value "median filter" --metric dsc --seed 1',
        ),
    ),
    "Training runs": (
        Shown(
            "runs",
            "The accuracy of every run, and quantiles over runs with their intervals.",
            "runs runs.csv --value accuracy --by data --confidence-level 0.9",
        ),
    ),
    "On axes of your own": (
        Shown(
            "own-axes",
            "Every function of `hw.plots` takes finished results and `ax=`, and returns the Axes. "
            'Texts stand beside them: `layout="constrained"` leaves the room.',
            code="""\
import halfwidth as hw
import matplotlib.pyplot as plt
import pandas as pd

cancer = pd.read_csv("cancer.csv")
cases = pd.read_csv("masks.csv").query("metric == 'dsc'")
curve = hw.curve(cancer["y"], "roc", y_score=cancer["p1"], rng=1)
means = hw.estimate(hw.CaseValues.from_table(cases, "value", by="model", metric="dsc"), rng=1)

figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 3), width_ratios=(1, 1.5), layout="constrained"
)
hw.plots.roc(curve, ax=left)
hw.plots.forest(means, ax=right)
""",
        ),
    ),
}

# Figures of a study: the name by which `halfwidth study plot` draws each.
SPEC = """\
[study]
name = "gallery"
sizes = [10, 25, 50, 100, 250]
samples = 200
resamples = 199
statistics = ["mean", "median", "sd"]
methods = ["t", "hall", "hoeffding", "empirical_bernstein", "percentile", "basic", "bca"]

[[tables]]
files = "masks.csv"
metric = "dsc"
"""
OF_STUDIES = {
    "coverage-dsc-mean": "Coverage of the mean against n, by method.",
    "width-dsc-mean": "Width of the same intervals.",
    "boxes-dsc-mean": "Coverage over instances: boxes and points.",
    "overview-coverage-1": "Coverage of every statistic at a glance, four methods a figure.",
    "overview-width-1": "Width likewise.",
    "metrics-coverage": "One method, a line for each statistic.",
    "location-dispersion": "Mean and median against the SD.",
    "bca-median": "BCa and percentile intervals of medians.",
    "basic-shift": "How far bootstrap intervals are shifted, and what that costs.",
    "sample-needs": "Where coverage and width reach what is wanted.",
    "concentration-dsc": "Concentration intervals against t.",
    "characteristics": "What the instances are like.",
    "pace-by-metric": "How fast coverage converges.",
    "skewness-by-metric": "Skewness of the instances.",
    "pace-errors": "How well that pace is known.",
    "failures-dsc": "The cases of instances on which a method fails.",
}

# A study of test sets, whose figures also compare both kinds of metrics.
SPEC_OF_SCORES = """\
[study]
name = "gallery of scores"
sizes = [25, 100]
samples = 50
resamples = 99
metrics = ["accuracy", "f1", "specificity", "balanced_accuracy"]
averages = ["macro", "micro"]
methods = ["percentile"]

[[scores]]
files = "scores/{model}, {task}.csv"
target = "digit"
columns = ["p0", "p1", "p2"]
kind = "probabilities"
floor = 0.0001
"""
OF_SCORES = {
    "overview-coverage-test-sets": "Coverage of metrics of test sets against n.",
    "micro-macro": "Micro and macro averages.",
    "segmentation-classification": "Means of cases beside averages over classes.",
    "characteristics-test-sets": "What the test sets are like.",
    "pace-by-metric-test-sets": "How fast coverage converges.",
    "p-values-macro": "Tests of that pace between metrics.",
}
