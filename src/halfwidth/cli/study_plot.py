"""``halfwidth study plot``: the figures of a study as files."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from halfwidth.cli.answer import Answer
from halfwidth.cli.option_groups import argument, option, switch
from halfwidth.cli.output import note
from halfwidth.cli.study_answers import cells_in
from halfwidth.core.errors import DataError, OptionError, UnknownNameError
from halfwidth.core.files import write_whole
from halfwidth.core.option_table.option import Group
from halfwidth.document.parts import Document, Item, Items
from halfwidth.study.studies import plan

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from halfwidth.core.types import Array
    from halfwidth.study.plots import Offered

FORMATS = ("pdf", "svg", "png")
USUAL = "pdf,png"


def plot(
    stores: Annotated[
        list[str],
        argument(
            "Stores of studies (folders), then names of figures or of families of them.",
            "STORE... [NAME...]",
        ),
    ],
    out: Annotated[
        Path | None,
        option(
            "The folder for the files; made if need be.", "DIR", Group.OUTPUT, flags=("--out", "-o")
        ),
    ] = None,
    every: Annotated[
        bool, switch("--all", "All figures that can be drawn.", Group.ESTIMATE)
    ] = False,
    listing: Annotated[
        bool, switch("--list", "Print the names of the figures; draw none.", Group.OUTPUT)
    ] = False,
    spec: Annotated[
        list[Path] | None,
        option(
            "The spec of a study, for figures of the data; repeatable.",
            "FILE",
            Group.INPUT,
        ),
    ] = None,
    formats: Annotated[
        str, option("Of pdf, svg and png.", "NAME,...", Group.OUTPUT, flags=("--format",))
    ] = USUAL,
    metric: Annotated[str | None, option("Only these metrics.", "NAME,...", Group.CELLS)] = None,
    statistic: Annotated[
        str | None, option("Only these statistics.", "NAME,...", Group.CELLS)
    ] = None,
    method: Annotated[str | None, option("Only these methods.", "NAME,...", Group.CELLS)] = None,
) -> Answer:
    """Draw what a study found; beside each figure stands a CSV file with every number in it.

    A name stands for a figure (coverage-dsc-mean) or for a family (coverage). Give the stores of
    a study of segmentations and of one of classifications together to compare them.

    \b
    halfwidth study plot store/ --list
    halfwidth study plot store/ --out figures/ coverage-dsc-mean boxes
    halfwidth study plot store/ other/ --out figures/ --all --spec study.toml
    """
    from halfwidth.plots.style import require_matplotlib
    from halfwidth.study.plots import figures_of

    require_matplotlib()
    wanted = _formats(formats)
    folders, names = _stores_and_names(stores)
    if not listing:
        _check_choice(out, every, names)
    cells = _filtered(
        cells_in(folders), {"metric": metric, "statistic": statistic, "method": method}
    )
    figures = figures_of(cells, functools.partial(_values, spec) if spec else None)
    chosen = _chosen(figures, names) if names else figures
    if listing:
        items = tuple(Item(figure.name, figure.says) for figure in chosen)
        return Answer(Document((Items(items),)))
    if out is not None:
        # Figures of a family that cannot be drawn are skipped, as with --all.
        named = {figure.name for figure in figures} & set(names)
        left_out = _write_all(chosen, _folder(out), wanted, named)
        _check_families(names, chosen, left_out)
    return Answer(Document())


def _formats(text: str) -> list[str]:
    chosen = list(dict.fromkeys(part.strip().lower() for part in text.split(",")))
    for one in chosen:
        if one not in FORMATS:
            raise UnknownNameError("format of a figure", one, FORMATS)
    return [one for one in FORMATS if one in chosen]


def _stores_and_names(arguments: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Folders come first, and whatever looks like a path is one; the rest are names."""
    folders = [Path(one) for one in arguments if Path(one).is_dir() or "/" in one or "\\" in one]
    names = [one for one in arguments if Path(one) not in folders]
    if not folders:
        raise OptionError(
            f"{arguments[0]}: no folder of this name; name the store of a study first, then figures"
        )
    return folders, names


def _check_choice(out: Path | None, every: bool, names: Sequence[str]) -> None:
    if every == bool(names):
        problem = "both --all and names are given" if every else "no figure is named"
        raise OptionError(f"{problem}; name some figures, or --all; --list prints their names")
    if out is None:
        raise OptionError("--out DIR: name the folder for the figures")


def _folder(out: Path) -> Path:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{out}: cannot be made ({error.strerror})") from None
    return out


def _filtered(cells: pd.DataFrame, filters: Mapping[str, str | None]) -> pd.DataFrame:
    for column, text in filters.items():
        if text is None:
            continue
        known = [str(value) for value in dict.fromkeys(cells[column]) if value]
        names = [part.strip() for part in text.split(",")]
        unknown = [part for part in names if part not in known]
        if unknown:
            raise UnknownNameError(f"{column} of the study", unknown[0], known)
        cells = cells[cells[column].isin(names)]
    if cells.empty:
        raise DataError("no row of the study matches --metric, --statistic and --method together")
    return cells


def _values(specs: Sequence[Path], wanted: Sequence[str]) -> dict[str, Array]:
    """The cases that the populations of instances were fitted to."""
    values: dict[str, Any] = {}
    for spec in specs:
        for instance in plan(spec).instances:
            if instance.name in wanted:
                cases = getattr(instance.build(), "cases", None)
                if cases is not None:
                    values[instance.name] = cases
    lacking = [name for name in wanted if name not in values]
    if lacking:
        raise DataError(
            f"{', '.join(map(str, specs))}: holds no cases of instance {lacking[0]!r}, which the "
            "store has; name the spec that the store was made from"
        )
    return values


def _chosen(figures: Sequence[Offered], names: Sequence[str]) -> list[Offered]:
    """Figures that are named, in full or by the first words of their names."""
    chosen: dict[str, Offered] = {}
    for name in names:
        matching = [f for f in figures if f.name == name]
        matching = matching or [f for f in figures if f.name.startswith(f"{name}-")]
        if not matching:
            families = dict.fromkeys(f.name.partition("-")[0] for f in figures if "-" in f.name)
            known = [*families, *(figure.name for figure in figures)]
            raise UnknownNameError("figure of this study", name, known, hint="See --list.")
        chosen |= {figure.name: figure for figure in matching}
    return list(chosen.values())


def _write_all(
    figures: Sequence[Offered], out: Path, formats: Sequence[str], named: set[str]
) -> dict[str, str]:
    """The figures that could not be drawn, and why."""
    files, left_out = 0, {}
    failed: Exception | None = None
    for figure in figures:
        try:
            drawn, frame = figure.drawn()
        except DataError as reason:
            if figure.name in named:
                raise DataError(f"{figure.name}: {reason}") from None
            left_out[figure.name] = str(reason)
            note(f"left out {figure.name}: {reason}")
            continue
        except Exception as error:  # noqa: BLE001 -- raised when the other figures are written
            note(f"failed at {figure.name}; the others follow")
            failed = failed or error
            continue
        files += _write(drawn, frame, out / figure.name, formats)
    note(f"wrote {files} files in {out}")
    if failed:
        raise failed
    return left_out


def _check_families(
    names: Sequence[str], figures: Sequence[Offered], left_out: Mapping[str, str]
) -> None:
    """A family of which nothing can be drawn is an error, as is a figure."""
    for name in names:
        matching = [f.name for f in figures if f.name == name or f.name.startswith(f"{name}-")]
        if all(one in left_out for one in matching):
            raise DataError(f"{name}: none of these figures can be drawn: {left_out[matching[0]]}")


def _write(drawn: Figure, frame: pd.DataFrame, stem: Path, formats: Sequence[str]) -> int:
    from halfwidth.plots.files import write_figure

    for name in formats:
        write_figure(drawn, stem.with_name(f"{stem.name}.{name}"))
        # Laid out once for all formats.
        drawn.set_layout_engine("none")
    text = frame.to_csv(index=False, lineterminator="\n")
    write_whole(stem.with_name(f"{stem.name}.csv"), text.encode())
    return len(formats) + 1
