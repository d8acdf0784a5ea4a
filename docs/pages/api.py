"""The reference of the Python interface: each public name once, by job, as users write it."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from halfwidth.core.frozen import frozen
from pages.markdown import page, prose, sentence, table


@frozen
class Job:
    """What someone wants to do, and the public names for it.

    Attributes
    ----------
    title, about : str
    names : str
        Below ``halfwidth``, parted by spaces; ``plots.*`` stands for all that a package lists.
    """

    title: str
    about: str
    names: str


JOBS = {
    "data": Job(
        "Data",
        "What verbs work on: made once from arrays, tables or files, and checked there. What "
        "describes the data is said here, what describes the inference to a verb.",
        "CaseValues Predictions Detections Matching Readings",
    ),
    "estimating": Job(
        "Estimate",
        "A number with its interval, from one value per case, from labels and scores, or from "
        "detections.",
        "estimate curve summary_ci proportion_ci metric_ci confusion_ci calibration_test "
        "calibration_by_centre match_detections difference_ci runs_ci evidence",
    ),
    "results": Job(
        "Results",
        "What the functions return: frozen, with `to_dict`, `to_frame` and `sentence`.",
        "Estimate Estimates RunsEstimate DetectionEstimate Curve Curves CalibrationCurve "
        "CalibrationCurves Confusion DetectionCurve DetectionCurves MatchedDetections MatchLists "
        "Comparisons Difference Gate Rankings Ranking Consensus RankStability Agreement "
        "CalibrationTest CalibrationTests OverCentres CentreResults CentreCurve "
        "CentreCurves Caution",
    ),
    "tables": Job(
        "Read, score and check",
        "From masks, boxes and tables to values per case, and what is wrong with a table.",
        "read score_masks score_folders Scores read_objects ObjectSet check Audit AuditedTable "
        "Finding",
    ),
    "comparing": Job(
        "Compare and rank",
        "Two models or many, a model against raters, and assertions for the tests of a model.",
        "compare gate limits_of_agreement rank testing.assert_not_inferior",
    ),
    "planning": Job(
        "Plan and review",
        "Cases that a wanted width needs, and the intervals that a paper left out.",
        "plan planning.*",
    ),
    "reporting": Job(
        "Report and draw",
        "One file that says it all, one picture for every result.",
        "report Report plot explain",
    ),
    "figures": Job(
        "Figures",
        "Each takes finished results and `ax=` and returns the Axes; those of several panels "
        "return a Figure, or one for each page. All numbers of a figure are its frame, "
        "`hw.plots.forest.frame(result)`, and `hw.plots.forest.caption` says what it shows. "
        "What they look like: [Gallery](../gallery.md).",
        "plots.*",
    ),
    "metrics": Job(
        "Metrics and statistics",
        "The functions themselves, on arrays. What they mean and what to beware of: "
        "[Metrics](../metrics/index.md), [Statistics](../statistics/index.md). Sensitivity, "
        "specificity, PPV and Fβ of voxels are in `hw.metrics.overlap`.",
        "metrics.* summaries.*",
    ),
    "studies": Job(
        "Studies",
        "Coverage and width of CI methods by simulation.",
        "study.* study.analysis.* study.populations.*",
    ),
    "study-figures": Job(
        "Figures of studies",
        "From the results of a study, each with the frame of every number in it: "
        "`graph.frame(cells, target, 'coverage')`.",
        "study.plots.*",
    ),
    "specs": Job(
        "Specs and errors",
        "What is known of a metric or a statistic before any value is seen, and what is raised.",
        "MetricSpec StatisticSpec Bounds Better Kind HalfwidthError DataError OptionError "
        "UnknownNameError",
    ),
}
# Tuples of specs, each with pages of its own.
CATALOGUES = {
    "METRICS": "metrics/index.md",
    "SAMPLE_METRICS": "metrics/index.md#metrics-of-a-test-set",
    "DETECTION_METRICS": "metrics/index.md#metrics-of-detections",
    "STATISTICS": "statistics/index.md",
    "METHODS": "methods/index.md",
    "CAUTIONS": "cautions.md",
}
PACKAGES = {"metrics", "planning", "plots", "study", "summaries", "analysis", "populations"}


def names_of(job: Job) -> list[str]:
    """The names of a job below ``halfwidth``, packages taken apart."""
    found = []
    for name in job.names.split():
        package, _, last = name.rpartition(".")
        listed = _listed(package) if last == "*" else [last]
        found += [f"{package}.{each}".lstrip(".") for each in listed]
    return found


def public(name: str) -> Any:
    """What a name below ``halfwidth`` stands for."""
    package, _, last = name.rpartition(".")
    found = getattr(importlib.import_module(f"halfwidth.{package}".rstrip(".")), last)
    # Whoever imports a module that has the name of its function puts it in the function's place.
    return getattr(found, last) if isinstance(found, ModuleType) else found


def pages() -> Mapping[str, Callable[[], str]]:
    """Every page by its path, to be written when it is asked for."""
    made: dict[str, Callable[[], str]] = {"api/index.md": _index}
    for key, job in JOBS.items():
        made[f"api/{key}.md"] = lambda job=job: _page(job)  # type: ignore[misc]
    return made


def _listed(package: str) -> list[str]:
    module = importlib.import_module(f"halfwidth.{package}")
    return [name for name in module.__all__ if name not in PACKAGES]


def _index() -> str:
    told = [
        "# Python",
        (
            "`import halfwidth as hw`; nothing else is imported before it is used. Everything "
            "public is below, by job."
        ),
    ]
    for key, job in JOBS.items():
        rows = [
            [f"[`hw.{name}`]({key}.md#{_identifier(name)})", _summary(name)]
            for name in names_of(job)
        ]
        told += [f"## [{job.title}]({key}.md)", job.about.replace("../", "../")]
        told.append(table(["name", "what"], rows))
    rows = [[f"[`hw.{name}`](../{path})", _length(name)] for name, path in CATALOGUES.items()]
    told += ["## Catalogues", "What there is to choose from.", table(["name", "what"], rows)]
    return page(*told)


def _page(job: Job) -> str:
    entries = [
        f"::: {_identifier(name)}\n    options:\n      heading: hw.{name}\n      toc_label: {name}"
        for name in names_of(job)
    ]
    return page(f"# {job.title}", job.about, *entries)


def _identifier(name: str) -> str:
    """Where the parser finds it: at home, where a module of its package has the same name."""
    path = f"halfwidth.{name}"
    found = public(name)
    package = importlib.import_module(path.rpartition(".")[0])
    homes = getattr(package, "__path__", [])
    hidden = any((Path(home) / f"{path.rpartition('.')[2]}.py").exists() for home in homes)
    return f"{inspect.unwrap(found).__module__}.{found.__qualname__}" if hidden else path


def _summary(name: str) -> str:
    doc = inspect.getdoc(public(name)) if not isinstance(public(name), dict | tuple) else ""
    return prose(sentence((doc or "").strip().partition("\n")[0]))


def _length(name: str) -> str:
    return f"{len(public(name))} of them, each with a page or an anchor."
