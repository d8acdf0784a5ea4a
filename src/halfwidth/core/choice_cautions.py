"""Cautions about the choice of a metric (HW5xx) and about the instances of a study (HW6xx)."""

from __future__ import annotations

from halfwidth.core.caution_spec import CautionSpec
from halfwidth.core.option_names import spelled_both

DECLARED: tuple[CautionSpec, ...] = (
    CautionSpec(
        "HW501",
        "accuracy under imbalance",
        "Always answering {label!r} would be right in {share} of the cases.",
        "Where one class dominates, accuracy is high without any skill, and rare classes, often "
        "those that matter, hardly count.",
        "Report balanced accuracy, or sensitivity and specificity, or an expected cost.",
        "reinke2024",
    ),
    CautionSpec(
        "HW502",
        "prevalence by design",
        "The {what} depends on the prevalence, and here {why}.",
        "Predictive values, F1, MCC, kappa, accuracy and AP change with the share of the classes "
        "at the same error rates. In a test set that was composed, they say nothing of practice "
        "and cannot be compared with those of other data.",
        "Give predictive values at the prevalence of the target population "
        "(ppv:prevalence=0.05), or use sensitivity, specificity and AUROC.",
        "reinke2024",
    ),
    CautionSpec(
        "HW503",
        "tiny structures under overlap metrics",
        "References of fewer than {least} voxels: {where}. A single voxel moves their {metrics} by "
        "half a percentage point or more.",
        "In a structure of a few voxels nearly all of them touch the boundary, and an error of one "
        "voxel, which no reader would call one, costs much of the overlap. Values of small and "
        "large structures cannot be compared.",
        "Report a boundary metric with a tolerance (nsd) as well, or detection metrics.",
        "reinke2024",
    ),
    CautionSpec(
        "HW504",
        "distances in voxels",
        "Distances are in voxels, as spacing=1 said, not in mm: {metrics}.",
        "Voxels differ between scanners and axes, so that distances in voxels cannot be compared "
        "across images or papers, and have no clinical meaning.",
        f"Give the spacing in mm ({spelled_both('spacing')}), or save the masks in a format that "
        "holds it. If one unit is one mm, all is well.",
        "reinke2024",
    ),
    CautionSpec(
        "HW505",
        "anisotropic voxels under voxel boundaries",
        "Voxels are anisotropic, up to {ratio:.2g} times as long along one axis as along another "
        "({spacing} mm), in {count} of {total} cases, and boundaries are those of voxels: "
        "{metrics}.",
        "The voxels that an erosion peels off are as thick as a slice on top and bottom, and as "
        "thin as a pixel on the sides; each counts once, whatever the area that it stands for. "
        "Distances across slices come in steps of the slice thickness.",
        "Compare definition=surface (hd95:definition=surface), which weighs surfaces by their "
        "area, and name the definition in the report.",
        "nikolov2021",
    ),
    CautionSpec(
        "HW506",
        "tolerance below the voxel size",
        "The tolerance of the NSD is below the longest side of a voxel: {where}.",
        "Along that axis a boundary is off by nothing or by a whole voxel, which is never within "
        "the tolerance: the metric asks for perfection in one direction and allows errors in "
        "others.",
        "Choose a tolerance that two careful readers would need, at least the slice thickness.",
        "nikolov2021",
    ),
    CautionSpec(
        "HW507",
        "boundaries along ignored voxels",
        "Voxels labelled 'ignore' are cut out of both masks: {metrics} count the cut as a boundary "
        "that both share.",
        "Where a region is ignored, both masks end at the same line, at distance 0. The more of a "
        "structure's surroundings are ignored, the better its boundary seems to agree.",
        "Report overlap metrics, or boundary metrics of cases without ignored voxels.",
    ),
    CautionSpec(
        "HW509",
        "class never found",
        "Class {label!r} ({count}) is never found{more}, which the {what} hardly shows.",
        "Accuracy and averages that weigh classes by their cases are those of the frequent "
        "classes. A rare one may be missed altogether, and the value is as good as before.",
        "Report balanced accuracy, or the sensitivity of each class (average none), as well.",
        "reinke2024",
    ),
    CautionSpec(
        "HW601",
        "population fitted to few cases",
        "A population fitted to {n} cases, fewer than {needed}: its tails are those of these few.",
        "Coverage is that on the fitted population. A fit to few cases is rough and hardly knows "
        "the tails, on which coverage depends most. The study of 228 segmentation and 228 "
        "classification instances left out tasks with 50 cases or fewer for this reason.",
        "Leave such instances out (min_cases = 50), or read their coverage as that of an example "
        "rather than of the task.",
        "andre2025",
    ),
    CautionSpec(
        "HW602",
        "population of a single value",
        "All {n} values equal {value:g}: the population is that one value, which every interval "
        "without width covers.",
        "Nothing varies, so that nothing can be learned about intervals: every sample is the same, "
        "and its coverage is 1 or 0 by the method's convention for equal values.",
        "Leave the instance out of the study.",
    ),
    CautionSpec(
        "HW603",
        "few cases of a class in a population",
        "Few cases of {classes}: the population knows {them} by these alone.",
        "Samples hold a class as often as the test set did, and its scores vary about those of its "
        "few cases. A class without a case never occurs in a sample, and what it counts in an "
        "average is a convention (absent_class).",
        "Merge rare classes before the study, or read macro averages as those of these cases.",
        "andre2025",
    ),
)
