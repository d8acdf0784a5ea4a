"""Files of the folds of a cross-validation: together they hold the cases of one model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from halfwidth.core.frozen import frozen

FOLD = "fold"
# The folder or the file of one fold, and the folder in which nnU-Net keeps all folds together.
OF_ONE = re.compile(r"(^|/)fold[_-]?(\d+)(?=[./]|$)", re.IGNORECASE)
OF_ALL = re.compile(r"crossval_results_folds_[\d_]+")


@frozen
class Folds:
    """The files of one model, by their folds."""

    files: Mapping[str, Path]

    def __str__(self) -> str:
        """The first file, and how many others there are."""
        first, *others = self.files.values()
        return f"{first} and those of {len(others)} other fold{'s' if len(others) > 1 else ''}"


# What holds the results of one model.
ModelFile = Path | Folds


def fold_of(path: str) -> str | None:
    """The fold that a path is of.

    >>> fold_of("3d_fullres/fold_2/validation/summary.json"), fold_of("manifold_2.csv")
    ('2', None)
    """
    folds = OF_ONE.findall(path.replace("\\", "/"))
    return folds[-1][1] if folds else None


def joined_folds(paths: Sequence[Path], names: Sequence[str]) -> list[tuple[str, Path, ModelFile]]:
    """Models with a path to call them by: files that differ in nothing but their fold are one's.

    ``names``: those that were given to the models; empty where none was.
    """
    by_model: dict[tuple[str, str], list[Path]] = {}
    for path, name in zip(paths, names, strict=True):
        by_model.setdefault((name, OF_ONE.sub(r"\1fold", path.as_posix())), []).append(path)
    models: list[tuple[str, Path, ModelFile]] = []
    for (name, common), files in by_model.items():
        folds = {fold: path for path in files if (fold := fold_of(path.as_posix())) is not None}
        if len(folds) == len(files) > 1:
            ordered = dict(sorted(folds.items(), key=lambda one: int(one[0])))
            models.append((name, Path(common), Folds(ordered)))
        else:
            models += [(name, path, path) for path in files]
    return models


def files_of(model: ModelFile) -> dict[str, Path]:
    """The files of a model, by their folds; of no fold where there is but one.

    >>> files_of(Path("dice.csv"))
    {'': ...Path('dice.csv')}
    """
    return dict(model.files) if isinstance(model, Folds) else {"": model}
