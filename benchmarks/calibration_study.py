"""The tables of docs/calibration.md: misses of each end and bias, from the stores of two studies.

halfwidth study run examples/real-calibration.toml --store calibration/
python examples/train_classifiers.py examples/classifiers
halfwidth study run examples/real-calibration-classes.toml --store calibration-classes/
python benchmarks/calibration_study.py calibration/ calibration-classes/
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from halfwidth import study


def main() -> None:
    """Print a table for each store."""
    for store in sys.argv[1:]:
        print("\n".join(table(study.open(Path(store)).to_frame())) + "\n")


def table(frame: pd.DataFrame) -> list[str]:
    """A row for each metric and model; in each size the misses above and below, and the bias."""
    sizes = sorted(frame["n"].unique())
    several = frame["average"].isin(["macro", "top_label"]).any()
    heads = ["metric", *(["of"] if several else []), "model", "truth", *(f"n = {n}" for n in sizes)]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    names = ["metric", "average", "instance"]
    for (metric, average, instance), rows in frame.groupby(names, sort=False):
        by_size = {row.n: row for row in rows.itertuples()}
        cells = [_cell(by_size[n]) if n in by_size else "" for n in sizes]
        truth = _short(rows["truth"].iloc[0])
        of = [str(average).replace("_", " ")] if several else []
        lines.append(f"| {' | '.join([f'`{metric}`', *of, str(instance), truth, *cells])} |")
    return lines


def _cell(row: object) -> str:
    """Misses above and below, in per cent of the intervals that exist, bias, and those missing."""
    samples, undefined = row.samples, row.undefined  # type: ignore[attr-defined]
    made = (samples - undefined) / 100
    if made <= 0:
        return "none"
    above, below = (
        round(share * samples / made, 1)
        for share in (row.missed_above, row.missed_below)  # type: ignore[attr-defined]
    )
    missing = f", none {100 * undefined / samples:.0f} %" if undefined else ""
    bias = row.bias  # type: ignore[attr-defined]
    return f"{above:g} / {below:g} ({bias:+.3f}){missing}"


def _short(value: float) -> str:
    return f"{value + 0.0:.3f}" if abs(value) > 5e-7 else "0"


if __name__ == "__main__":
    main()
