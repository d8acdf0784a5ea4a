"""Cautions: coded warnings that travel with a result, each with a remedy and a docs anchor.

HW1xx is about the data, HW2xx about the sample, HW3xx about the method, HW4xx about the design,
HW5xx about the choice of the metric, HW6xx about the instances of a study, HW7xx about training
runs, HW80x to HW86x about comparisons of models, HW87x and HW88x about detections, HW9xx about
what tables hold.
A code, once published, never changes its meaning.
"""

from __future__ import annotations

from halfwidth.core.audit_cautions import AUDIT_CAUTIONS
from halfwidth.core.caution_spec import Caution, CautionSpec
from halfwidth.core.choice_cautions import CHOICE_CAUTIONS
from halfwidth.core.comparison_cautions import COMPARISON_CAUTIONS
from halfwidth.core.detection_cautions import DETECTION_CAUTIONS
from halfwidth.core.errors import UnknownNameError
from halfwidth.core.method_cautions import METHOD_CAUTIONS
from halfwidth.core.run_cautions import RUN_CAUTIONS
from halfwidth.core.sample_cautions import SAMPLE_CAUTIONS

CAUTIONS = (
    *SAMPLE_CAUTIONS,
    *METHOD_CAUTIONS,
    *CHOICE_CAUTIONS,
    *RUN_CAUTIONS,
    *COMPARISON_CAUTIONS,
    *DETECTION_CAUTIONS,
    *AUDIT_CAUTIONS,
)

_BY_CODE = {spec.code: spec for spec in CAUTIONS}


def explain(code: str) -> CautionSpec:
    """The caution with this code.

    Raises
    ------
    UnknownNameError
        If there is none.

    Examples
    --------
    >>> explain("HW302").title
    'basic bootstrap'
    """
    spec = _BY_CODE.get(code.strip().upper()) if isinstance(code, str) else None
    if spec is None:
        raise UnknownNameError("caution", code, _BY_CODE)
    return spec


def caution(code: str, **numbers: object) -> Caution:
    """Raise the caution with this code, its message filled in."""
    spec = explain(code)
    return Caution(spec, spec.message.format(**numbers))
