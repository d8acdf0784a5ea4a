"""``check``: what is wrong with data, before anything is estimated from them."""

from __future__ import annotations

from typing import Any

from halfwidth.audit.audited import audited
from halfwidth.core.errors import OptionError
from halfwidth.data.case_values import CaseValues
from halfwidth.results.audit import Audit
from halfwidth.verbs.given import as_data


def check(data: Any, *, metric: Any = None) -> Audit:
    """What is wrong with values of cases, before anything is estimated from them.

    Parameters
    ----------
    data : CaseValues; or data frame, mapping of str to frames, or array-like
        What is given as frames and arrays becomes data with the usual options. Where no columns are
        named that tell rows apart (``model``, ``by``), those across which cases repeat do, such as
        models and structures. Several tables are of a model each, and are compared with each other.
    metric : str, MetricSpec or metric function, optional
        What the values are: ``"dsc"``, ``"hd95"``, ``"nsd:tolerance=3"``, ...; decides range,
        unit and which direction is better. Those of the catalogue are ``halfwidth.METRICS``.

    Returns
    -------
    Audit
        A finding for each fault, with its code, how much it matters, where it is and what to do;
        empty where nothing was found.

    Raises
    ------
    DataError
        If there is no column of numbers.
    OptionError, UnknownNameError
        For options that do not fit the data, and for data that hold no values of cases.

    Examples
    --------
    >>> import pandas as pd, halfwidth as hw
    >>> audit = hw.check(pd.DataFrame({"case": ["a", "b", "b"], "dice": [0.91, 88.0, None]}))
    >>> [(finding.code, str(finding.severity)) for finding in audit]
    [('HW101', 'warning'), ('HW102', 'warning'), ('HW904', 'error')]

    Tables of two models:

    >>> first = pd.DataFrame({"case": list("abcdef"), "dice": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]})
    >>> second = pd.DataFrame({"case": list("abcde"), "dice": [0.8, 0.9, 0.6, 0.7, 0.3]})
    >>> print(hw.check({"A": first, "B": second})[0].message)
    B has no value in 1 of 6 cases in which A has one.
    """
    values = as_data(data, None, metric, estimates=True)
    if not isinstance(values, CaseValues):
        raise OptionError(
            f"{type(values).__name__} cannot be checked: estimate and compare refuse what they "
            "cannot use. Give values of cases (CaseValues), such as a table with a metric for each "
            "case"
        )
    return audited(values.with_metric(metric))
