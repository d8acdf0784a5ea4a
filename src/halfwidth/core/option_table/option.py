"""An option: what it means, what it may be, and where it is given."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, NamedTuple


class Group(StrEnum):
    """The headings under which a help lists options, in this order."""

    ARGUMENTS = "Arguments"
    INPUT = "Input"
    DETECTIONS = "Files of detections"
    PUBLISHED = "Published numbers"
    MASKS = "Masks"
    ESTIMATE = "What to estimate"
    MATCHING = "How detections are matched"
    COMPARISON = "Comparison"
    ASSUMED = "What is assumed"
    GOAL = "Width or number of cases"
    INTERVAL = "Interval"
    DESIGN = "Design"
    TEST_SETS = "Metrics of a whole test set"
    RATERS = "A model against raters"
    CELLS = "Which cells of the study"
    PARTS = "Options of a part (--what)"
    RUNNING = "Running"
    OUTPUT = "Output"
    OPTIONS = "Options"


class DataKind(StrEnum):
    """The kinds of data, as messages call them."""

    VALUES = "values of cases"
    RUNS = "values of training runs"
    PREDICTIONS = "predictions"
    DETECTIONS = "detections"
    LABELS = "labels of readers"
    PAIRS = "values of pairs of readers"


class _Required:
    """The default of an option that has to be given."""

    def __repr__(self) -> str:
        return "required"


REQUIRED: Final = _Required()


class Option(NamedTuple):
    """An option: what it means, what it may be, and where it is given."""

    # In a sentence or two, at every door.
    meaning: str = ""
    # What the reference says further, where the option is at home.
    more: str = ""
    # As numpydoc writes it; empty where the choices or the default say it.
    type: str = ""
    default: Any = REQUIRED
    # The words that it may be.
    choices: tuple[str, ...] = ()
    # What the command line calls its value.
    metavar: str = ""
    # The heading under which a help lists it.
    group: Group = Group.OPTIONS
    # The kinds of data on which it has an effect; empty for all.
    kinds: tuple[DataKind, ...] = ()
    # On the command line; where empty, the name with hyphens and ``--no-`` before that.
    flag: str = ""
    off: str = ""
    # In the spec of a study; where empty, the name.
    key: str = ""
    # What users of scikit-learn, SciPy, statsmodels and R write.
    elsewhere: str = ""
