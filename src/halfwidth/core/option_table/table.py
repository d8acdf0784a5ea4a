"""The options of all verbs, kinds of data and doors: each declared once.

From here come the parameters in the docstrings of public functions (`tools/options.py` writes
them), the options of the command line with their help, the words that checks allow, what an option
is called at each door, and which kinds of data it has an effect on. Texts are written as in
docstrings; the command line takes their marks out (`halfwidth.cli.option_groups.as_typed`).
"""

from __future__ import annotations

from typing import Final

from halfwidth.core.option_table.data import DATA, MATCHING, READINGS, TEST_SETS
from halfwidth.core.option_table.files import FILES_OF_DETECTIONS, MASKS
from halfwidth.core.option_table.inference import (
    COMPARISON,
    INTERVAL,
    OF_RESULTS,
    QUANTITIES,
    RUNS,
)
from halfwidth.core.option_table.option import Option
from halfwidth.core.option_table.planning import PLANNING

# The short doors take data and inference together: of one sample, what its kind is told.
_SHORT_DOORS = {
    **dict.fromkeys(
        ("check.metric", "difference_ci.metric", "limits_of_agreement.metric", "summary_ci.metric"),
        DATA["from_arrays.metric"],
    ),
    "metric_ci.missing": DATA["Predictions.missing"],
    "proportion_ci.method": Option(
        '``"wilson"`` (which ``"auto"`` takes), ``"clopper_pearson"``, ``"jeffreys"``, '
        '``"agresti_coull"``, ``"wald"``, or a bootstrap, whose distribution is binomial and needs '
        "no draws.",
        default="auto",
    ),
    "difference_ci.missing": Option(
        'What a missing value means; ``"omit"`` leaves out a case that misses either value.',
        default="raise",
        choices=("raise", "omit", "worst"),
    ),
}
# What only their names tell from those of the command line or of a spec.
_NAMES = {
    "raters": Option(flag="--rater"),
    "from_pairs.groups": DATA["from_table.groups"],
    "from_pairs.strata": DATA["from_table.strata"],
    "match_detections.model": Option(
        "The detector that is meant, where the data are of several.",
        type="str, optional",
        default=None,
    ),
    "other": Option(elsewhere="b values2 second"),
    "frame": Option(elsewhere="df data table"),
    "successes": Option(elsewhere="count k x"),
    "n": Option(elsewhere="nobs total trials"),
    "values": Option(flag="--value", elsewhere="value x a data sample samples columns column"),
    "study.draws": Option(flag="--lilliefors"),
    "study.target": Option(flag="--coverage"),
}

# Once options of their own: what says the same.
SAID_BY: Final = {
    "absent_model": ("combine", "mean_rank:absent_model=last"),
    "simultaneous": ("correction", "none"),
    "test": ("scheme", "test_then_rank:test=wilcoxon"),
    "ties": ("scheme", "rank_then_aggregate:ties=average"),
    "unmatched": ("pairing", "common"),
    "unpaired": ("pairing", "none"),
}

# No options of verbs, and why none is needed.
NOT_NEEDED: Final = {
    "keep_cases": "results always keep the values of their cases: comparisons.cases",
    **dict.fromkeys(
        ("label", "model_names", "names"),
        "models are named by the keys of what is given: {'A': ..., 'B': ...}",
    ),
}

OPTIONS: Final[dict[str, Option]] = {
    **QUANTITIES,
    **COMPARISON,
    **INTERVAL,
    **DATA,
    **TEST_SETS,
    **MATCHING,
    **READINGS,
    **FILES_OF_DETECTIONS,
    **MASKS,
    **RUNS,
    **OF_RESULTS,
    **PLANNING,
    **_SHORT_DOORS,
    **_NAMES,
}


def option_of(name: str, door: str = "") -> Option:
    """An option, as a door has it: that of the door before that of all."""
    kind, _, constructor = door.partition(".")
    at = (f"{door}.{name}", f"{constructor}.{name}", f"{kind}.{name}")
    return next((OPTIONS[one] for one in at if one in OPTIONS), None) or OPTIONS[name]
