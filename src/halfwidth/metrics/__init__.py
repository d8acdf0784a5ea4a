"""Metrics: what a number per case or per test set measures, and the functions that compute it.

Sensitivity, specificity, PPV and F_β exist on the cases of a test set, which are the functions of
that name here, and on the voxels of a case: ``metrics.overlap.sensitivity`` and so on.
"""

# Voxels first, whose functions have the names of those of cases.
from halfwidth.metrics.overlap import *  # noqa: F403, I001 -- all that it declares
from halfwidth.metrics.agreement import *  # noqa: F403
from halfwidth.metrics.boundary import *  # noqa: F403
from halfwidth.metrics.boundary_overlap import *  # noqa: F403
from halfwidth.metrics.catalogue import DETECTION_METRICS, METRICS, SAMPLE_METRICS
from halfwidth.metrics.counting import *  # type: ignore[assignment] # noqa: F403
from halfwidth.metrics.rates import *  # type: ignore[assignment] # noqa: F403
from halfwidth.metrics.detection.instances import *  # noqa: F403
from halfwidth.metrics.detection.lesions import *  # noqa: F403
from halfwidth.metrics.detection.object_counts import *  # noqa: F403
from halfwidth.metrics.detection.panoptic import *  # noqa: F403
from halfwidth.metrics.detection.pooled import *  # noqa: F403
from halfwidth.metrics.detection.ranked import *  # noqa: F403
from halfwidth.metrics.error import *  # noqa: F403
from halfwidth.metrics.ranking import *  # noqa: F403
from halfwidth.metrics.regression import *  # noqa: F403
from halfwidth.metrics.volume import *  # noqa: F403
from halfwidth.metrics.masks import MaskPair
from halfwidth.metrics.confusion_tables import confusion_matrix, one_vs_rest

__all__ = [  # noqa: PLE0604 -- they are strings
    "MaskPair",
    "confusion_matrix",
    "one_vs_rest",
    *dict.fromkeys([*METRICS.names, *SAMPLE_METRICS.names, *DETECTION_METRICS.names]),
]
