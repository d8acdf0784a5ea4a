"""Models given as arrays, columns of a frame, or a mapping: what each knows of its cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halfwidth.core.errors import DataError, OptionError, quoted, shown
from halfwidth.core.option_names import spelled
from halfwidth.core.row_labels import has_columns, only_counts, row_labels
from halfwidth.data.families import ModelCases


def models_of(
    models: Any, common: Mapping[str, Any], *, argument: str = "models"
) -> tuple[ModelCases, ...]:
    """The models of a mapping or of the columns of a frame.

    Parameters
    ----------
    models : mapping of str to array-like, or data frame
    common : mapping of str to array-like or None
        What belongs to the cases: ``target``, ``groups``, ``strata``, ``weights``.
    argument : str
        What messages call the models.

    Raises
    ------
    DataError, OptionError
        If it is neither, names a model twice, or labels some models by case and others not.
    """
    given = _by_name(models, argument)
    for what, column in common.items():
        if column is not None and not is_column(column):
            raise DataError(f"{what}: expected an entry for each case, got {shown(column)}")
    indices = {name: _labels(values) for name, values in given.items()}
    common_labels = {name: _labels(values) for name, values in common.items()}
    labelled = [index for index in indices.values() if index is not None]
    if not labelled:
        labelled = [index for index in common_labels.values() if index is not None][:1]
    if not labelled:
        plain = tuple(ModelCases(name, values, **common) for name, values in given.items())
        _check_lengths(plain)
        return plain
    made = []
    for name, values in given.items():
        index = indices[name]
        if index is None:
            index = _by_place(name, values, labelled[0])
        made.append(
            ModelCases(
                name,
                _without_labels(values),
                tuple(index.tolist()),
                **{what: _aligned(what, column, index, name) for what, column in common.items()},
            )
        )
    return tuple(made)


def refuse_cases_of_no_model(models: Sequence[ModelCases], target: Any) -> None:
    """Refuse true classes, labelled by case, of cases for which no model predicts anything.

    Cases that some models have are there to be matched.

    Raises
    ------
    DataError
    """
    labels = _labels(target)
    if labels is None or any(model.identities is None for model in models):
        return
    known = {identity for model in models for identity in model.identities or ()}
    lacking = [label for label in labels.tolist() if label not in known]
    if lacking:
        raise DataError(
            f"{len(lacking)} of {len(labels)} cases of the true classes have no prediction of any "
            f"model ({quoted(lacking[:3])}); leave them out of both"
        )


def names_models(given: Any) -> bool:
    """Whether something names models: a mapping, or a frame with a column for each."""
    return isinstance(given, Mapping) or has_columns(given)


def _by_name(models: Any, argument: str) -> dict[str, Any]:
    if isinstance(models, Mapping):
        names, columns = list(models), models
    elif has_columns(models):
        names, columns = list(models.columns), models
        if len(set(names)) < len(names):
            repeated = sorted({str(name) for name in names if names.count(name) > 1})
            raise DataError(f"model(s) {quoted(repeated)} appear more than once")
    else:
        raise OptionError(
            f"{spelled(argument, models)} is neither a mapping from names to values, {{'A': a, "
            "'B': b}, nor a frame with a column for each"
        )
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        raise DataError(f"models {quoted(sorted(texts))} have names that read the same")
    found = {text: columns[name] for text, name in zip(texts, names, strict=True)}
    for text, values in found.items():
        if not is_column(values):
            raise DataError(f"model {text!r}: expected one value per case, got {shown(values)}")
    return found


def is_column(values: Any) -> bool:
    """Whether something has an entry for each case."""
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
        return False
    return getattr(values, "ndim", 1) > 0


def _labels(values: Any) -> Any:
    """The labels of cases that values carry; None where they merely count them."""
    index = None if values is None else row_labels(values)
    return None if index is None or only_counts(index) else index


def _by_place(name: str, values: Any, index: Any) -> Any:
    if len(values) != len(index):
        raise DataError(
            f"model {name!r} has {len(values)} values without labels of cases, and another model "
            f"{len(index)} with labels: label all by case"
        )
    return index


def _without_labels(values: Any) -> Any:
    return values.reset_index(drop=True) if hasattr(values, "reset_index") else values


def _aligned(what: str, column: Any, index: Any, name: str) -> Any:
    """A column of the cases in the order of a model's own."""
    if column is None:
        return None
    labels = _labels(column)
    if labels is None:
        if len(column) != len(index):
            raise DataError(
                f"{what} has {len(column)} entries without labels of cases, and model {name!r} "
                f"{len(index)} cases"
            )
        return column
    if labels.has_duplicates:
        raise DataError(f"{what} has labels of cases that repeat")
    places = labels.get_indexer(index)
    absent = index[places < 0]
    if len(absent):
        raise DataError(
            f"{what} lacks {len(absent)} of the {len(index)} cases of model {name!r} "
            f"({quoted(absent[:3].tolist())})"
        )
    return column.iloc[places].reset_index(drop=True)


def _check_lengths(models: tuple[ModelCases, ...]) -> None:
    """Refuse targets, clusters or strata of another number of cases than the models have."""
    for model in models:
        for what in ("target", "groups", "strata", "weights"):
            column = getattr(model, what)
            if column is not None and len(column) != len(model):
                raise DataError(
                    f"model {model.name!r} has {len(model)} cases and {what} {len(column)} entries"
                )
