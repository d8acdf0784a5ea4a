"""What a study of quantiles over few runs says beside Lehmann & Paromau (2025), section 4.1.

halfwidth study run examples/quantiles-of-runs.toml --store quantiles/ --jobs 2
python examples/quantiles_of_runs.py quantiles/
"""

from __future__ import annotations

import sys

import pandas as pd

import halfwidth as hw

METHODS = ("exact", "exact_randomized", "asymptotic", "semiparametric")
ESTIMATORS = ("sample_quantile", "interpolated_quantile", "bootstrap_median", "quantile")
LEVEL = "split_part(statistic, '=', 2)::DOUBLE AS q"

LEVELS = "SELECT DISTINCT confidence_level FROM cells ORDER BY 1"
INTERVALS = f"""
    SELECT {LEVEL}, n, method, median(coverage_defined) AS coverage,
           median(width_mean_relative) AS width
    FROM cells
    WHERE confidence_level = {{level}} AND starts_with(statistic, 'sample_quantile')
    GROUP BY ALL
"""
MEAN = """
    SELECT n, min(coverage) AS least, max(coverage) AS most, median(width_mean_relative) AS width
    FROM cells WHERE statistic = 'mean' AND confidence_level = {level} GROUP BY n ORDER BY n
"""
POINTS = f"""
    SELECT split_part(statistic, ':', 1) AS estimator, {LEVEL}, n,
           avg(abs(bias / truth)) AS bias, avg(rmse / abs(truth)) AS rmse
    FROM cells
    WHERE confidence_level = 0.9 AND method = 'exact' AND statistic LIKE '%:q=%'
    GROUP BY ALL
"""
# Of the populations that end at 0 and 1.
OUTSIDE = f"""
    SELECT {LEVEL}, n, avg(share_outside) AS share
    FROM cells
    WHERE method = 'semiparametric' AND confidence_level = 0.9
      AND starts_with(statistic, 'sample_quantile') AND instance NOT LIKE '%normal%'
    GROUP BY ALL
"""


def markdown(frame: pd.DataFrame) -> str:
    """A table of text in Markdown, its index as the first column."""
    head = ["q", *map(str, frame.columns)]
    rows = [[f"{q:g}", *row] for q, row in zip(frame.index, frame.to_numpy(), strict=True)]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *rows])


def in_words(found: pd.DataFrame, first: str, second: str, digits: int) -> pd.Series:
    """Two columns as one, "0.902 (0.57)"; a dash where a method gives no interval."""
    return pd.Series(
        [
            "–" if pd.isna(a) else f"{a:.3f} ({b:.{digits}f})"
            for a, b in zip(found[first], found[second], strict=True)
        ],
        index=found.index,
    )


def main() -> None:
    """Print the tables of ``docs/runs.md``."""
    results = hw.study.open(sys.argv[1])
    for level in results.query(LEVELS)["confidence_level"]:
        found = results.query(INTERVALS.format(level=level))
        found["said"] = in_words(found, "coverage", "width", 2)
        for n, part in found.groupby("n"):
            print(f"\nlevel {level:g}, n = {n}: coverage (width), medians over populations\n")
            table = part.pivot_table(index="q", columns="method", values="said", aggfunc="first")
            print(markdown(table[list(METHODS)]))
        print(f"\nlevel {level:g}: t for the mean\n")
        print(results.query(MEAN.format(level=level)).round(3).to_string(index=False))
    found = results.query(POINTS)
    found["said"] = in_words(found, "bias", "rmse", 3)
    for n, part in found.groupby("n"):
        print(f"\nn = {n}: |bias| (RMSE) over the true value, means over populations\n")
        table = part.pivot_table(index="q", columns="estimator", values="said", aggfunc="first")
        print(markdown(table[list(ESTIMATORS)]))
    found = results.query(OUTSIDE)
    found["said"] = [f"{share:.3f}" for share in found["share"]]
    print("\nshare of the length of semiparametric intervals beyond 0 and 1\n")
    print(markdown(found.pivot_table(index="q", columns="n", values="said", aggfunc="first")))


if __name__ == "__main__":
    main()
