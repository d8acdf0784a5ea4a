"""Examples of metrics, statistics and methods: what to type, and what it printed at the build."""

from __future__ import annotations

import contextlib
import io

import halfwidth as hw
from halfwidth.core.frozen import frozen
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Estimand, Kind, MethodSpec, StatisticSpec, Takes
from pages.markdown import fenced

PREAMBLE = "import halfwidth as hw\nimport numpy as np\n\nrng = np.random.default_rng(1)\n"
TWO_CLASSES = "y_true = rng.random(120) < 0.4\ny_score = rng.normal(1.5 * y_true)\n"
PREDICTED = "y_pred = y_score > 0.7\n"
NUMBERS = "y_true = rng.normal(60, 12, 80)\ny_pred = y_true + rng.normal(0, 5, 80)\n"
DSC = "values = rng.beta(9, 2, 60)  # of 60 cases\n"
DISTANCES = "values = rng.gamma(2, 3, 60)  # of 60 cases\n"
ERRORS = "values = rng.normal(0, 0.1, 60)  # of 60 cases\n"
ANSWERS = "values = rng.random(60) < 0.9  # whether each of 60 answers is right\n"
BOTH = "first = rng.beta(9, 2, 60)\nsecond = first - rng.beta(1, 30, 60)\n"
BOXES = """\

def image(objects):
    places = [[20 * k, 10, 20 * k + 15, 25] for k in range(objects)]
    moved = [[edge + rng.normal(0, 2.5) for edge in box] for box in places]
    false = [[200, 200, 215, 215]] * rng.poisson(0.6)
    scores = [*rng.beta(4, 2, objects), *rng.beta(2, 4, len(false))]
    boxes, labels = moved + false, [1] * len(scores)
    found = {"boxes": boxes, "labels": labels, "scores": scores}
    return found, {"boxes": places, "labels": [1] * objects}


images = [image(objects) for objects in rng.integers(0, 4, 50)]
detections = hw.Detections.from_files(*zip(*images))
"""
MASKS = """\

def disc(row, radius):
    return np.hypot(*(np.indices((32, 32)) - row)) < radius


def image(radius):
    moved = disc(16 + rng.normal(0, 0.5), radius)
    found = {"masks": [moved], "scores": [rng.random()]}
    truth = {"masks": [disc(16, radius)]}
    return found | {"labels": [1]}, truth | {"labels": [1]}


images = [image(radius) for radius in rng.uniform(4, 9, 40)]
detections = hw.Detections.from_files(*zip(*images))
"""
OF_MASKS = ("instances", "lesions", "panoptic", "pooled")
PROBABILITIES = "y_prob = 1 / (1 + np.exp(-y_score))\n"
OF_CALIBRATION = {
    Estimand.CALIBRATION_ERROR: "ece",
    Estimand.ROOT_OF_SQUARE: "ece_l2",
    Estimand.ERROR_OF_PAIRS: "ece_kde",
    Estimand.SQUARE_OF_PAIRS: "kce",
    Estimand.COEFFICIENT: "calibration_slope",
    Estimand.OBSERVED_OVER_EXPECTED: "oe_ratio",
}
# Values of parameters that have no default, as an example may set them.
VALUES = {"tolerance": "3", "distance": "2", "fppi": "1", "q": "0.9", "exchange_rate": "0.25"}


@frozen
class Example:
    """One thing to do, in Python and on the command line.

    Attributes
    ----------
    code : str
        A script that prints.
    command : str
        Empty where there is none.
    """

    code: str
    command: str = ""

    def printed(self) -> str:
        """What the script prints, run now."""
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            exec(compile(self.code, "example", "exec"), {})  # noqa: S102 -- our own pages
        return told.getvalue()

    @property
    def markdown(self) -> str:
        """The script, what it prints, and the command."""
        shell = f"On the command line:\n\n{fenced('sh', self.command)}" if self.command else ""
        parts = [fenced("python", self.code), fenced("text", self.printed()), shell]
        return "\n\n".join(part for part in parts if part)


def written(name: str, parameters: tuple[Parameter, ...]) -> str:
    """A name with the parameters that must be given."""
    needed = [one for one in parameters if one.default is None and not one.optional]
    return f"{name}:{','.join(f'{one.name}={VALUES[one.name]}' for one in needed)}".rstrip(":")


def of_metric(metric: hw.MetricSpec) -> Example:
    """An example for a metric of any kind."""
    name = written(metric.name, metric.parameters)
    if metric in list(hw.DETECTION_METRICS):
        return _of_detections(metric, name)
    if metric in list(hw.SAMPLE_METRICS):
        return _of_test_set(metric, name)
    values = DSC
    if metric.kind is Kind.BINARY:
        values = ANSWERS
    elif metric.bounds.low < 0:
        values = ERRORS
    elif metric.bounds.high > 1:
        values = DISTANCES
    code = f'{PREAMBLE}{values}print(hw.summary_ci(values, metric="{name}", rng=1).sentence())'
    command = f"halfwidth ci cases.csv --value {metric.name} --metric {name}"
    if metric.takes is Takes.MASKS:
        command = (
            f"halfwidth score predictions/ references/ --metric {name} -o cases.csv\n"
            "halfwidth ci cases.csv"
        )
    return Example(code, command)


def _of_test_set(metric: hw.MetricSpec, name: str) -> Example:
    if metric.takes is Takes.NUMBERS:
        data, given, option = NUMBERS, "y_pred", "--prediction prediction"
    elif metric.takes is Takes.PROBABILITIES:
        data, given, option = TWO_CLASSES + PROBABILITIES, "y_prob", "--score probability"
    elif metric.takes is Takes.SCORES:
        data, given, option = TWO_CLASSES, "y_score", "--score score"
    else:
        data, given, option = TWO_CLASSES + PREDICTED, "y_pred", "--prediction prediction"
    call = f'hw.metric_ci(y_true, {given}, metric="{name}", rng=1)'
    command = f"halfwidth ci predictions.csv --target target {option} --metric {name}"
    return Example(f"{PREAMBLE}{data}print({call}.sentence())", command)


def _of_detections(metric: hw.MetricSpec, name: str) -> Example:
    home = getattr(metric.function, "__module__", "").rpartition(".")[2]
    of_masks = home in OF_MASKS
    if metric.spaced:
        name += f"{',' if ':' in name else ':'}unit=voxel"
    call = f'hw.estimate(detections, metric="{name}", rng=1)'
    data = MASKS if of_masks else BOXES
    files = "predictions/ references/" if of_masks else "detections.json references.json"
    return Example(
        f"{PREAMBLE}{data}print({call}[0].sentence())", f"halfwidth detect {files} --metric {name}"
    )


def of_statistic(statistic: StatisticSpec) -> Example:
    """An example for a summary statistic."""
    name = written(statistic.name, statistic.parameters)
    call = f'hw.summary_ci(values, metric="dsc", statistic="{name}", rng=1)'
    return Example(
        f"{PREAMBLE}{DSC}print({call}.sentence())",
        f"halfwidth ci cases.csv --value dsc --metric dsc --statistic {name}",
    )


def of_method(method: MethodSpec) -> Example:
    """An example for a CI method, of the first kind of value that it is for."""
    named = f'method="{method.name}"'
    if method.takes_two_samples:
        return _of_two_samples(method, named)
    accepts = method.accepts
    if accepts & {Estimand.MEAN, Estimand.TRIMMED_MEAN, Estimand.QUANTILE}:
        return _of_values(method, named)
    if Estimand.PROPORTION in accepts:
        code = f"print(hw.proportion_ci(45, 50, {named}).sentence())"
        command = "--prediction prediction --metric accuracy"
        head = "import halfwidth as hw\n\n"
    elif Estimand.AUROC in accepts:
        code = f'print(hw.metric_ci(y_true, y_score, metric="auroc", {named}).sentence())'
        command, head = "--score score --metric auroc", f"{PREAMBLE}{TWO_CLASSES}"
    elif accepts == {Estimand.RATE}:
        call = f'hw.estimate(detections, metric="fppi", {named})'
        shell = "halfwidth detect detections.json references.json --metric fppi --method "
        return Example(f"{PREAMBLE}{BOXES}print({call}[0].sentence())", f"{shell}{method.name}")
    elif accepts <= OF_CALIBRATION.keys():
        metric = next(metric for kind, metric in OF_CALIBRATION.items() if kind in accepts)
        code = f'print(hw.metric_ci(y_true, y_prob, metric="{metric}", {named}, rng=1).sentence())'
        command = f"--score probability --metric {metric}"
        head = f"{PREAMBLE}{TWO_CLASSES}{PROBABILITIES}"
    elif Estimand.OTHER in accepts:
        code = (
            f'print(hw.metric_ci(y_true, y_score, metric="average_precision", {named}, rng=1)'
            ".sentence())"
        )
        command = "--score score --metric average_precision"
        head = f"{PREAMBLE}{TWO_CLASSES}"
    elif Estimand.COUNTING in accepts:
        code = f'print(hw.metric_ci(y_true, y_pred, metric="f1", {named}).sentence())'
        command, head = "--prediction prediction --metric f1", f"{PREAMBLE}{TWO_CLASSES}{PREDICTED}"
    else:
        return _of_two_models(method, named)
    shell = f"halfwidth ci predictions.csv --target target {command} --method {method.name}"
    return Example(head + code, shell)


def _of_values(method: MethodSpec, named: str) -> Example:
    kinds = {
        Estimand.MEAN: "mean",
        Estimand.TRIMMED_MEAN: "trimmed_mean",
        Estimand.QUANTILE: "median",
    }
    statistic = next(name for kind, name in kinds.items() if kind in method.accepts)
    drawn = ", rng=1" if method.resamples or method.name == "exact_randomized" else ""
    options = f'metric="dsc", statistic="{statistic}", {named}{drawn}'
    return Example(
        f"{PREAMBLE}{DSC}print(hw.summary_ci(values, {options}).sentence())",
        f"halfwidth ci cases.csv --value dsc --metric dsc --statistic {statistic} "
        f"--method {method.name}",
    )


def _of_two_models(method: MethodSpec, named: str) -> Example:
    if Estimand.QUANTILE_CONTRAST in method.accepts:
        call = f'hw.difference_ci(first[:5], second[:5], metric="dsc", statistic="median", {named}'
        return Example(
            f"{PREAMBLE}{BOTH}print({call}, rng=1).sentence())",
            f"halfwidth compare cases.csv --value first --value second --metric dsc "
            f"--statistic median --method {method.name}",
        )
    if Estimand.MEAN_RATIO in method.accepts:
        values = 'hw.CaseValues.from_arrays({"first": first, "second": second}, metric="dsc")'
        return Example(
            f'{PREAMBLE}{BOTH}compared = hw.compare({values}, effect="ratio", {named})\n'
            "print(compared[0].sentence())",
            "halfwidth compare cases.csv --value first --value second --metric dsc --ratio "
            f"--method {method.name}",
        )
    if Estimand.AUROC_DIFFERENCE in method.accepts:
        metric, second = "auroc", "y_score + rng.normal(0, 1, 120)"
        models = f'{{"first": y_score, "second": {second}}}'
        options = "--score-a first --score-b second"
    elif Estimand.CALIBRATION_ERROR_DIFFERENCE in method.accepts:
        metric = "ece"
        first, second = (f"1 / (1 + np.exp(-{scale}y_score))" for scale in ("", "3 * "))
        models = f'{{"first": {first}, "second": {second}}}'
        options = "--score-a first --score-b second"
    else:
        metric = "accuracy"
        models = '{"first": y_score > 0.7, "second": y_score > -0.2}'
        options = "--prediction-a first --prediction-b second"
    call = f'hw.compare(y_true, {models}, metric="{metric}", {named}, rng=1)'
    return Example(
        f"{PREAMBLE}{TWO_CLASSES}compared = {call}\nprint(compared[0].sentence())",
        f"halfwidth compare predictions.csv --target target {options} --metric {metric} "
        f"--method {method.name}",
    )


def _of_two_samples(method: MethodSpec, named: str) -> Example:
    if Estimand.PROPORTION in method.accepts and Estimand.MEAN not in method.accepts:
        data = "first, second = rng.random(70) < 0.8, rng.random(80) < 0.6\n"
        metric = "correct"
    else:
        data = "first, second = rng.beta(9, 2, 60), rng.beta(9, 3, 70)\n"
        metric = "dsc"
    models = '{"first": first, "second": second}'
    values = f'hw.CaseValues.from_arrays({models}, metric="{metric}", pairing="none")'
    call = f"hw.compare(\n    {values},\n    {named}, rng=1,\n)"
    return Example(
        f"{PREAMBLE}{data}compared = {call}\nprint(compared[0].sentence())",
        f"halfwidth compare first.csv second.csv --pairing none --value {metric} --metric {metric} "
        f"--method {method.name}",
    )
