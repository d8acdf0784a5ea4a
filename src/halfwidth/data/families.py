"""What is compared: the cases of two or more models, as given, and then as measured."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import DataError, OptionError, UnknownNameError, quoted, shortened, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Metric
from halfwidth.metrics.names import CustomMetric

Identity = Hashable
# Which cases of several models are compared: all, those that each model has, or its own.
Pairing = Literal["complete", "common", "none"]
# What belongs to a case, whatever the model.
OF_CASES = ("target", "groups", "strata", "weights")


@frozen(eq=False)
class ModelCases:
    """What is known of the cases of one model, a row for each, as given."""

    name: str
    # Values of cases, or what was predicted for them: array-likes of shape (n,) or (n, C).
    predictions: Any
    # Which case each row is; None where only its place says so.
    identities: tuple[Identity, ...] | None = None
    # True classes or numbers, for metrics of a test set.
    target: Any = None
    groups: Any = None
    strata: Any = None
    weights: Any = None
    cautions: tuple[Caution, ...] = ()
    # Cases, or their rows, left out because the metric does not apply to them.
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
        columns = {name: take(getattr(self, name), places) for name in ("predictions", *OF_CASES)}
        return replace(
            self,
            identities=None if identities is None else tuple(identities[i] for i in places),
            **columns,
        )


@frozen(eq=False)
class Arrays:
    """Cases of one model, without a name, or of several."""

    cases: tuple[ModelCases, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """Their names; none where nothing tells them."""
        return tuple(one.name for one in self.cases if one.name)

    def taking(self, names: Collection[str]) -> Self:
        """The cases of some models."""
        return replace(self, cases=tuple(one for one in self.cases if one.name in names))


@frozen(eq=False)
class Family:
    """Models that are compared with each other on one metric, within some levels of columns."""

    models: tuple[ModelCases, ...]
    metric: Metric | CustomMetric
    label: str = ""
    by: Mapping[str, Any] = field(default_factory=dict)
    # Cases left out because some models lack them.
    n_unmatched: int = 0

    @property
    def place(self) -> str:
        """Where it is, at the beginning of a message."""
        return f"{self.label}: " if self.label else ""


def named(identity: Identity) -> str:
    """An identity in a message: ``patient 3 / lesion 1`` where it has parts."""
    parts = identity if isinstance(identity, tuple) else (identity,)
    return " / ".join(str(part) for part in parts)


def check_names_differ(names: Iterable[Any]) -> None:
    """Refuse models whose names read the same."""
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        raise DataError(f"models {quoted(sorted(texts))} have names that read the same")


def known_models(names: Iterable[Any], models: Sequence[str]) -> tuple[str, ...]:
    """Names of models, as texts; an error for one that the data have not."""
    texts = tuple(str(name) for name in names)
    if texts and not models:
        raise OptionError(f"nothing names models in these data, and {quoted(texts)} is asked for")
    for name in texts:
        if name not in models:
            raise UnknownNameError("model", name, models)
    return texts


@contextlib.contextmanager
def naming(model: str) -> Iterator[None]:
    """Say which of several models has data that cannot be used."""
    try:
        yield
    except DataError as error:
        raise DataError(f"{model}: {error}") from None


def shown_data(kind: str, models: Sequence[str], **options: Any) -> str:
    """Data in one line: of which models they are, and with which options.

    >>> shown_data("CaseValues", ("A", "B"), metric="dsc"), shown_data("Predictions", ())
    ("CaseValues(A, B; metric='dsc')", 'Predictions(one model)')
    """
    named = shortened(list(models), 6) if models else "one model"
    texts = [f"{name}={shown(one)}" for name, one in options.items() if one is not None]
    return f"{kind}({'; '.join(filter(None, [named, ', '.join(texts)]))})"


def take(values: Any, places: NDArray[np.intp]) -> Any:
    """Some rows, in an object of the same kind; labels of rows are left behind."""
    if values is None:
        return None
    if hasattr(values, "iloc"):
        return values.iloc[places].reset_index(drop=True)
    if isinstance(values, list | tuple):
        return [values[place] for place in places.tolist()]
    return values[places]
