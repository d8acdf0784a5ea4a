"""What a study answers: paces, tests, mixed models, needs, ratios, shifts, failures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import Door, flag_of, spelled
from halfwidth.document.frames import frames_data, records
from halfwidth.document.parts import Document, Heading, Kind, Note, Part, Table
from halfwidth.study.targets import BOUNDS, TWO_SIDED, Target, by_target, range_text, unit_of

if TYPE_CHECKING:
    import pandas as pd


Cell = Callable[[Mapping[str, Any]], str]
# Kinds of the columns that hold no numbers.
KINDS = {
    **dict.fromkeys(("of", "within", "a", "b", "instance", "property", "beyond"), Kind.TEXT),
    "method": Kind.NAME,
}
SEPARATE = ("confidence_level", "alternative")


@frozen
class AnswerLayout:
    """How a frame is shown."""

    # What stands in a row, by heading.
    columns: Mapping[str, Cell]
    # What the numbers are.
    footer: str
    # What is said where there are no rows.
    empty: str = "Nothing to show."


def answer_document(
    frames: Mapping[str, pd.DataFrame],
    shown: Mapping[str, pd.DataFrame],
    footer_values: Mapping[str, Any] | None = None,
) -> Document:
    """An answer of `halfwidth.study.analysis`.

    ``frames`` has all rows, for programs; ``shown`` what people see, by the name of its layout in
    `TABLES`; ``footer_values`` what footers name, such as the seed.
    """
    parts = [
        part
        for name, frame in shown.items()
        for part in _parts(TABLES[name], frame, footer_values or {})
    ]
    return Document(tuple(parts), frames_data(frames))


def _parts(
    layout: AnswerLayout, frame: pd.DataFrame, footer_values: Mapping[str, Any]
) -> Iterator[Part]:
    """A table for each level and side, then what the numbers are."""
    if frame.empty:
        yield Note(layout.empty)
        return
    for key, group in frame.groupby(list(SEPARATE), sort=True, dropna=False):
        level, alternative = map(str, key)
        yield Heading(f"{100 * float(level):g} % {BOUNDS[alternative]}")
        rows = records(group)
        cells = {name: [cell(row) for row in rows] for name, cell in layout.columns.items()}
        # A column that says nothing is left out.
        kept = {name: column for name, column in cells.items() if any(column)}
        yield Table.from_rows(kept, zip(*kept.values(), strict=True), kinds=KINDS)
    yield Note(layout.footer.format_map(footer_values))


# --------------------------------------------------------------------------- cells


def _subject(row: Mapping[str, Any]) -> str:
    """Such as ``mean DSC``; of what a table does not tell apart it says nothing."""
    metric, statistic, average, label = (
        str(row.get(name) or "") for name in ("metric", "statistic", "average", "label")
    )
    return Target(metric, statistic, average, label, math.nan, TWO_SIDED).title


def _shared_subject(row: Mapping[str, Any]) -> str:
    """What the two sides of a test have in common."""
    return ", ".join(part for part in (_subject(row), str(row.get("method", ""))) if part)


def _text_column(name: str) -> Cell:
    return lambda row: str(row[name])


def _number_column(name: str, form: str = "{:.3g}", scale: float = 1) -> Cell:
    def cell(row: Mapping[str, Any]) -> str:
        value = float(row[name])
        if math.isnan(value):
            return "-"
        text = form.format(scale * value)
        # Thousands are written out.
        plain = "e" in text and 1e3 <= abs(scale * value) < 1e6
        return f"{scale * value:.0f}" if plain else text

    return cell


def _count_column(name: str) -> Cell:
    """Nothing where none of the rows has any."""
    return lambda row: str(int(row[name])) if row[name] else ""


def _share_column(name: str) -> Cell:
    """Nothing where there is none."""
    return lambda row: f"{100 * row[name]:.1f}" if row.get(name, 0) > 0 else ""


def _either_column(name: str) -> Cell:
    """The number of one sample, or of both sides."""

    def cell(row: Mapping[str, Any]) -> str:
        if name in row:
            return str(int(row[name]))
        return f"{int(row[f'{name}_a'])}/{int(row[f'{name}_b'])}"

    return cell


def _p_column(name: str) -> Cell:
    def cell(row: Mapping[str, Any]) -> str:
        value = float(row[name])
        if math.isnan(value):
            return "-"
        return "<0.0001" if value < 1e-4 else f"{value:.4f}"

    return cell


def _needed_column(name: str) -> Cell:
    """An n of the study, one beyond it by extrapolation (~), or that it is not reached (>)."""

    def cell(row: Mapping[str, Any]) -> str:
        value, beyond = float(row[f"n_{name}"]), float(row.get(f"n_extrapolated_{name}", math.nan))
        if not math.isnan(value):
            few = "≤" if value <= row["smallest"] else ""
            return f"{few}{value:.0f}"
        return f">{row['largest']}" if math.isnan(beyond) else f"~{beyond:.0f}"

    return cell


def _quartile_columns(name: str, heading: str, form: str = "{:.3g}") -> dict[str, Cell]:
    return {
        heading: _number_column(f"{name}_median", form),
        "Q1": _number_column(f"{name}_q1", form),
        "Q3": _number_column(f"{name}_q3", form),
    }


_SUBJECT: dict[str, Cell] = {"of": _subject, "method": _text_column("method")}
_N: dict[str, Cell] = {"n": _number_column("n", "{:.0f}")}
_INSTANCES: dict[str, Cell] = {
    "inst.": _number_column("instances", "{:.0f}"),
    "left out": _count_column("left_out"),
}

TABLES = {
    "pace": AnswerLayout(
        _SUBJECT
        | _INSTANCES
        | _quartile_columns("pace", "pace", "{:.2f}")
        | {
            "misfit %": _number_column("fit_error_median", "{:.2f}", 100),
            "most": _number_column("fit_error_largest", "{:.2f}", 100),
            "no CI %": _share_column("no_interval"),
        },
        "The pace is b in coverage = level + b/n, by least squares through the origin: -2 is "
        "2 points too few at n = 100. Quartiles over instances; misfit: √(Σ residual² / Σ "
        "coverage²), median and largest. Coverage is of the intervals that there are; no CI: "
        "samples without one. "
        f"{flag_of('format')} csv: a row for each instance.",
    ),
    "tests": AnswerLayout(
        {
            "within": _shared_subject,
            "a": _text_column("a"),
            "b": _text_column("b"),
            "n": _either_column("n"),
            "tasks": _either_column("tasks"),
            "left out": _count_column("left_out"),
            "pace a": _number_column("mean_a", "{:.2f}"),
            "pace b": _number_column("mean_b", "{:.2f}"),
            "p": _p_column("p"),
            "corrected": lambda row: (
                _p_column("p_bonferroni")(row) + (" *" if row["significant"] else "  ")
            ),
        },
        "Mean paces; {design} permutation tests of their difference, at the level of "
        "{level}s. Corrected: p times the {tested} pairs tested (Bonferroni); *: below 0.05. "
        "Instances of a task are not independent: "
        f"{spelled('over', 'task', door=Door.COMMAND_LINE)} flips or moves whole tasks. "
        "Seed {seed}.",
    ),
    "mixed": AnswerLayout(
        _SUBJECT
        | _N
        | {
            "dropped": _count_column("dropped"),
            "slope": _number_column("slope", "{:.2f}"),
            "SE": _number_column("slope_se", "{:.2f}"),
            "R²m": _number_column("marginal_r2", "{:.2f}"),
            "R²c": _number_column("conditional_r2", "{:.2f}"),
            "r": _number_column("r", "{:.2f}"),
            "from": _number_column("r_low", "{:.2f}"),
            "to": _number_column("r_high", "{:.2f}"),
        },
        "Pace on |skewness| of the population, with random intercepts for task and metric "
        "(REML). {logits_note}R²m: share of variance by skewness, R²c: with task and metric "
        "(Nakagawa & Schielzeth 2013); r: signed root of R²m{interval}. "
        "{left_out}{not_fitted}Seed {seed}.",
    ),
    "needs": AnswerLayout(
        _SUBJECT
        | {
            "inst.": _number_column("instances", "{:.0f}"),
            "reach %": _number_column("reached", "{:.0f}", 100),
            "25 %": _needed_column("q1"),
            "50 %": _needed_column("median"),
            "75 %": _needed_column("q3"),
        },
        "The n of the study from which on intervals {goal}, for 25, 50 and 75 % of the "
        "instances. ≤: the smallest n of the study; >: not reached in it. {units}{beyond}",
    ),
    "ratios": AnswerLayout(
        _SUBJECT | _N | _INSTANCES | _quartile_columns("ratio", "ratio"),
        "Mean width by that of {reference} on the same instance; quartiles over instances.",
        "No other method makes intervals where the reference does.",
    ),
    "shifts": AnswerLayout(
        _SUBJECT
        | _N
        | {
            "inst.": _number_column("instances", "{:.0f}"),
            "shift": _number_column("shift_median", "{:.2g}"),
            "width %": _number_column("relative_shift_median", "{:.1f}", 100),
            "beside": _number_column("shift_difference_median", "{:.2g}"),
            "points": _number_column("coverage_difference_median", "{:+.1f}", 100),
        },
        "Medians over instances. Shift: middle of the interval less the true value, in the "
        "unit of the metric and of the mean width; beside: less the shift of {reference}; "
        "points: coverage less that of {reference}, in points of a hundred. "
        f"{flag_of('format')} csv has quartiles.",
    ),
    "failures": AnswerLayout(
        _SUBJECT
        | _N
        | {
            "instance": _text_column("instance"),
            "cover %": _number_column("coverage", "{:.1f}", 100),
            "fence %": _number_column("fence", "{:.1f}", 100),
            "skewness": _number_column("population_skewness", "{:.1f}"),
            "truth": _number_column("truth"),
        },
        "{count} of {all} instances cover less than Q1 - 1.5 IQR of the instances of their "
        "metric and statistic (the fence). {logits_note}"
        f"{flag_of('format')} csv has them all.",
        "No instance covers less than Q1 - 1.5 IQR of the instances of its metric and statistic.",
    ),
    "shared": AnswerLayout(
        {
            "of": _subject,
            "property": _text_column("property"),
            "fail": _number_column("median_failures"),
            "others": _number_column("median_others"),
            "beyond": _text_column("beyond"),
            "fail %": _number_column("share_failures", "{:.0f}", 100),
            "others %": _number_column("share_others", "{:.0f}", 100),
        },
        "What failures share: medians among them and among the others, and the share of each "
        "beyond a threshold.",
    ),
}


def left_out_note(frame: pd.DataFrame) -> str:
    """Groupings that a mixed model went without, as a sentence of a footer, or nothing."""
    named = [text for text in dict.fromkeys(frame["left_out"]) if text]
    return f"Without random intercepts for {shortened(named)}. " if named else ""


def not_fitted_note(frame: pd.DataFrame) -> str:
    """What has no mixed model, and why, as a sentence of a footer, or nothing."""
    named: dict[str, list[str]] = {}
    for row in records(frame[frame["not_fitted"] != ""]):
        named.setdefault(row["not_fitted"], []).append(
            f"{row['method']} of {_subject(row) or 'metrics without an average'}"
        )
    return "".join(f"Left out: {shortened(names)} ({why}). " for why, names in named.items())


def logits_note(frame: pd.DataFrame) -> str:
    """What skewness is of where there are no values of cases, as a sentence, or nothing."""
    if (frame["statistic"] != "").all():
        return ""
    return "Skewness of test sets is the multivariate one of the logits (Móri et al. 1994). "


def units_note(frame: pd.DataFrame) -> str:
    """Units of metrics that have one, as a sentence of a footer, or nothing.

    >>> import pandas as pd
    >>> units_note(pd.DataFrame({"metric": ["dsc", "hd95", "hd95"]}))
    'Widths of hd95 are in mm. '
    """
    named: dict[str, list[str]] = {}
    for metric in dict.fromkeys(map(str, frame["metric"])):
        if unit := unit_of(metric):
            named.setdefault(unit, []).append(metric)
    return "".join(f"Widths of {shortened(names)} are in {unit}. " for unit, names in named.items())


# --------------------------------------------------------------------------- the summary


# Standard errors of true values above this share of a width are noted: coverage moves by up to
# about as much.
UNSURE = 0.02


def summary_document(frame: pd.DataFrame) -> Document:
    """The frame of `Results.summary`: a table for each metric and statistic."""
    parts = [part for parts in _tables(frame) for part in parts]
    return Document((*parts, *map(Note, _notes(frame))), frames_data({"summary": frame}))


def _tables(frame: pd.DataFrame) -> Iterator[tuple[Part, ...]]:
    """A table for each metric and statistic, below its title."""
    # Columns that say nothing are left out.
    shares = {"no CI %": "undefined", "0 width %": "zero_width"}
    shown = {name: column for name, column in shares.items() if (frame[column] > 0).any()}
    names = ["n", "method", "cover %", "Q1", "Q3", "above", "below", "width", "from", "to", *shown]
    for target, group in by_target(frame):
        rows = []
        for row in group.sort_values(["n", "method"], kind="stable").to_dict("records"):
            cells = [str(row["n"]), str(row["method"])]
            cells += _three(row, "coverage", 100, "{:.1f}")
            missed = (row["missed_above"], row["missed_below"])
            cells += ["-" if math.isnan(share) else f"{100 * share:.1f}" for share in missed]
            cells += _three(row, "width", 1, "{:.3g}")
            cells += [f"{100 * row[column]:.1f}" for column in shown.values()]
            rows.append(cells)
        title = f"{target.title}, {target.intervals}"
        yield Heading(title), Table.from_rows(names, rows, kinds={"method": Kind.NAME})


def _three(row: dict[Any, Any], name: str, scale: float, form: str) -> list[str]:
    """Median, first and third quartile."""
    quartiles = [row[f"{name}_{which}"] for which in ("median", "q1", "q3")]
    return ["-" if math.isnan(value) else form.format(scale * value) for value in quartiles]


def _notes(frame: pd.DataFrame) -> Iterator[str]:
    """What the numbers are of, and how sure they are."""
    instances = sorted({int(count) for count in frame["instances"]})
    noun = "instance" if instances == [1] else "instances"
    worst = frame["coverage_se"].max()
    error = (
        "" if math.isnan(worst) else f"; Monte-Carlo SE of a coverage at most {100 * worst:.2f} %"
    )
    yield f"Medians and quartiles over {range_text(instances)} {noun}{error}."
    yield "Above, below: how often the whole interval lies above, below the true value, in %."
    if (frame["undefined"] > 0).any():
        yield "Coverage is of the intervals that there are; no CI: the samples without one."
    truths = frame["truth_error"].max()
    if truths > UNSURE:
        yield (
            f"True values are known to {100 * truths:.1f} % of a width (one SE) and coverages no "
            "better: raise truth_draws."
        )
