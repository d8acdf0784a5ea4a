"""Kinds of data: what verbs ask of each, as functions of one module a kind."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol, Self, cast

from halfwidth.core.branches import brought
from halfwidth.core.option_table.option import DataKind
from halfwidth.data.families import Pairing
from halfwidth.estimation.resolve import Request
from halfwidth.measuring.jobs import JobsOfCases
from halfwidth.measuring.plans import Comparable, Matched
from halfwidth.measuring.quantities import Quantities
from halfwidth.results.curves import SeveralCurves

OF_THE_TRUNK = {
    DataKind.VALUES: "halfwidth.measuring.case_values",
    DataKind.RUNS: "halfwidth.measuring.case_values",
    DataKind.PREDICTIONS: "halfwidth.measuring.predictions",
    DataKind.LABELS: "halfwidth.measuring.readings",
    DataKind.PAIRS: "halfwidth.measuring.readings",
}


class DataOfModels(Protocol):
    """Data of one model or of several, as all verbs take them."""

    @property
    def kind(self) -> DataKind:
        """Which kind of data they are."""

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models; none where nothing tells them."""

    @property
    def pairing(self) -> Pairing:
        """Which cases of several models are compared."""

    def taking(self, names: Collection[str]) -> Self:
        """The data of some models."""


class Kind(Protocol):
    """A module of functions of one kind of data; what a kind does not have, its module lacks."""

    def request(self, data: Any, /, **inference: Any) -> Request:
        """What all estimates of a verb share: the policies of the data, and its inference."""

    def jobs(
        self, data: Any, quantities: Quantities, /, **inference: Any
    ) -> tuple[JobsOfCases, Request]:
        """What is estimated of each model, and the request of its estimates."""

    def families(
        self, data: Any, quantities: Quantities, how: Matched, /
    ) -> tuple[Sequence[Comparable], list[str]]:
        """The models of each level and metric, to be measured, and notes on what was read."""

    # The class of these data.
    DATA: type
    # Whether models are matched as they are read, which takes long: they are checked before.
    MATCHED_WHEN_READ: bool
    # The kinds of curves that these data have, and what draws their points.
    CURVES: tuple[str, ...]

    def curves(
        self, data: Any, kind: str, average: Any, band: str, inference: Mapping[str, Any], /
    ) -> SeveralCurves[Any]:
        """The curves of each model, with their bands."""


def is_data(given: Any) -> bool:
    """Whether something is data of some kind, rather than arrays or tables."""
    return isinstance(getattr(given, "kind", None), DataKind)


def kind_of(data: Any) -> Kind:
    """The functions of a kind of data."""
    return module_of(data.kind)


def module_of(kind: DataKind) -> Kind:
    """The module of functions of a kind of data."""
    return cast("Kind", importlib.import_module(_modules()[kind]))


def data_with_curve(kind: str) -> DataKind | None:
    """The kind of data that has a kind of curve."""
    for data_kind, module in _modules().items():
        if kind in getattr(importlib.import_module(module), "CURVES", ()):
            return data_kind
    return None


def classes_of_models() -> tuple[type, ...]:
    """The classes of data of models, as all verbs take them."""
    kinds = [DataKind.VALUES, DataKind.PREDICTIONS, *(kind for kind, _ in brought("KIND"))]
    return tuple(importlib.import_module(_modules()[kind]).DATA for kind in kinds)


@functools.cache
def _modules() -> dict[DataKind, str]:
    return OF_THE_TRUNK | dict(brought("KIND"))
