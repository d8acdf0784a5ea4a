"""Every CI method the package knows: those that the files of families declare."""

from __future__ import annotations

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.errors import OptionError
from halfwidth.core.parameters import parse_name
from halfwidth.core.spec import MethodSpec, spec_of
from halfwidth.intervals.auc import DECLARED as AUC
from halfwidth.intervals.bootstrap import DECLARED as BOOTSTRAP
from halfwidth.intervals.delta import DECLARED as DELTA
from halfwidth.intervals.dirichlet import DECLARED as DIRICHLET
from halfwidth.intervals.expanded import DECLARED as EXPANDED
from halfwidth.intervals.mean import DECLARED as MEAN
from halfwidth.intervals.paired_proportions import DECLARED as PAIRED_PROPORTIONS
from halfwidth.intervals.proportion import DECLARED as PROPORTION
from halfwidth.intervals.quantile import DECLARED as QUANTILE
from halfwidth.intervals.two_samples import DECLARED as TWO_SAMPLES
from halfwidth.intervals.two_samples import mover

METHODS: Catalogue[MethodSpec] = Catalogue(
    "method",
    tuple(
        spec_of(function)
        for function in (
            *MEAN,
            *PROPORTION,
            *BOOTSTRAP,
            *QUANTILE,
            *AUC,
            *DELTA,
            *DIRICHLET,
            *EXPANDED,
            *PAIRED_PROPORTIONS,
            *TWO_SAMPLES,
        )
    ),
)


def method_named(text: str) -> MethodSpec:
    """The method of a name with its parameters, or with the method that it rests on.

    >>> method_named("dirichlet:.25").name, method_named("mover:wilson").title
    ('dirichlet:mass=0.25', 'MOVER of Wilson')
    """
    outer, _, inner = text.partition(":")
    if inner.strip() and outer in METHODS and METHODS[outer].takes_intervals:
        return METHODS[outer].putting_together(_single_sample_method(inner.strip()))
    name, given = parse_name(text, lambda name: METHODS[name].parameters)
    return METHODS[name].with_parameters(given)


def _single_sample_method(text: str) -> MethodSpec:
    """A method whose intervals can be put together."""
    method = method_named(text)
    if method.takes_two_samples:
        raise OptionError(
            f"method {method.name!r} compares two samples; {mover.__name__} puts together the "
            "intervals of two"
        )
    return method
