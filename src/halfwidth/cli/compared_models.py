"""The tables of the models that are compared, as the command line names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from halfwidth.cli import reading
from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.io.table import Table
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.tables.challenge_columns import MODEL_COLUMNS
from halfwidth.tables.folds import ModelFile, joined_folds
from halfwidth.tables.layout import layout_of


@frozen
class Columns:
    """Columns that hold the models, their values and what belongs to the cases, as given.

    ``sides``: of the first and the second model in one table, columns of predictions if
    ``predicted``, else of scores; ``takes_sides``: whether the verb has options for them.
    """

    model: str | None = None
    case: str | None = None
    value: Sequence[str] = ()
    target: str | None = None
    score: Sequence[str] = ()
    prediction: str | None = None
    further: Sequence[str] = ()
    sides: tuple[Sequence[str], Sequence[str]] = ((), ())
    predicted: bool = False
    takes_sides: bool = True

    @property
    def has_test_set(self) -> bool:
        """Whether any option is of a test set."""
        return bool(self.target or self.score or self.prediction or any(self.sides))

    @property
    def named(self) -> list[str | None]:
        """All columns; None where an option names none."""
        several = (*self.value, *self.score, *chain(*self.sides), *self.further)
        return [self.model, self.case, self.target, self.prediction, *several]

    def check(self, n_files: int) -> None:
        """Refuse what does not go together."""
        if n_files > 1 and self.model is not None:
            raise OptionError(
                f"--model {self.model} names the models of one table, and there are {n_files} "
                "files, each of one model; leave out --model, or give one file"
            )
        if self.has_test_set:
            self._check_test_set(n_files)

    def _check_test_set(self, n_files: int) -> None:
        kind = "prediction" if self.predicted else "score"
        if self.target is None:
            raise OptionError("--score and --prediction need --target COLUMN, the true classes")
        if any(self.sides):
            if not all(self.sides):
                lacking = "b" if self.sides[0] else "a"
                raise OptionError(
                    f"--{kind}-a and --{kind}-b go together; --{kind}-{lacking} is missing"
                )
            if self.score or self.prediction:
                raise OptionError(
                    f"--{kind}-a and --{kind}-b name a column for each model; leave out --score "
                    "and --prediction, which name one column for all models"
                )
            if n_files > 1 or self.model:
                raise OptionError(
                    f"--{kind}-a and --{kind}-b need one table with columns for both models; with "
                    f"{'several files' if n_files > 1 else '--model'} give one --{kind}"
                )
            if list(self.sides[0]) == list(self.sides[1]):
                raise OptionError(f"--{kind}-a and --{kind}-b name the same column")
        elif bool(self.score) == (self.prediction is not None):
            alternative = ", or --score-a and --score-b of one table" if self.takes_sides else ""
            raise OptionError(
                "--target needs --score COLUMN (one for each class, or that of the positive one) "
                "or --prediction COLUMN" + ("; not both" if self.score else alternative)
            )


# The file of a model, or those of its folds.
File = TypeVar("File")


@frozen
class Models:
    """The tables of models, and the columns that data are made of; ``model`` holds the models."""

    tables: Table | Mapping[str, Table]
    model: str | None = None
    value: Any = None
    score: Any = None
    prediction: Any = None

    @property
    def each(self) -> list[Table]:
        """The tables, however many."""
        return [self.tables] if isinstance(self.tables, Table) else list(self.tables.values())


def named_files(texts: Sequence[str], model_from: str | None = None) -> dict[str, Path]:
    """Files by the names of their models: ``NAME=FILE``, else the file's own name.

    Files of one name in several folders are called by their folders, and where these are called
    alike too, by the parts of their paths that differ. ``model_from`` names one of `NAMED_FROM`.

    >>> sorted(named_files(["unet/dice.csv", "vit/dice.csv"]))
    ['unet', 'vit']
    >>> list(named_files(["B=new.csv", "results/old.csv.gz"]))
    ['B', 'old']
    >>> list(named_files(["a/fold_0/val/summary.json", "b/fold_0/val/summary.json"]))
    ['a', 'b']
    """
    names, paths = names_and_paths(texts)
    return _called(list(zip(names, paths, paths, strict=True)), model_from)


def named_models(texts: Sequence[str], model_from: str | None = None) -> dict[str, ModelFile]:
    """Files by the names of their models; those that differ in their fold alone are of one model.

    >>> list(named_models(["a/fold_0/dice.csv", "a/fold_1/dice.csv", "b/dice.csv"]))
    ['fold', 'b']
    >>> list(named_models(["one=fold_0/dice.csv", "two=fold_1/dice.csv"]))
    ['one', 'two']
    """
    names, paths = names_and_paths(texts)
    return _called(joined_folds(paths, names), model_from)


def names_and_paths(texts: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Each file with the name that it was given, if any."""
    paths, names = [], []
    for text in texts:
        name, equals, file = text.partition("=")
        as_named = bool(equals and name and file) and not Path(text).exists()
        paths.append(Path(file if as_named else text))
        names.append(name if as_named else "")
    for path in paths:
        same = [other for other in paths if str(other) == str(path) or _is_same(other, path)]
        if len(same) > 1:
            raise OptionError(f"{path} is given twice: a model cannot be compared with itself")
    return names, paths


def _called(models: Sequence[tuple[str, Path, File]], model_from: str | None) -> dict[str, File]:
    """What is there of each model by its name: the one given, else one from its path."""
    if model_from is not None and model_from not in NAMED_FROM:
        raise UnknownNameError("--model-from", model_from, NAMED_FROM)
    if model_from is not None and all(name for name, _, _ in models):
        raise OptionError("--model-from has no effect: every file is given as NAME=FILE")
    paths = [path for _, path, _ in models]
    ways = [NAMED_FROM[model_from]] if model_from is not None else NAMED_FROM.values()
    for way in ways:
        own = way(paths)
        if len(set(own)) == len(own):
            break
    called = [name or by_file for (name, _, _), by_file in zip(models, own, strict=True)]
    repeated = [name for name in called if called.count(name) > 1]
    if repeated:
        first, second, *_ = (
            path for name, path in zip(called, paths, strict=True) if name == repeated[0]
        )
        raise OptionError(
            f"{called.count(repeated[0])} files would have the name {repeated[0]!r}; give each its "
            f"own: A={first} B={second}"
        )
    return {name: file for name, (_, _, file) in zip(called, models, strict=True)}


def _by_file(paths: Sequence[Path]) -> list[str]:
    return [_own_name(path) for path in paths]


def _by_folder(paths: Sequence[Path]) -> list[str]:
    return [path.resolve().parent.name for path in paths]


def _by_path(paths: Sequence[Path]) -> list[str]:
    """The parts of each path in which they differ: what all begin and end with is left out."""
    parts = [(*path.resolve().parent.parts, _own_name(path)) for path in paths]
    for place in (0, -1):
        while min(map(len, parts)) > 1 and len({part[place] for part in parts}) == 1:
            parts = [part[1:] if place == 0 else part[:-1] for part in parts]
    return ["/".join(part) for part in parts]


# What files are called by, in the order in which they are tried.
NAMED_FROM = {"file": _by_file, "folder": _by_folder, "path": _by_path}


def refuse_name_of_one(models: Mapping[str, File], model_from: str | None) -> None:
    """Refuse to be told what files are called where there is one."""
    if model_from is not None and len(models) == 1:
        (file,) = models.values()
        raise OptionError(f"--model-from has no effect on a single file, {file}")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _own_name(path: Path) -> str:
    """The name of a file without its suffixes; a point within the name is none."""
    return path.name.removesuffix(".gz").rsplit(".", 1)[0] if path.name != "-" else "stdin"


def read_models(
    files: Mapping[str, ModelFile],
    columns: Columns,
    reading_options: reading.Options,
    *,
    compared: bool,
    may_be_one: bool,
) -> Models:
    """Read the tables, and find which columns play which part.

    ``compared``: whether models are held against each other, so that tables need common columns and
    several columns of values may be models; ``may_be_one``: whether one table without a column of
    models may be that of a single model.
    """
    columns.check(len(files))
    tables = {name: reading.table_in(path, reading_options) for name, path in files.items()}
    for table in tables.values():
        reading.check_columns(table, columns.named)
    models = Models(
        tables,
        value=list(columns.value) or None,
        score=tuple(columns.score),
        prediction=columns.prediction,
    )
    if len(tables) > 1:
        if compared:
            _check_values(tables, columns)
        return models
    (table,) = tables.values()
    if any(columns.sides):
        return _side_by_side(table, columns)
    alone = replace(models, tables=table, model=columns.model)
    if columns.model or any(name in table for name in MODEL_COLUMNS):
        return alone
    if compared and len(columns.value) > 1:
        return replace(alone, value={name: name for name in columns.value})
    if may_be_one:
        return models if compared else alone
    raise OptionError(_no_models(table, columns))


def _check_values(tables: Mapping[str, Table], columns: Columns) -> None:
    """Refuse tables whose columns of values cannot be those of the same metric and structures."""
    if columns.value or columns.has_test_set:
        return
    layouts = [layout_of(table, [], None, columns.case) for table in tables.values()]
    first, *others = zip(tables.values(), layouts, strict=True)
    for table, layout in others:
        if layout.metric or first[1].metric:
            # The rows of a long table say what its values are of.
            continue
        pair = {first[0].source: first[1].values, table.source: layout.values}
        both = ", ".join(f"{name} has {shortened(values)}" for name, values in pair.items())
        metrics = [{METRICS[one].name for one in each if one in METRICS} for each in pair.values()]
        if all(metrics) and not metrics[0] & metrics[1]:
            raise DataError(f"{both}: different metrics cannot be compared")
        if max(map(len, pair.values())) > 1 and not {*layout.values} & {*first[1].values}:
            raise DataError(f"{both}: they share no column of values; name the columns: --value")


def _side_by_side(table: Table, columns: Columns) -> Models:
    """Columns of each of two models, which go by the name of their column where it is one."""
    names = [
        side[0] if len(side) == 1 else letter
        for side, letter in zip(columns.sides, "AB", strict=True)
    ]
    sides = dict(zip(names, map(tuple, columns.sides), strict=True))
    if columns.predicted:
        return Models(table, prediction={name: side[0] for name, side in sides.items()})
    return Models(table, score=sides)


def _no_models(table: Table, columns: Columns) -> str:
    """What one table without a column of models needs."""
    if columns.has_test_set:
        kind = "prediction" if columns.prediction else "score"
        return (
            f"{table.source} is one table: name the column that holds the model of each row "
            f"(--model COLUMN), or the columns of each (--{kind}-a and --{kind}-b), or give a file "
            "for each model"
        )
    numeric = [name for name in table.names if table.is_numeric(name)]
    return (
        f"{table.source} is one table: name the column that holds the model of each row "
        "(--model COLUMN), or a column of values for each (--value A --value B), or give a file "
        f"for each model. It has {shortened(table.names, 10)}"
        + (f"; numbers in {shortened(numeric, 10)}" if numeric else "")
    )
