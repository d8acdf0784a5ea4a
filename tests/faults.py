"""Faults as tables of results have them, each planted into clean tables of two models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

# A column `case` and a column of DSC for each organ, by model.
Tables = dict[str, pd.DataFrame]
Generator = np.random.Generator


@dataclass(frozen=True)
class Fault:
    """A way to spoil tables, and the codes of which one must be raised."""

    plant: Callable[[Tables, Generator], Tables]
    codes: tuple[str, ...]


def organs(table: pd.DataFrame) -> list[str]:
    return [name for name in table.columns if name != "case"]


def _first(tables: Tables) -> tuple[str, pd.DataFrame]:
    name = next(iter(tables))
    return name, tables[name].copy()


def in_some_cases(value: Callable[[pd.Series], object], cases: int) -> Callable[..., Tables]:
    """Replace present values of one organ of the first model."""

    def plant(tables: Tables, rng: Generator) -> Tables:
        name, table = _first(tables)
        organ = rng.choice(organs(table))
        present = np.flatnonzero(table[organ].notna())
        rows = rng.choice(present, min(cases, len(present)), replace=False)
        replaced = table[organ].astype(object)
        replaced.iloc[rows] = [value(one) for one in table[organ].iloc[rows]]
        whole = all(isinstance(one, float) for one in replaced)
        table[organ] = replaced.astype(float) if whole else replaced
        return {**tables, name: table}

    return plant


def in_table(change: Callable[[pd.DataFrame, Generator], pd.DataFrame]) -> Callable[..., Tables]:
    """Change the table of the first model."""

    def plant(tables: Tables, rng: Generator) -> Tables:
        name, table = _first(tables)
        return {**tables, name: change(table, rng)}

    return plant


def _with_mean(filled: float | None, off: float = 0.0) -> Callable[..., pd.DataFrame]:
    def change(table: pd.DataFrame, _: Generator) -> pd.DataFrame:
        values = table[organs(table)]
        means = (values if filled is None else values.fillna(filled)).mean() + off
        return pd.concat([table, means.to_frame().T.assign(case="mean")], ignore_index=True)

    return change


def _two_organs(table: pd.DataFrame, rng: Generator) -> list[str]:
    return [str(one) for one in rng.choice(organs(table), 2, replace=False)]


def _exchanged(table: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    first, second = _two_organs(table, rng)
    return table.rename(columns={first: second, second: first})


def _copied_column(table: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    first, second = _two_organs(table, rng)
    return table.assign(**{second: table[first]})


def _case_again(table: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    values = table[organs(table)].notna().sum(axis=1)
    row = table.iloc[[int(rng.choice(np.flatnonzero(values >= min(3, len(organs(table))))))]]
    return pd.concat([table, row.assign(case="other")], ignore_index=True)


def _spelled(table: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    organ = str(rng.choice(organs(table)))
    return table.rename(columns={organ: organ.capitalize()})


def _one_organ_in_per_cent(table: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    organ = str(rng.choice(organs(table)))
    return table.assign(**{organ: 100 * table[organ]})


def _a_third_in_per_cent(table: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    organ = str(rng.choice(organs(table)))
    factor = np.where(rng.permutation(len(table)) % 3 == 0, 100, 1)
    return table.assign(**{organ: factor * table[organ]})


def _copied_rows(table: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    rows = table.iloc[rng.choice(len(table), 2, replace=False)]
    return pd.concat([table, rows], ignore_index=True)


def _same_ids(table: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    first, second = rng.choice(len(table), 2, replace=False)
    table.loc[first, "case"] = table.loc[second, "case"]
    return table


def _without_cases(table: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    present = np.flatnonzero(table[organs(table)].notna().any(axis=1))
    return table.drop(index=table.index[rng.choice(present, 2, replace=False)])


def _other_ids(table: pd.DataFrame, _: Generator) -> pd.DataFrame:
    return table.assign(case=table["case"].str.upper() + ".nii.gz")


def _two_patients(table: pd.DataFrame, _: Generator) -> pd.DataFrame:
    return table.assign(patient=[f"p{at // 2}" for at in range(len(table))])


def _constant(table: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    return table.assign(**{str(rng.choice(organs(table))): 0.5})


def _shuffled(table: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    organ = str(rng.choice(organs(table)))
    present = np.flatnonzero(table[organ].notna())
    values = table[organ].to_numpy(copy=True)
    values[present] = values[rng.permutation(present)]
    return table.assign(**{organ: values})


def _same_model(tables: Tables, _: Generator) -> Tables:
    first, second = tables
    return {**tables, second: tables[first].copy()}


def _without_failures(tables: Tables, _: Generator) -> Tables:
    """The failures of a model are left empty, and the other one has values there."""
    name, table = _first(tables)
    values = table[organs(table)]
    lowest = values.rank(method="first") <= 3
    return {**tables, name: table.assign(**values.mask(lowest))}


FAULTS: Mapping[str, Fault] = {
    "5 failures entered as 0": Fault(in_some_cases(lambda _: 0.0, 5), ("HW103",)),
    "5 empty masks counted as 1": Fault(in_some_cases(lambda _: 1.0, 5), ("HW919",)),
    "5 failures entered as 0.5": Fault(in_some_cases(lambda _: 0.5, 5), ("HW920",)),
    "one missing value as -1": Fault(in_some_cases(lambda _: -1.0, 1), ("HW906",)),
    "one missing value as 999": Fault(in_some_cases(lambda _: 999.0, 1), ("HW906",)),
    "an organ in per cent": Fault(in_table(_one_organ_in_per_cent), ("HW904",)),
    "a third of an organ in per cent": Fault(
        in_table(_a_third_in_per_cent), ("HW904", "HW905", "HW906")
    ),
    "2 rows twice": Fault(in_table(_copied_rows), ("HW913",)),
    "a case under two ids": Fault(in_table(_case_again), ("HW914",)),
    "two cases with one id": Fault(in_table(_same_ids), ("HW102",)),
    "two scans of each patient": Fault(in_table(_two_patients), ("HW402",)),
    "an organ spelled otherwise": Fault(in_table(_spelled), ("HW909",)),
    "an organ copied over another": Fault(in_table(_copied_column), ("HW910",)),
    "two organs exchanged in a model": Fault(in_table(_exchanged), ("HW923",)),
    "2 cases left out of a model": Fault(in_table(_without_cases), ("HW911",)),
    "other spelling of all ids of a model": Fault(in_table(_other_ids), ("HW909",)),
    "failures of a model left empty": Fault(_without_failures, ("HW911",)),
    "the results of a model twice": Fault(_same_model, ("HW801",)),
    "a constant column": Fault(in_table(_constant), ("HW908",)),
    "one word among the numbers": Fault(in_some_cases(lambda _: "failed", 1), ("HW916",)),
    "one decimal comma": Fault(
        in_some_cases(lambda one: f"{float(str(one)):.4f}".replace(".", ","), 1), ("HW917",)
    ),
    "a row of means": Fault(in_table(_with_mean(None)), ("HW901",)),
    "means off by 0.01": Fault(in_table(_with_mean(None, 0.01)), ("HW902",)),
    "means with absent organs as 0": Fault(in_table(_with_mean(0.0)), ("HW903",)),
    "values rounded to 2 decimals": Fault(in_table(lambda table, _: table.round(2)), ("HW915",)),
    "2 failures entered as 0": Fault(in_some_cases(lambda _: 0.0, 2), ("HW103",)),
    "one value 0.2 too low": Fault(in_some_cases(lambda one: max(one - 0.2, 0.0), 1), ("HW920",)),
    "an organ shuffled among cases": Fault(in_table(_shuffled), ("HW911", "HW914", "HW923")),
}
# Faults that leave no trace, or too little of one.
MISSED = (
    "2 failures entered as 0",
    "one value 0.2 too low",
    "an organ shuffled among cases",
)
