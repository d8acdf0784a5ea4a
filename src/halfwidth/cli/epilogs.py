"""What the help of some verbs lists at its end: the names that their options take."""

from __future__ import annotations

from collections.abc import Callable

from halfwidth.cli.branch_commands import commands_of_branches
from halfwidth.cli.mask_options import MASK_METRICS
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS
from halfwidth.tables.importers.all_importers import IMPORTERS


def _metrics_epilog() -> str:
    return (
        f"Metrics of per-case values: {', '.join(METRICS.names)}.\n\n"
        f"Metrics of a whole test set: {', '.join(SAMPLE_METRICS.names)}; with parameters, for "
        "example f_beta:beta=2, ppv:prevalence=0.05, cohen_kappa:weights=quadratic."
    )


def _score_epilog() -> str:
    return f"Metrics of masks: {', '.join(MASK_METRICS)}."


def _convert_epilog() -> str:
    known = ", ".join(f"{one.title} ({one.name})" for one in IMPORTERS)
    return f"Results of other programs, with the name for --input-format: {known}."


EPILOGS: dict[str, Callable[[], str]] = {
    "ci": _metrics_epilog,
    "compare": _metrics_epilog,
    "convert": _convert_epilog,
    "gate": _metrics_epilog,
    "rank": _metrics_epilog,
    "score": _score_epilog,
}


def epilog_of(verb: str) -> str | None:
    """What stands at the end of the help of a verb: of the trunk, then of branches."""
    each = [EPILOGS, *(branch.EPILOGS for branch in commands_of_branches())]
    return "\n\n".join(epilogs[verb]() for epilogs in each if verb in epilogs) or None
