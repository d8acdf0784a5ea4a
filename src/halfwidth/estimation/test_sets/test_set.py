"""A checked test set: classes as codes, scores on one scale, clusters and strata."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.estimation.functionals import Classes
from halfwidth.estimation.test_sets.class_labels import (
    Codes,
)
from halfwidth.estimation.test_sets.score_scales import (
    Scores,
)


@frozen
class TestSet:
    """Cases of a test set, those kept, in the order given.

    Attributes
    ----------
    labels : tuple
        The classes; a code is a place in it. Empty for a regression.
    truth : ndarray of int, shape (n,)
    predicted : ndarray of int, shape (n,), or None
        Where labels were given for predictions, or scores become decisions.
    scores : ndarray, shape (C, n), or None
        Of each class, where scores were given.
    given : ndarray, shape (k, n)
        What was given for predictions: scores as they are, or codes of labels, or numbers.
    positive : int or None
        Code of the positive class; None where nothing says which it is.
    threshold : float or None
        Of the positive class's score, where one made the decisions; of logits a probability.
    scale : str
        What the scores are; of logits they are on the logit scale.
    hard : bool
        Whether labels were given for predictions.
    rows_miss_one : float
        How far the scores of a case, said or taken to be probabilities, miss a sum of 1.
    weights : ndarray, shape (n,), or None
    groups, strata : ndarray of int, shape (n,), or None
    n_missing : int
    numbers : bool
        Whether it is a regression: ``truth`` are numbers.
    cautions : tuple of Caution
        What the labels of the cases give reason to doubt.
    kept : ndarray of bool or None
        Which of the cases given these are.
    identities : ndarray of int, shape (n,), or None
        Which case each is, the same number for every model that is compared.
    shares_truth : bool
        Whether all that is compared has these true classes; raters are each other's.
    """

    __test__ = False  # not a class of tests

    labels: tuple[Any, ...]
    truth: NDArray[Any]
    given: NDArray[Any]
    predicted: Codes | None = None
    scores: Array | None = None
    positive: int | None = None
    threshold: float | None = None
    scale: Scores = "auto"
    hard: bool = False
    rows_miss_one: float = 0.0
    weights: Array | None = None
    groups: Codes | None = None
    strata: Codes | None = None
    n_missing: int = 0
    numbers: bool = False
    notes: tuple[str, ...] = field(default=())
    cautions: tuple[Caution, ...] = ()
    kept: NDArray[np.bool_] | None = None
    identities: Codes | None = None
    shares_truth: bool = True

    @property
    def n_effective(self) -> float | None:
        """As many cases of equal weight as these weigh (Kish); None without weights."""
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
    """How scores are to be read and become decisions.

    Attributes
    ----------
    kind : str
    threshold : float or None
        None for the default, or where it is chosen on the data.
    needed : bool
        Whether a metric needs decisions.
    tuned : bool
        Whether the threshold is chosen on the data.
    """

    kind: Scores
    threshold: float | None
    needed: bool
    tuned: bool
