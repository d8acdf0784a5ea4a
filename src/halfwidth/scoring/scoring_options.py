"""The options of scoring, checked once before any work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.frozen import frozen
from halfwidth.core.natural_order import natural_key
from halfwidth.core.option_names import spelled
from halfwidth.io.label_maps import MOST_VOXELS
from halfwidth.metrics.masks import as_spacing
from halfwidth.scoring.cases import FOREGROUND, ScoringSettings, StructureUnion
from halfwidth.scoring.label_definitions import (
    Label,
    LabelFile,
    parse_label_names,
    parse_region,
    read_label_file,
    read_label_text,
    select_labels,
    with_regions,
)
from halfwidth.scoring.metric_choice import MetricChoice, choose_metrics
from halfwidth.scoring.pairs import CaseFiles
from halfwidth.scoring.tolerances import resolve_tolerances

Labels = str | Path | Mapping[str, Any] | None


@frozen
class ScoringOptions:
    """The options that the two public functions share, as given."""

    metrics: Any
    tolerance: Any = None
    tolerance_file: str | Path | None = None
    labels: Labels = None
    only: Any = None
    regions: Any = ()
    spacing: Any = None
    max_voxels: Any = None

    def metric_choice(self, *, ignoring: bool = False) -> MetricChoice:
        """The metrics and tolerances."""
        file = None if self.tolerance_file is None else Path(self.tolerance_file)
        tolerances = resolve_tolerances(self.tolerance, file)
        return choose_metrics(_texts("score.metrics", self.metrics), tolerances, ignoring=ignoring)

    def label_file(self) -> LabelFile | None:
        """The names of labels, from a file or a mapping."""
        if self.labels is None:
            return None
        if isinstance(self.labels, Mapping):
            return parse_label_names(
                {str(_plain(name)): _plain(v) for name, v in self.labels.items()}
            )
        if not isinstance(self.labels, str | Path):
            raise OptionError(
                f"{spelled('score.labels', self.labels)} is neither a file nor a mapping of names "
                'to values, such as {"liver": 1, "both": [1, 2]}'
            )
        if isinstance(self.labels, str) and self.labels.lstrip().startswith("{"):
            return read_label_text(self.labels, spelled("score.labels", self.labels))
        return read_label_file(Path(self.labels))

    def selected_labels(self) -> list[str] | None:
        """The labels and regions to score; None for all."""
        if self.only is None:
            return None
        names = [
            part.strip() for text in _texts("score.only", self.only) for part in text.split(",")
        ]
        if not any(names):
            raise OptionError("no label is asked for; name at least one")
        return [name for name in names if name]

    def region_texts(self) -> list[str]:
        """Regions, as texts."""
        return _texts("score.regions", self.regions)

    def checked_spacing(self) -> float | tuple[float, ...] | None:
        """The spacing, checked as far as possible before the number of axes is known."""
        if self.spacing is None:
            return None
        single = np.ndim(self.spacing) == 0
        checked = as_spacing(self.spacing, 3 if single else len(self.spacing))
        return checked[0] if single and checked else checked

    def checked_max_voxels(self) -> int:
        """The most voxels that an image may have."""
        most = MOST_VOXELS if self.max_voxels is None else self.max_voxels
        if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1:
            raise OptionError(
                f"{spelled('max_voxels', most)} must be an integer ≥ 1; the default is "
                f"{MOST_VOXELS}"
            )
        return int(most)

    @property
    def in_voxels(self) -> bool:
        """Whether the spacing says that voxels are the unit."""
        return self.spacing is not None and bool(np.all(np.asarray(self.checked_spacing()) == 1))


def _plain(value: Any) -> Any:
    """Keys and values of a Python mapping as JSON would hold them."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    return [_plain(one) for one in value] if isinstance(value, tuple | list | np.ndarray) else value


def _texts(option: str, value: Any) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, Sequence | tuple) or not all(isinstance(t, str) for t in texts):
        raise OptionError(f"{spelled(option, value)} is neither a text nor a list of texts")
    return list(texts)


# --------------------------------------------------------------------------- label maps


def settings_for_label_maps(
    options: ScoringOptions, *, binary: bool = False, ignore_geometry: bool = False
) -> ScoringSettings:
    """The settings for scoring label maps."""
    file = options.label_file()
    selected_labels, region_texts = options.selected_labels(), options.region_texts()
    ignore = None if file is None else file.ignore
    choice = options.metric_choice(ignoring=ignore is not None)
    if binary and (file is not None or selected_labels is not None or region_texts):
        raise OptionError(
            f"{spelled('binary', True)} makes one label of all; {spelled('score.labels')}, "
            f"{spelled('score.only')} and {spelled('score.regions')} have no effect beside it"
        )
    labels, regions = (
        ((FOREGROUND,), ()) if binary else _labels(file, selected_labels, region_texts)
    )
    settings = ScoringSettings(
        choice,
        labels=labels,
        regions=regions,
        labels_selected=selected_labels is not None,
        ignore=ignore,
        binary=binary,
        spacing=options.checked_spacing(),
        ignore_geometry=ignore_geometry,
        max_voxels=options.checked_max_voxels(),
    )
    if labels is not None:
        _check_labels(choice, [label.name for label in (*labels, *regions)])
    return settings


def _labels(
    file: LabelFile | None, selected_labels: Sequence[str] | None, region_texts: Sequence[str]
) -> tuple[tuple[Label, ...] | None, tuple[Label, ...]]:
    """The labels to score (None: those found in the maps), and the regions."""
    named = () if file is None else file.labels
    regions = with_regions(named, region_texts)[len(named) :]
    if selected_labels is None:
        return (None if file is None else named), regions
    known = [label.name for label in (*named, *regions)]
    if file is None:
        named = tuple(Label(name, (int(name),)) for name in selected_labels if _is_number(name))
        known += ["0", "background"]
        words = [name for name in selected_labels if not _is_number(name) and name not in known]
        if words and not regions:
            raise OptionError(
                f"label {words[0]!r}: label maps hold numbers; give them names with "
                f'{spelled("score.labels")}, {{"liver": 1}} for example'
            )
    labels_chosen = select_labels((*named, *regions), selected_labels)
    return labels_chosen, tuple(region for region in regions if region not in labels_chosen)


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdecimal() and int(name) > 0


# --------------------------------------------------------------------------- folders of structures


def settings_for_structures(
    options: ScoringOptions,
    cases: Sequence[CaseFiles],
    *,
    binary: bool,
    ignore_geometry: bool,
) -> ScoringSettings:
    """The settings for scoring folders of structures, whose names are known before any is read."""
    for name, is_set in (("score.labels", options.labels is not None), ("binary", binary)):
        if is_set:
            raise OptionError(
                f"{spelled(name)} is about label maps; these folders hold a file for each "
                "structure, whose name is the label"
            )
    choice, selected_labels = options.metric_choice(), options.selected_labels()
    held = sorted({str(name) for files in cases for name in files.references}, key=natural_key)
    unions = _unions(options.region_texts(), held)
    every = [*held, *(union.name for union in unions)]
    for name in selected_labels or ():
        if name not in every:
            raise UnknownNameError("structure", name, every)
    structures = (
        None if selected_labels is None else tuple(name for name in selected_labels if name in held)
    )
    scored = held if structures is None else structures
    _check_labels(choice, [*scored, *(union.name for union in unions)])
    return ScoringSettings(
        choice,
        structures=structures,
        unions=unions,
        labels_selected=selected_labels is not None,
        spacing=options.checked_spacing(),
        ignore_geometry=ignore_geometry,
        max_voxels=options.checked_max_voxels(),
    )


def _unions(texts: Sequence[str], held: Sequence[str]) -> tuple[StructureUnion, ...]:
    """Regions as unions of structures; a region may contain an earlier one."""
    known: dict[str, tuple[str, ...]] = {name: (name,) for name in held}
    unions = []
    for text in texts:
        name, members = parse_region(text)
        if name in known:
            raise OptionError(f"region {text!r}: there is a {name!r} already; use another name")
        for member in members:
            if member not in known:
                raise UnknownNameError("structure of a region", member, known)
        known[name] = tuple(dict.fromkeys(part for member in members for part in known[member]))
        unions.append(StructureUnion(name, known[name]))
    return tuple(unions)


def _check_labels(choice: MetricChoice, names: Sequence[str]) -> None:
    """Refuse, before any work, tolerances of unknown labels and labels that lack a tolerance."""
    for label in choice.tolerances.by_label:
        if label not in names:
            raise UnknownNameError("label of a tolerance", label, names)
    for name in names:
        choice.for_label(name)
