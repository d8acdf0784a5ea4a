"""The cells: verbs, kinds of data, shapes and outputs, and those that cover all pairs."""

from __future__ import annotations

import heapq
import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

from shapes.data import METRICS, Shape

__all__ = ["Cell", "all_cells", "covering", "pairs_of", "refusing", "slice_of"]

Pair = tuple[object, ...]

OF_MODELS = ("wide", "long", "predictions", "detections")
# Each verb with the kinds of data that it takes.
VERBS = {
    "estimate": OF_MODELS,
    "compare": (*OF_MODELS, "readings"),
    "rank": OF_MODELS,
    "gate": OF_MODELS,
    "curve": ("predictions", "detections"),
    "plan": ("wide", "long"),
    "check": ("wide", "long"),
    "report": OF_MODELS,
    "runs": ("runs",),
    "review": ("published",),
    "score": ("masks",),
}
TEXTS = ("table", "json", "csv", "markdown", "latex")
PICTURES = ("png", "svg", "pdf", "plot")
IN_PYTHON = ("sentence", "frame", "notebook")
# What each verb can be asked for; a report is files beside each other, and has no rows.
ALL_OUTPUTS = (*TEXTS, *IN_PYTHON, *PICTURES)
OUTPUTS: dict[str, tuple[str, ...]] = dict.fromkeys(
    ("estimate", "compare", "rank", "plan", "runs"), ALL_OUTPUTS
)
OUTPUTS |= {
    # On the command line curves are pictures.
    "curve": ("frame", "notebook", *PICTURES),
    "gate": (*TEXTS, *IN_PYTHON, "plot"),
    "check": (*TEXTS, "frame", "notebook"),
    "report": ("json", "markdown", "latex", "printed", "notebook"),
    "review": (*TEXTS, *IN_PYTHON),
    "score": (*TEXTS, *IN_PYTHON),
}
# Levels of each grouping column.
LEVELS = ((), (1,), (3,), (1, 2), (3, 2))
COUNTS = (1, 2, 3)
# Of these kinds classes are the levels, and of these there is no other number of metrics.
WITHOUT_COLUMNS = ("detections", "masks")


@dataclass(frozen=True)
class Cell:
    """A verb, asked for an output, of a kind of data in a shape."""

    verb: str
    kind: str
    models: int
    metrics: int
    levels: tuple[int, ...]
    output: str

    @property
    def shape(self) -> Shape:
        return Shape(self.models, self.metrics, self.levels)

    def __str__(self) -> str:
        levels = "x".join(map(str, self.levels)) or "no"
        counts = f"{self.models} models, {self.metrics} metrics, {levels} levels"
        return f"{self.verb} of {self.kind}, {counts}: {self.output}"


NAMES = tuple(one.name for one in fields(Cell))


def all_cells() -> list[Cell]:
    """Every cell that there is, in order."""
    return [
        cell
        for verb, kinds in VERBS.items()
        for kind in kinds
        for made in itertools.product(COUNTS, COUNTS, LEVELS, OUTPUTS[verb])
        if _is_there(cell := Cell(verb, kind, *made))
    ]


def _is_there(cell: Cell) -> bool:
    """Not what a kind of data has no place for."""
    if cell.metrics > len(METRICS[cell.kind]) or (cell.kind == "readings" and cell.levels):
        return False
    if cell.kind in WITHOUT_COLUMNS and len(cell.levels) > 1:
        return False
    if cell.kind in ("runs", "masks") and cell.models > 1:
        return False
    return cell.kind != "published" or not cell.levels


def refusing(cell: Cell) -> tuple[str, ...]:
    """The doors at which a cell is refused by contract."""
    if cell.models == 1 and cell.kind != "readings" and cell.verb in ("compare", "rank", "gate"):
        # Nothing to compare with.
        return ("command", "library")
    if cell.verb == "plan" and cell.kind == "wide" and cell.metrics > 1:
        # A pilot is of one column of values.
        return ("command",)
    return ()


def pairs_of(cell: Cell) -> set[Pair]:
    """Pairs of what a cell is; how many models and metrics there are goes together.

    One of three models and one of two metrics worked, and both together did not.
    """
    verb, kind, models, metrics, levels, output = astuple(cell)
    named = [("verb", verb), ("kind", kind), ("shape", models, metrics)]
    named += [("levels", levels), ("output", output)]
    return set(itertools.combinations(named, 2))


def covering(cells: Sequence[Cell]) -> list[Cell]:
    """Cells that have all pairs between them: each time one that adds most."""
    # Of those that add as much small ones come first, and these in no order.
    mixed = sorted(random.Random(49).sample(cells, len(cells)), key=_pictures)
    of_cell = [pairs_of(cell) for cell in mixed]
    still_open = set[Pair]().union(*of_cell)
    # What a cell adds only ever becomes less, so that it is counted again when it comes first.
    queue = [(-len(pairs), place) for place, pairs in enumerate(of_cell)]
    heapq.heapify(queue)
    chosen = []
    while still_open:
        less, place = heapq.heappop(queue)
        adds = len(of_cell[place] & still_open)
        if adds < -less:
            heapq.heappush(queue, (-adds, place))
            continue
        chosen.append(mixed[place])
        still_open -= of_cell[place]
    return sorted(chosen, key=cells.index)


def _pictures(cell: Cell) -> int:
    """How much there is to draw, which takes the time; a report draws everything."""
    if cell.verb != "report" and cell.output not in PICTURES:
        return 0
    panels = cell.models * cell.metrics * math.prod(cell.levels)
    return panels * (3 if cell.verb == "report" else 1)


def slice_of(cells: Sequence[Cell]) -> list[Cell]:
    """Few cells, each the first with a verb, a kind, a count or an output that none had before."""
    had: set[object] = set()
    chosen = []
    for cell in sorted(cells, key=lambda cell: cell.output in PICTURES):
        parts = {(name, getattr(cell, name)) for name in NAMES}
        if not refusing(cell) and len(parts - had) > 0:
            chosen.append(cell)
            had |= parts
    return chosen
