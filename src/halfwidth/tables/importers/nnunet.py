"""``summary.json`` of nnU-Net: metrics of each label or region of each case.

Version 2 keeps them under ``metric_per_case``, version 1 under ``results.all``. Both write NaN for
the Dice of a label that is in neither mask and average the rest. Their counts of voxels say why a
value is undefined, which becomes its status.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError, shortened, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Better, MetricSpec
from halfwidth.core.types import UNIT_INTERVAL, Bounds
from halfwidth.core.undefined import Status, distance_without, presence_of
from halfwidth.io.table import StatedMean, Table
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.metrics.boundary import hd, hd95, masd
from halfwidth.metrics.overlap import specificity
from halfwidth.tables.folds import OF_ALL, fold_of
from halfwidth.tables.importers.case_values import CaseValue, canonical_table, metric_name, number
from halfwidth.tables.importers.importer import Candidate, Importer, ImportOptions, json_beside

IMAGE_SUFFIX = re.compile(r"\.(?:nii\.gz|[A-Za-z][A-Za-z0-9]{0,4})$")
# nnU-Net puts dataset.json beside predictions, and two folders above fold_0/validation.
FOLDERS_UP = 2
BACKGROUND = "0"


@frozen
class Dialect:
    """What a version of nnU-Net calls things."""

    title: str
    # Keys of the file of a case, the preferred one first.
    files: tuple[str, ...]
    # Voxels of a label in the prediction and in the reference.
    predicted: str
    present: str
    counts: frozenset[str]
    # Of metrics whose names here say less, or something else: name and parameters.
    names: Mapping[str, tuple[str, str | None]]
    # What is known of metrics that have no name here.
    known: tuple[MetricSpec, ...] = ()

    def metric(self, written: str) -> tuple[str, str | None]:
        """The name and the parameters of a metric."""
        return self.names.get(written) or (metric_name(written), None)


V2 = Dialect(
    "nnU-Net v2 summary.json",
    ("prediction_file", "reference_file"),
    "n_pred",
    "n_ref",
    frozenset({"FP", "TP", "FN", "TN", "n_pred", "n_ref"}),
    {},
)
V1 = Dialect(
    "nnU-Net v1 summary.json",
    ("test", "reference"),
    "Total Positives Test",
    "Total Positives Reference",
    frozenset(
        f"{total} {signs} {mask}"
        for total in ("Total", "total")
        for signs in ("Positives", "Negatives")
        for mask in ("Test", "Reference")
    ),
    {
        # MedPy takes one percentile of the distances of both directions, and the mean of the two
        # directed means for what it calls ASSD; its ASD is of one direction and has no name here.
        "Hausdorff Distance": (hd.__name__, None),
        "Hausdorff Distance 95": (hd95.__name__, "definition=pooled"),
        "Avg. Symmetric Surface Distance": (masd.__name__, None),
        "True Negative Rate": (specificity.__name__, None),
    },
    (
        MetricSpec("Accuracy", bounds=UNIT_INTERVAL, better=Better.HIGHER),
        MetricSpec("Negative Predictive Value", bounds=UNIT_INTERVAL, better=Better.HIGHER),
        *(
            MetricSpec(f"False {error} Rate", bounds=UNIT_INTERVAL, better=Better.LOWER)
            for error in ("Discovery", "Negative", "Omission", "Positive")
        ),
        MetricSpec("Avg. Surface Distance", bounds=Bounds(0, math.inf), better=Better.LOWER),
    ),
)


def _is_v2(candidate: Candidate) -> bool:
    document = candidate.document
    return isinstance(document, dict) and (
        "metric_per_case" in document or {"mean", "foreground_mean"} <= document.keys()
    )


def _is_v1(candidate: Candidate) -> bool:
    document = candidate.document
    results = document.get("results") if isinstance(document, dict) else None
    return isinstance(results, dict) and ("all" in results or "mean" in results)


def _read_v2(candidate: Candidate, _: ImportOptions) -> Table:
    cases = _listed(candidate.document, "metric_per_case", "")
    labels_of_cases = []
    for place, case in enumerate(cases):
        metrics = case.get("metrics") if isinstance(case, dict) else None
        labels_of_cases.append(_labels(metrics, f"metric_per_case[{place}].metrics"))
    return _table(candidate, V2, cases, labels_of_cases, candidate.document)


def _read_v1(candidate: Candidate, _: ImportOptions) -> Table:
    cases = _listed(candidate.document.get("results"), "all", "results.")
    labels_of_cases = []
    for place, case in enumerate(cases):
        where = f"results.all[{place}]"
        if not isinstance(case, dict):
            raise DataError(f"{where} is {shown(case)}, not an object")
        labels = {key: value for key, value in case.items() if key not in V1.files}
        labels_of_cases.append(_labels(labels, where))
    return _table(candidate, V1, cases, labels_of_cases, candidate.document["results"])


def _listed(document: Any, key: str, within: str) -> list[Any]:
    cases = document.get(key) if isinstance(document, dict) else None
    if cases is None or cases == []:
        raise DataError(
            f"holds means and no values of single cases ({within}{key} is "
            f"{'empty' if cases == [] else 'not there'}); take the summary.json that nnU-Net "
            "writes beside the predictions"
        )
    if not isinstance(cases, list):
        raise DataError(f"{within}{key} is {shown(cases)}, not a list of cases")
    return cases


def _labels(labels: Any, where: str) -> dict[str, dict[str, float]]:
    """The numbers of each label of a case."""
    if not isinstance(labels, dict):
        raise DataError(f"{where} is {shown(labels)}, not an object of labels")
    names = {}
    for label, metrics in labels.items():
        if not isinstance(metrics, dict):
            raise DataError(f"{where}[{label!r}] is {shown(metrics)}, not an object of metrics")
        names[label] = {
            name: number(cell, f"{where}[{label!r}].{name}") for name, cell in metrics.items()
        }
    return names


def _table(
    candidate: Candidate,
    dialect: Dialect,
    cases: Sequence[Any],
    labels_of_cases: Sequence[dict[str, dict[str, float]]],
    means: Mapping[str, Any],
) -> Table:
    keys = list(dict.fromkeys(label for labels in labels_of_cases for label in labels))
    kept = [key for key in keys if key != BACKGROUND] or keys
    names, named_by = _names_of_labels(candidate.path, kept)
    called, numbered = _names_of_cases(cases, dialect)
    written = dict.fromkeys(
        metric for labels in labels_of_cases for metrics in labels.values() for metric in metrics
    )
    metrics = {one: dialect.metric(one) for one in written if one not in dialect.counts}

    folds = _folds_of_cases(cases, dialect, candidate.path)

    def rows() -> Iterator[CaseValue]:
        for case, labels, fold in zip(called, labels_of_cases, folds, strict=True):
            for key in kept:
                numbers = labels.get(key, {})
                presence = _presence(numbers, dialect)
                for one, (metric, parameters) in metrics.items():
                    if one in numbers:
                        value, status = _judged(numbers[one], presence, metric)
                        yield CaseValue(
                            case,
                            metric,
                            value,
                            label=names[key],
                            status=status,
                            parameters=parameters,
                            fold=fold,
                        )

    counts = [one for one in written if one in dialect.counts]
    named = f" (named by {named_by})" if named_by else ""
    left_out = [
        *(["label 0, the background"] if len(kept) < len(keys) else []),
        *([f"the counts {shortened(counts)}"] if counts else []),
    ]
    read = (
        f"read as {dialect.title}: {len(cases)} cases; labels "
        f"{shortened([names[key] for key in kept], 8)}{named}; metrics {_renamed(metrics)}"
    )
    notes = [f"{read}; left out: {' and '.join(left_out)}" if left_out else read]
    if numbered:
        notes.append("the file does not name its cases; their numbers are their places in it")
    if match := OF_ALL.search(str(candidate.path).replace("\\", "/")):
        notes.append(
            f"{match[0]}: the cases of all folds of a cross-validation, whose models share "
            "training data; fold_*/validation/summary.json say which case is of which fold"
        )
    table = canonical_table(rows(), notes, dialect.known)
    return replace(table, stated_means=tuple(_stated_means(means, names, metrics)))


def _stated_means(
    document: Mapping[str, Any],
    names: Mapping[str, str],
    metrics: Mapping[str, tuple[str, str | None]],
) -> Iterator[StatedMean]:
    """The means that the file gives beside its cases: of each label, and of their means."""
    for key, numbers in _objects_in(document.get("mean")):
        for written, mean in _numbers_in(numbers):
            if key in names and written in metrics:
                where = {**_levels(metrics[written]), "label": names[key]}
                yield StatedMean(mean, "value", where, source=f"mean[{key!r}].{written}")
    for written, mean in _numbers_in(document.get("foreground_mean")):
        if written in metrics:
            where = _levels(metrics[written])
            yield StatedMean(mean, "value", where, "label", f"foreground_mean.{written}")


def _levels(metric: tuple[str, str | None]) -> dict[str, str]:
    name, parameters = metric
    return {"metric": name} | ({"parameters": parameters} if parameters else {})


def _objects_in(document: Any) -> Iterator[tuple[str, Any]]:
    yield from document.items() if isinstance(document, dict) else ()


def _numbers_in(document: Any) -> Iterator[tuple[str, float]]:
    """Names with a finite number; what else there may be states no mean."""
    for name, cell in _objects_in(document):
        if isinstance(cell, int | float) and math.isfinite(value := number(cell, name)):
            yield name, value


def _renamed(metrics: Mapping[str, tuple[str, str | None]]) -> str:
    """The metrics under their names here, with those of the file where they differ."""
    texts = []
    for written, (name, parameters) in metrics.items():
        full = f"{name}:{parameters}" if parameters else name
        texts.append(full if full == written else f"{full} ({written})")
    return shortened(texts, 12) or "none"


def _presence(numbers: Mapping[str, float], dialect: Dialect) -> Status | None:
    """Whether a label is in both masks, in one or in none; None where no counts say so."""
    predicted, present = (
        numbers.get(key, math.nan) for key in (dialect.predicted, dialect.present)
    )
    if math.isnan(predicted) or math.isnan(present):
        return None
    return presence_of(predicted > 0, present > 0)


def _judged(value: float, presence: Status | None, metric: str) -> tuple[float, str | None]:
    """A value with its status; a distance to an empty mask is infinite, others stay missing."""
    if presence is None or (math.isnan(value) and presence is Status.OK):
        return value, None
    one_empty = presence in (Status.MISSED, Status.SPURIOUS)
    if math.isnan(value) and one_empty and metric in METRICS:
        if METRICS[metric].unit == "mm":
            return distance_without(presence), str(presence)
        if presence is Status.SPURIOUS:
            # Sensitivity without a reference, say: there was nothing to find.
            return value, str(Status.NOT_APPLICABLE)
    kept = presence is Status.NOT_APPLICABLE and metric in METRICS and METRICS[metric].of_nothing
    return value, str(Status.OK if kept and not math.isnan(value) else presence)


# --------------------------------------------------------------------------- names


def _names_of_cases(cases: Sequence[Any], dialect: Dialect) -> tuple[list[str], bool]:
    """The names of the cases by their files, and whether they had to be numbered."""
    files = [
        next((case[key] for key in dialect.files if isinstance(case.get(key), str)), None)
        for case in cases
    ]
    if not all(files):
        return [str(place + 1) for place in range(len(cases))], True
    paths = [str(file).replace("\\", "/") for file in files]
    names = [IMAGE_SUFFIX.sub("", path.rpartition("/")[2]) for path in paths]
    repeated = {name for name, count in Counter(names).items() if count > 1}
    return [p if n in repeated else n for n, p in zip(names, paths, strict=True)], False


def _folds_of_cases(cases: Sequence[Any], dialect: Dialect, path: Path | None) -> list[str | None]:
    """The fold of each case, by the folder of its prediction or else by that of the file."""
    fold_of_file = None if path is None else fold_of(str(path))
    predicted = [case.get(dialect.files[0]) for case in cases]
    folds = [fold_of(one) if isinstance(one, str) else None for one in predicted]
    return folds if any(folds) else [fold_of_file] * len(cases)


def _names_of_labels(path: Path | None, keys: Sequence[str]) -> tuple[dict[str, str], str]:
    """What labels and regions are called, and the file that says so, if it knows all of them."""
    own = {key: key for key in keys}
    if path is None:
        return own, ""
    for above in range(FOLDERS_UP + 1):
        file = path.parent.joinpath(*[".."] * above, "dataset.json")
        if not file.is_file():
            continue
        named = _labels_in(json_beside(file))
        names = {key: named[values] for key in keys if (values := _values_of(key)) in named}
        return (names, os.path.normpath(file)) if len(names) == len(keys) else (own, "")
    return own, ""


def _values_of(key: str) -> frozenset[int]:
    """The values of a label or region as its key says: ``"1"`` or ``"(1, 2)"``."""
    return frozenset(int(digits) for digits in re.findall(r"\d{1,9}", key))


def _labels_in(document: Any) -> dict[frozenset[int], str]:
    """The names of labels by their values: version 2 has name to values, version 1 the reverse."""
    labels = document.get("labels") if isinstance(document, dict) else None
    named: dict[frozenset[int], str] = {}
    for name, value in labels.items() if isinstance(labels, dict) else ():
        if isinstance(value, str) and name.isdigit():
            named[_values_of(name)] = value
        else:
            values = value if isinstance(value, list) else [value]
            if all(isinstance(one, int) for one in values):
                named.setdefault(frozenset(values), name)
    return named


_SOURCE = "nnunetv2/evaluation/evaluate_predictions.py of MIC-DKFZ/nnUNet"
NNUNET = Importer("nnunet", V2.title, (".json",), _is_v2, _read_v2, _SOURCE)
NNUNET_V1 = Importer(
    "nnunet-v1",
    V1.title,
    (".json",),
    _is_v1,
    _read_v1,
    "nnunet/evaluation/evaluator.py of MIC-DKFZ/nnUNet, version 1",
)
