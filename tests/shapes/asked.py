"""A cell asked for at both doors: words of the command line, and calls of the library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from support import quickly

import halfwidth as hw
from shapes.cells import TEXTS, Cell
from shapes.data import METRICS, MODELS

__all__ = ["called", "metrics_of", "output_words", "words"]

CURVES = ("roc", "pr", "reliability")
OF_DETECTORS = ("froc", "pr", "afroc")
COMMANDS = {"estimate": "ci", "curve": "ci", "plan": "plan pilot"}
# Few draws: what is asked is whether there is an answer, and the same at both doors.
DRAWS, MARGIN = 49, 0.5
PLANNED, STUDIES = 30, 100


def metrics_of(cell: Cell) -> list[str]:
    return list(METRICS[cell.kind][: cell.metrics])


def curve_of(cell: Cell) -> Any:
    """The number of metrics says which curve; a curve has none."""
    kinds = OF_DETECTORS if cell.kind == "detections" else CURVES
    return kinds[cell.metrics - 1]


def margins_of(cell: Cell) -> dict[str, float]:
    """The margin of each metric, where there are several; one number is for one unit."""
    names = [{"ap50": "ap"}.get(name, name) for name in metrics_of(cell)]
    return dict.fromkeys(names, MARGIN) if len(names) > 1 else {}


def average_of(cell: Cell) -> str:
    """Each class apart, where levels are classes, but in a curve all together."""
    return "micro" if cell.verb == "curve" else "none"


def words(cell: Cell, files: Sequence[str]) -> list[str]:
    """The command, without the output that is asked for."""
    verb = COMMANDS.get(cell.verb, cell.verb).split()
    if cell.kind == "detections" and cell.verb in ("estimate", "curve"):
        verb = ["detect"]
    *others, last = files
    by = [word for name in cell.shape.by for word in ("--by", name)]
    made = [*verb, *files, *_of_kind(cell, by)]
    if cell.kind == "detections" and verb != ["detect"]:
        made = [*verb, *others, "--references", last, *_of_kind(cell, by)]
    if cell.verb == "gate" and cell.kind == "detections":
        new, *old = others
        made = [*verb, new, "--references", last, *_of_kind(cell, by)]
        made += [f"--against={one}" for one in old[:1]]
    elif cell.verb == "gate":
        made += ["--new", MODELS[0], f"--against={MODELS[min(1, cell.models - 1)]}"]
    if cell.verb == "gate":
        by_metric = [f"{name}={one}" for name, one in margins_of(cell).items()]
        made += ["--margin", ",".join(by_metric) or str(MARGIN)]
    if cell.verb == "plan":
        made += ["--n", str(PLANNED), "--n-samples", str(STUDIES), "--method", "t"]
    draws = cell.verb not in ("check", "review", "runs")
    made += ["--n-resamples", str(DRAWS)] if draws else []
    return [*made, *(["--seed", "1"] if cell.verb not in ("check", "review") else [])]


def _of_kind(cell: Cell, by: list[str]) -> list[str]:
    names = ",".join(metrics_of(cell))
    metric = ["--metric", names]
    if cell.kind == "long":
        return by
    if cell.kind == "predictions":
        return ["--target", "truth", "--score", "score", *metric, *by]
    if cell.kind == "detections":
        return [*metric, *(["--average", average_of(cell)] if cell.levels else [])]
    if cell.kind == "readings":
        raters = "PQRS"[: cell.models + 1]
        return ["--model", "unet", *(w for r in raters for w in ("--rater", r)), *metric]
    if cell.kind == "masks":
        return ["--spacing", "1", *metric, "-o", "cases.csv"]
    return ["--value", "accuracy", *by] if cell.kind == "runs" else [*metric, *by]


def output_words(cell: Cell) -> list[str]:
    """What makes a command write the output that is asked for, as `out` with its ending."""
    if cell.verb == "report":
        more = {"json": "--json", "markdown": "--markdown", "latex": "--latex", "printed": "--pdf"}
        return ["-o", "out.html", *([more[cell.output]] if cell.output in more else [])]
    if cell.output in ("png", "svg", "pdf"):
        kind = ["--plot-kind", curve_of(cell)] if cell.verb == "curve" else []
        if cell.verb == "estimate" and cell.kind == "detections":
            kind = ["--plot-kind", "forest"]
        return ["--json", "--plot", f"out.{cell.output}", *kind]
    text = cell.output if cell.output in TEXTS else "json"
    return ["--format", text]


# --------------------------------------------------------------------------- the library


def data_of(cell: Cell, files: Sequence[str], folder: Path) -> Any:
    """The same data as a value."""
    if cell.kind == "detections":
        *found, truth = (folder / name for name in files)
        named = dict(zip(MODELS, found, strict=False))
        return hw.Detections.from_files(named if len(named) > 1 else found[0], truth)
    table = pd.read_csv(folder / "cases.csv")
    how: dict[str, Any] = {"model": "model", "by": cell.shape.by, "case": "case"}
    if cell.kind == "predictions":
        return hw.Predictions.from_table(table, "truth", score="score", **how)
    if cell.kind == "readings":
        readers = ["unet", *"PQRS"[: cell.models + 1]]
        return hw.Readings.from_table(table, label=readers, model="unet")
    if cell.kind == "runs":
        return hw.CaseValues.from_runs(table, "accuracy", by=cell.shape.by)
    return hw.CaseValues.from_table(
        table, metric=metrics_of(cell) if cell.kind == "wide" else None, **how
    )


def called(cell: Cell, files: Sequence[str], folder: Path) -> Any:
    """The result of the verb."""
    if cell.verb == "review":
        return hw.planning.review_table(pd.read_csv(folder / "cases.csv"), metric="dsc")
    if cell.verb == "score":
        predicted, truth = (folder / name for name in files)
        scored = hw.score_folders(predicted, truth, metrics_of(cell), spacing=1)
        values = hw.CaseValues.from_table(scored.to_frame())
        return hw.estimate(values, rng=1, n_resamples=DRAWS)
    data = data_of(cell, files, folder)
    how: dict[str, Any] = {"rng": 1, "n_resamples": DRAWS}
    if cell.kind in ("predictions", "detections", "readings"):
        how["metric"] = metrics_of(cell)
    if cell.kind == "detections" and cell.levels:
        how["average"] = average_of(cell)
    if cell.verb == "curve":
        how.pop("metric")
        return hw.curve(data, curve_of(cell), **how)
    if cell.verb == "runs":
        quantiles = [f"sample_quantile:{q}" for q in (0.1, 0.5, 0.9)]
        return hw.estimate(data, rng=1, statistic=[*quantiles, "mean"])
    if cell.verb == "check":
        return hw.check(data)
    if cell.verb == "plan":
        how |= {"n": PLANNED, "n_samples": STUDIES, "method": "t"}
    if cell.verb == "gate":
        how |= {"margin": margins_of(cell) or MARGIN}
        how |= {"new": MODELS[0], "against": MODELS[min(1, cell.models - 1)]}
    verb = getattr(hw, cell.verb)
    return quickly(verb, data, **how)
