"""The gallery: a picture of every figure, drawn by the build, with the command that made it."""

from __future__ import annotations

import contextlib
import functools
import shlex
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pages.figures_shown import GALLERY, OF_SCORES, OF_STUDIES, SPEC, SPEC_OF_SCORES, Shown
from pages.markdown import fenced, page
from pages.shell import run

DPI = 110
# Characters of a line that a page shows without scrolling.
WIDEST = 72
STUDY = "study run study.toml --store store --jobs 1"
ALL_OF_STUDY = "study plot store --out figures --format png --spec study.toml --all"
OF_BOTH = "study run scores.toml --store scores-store --jobs 1"
PLOT_OF_BOTH = "study plot store scores-store --out figures --format png " + " ".join(OF_SCORES)


def pages() -> Mapping[str, Callable[[], str | bytes]]:
    """The page and its pictures, drawn together when the first is asked for."""
    names = [shown.name for part in GALLERY.values() for shown in part]
    names += [f"study-{name}" for name in (*OF_STUDIES, *OF_SCORES)]
    pictures: dict[str, Callable[[], str | bytes]] = {
        f"images/{name}.png": lambda name=name: drawn()[name]  # type: ignore[misc]
        for name in names
    }
    return {"gallery.md": _gallery} | pictures


@functools.cache
def drawn() -> Mapping[str, bytes]:
    """Every picture of the gallery by its name."""
    import gallery_data
    import matplotlib.pyplot as plt

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        here = Path(folder)
        gallery_data.write(here)
        found = {one.name: _picture(one, here) for part in GALLERY.values() for one in part}
        (here / "study.toml").write_text(SPEC, encoding="utf-8")
        (here / "scores.toml").write_text(SPEC_OF_SCORES, encoding="utf-8")
        for command in (STUDY, ALL_OF_STUDY, OF_BOTH, PLOT_OF_BOTH):
            run(command)
        for name in (*OF_STUDIES, *OF_SCORES):
            found[f"study-{name}"] = (here / "figures" / f"{name}.png").read_bytes()
    plt.close("all")
    return found


def _picture(shown: Shown, folder: Path) -> bytes:
    if shown.code:
        made: dict[str, Any] = {}
        exec(compile(shown.code, shown.name, "exec"), made)  # noqa: S102 -- our own pages
        made["figure"].savefig(folder / f"{shown.name}.png", dpi=DPI, bbox_inches="tight")
    else:
        run(shown.typed.removeprefix("halfwidth "))
    return (folder / f"{shown.name}.png").read_bytes()


def _gallery() -> str:
    told = [
        "---\nhide:\n  - navigation\n---",
        "# Gallery",
        (
            "Every picture was drawn when this site was built, by the command below it, from data "
            "that ship with scikit-learn. The tables come from"
        ),
        fenced("sh", "python examples/gallery_data.py ."),
        (
            "A PDF, SVG or PNG is written, whichever `--plot` names. Figures need the extra "
            "`plots`: `pip install 'halfwidth[plots]'`."
        ),
    ]
    for heading, figures in GALLERY.items():
        told.append(f"## {heading}")
        told += [text for shown in figures for text in _entry(shown)]
    told += [
        "## Studies",
        (
            "A small study of coverage, of the three filters on four digits ([which method to "
            "trust](study.md)). The spec, `study.toml`:"
        ),
        fenced("toml", SPEC),
        fenced(
            "sh",
            "halfwidth study run study.toml --store store\n"
            "halfwidth study plot store --spec study.toml --out figures --list",
        ),
    ]
    for name, caption in OF_STUDIES.items():
        command = f"halfwidth study plot store {name} --spec study.toml --out figures"
        told += [_image(f"study-{name}", caption), caption, fenced("sh", command)]
    told += [
        (
            "A study of test sets, `scores.toml`: three classifiers on three tasks. Both stores "
            "together show metrics of cases and of test sets side by side."
        ),
        fenced("toml", SPEC_OF_SCORES),
        fenced("sh", "halfwidth study run scores.toml --store scores-store"),
    ]
    for name, caption in OF_SCORES.items():
        stores = "store scores-store" if name == "segmentation-classification" else "scores-store"
        command = f"halfwidth study plot {stores} {name} --out figures"
        told += [_image(f"study-{name}", caption), caption, fenced("sh", command)]
    return page(*told)


def _entry(shown: Shown) -> list[str]:
    made = fenced("python", shown.code) if shown.code else fenced("sh", _on_lines(shown.typed))
    return [_image(shown.name, shown.caption), shown.caption, made]


def _on_lines(command: str) -> str:
    """A long command on several lines, as a shell takes it; an option keeps its value."""
    verb, *options = shlex.join(shlex.split(command)).split(" --")
    lines = [verb]
    for option in options:
        if len(lines[-1]) + len(option) > WIDEST:
            lines.append("   ")
        lines[-1] += f" --{option}"
    return " \\\n".join(lines)


def _image(name: str, caption: str) -> str:
    alternative = caption.replace("`", "").rstrip(".")
    return f"![{alternative}](images/{name}.png){{ loading=lazy }}"
