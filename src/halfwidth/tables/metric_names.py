"""The metric that the name of a column or of a file holds."""

from __future__ import annotations

import re

from halfwidth.metrics.all_metrics import METRICS


def metric_in(name: str) -> tuple[str, str, str] | None:
    """The metric that a name holds, and the text before and behind it; None for none or several.

    >>> metric_in("MedFormer_dsc"), metric_in("surface-dice liver"), metric_in("ages")
    (('dsc', 'MedFormer_', ''), ('nsd', '', ' liver'), None)
    """
    words = list(re.finditer(r"[^\s_\-.()\[\]]+", name))
    spans: list[tuple[int, int, str]] = []
    for length in range(len(words), 0, -1):
        for first in range(len(words) - length + 1):
            start, end = words[first].start(), words[first + length - 1].end()
            within = any(start < e and s < end for s, e, _ in spans)
            if not within and name[start:end] in METRICS:
                spans.append((start, end, METRICS[name[start:end]].name))
    if len(spans) != 1:
        return None
    ((start, end, metric),) = spans
    return metric, name[:start], name[end:]
