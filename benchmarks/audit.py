"""How many planted faults `halfwidth check` finds in real tables, and what it says of clean ones.

``python benchmarks/audit.py ../shared/data/touchstone`` prints the tables of decision 0060. Clean
tables are two models on cases drawn from the real ones; each fault is planted into such tables.
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

import halfwidth as hw

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from faults import FAULTS, Tables

REPEATS, SIZES = 20, (20, 50, 200)


def drawn(folder: Path, n: int, seed: int) -> Tables:
    """Two models on some of the cases of which they have any value."""
    rng = np.random.default_rng(seed)
    files = sorted(folder.glob("*_dsc.csv"))
    chosen = [files[place] for place in rng.choice(len(files), 2, replace=False)]
    tables = {one.stem: pd.read_csv(one).rename(columns={"name": "case"}) for one in chosen}
    some = next(iter(tables.values())).set_index("case").notna().sum(axis=1) >= 3
    cases = rng.choice(some.index[some], n, replace=False)
    return {name: one.set_index("case").loc[cases].reset_index() for name, one in tables.items()}


def main() -> None:
    """Print how often each fault is found, and which codes clean tables raise."""
    folder = Path(sys.argv[1])
    tables = {(n, seed): drawn(folder, n, seed) for n in SIZES for seed in range(REPEATS)}
    print("| fault | codes | " + " | ".join(f"n = {n}" for n in SIZES) + " |")
    print("| --- | --- |" + " ---: |" * len(SIZES))
    for name, fault in FAULTS.items():
        found: Counter[int] = Counter()
        for n, seed in itertools.product(SIZES, range(REPEATS)):
            spoiled = fault.plant(tables[n, seed], np.random.default_rng(seed))
            codes = set(hw.check(spoiled, metric="dsc").codes)
            own = set(fault.codes) - set(hw.check(tables[n, seed], metric="dsc").codes)
            found[n] += (
                bool(codes & own) if own else hw_counts(spoiled, tables[n, seed], fault.codes)
            )
        shares = " | ".join(f"{100 * found[n] / REPEATS:.0f} %" for n in SIZES)
        print(f"| {name} | {', '.join(fault.codes)} | {shares} |", flush=True)
    print("\n| code, of clean tables | " + " | ".join(f"n = {n}" for n in SIZES) + " |")
    raised = {n: Counter[str]() for n in SIZES}
    for (n, _), clean in tables.items():
        raised[n].update(hw.check(clean, metric="dsc").codes)
    for code in sorted(set().union(*raised.values())):
        print(f"| {code} | " + " | ".join(f"{raised[n][code]} of {REPEATS}" for n in SIZES) + " |")


def hw_counts(spoiled: Tables, clean: Tables, codes: tuple[str, ...]) -> bool:
    """Whether a code that clean tables raise too is raised of more places or values."""

    def weight(tables: Tables) -> int:
        audit = hw.check(tables, metric="dsc")
        return sum(finding.count for finding in audit if finding.code in codes)

    return weight(spoiled) > weight(clean)


if __name__ == "__main__":
    main()
