"""What the cells of a study say: paces, tests, needs, widths, failures.

Every function takes a frame of cells, as of `Results.to_frame`, and returns a frame.
"""

from halfwidth.study.analysis.cells import cells_of, chosen
from halfwidth.study.analysis.needs import needs, sizes_for_coverage, sizes_for_width
from halfwidth.study.analysis.pace import pace
from halfwidth.study.analysis.pace_tests import pace_tests, unpaired_pace_tests
from halfwidth.study.analysis.permutation import PermutationTest, sign_flip_test, two_sample_test

__all__ = [
    "PermutationTest",
    "cells_of",
    "chosen",
    "needs",
    "pace",
    "pace_tests",
    "sign_flip_test",
    "sizes_for_coverage",
    "sizes_for_width",
    "two_sample_test",
    "unpaired_pace_tests",
]
