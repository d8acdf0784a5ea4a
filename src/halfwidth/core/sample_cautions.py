"""Cautions about the data (HW1xx) and the sample (HW2xx) of a result."""

from __future__ import annotations

from halfwidth.core.caution_spec import CautionSpec
from halfwidth.core.option_names import flag_of, spelled_both

DECLARED: tuple[CautionSpec, ...] = (
    CautionSpec(
        "HW101",
        "missing values",
        "{count} of {total} {what}{infinite}: {policy}.",
        "A case without a value is rarely missing at random: a metric is often undefined on the "
        "very cases where the model failed. Leaving such cases out flatters the model; a structure "
        "that is absent from the image is another matter and is rightly left out.",
        "Say in the report how many cases are missing and why. Where a missing value means a "
        f"failure, count it as the worst value ({spelled_both('missing', 'worst')}; a penalty for "
        "distances) and compare.",
        "maier_hein2024",
    ),
    CautionSpec(
        "HW102",
        "repeated case ids",
        "{repeats} of {total} rows repeat a case id: the interval treats them as independent.",
        "Several values of one case (two structures, two readers, two folds) resemble each other. "
        "Counting them as independent cases makes intervals too short.",
        f"Say that they belong together ({spelled_both('groups')}), or estimate each group apart "
        f"({spelled_both('by')}; of a test set, one call for each). Remove rows that are there "
        "twice by mistake.",
        "andre2025",
        reliability=True,
    ),
    CautionSpec(
        "HW103",
        "many identical worst values",
        "{count} of {total} values equal the worst one ({value:g}): failures or an imputed "
        "penalty?",
        "A pile of identical extreme values is usually a constant put in for cases where the "
        "metric could not be computed. Mean and SD then depend on the constant as much as on the "
        "model.",
        "Report the share of such cases beside the estimate, name the penalty, and give the median "
        "or the trimmed mean as well.",
        "maier_hein2024",
    ),
    CautionSpec(
        "HW104",
        "empty references",
        "Empty references: {where}. There the metrics do not apply, or only say that something "
        "was predicted.",
        "Overlap with nothing is 0 for the smallest false alarm and undefined without one; "
        "distances to nothing are infinite. Such cases say whether a structure is recognised as "
        "absent, not how well it is segmented. Tools that call them 0 mm or 1 make means "
        "meaningless.",
        "Report how many there are, and sensitivity and specificity for the presence of the "
        f"structure (metric_ci, halfwidth ci {flag_of('y_true')}); segmentation metrics on the "
        "cases that have it.",
        "reinke2024",
    ),
    CautionSpec(
        "HW105",
        "disconnected references",
        "Disconnected references: {where}.",
        "Overlap and boundary metrics see one mask. A missed small part hardly lowers the Dice of "
        "a large one, while the Hausdorff distance may then be that between the parts.",
        "Where the parts are objects of their own, such as lesions, count them: detection and "
        "instance segmentation metrics. A few stray voxels are an annotation error to be removed.",
        "reinke2024",
    ),
    CautionSpec(
        "HW106",
        "guessed SD",
        "No SD was published: {sd} is usual for this mean, {low} to {high} in 90 % of tasks like "
        "those of {instances} instances ({tasks} tasks of {sources}){beyond}. The half-width may "
        "be {width_low} to {width_high}.",
        "The spread of cases follows their mean roughly, by a second-order polynomial. How roughly "
        "is measured on tasks that the fit had not seen. Most of them are of one benchmark, of "
        "models on images from elsewhere, where failed cases make the spread large; a model tested "
        "on its own kind of images may have a fraction of it.",
        "Ask the authors for the SD, or for the values of the single cases. Until then read the "
        "interval as an approximation.",
        "christodoulou2024",
    ),
    CautionSpec(
        "HW201",
        "few cases",
        "{n}; reliable intervals for the {what} need {needed}.",
        "With few cases intervals miss the true value more often than they say. How few depends "
        "on the method: in a study of 228 segmentation instances the median coverage of "
        "bootstraps at 95 % reached 92.5 % from about 25 cases for the mean DSC and 75 for the "
        "mean ASSD. On 166 real instances of this project's own study percentile intervals did so "
        "from about 50 cases for the mean DSC, 75 for its SD, 25 for its IQR, 10 for its median "
        "and trimmed mean; on 50 of classification from 100 for accuracy and macro F1, and not up "
        "to 250 for a macro AUROC near 1. This is raised where the method (the one named, or auto "
        "with its fallbacks) covered less often than that on real instances, or less than 90 % in "
        "a quarter of them. Where none were studied (paired differences, dirichlet of another "
        "mass, gaffke of a test set, weighted cases), it is raised below the number that the "
        "metric and the statistic declare; of means and SDs of metrics without bounds below 12 and "
        "25 cases, by simulation. Clusters of unequal size count as so many of equal size as weigh "
        "the same.",
        "Collect more cases, or read the interval as optimistic.",
        "andre2025",
        reliability=True,
    ),
    CautionSpec(
        "HW202",
        "outliers or strong skew",
        "{detail}: a few values weigh heavily in the {what}{doubt}.",
        "Failed cases make long tails. The coverage of an interval for a mean or an SD converges "
        "more slowly the more skewed the values are; in a study of 228 instances almost all "
        "coverage failures for the mean DSC were instances with outliers. On samples with such "
        "values t and percentile covered less often (87 % of the time at 30 cases, 93 % without "
        "them); hall and bca did not, and fail where a sample shows nothing of the tail.",
        "Look at the extreme cases. Report the median or the trimmed mean as well, which outliers "
        "do not move.",
        "andre2025",
        reliability=True,
    ),
    CautionSpec(
        "HW203",
        "proportion near 0 or 1",
        "{rare} {kind} among {n}: so near {end}, normal and resampled intervals are too short.",
        "With a handful of errors (or of successes) the binomial distribution is lopsided and "
        "discrete; coverage swings with n. No error among n cases still leaves an error rate of "
        "about 3/n plausible.",
        "Use wilson, jeffreys or clopper_pearson, never wald; collect more cases.",
        "brown2001",
        reliability=True,
        otherwise="Collect more cases.",
    ),
    CautionSpec(
        "HW204",
        "few cases of a class",
        "{name}: {count}{more}; reliable intervals for the {what} need {needed} of each class.",
        "What a metric says of a class rests on the cases of that class alone, however large the "
        "test set is. Macro averages give a class of five cases the same weight as one of five "
        "hundred.",
        "Collect more cases of the class, report it apart (average none), or merge classes that "
        "may be merged.",
        "andre2025",
        reliability=True,
    ),
    CautionSpec(
        "HW205",
        "class missing from resamples",
        "Class {label!r} is missing from {share} of the resamples, where {policy}.",
        "A resample that lacks a class estimates something else than the metric of all classes. "
        "What such a class counts is a convention that moves the interval: counting it as 0 drags "
        "averages down.",
        f"Collect more cases of the class, resample within classes ({spelled_both('strata')}: the "
        "target) if their numbers were fixed beforehand, and say which absent_class was used.",
        "andre2025",
        reliability=True,
    ),
    CautionSpec(
        "HW206",
        "class imbalance",
        "Class {label!r} makes up {largest} of the cases, the rarest {smallest}: intervals tend to "
        "under-cover.",
        "In a study of 228 classification instances, nearly all intervals that failed to cover "
        "belonged to imbalanced test sets: the few cases of the rare class decide.",
        "Collect more cases of the rare class; report metrics per class as well.",
        "andre2025",
        reliability=True,
    ),
    CautionSpec(
        "HW207",
        "metric near an end of its range",
        "{what} {value} is close to {end:g}, where intervals strain.",
        "Near the end of a range the distribution of a metric is lopsided and discrete, and "
        "replicates pile up at the end. Normal and percentile intervals are then too short on the "
        "far side.",
        "Collect more cases, or count the errors and report their proportion by wilson.",
        reliability=True,
    ),
    CautionSpec(
        "HW208",
        "class without a value",
        "{count} of {classes} classes, {name}, {why}: {policy}.",
        "PPV has no value for a class that is never predicted, sensitivity and areas none for one "
        "that is not there. An average that leaves such a class out hides what may be its worst. "
        "The default interval of a macro average lets a class without a case have any value of its "
        "range; that of a difference between two models is about the other classes.",
        "Say which classes the average is over, or count them as failed, as scikit-learn does "
        f"({spelled_both('absent_class', 'zero')}).",
    ),
    CautionSpec(
        "HW209",
        "few cases carry the weight",
        "By their weights {n} cases count like {effective:.3g} of equal weight: the {what} rests "
        "on few of them.",
        "A weighted metric is as uncertain as one of (Σw)²/Σw² cases of equal weight (Kish), "
        "however many there are. What the few heavy cases do decides, and no resampling of the "
        "others shows how other heavy cases would do.",
        "Check the weights (a scale for each site, inverse probabilities near 0). Cap extreme "
        "ones, or report the metric without weights as well.",
        "kish1965",
        reliability=True,
    ),
)
