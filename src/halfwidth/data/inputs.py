"""Models given as arrays, columns of a frame, or a mapping: what each knows of its cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halfwidth.core.checks import refuse_paths
from halfwidth.core.errors import DataError, OptionError, quoted, shown
from halfwidth.core.option_names import spelled
from halfwidth.core.row_labels import has_columns, only_counts, row_labels
from halfwidth.data.families import OF_CASES, ModelCases, check_names_differ

# What the entries of columns of cases are called.
ENTRIES = {
    "target": "true classes",
    "groups": "labels of groups",
    "strata": "labels of strata",
    "weights": "sample weights",
}


def models_of(
    models: Any, common: Mapping[str, Any], *, argument: str = "models"
) -> tuple[ModelCases, ...]:
    """The models of a mapping or of the columns of a frame; messages call them ``argument``.

    ``common`` is what belongs to the cases: target, groups, strata, weights. An error says so where
    some models are labelled by case and others are not.
    """
    by_name = _by_name(models, argument)
    for column_name, column in common.items():
        if column is not None and not is_column(column):
            raise DataError(f"{column_name}: expected an entry for each case, got {shown(column)}")
    indices = {name: _labels(values) for name, values in by_name.items()}
    labelled = [index for index in indices.values() if index is not None] or [
        index for index in map(_labels, common.values()) if index is not None
    ]
    if not labelled:
        plain = tuple(ModelCases(name, values, **common) for name, values in by_name.items())
        _check_lengths(plain)
        return plain
    cases = []
    for name, values in by_name.items():
        index = indices[name]
        if index is None:
            index = labelled[0]
            if len(values) != len(index):
                raise DataError(
                    f"model {name!r} has {len(values)} values without labels of cases, and another "
                    f"model has {len(index)} with labels; label all of them by case"
                )
        cases.append(
            ModelCases(
                name,
                values.reset_index(drop=True) if hasattr(values, "reset_index") else values,
                tuple(index.tolist()),
                **{key: _aligned(key, column, index, name) for key, column in common.items()},
            )
        )
    return tuple(cases)


def refuse_cases_of_no_model(models: Sequence[ModelCases], target: Any) -> None:
    """Refuse true classes, labelled by case, of cases for which no model predicts anything.

    Cases that some models have are there to be matched.
    """
    labels = _labels(target)
    if labels is None or any(model.identities is None for model in models):
        return
    known = {identity for model in models for identity in model.identities or ()}
    lacking = [label for label in labels.tolist() if label not in known]
    if lacking:
        raise DataError(
            f"{len(lacking)} of {len(labels)} cases have a true class and no prediction of any "
            f"model ({quoted(lacking[:3])}); leave out their true classes"
        )


def names_models(data: Any) -> bool:
    """Whether something names models: a mapping, or a frame with a column for each."""
    return isinstance(data, Mapping) or has_columns(data)


def _by_name(models: Any, argument: str) -> dict[str, Any]:
    refuse_paths(models)
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
    check_names_differ(names)
    by_name = {str(name): columns[name] for name in names}
    for name, values in by_name.items():
        if not is_column(values):
            raise DataError(f"model {name!r}: expected one value per case, got {shown(values)}")
    return by_name


def is_column(values: Any) -> bool:
    """Whether something has an entry for each case."""
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
        return False
    return getattr(values, "ndim", 1) > 0


def _labels(values: Any) -> Any:
    """The labels of cases that values carry; None where they merely count them."""
    index = None if values is None else row_labels(values)
    return None if index is None or only_counts(index) else index


def _aligned(key: str, column: Any, index: Any, model: str) -> Any:
    """A column of the cases in the order of a model's own."""
    if column is None:
        return None
    labels = _labels(column)
    if labels is None:
        if len(column) != len(index):
            raise DataError(
                f"{key} has {len(column)} entries without labels of cases, and model {model!r} "
                f"has {len(index)} cases; label both by case"
            )
        return column
    if labels.has_duplicates:
        raise DataError(f"{key} repeats labels of cases; give each case once")
    places = labels.get_indexer(index)
    absent = index[places < 0]
    if len(absent):
        raise DataError(
            f"{key} lacks {len(absent)} of the {len(index)} cases of model {model!r} "
            f"({quoted(absent[:3].tolist())})"
        )
    return column.iloc[places].reset_index(drop=True)


def _check_lengths(models: tuple[ModelCases, ...]) -> None:
    """Refuse targets, clusters or strata of another number of cases than the models have."""
    for model in models:
        for key in OF_CASES:
            column = getattr(model, key)
            if column is not None and len(column) != len(model):
                raise DataError(
                    f"model {model.name!r} has {len(model)} cases, and there are {len(column)} "
                    f"{ENTRIES[key]}"
                )
