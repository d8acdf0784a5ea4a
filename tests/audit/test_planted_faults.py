"""Faults planted into clean tables are found, and the clean tables raise nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from faults import FAULTS, MISSED, Tables

import halfwidth as hw

N = 60


def clean() -> Tables:
    """Two models on the same cases; which organs a case has does not depend on the model."""
    rng = np.random.default_rng(8)
    present = rng.uniform(size=(N, 4)) < [0.95, 0.9, 0.7, 0.5]
    hard = rng.normal(0, 0.03, (N, 1))
    tables = {}
    for model in ("unet", "vit"):
        values = np.clip(0.88 + hard + rng.normal(0, 0.03, (N, 4)), 0.1, 0.999)
        table = pd.DataFrame(np.where(present, values, np.nan), columns=list(ORGANS))
        table.insert(0, "case", [f"c{at:02d}" for at in range(N)])
        tables[model] = table
    return tables


ORGANS = ("liver", "spleen", "pancreas", "bladder")
CLEAN = clean()


def codes(tables: Tables) -> set[str]:
    return set(hw.check(tables, metric="dsc").codes)


def test_clean_tables_have_missing_values_and_no_faults() -> None:
    assert codes(CLEAN) == {"HW101"}
    for table in CLEAN.values():
        assert set(hw.check(table, metric="dsc").codes) == {"HW101"}


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in MISSED])
def test_a_planted_fault_is_found(name: str) -> None:
    fault = FAULTS[name]
    spoiled = fault.plant(CLEAN, np.random.default_rng(1))
    assert codes(spoiled) & set(fault.codes), name
    # What is found has a place and something to do.
    for finding in hw.check(spoiled, metric="dsc"):
        assert finding.table
        assert finding.remedy
        assert len(finding.cases) <= 5
        assert "{" not in finding.message


@pytest.mark.parametrize("name", MISSED)
def test_what_is_said_to_be_missed_is(name: str) -> None:
    fault = FAULTS[name]
    assert codes(fault.plant(CLEAN, np.random.default_rng(1))) == {"HW101"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_clean_tables_of_many_kinds_raise_nothing(seed: int) -> None:
    """Skewed, tight and failing models of 12 to 300 cases, as fractions and as distances."""
    rng = np.random.default_rng((60, seed))
    n = int(rng.integers(12, 300))
    cases = [f"c{at}" for at in range(n)]
    dsc = {
        name: rng.beta(a, b, n) for name, (a, b) in {"x": (8, 2), "y": (60, 2), "z": (2, 2)}.items()
    }
    assert hw.check(pd.DataFrame({"case": cases} | dsc), metric="dsc").codes == ()
    voxels = np.sqrt(rng.integers(1, 90, n))
    distances = {"a": rng.lognormal(1, 1, n), "b": voxels}
    assert hw.check(pd.DataFrame({"case": cases} | distances), metric="hd95").codes == ()
