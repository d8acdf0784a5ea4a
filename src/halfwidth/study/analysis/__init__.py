"""What the cells of a study say: paces, tests, needs, widths, failures.

Every function takes a frame of cells, as of `Results.to_frame`, and returns a frame.
"""

from halfwidth.study.analysis.cells import cells_of, chosen
from halfwidth.study.analysis.failures import failures, what_they_share
from halfwidth.study.analysis.mixed import MixedModel, fit_mixed
from halfwidth.study.analysis.needs import needs, sizes_for_coverage, sizes_for_width
from halfwidth.study.analysis.pace import pace
from halfwidth.study.analysis.pace_tests import pace_tests, unpaired_pace_tests
from halfwidth.study.analysis.permutation import PermutationTest, sign_flip_test, two_sample_test
from halfwidth.study.analysis.skewness import skewness_model
from halfwidth.study.analysis.widths import shifts, width_ratios

__all__ = [
    "MixedModel",
    "PermutationTest",
    "cells_of",
    "chosen",
    "failures",
    "fit_mixed",
    "needs",
    "pace",
    "pace_tests",
    "shifts",
    "sign_flip_test",
    "sizes_for_coverage",
    "sizes_for_width",
    "skewness_model",
    "two_sample_test",
    "unpaired_pace_tests",
    "what_they_share",
    "width_ratios",
]
