"""Cautions about what tables hold (HW9xx), raised by ``halfwidth check``."""

from __future__ import annotations

from halfwidth.core.caution_spec import CautionSpec, Severity
from halfwidth.core.option_names import Door, spelled, spelled_both

DECLARED: tuple[CautionSpec, ...] = (
    CautionSpec(
        "HW901",
        "statistics among the cases",
        "{what}.",
        "A mean or an SD below the cases counts as one more case wherever the table is read, and a "
        "summary holds no cases at all.",
        "Remove such rows. Of a summary, look for the file with the values of single cases (of "
        "MONAI's, *_raw.csv); 'halfwidth review' reads means, SDs and numbers of cases.",
        severity=Severity.ERROR,
    ),
    CautionSpec(
        "HW902",
        "stated mean not reproduced",
        "The file states a mean of {stated:.6g} ({source}), and its {n} cases give {found}.",
        "A mean that the cases beside it do not give comes from other cases, from another version "
        "of the table, or from a rule for missing values that nobody has written down.",
        "Find out what the mean was computed from before either number is reported.",
        "maier_hein2024",
        severity=Severity.ERROR,
    ),
    CautionSpec(
        "HW903",
        "stated mean rests on a policy",
        "The stated mean of {stated:.6g} ({source}) is that of the cases with missing values "
        "({missing}) {policy}; it would be {others}.",
        "Where values are missing, a mean depends on what they count as. Tools decide that without "
        "a word, so that the means of two tools on the same cases may differ.",
        "Name the policy beside the number, and estimate with the same one "
        f"({spelled_both('missing')}, 'omit' or 'worst').",
        "maier_hein2024",
    ),
    CautionSpec(
        "HW904",
        "values in per cent",
        "{outside} of {total} values lie between 1 and 100, and {metric} has the range {range}: "
        "per cent.",
        "Range checks, worst values and axes are those of the metric, which is a fraction here.",
        f"Divide by 100 ({spelled_both('scale', 100)}).",
        severity=Severity.ERROR,
    ),
    CautionSpec(
        "HW905",
        "per cent among fractions",
        "{what}.",
        "Where some values are fractions and others per cent, no mean and no difference means "
        "anything. It happens where tables of several sources are put together.",
        "Bring all values to one unit.",
        severity=Severity.ERROR,
    ),
    CautionSpec(
        "HW906",
        "values out of range",
        "{outside} of {total} values lie outside the range {range} of {metric}, the first is "
        "{value:g}.",
        "A value that the metric cannot take is a slip, a code for a missing value (-1, 999), or "
        "the value of something else.",
        "Correct it, or leave the cell empty and say what missing values mean "
        f"({spelled_both('missing')}).",
        severity=Severity.ERROR,
    ),
    CautionSpec(
        "HW907",
        "metric unknown",
        "Nothing says what {columns} hold{s}: neither the range nor the better direction is "
        "known, and values were checked without.",
        "Range checks, missing values as the worst one, comparisons and rankings need to know what "
        "the values are.",
        f"Name the metric ({spelled_both('metric')}); of a metric of your own say the range "
        f"({spelled_both('bounds')}) and, where models are compared, the better direction "
        f"({spelled_both('better')}).",
        severity=Severity.NOTE,
    ),
    CautionSpec(
        "HW908",
        "constant values",
        "All {n} values are {value:g}.",
        "A metric that is the same in every case was most often not computed: a default, a mask "
        "that is always empty, the wrong label.",
        f"Find out where the values come from, or leave the column out ({spelled_both('values')}).",
    ),
    CautionSpec(
        "HW909",
        "one name in several spellings",
        "{names} in {where} differ in capitals, separators, leading zeros or the suffix of a file "
        "only.",
        "Names are matched letter by letter. A label, case or model that is spelled in two ways is "
        "taken for two, each with a part of the values.",
        "Spell it in one way.",
        severity=Severity.ERROR,
    ),
    CautionSpec(
        "HW910",
        "same values under two names",
        "{first} and {second} hold the same values in all {n} cases.",
        "Two structures or metrics hardly ever agree in every case to the last digit. Most often a "
        "column was copied or renamed, or one label was evaluated under two names.",
        "Check what either column was computed from.",
    ),
    CautionSpec(
        "HW911",
        "values for some models only",
        "{model} has no value in {count} of {total} cases in which {others}.",
        "Where a model has no value for cases that others have, it may have failed on them. Means "
        "over the cases that are there then compare different cases, and flatter the model.",
        "Say why they are missing. Where a missing value means a failure, count it as the worst "
        f"value ({spelled_both('missing', 'worst')}).",
        "maier_hein2024",
    ),
    CautionSpec(
        "HW912",
        "cases without a row",
        "{count} of {total} cases have no row for {what}, which other cases have.",
        "A row that is not there is a missing value that nobody counts: whether the structure was "
        "absent, missed, or never evaluated cannot be told.",
        "Write a row for every case, with the status 'not applicable' where there was nothing to "
        "find, 'missed' where it was not found.",
        "maier_hein2024",
    ),
    CautionSpec(
        "HW913",
        "rows that are there twice",
        "{count} of {total} rows repeat an earlier one in every cell.",
        "A case that counts twice makes intervals too short and pulls the estimate towards it.",
        "Remove the copies.",
        severity=Severity.ERROR,
    ),
    CautionSpec(
        "HW914",
        "same values in two cases",
        "{count} of {total} cases have the same {values} values as an earlier one: {first} and "
        "{second}.",
        "Several metrics or structures of two different images hardly ever agree to the last "
        "digit. One image may be in the test set twice, or results were copied.",
        "Compare the images of these cases.",
        severity=Severity.WARNING,
    ),
    CautionSpec(
        "HW915",
        "rounded values",
        "{n} cases share {distinct} values, which are rounded to {decimals}.",
        "Where rounding makes most values equal, the spread of small differences is lost, medians "
        "and quantiles jump in steps, and ranks are mostly ties.",
        "Export values with all their digits, and round results.",
        severity=Severity.NOTE,
    ),
    CautionSpec(
        "HW916",
        "cells that are no numbers",
        "{count} of {total} cells are no numbers: {cells}.",
        "A word among numbers (failed, n.d., <0.1) says something of the case, and no reader can "
        "know what it counts as. A column that holds one is refused.",
        f"Leave such cells empty, and say what missing values mean ({spelled_both('missing')}).",
        severity=Severity.ERROR,
    ),
    CautionSpec(
        "HW917",
        "mixed decimal marks",
        "{commas} of {total} numbers have a comma ({cell}), and the others a point.",
        "1,234 is a thousand or a fraction, depending on who wrote it. Numbers of one column in "
        "two notations come from two sources.",
        "Write all numbers with the same decimal mark and without separators of thousands; of a "
        f"file with commas say so ({spelled('decimal', ',', door=Door.COMMAND_LINE)}).",
        severity=Severity.ERROR,
    ),
    CautionSpec(
        "HW918",
        "status and value disagree",
        "{count} rows say {status!r} and {value}.",
        "The status says what a value means: an overlap is 0 where a structure was missed, there "
        "is no value where the metric does not apply, and there is one where all is well.",
        "Correct the rows. Known are: ok, missed, spurious, not applicable, empty skeleton.",
        severity=Severity.ERROR,
    ),
    CautionSpec(
        "HW919",
        "many identical best values",
        "{count} of {total} values equal the best one ({value:g}), and none comes near: both masks "
        "empty?",
        "Some evaluators give a perfect score where a structure is in neither mask. Such cases say "
        "nothing of the model and lift its mean.",
        "Leave these cells empty where the structure is absent from the reference, and leave them "
        f"out of the estimate ({spelled_both('missing', 'omit')}).",
        "reinke2024",
    ),
    CautionSpec(
        "HW920",
        "a constant among the values",
        "{count} of {total} values equal {value:g}, {how}: a constant put in for failures?",
        "374 (373.13) mm, 90, 999, -1 and the like are put in where a metric could not be "
        "computed. Mean and SD then depend on the constant as much as on the model.",
        "Leave these cells empty, count them as the worst value "
        f"({spelled_both('missing', 'worst')}) and name the penalty ({spelled_both('penalty')}).",
        "maier_hein2024",
    ),
    CautionSpec(
        "HW921",
        "metrics contradict each other",
        "{count} of {total} cases have {overlap} of 0 and {distance} of 0.",
        "Masks without a common voxel have a distance. A distance of 0 there was given by an "
        "evaluator to an empty mask, as if it were perfect.",
        "Set these distances to missing and count them as failures "
        f"({spelled_both('missing', 'worst')}) with a penalty ({spelled_both('penalty')}).",
        "reinke2024",
        severity=Severity.ERROR,
    ),
    CautionSpec(
        "HW922",
        "a running number as values",
        "The values count the rows, from {first:g} to {last:g}.",
        "A column of all numbers in a row is an index, and is estimated like any other column of "
        "numbers.",
        f"Leave it out: name the columns that hold values ({spelled_both('values')}), or the case "
        f"column ({spelled_both('case')}).",
    ),
    CautionSpec(
        "HW923",
        "labels exchanged",
        "{first} of {model} is missing where {second} of {other} is, and the other way round.",
        "Which structures a case has does not depend on the model. Where a model lacks one label "
        "in the cases in which the others lack another one, two labels were exchanged.",
        "Check the names of the labels of both models.",
        severity=Severity.ERROR,
    ),
    CautionSpec(
        "HW924",
        "labels of some models only",
        "There is no column {lacking}, which other tables have.",
        "Models are compared on the labels that all of them have. A label that one table lacks "
        "was renamed, or not evaluated.",
        f"Name the columns alike, or choose those that all tables have ({spelled_both('values')}).",
    ),
    CautionSpec(
        "HW925",
        "no cases in common",
        "None of the {count} cases of {model} is in another table.",
        "Cases are matched by their ids, letter by letter. Tables without a common id are of "
        "different test sets, or call the same images differently.",
        "Call the same cases alike. Models on different cases are compared as such: say so "
        f"({spelled_both('pairing', 'none')}).",
    ),
    CautionSpec(
        "HW926",
        "distances missing beside overlaps",
        "{count} of {total} distances missing: {reasons}.",
        "A distance between boundaries has no value where a mask is empty. With an overlap of 0 "
        "one mask is: the structure was missed, or is spurious. Where the overlap is missing too, "
        "or 1, both are: there was nothing to find, and nothing was found. Leaving out the former "
        "flatters a model; counting the latter as failures blames it.",
        "Count those with one empty mask as failed: the worst value "
        f"({spelled_both('missing', 'worst')}) with a penalty ({spelled_both('penalty')}) does, "
        "and leaves out the cases with nothing in either mask. A case that failed as a whole needs "
        "an overlap of 0.",
        "maier_hein2024",
    ),
)
