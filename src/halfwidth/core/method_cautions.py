"""Cautions about the method (HW3xx) and the design (HW4xx) of a result."""

from __future__ import annotations

from halfwidth.core.caution_spec import CautionSpec
from halfwidth.core.option_names import spelled_both

DECLARED: tuple[CautionSpec, ...] = (
    CautionSpec(
        "HW301",
        "BCa on an order statistic",
        "BCa of the {what}: its acceleration means nothing for order statistics.",
        "The jackknife of a median takes two or three distinct values, so the acceleration is "
        "arbitrary (exactly 0 for even n). BCa then gains nothing over percentile on untied values "
        "and is undefined or far off on tied ones; in a study of 228 instances its coverage fell "
        "as n grew. A jackknife that leaves out clusters takes more values: the expanded BCa that "
        "auto takes of few clusters covered medians more often than percentile.",
        "Use exact or percentile.",
        "andre2025",
        reliability=True,
    ),
    CautionSpec(
        "HW302",
        "basic bootstrap",
        "The basic bootstrap is mostly the least reliable of the bootstraps.",
        "It mirrors the bootstrap distribution about the estimate, which shifts the interval to "
        "the wrong side under skew and lets it leave the metric's range.",
        "Use percentile or BCa; auto picks one.",
        "andre2025",
        reliability=True,
    ),
    CautionSpec(
        "HW303",
        "Wald interval",
        "The Wald interval under-covers near 0 and 1 and in small samples; at 0 and 1 it has no "
        "width.",
        "It takes the estimated standard error at face value where that is least true. Its "
        "coverage is erratic even for large n.",
        "Use wilson.",
        "brown2001",
        reliability=True,
    ),
    CautionSpec(
        "HW304",
        "zero-width interval",
        "The interval has no width: {reason}; it hides the uncertainty of the cases not seen.",
        "Resampling or averaging equal values gives the same value again. That all cases seen are "
        "equal does not mean that all cases are.",
        "Use auto: for proportions, for counts, and for metrics with finite bounds (or bounds "
        f"that you give: {spelled_both('bounds')}) its interval says what so many cases cannot "
        "exclude.",
        "andre2025",
        reliability=True,
        otherwise="Collect more cases, until some differ. Where the metric has a range that was "
        f"not named, give it ({spelled_both('bounds')}): the interval then says what so "
        "many cases cannot exclude.",
    ),
    CautionSpec(
        "HW305",
        "bounds outside the range",
        "The interval [{low}, {high}] leaves the range {range} of the {what}.",
        "A method that knows nothing of the range can promise values that cannot occur. The part "
        "outside is no information, and the method's approximation is poor this near the end.",
        "Use auto, which cuts bounds to the range, or a method that stays in it: wilson for a "
        "proportion, percentile for anything.",
        reliability=True,
    ),
    CautionSpec(
        "HW306",
        "no interval",
        "{method} gives no interval here: {reason}; {alternative}.",
        "Some methods need a minimum of cases or some variation among them. They then return NaN "
        "rather than an interval that means nothing.",
        "Use the alternative named in the message, or auto.",
        otherwise="Use the alternative named in the message.",
    ),
    CautionSpec(
        "HW307",
        "concentration bound",
        "{method} bounds are guaranteed but conservative, mostly several times as wide as t.",
        "Concentration inequalities hold for every distribution on the range and every n, and pay "
        "for it in width.",
        "Use them where a guarantee is required. Elsewhere auto is narrower, and covers "
        "about as often as it says on most data.",
        "andre2025",
    ),
    CautionSpec(
        "HW308",
        "level out of reach for exact",
        "Order statistics of {n} reach {attainable} for the {what}, short of {wanted}; "
        "{needed} would do. {instead}",
        "A distribution-free interval lies between two of the observed values, so its level "
        "cannot exceed the probability that the quantile lies between the smallest and the "
        "largest one. The interval is therefore printed with the level that it attains or, for a "
        "quantile near an end, as a bound that leaves the other side open. It covers as often as "
        "it says, whatever the distribution. No resample reaches beyond these values either, so "
        "that the interval of a difference of two models covers no more often; no verdict and no "
        "rank at the level asked for rests on it.",
        "Collect as many as named, or ask for a lower level or a less extreme quantile.",
        "lehmann2025",
    ),
    CautionSpec(
        "HW309",
        "bound cut to the range",
        "A bound of {method} fell outside the range {range} of the {what} and was cut to it.",
        "The true value cannot lie outside the range, so nothing is lost by the cut; but the "
        "method's approximation is strained this near the end.",
        "Nothing, if the interval is meant as it stands. More cases make the cut unnecessary.",
    ),
    CautionSpec(
        "HW310",
        "undefined resamples",
        "The {what} was undefined on {count} of {total} resamples; the interval rests on the rest.",
        "A statistic that is undefined on some resamples is undefined on some samples too. The "
        "interval is conditional on its being defined.",
        "Choose a statistic that is defined on every sample, or say in the report how often it is "
        "not.",
        reliability=True,
    ),
    CautionSpec(
        "HW311",
        "few resamples",
        "{n_resamples} resamples leave {beyond:.2g} beyond each bound; results will vary with the "
        "seed.",
        "The bounds are extreme quantiles of the replicates, and few replicates lie out there.",
        "Use the default of 9999 resamples, or more for levels above 0.99.",
        "efron_tibshirani1993",
    ),
    CautionSpec(
        "HW312",
        "infinite studentized bound",
        "A studentized bound is infinite: in too many resamples all values are equal.",
        "The studentized bootstrap divides by the standard error of each resample. A resample "
        "that draws equal values only has none, and its ratio is infinite; when more than α/2 of "
        "the resamples are such, so is a bound. Where the metric has a range the bound is cut to "
        "it.",
        "With so few or so uniform cases use auto, hall or t.",
        "efron_tibshirani1993",
    ),
    CautionSpec(
        "HW313",
        "macro-averaged AP",
        "{method} intervals of a macro-averaged AP under-cover.",
        "Average precision is biased upwards in small samples, and resamples, which repeat cases, "
        "are more so. Percentile intervals then sit too high, and BCa corrects for a part of it. "
        "On 50 real instances of this project's own study the median coverage of 95 % intervals at "
        "100 cases was 94 % by BCa and 88 % by percentile, at 25 cases 66 % and 64 %. André et al. "
        "found the basic bootstrap better; there it was the worst of the three at every n, unless "
        "classes absent from a sample count as 0.",
        "Use auto or dirichlet, and report the AP of each class as well.",
        "andre2025",
        reliability=True,
    ),
    CautionSpec(
        "HW314",
        "infinite bound",
        "A bound is infinite: in too many {draws} the {what} is infinite.",
        "A ratio whose denominator is 0 on a resample, or all but 0 under random weights, is "
        "infinite there: LR+ without a false positive. When more than α/2 of them are such, the "
        "data set no limit to it.",
        f"Read the finite bound alone ({spelled_both('alternative', 'lower')}), or collect more "
        "cases. For LR+ method='delta' is finite while there is a false positive.",
    ),
    CautionSpec(
        "HW315",
        "failures unlike any seen",
        "No failure in {n}: up to {share} could fail unseen ({level}), and the {what} then be "
        "{value} (a failure: {worst}).",
        "The interval is for populations whose failures look like those observed, or lie a little "
        "further out. A sample without a failure cannot exclude rare ones: of populations with 2 % "
        "of failures most samples of 30 cases show none, and an interval from such a sample misses "
        "their mean. A share s of failures goes unseen in n cases with the probability (1 - s)^n; "
        "the share named is that for which it is 1 less the level. A failure is the metric's worst "
        "value.",
        "Where such failures can happen, take the interval that allows for them, by half a case "
        f"more at the bound of the metric ({spelled_both('failures', 'unseen')}; beside the other "
        f"one: {spelled_both('failures', 'both')}). Where values beyond some point are impossible, "
        f"say so ({spelled_both('bounds', (0.5, 1))}).",
    ),
    CautionSpec(
        "HW316",
        "conjectured guarantee",
        "{method} covers at least as often as it says by conjecture, not by proof.",
        "No distribution is known for which the interval falls short, at any n, and for values of "
        "0 and 1 it is that of Clopper and Pearson. In general nobody has proved it.",
        "Where a proof is required, use hoeffding or empirical_bernstein, which are wider.",
        "gaffke2005",
    ),
    CautionSpec(
        "HW317",
        "extrapolated quantile",
        "A bound of the {method} lies beyond the values of {n}: its level is not kept there.",
        "Beyond the smallest and the largest value the tails are taken to fall off like those of "
        "an exponential distribution. Of 5 to 10 normal values, intervals of 95 % cover the outer "
        "tenths 82 to 88 % of the time; where one value in ten lies far below, like a run that "
        "diverged, they cover the lower tenth 52 to 64 % of the time.",
        "Use exact_attained, which says the level that so few values attain, or collect more.",
        "lehmann2025",
        reliability=True,
    ),
    CautionSpec(
        "HW318",
        "counts taken for Poisson",
        "{method} takes counts for Poisson: a bound is too low where a few images hold most "
        "events.",
        "Of images without a false positive, no resample holds one, and the bound has to come "
        "from what is known of counts. If false positives come singly, n images without any "
        "exclude rates of 3.0/n per image or more at 95 % (3.7/n for a two-sided interval). If "
        "they come in bursts, as in the one scan with a metal implant, all may lie in images that "
        "were not seen. With clusters (patients), n is their number.",
        "Collect more images, of all the kinds that occur.",
        "garwood1936",
    ),
    CautionSpec(
        "HW319",
        "no distance to go by",
        "{what} cannot tell how far others lie: the interval reaches as far as the range {range} "
        "allows.",
        "Elsewhere auto lets a case that was not seen lie a few times as far out as the outermost "
        "one. One or two cases, or cases of which more than half are equal, have no such distance, "
        "and the bounds of the metric take its place. Further cases that differ can make the "
        "interval much shorter.",
        "Collect more cases.",
    ),
    CautionSpec(
        "HW320",
        "estimate outside its interval",
        "The {what} of {value} lies outside of its own interval, {low} to {high}.",
        "An interval by resampling lies where the statistic of most resamples does. The SD, the "
        "IQR and the outer quantiles of few cases are mostly smaller in resamples than in the "
        "cases themselves. A short interval, of few cases or at a low confidence level, then "
        "misses the estimate.",
        "Collect more cases, or take a method that holds its estimate, such as t or dirichlet.",
        reliability=True,
        otherwise="Collect more cases, or take a higher confidence level.",
    ),
    CautionSpec(
        "HW321",
        "resampled calibration error",
        "{method} rests on resamples, which make the {what} larger: the interval can exclude the "
        "true value, above all of a calibrated model.",
        "Noise makes the error larger than the true one, and a resample adds noise to noise: its "
        "error exceeds the estimate about as much as the estimate exceeds the truth. Of perfectly "
        "calibrated models no percentile or BCa interval of the ECE held the true value 0, at any "
        "n from 50 to 1000; of a true ECE of 0.05 at 200 cases 12 % and 76 % did. In metrics of "
        "pairs of cases, such as the debiased ECE, a case that is drawn twice is paired with "
        "itself. The parts of the Brier score by isotonic recalibration are like that: in samples "
        "of 100 and 400 cases percentile held the true miscalibration 0 to 5 % of the time and "
        "basic 67 to 99 %, the true discrimination 55 to 70 % and 84 to 91 %. Basic held the true "
        "MCE of calibrated models in 10 to 60 % of samples of 50 to 200 cases, and in 75 % of "
        "samples of 1000. The difference between a calibrated and another model comes out too "
        "small: its interval ends short of the true one in a third to a half of samples, and in a "
        "tenth where both models are far off.",
        "Use auto: inverted for ece and smooth_ece, debiased for ece_l2, joint_inversion for "
        "differences of ece and ece_l2. No interval is known to cover the MCE, parts of the Brier "
        "score, ratios, or differences of smooth_ece: report the ECE or the Brier score as well.",
        "sun2024",
        reliability=True,
        otherwise="Report ece or brier as well, whose intervals cover.",
    ),
    CautionSpec(
        "HW322",
        "open end",
        "{n} do not show how far {beyond} them others may lie: on that side the interval is open. "
        "The {instead} is given.",
        "Distances and other errors have a bound on one side and none on the other, where their "
        "tail is. What a tail as in the data allows for holds from about ten cases on. Of five "
        "cases finite ends of every method were short: on Hausdorff distances of brain tumours t, "
        "Hall's and their farther one covered 61 to 88 % of the time where 95 % was said.",
        "Collect ten cases or more, or say what the worst value is "
        f"({spelled_both('bounds', (0, 150))}).",
    ),
    CautionSpec(
        "HW341",
        "what could not happen did",
        "{count} of {n} cases had an outcome that the model gave a probability of 0.",
        "A probability of exactly 0 or 1 says that the other outcome cannot happen. One case in "
        "which it does refutes the model, whatever the p-value of a test that looks at all cases.",
        "Look at these cases. Where probabilities were rounded to 0 and 1, write them with more "
        "digits.",
    ),
    CautionSpec(
        "HW401",
        "folds or runs passed as cases",
        "Column {column!r} holds {levels} folds or runs and is no grouping column: they are pooled "
        "as cases.",
        "Values of several trained models on the same cases are no further cases. They say "
        "something about the training procedure, and as cases they make intervals too short.",
        f"Group by the column ({spelled_both('by')}) to get one interval per trained model; of a "
        "test set, give the rows of one model at a time.",
        "lehmann2025",
        reliability=True,
    ),
    CautionSpec(
        "HW402",
        "several cases per patient",
        "Column {column!r} repeats: {cases} cases share {levels} levels of it, and are taken as "
        "independent.",
        "Images of one patient, slices of one scan, rows of one study resemble each other, so "
        "that there is less information than the number of images suggests, and intervals are "
        "too short.",
        f"Say which cases belong together ({spelled_both('groups')}), by the name of a column.",
        "cameron_miller2015",
        reliability=True,
    ),
    CautionSpec(
        "HW403",
        "clusters of unequal size",
        "{clusters} clusters of unequal size weigh like {effective:.0f} equal ones: the interval "
        "may under-cover.",
        "Cluster-robust methods learn the uncertainty from the differences between clusters. Where "
        "a few clusters hold most of the cases, it rests on those few.",
        "Collect more clusters, or take the statistic over clusters "
        f"({spelled_both('over', 'clusters')}), where each counts once.",
        "carter2017",
        reliability=True,
    ),
    CautionSpec(
        "HW404",
        "strata of a single unit",
        "{single} of {strata} strata hold a single {unit}, whose spread cannot be seen: the "
        "interval is too short.",
        "Variation within a stratum is learned from its units. With one unit there is nothing to "
        "resample and no variance to reckon, so that the stratum counts as known without error.",
        "Merge small strata with similar ones before the analysis, or leave strata out.",
        "davison_hinkley1997",
        reliability=True,
    ),
    CautionSpec(
        "HW405",
        "flattened micro-average",
        "The {what} pools the scores of {classes} classes: its pairs are not independent, and it "
        "mixes ranking across classes.",
        "A micro-average over scores makes one long list of all pairs of a case and a class. The "
        "pairs of a case depend on each other, so that no formula for independent pairs holds "
        "(cases are resampled here), and a class with larger scores dominates the list.",
        "Prefer the macro average, or the metric of each class.",
        "reinke2024",
    ),
    CautionSpec(
        "HW406",
        "multi-threshold metric without scores",
        "The {what} was computed from labels: it has one threshold only.",
        "AUROC and AP summarise all thresholds. Of hard labels they see one, and the AUROC is no "
        "more than the balanced accuracy of one class against the rest.",
        "Give the scores, or report sensitivity and specificity.",
        "reinke2024",
    ),
    CautionSpec(
        "HW407",
        "threshold chosen on the test data",
        "The threshold was chosen on these cases, as the best by {criterion}: the value is "
        "optimistic.",
        "A threshold that is best on a sample fits its noise. Choosing it again in each resample "
        "makes the interval as wide as it must be, but the estimate keeps its optimism.",
        "Choose the threshold on other cases (validation data) and give it as a number.",
        "reinke2024",
    ),
    CautionSpec(
        "HW408",
        "scores do not add up to 1",
        "The scores of the classes of a case miss a sum of 1 by up to {missed:.2g}: they are no "
        "probabilities of exclusive classes.",
        "The largest score decides, and averages compare scores of different classes; both suppose "
        "that the scores of a case are on one scale.",
        f"If they are logits, say so ({spelled_both('scores', 'logits')}); if classes are not "
        "exclusive, evaluate each as a task of its own.",
    ),
    CautionSpec(
        "HW409",
        "paired by label",
        "The labels of {what} come in another order than those of {reference} ({other!r} is first, "
        "not {label!r}): paired by label.",
        "Series and frames of pandas carry labels, and rows of one label are of one case, as in "
        "pandas itself; score columns that are named for the classes are theirs. Where such labels "
        "come in different orders, one of them was sorted, shuffled or filtered; if its labels "
        "were lost on the way, pairs are wrong.",
        "Bring them into one order beforehand, for example as columns of one data frame. If rows "
        "belong together by their places, pass .to_numpy() of each; of score columns, name the "
        f"classes in their order ({spelled_both('labels')}).",
    ),
    CautionSpec(
        "HW410",
        "scores flipped?",
        "The {what} of {value:.3g} lies below 1/2{how}: the scores rank cases the wrong way round. "
        "Are they flipped?",
        "A model without any skill has an AUROC of 1/2. One that is clearly below ranks the "
        "negative cases first, as scores do that speak for the other class. The cause may be a "
        "wrong positive class, score columns in another order than the classes, or a score that "
        "falls where the class is likelier, such as a distance.",
        f"Name the class that high scores speak for ({spelled_both('pos_label')}), or give 1 - "
        "score; with a column for each class, name the classes in the order of the columns "
        f"({spelled_both('labels')}).",
        "fawcett2006",
    ),
    CautionSpec(
        "HW411",
        "folds that share training data",
        "Column {column!r} holds {levels} folds of a cross-validation: each has a model of its "
        "own, and these share training data.",
        "In a cross-validation every case is predicted by the model of its fold, and the models of "
        "different folds were trained on overlapping data. Their results depend on each other, "
        "and how much cannot be estimated without bias from one cross-validation. An interval of "
        "pooled folds allows for the choice of cases only: as a statement about the training "
        "procedure it is too short.",
        "Say that the interval is that of the cases of a cross-validation. One interval for each "
        f"fold ({spelled_both('by', 'fold')}) shows how much its models differ; a model trained "
        "once and tested on other data needs no such caution.",
        "bengio2004",
        reliability=True,
    ),
    CautionSpec(
        "HW421",
        "centres left out",
        "Left out of the {what}: {left} of {count} centres {reasons}.",
        "A centre whose cases are all of one class, or whose classes a threshold of the "
        "probability separates, has no finite slope or intercept. Such centres are small, as a "
        "rule, and not a random choice: without them the others may look more alike than all are.",
        "Say how many centres were left out and why. Where a threshold separates the classes, O:E "
        "and calibration-in-the-large still exist.",
        "debray2017",
    ),
    CautionSpec(
        "HW422",
        "few centres",
        "Only {count} centres: their spread is all but unknown, and intervals are long{new}.",
        "How much centres differ is estimated from as many numbers as there are centres. Of fewer "
        "than five, the estimate is often 0 where they differ, and prediction intervals miss "
        "their level.",
        "Show the centres one by one, and say that the spread between them is not known; more "
        "centres help, more cases in them do not.",
        "higgins2009",
        reliability=True,
    ),
)
