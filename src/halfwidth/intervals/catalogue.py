"""Every CI method the package knows."""

from __future__ import annotations

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.spec import MethodSpec, spec_of
from halfwidth.intervals.auc import delong, delong_logit, hanley_mcneil, newcombe
from halfwidth.intervals.bootstrap import basic, bca, percentile, studentized
from halfwidth.intervals.delta import delta
from halfwidth.intervals.mean import empirical_bernstein, hall, hoeffding, t, trimmed_t, z
from halfwidth.intervals.proportion import agresti_coull, clopper_pearson, jeffreys, wald, wilson
from halfwidth.intervals.quantile import asymptotic, exact, exact_randomized, semiparametric

METHODS: Catalogue[MethodSpec] = Catalogue(
    "method",
    tuple(
        spec_of(function)
        for function in (
            *(t, hall, z, trimmed_t, hoeffding, empirical_bernstein),
            *(wilson, clopper_pearson, jeffreys, agresti_coull, wald),
            *(percentile, bca, studentized, basic),
            *(exact, exact_randomized, asymptotic, semiparametric),
            *(delong_logit, delong, newcombe, hanley_mcneil, delta),
        )
    ),
)
