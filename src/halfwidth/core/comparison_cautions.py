"""Cautions about comparisons of models (HW8xx)."""

from __future__ import annotations

from halfwidth.core.caution_spec import CautionSpec
from halfwidth.core.option_names import spelled_both

DECLARED: tuple[CautionSpec, ...] = (
    CautionSpec(
        "HW801",
        "identical models",
        "{first} and {second} have the same {what} in every case: the same results twice?",
        "Two models that were trained apart hardly ever agree in every case to the last digit. "
        "Most often a file was copied, or both names point to the same predictions.",
        "Check where the results of either model come from.",
    ),
    CautionSpec(
        "HW802",
        "unmatched cases left out",
        "Left out, as not there for all models: {count} of {total} cases.",
        "A case that one model has no result for may be one on which it failed. Leaving it out for "
        "all flatters that model, and the comparison is of the other cases only.",
        "Say in the report how many cases were left out and why. Where no result means a failure, "
        "enter the case with a missing value and count it as the worst one "
        f"({spelled_both('missing', 'worst')}).",
        "maier_hein2024",
    ),
    CautionSpec(
        "HW803",
        "paired cases compared as unpaired",
        "The models share {shared} of their cases, and are compared as if they shared none.",
        "What makes a case hard makes it hard for most models. Compared case by case that cancels; "
        "taken for independent samples the same cases give an interval that is too long, and a "
        "true difference is missed.",
        f"Leave out the option that says otherwise ({spelled_both('pairing', 'none')}).",
        "delong1988",
    ),
    CautionSpec(
        "HW804",
        "different prevalences",
        "The {what} depends on the prevalence, and the share of class {label!r} is {first_share} "
        "for {first} and {second_share} for {second}.",
        "Predictive values, F1, MCC, kappa, accuracy and AP change with the share of the classes "
        "at the same error rates. Between test sets of different shares they compare the sets as "
        "much as the models.",
        "Compare on the same cases, or by sensitivity, specificity or AUROC; predictive values at "
        "the prevalence of the target population (ppv:prevalence=0.05).",
        "reinke2024",
    ),
    CautionSpec(
        "HW805",
        "several comparisons, each by itself",
        "{count} comparisons, and each interval holds by itself only: the verdicts together are "
        "less sure than {level}.",
        "With 95 % intervals, every twentieth comparison of equal models excludes 0 by chance. Of "
        "families of ten comparisons, four in ten hold such a one.",
        f"Leave out what asks for single intervals ({spelled_both('correction', 'none')}), or "
        "compare with one baseline only.",
        "holm1979",
    ),
    CautionSpec(
        "HW806",
        "missing for some models only",
        "Left out for all models: {counts} values are missing of {total} cases.",
        "Where a model has no value for cases that others have, it may have failed on them. "
        "Leaving them out for all takes its failures out of the comparison.",
        "Say why they are missing. Where a missing value means a failure, count it as the worst "
        f"value ({spelled_both('missing', 'worst')}; with a penalty for distances) and compare.",
        "maier_hein2024",
    ),
    CautionSpec(
        "HW807",
        "interval and test disagree",
        "{test} {p}, where the {level} CI has {own}: the test asks {asks}; {interval}.",
        "The test asks whether the results of these cases could as well have been exchanged "
        "between the models. The interval says how large the difference may be among all cases, "
        "and allows for what these do not show: rare failures, or the long tail of a skewed "
        "distribution. Either can be more cautious than the other, above all with few cases.",
        "Read the interval; verdicts rest on it. Collect more cases if the difference matters.",
    ),
    CautionSpec(
        "HW808",
        "not applicable to some models only",
        "Left out: {count} of {total} cases, in which the metric applies to some models only (not "
        "applicable: {counts}).",
        "Where a structure is in neither mask there is nothing to measure. A model that finds it "
        "there all the same (status spurious) has a value, the worst one, but no partner to be "
        "compared with. Leaving the case out takes that failure out of the comparison.",
        "Report beside the comparison in how many cases each model finds a structure that is not "
        "there.",
        "reinke2024",
    ),
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
        "Undefined on {share} of the permutations, which count as no less extreme than what was "
        "observed.",
        "In some permutations the metric's denominator is 0 for one model. Leaving such "
        "permutations out could make the p-value too small; counting them so makes it too large "
        "instead.",
        "Say what undefined values count as (undefined: zero or worst), or compare by a metric "
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
    CautionSpec(
        "HW841",
        "one pair of raters",
        "The agreement of raters is that of {names} alone.",
        "With two raters there is one pair of them, and nothing shows whether they are more alike, "
        "or less, than others would be. The interval is about further cases, not further raters.",
        "Say so; ask a third rater, if only for some of the cases.",
    ),
    CautionSpec(
        "HW842",
        "a rater decides",
        "Without {rater} the difference is {part} instead of {whole}.",
        "A rater who differs from the others lowers the agreement among raters more than that of "
        "the model with them, so that the model looks good, or the other way round.",
        "Look at that rater's cases, and report the agreement of each pair.",
    ),
    CautionSpec(
        "HW843",
        "pairs without a value",
        "{count} of {total} pairs have no value ({names}), so their average has none.",
        "The metric divides by cases of a class that the one or the other of the pair never gives: "
        "sensitivity by the positive cases of the reference, PPV by those of the prediction.",
        "Leave that rater out and say so, take a metric that is defined (Cohen's kappa, "
        f"accuracy), or count such pairs as 0 ({spelled_both('undefined', 'zero')}).",
    ),
    CautionSpec(
        "HW851",
        "near ties",
        "The ranks of {count} of {total} models are not settled; the shares of resamples in which "
        "a model is first do not say how likely that is.",
        "Where models are nearly equal, the resamples repeat what chance made of the cases at "
        "hand, and favour the model that happens to lead. The range of the ranks over resamples "
        "then holds the true rank less often than it says: that of the best of five models, each "
        "better by .001 SD than the next, in 86 % of samples of 100 cases instead of 95 %, and "
        "that of the best of twenty in 44 %.",
        "Report the confidence sets of the ranks; they cover at ties too.",
        "mogstad2024",
    ),
    CautionSpec(
        "HW852",
        "missing values decide ranks",
        "The rank of {model} depends on what missing values mean: {ranks}.",
        "A model without values where it fails looks better than it is, and the values do not say "
        "whether a missing one is a failure. Here the order of the models rests on it.",
        "Find out why values are missing, name the policy in the report, and show the ranks under "
        "each.",
        "maier_hein2024",
    ),
    CautionSpec(
        "HW853",
        "no model can win a test",
        "No model can win: no p-value of these tests is below {least:.2g}, and the first of the "
        "{tests} one-sided tests of all models needs {needed:.2g}.",
        "A test of few cases, or one with few permutations, has no small p-values, and Holm's "
        "correction asks for smaller ones the more models there are. All models then rank first "
        "whatever their values.",
        "Rank fewer models or take more cases; with permutations raise n_resamples. Or rank by "
        "aggregate_then_rank, whose sets say what the cases leave open.",
        "holm1979",
    ),
    CautionSpec(
        "HW854",
        "better by less than is printed",
        "{first} ranks before {second} by {difference}, and both print as {value}{more}: so small "
        "a difference may not matter, and no margin was given.",
        "Where models make nearly the same errors, or cases are many, the smallest difference is "
        "told from 0. Whether it matters is another question, which no test answers.",
        "Say how much better counts "
        f"({spelled_both('margin', 0.01)}, in the unit of the metric): models within it share a "
        "rank.",
        "reinke2024",
    ),
)
