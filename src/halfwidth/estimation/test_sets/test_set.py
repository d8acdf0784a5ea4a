"""A checked test set: classes as codes, scores on one scale, clusters and strata."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Scores
from halfwidth.estimation.functionals import Classes
from halfwidth.estimation.test_sets.class_labels import (
    Codes,
)


@frozen
class TestSet:
    """Cases of a test set, those kept, in the order given; arrays of cases are (n,)."""

    __test__ = False  # not a class of tests

    # The classes; a code is a place in it. Empty for a regression.
    labels: tuple[Any, ...]
    truth: NDArray[Any]
    # What was given for predictions, (k, n): scores as they are, codes of labels, or numbers.
    rows: NDArray[Any]
    # Where labels were given for predictions, or scores become decisions.
    predicted: Codes | None = None
    # Of each class, (C, n), where scores were given.
    scores: Array | None = None
    # Code of the positive class; None where nothing says which it is.
    positive: int | None = None
    # Of the positive class's score, where one made the decisions; of logits a probability.
    threshold: float | None = None
    # What the scores are; of logits they are on the logit scale.
    scale: Scores = "auto"
    # Whether labels were given for predictions.
    hard: bool = False
    # How far the scores of a case, said or taken to be probabilities, miss a sum of 1.
    rows_miss_one: float = 0.0
    weights: Array | None = None
    groups: Codes | None = None
    strata: Codes | None = None
    n_missing: int = 0
    # Of several models: which of them lack which of the cases, (models, cases).
    absent: NDArray[np.bool_] | None = None
    # Whether it is a regression: ``truth`` are numbers.
    numbers: bool = False
    notes: tuple[str, ...] = field(default=())
    # What the labels of the cases give reason to doubt.
    cautions: tuple[Caution, ...] = ()
    # Which of the cases given these are.
    kept: NDArray[np.bool_] | None = None
    # Which case each is, the same number for every model that is compared.
    identities: Codes | None = None
    # Whether all that is compared has these true classes; raters are each other's.
    shares_truth: bool = True

    @property
    def n_effective(self) -> float | None:
        """How many cases of equal weight these are worth (Kish); None without weights."""
        w = self.weights
        return None if w is None else float(w.sum() ** 2 / (w**2).sum())

    @property
    def n(self) -> int:
        """Cases."""
        return len(self.truth)

    @property
    def classes(self) -> Classes:
        """Its classes, and which is positive."""
        return Classes(self.labels, self.positive)

    @property
    def n_classes(self) -> int:
        """Classes."""
        return len(self.labels)

    def score_rows(self) -> Array:
        """Scores of each class, (C, n); of labels, 1 for the class predicted and 0 for others."""
        if self.scores is not None:
            return self.scores
        if self.predicted is None:
            raise TypeError("a regression has no scores of classes")
        return np.asarray(self.predicted == np.arange(self.n_classes)[:, None], dtype=float)

    @property
    def logits(self) -> bool:
        """Whether scores are on the logit scale."""
        return self.scale == "logits"

    def probability_rows(self) -> Array:
        """Probabilities of each class, (C, n), where the scores are that or logits."""
        from scipy import special

        rows = self.score_rows()
        return np.asarray(special.expit(rows)) if self.logits else rows

    def class_sizes(self) -> NDArray[np.intp]:
        """Cases of each class."""
        return np.bincount(self.truth, minlength=self.n_classes)


@frozen
class Decisions:
    """How scores are to be read and become decisions."""

    kind: Scores
    # None for the default, or where it is chosen on the data.
    threshold: float | None
    # Whether a metric needs decisions.
    needed: bool
    # Whether the threshold is chosen on the data.
    tuned: bool
