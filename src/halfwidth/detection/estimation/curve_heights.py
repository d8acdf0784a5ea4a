"""Heights of curves of ranked matches in resamples, and their lines on the images themselves."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from halfwidth.arithmetic.ranked_scores import cumulated
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Numbers
from halfwidth.detection.arithmetic.match_curves import (
    RECALLS,
    AveragePrecision,
    MeanSensitivity,
    best_precision,
    drawn,
    lesions_and_images,
)
from halfwidth.detection.forms.declared import MatchedScores, ScoredMatches
from halfwidth.detection.forms.matched_curves import ByClass, compiled_heights
from halfwidth.detection.forms.matched_weighted import (
    MOST_ENTRIES,
    pseudo_units,
    with_pseudo_units,
)
from halfwidth.detection.results.curves import DetectionCurveKind
from halfwidth.estimation.test_sets.curve_lines import thinned
from halfwidth.estimation.test_sets.curve_parts import GRID, STEPS
from halfwidth.estimation.test_sets.curves import sensitivity_at
from halfwidth.resampling.designs import Design
from halfwidth.resampling.kernels import native

# False positives per image from 1/16 to 16: sixteen steps double them.
DOUBLING, LEAST_POWER, MOST_POWER = 16, -4, 4
FALSE_POSITIVES = 2.0 ** (
    np.arange((MOST_POWER - LEAST_POWER) * DOUBLING + 1) / DOUBLING + LEAST_POWER
)
# Operating points: those of the FROC score, 1/8, 1/4, ..., 8.
OPERATING = slice(DOUBLING, -DOUBLING, DOUBLING)
NO_CORNERS = np.empty((0, 2))

# Of the classes of a test set, one row each: heights of resamples given as counts of units,
# (B, U) -> (C, K, B).
OfClasses = Callable[[Numbers], Array]


@frozen(eq=False)
class Heights:
    """How the heights of one curve are made: of a class, or an average over several."""

    kind: DetectionCurveKind
    # Of the metric that sums up the curve.
    form: MatchedScores
    # At one threshold of localisation.
    by_class: ByClass
    design: Design
    grid: Array
    # From counts of units to heights of each class, (B, U) -> (C, K, B).
    of_classes: OfClasses
    # Of the temporary arrays of a resample.
    elements: int

    @classmethod
    def from_records(
        cls, kind: DetectionCurveKind, form: MatchedScores, records: Array, design: Design
    ) -> Heights:
        """For the records of one test set in the order of its design."""
        return cls._from_lists(kind, form, form.unpack(records), design)

    @classmethod
    def _from_lists(
        cls, kind: DetectionCurveKind, form: MatchedScores, by_class: ByClass, design: Design
    ) -> Heights:
        grid = {"pr": RECALLS, "froc": FALSE_POSITIVES}.get(kind, GRID / STEPS)
        fast = _by_kernels(kind, form, by_class, design)
        longest = max(len(one.image) for one in by_class)
        elements = max(design.n, len(grid), 0 if fast else 4 * longest)
        class_heights = fast or _plainly(kind, form, by_class, design)
        return cls(kind, form, by_class, design, grid, class_heights, elements)

    def __call__(self, counts: Numbers) -> Array:
        """Heights of resamples given as counts of units, (B, U) -> (K, B)."""
        values = np.moveaxis(self.of_classes(counts), 0, -1)
        image_counts = counts[:, self.design.unit_of_case]
        objects = np.stack([image_counts @ one.references for one in self.by_class], axis=-1)
        return self.form.finish(values, np.broadcast_to(objects, values.shape))

    def with_pseudo_units(self) -> Heights:
        """Heights of one class, with the pseudo-units of Dirichlet weights."""
        extended = tuple(with_pseudo_units(one, self.design) for one in self.by_class)
        return Heights._from_lists(self.kind, self.form, extended, pseudo_units(self.design))

    @functools.cached_property
    def _corners(self) -> Array:
        """Heights of the images themselves, (K, 2)."""
        once = np.ones((1, self.design.units), dtype=np.int64)
        return np.column_stack([self.grid, self(once)[:, 0]])

    def line(self) -> Array:
        """Corners of the curve of the images themselves, up to the last detection, (m, 2)."""
        # An average over classes has none of its own: its heights stand for them, up to the last
        # detection of any class.
        lines = [_LINES[self.kind](one, self.form) for one in self.by_class]
        if len(self.by_class) > 1:
            ends = [one[-1, 0] for one in lines if len(one)]
            return self._corners[self.grid <= max(ends, default=-np.inf)]
        (line,) = lines
        # Columns of the figure are parts of the longest axis.
        scale = (max([1.0, *line[-1:, 0].tolist()]), 1.0)
        return thinned(line / scale) * scale

    def extension(self, line: Array) -> Array:
        """How the curve goes on behind its last detection; empty where nothing is counted."""
        if self.kind == "pr":
            return NO_CORNERS
        if len(self.by_class) > 1:
            beyond = self._corners[max(len(line) - 1, 0) :]
            return beyond if len(beyond) > 1 and np.isfinite(beyond).all() else NO_CORNERS
        if not len(line):
            return NO_CORNERS
        x, y = line[-1]
        end = (max(x, FALSE_POSITIVES[-1]), y) if self.kind == "froc" else (1.0, 1.0)
        return NO_CORNERS if (x, y) == end else np.array([(x, y), end])


def _curve_of(kind: DetectionCurveKind, form: MatchedScores) -> Callable[..., Array]:
    """What makes the heights of the curve that the metric sums up."""
    curve = form.curve.values
    if kind == "froc":
        steps = isinstance(curve, MeanSensitivity) and curve.steps
        return MeanSensitivity(tuple(FALSE_POSITIVES.tolist()), steps)
    return AveragePrecision() if kind == "pr" else curve


def _by_kernels(
    kind: DetectionCurveKind, form: MatchedScores, by_class: ByClass, design: Design
) -> OfClasses | None:
    compiled = compiled_heights(_curve_of(kind, form), by_class, design)
    longest = max(len(one.image) for one in by_class)
    if compiled is None or not native.available() or longest >= MOST_ENTRIES:
        return None
    heights = compiled
    return lambda counts: heights(native.counts_side_by_side(counts.astype(np.uint8)))


def _plainly(
    kind: DetectionCurveKind, form: MatchedScores, by_class: ByClass, design: Design
) -> OfClasses:
    curve = _curve_of(kind, form)

    def heights(counts: Numbers) -> Array:
        image_counts = counts[:, design.unit_of_case]
        if isinstance(curve, AveragePrecision | MeanSensitivity):
            return np.stack([curve.heights(one, image_counts)[0].T for one in by_class])
        by_image = kind == "wafroc"
        return np.stack([_found_before(one, image_counts, by_image=by_image) for one in by_class])

    return heights


def _found_before(matches: ScoredMatches, counts: Numbers, *, by_image: bool) -> Array:
    """Share of lesions found at shares of images with a false positive, (B, n) -> (K, B)."""
    ranking = lesions_and_images(matches, 0, by_image=by_image)
    if not ranking.case.size:
        return np.full((len(GRID), len(counts)), np.nan)
    entry_counts = counts[:, ranking.case[0]]
    weight = entry_counts if ranking.weight is None else entry_counts * ranking.weight[0]
    tp, _ = cumulated(ranking.mark[0], weight)
    _, fp = cumulated(ranking.mark[0], entry_counts)
    return sensitivity_at(tp, fp).T


# --------------------------------------------------------------------------- lines


def _precision_line(matches: ScoredMatches, _form: MatchedScores) -> Array:
    """Steps of the best precision at a recall or a higher one, from left to right."""
    tp, fp = drawn(matches, 0, _once(matches))[:2]
    objects = matches.references.sum()
    if not objects or not tp[0, -1:].any():
        return NO_CORNERS
    rises = np.diff(tp[0], prepend=0) > 0
    recall, best = tp[0][rises] / objects, best_precision(tp, fp)[0][rises]
    starts = np.flatnonzero(np.append(True, np.diff(best) != 0))
    ends = np.append(starts[1:] - 1, len(best) - 1)
    x = np.append(0.0, recall[ends])
    return np.column_stack([np.repeat(x, 2)[1:-1], np.repeat(best[starts], 2)])


def _froc_line(matches: ScoredMatches, form: MatchedScores) -> Array:
    """The points of all scores; in steps where that is how the score reads them."""
    curve = form.curve.values
    stepped = isinstance(curve, MeanSensitivity) and curve.steps
    objects, images = matches.references.sum(), len(matches.references)
    if not objects:
        return NO_CORNERS
    tp, fp = MeanSensitivity((1.0,)).points(matches, 0, _once(matches))
    corners = np.column_stack([fp[0] / images, tp[0] / objects])
    if not stepped:
        return corners
    flat = np.column_stack([corners[1:, 0], corners[:-1, 1]])
    return np.concatenate([corners[:1], np.stack([flat, corners[1:]], axis=1).reshape(-1, 2)])


def _afroc_line(matches: ScoredMatches, form: MatchedScores) -> Array:
    """The points of all scores of marks; what has none comes last, and is no part of the line."""
    by_image = bool(getattr(form.curve.values, "by_image", False))
    ranking = lesions_and_images(matches, 0, by_image=by_image)
    if not ranking.case.size:
        return NO_CORNERS
    one = np.ones(ranking.case.shape[1])
    tp, fp = cumulated(ranking.mark[0], one if ranking.weight is None else ranking.weight[0])
    if not (tp[-1] and fp[-1]):
        return NO_CORNERS
    corners = np.column_stack([np.append(0, fp / fp[-1]), np.append(0, tp / tp[-1])])
    unmarked = _marks(matches) < len(one)
    return corners[:-1] if unmarked else corners


def _marks(matches: ScoredMatches) -> int:
    """Lesions that are found, and images without one that have a false positive."""
    outcome = matches.outcome[0]
    false = (outcome == 0) & (matches.references[matches.image] == 0)
    return int((outcome == 1).sum()) + len(np.unique(matches.image[false]))


def _once(matches: ScoredMatches) -> Numbers:
    return np.ones((1, len(matches.references)), dtype=np.int64)


_LINES: dict[DetectionCurveKind, Callable[[ScoredMatches, MatchedScores], Array]] = {
    "pr": _precision_line,
    "froc": _froc_line,
    "afroc": _afroc_line,
    "wafroc": _afroc_line,
}
