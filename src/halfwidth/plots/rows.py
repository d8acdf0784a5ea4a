"""The rows of a distribution figure as numbers: what is drawn where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfwidth.core.errors import DataError, OptionError, quoted, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Estimand
from halfwidth.core.types import UNBOUNDED, Array, Bounds
from halfwidth.core.undefined import is_missing
from halfwidth.estimation.check import as_numbers
from halfwidth.plots.shapes import (
    Codes,
    few_levels,
    jitter,
    kernel_density,
    lanes,
    ranks_by_mean,
    tukey_box,
)
from halfwidth.plots.style import row_text, same_level
from halfwidth.results.estimate import Estimate

Groups = Mapping[str, Iterable[Any]]

FEW_CLUSTERS = 8
COLUMNS = ("label", "kind", "statistic", "x", "y", "low", "high", "density", "group", "code")
# Heights in inches.
LINE, MARGIN, GAP, CLOUD, BOX = 0.135, 0.05, 0.04, 0.19, 0.1
LEAST_DOTS, NAMED_LANE, LANE = 0.23, 0.13, 0.055
LEAST_MOST, MOST_DOTS, PAGE = 0.8, 2.2, 6.0


@frozen
class RowCases:
    """The finite cases of a label, ascending, with their clusters."""

    label: str
    values: Array
    # Their names; empty for independent cases.
    clusters: tuple[str, ...]
    # Cluster of each case.
    member: Codes
    # The number that gives each cluster its colour and shape.
    codes: Codes

    @property
    def ends(self) -> list[float]:
        """The smallest and the largest value, if there is any."""
        return [float(self.values[0]), float(self.values[-1])] if len(self.values) else []


def group_cases(samples: Mapping[str, ArrayLike], groups: Groups | None) -> list[RowCases]:
    """The cases of each label."""
    cluster_of = {} if groups is None else groups
    if not isinstance(cluster_of, Mapping):
        raise OptionError("groups maps the label of a sample to the clusters of its cases")
    if unknown := [label for label in cluster_of if label not in samples]:
        raise OptionError(f"groups for {quoted(unknown)}, but samples for {quoted(samples)}")
    rows = [_cases(label, values, cluster_of.get(label)) for label, values in samples.items()]
    names = sorted({name for cases in rows for name in cases.clusters})
    if not 0 < len(names) <= FEW_CLUSTERS:
        return rows
    # With few clusters a colour names one, the same in every row.
    place = {name: number for number, name in enumerate(names)}
    clusters = [np.array([place[c] for c in cases.clusters], np.intp) for cases in rows]
    member = np.concatenate([c[cases.member] for c, cases in zip(clusters, rows, strict=True)])
    values = np.concatenate([cases.values for cases in rows if cases.clusters])
    ranks = ranks_by_mean(values, member)
    return [
        RowCases(cases.label, cases.values, cases.clusters, cases.member, ranks[codes])
        for cases, codes in zip(rows, clusters, strict=True)
    ]


def _cases(label: str, values: ArrayLike, groups: Iterable[Any] | None) -> RowCases:
    numbers = as_numbers(values, f"sample {shown(label)}")
    finite = np.flatnonzero(np.isfinite(numbers))
    order = finite[np.argsort(numbers[finite], kind="stable")]
    none = np.empty(0, dtype=np.intp)
    if groups is None:
        return RowCases(label, numbers[order], (), none, none)
    clusters = list(groups)
    if len(clusters) != len(numbers):
        raise DataError(
            f"groups[{label!r}] has {len(clusters)} labels for {len(numbers)} values; "
            "give the cluster of each case, in the order of the sample"
        )
    names = [clusters[place] for place in order.tolist()]
    if any(is_missing(name) for name in names):
        raise DataError(f"groups[{label!r}]: a case has no cluster; give it one, or leave it out")
    known: dict[Any, int] = {}
    member = np.array([known.setdefault(name, len(known)) for name in names], dtype=np.intp)
    if len(known) == len(names):
        # Clusters of one case are independent cases, and look like them.
        return RowCases(label, numbers[order], (), none, none)
    codes = ranks_by_mean(numbers[order], member)
    return RowCases(label, numbers[order], tuple(map(str, known)), member, codes)


# --------------------------------------------------------------------------- heights


@frozen
class RowLayout:
    """Heights within a row, in inches; a row is 1 high on the axis.

    From the top: estimates, density, box, cases.
    """

    # Lines of text that the estimates of a row take, at most.
    text_lines: int
    # Lines of each.
    per_estimate: int
    # Height of the band of cases.
    dots: float

    @property
    def _tops(self) -> tuple[float, ...]:
        heights = (MARGIN, self.text_lines * LINE, GAP, CLOUD, BOX, GAP, self.dots, MARGIN)
        return tuple(np.cumsum((0.0, *heights)).tolist())

    @property
    def height(self) -> float:
        """Height of a row in inches."""
        return self._tops[-1]

    def estimate(self, place: int) -> float:
        """Where the estimate with this number is, as a share of the row."""
        return (self._tops[1] + (place + 0.5) * self.per_estimate * LINE) / self.height

    @property
    def cloud(self) -> tuple[float, float]:
        """Where the density ends and begins."""
        return self._tops[3] / self.height, self._tops[4] / self.height

    @property
    def box(self) -> float:
        """The middle of the box."""
        return (self._tops[4] + self._tops[5]) / 2 / self.height

    @property
    def cases(self) -> tuple[float, float]:
        """The middle of the band of cases, and half its height."""
        return (self._tops[6] + self.dots / 2) / self.height, self.dots / 2 / self.height


def row_layout(
    cases: Sequence[RowCases], estimates: Sequence[Estimate], *, narrow: bool
) -> RowLayout:
    """Room for the label with the most estimates, and for the one with the most clusters.

    In narrow axes the numbers of an estimate have a line of their own.
    """
    with_level = not same_level(estimates)
    texts = [row_text(e, with_level=with_level) for e in estimates]
    per_estimate = max(1 + max(narrow, text.count("\n")) for text in texts)
    labels = [e.label for e in estimates]
    most = max([1, *(labels.count(row.label) for row in cases)])
    n_lanes = max(len(row.clusters) for row in cases)
    lane = NAMED_LANE if n_lanes <= FEW_CLUSTERS else LANE
    # One label may take more of a page than each of several.
    most_dots = min(max(PAGE / len(cases), LEAST_MOST), MOST_DOTS)
    dots = min(max(LEAST_DOTS, lane * n_lanes), most_dots)
    return RowLayout(most * per_estimate, per_estimate, dots)


# --------------------------------------------------------------------------- parts


def frame_columns(
    cases: Sequence[RowCases], estimates: Sequence[Estimate], layout: RowLayout
) -> dict[str, NDArray[Any]]:
    """The columns of the frame: all parts of all rows."""
    parts: list[dict[str, NDArray[Any]]] = []
    for row, row_cases in enumerate(cases):
        mine = [e for e in estimates if e.label == row_cases.label]
        bounds = mine[0].metric_spec.spec.bounds if mine else UNBOUNDED
        row_parts = (
            *_case_parts(row_cases, row, layout),
            *_shape_parts(row_cases.values, row, layout, bounds),
            *(
                part
                for k, e in enumerate(mine)
                for part in _estimate_parts(e, row_cases, row + layout.estimate(k))
            ),
        )
        parts += [
            {**part, "label": np.full(len(part["x"]), row_cases.label, object)}
            for part in row_parts
        ]
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}


def _part(kind: str, **given: Any) -> dict[str, NDArray[Any]]:
    """Rows of the frame; what is not given is empty."""
    empty: dict[str, Any] = {
        "statistic": "",
        "x": np.nan,
        "y": np.nan,
        "low": np.nan,
        "high": np.nan,
        "density": np.nan,
        "group": "",
        "code": -1,
    }
    values = {"kind": kind} | empty | given
    arrays = [
        np.atleast_1d(np.asarray(value, object if isinstance(empty.get(name, ""), str) else None))
        for name, value in values.items()
    ]
    return dict(zip(values, np.broadcast_arrays(*arrays), strict=True))


def _case_parts(cases: RowCases, row: int, layout: RowLayout) -> list[dict[str, NDArray[Any]]]:
    middle, half = layout.cases
    if not len(cases.values):
        return []
    if not cases.clusters:
        return [_part("case", x=cases.values, y=row + middle + half * jitter(len(cases.values)))]
    middles, heights = lanes(ranks_by_mean(cases.values, cases.member), cases.member)
    names = np.array(cases.clusters, dtype=object)
    low = np.full(len(names), np.inf)
    high = -low
    np.minimum.at(low, cases.member, cases.values)
    np.maximum.at(high, cases.member, cases.values)
    return [
        _part(
            "cluster",
            x=np.bincount(cases.member, cases.values) / np.bincount(cases.member),
            y=row + middle + half * middles,
            low=low,
            high=high,
            group=names,
            code=cases.codes,
        ),
        _part(
            "case",
            x=cases.values,
            y=row + middle + half * heights,
            group=names[cases.member],
            code=cases.codes[cases.member],
        ),
    ]


def _shape_parts(
    values: Array, row: int, layout: RowLayout, bounds: Bounds
) -> list[dict[str, NDArray[Any]]]:
    """Density and box; shares where there are but a few different values; else nothing."""
    top, floor = (row + share for share in layout.cloud)
    if few_levels(values):
        levels, counts = np.unique(values, return_counts=True)
        if counts.sum() == len(counts):
            return []
        shares = counts / counts.sum()
        return [_part("share", x=levels, y=floor - (floor - top) * shares, density=shares)]
    x, density = kernel_density(values, bounds)
    box = tukey_box(values)
    at = row + layout.box
    return [
        _part("density", x=x, y=floor - (floor - top) * density / density.max(), density=density),
        _part("box", x=box.median, y=at, low=box.low, high=box.high),
        _part("whiskers", x=box.median, y=at, low=box.low_whisker, high=box.high_whisker),
    ]


def _estimate_parts(e: Estimate, cases: RowCases, y: float) -> list[dict[str, NDArray[Any]]]:
    """The estimate, and the pale bar behind it."""
    shared: dict[str, Any] = {"statistic": e.statistic_title, "x": e.value, "y": y}
    if not has_place(e, cases):
        return [_part("number", low=e.low, high=e.high, **shared)]
    parts = [_part("estimate", low=e.low, high=e.high, **shared)]
    if e.unseen_failures_matter:
        low, high = e.unseen_ends
        parts.append(_part("unseen failures", low=low, high=high, **shared))
    return parts


def has_place(e: Estimate, cases: RowCases) -> bool:
    """Whether a statistic is a place on the axis of the values: a spread is a length."""
    estimand = e.statistic_spec.spec.estimand
    if estimand is not Estimand.OTHER:
        return estimand is not Estimand.SPREAD
    # A user's own function is a place only if it lies among the values.
    return bool(cases.ends) and cases.ends[0] <= e.value <= cases.ends[1]
