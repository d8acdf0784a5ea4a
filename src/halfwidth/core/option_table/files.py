"""Options of files: of masks, and of detections and the objects to be found."""

from __future__ import annotations

from typing import Final

from halfwidth.core.option_table.option import Group, Option

FILES_OF_DETECTIONS: Final[dict[str, Option]] = {
    "role": Option(
        "Scores are of detections; crowds, ignored objects and areas of references.",
        default="detections",
        choices=("detections", "references"),
    ),
    "format": Option(
        '``"coco"``, ``"table"``, ``"yolo"``, ``"voc"``, ``"labels"`` or '
        '``"probabilities"``; ``"auto"`` tells it from the names of files.',
        default="auto",
        choices=("auto", "coco", "table", "yolo", "voc", "labels", "probabilities"),
        metavar="FORMAT",
        group=Group.DETECTIONS,
    ),
    "masks": Option(
        "Whether masks are read where there are some; boxes alone take less time and memory.",
        default=True,
    ),
    "read_objects.groups": Option(
        "What names the cluster of each image: a field of the images of COCO, a column of a "
        "table, or the path of a table with a column of images and one of these.",
        type="str, optional",
        default=None,
    ),
    "read_objects.strata": Option(
        "What names the stratum of each image, as the cluster.", type="str, optional", default=None
    ),
    "box_format": Option(
        'Of boxes whose columns leave it open: ``"xyxy"`` (two corners), ``"xywh"`` (the low '
        'corner and the sides) or ``"cxcywh"`` (the centre and the sides).',
        "Default of boxes in memory: two corners.",
        type='{"xyxy", "xywh", "cxcywh"}, optional',
        default=None,
        choices=("xyxy", "xywh", "cxcywh"),
        metavar="NAME",
        group=Group.DETECTIONS,
    ),
    "box_convention": Option(
        'Corners are places (``"continuous"``) or the first and the last pixel '
        '(``"inclusive"``); default: inclusive for Pascal VOC, else continuous.',
        type='{"continuous", "inclusive"}, optional',
        default=None,
        choices=("continuous", "inclusive"),
        metavar="NAME",
        group=Group.DETECTIONS,
    ),
    "columns": Option(
        "Columns of a table by role: image, class, score, box (four or six, with commas), point, "
        "radius, diameter, crowd, ignored, area.",
        type="mapping, optional",
        default=None,
        metavar="ROLE=COLUMN",
        group=Group.DETECTIONS,
        flag="--column",
    ),
    "images": Option(
        "All images, those without objects among them, where the references name only others: a "
        "text with a name in each line, a table, or a folder.",
        type="path or sequence of str, optional",
        default=None,
        metavar="FILE",
        group=Group.DETECTIONS,
    ),
    "image_sizes": Option(
        "Of YOLO's images: a folder with them, a table, or COCO JSON.",
        "Or (width, height) by name.",
        type="path or mapping, optional",
        default=None,
        metavar="FILE",
        group=Group.DETECTIONS,
    ),
    "class_names": Option(
        "Names of classes that are numbered: a text with a name in each line.",
        "Or names by number.",
        type="path, sequence or mapping, optional",
        default=None,
        metavar="FILE",
        group=Group.DETECTIONS,
    ),
    "instances": Option(
        "In label maps objects are the labels, or the components of each label, a class.",
        type='{"labels", "components"}, optional',
        default=None,
        choices=("labels", "components"),
        metavar="labels|components",
        group=Group.DETECTIONS,
        flag="--objects",
    ),
    "read_objects.scores": Option(
        "Of the instances of label maps: a table with columns image, label and score.",
        type="path or data frame, optional",
        default=None,
    ),
    "candidates": Option(
        "The way from maps of probabilities to candidates, their components: "
        "``threshold=0.5,score=max``.",
        type="str or mapping, optional",
        default=None,
        metavar="OPTIONS",
        group=Group.DETECTIONS,
    ),
    "excluded": Option(
        "Table of findings that need not be found, as LUNA16's ``annotations_excluded.csv``.",
        type="path or data frame, optional",
        default=None,
        metavar="FILE",
        group=Group.DETECTIONS,
    ),
    "detections.format": Option(flag="--detections-format"),
    "references.format": Option(flag="--references-format"),
}

MASKS: Final[dict[str, Option]] = {
    "metrics": Option(
        'Names with parameters: ``"dsc"``, ``"hd:percentile=99"``, '
        '``"nsd:definition=surface"``; ``"all"`` means all but clDice.',
        type="str or sequence of str",
        default=("dsc", "hd95"),
        metavar="NAME",
        group=Group.ESTIMATE,
        flag="--metric",
    ),
    "tolerance": Option(
        "In mm, for ``nsd``, and as the distance of ``boundary_iou``; or that of a task of the "
        'Medical Segmentation Decathlon (``"msd:liver"`` is 7).',
        "One for all labels, or one for each.",
        type="float, str or mapping, optional",
        default=None,
        metavar="MM",
        group=Group.ESTIMATE,
    ),
    "tolerance_file": Option(
        "TOML with a tolerance for each label: ``liver = 3``, and ``default = 2`` for others.",
        type="path, optional",
        default=None,
        metavar="FILE",
        group=Group.ESTIMATE,
    ),
    **dict.fromkeys(
        ("score.labels", "score_masks.labels", "score_folders.labels"),
        Option(
            'Names of the values of label maps: ``{"liver": 1, "both": [1, 2]}``, or a JSON file '
            "of them such as nnU-Net's dataset.json; default: the values found.",
            type="path or mapping, optional",
            default=None,
            metavar="FILE|JSON",
            group=Group.MASKS,
            flag="--label-names",
        ),
    ),
    "score_folders.match": Option(
        "How predictions and references are named where their names differ, ``{case}`` standing "
        "for what they share: ``{case}_pred`` and ``{case}_gt``. Both may lie in one folder.",
        type="pair of str, optional",
        default=None,
        metavar="PREDICTION REFERENCE",
        group=Group.MASKS,
    ),
    "only": Option(
        "The labels or regions to score, by name or number; default: all.",
        type="str or sequence of str, optional",
        default=None,
        metavar="NAME",
        group=Group.MASKS,
        flag="--label",
    ),
    "regions": Option(
        "Unions of labels, scored besides: ``whole=1+2+4``, ``lungs=Lung-Lt+Lung-Rt``.",
        type="str or sequence of str",
        default=(),
        metavar="NAME=A+B",
        group=Group.MASKS,
        flag="--region",
    ),
    "binary": Option(
        "Every value above 0 is one label, ``foreground`` (0 and 255 in pictures, say).",
        default=False,
        group=Group.MASKS,
    ),
    "spacing": Option(
        "Millimetres per voxel: one number, or one for each axis in the order of the array; 1 "
        "measures in voxels. Default: those in the files.",
        "Metrics that measure distances or volumes need it.",
        type="float or sequence of float, optional",
        default=None,
        metavar="MM",
        group=Group.MASKS,
    ),
    "ignore_geometry": Option(
        "Compare voxel by voxel even where spacing, orientation or origin differ.",
        "The spacing is that of the reference.",
        default=False,
        group=Group.MASKS,
    ),
    "allow_missing": Option(
        "Score a case without a prediction as missed; default: an error.",
        default=False,
        group=Group.MASKS,
    ),
    "max_voxels": Option(
        "Images of more voxels are refused; default: 512 x 512 x 1600, so that a process stays "
        "below 3 GB.",
        "Images with labels above 255 count twice, above 65535 four times.",
        type="int, optional",
        default=None,
        metavar="N",
        group=Group.MASKS,
    ),
    "jobs": Option(
        "Processors to use, -1 for all; the result is the same.",
        default=1,
        metavar="N",
        group=Group.RUNNING,
    ),
    "out": Option(
        "The file that the table is written to: ``.csv``, ``.tsv`` or ``.parquet``.",
        "What is done is kept beside it, in ``OUT.partial``, until all is, so that the same call "
        "goes on where it was cut off.",
        type="path, optional",
        default=None,
        metavar="FILE",
        group=Group.OUTPUT,
    ),
}
