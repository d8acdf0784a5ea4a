"""Cautions about training runs and their quantiles (HW7xx)."""

from __future__ import annotations

from halfwidth.core.caution_spec import CautionSpec
from halfwidth.core.option_names import spelled_both

DECLARED: tuple[CautionSpec, ...] = (
    CautionSpec(
        "HW701",
        "high level for few runs",
        "{level} of {n}: up to 25 runs a level above 90 % buys long intervals.",
        "Between the few order statistics of a small sample, a higher level reaches for the "
        "extremes: intervals grow to the size of the whole distribution and say little.",
        f"Ask for 90 % ({spelled_both('confidence_level', 0.9)}), or make more runs.",
        "lehmann2025",
    ),
    CautionSpec(
        "HW702",
        "extreme quantile for so few runs",
        "{n}: too few for the {quantile:g} quantile; some {needed} would do.",
        "A quantile is known by the runs beyond it. Ten runs reach the quartiles, 15 to 25 the "
        "outer tenths; further out, intervals are open on one side.",
        "Make more runs (halfwidth plan runs), or look at a quantile nearer to the middle.",
        "lehmann2025",
    ),
    CautionSpec(
        "HW703",
        "several quantiles at once",
        "{count} intervals of {level} each: that all hold at once is less likely.",
        "Each interval misses in a share of samples; the more intervals, the more often one of "
        "them misses.",
        f"Ask for simultaneous intervals ({spelled_both('simultaneous', True)}), or name one "
        "quantile beforehand.",
        "lehmann2025",
    ),
    CautionSpec(
        "HW704",
        "more than one thing varies",
        "Runs differ in {columns}: more than one source of variation, or several pooled.",
        "Intervals suppose independent runs of one procedure in which one source of variation "
        "changes. Where settings change as well, or several seeds at once, the spread is that of a "
        "mixture and cannot be laid at any one door.",
        f"Estimate sources apart ({spelled_both('by')}), or vary one seed and hold the rest.",
        "lehmann2025",
    ),
    CautionSpec(
        "HW705",
        "runs that did not finish",
        "{count} of {total} runs did not finish and are left out: {names}.",
        "Runs crash for reasons that may have to do with their metric: divergence, memory, time. "
        "What is left then looks better than the procedure is.",
        "Say why they failed. Where failing is an outcome, give these runs the value that it is "
        "worth and leave the column of states out.",
    ),
    CautionSpec(
        "HW706",
        "repeated runs",
        "{repeated} of {total} runs repeat an earlier one: seed or name, and value.",
        "A run made twice with the same seed is one run. Counted twice it makes intervals too "
        "short.",
        "Leave the copies out, or find out why the seed does not change the run.",
    ),
    CautionSpec(
        "HW707",
        "runs that are all alike",
        "All {n} give {value:g}: nothing varies.",
        "A seed that is not used, a cached result or a metric of few digits makes runs equal. The "
        "interval has no width, and hides what was not varied.",
        "Check that the seed reaches the source of variation, and the digits that were written.",
    ),
)
