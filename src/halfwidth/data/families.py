"""What is compared: the cases of two or more models, as given, and then as measured."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import DataError, shortened, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array
from halfwidth.estimation.functionals import CustomMetric
from halfwidth.estimation.pipeline import Job
from halfwidth.results.comparison import ComparedCases

Identity = Hashable


@frozen(eq=False)
class ModelCases:
    """What is known of the cases of one model, a row for each, as given.

    Attributes
    ----------
    name : str
    predictions : array-like, shape (n,) or (n, C)
        Values of cases, or what was predicted for them.
    identities : tuple or None
        Which case each row is; None where only its place says so.
    target : array-like or None
        True classes or numbers, for metrics of a test set.
    groups, strata, weights : array-like or None
    cautions : tuple of Caution
        What the table gives reason to doubt.
    not_applicable : tuple
        Cases, or their rows, left out because the metric does not apply to them.
    """

    name: str
    predictions: Any
    identities: tuple[Identity, ...] | None = None
    target: Any = None
    groups: Any = None
    strata: Any = None
    weights: Any = None
    cautions: tuple[Caution, ...] = ()
    not_applicable: tuple[Identity, ...] = ()

    def __len__(self) -> int:
        return len(self.predictions)

    @property
    def case_names(self) -> Sequence[str] | None:
        """What messages call the cases; None where their places do."""
        if self.identities is None:
            return None
        return [named(identity) for identity in self.identities]

    def rows(self, places: NDArray[np.intp]) -> ModelCases:
        """Some of the rows, in the order of their places."""
        identities = self.identities
        return replace(
            self,
            predictions=take(self.predictions, places),
            identities=None if identities is None else tuple(identities[i] for i in places),
            target=take(self.target, places),
            groups=take(self.groups, places),
            strata=take(self.strata, places),
            weights=take(self.weights, places),
        )


@frozen(eq=False)
class Family:
    """Models that are compared with each other on one metric, within some levels of columns.

    Attributes
    ----------
    models : tuple of ModelCases
    metric : Metric or CustomMetric
    label : str
    by : mapping
        The levels within which they are compared.
    n_unmatched : int
        Cases left out because they were not there for all models.
    """

    models: tuple[ModelCases, ...]
    metric: Metric | CustomMetric
    label: str = ""
    by: Mapping[str, Any] = field(default_factory=dict)
    n_unmatched: int = 0

    @property
    def place(self) -> str:
        """Where it is, at the beginning of a message."""
        return f"{self.label}: " if self.label else ""


@frozen(eq=False)
class MeasuredFamily:
    """A family of which each model has become a job: a functional of its records.

    Where models are paired, the records of all are of the same cases in the same order.

    Attributes
    ----------
    jobs : mapping of str to Job
        By the name of the model.
    label : str
    by : mapping
    n_unmatched : int
    values : mapping of str to ndarray
        The values of the cases that count, where cases have values.
    groups : tuple or None
        The cluster of each of these cases.
    paired : bool
        Whether they are the same for all models.
    n_shared : int
        Cases that unpaired models share all the same.
    n_missing : mapping of str to int
        By the name of the model, how many cases have no value of it.
    lacking : mapping of str to ndarray of bool
        Where cases without a value are kept, which of the records these are.
    policies : mapping of str to MeasuredFamily
        The family under each policy for missing values.
    """

    jobs: Mapping[str, Job]
    label: str = ""
    by: Mapping[str, Any] = field(default_factory=dict)
    n_unmatched: int = 0
    values: Mapping[str, Array] = field(default_factory=dict)
    groups: tuple[Any, ...] | None = None
    paired: bool = True
    n_shared: int = 0
    n_missing: Mapping[str, int] = field(default_factory=dict)
    lacking: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    policies: Mapping[str, MeasuredFamily] = field(default_factory=dict)

    @property
    def cases(self) -> ComparedCases:
        """The values behind the results, for those who ask for them."""
        job = next(iter(self.jobs.values()))
        return ComparedCases(self.values, job.functional.metric, self.by, self.groups, self.label)


def named(identity: Identity) -> str:
    """An identity in a message: ``patient 3 / lesion 1`` where it has parts."""
    parts = identity if isinstance(identity, tuple) else (identity,)
    return " / ".join(str(part) for part in parts)


@contextlib.contextmanager
def naming(model: str) -> Iterator[None]:
    """Say which of several models has data that cannot be used."""
    try:
        yield
    except DataError as error:
        raise DataError(f"{model}: {error}") from None


def shown_data(kind: str, models: Sequence[str], **options: Any) -> str:
    """Data in one line: of which models they are, and what else was said.

    >>> shown_data("CaseValues", ("A", "B"), metric="dsc"), shown_data("Predictions", ())
    ("CaseValues(A, B; metric='dsc')", 'Predictions(one model)')
    """
    said = ", ".join(f"{name}={shown(one)}" for name, one in options.items() if one is not None)
    named = shortened(list(models), 6) if models else "one model"
    return f"{kind}({'; '.join(filter(None, [named, said]))})"


def take(values: Any, places: NDArray[np.intp]) -> Any:
    """Some rows, in an object of the same kind; labels of rows are left behind."""
    if values is None:
        return None
    if hasattr(values, "iloc"):
        return values.iloc[places].reset_index(drop=True)
    if isinstance(values, list | tuple):
        return [values[place] for place in places.tolist()]
    return values[places]
