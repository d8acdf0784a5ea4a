"""Interval methods: ingredients in, bounds out, on whole batches of samples."""

from halfwidth.intervals.auc import delong, delong_logit, hanley_mcneil, newcombe
from halfwidth.intervals.bootstrap import basic, bca, percentile, studentized
from halfwidth.intervals.delta import delta
from halfwidth.intervals.mean import empirical_bernstein, hall, hoeffding, t, trimmed_t, z
from halfwidth.intervals.proportion import agresti_coull, clopper_pearson, jeffreys, wald, wilson
from halfwidth.intervals.quantile import asymptotic, exact, exact_randomized, semiparametric

__all__ = [
    "agresti_coull",
    "asymptotic",
    "basic",
    "bca",
    "clopper_pearson",
    "delong",
    "delong_logit",
    "delta",
    "empirical_bernstein",
    "exact",
    "exact_randomized",
    "hall",
    "hanley_mcneil",
    "hoeffding",
    "jeffreys",
    "newcombe",
    "percentile",
    "semiparametric",
    "studentized",
    "t",
    "trimmed_t",
    "wald",
    "wilson",
    "z",
]
