"""Cautions about comparisons of models (HW8xx)."""

from __future__ import annotations

from halfwidth.core.caution_spec import CautionSpec

COMPARISON_CAUTIONS: tuple[CautionSpec, ...] = (
    CautionSpec(
        "HW811",
        "too few units for the test",
        "{units} {noun} on which the models differ: no p-value of this test is below {least:.2g}.",
        "A permutation test counts ways in which the results of two models could have changed "
        "places. Few units have few such ways, and even the most extreme one is not rare.",
        "Read the interval of the difference; or collect more cases.",
    ),
    CautionSpec(
        "HW812",
        "metric undefined on permutations",
        "Undefined on {count} of {total} permutations, which count as no less extreme than what "
        "was observed.",
        "Where results change places, a model may be left without what the metric divides by. "
        "Leaving such permutations out could make the p-value too small; counting them so makes it "
        "too large instead.",
        "Say what undefined values count as (undefined='zero' or 'worst'), or compare by a metric "
        "that is defined for rare predictions.",
    ),
    CautionSpec(
        "HW813",
        "no test beside the interval",
        "No test of no difference: {reason}.",
        "The interval of the difference stands by itself: it excludes 0 where a test would reject.",
        "Read the interval.",
    ),
    CautionSpec(
        "HW815",
        "no standard error on resamples",
        "{share:.0%} of the resamples have no standard error of this difference, since the models "
        "differ in few cases: it has an interval of its own in place of max-t.",
        "Where two models agree in nearly all cases, many resamples hold none of those in which "
        "they differ. Such a difference would make the max-t intervals of all others infinitely "
        "long; in its place stands the interval of the difference alone, at the level that "
        "Bonferroni gives it.",
        "Nothing, if the models are meant to be alike; or collect more cases.",
    ),
)
