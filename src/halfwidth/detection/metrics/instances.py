"""Metrics of the masks of matched objects: their mean over matched pairs, or over all objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.formatting import counted
from halfwidth.core.frozen import frozen
from halfwidth.core.parameters import UNIT, Parameter
from halfwidth.core.spec import ClassNeed, spec_of
from halfwidth.core.types import Array
from halfwidth.detection.forms.declared import ImageSums
from halfwidth.detection.matching.match_lists import MatchLists, Measured, Outcome
from halfwidth.detection.metrics.mask_means import (
    MaskMetric,
    Mean,
    MeanOf,
    is_distance,
    measured,
)
from halfwidth.detection.metrics.tallies import OfSums, by_class_and_image, pairs
from halfwidth.metrics.boundary import OF_HAUSDORFF, OF_SURFACES, assd, hd95, masd
from halfwidth.metrics.boundary_overlap import TOLERANCE, nsd
from halfwidth.metrics.overlap import OF_WHOLE_MASKS, dsc, iou

__all__ = [
    "instance_assd",
    "instance_dsc",
    "instance_hd95",
    "instance_iou",
    "instance_masd",
    "instance_nsd",
]

MATCHED, ALL = 0.0, 1.0
OVER = Parameter(
    "over",
    MATCHED,
    "what the mean is over: matched pairs, or all objects, with missed ones and false "
    "positives at the worst value",
    words=(("matched", MATCHED), ("all", ALL)),
    choices=(MATCHED, ALL),
)
PENALTY = Parameter(
    "penalty",
    None,
    "distance that a missed object or a false positive counts; must be given with over=all",
    at_least=0,
    unit="mm",
    optional=True,
)


@frozen
class PairSums:
    """The sum of a metric over matched pairs, and how many count, by class and image."""

    # Of pairs.
    measured: Measured
    # What an object counts that is missed or made up; None: it is left out.
    instead: float | None

    def __call__(self, matches: MatchLists) -> Array:
        """Both, (2, C, n)."""
        tp, fn, fp = pairs(matches)
        matched = matches.outcome[0] == Outcome.TRUE_POSITIVE
        values = np.where(matched, matches.measured[self.measured][0], 0.0)
        _refuse_infinite(self.measured.metric, values, matches)
        total = by_class_and_image(matches, values)
        if self.instead is None:
            return np.stack([total, tp])
        return np.stack([total + (fn + fp) * self.instead, tp + fn + fp])

    def unmatched(self, matches: MatchLists) -> Array:
        """References in no pair, and false positives, (2, C, n)."""
        return pairs(matches)[1:]

    def notes(self, matches: MatchLists) -> tuple[str, ...]:
        """What is left out, or counts as the worst."""
        tp, fn, fp = (int(each.sum()) for each in pairs(matches))
        if not fn and not fp:
            return ()
        rest = f"{counted(fn, 'missed object')} and {counted(fp, 'false positive')}"
        if self.instead is None:
            return (f"of {counted(tp, 'matched pair')}; {rest} are left out",)
        return (f"{rest} count as {self.instead:g}",)


def _refuse_infinite(metric: str, values: Array, matches: MatchLists) -> None:
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        place = int(wrong[0])
        raise DataError(
            f"{metric} of detection {matches.detection[place] + 1} in image "
            f"{matches.images[matches.image[place]]!r} is not finite: one of the masks is empty"
        )


def _form(mask_metric: MaskMetric, mean: Mean, /, **options: float) -> ImageSums:
    over, penalty = options.pop("over", MATCHED), options.pop("penalty", None)
    distance, name = is_distance(mask_metric), mean.__name__
    if over == ALL and distance and penalty is None:
        raise OptionError(
            f"{name}: over=all needs the distance that a missed object counts: "
            f"{name}:over=all,penalty=VALUE"
        )
    if over == MATCHED and penalty is not None:
        raise OptionError(f"{name}: penalty={penalty:g} has no effect without over=all")
    needed = measured("pairs", mask_metric, options)
    worst = penalty if distance else 0.0
    sums = PairSums(needed, worst if over == ALL else None)
    weights = (1.0, 0.0), (0.0, 1.0)
    return ImageSums(sums, OfSums(mean), weights, (needed,), notes=sums.notes)


_OF_PAIRS = MeanOf(
    total="Sum over images of the values of matched pairs, and of what others count.",
    number="How many count.",
    undefined="nothing counts",
    form=_form,
)
FOUND_ALONE = (
    "covers matched objects only, unless `over=all`: a detector that finds only the easy ones "
    "scores better"
)
_OVER_OBJECTS = """

Over images, of objects and not of images: an image with many objects weighs more. Which objects
match is the business of localisation and assignment; with ``over=all`` those missed and those
made up count """


def _mean(
    mask_metric: MaskMetric, summary: str, *parameters: Parameter, source: str, **more: Any
) -> Mean:
    """Declare the mean of a metric of masks over matched pairs."""
    distance = is_distance(mask_metric)
    spec = spec_of(mask_metric)
    return _OF_PAIRS.declare(
        mask_metric,
        f"instance_{spec.name}",
        f"{summary}{_OVER_OBJECTS}{'the penalty' if distance else '0'}.",
        source=source,
        title=f"instance {spec.display}",
        class_needs=ClassNeed.MATCHES,
        parameters=(*parameters, OVER, *((PENALTY,) if distance else ())),
        cite=spec.cite,
        pitfalls=(*(one for one in spec.pitfalls if one not in OF_WHOLE_MASKS), FOUND_ALONE),
        **more,
    )


instance_dsc = _mean(
    dsc,
    "Mean DSC of the masks of matched objects; in [0, 1].",
    source="Dice (1945)",
    synonyms=("instance_dice",),
)
instance_iou = _mean(
    iou,
    "Mean IoU of the masks of matched objects, `sq` where these are above 0.5; in [0, 1].",
    source="Jaccard (1912)",
)
instance_nsd = _mean(
    nsd,
    "Mean NSD of the masks of matched objects, at a tolerance in mm; in [0, 1].",
    TOLERANCE,
    OF_SURFACES,
    UNIT,
    source="Nikolov et al. (2021)",
)
instance_hd95 = _mean(
    hd95,
    "Mean HD95 of the masks of matched objects, in mm; lower is better.",
    OF_HAUSDORFF,
    UNIT,
    source="Huttenlocher et al. (1993)",
)
instance_assd = _mean(
    assd,
    "Mean ASSD of the masks of matched objects, in mm; lower is better.",
    OF_SURFACES,
    UNIT,
    source="Maier-Hein et al. (2024)",
)
instance_masd = _mean(
    masd,
    "Mean MASD of the masks of matched objects, which some call ASSD, in mm; lower is better.",
    OF_SURFACES,
    UNIT,
    source="Maier-Hein et al. (2024)",
)

# The catalogue lists these, in this order.
DECLARED = (
    instance_dsc,
    instance_iou,
    instance_nsd,
    instance_hd95,
    instance_assd,
    instance_masd,
)
