"""What the shell completes for values of options: names from the catalogues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from halfwidth.core.cautions import CAUTIONS
from halfwidth.core.spec import Takes
from halfwidth.intervals.all_methods import METHODS
from halfwidth.metrics.all_metrics import DETECTION_METRICS, METRICS, SAMPLE_METRICS
from halfwidth.summaries.all_statistics import STATISTICS

Completion = Callable[[str], list[str]]


def starting(incomplete: str, names: Iterable[str]) -> list[str]:
    """Names that go on from what is typed; of a list with commas, from its last part."""
    before, comma, begun = incomplete.rpartition(",")
    names_left = dict.fromkeys(name for name in names if name.startswith(begun))
    return [f"{before}{comma}{name}" for name in names_left]


def one_of(*names: str) -> Completion:
    """The completion of an option that takes one of a few words."""

    def complete(incomplete: str) -> list[str]:
        return starting(incomplete, names)

    return complete


metrics_of_sets = one_of(*SAMPLE_METRICS.names, *DETECTION_METRICS.names)
all_metrics = one_of(*METRICS.names, *SAMPLE_METRICS.names)
mask_metrics = one_of("all", *(spec.name for spec in METRICS if spec.takes is Takes.MASKS))
statistics = one_of(*STATISTICS.names)


def methods(incomplete: str) -> list[str]:
    """CI methods; their catalogue loads here."""
    return starting(incomplete, ("auto", *METHODS.names))


def words_for(name: str, choices: Sequence[str]) -> Completion | None:
    """The completion of an option of the table: names of a catalogue, or its few words."""
    named = {
        "method": methods,
        "metric": all_metrics,
        "metrics": mask_metrics,
        "statistic": statistics,
    }
    return named.get(name) or (one_of(*choices) if choices else None)


def cautions(incomplete: str) -> list[tuple[str, str]]:
    """Codes of cautions, with what they are about."""
    titles = {spec.code: spec.title for spec in CAUTIONS}
    return [(code, titles[code]) for code in starting(incomplete, titles)]
