"""Every CI method the package knows: those that the files of families declare."""

from __future__ import annotations

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.parameters import parse_name
from halfwidth.core.spec import MethodSpec, spec_of
from halfwidth.intervals.auc import DECLARED as AUC
from halfwidth.intervals.bootstrap import DECLARED as BOOTSTRAP
from halfwidth.intervals.delta import DECLARED as DELTA
from halfwidth.intervals.dirichlet import DECLARED as DIRICHLET
from halfwidth.intervals.mean import DECLARED as MEAN
from halfwidth.intervals.proportion import DECLARED as PROPORTION
from halfwidth.intervals.quantile import DECLARED as QUANTILE

METHODS: Catalogue[MethodSpec] = Catalogue(
    "method",
    tuple(
        spec_of(function)
        for function in (*MEAN, *PROPORTION, *BOOTSTRAP, *QUANTILE, *AUC, *DELTA, *DIRICHLET)
    ),
)


def method_named(text: str) -> MethodSpec:
    """The method of a name with its parameters: ``dirichlet:mass=0.25``.

    >>> method_named("dirichlet:.25").name
    'dirichlet:mass=0.25'
    """
    name, given = parse_name(text, lambda name: METHODS[name].parameters)
    return METHODS[name].with_parameters(given)
