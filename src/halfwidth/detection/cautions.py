"""Cautions about metrics of detections (HW87x and HW88x)."""

from __future__ import annotations

from halfwidth.core.caution_spec import CautionSpec
from halfwidth.core.option_names import flag_of, spelled_both

DECLARED: tuple[CautionSpec, ...] = (
    CautionSpec(
        "HW871",
        "images without objects",
        "{count} of {total} images hold no object to be found: false positives there lower the "
        "{what}.",
        "An image without objects can add false positives and nothing else. AP, PPV, F scores and "
        "PQ fall with the share of such images at the same skill, so that values of test sets of "
        "different shares cannot be compared.",
        "Say how many images are without objects. Compare detectors on the same images; report "
        "sensitivity, and false positives per image of images with and without objects apart.",
        "reinke2024",
    ),
    CautionSpec(
        "HW872",
        "case mix",
        "{detail}: the {what} depends on the mix of images.",
        "False positives per image are a mean over images, and images with disease may draw more "
        "of them than images without, or fewer. A FROC curve of diseased images alone says nothing "
        "of screening, where nearly all images are without; one of another mix moves either way.",
        "Use a mix like that of practice, or say which one it is. AFROC and wAFROC take false "
        "positives of images without objects only, and do not change with their share.",
        "chakraborty_zhai2016",
    ),
    CautionSpec(
        "HW873",
        "one image or patient with many objects",
        "{unit} holds {share} of the {total} objects: the {what} rests on it.",
        "Objects of one image, or one patient, are found and missed together. A metric that counts "
        "objects weighs an image by how many it holds, and is as uncertain as a test set of few "
        "images where a few hold most of the objects.",
        "Report a metric in which each image counts alike (wafroc_auc; per image or per patient) "
        "as well, and say how many objects the fullest image holds.",
        reliability=True,
    ),
    CautionSpec(
        "HW874",
        "images of one patient",
        "Names of {total} {what} suggest that they are of {units} patients or scans ({example}), "
        "and the interval treats them as independent.",
        "Slices, frames and views of one patient resemble each other, and so do the errors on "
        "them. Counting them as independent cases makes intervals too short.",
        f"Say which belong together ({spelled_both('groups')}), so that patients are resampled.",
        "andre2025",
        reliability=True,
    ),
    CautionSpec(
        "HW875",
        "tiny objects under IoU",
        "{count} of {total} objects are so small that a shift by one pixel along each axis takes "
        "their IoU below {threshold:g}.",
        "A border that is off by one pixel, which no reader would call an error, makes a found "
        "object a missed one and a false positive besides. IoU is then a measure of drawing, "
        "not of finding.",
        "Match by centre distance or by a point in the mask or box (centre_distance, "
        f"point_in_mask), or by a lower IoU; report small objects apart ({spelled_both('area')}).",
        "reinke2024",
    ),
    CautionSpec(
        "HW876",
        "boxes around disconnected or ragged objects",
        "{count} of {total} objects have several parts or fill less than a third of their box: "
        "their box says little of where they are.",
        "The box of a thin diagonal, a ring or of scattered parts is mostly background. A "
        "detection may match it without touching the object, and one that hits every part may "
        "miss the box.",
        "Match by masks: mask_iou, boundary_iou or point_in_mask.",
        "reinke2024",
    ),
    CautionSpec(
        "HW877",
        "scores that do not rank",
        "{detail}: the {what} ranks detections, and there is nothing to rank them by.",
        "Metrics over many thresholds need a score for each detection. Where a constant was put in "
        "for scores that a model does not give, the value depends on how ties are broken, and "
        "several ways to do so are in use.",
        "Use metrics of a fixed set of detections: object_sensitivity, object_ppv, object_f_beta, "
        "fppi, pq.",
        "reinke2024",
    ),
    CautionSpec(
        "HW878",
        "detections cut at a score",
        "No detection scores below {lowest:.3g}{by}: the {what} is of the curve up to there.",
        "What lies below the cut would have found more objects at lower precision. AP counts the "
        "part of the curve that is missing as 0, and the FROC curve ends before the false "
        "positive rates over which its score is averaged. Two detectors cut at different scores "
        "differ by that alone.",
        "Have the detector write all detections, down to a score near 0, for metrics over many "
        f"thresholds; cut them for metrics at one ({spelled_both('score_threshold')}).",
        "reinke2024",
    ),
    CautionSpec(
        "HW879",
        "detections cut at a number",
        "{count} of {total} images have exactly {most} detections, and none has more{by}.",
        "Where the detector, or an option, keeps the best so many of each image, crowded images "
        "lose objects that were found. AP and AR depend on that number; COCO's are defined with at "
        "most 100 of an image and a class.",
        "Say the number. Have the detector keep more where images hold many objects.",
        "lin2014",
    ),
    CautionSpec(
        "HW880",
        "result depends on the threshold",
        "The {what} is {value} at {at}, but {others}: beyond its interval.",
        "Where a value changes that much with how close a detection must come, it says as much of "
        "the threshold as of the detector, and the interval holds for this threshold only.",
        f"Show the value over thresholds ({spelled_both('by_threshold', True)}; as a figure "
        f"plots.thresholds, {flag_of('plot')}), choose the threshold for what the task needs, and "
        "say why.",
        "reinke2024",
    ),
    CautionSpec(
        "HW881",
        "image-level metric of detections",
        "The table has columns of boxes ({columns}), and each row is taken for a case: that says "
        "nothing of where objects are.",
        "A metric of images takes an image for right whose highest score is high, though the "
        "detection misses the object, finds one of five, or comes with ten false positives. A "
        "metric of rows takes missed objects for none at all.",
        "Match detections with objects: halfwidth detect DETECTIONS REFERENCES, hw.Detections.",
        "reinke2024",
    ),
    CautionSpec(
        "HW882",
        "few images with objects",
        "{name}: objects in {count}{more}; reliable intervals for the {what} need about {needed} "
        "or more.",
        "What a metric of detections says of a class rests on the images that hold objects of it, "
        "however many others there are, and macro averages give a class of three objects the same "
        "weight as one of three hundred.",
        "Collect more images with the class, report it apart (average none), or pool the classes "
        "(average micro).",
        reliability=True,
    ),
    CautionSpec(
        "HW883",
        "large detections under a lenient criterion",
        "{count} of {total} matched detections are more than four times as large as their object, "
        "and {criterion} takes them for hits.",
        "A criterion that asks for some overlap, or for a point inside, is met by a detection that "
        "covers half of the image. A detector that draws large boxes then looks better than it is.",
        "Use a criterion that sees the size (box_iou, mask_iou), if with a low threshold, or a "
        "distance of centres.",
        "reinke2024",
    ),
    CautionSpec(
        "HW884",
        "penalties in a mean over objects",
        "{missed} and {spurious}, of {total} in all, count as {penalty}.",
        "A mean over objects that counts failures by a constant depends on the constant as much as "
        "on the segmentation: the lesion-wise scheme has 0 for the overlap and 374 mm, about the "
        "diagonal of its images, for the distance.",
        "Report how many are missed and spurious beside the mean, name the penalty, and give the "
        "metric of the lesions that were found (instance_dsc, instance_hd95) as well.",
        "maier_hein2024",
    ),
    CautionSpec(
        "HW885",
        "no score threshold",
        "All {count} detections count, with scores from {low:.3g} to {high:.3g}: the {what} is of "
        "the cut at which they were written.",
        "Metrics at one threshold are of the detections that a user would be shown. A file for AP "
        "holds all down to a score near 0, nearly all of them false positives.",
        f"Name the score from which on detections are shown ({spelled_both('score_threshold')}), "
        "chosen on other data.",
        "reinke2024",
    ),
    CautionSpec(
        "HW886",
        "equal scores",
        "Equal scores leave their order open: the {what} lies between {low} and {high}, depending "
        "on it.",
        "AP goes through detections one after another, and of those that share a score, as ratings "
        "and rounded probabilities do, the file decides which comes first. A detector may gain or "
        "lose by how its file is sorted, and no resampling shows that.",
        "Give scores with all their digits. Of ratings take froc_score or wafroc_auc, which take "
        "equal scores as one step.",
        "mcsherry_najork2008",
    ),
)
