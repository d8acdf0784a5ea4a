"""An estimate of a detector, which names how its detections were matched with the references."""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any

from halfwidth.core.frozen import frozen
from halfwidth.detection.matching.match_lists import MatchingRule
from halfwidth.detection.matching.words import matching_parameters
from halfwidth.results.estimate import Estimate


@frozen(repr=False)
class DetectionEstimate(Estimate):
    """A metric of detections with its confidence interval; ``n`` counts images.

    Attributes
    ----------
    matching : MatchingRule
        Localisation, assignment, threshold: without them the number has no meaning.
    matched_by : str
        The same in prose, parts with commas between them: ``box IoU ≥ 0.5, greedy by score``.
    n_empty : int
        Images without an object to be found, of the classes that the estimate is of.
    n_objects, n_detections : int
        Objects to be found and detections, of those classes.
    """

    matching: MatchingRule = field(default_factory=MatchingRule)
    matched_by: str = ""
    n_empty: int = 0
    n_objects: int = 0
    n_detections: int = 0

    @classmethod
    def from_estimate(cls, estimate: Estimate, **more: Any) -> DetectionEstimate:
        """An estimate with what is known of its detections."""
        known = {one.name: getattr(estimate, one.name) for one in fields(Estimate)}
        return cls(**known, **more)

    @property
    def case_noun(self) -> str:
        """What ``n`` counts one of."""
        return "image"

    @property
    def n_text(self) -> str:
        """How many images, in how many clusters: ``n = 98 images in 40 clusters``."""
        counted = f"n = {self.n}"
        images = f"{counted} {self.case_noun}{'' if self.n == 1 else 's'}"
        return super().n_text.replace(counted, images, 1)

    @property
    def basis_text(self) -> str:
        """What it rests on: how detections were matched, and on how many images."""
        return f"{self.matched_by}; {self.n_text}"

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract; the choices of the matching stand among the parameters."""
        contract = super().to_dict()
        contract["parameters"] |= matching_parameters(self.matching)
        counts = {name: getattr(self, name) for name in ("n_empty", "n_objects", "n_detections")}
        return contract | counts

    def to_row(self) -> dict[str, Any]:
        """A flat row: parameters as text, those of the matching behind those of the metric."""
        row = super().to_row()
        chosen = matching_parameters(self.matching)
        texts = [row["parameters"], *(f"{name}={_text(value)}" for name, value in chosen.items())]
        row["parameters"] = "; ".join(filter(None, texts))
        return row


def _text(value: Any) -> str:
    """A parameter in a cell: lists with commas between their numbers."""
    if isinstance(value, list):
        return ",".join("inf" if one is None else f"{one:g}" for one in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
