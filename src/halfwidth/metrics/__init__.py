"""Metrics: what a number per case or per test set measures, and the functions that compute it.

Sensitivity, specificity, PPV and F_β exist on the cases of a test set, which are the functions of
that name here, and on the voxels of a case: ``metrics.overlap.sensitivity`` and so on.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from halfwidth.metrics.all_metrics import DETECTION_METRICS, METRICS, SAMPLE_METRICS
from halfwidth.metrics.families import exported

if TYPE_CHECKING:
    # Voxels first, whose functions have the names of those of cases.
    from halfwidth.metrics.overlap import *  # noqa: F403, I001 -- all that it declares
    from halfwidth.metrics.agreement import *  # noqa: F403
    from halfwidth.metrics.boundary import *  # noqa: F403
    from halfwidth.metrics.boundary_overlap import *  # noqa: F403
    from halfwidth.calibration.metrics.bins import *  # noqa: F403
    from halfwidth.calibration.metrics.corp import *  # noqa: F403
    from halfwidth.calibration.metrics.kernel_curve import *  # noqa: F403
    from halfwidth.calibration.metrics.kernel_error import *  # noqa: F403
    from halfwidth.calibration.metrics.recalibration import *  # noqa: F403
    from halfwidth.metrics.proper_scores import *  # noqa: F403
    from halfwidth.calibration.metrics.smoothing import *  # noqa: F403
    from halfwidth.metrics.counting import *  # type: ignore[assignment] # noqa: F403
    from halfwidth.metrics.rates import *  # type: ignore[assignment] # noqa: F403
    from halfwidth.detection.metrics.instances import *  # noqa: F403
    from halfwidth.detection.metrics.lesions import *  # noqa: F403
    from halfwidth.detection.metrics.object_counts import *  # noqa: F403
    from halfwidth.detection.metrics.panoptic import *  # noqa: F403
    from halfwidth.detection.metrics.pooled import *  # noqa: F403
    from halfwidth.detection.metrics.ranked import *  # noqa: F403
    from halfwidth.metrics.error import *  # noqa: F403
    from halfwidth.metrics.ranking import *  # noqa: F403
    from halfwidth.metrics.regression import *  # noqa: F403
    from halfwidth.metrics.volume import *  # noqa: F403
    from halfwidth.metrics.masks import MaskPair as MaskPair
    from halfwidth.arithmetic.confusion_tables import (
        confusion_matrix as confusion_matrix,
        one_vs_rest as one_vs_rest,
    )

# What is public beside the metrics.
_HOME = {
    "MaskPair": "halfwidth.metrics.masks",
    "confusion_matrix": "halfwidth.arithmetic.confusion_tables",
    "one_vs_rest": "halfwidth.arithmetic.confusion_tables",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name in _HOME:
        globals()[name] = public = getattr(importlib.import_module(_HOME[name]), name)
        return public
    if name == "__all__":
        catalogues = (METRICS, SAMPLE_METRICS, DETECTION_METRICS)
        return [*_HOME, *dict.fromkeys(name for one in catalogues for name in one.names)]
    return exported(name)


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
