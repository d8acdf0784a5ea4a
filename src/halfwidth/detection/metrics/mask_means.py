"""How means of a metric of masks are declared, over matched objects and over lesions alike."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal

from halfwidth.arithmetic.confusion_tables import ratio
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Better, MetricSpec, spec_of
from halfwidth.core.types import Numbers
from halfwidth.detection.forms.declared import ImageSums
from halfwidth.detection.matching.match_lists import Measured
from halfwidth.detection.metrics.object_counts import of_objects

MaskMetric = Callable[..., float]
Mean = Callable[[Numbers, Numbers], Numbers]
# From a metric of masks, its mean and parameters to the sums that the mean is of.
MakesForm = Callable[..., ImageSums]


@frozen
class MeanOf:
    """What a family of means is over, in the words of their documentation."""

    # What is summed, and what is counted.
    total: str
    number: str
    # Where there is no mean.
    undefined: str
    form: MakesForm

    def declare(
        self, mask_metric: MaskMetric, name: str, description: str, *, source: str, **declared: Any
    ) -> Mean:
        """The mean of a metric of masks, as a function of a sum and a number.

        It has the direction, bounds and unit of the metric; the first line of the description says
        what it is.
        """
        spec: MetricSpec = spec_of(mask_metric)

        def mean(total: Numbers, number: Numbers) -> Numbers:
            return ratio(total, number)

        mean.__name__ = mean.__qualname__ = name
        mean.__module__ = str(self.form.__module__)
        mean.__doc__ = self._documentation(name, inspect.cleandoc(description), source)
        return of_objects(
            form=functools.partial(self.form, mask_metric, mean),
            better=spec.better,
            bounds=spec.bounds,
            unit=spec.unit,
            spaced=spec.spaced,
            reliable_n=spec.reliable_n,
            **declared,
        )(mean)

    def _documentation(self, name: str, description: str, source: str) -> str:
        return f"""{description}

Parameters
----------
total : ndarray
    {self.total}
number : ndarray
    {self.number}

Returns
-------
ndarray
    NaN where {self.undefined}.

References
----------
{source}.

Examples
--------
>>> float({name}(18.0, 20))
0.9
"""


def is_distance(mask_metric: MaskMetric) -> bool:
    """Whether a metric of masks is better where it is low, and has no worst value."""
    return spec_of(mask_metric).better is Better.LOWER


def measured(
    of: Literal["pairs", "lesions"], mask_metric: MaskMetric, options: Mapping[str, float]
) -> Measured:
    """A metric of masks with those of the parameters that are its own."""
    spec: MetricSpec = spec_of(mask_metric)
    names = [parameter.name for parameter in spec.parameters]
    return Measured(
        of, spec.name, tuple((name, options[name]) for name in names if name in options)
    )
