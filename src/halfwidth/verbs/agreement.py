"""``limits_of_agreement``: how far two measurements of a case lie apart."""

from __future__ import annotations

from typing import Any

from halfwidth.core.checks import as_choice
from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.forms import Effect
from halfwidth.core.option_names import spelled
from halfwidth.core.titles import metric_title
from halfwidth.data.case_values import CaseValues
from halfwidth.estimation.resolve import AUTO
from halfwidth.measuring import case_values
from halfwidth.measuring.plans import Matched
from halfwidth.measuring.quantities import Quantities
from halfwidth.results.agreement import Agreement, agreement_of
from halfwidth.verbs.given import as_data


def limits_of_agreement(
    data: Any,
    other: Any = None,
    *,
    metric: Any = None,
    effect: Effect = "difference",
    share: float = 0.95,
    confidence_level: float = 0.95,
) -> Agreement:
    """The bias between two measurements of the same cases, and their limits of agreement.

    The limits are d̄ ± z s, d̄ and s the mean and SD of the differences: between them lie 95 % of
    the differences, if these are normal and no wider spread for large values than for small ones.
    Where they spread with size, as volumes do, ask for the ratio: the same on logarithms. Intervals
    are exact for normal differences: that of the bias by t, those of the limits by noncentral t.
    With clusters the SD has the components between and within them, the interval of the bias is
    robust to them, and the limits have none.

    Parameters
    ----------
    data : CaseValues; or data frame, or array-like
        Two measurements of each case: values of two models. Of those in a hurry: the measurements
        by their names, a frame with a column of each, or the first ones, which ``other`` follow.
        Cases come in the same order, or as pandas Series with the same labels. What describes them
        (``groups``, ``missing``, ...) is said where `CaseValues` are made.
    other : array-like, optional
        The second measurement of each case, where ``data`` are the first.
    metric : str, MetricSpec or metric function, optional
        What the values are: ``"dsc"``, ``"hd95"``, ``"nsd:tolerance=3"``, ...; decides range,
        unit and which direction is better.
    effect : {"difference", "ratio"}, default "difference"
        First minus second, or first over second. Of raters the ratio is Williams' index: 1
        where the model is like one more rater.
    share : float, default 0.95
        Of the differences between the limits.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.

    Returns
    -------
    Agreement

    Raises
    ------
    DataError, OptionError
        As for `compare`; for fewer than 3 cases, and for a ratio of values that are not
        positive.

    References
    ----------
    Bland and Altman (1999); Carkeet (2015); with clusters Bland and Altman (2007).

    Examples
    --------
    >>> import halfwidth as hw
    >>> agreement = hw.limits_of_agreement([10.1, 12.0, 9.4, 11.2], [9.8, 12.3, 9.0, 11.0])
    >>> [round(limit.value, 2) for limit in (agreement.lower, agreement.bias, agreement.upper)]
    [-0.46, 0.15, 0.76]
    """
    values = as_data(data, other, metric)
    if not isinstance(values, CaseValues):
        raise OptionError(f"limits of agreement need CaseValues, not {values.kind}")
    for option, refused in (("missing", "worst"), ("pairing", "none")):
        if getattr(values, option) == refused:
            raise OptionError(
                f"{spelled(option, refused)} has no meaning for agreement, which needs both values "
                "of each case"
            )
    as_choice("effect", effect)
    request = case_values.request(
        values,
        method=AUTO,
        confidence_level=confidence_level,
        n_resamples=None,
        rng=None,
    )
    how = Matched(request, values.pairing)
    families, _ = case_values.families(values, Quantities(metric), how)
    for family in families:
        if len(family.models) != 2:
            names = shortened(family.models) if any(family.models) else "one without a name"
            raise OptionError(f"limits of agreement need two models, not {names}")
    cases, *others = (one.cases for family in families for one in family.measured(how))
    if others:
        places = shortened([one.label or metric_title(one.metric_spec) for one in (cases, *others)])
        raise OptionError(f"limits of agreement need one level and one metric, not {places}")
    first, second = cases.values
    confidence = float(request.level.confidence_level)
    return agreement_of(cases, first, second, effect, confidence, share=share)
