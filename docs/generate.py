"""Writes the pages that derive from the catalogues: ``python docs/generate.py``.

A test compares the pages with what this writes, so that they cannot drift.
"""

from __future__ import annotations

from pathlib import Path

from blocks import with_blocks
from figures import filled
from pages import quickstarts

import halfwidth as hw
from halfwidth.core.references import cite

HERE = Path(__file__).parent
README_PICTURE = HERE / "dice-of-a-model.png"
NOTE = "<!-- Written by docs/generate.py from the catalogues; edit those. -->\n"


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


PAGES = {"cautions.md": cautions}
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
    write_quickstarts()


def write_quickstarts() -> None:
    """What the commands of the quickstarts print now, and the picture of the README."""
    told, pictures = quickstarts.all_run_again()
    for name, text in told.items():
        (quickstarts.FOLDER / f"{name}.md").write_text(text, encoding="utf-8")
    # GitHub shows the README and builds nothing, so this one picture is committed.
    README_PICTURE.write_bytes(pictures["dice.png"])


if __name__ == "__main__":
    main()
