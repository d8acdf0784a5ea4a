"""Analyses of the instances and the cells of a study.

Functions of cells take a frame as of `Results.to_frame` and return a frame; those of instances take
what `halfwidth.study.plan` returns.
"""

from halfwidth.study.analysis.advice import advice
from halfwidth.study.analysis.cell_frames import cells_of, chosen, coverage
from halfwidth.study.analysis.description import characteristics, characteristics_summary
from halfwidth.study.analysis.evidence import evidence_rows
from halfwidth.study.analysis.failures import failures, what_they_share
from halfwidth.study.analysis.goodness import kolmogorov_smirnov, lilliefors_p
from halfwidth.study.analysis.mixed import MixedModel, fit_mixed
from halfwidth.study.analysis.needs import needs, sizes_for_coverage, sizes_for_width
from halfwidth.study.analysis.pace import pace, pace_summary
from halfwidth.study.analysis.pace_tests import pace_tests, unpaired_pace_tests
from halfwidth.study.analysis.permutation import PermutationTest, sign_flip_test, two_sample_test
from halfwidth.study.analysis.rejections import family_fits, family_rejections
from halfwidth.study.analysis.skewness import skewness_model
from halfwidth.study.analysis.widths import shifts, width_ratios

__all__ = [
    "MixedModel",
    "PermutationTest",
    "advice",
    "cells_of",
    "characteristics",
    "characteristics_summary",
    "chosen",
    "coverage",
    "evidence_rows",
    "failures",
    "family_fits",
    "family_rejections",
    "fit_mixed",
    "kolmogorov_smirnov",
    "lilliefors_p",
    "needs",
    "pace",
    "pace_summary",
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
