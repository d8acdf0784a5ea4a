"""Writes the pages that derive from the catalogues: ``python docs/generate.py``.

With ``--check`` it writes nothing, says where a page differs from what it would write and which
verdicts, methods, numbers and rates of `PAGES_TOLD` do not say where they come from, and ends with
1 if there are any. A test compares the pages too, so that they cannot drift.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import figures
import told
from blocks import with_blocks
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


# Pages whose prose says what the program says, each value with where it comes from.
PAGES_TOLD = (
    *("classification.md", "comparing.md", "gate.md", "planning.md"),
    *(f"quickstarts/{name}.md" for name in quickstarts.texts()),
)
# Pages that are compared: some quote tables beside other figures, for which no source is sought.
PAGES_QUOTING = (
    "runs.md",
    "decisions/0053-verdicts-and-the-gate.md",
    "decisions/0095-gates-err-as-often-as-they-say.md",
)
PAGES_COMPARED = tuple(dict.fromkeys((*PAGES_WITH_FIGURES, *PAGES_QUOTING, *PAGES_TOLD)))


def with_figures(text: str, name: str = "") -> str:
    """A page with its blocks and the values of its prose as tables and the program have them."""
    try:
        return told.filled(figures.filled(with_blocks(text)))
    except figures.FigureError as error:
        raise figures.FigureError(f"{name}: {error}") from None


def found_in(name: str, text: str) -> list[str]:
    """What is wrong with a page, without running its commands."""
    problems = [f"{name}:{line}" for line in _differences(text, with_figures(text, name))]
    if name in PAGES_TOLD:
        problems += [f"{name}: no source: {one}" for one in told.unmarked(text)]
        problems += [f"{name}: a comment follows no value"] * bool(told.stray(text))
    if name in PAGES_WITH_FIGURES:
        problems += [f"{name}: no source: {one}" for one in figures.unmarked(text)]
    return problems


def _differences(text: str, now: str) -> Iterator[str]:
    """Where two versions of a page differ: the line, what stands there and what would."""
    before, after = text.splitlines(), now.splitlines()
    for place in range(max(len(before), len(after))):
        old, new = ("".join(lines[place : place + 1]) for lines in (before, after))
        if old != new:
            yield f"{place + 1}: {old!r} where the program has {new!r}"
        if old != new and len(before) != len(after):
            return


def check() -> list[str]:
    """What is wrong with all pages, the commands of the quickstarts run again."""
    problems = []
    for name, page in PAGES.items():
        problems += [f"{name}:{line}" for line in _differences(_read(name), page())]
    for name in PAGES_COMPARED:
        problems += found_in(name, _read(name))
    for name, text in quickstarts.all_run_again()[0].items():
        path = f"quickstarts/{name}.md"
        problems += [f"{path}:{line}" for line in _differences(_read(path), text)]
    return problems


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def main() -> None:
    """Write the pages, or check them."""
    if sys.argv[1:] == ["--check"]:
        problems = check()
        sys.exit("\n".join(problems) if problems else 0)
    # Prose says what the commands of its page print, so that these are run first.
    write_quickstarts()
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
    for name in PAGES_COMPARED:
        (HERE / name).write_text(with_figures(_read(name), name), encoding="utf-8")


def write_quickstarts() -> None:
    """What the commands of the quickstarts print now, and the picture of the README."""
    told, pictures = quickstarts.all_run_again()
    for name, text in told.items():
        (quickstarts.FOLDER / f"{name}.md").write_text(text, encoding="utf-8")
    # GitHub shows the README and builds nothing, so this one picture is committed.
    README_PICTURE.write_bytes(pictures["dice.png"])


if __name__ == "__main__":
    main()
