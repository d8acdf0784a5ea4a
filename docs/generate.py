"""Writes the pages that derive from the catalogues: ``python docs/generate.py``.

A test compares the pages with what this writes, so that they cannot drift.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from blocks import with_blocks
from figures import filled

import halfwidth as hw
from halfwidth.comparison.no_difference import AUTO_ORDER, TESTS
from halfwidth.core.parameters import Parameter
from halfwidth.core.references import REFERENCES, cite
from halfwidth.metrics.detection.catalogue import ASSIGNMENTS, LOCALISATIONS

HERE = Path(__file__).parent
NOTE = "<!-- Written by docs/generate.py from the catalogues; edit those. -->\n"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(
        "| " + " | ".join(c.replace("|", "\\|") for c in line) + " |" for line in lines
    )


def source(key: str) -> str:
    """Author and year, or nothing."""
    return cite(key).short if key else ""


def parameter(declared: Parameter) -> str:
    """A parameter's name, and the words that it takes."""
    words = ", ".join(word for word, _ in declared.words)
    return f"`{declared.name}`" + (f" ({words})" if words else "")


def computed_from(metric: hw.MetricSpec) -> str:
    """What the metric is a function of, or that its values arrive ready-made."""
    if metric.takes is None:
        return ""
    return f"{metric.takes}, with spacing" if metric.spaced else str(metric.takes)


def cautions() -> str:
    """The page of cautions, an anchor for each code."""
    parts = [
        NOTE,
        "# Cautions",
        (
            "Reasons to doubt an estimate, carried with it. HW1xx is about the data, HW2xx about "
            "the sample, HW3xx about the method, HW4xx about the design, HW5xx about the choice of "
            "the metric, HW6xx about the instances of a study, HW7xx about training runs, HW80x to "
            "HW86x about comparisons of models, HW87x and HW88x about detections. HW9xx is about "
            "what a table holds, and raised by [`halfwidth check`](check.md). `halfwidth explain "
            "CODE` prints the same."
        ),
    ]
    for spec in hw.CAUTIONS:
        parts += [
            f"## {spec.code}: {spec.title} {{ #{spec.code.lower()} }}",
            spec.meaning,
            f"**What to do.** {spec.remedy}",
        ]
        if spec.source:
            parts.append(f"*Source: {cite(spec.source)}*")
    return "\n\n".join(parts) + "\n"


def catalogue() -> str:
    """The page of metrics, statistics and methods."""
    metrics = [
        [
            f"`{m.name}`",
            m.display,
            m.summary.rstrip("."),
            str(m.bounds),
            str(m.better),
            m.unit,
            str(m.kind),
            ", ".join(parameter(p) for p in m.parameters),
            ", ".join(m.synonyms),
            computed_from(m),
            source(m.cite),
        ]
        for m in hw.METRICS
    ]
    of_test_sets = [
        [
            f"`{m.name}`",
            m.display,
            m.summary.rstrip("."),
            str(m.bounds),
            str(m.better),
            "" if m.takes is None else str(m.takes),
            ", ".join(m.averages),
            "yes" if m.prevalence_dependent else "no",
            ", ".join(f"`{p.name}`" for p in m.parameters),
            ", ".join(m.synonyms),
            source(m.cite),
        ]
        for m in hw.SAMPLE_METRICS
    ]
    of_detections = [
        [
            f"`{m.name}`",
            m.display,
            m.summary.rstrip("."),
            str(m.bounds),
            str(m.better),
            m.unit,
            ", ".join(m.averages),
            ", ".join(parameter(p) for p in m.parameters),
            ", ".join(m.synonyms),
            source(m.cite),
        ]
        for m in hw.DETECTION_METRICS
    ]
    statistics = [
        [
            f"`{s.name}`",
            s.summary.rstrip("."),
            ", ".join(
                f"`{p.name}`" + ("" if p.default is None else f" = {p.default:g}")
                for p in s.parameters
            ),
            ", ".join(s.synonyms),
        ]
        for s in hw.STATISTICS
    ]
    methods = [
        [
            f"`{m.name}`",
            m.accepts_text,
            str(m.min_n),
            m.use_when,
            m.designs_text,
            ", ".join(sorted(m.promises)),
            source(m.cite),
        ]
        for m in hw.METHODS
    ]
    parts = [
        NOTE,
        "# Catalogue",
        "## Metrics of a case",
        "What a number per case can be. Parameters follow a colon: `nsd:tolerance=3`.",
        table(
            [
                *("name", "title", "what", "range", "better", "unit", "kind", "parameters"),
                *("also", "computed from", "source"),
            ],
            metrics,
        ),
        "## Metrics of a test set",
        (
            "One value for all cases, for `metric_ci` and `halfwidth ci --target`. Parameters "
            "follow a colon: `f_beta:beta=2`, `ppv:prevalence=0.05`."
        ),
        table(
            [
                *("name", "title", "what", "range", "better", "of", "averages"),
                *("depends on prevalence", "parameters", "also", "source"),
            ],
            of_test_sets,
        ),
        "## Metrics of detections",
        (
            "One value for all images, from detections matched with references. What they are, and "
            "what other programs compute differently, is told in "
            "[Metrics of detections](detection-metrics.md)."
        ),
        table(
            [
                *("name", "title", "what", "range", "better", "unit", "averages"),
                *("parameters", "also", "source"),
            ],
            of_detections,
        ),
        *matchings(),
        "## Statistics",
        "What reduces the cases to one number. Parameters follow a colon: `quantile:0.9`.",
        table(["name", "what", "parameters", "also"], statistics),
        "## Methods",
        table(["name", "for", "min n", "use it", "designs", "promises", "source"], methods),
        "## Tests of no difference",
        (
            "They stand beside the interval of a difference (`test=`, `--test`). `auto` takes the "
            f"first of {' and '.join(f'`{name}`' for name in AUTO_ORDER)} that can be made."
        ),
        table(
            ["name", "asks", "source"],
            [[f"`{spec.name}`", spec.question, source(spec.cite)] for spec in TESTS],
        ),
        "## References",
        "\n".join(f"- {reference}" for reference in REFERENCES.values()),
    ]
    return "\n\n".join(parts) + "\n"


def matchings() -> list[str]:
    """Criteria of localisation and strategies of assignment."""
    criteria = [
        [
            f"`{one.name}`",
            one.summary,
            " or ".join(one.of_detections),
            " or ".join(one.of_references),
            "none"
            if one.binary
            else f"{one.admits} "
            + ("to be named" if one.threshold is None else f"{one.threshold:g}"),
            one.unit,
            "; ".join(one.pitfalls),
            ", ".join(one.synonyms),
            source(one.cite),
        ]
        for one in LOCALISATIONS
    ]
    strategies = [
        [
            f"`{one.name}`",
            one.summary,
            "yes" if one.needs_scores else "no",
            "; ".join(one.pitfalls),
            ", ".join(one.synonyms),
            source(one.cite),
        ]
        for one in ASSIGNMENTS
    ]
    return [
        "## Criteria of localisation",
        (
            "How well a detection lies on a reference object (`localisation=`, `--localisation`). "
            "The threshold is the usual one. What is in mm is in pixels where images have no "
            "spacing. Why they are so: "
            "[decision 0063](decisions/0063-localisation-and-assignment.md)."
        ),
        table(
            [
                *("name", "what", "of detections", "of references", "threshold", "unit"),
                *("pitfalls", "also", "source"),
            ],
            criteria,
        ),
        "## Strategies of assignment",
        "Which detection is whose (`assignment=`, `--assignment`).",
        table(["name", "what", "needs scores", "pitfalls", "also", "source"], strategies),
    ]


PAGES = {"cautions.md": cautions, "catalogue.md": catalogue}
# Pages written by hand whose figures and blocks come from tables.
PAGES_WITH_FIGURES = (
    "choosing.md",
    "classification.md",
    "real-study.md",
    "decisions/0026-what-the-study-changed.md",
)


# Pages whose prose quotes tables beside other figures: those are compared, and none sought for.
PAGES_COMPARED = (*PAGES_WITH_FIGURES, "runs.md", "comparing.md")


def with_figures(text: str) -> str:
    """A page with its blocks and the figures of its prose as the tables have them."""
    return filled(with_blocks(text))


def main() -> None:
    """Write the pages."""
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
    for name in PAGES_COMPARED:
        text = (HERE / name).read_text(encoding="utf-8")
        (HERE / name).write_text(with_figures(text), encoding="utf-8")


if __name__ == "__main__":
    main()
