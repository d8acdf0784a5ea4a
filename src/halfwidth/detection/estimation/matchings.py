"""How detections are to be matched: what users choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from halfwidth.core.catalogue import Catalogue, N
from halfwidth.core.checks import as_count, as_flag, as_list, as_number, one_of
from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.option_table.table import option_of
from halfwidth.detection.estimation.thresholds import (
    parse_areas,
    parse_thresholds,
)
from halfwidth.detection.matching.match_lists import Admits, MatchingRule
from halfwidth.detection.metrics.all_criteria import ASSIGNMENTS, LOCALISATIONS

# The words for what admits a match, as they can be typed.
ADMITS = {
    "at_least": Admits.AT_LEAST,
    "above": Admits.ABOVE,
    "at_most": Admits.AT_MOST,
    "below": Admits.BELOW,
    ">=": Admits.AT_LEAST,
    "<=": Admits.AT_MOST,
    **{str(one): one for one in Admits},
}
DUPLICATES = ("false_positive", "ignored")


@frozen(repr=False)
class Matching:
    """How detections are matched with references: one value, for every verb over `Detections`.

    What is not said is as it is usual for the objects at hand. A mapping will do where a function
    takes a matching: ``matching={"threshold": 0.3}``.

    Parameters
    ----------
    localisation : str, optional
        What a detection is matched by; default: ``"box_iou"`` where both sides have boxes, else
        what suits masks or points. ``halfwidth methods --localisation`` lists them.
    assignment : str, optional
        Which detection is whose; default: ``"greedy_by_score"``, or without scores
        ``"greedy_by_localisation"``; of pq, sq and rq ``"overlap_above_half"``.
    threshold : float, str or sequence of float, optional
        Of localisation: 0.5; 0.25,0.5; 0.5:0.95 in steps of 0.05, over which metrics are
        averaged; ``"coco"`` for the same. Default: 0.5 of an IoU.
    admits : {"at_least", "above", "at_most", "below"}, optional
        Whether the threshold itself will do; default: as the criterion is defined.
    score_threshold : float, optional
        Leave out detections of a lower score.
    max_detections : int, optional
        Of an image and a class look at so many with the highest scores; 100 in COCO.
    area : str, (low, high), or sequence of them, optional
        Only objects of this size: ``"small"`` (up to 32 x 32 pixels), ``"medium"``, ``"large"``
        (from 96 x 96), ``"all"``, or low and high in pixels or voxels.
    by_class : bool, default True
        Whether only objects of one class are matched with each other.
    duplicates : {"false_positive", "ignored"}, default "false_positive"
        What further detections of a found object are.
    boundary_distance : float, optional
        Width of the bands of ``boundary_iou``, in mm where the files have a spacing.
    dilation : int, optional
        How often ``lesionwise`` dilates references; default: 3.
    by_threshold : bool, default False
        A row for each threshold instead of their mean; default thresholds: 0.1 to 0.9.

    Raises
    ------
    OptionError, UnknownNameError
        For a value that is not allowed.

    Examples
    --------
    >>> import halfwidth as hw
    >>> hw.Matching("bbox", threshold="coco", max_detections=100)
    Matching(localisation='box_iou', threshold='coco', max_detections=100)
    >>> square = [10, 10, 50, 50]
    >>> data = hw.Detections.from_files(
    ...     [{"boxes": [[10, 10, 50, 40]], "labels": [1], "scores": [0.9]}] * 9,
    ...     [{"boxes": [square], "labels": [1]}] * 9,
    ...     matching={"threshold": 0.8},
    ... )
    >>> hw.estimate(data, metric="object_sensitivity")[0].value
    0.0
    """

    localisation: str | None = None
    assignment: str | None = None
    threshold: Any = None
    admits: str | None = None
    score_threshold: float | None = None
    max_detections: int | None = None
    area: Any = None
    by_class: bool = True
    duplicates: str = "false_positive"
    boundary_distance: float | None = None
    dilation: int | None = None
    by_threshold: bool = False

    def __post_init__(self) -> None:
        score = self.score_threshold
        settled = {
            "localisation": _named("localisation", self.localisation, LOCALISATIONS),
            "assignment": _named("assignment", self.assignment, ASSIGNMENTS),
            "threshold": _unchanging(self.threshold),
            "admits": _admits(self.admits),
            "score_threshold": None if score is None else as_number("score_threshold", score),
            "max_detections": _count("max_detections", self.max_detections, 1),
            "area": _unchanging(self.area),
            "by_class": as_flag("by_class", self.by_class),
            "duplicates": one_of("duplicates", self.duplicates, DUPLICATES),
            "boundary_distance": _distance(self.boundary_distance),
            "dilation": _count("dilation", self.dilation, 0),
            "by_threshold": as_flag("by_threshold", self.by_threshold),
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)
        parse_thresholds(self.threshold)
        parse_areas(self.area)

    def __repr__(self) -> str:
        options = (
            f"{one.name}={value!r}"
            for one in fields(self)
            if (value := getattr(self, one.name)) != one.default
        )
        return f"Matching({', '.join(options)})"


def as_matching(matching: Any) -> Matching:
    """The matching that is meant by one, by some of its options, or by the rule of a result."""
    if matching is None:
        return Matching()
    if isinstance(matching, MatchingRule):
        return matching_like(matching)
    if isinstance(matching, Mapping):
        names = [one.name for one in fields(Matching)]
        for name in matching:
            if name not in names:
                own = (one for one in names if name in option_of(one, "Matching").elsewhere.split())
                meant = next((f"It is called {one}." for one in own if isinstance(name, str)), "")
                raise UnknownNameError("option of a matching", name, names, hint=meant)
        return Matching(**matching)
    if not isinstance(matching, Matching):
        raise OptionError(
            f"{spelled('matching', matching)} is neither a Matching nor a mapping of its options "
            "such as {'threshold': 0.3}"
        )
    return matching


def matching_like(rule: MatchingRule) -> Matching:
    """The choices that make this rule of any objects."""
    in_lesions = ASSIGNMENTS[rule.assignment].function is None
    return Matching(
        rule.localisation,
        rule.assignment,
        rule.thresholds,
        str(rule.admits),
        rule.score_threshold,
        rule.max_detections,
        rule.area_range,
        rule.by_class,
        DUPLICATES[rule.duplicates_ignored],
        rule.boundary_distance,
        rule.dilation if in_lesions else None,
    )


def _unchanging(value: Any) -> Any:
    """Lists as tuples."""
    several = as_list(value)
    return value if several is None else tuple(map(_unchanging, several))


def _named(option: str, value: Any, catalogue: Catalogue[N]) -> str | None:
    """What a catalogue calls it; a part of several names, such as ``iou``, is told to be one."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise OptionError(f"{spelled(option, value)} is not a name")
    several = [name for name in catalogue.names if value.lower() in name.split("_")]
    if value not in catalogue and len(several) > 1:
        raise OptionError(
            f"{spelled(option, value)} may mean {', '.join(several[:-1])} or {several[-1]}; name "
            "one, or leave it out for the one that suits the objects"
        )
    return catalogue[value].name


def _admits(word: Any) -> str | None:
    if word is None:
        return None
    if not isinstance(word, str) or word.strip().lower() not in ADMITS:
        raise UnknownNameError(
            f"way to admit a match ({spelled('admits')})", word, list(ADMITS)[:4]
        )
    return word.strip().lower()


def _count(option: str, value: Any, least: int) -> int | None:
    if value is None:
        return None
    number = as_count(value)
    if number is None or number < least:
        raise OptionError(f"{spelled(option, value)} must be an integer ≥ {least}")
    return number


def _distance(value: Any) -> float | None:
    if value is None:
        return None
    number = as_number("boundary_distance", value)
    if number <= 0:
        raise OptionError(f"{spelled('boundary_distance', number)} is not above 0")
    return number
