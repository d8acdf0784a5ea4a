"""Cases that some models have no value for."""

from __future__ import annotations

from collections.abc import Mapping

from halfwidth.core.cautions import Caution, caution


def missing_for_some(lacking: Mapping[str, int], total: int) -> tuple[Caution, ...]:
    """Where a policy leaves out cases that some models lack and others do not."""
    if len(set(lacking.values())) < 2:
        return ()
    counts = ", ".join(f"{count} of {name}" for name, count in lacking.items())
    return (caution("HW806", counts=counts, total=total),)
