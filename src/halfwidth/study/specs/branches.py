"""Sources of a spec whose data belong to a branch: the module of the branch that knows them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, cast

from halfwidth.core.option_table.option import DataKind
from halfwidth.estimation.functionals import Policies
from halfwidth.estimation.records import Functional
from halfwidth.measuring.kinds import module_of
from halfwidth.study.specs.spec import DetectedRow, DetectionSource, Instance
from halfwidth.study.specs.toml_sections import Section


class BranchSources(Protocol):
    """A module of a branch: its sections of a spec, and the instances that they name."""

    def source_of(self, section: Section, /) -> DetectionSource:
        """What a section says."""

    def instances_of(self, source: DetectionSource, folder: Path, /) -> Iterator[Instance]:
        """The instances of a source."""

    def functional_of(self, detected: DetectedRow, policies: Policies, /) -> Functional:
        """What is computed of the images of an instance."""


def detection_sources() -> BranchSources:
    """The part of a study that detection brings."""
    kind: Any = module_of(DataKind.DETECTIONS)
    return cast("BranchSources", importlib.import_module(kind.STUDY))
