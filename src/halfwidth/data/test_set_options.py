"""How labels and scores of test sets are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Scores
from halfwidth.core.undefined import AbsentClass, Undefined


@frozen(eq=False)
class TestSetOptions:
    """How labels and scores are to be read, and what is undefined; as `metric_ci` takes them."""

    __test__ = False  # not a class of tests

    labels: Sequence[Any] | None = None
    pos_label: Any = None
    scores: Scores = "auto"
    threshold: Any = None
    absent_class: AbsentClass = "omit"
    undefined: Undefined = "omit"
