"""Options of the verb that scores masks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from halfwidth.cli.option_groups import declared
from halfwidth.core.errors import OptionError
from halfwidth.core.spec import Takes
from halfwidth.metrics.all_metrics import METRICS

MASK_METRICS = tuple(spec.name for spec in METRICS if spec.takes is Takes.MASKS)
MaskMetrics = Annotated[
    list[str],
    declared(
        "metrics",
        more="Repeatable, or a list with commas; the names stand at the end of this help.",
    ),
]
Tolerance = Annotated[str | None, declared("tolerance")]
ToleranceFile = Annotated[Path | None, declared("tolerance_file")]
Match = Annotated[tuple[str, str] | None, declared("match", "score_folders")]
LabelNames = Annotated[str | None, declared("labels", "score")]
OnlyLabels = Annotated[
    list[str] | None, declared("only", more="Repeatable, or a list with commas.")
]
Regions = Annotated[list[str] | None, declared("regions", more="Repeatable.")]
Binary = Annotated[bool, declared("binary")]
Spacing = Annotated[
    str | None, declared("spacing", more="Such as 2.5,0.98,0.98; slices first, but for some .npy.")
]
IgnoreGeometry = Annotated[bool, declared("ignore_geometry")]
AllowMissing = Annotated[bool, declared("allow_missing")]
MaxVoxels = Annotated[int | None, declared("max_voxels")]


def parse_spacing(text: str | None) -> Any:
    """``"1"`` as a number, ``"2.5,0.98,0.98"`` as three."""
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.replace("x", ",").split(",")]
    except ValueError:
        raise OptionError(
            f"--spacing {text!r} is not a number of mm, nor one for each axis: 2.5,0.98,0.98"
        ) from None
    return numbers[0] if len(numbers) == 1 else numbers
