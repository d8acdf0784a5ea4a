"""Who of some readers is compared with whom: a model with its raters, and these with each other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, quoted
from halfwidth.core.frozen import frozen
from halfwidth.io.table import Table

RATERS = "raters"


@frozen
class Raters:
    """A model, and the raters with whom it is compared."""

    model: str
    names: tuple[str, ...]

    @property
    def with_model(self) -> list[tuple[str, str]]:
        """The model's prediction, each rater as the reference."""
        return [(self.model, rater) for rater in self.names]

    @property
    def among_themselves(self) -> list[tuple[str, str]]:
        """Each rater as the prediction, each other one as the reference."""
        return list(itertools.permutations(self.names, 2))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Pairs of the model with each rater, then those of raters among themselves."""
        return [*self.with_model, *self.among_themselves]

    def without(self, rater: str) -> Raters:
        """The model with all raters but one."""
        return replace(self, names=tuple(one for one in self.names if one != rater))


def raters_of(model: str, names: Sequence[str]) -> Raters:
    """The raters of a model: two at least, none of them called as what they are together."""
    if len(names) < 2:
        raise OptionError(
            f"{len(names)} rater{'s' * (not names)} beside model {model!r}; agreement of raters "
            "needs two or more (with one, score the model against it)"
        )
    if RATERS in (model, *names):
        raise OptionError(
            f"model {model!r} and raters {quoted(names)} need other names: {RATERS!r} stands "
            "for all raters together"
        )
    return Raters(model, tuple(names))


def pair_name(prediction: str, reference: str) -> str:
    """What a pair is called as a model of a family: ``nnU-Net on A``."""
    return f"{prediction} on {reference}"


# --------------------------------------------------------------------------- tables of pairs


def tables_of_pairs(
    table: Table, model: str, wanted: Sequence[str], columns: tuple[str, str]
) -> tuple[dict[str, Table], Raters]:
    """The rows of each pair as a table of its own, by `pair_name`, and who the raters are.

    ``columns`` name the prediction and the reference of each row; where no raters are ``wanted``
    by name, all others are.
    """
    for name in columns:
        if name not in table:
            raise UnknownNameError("column", name, table.names)
    sides = [[str(level) for level in table.levels(name)] for name in columns]
    pairs = list(dict.fromkeys(zip(*sides, strict=True)))
    readers = list(dict.fromkeys(name for pair in pairs for name in pair))
    if model not in readers:
        raise UnknownNameError("model", model, readers)
    others = [name for name in readers if name != model]
    for name in wanted:
        if name not in others:
            raise UnknownNameError("rater", name, others)
    raters = raters_of(model, wanted or others)
    rows = np.array([pair_name(*pair) for pair in zip(*sides, strict=True)], dtype=object)
    kept = [name for name in table.names if name not in columns]
    tables = {}
    for one, other in raters.pairs:
        in_table = [pair for pair in ((one, other), (other, one)) if pair in pairs]
        if not in_table:
            raise DataError(
                f"no rows of {one!r} with {other!r}: columns {columns[0]} and {columns[1]} must "
                "have the model with each rater, and each two raters"
            )
        # Of raters both orders count where both are there.
        if one != model and (one, other) not in pairs:
            continue
        chosen = np.flatnonzero(rows == pair_name(*in_table[0]))
        part = {name: table.columns[name][chosen] for name in kept}
        tables[pair_name(one, other)] = Table.from_frame(part)
    return tables, raters
