"""The subsampling experiment as text, in the columns of El Jurdi et al. (2025)."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable

from halfwidth.core.formatting import decimals_for, fixed
from halfwidth.io.writers import csv_text
from halfwidth.planning.subsampling import Subsamples
from halfwidth.report import page
from halfwidth.report.tables import latex_text, markdown_text, text_table

HEADINGS = [
    "k",
    "mean",
    "SD",
    "SEM",
    "half-width",
    "nu",
    "boot SEM",
    "boot CI",
    "boot nu",
]


def render_subsamples(found: Subsamples, fmt: str) -> str:
    """The experiment as text in one of the `FORMATS`, ending in a line break."""
    return FORMATS[fmt](found)


def _cells(found: Subsamples) -> list[list[str]]:
    # The whole test set is known best, and all rows are read beside it; SEMs are half as large.
    last = found.rows[-1]
    places = decimals_for(last.mean, last.halfwidth) + 1
    rows = []
    for row in found.rows:
        mean, sd, sem, half, boot = (
            fixed(x, places) for x in (row.mean, row.sd, row.sem, row.halfwidth, row.boot_sem)
        )
        interval = f"{fixed(row.boot_low, places)} to {fixed(row.boot_high, places)}"
        nus = fixed(row.nu, 3), fixed(row.boot_nu, 3)
        rows.append([str(row.k), mean, sd, sem, half, nus[0], boot, interval, nus[1]])
    return rows


def _footer(found: Subsamples) -> str:
    unit = f" [{found.metric.unit}]" if found.metric.unit else ""
    return (
        f"{found.metric.spec.called}{unit}: averages over {found.repeats} subsamples of k of "
        f"{found.n} cases; SD with ddof {found.ddof}; {found.n_resamples} resamples, seed "
        f"{found.seed}. nu is the width over the mean; bounds of the bootstrap are relative to its "
        "mean."
    )


def _table(found: Subsamples) -> str:
    shown = text_table(HEADINGS, _cells(found), right=HEADINGS, whole=("boot CI",))
    footer = "\n".join(textwrap.wrap(_footer(found), page.width()))
    return f"{shown}\n{footer}\n"


def _markdown(found: Subsamples) -> str:
    lines = [HEADINGS, ["---:"] * len(HEADINGS), *_cells(found)]
    rows = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"{rows}\n{markdown_text(_footer(found))}\n"


def _latex(found: Subsamples) -> str:
    rows = [" & ".join(latex_text(cell) for cell in row) + r" \\" for row in _cells(found)]
    lines = [
        "% \\usepackage{booktabs}",
        f"\\begin{{tabular}}{{{'r' * len(HEADINGS)}}}",
        "\\toprule",
        " & ".join(HEADINGS) + r" \\",
        "\\midrule",
        *rows,
        "\\bottomrule",
        "\\end{tabular}",
        f"% {_footer(found)}",
    ]
    return "\n".join(lines) + "\n"


def _csv(found: Subsamples) -> str:
    rows = found.to_rows()
    return csv_text(list(rows[0]), (list(row.values()) for row in rows))


def _json(found: Subsamples) -> str:
    return json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


FORMATS: dict[str, Callable[[Subsamples], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}
