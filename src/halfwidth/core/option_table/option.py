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


class Kind(StrEnum):
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
    """An option: what it means, what it may be, and where it is given.

    Attributes
    ----------
    meaning : str
        In a sentence or two, at every door.
    more : str
        What the reference says further, where the option is at home.
    type : str
        As numpydoc writes it; empty where the choices or the default say it.
    default : object
    choices : tuple of str
        The words that it may be.
    metavar : str
        What the command line calls its value.
    group : Group
        The heading under which a help lists it.
    kinds : tuple of Kind
        The kinds of data on which it has an effect; empty for all.
    flag, off : str
        On the command line; where empty, the name with hyphens and ``--no-`` before that.
    key : str
        In the spec of a study; where empty, the name.
    elsewhere : str
        What users of scikit-learn, SciPy, statsmodels and R write.
    """

    meaning: str = ""
    more: str = ""
    type: str = ""
    default: Any = REQUIRED
    choices: tuple[str, ...] = ()
    metavar: str = ""
    group: Group = Group.OPTIONS
    kinds: tuple[Kind, ...] = ()
    flag: str = ""
    off: str = ""
    key: str = ""
    elsewhere: str = ""
