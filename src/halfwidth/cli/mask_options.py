"""Options of the verb that scores masks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from halfwidth.cli import completion
from halfwidth.cli.command import Group
from halfwidth.core.errors import OptionError
from halfwidth.core.spec import Takes
from halfwidth.metrics.catalogue import METRICS

MASK_METRICS = tuple(spec.name for spec in METRICS if spec.takes is Takes.MASKS)
MaskMetrics = Annotated[
    list[str],
    typer.Option(
        "--metric",
        help="Repeatable, or a list with commas, or 'all' (but clDice); the names stand at the end "
        "of this help. Parameters after a colon: hd:percentile=99, hd95:definition=surface.",
        metavar="NAME",
        autocompletion=completion.mask_metrics,
        rich_help_panel=Group.ESTIMATE,
    ),
]
Tolerance = Annotated[
    str | None,
    typer.Option(
        help="In mm, for nsd, and as the distance of boundary_iou; or msd:TASK, that of a task of "
        "the Medical Segmentation Decathlon (msd:liver is 7).",
        metavar="MM",
        rich_help_panel=Group.ESTIMATE,
    ),
]
ToleranceFile = Annotated[
    Path | None,
    typer.Option(
        help="TOML with a tolerance for each label: liver = 3, and default = 2 for others.",
        metavar="FILE",
        rich_help_panel=Group.ESTIMATE,
    ),
]
LabelNames = Annotated[
    Path | None,
    typer.Option(
        "--label-names",
        help='JSON with names of the values of label maps: {"liver": 1, "both": [1, 2]}, or '
        "nnU-Net's dataset.json. Default: the values found.",
        metavar="FILE",
        rich_help_panel=Group.MASKS,
    ),
]
OnlyLabels = Annotated[
    list[str] | None,
    typer.Option(
        "--label",
        help="Score this label or region only; repeatable, or a list with commas.",
        metavar="NAME",
        show_default=False,
        rich_help_panel=Group.MASKS,
    ),
]
Regions = Annotated[
    list[str] | None,
    typer.Option(
        "--region",
        help="Score a union of labels too: whole=1+2+4, lungs=Lung-Lt+Lung-Rt; repeatable.",
        metavar="NAME=A+B",
        show_default=False,
        rich_help_panel=Group.MASKS,
    ),
]
Binary = Annotated[
    bool,
    typer.Option(
        "--binary",
        help="Every value above 0 is one label, 'foreground'.",
        rich_help_panel=Group.MASKS,
    ),
]
Spacing = Annotated[
    str | None,
    typer.Option(
        help="Millimetres per voxel instead of those in the files: one number, or one for each "
        "axis in the order of the array (slices first, but for some .npy): 2.5,0.98,0.98. 1 "
        "measures in voxels.",
        metavar="MM",
        rich_help_panel=Group.MASKS,
    ),
]
IgnoreGeometry = Annotated[
    bool,
    typer.Option(
        "--ignore-geometry",
        help="Compare voxel by voxel even where spacing, orientation or origin differ.",
        rich_help_panel=Group.MASKS,
    ),
]
AllowMissing = Annotated[
    bool,
    typer.Option(
        "--allow-missing",
        help="Score a case without a prediction as missed; default: an error.",
        rich_help_panel=Group.MASKS,
    ),
]
MaxVoxels = Annotated[
    int | None,
    typer.Option(
        help="Refuse images of more voxels before they are unpacked; those with labels above 255 "
        "count twice. Default: 512 x 512 x 1600, which fit into 3 GB of memory.",
        metavar="N",
        show_default=False,
        rich_help_panel=Group.MASKS,
    ),
]


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
