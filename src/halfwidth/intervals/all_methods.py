"""Every CI method the package knows: those that the files of families declare."""

from __future__ import annotations

import importlib

from halfwidth.core.branches import brought
from halfwidth.core.catalogue import Catalogue, listed
from halfwidth.core.declaring import specs_of
from halfwidth.core.errors import OptionError
from halfwidth.core.parameters import parse_name
from halfwidth.core.spec import MethodSpec
from halfwidth.intervals import (
    auc,
    bootstrap,
    delta_method,
    dirichlet_intervals,
    expanded,
    mean,
    paired_proportions,
    proportion,
    quantile,
    rate,
    two_samples,
)

FAMILIES = (
    mean,
    proportion,
    rate,
    bootstrap,
    quantile,
    auc,
    delta_method,
    dirichlet_intervals,
    expanded,
    paired_proportions,
    two_samples,
    *(importlib.import_module(place) for places in brought("METHODS") for place in places),
)

METHODS: Catalogue[MethodSpec] = Catalogue(
    "method", listed(*(spec for family in FAMILIES for spec in specs_of(family)))
)


def method_named(text: str) -> MethodSpec:
    """The method of a name with its parameters, or with the method that it rests on.

    >>> method_named("dirichlet:.25").name, method_named("mover:wilson").title
    ('dirichlet:mass=0.25', 'MOVER of Wilson')
    """
    outer, _, inner = text.partition(":")
    if inner.strip() and outer in METHODS and METHODS[outer].takes_intervals:
        return METHODS[outer].putting_together(_single_sample_method(inner.strip()))
    name, parameters = parse_name(text, lambda name: METHODS[name].parameters)
    return METHODS[name].with_parameters(parameters) if parameters else METHODS[name]


def _single_sample_method(text: str) -> MethodSpec:
    """A method whose intervals can be put together."""
    method = method_named(text)
    if method.takes_two_samples:
        raise OptionError(
            f"method {method.name!r} compares two samples; {two_samples.mover.__name__} puts "
            "together the intervals of two"
        )
    return method
