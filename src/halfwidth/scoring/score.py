"""The public functions that score masks: of arrays, and of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfwidth.core.errors import DataError, OptionError, shortened
from halfwidth.core.option_names import spelled
from halfwidth.core.processes import check_jobs
from halfwidth.io.label_maps import as_labels
from halfwidth.io.writers import check_table_path, write_table
from halfwidth.metrics.boundary import hd95
from halfwidth.metrics.masks import as_spacing
from halfwidth.metrics.overlap import dsc
from halfwidth.scoring.assemble import assemble
from halfwidth.scoring.cases import score_maps
from halfwidth.scoring.checkpoint import Checkpoint
from halfwidth.scoring.pairs import match_files
from halfwidth.scoring.run import score_cases
from halfwidth.scoring.scores import COLUMNS, Scores
from halfwidth.scoring.scoring_options import (
    Labels,
    ScoringOptions,
    settings_for_label_maps,
    settings_for_structures,
)

METRICS = (dsc.__name__, hd95.__name__)


def score_masks(
    prediction: Any,
    reference: Any,
    metrics: str | Sequence[str] = METRICS,
    *,
    spacing: ArrayLike | None = None,
    tolerance: float | str | Mapping[str, float] | None = None,
    labels: Labels = None,
    only: str | Sequence[str] | None = None,
    regions: str | Sequence[str] = (),
) -> Scores:
    """Metrics of every label of a predicted and a reference label map, given as arrays.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D; or mappings of case to array
        Label maps (0 is background), or masks of booleans, of the same shape.
    metrics : str or sequence of str
        Names with parameters: ``"dsc"``, ``"hd:percentile=99"``, ``"nsd:definition=surface"``.
        ``"all"`` means all but clDice.
    spacing : float or sequence of float, optional
        Millimetres per voxel: one number, or one for each axis in the order of the array; 1
        measures in voxels. Default: those in the files.
    tolerance : float, str or mapping, optional
        In mm, for ``nsd``, and as the distance of ``boundary_iou``; or that of a task of the
        Medical Segmentation Decathlon (``"msd:liver"`` is 7).
    labels : path or mapping, optional
        Names of the values of label maps: ``{"liver": 1, "both": [1, 2]}``, or a JSON file of
        them such as nnU-Net's dataset.json; default: the values found.
    only : str or sequence of str, optional
        The labels or regions to score, by name or number; default: all.
    regions : str or sequence of str, default ()
        Unions of labels, scored besides: ``whole=1+2+4``, ``lungs=Lung-Lt+Lung-Rt``.

    Returns
    -------
    Scores
        A value and a status for each case, label and metric, and cautions; ``to_frame()`` is what
        `CaseValues.from_table` takes.

    Raises
    ------
    DataError
        If arrays are no label maps, or shapes differ.
    OptionError
        If an option is not allowed, or something needed is not given.

    Examples
    --------
    >>> import numpy as np
    >>> reference = np.zeros((40, 40), dtype=np.uint8)
    >>> reference[5:15, 5:25], reference[20:35, 8:30] = 1, 2
    >>> scores = score_masks(np.roll(reference, 1, axis=0), reference, "dsc,hd95", spacing=0.5)
    >>> scores.value("dsc", label="1"), scores.value("hd95", label="2")
    (0.9, 0.5)
    """
    options = ScoringOptions(metrics, tolerance, None, labels, only, regions, spacing)
    settings = settings_for_label_maps(options)
    cases = []
    for case, (predicted, truth) in _array_pairs(prediction, reference).items():
        steps = as_spacing(settings.spacing, truth.ndim)
        cases.append(score_maps(case, predicted, truth, steps, settings))
    return assemble(cases, settings, in_voxels=options.in_voxels)


def score_folders(
    predictions: str | Path,
    references: str | Path,
    metrics: str | Sequence[str] = METRICS,
    *,
    tolerance: float | str | Mapping[str, float] | None = None,
    tolerance_file: str | Path | None = None,
    labels: Labels = None,
    only: str | Sequence[str] | None = None,
    regions: str | Sequence[str] = (),
    binary: bool = False,
    spacing: ArrayLike | None = None,
    ignore_geometry: bool = False,
    allow_missing: bool = False,
    match: tuple[str, str] | None = None,
    max_voxels: int | None = None,
    jobs: int = 1,
    out: str | Path | None = None,
) -> Scores:
    """Metrics of every label of every case of two folders of masks.

    Parameters
    ----------
    predictions, references : path
        Two files; two folders of label maps with the same names; or two folders with a subfolder
        for each case that holds a file for each structure.
    metrics : str or sequence of str
        As of `score_masks`. In folders of structures names of labels are those of the files.
    tolerance : float, str or mapping, optional
        In mm, for ``nsd``, and as the distance of ``boundary_iou``; or that of a task of the
        Medical Segmentation Decathlon (``"msd:liver"`` is 7). One for all labels, or one for
        each.
    tolerance_file : path, optional
        TOML with a tolerance for each label: ``liver = 3``, and ``default = 2`` for others.
    labels : path or mapping, optional
        Names of the values of label maps: ``{"liver": 1, "both": [1, 2]}``, or a JSON file of
        them such as nnU-Net's dataset.json; default: the values found.
    only : str or sequence of str, optional
        The labels or regions to score, by name or number; default: all.
    regions : str or sequence of str, default ()
        Unions of labels, scored besides: ``whole=1+2+4``, ``lungs=Lung-Lt+Lung-Rt``.
    binary : bool, default False
        Every value above 0 is one label, ``foreground`` (0 and 255 in pictures, say).
    spacing : float or sequence of float, optional
        Millimetres per voxel: one number, or one for each axis in the order of the array; 1
        measures in voxels. Default: those in the files. Metrics that measure distances or
        volumes need it.
    ignore_geometry : bool, default False
        Compare voxel by voxel even where spacing, orientation or origin differ. The spacing is
        that of the reference.
    allow_missing : bool, default False
        Score a case without a prediction as missed; default: an error.
    match : pair of str, optional
        How predictions and references are named where their names differ, ``{case}`` standing
        for what they share: ``{case}_pred`` and ``{case}_gt``. Both may lie in one folder.
    max_voxels : int, optional
        Images of more voxels are refused; default: 512 x 512 x 1600, so that a process stays
        below 3 GB. Images with labels above 255 count twice, above 65535 four times.
    jobs : int, default 1
        Processors to use, -1 for all; the result is the same.
    out : path, optional
        The file that the table is written to: ``.csv``, ``.tsv`` or ``.parquet``. What is done
        is kept beside it, in ``OUT.partial``, until all is, so that the same call goes on where
        it was cut off.

    Returns
    -------
    Scores

    Raises
    ------
    DataError
        If folders do not match, a file cannot be read, or grids differ.
    OptionError
        If an option is not allowed, or something needed is not given.

    See Also
    --------
    score_masks : the same for arrays in memory.
    """
    options = ScoringOptions(
        metrics, tolerance, tolerance_file, labels, only, regions, spacing, max_voxels
    )
    options.metric_choice()
    options.checked_max_voxels()
    workers, output = check_jobs(jobs), None if out is None else Path(out)
    if output is not None:
        check_table_path(output)
    matched = match_files(
        Path(predictions), Path(references), allow_missing=allow_missing, match=match
    )
    in_folders = None not in matched.cases[0].references
    if in_folders:
        settings = settings_for_structures(
            options, matched.cases, binary=binary, ignore_geometry=ignore_geometry
        )
    else:
        settings = settings_for_label_maps(options, binary=binary, ignore_geometry=ignore_geometry)
    checkpoint = None if output is None else Checkpoint(output, settings)
    cases, known = score_cases(matched.cases, settings, jobs=workers, checkpoint=checkpoint)
    notes = [*matched.notes, *(checkpoint.notes if checkpoint else ())]
    if known:
        notes.append(f"{known} of {len(cases)} cases were scored by an earlier run")
    scores = assemble(
        cases, settings, in_voxels=options.in_voxels, in_folders=in_folders, notes=notes
    )
    if output is not None and checkpoint is not None:
        write_table(COLUMNS, scores.rows, output)
        # Only now is everything safe.
        checkpoint.end()
    return scores


# --------------------------------------------------------------------------- arrays


def _array_pairs(prediction: Any, reference: Any) -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    if isinstance(prediction, Mapping) != isinstance(reference, Mapping):
        raise OptionError("give two arrays, or two mappings of case to array")
    if not isinstance(prediction, Mapping):
        return {"1": _pair(prediction, reference, "")}
    unlike = [str(case) for case in {**prediction, **reference} if case not in prediction]
    unlike += [str(case) for case in prediction if case not in reference]
    if unlike:
        raise DataError(f"predictions and references hold different cases: {shortened(unlike)}")
    if not reference:
        raise DataError("predictions and references hold no case")
    return {
        str(case): _pair(prediction[case], reference[case], f" of case {case}")
        for case in reference
    }


def _pair(prediction: Any, reference: Any, whose: str) -> tuple[NDArray[Any], NDArray[Any]]:
    predicted = _array(prediction, f"prediction{whose}")
    truth = _array(reference, f"reference{whose}")
    if predicted.shape != truth.shape:
        raise DataError(
            f"prediction{whose} has shape {predicted.shape}, its reference {truth.shape}: label "
            "maps of one image have the same shape"
        )
    return predicted, truth


def _array(values: Any, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise DataError(f"{spelled(name, values)} has rows of different lengths") from None
    if array.ndim not in (2, 3) or not array.size:
        raise DataError(f"{name} has shape {array.shape}; a label map has 2 or 3 axes, none empty")
    return as_labels(Path(name), array)
