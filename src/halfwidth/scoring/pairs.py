"""Which prediction belongs to which reference: two files, or two folders matched by name.

No image is opened here: the names of files and folders alone identify cases.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from halfwidth.core.errors import DataError, OptionError, closest, proposed, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.natural_order import natural_key
from halfwidth.core.option_names import at_door, flag_of, spelled
from halfwidth.io.images import IMAGE_SUFFIXES, is_image, stem
from halfwidth.io.paths import link_to_nothing

# Files of voxels that belong to a separate header.
DATA_SUFFIXES = (".raw.gz", ".raw", ".zraw", ".img.gz", ".img", ".hdr")
# Words that people and programs add to the name of a case to mark the kind of file.
WORDS = (
    "preds?|predictions?|predicted|seg|segmentation|labels?|labelmap|masks?|gt|truth|groundtruth|"
    "ref|reference|out|output|0000"
)
ENDS = re.compile(rf"^(?:{WORDS})[-_. ]+|[-_. ]+(?:{WORDS})$")
SHOWN = 5
# What stands for the name of a case where names are described.
CASE = "{case}"
EXAMPLE = ("{case}_pred", "{case}_gt")
LOOKED_THROUGH = 10_000


@frozen
class CaseFiles:
    """The files of one case: a label map each, or a file for each structure."""

    case: str
    # ``{None: file}`` for a label map, ``{structure: file}`` for a folder of structures.
    references: Mapping[str | None, Path]
    # The same keys; None where the prediction is missing.
    predictions: Mapping[str | None, Path | None]


@frozen
class MatchedFiles:
    """The cases of two folders, and notes about other files."""

    # In natural order of their names.
    cases: tuple[CaseFiles, ...]
    # Files without a partner or passed over, and how they are treated.
    notes: tuple[str, ...]


def match_files(
    predictions: Path,
    references: Path,
    *,
    allow_missing: bool = False,
    match: Sequence[str] | None = None,
) -> MatchedFiles:
    """Match the files of two folders (or two files) case by case.

    Two files are one case, named by the reference. Two folders hold either one label map for each
    case, matched by the name before the suffix (``a.nii.gz`` and ``a.nrrd`` belong together), or a
    subfolder for each case with a file for each structure. The folders of a *single* case cannot
    be told from folders of label maps: their structures are taken for cases.

    With ``allow_missing`` a reference without a prediction is kept, with None for the file, and a
    prediction without a reference is left out. ``match`` says how those of either side are named:
    what stands for ``{case}`` in both is the case.
    """
    try:
        return _match(predictions, references, allow_missing, match)
    except OSError as error:
        where = error.filename or predictions
        raise DataError(f"{where}: cannot be read ({error.strerror or error})") from None


def _match(
    predictions: Path, references: Path, allow_missing: bool, match: Sequence[str] | None
) -> MatchedFiles:
    patterns = None if match is None else _patterns(match)
    _check_paths(predictions, references, apart=match is None or match[0] == match[1])
    if not references.is_dir():
        if patterns is not None:
            raise OptionError(
                f"{spelled('score_folders.match')} has no effect on two files, which are one case"
            )
        for file in (predictions, references):
            if not is_image(file):
                raise DataError(
                    f"{file}: cannot tell an image from the suffix {file.suffix or '(none)'!r}; "
                    f"use {shortened(IMAGE_SUFFIXES)}{proposed(file.suffix, IMAGE_SUFFIXES)}"
                )
        files = CaseFiles(_case_name(references), {None: references}, {None: predictions})
        return MatchedFiles((files,), ())
    predicted, true = _survey(predictions), _survey(references)
    if patterns is not None:
        predicted, true = map(_called, (predicted, true), patterns, [predictions != references] * 2)
    if predicted.in_folders != true.in_folders:
        raise DataError(
            f"the two folders are laid out differently: {predictions} has "
            f"{predicted.layout_text}, {references} has {true.layout_text}; lay both out alike"
        )
    gaps = _gaps(predicted.cases, true.cases)
    _check_gaps(gaps, predicted, true, allow_missing)
    cases = tuple(
        CaseFiles(case, files, {key: predicted.cases.get(case, {}).get(key) for key in files})
        for case, files in true.cases.items()
    )
    notes = tuple(f"{gap.text}: {gap.outcome}{gap.hint}" for gap in gaps)
    return MatchedFiles(cases, notes + predicted.notes + true.notes)


def _patterns(match: Sequence[str]) -> list[str]:
    """How names of either side begin and end around that of the case, without suffixes."""
    texts = [match] if isinstance(match, str) else list(match)
    if len(texts) != 2 or not all(isinstance(one, str) and one.count(CASE) == 1 for one in texts):
        raise OptionError(
            f"{spelled('score_folders.match', match)} is not a name of predictions and one of "
            f"references, each with {CASE} once, such as {_match_text(EXAMPLE)}"
        )
    return [stem(Path(one)) if is_image(Path(one)) else one for one in texts]


def _match_text(names: Sequence[str]) -> str:
    """The option that pairs predictions and references of these names."""
    return at_door(
        spelled("score_folders.match", tuple(names)),
        f"{flag_of('score_folders.match')} {shlex.join(names)}",
    )


def _called(folder: _Folder, pattern: str, apart: bool) -> _Folder:
    """A folder with the cases of names like that; where both sides lie in it, others are theirs."""
    around = map(re.escape, unicodedata.normalize("NFC", pattern).split(CASE))
    named = re.compile("(.+)".join(around), re.DOTALL)
    found = {name: named.fullmatch(name) for name in folder.cases}
    cases = {name[1]: folder.cases[whole] for whole, name in found.items() if name}
    others = [whole for whole, name in found.items() if not name]
    if not cases:
        raise DataError(
            f"{folder.path}: nothing there is named like {pattern!r}, but {_listed(others)}"
        )
    note = f"{folder.path}: {_count(len(others), 'other name')} left out ({_listed(others)})"
    return replace(folder, cases=cases, notes=(*folder.notes, *[note] * (apart and bool(others))))


def _check_paths(predictions: Path, references: Path, *, apart: bool) -> None:
    for path in (predictions, references):
        _check_exists(path)
    if apart and predictions.samefile(references):
        raise DataError(
            f"predictions and references are the same, {references}: every metric would be "
            "perfect; name the predictions first, then the references; "
            f"{_match_text(EXAMPLE)} tells them apart where both lie in one folder"
        )
    if predictions.is_dir() != references.is_dir():
        file, folder = sorted((predictions, references), key=Path.is_dir)
        raise DataError(
            f"{file} is a file and {folder} a folder; give two files, or two folders that hold "
            "the same cases"
        )


def _check_exists(path: Path) -> None:
    if path.exists():
        return
    if link := link_to_nothing(path):
        raise link
    absent = path
    while not absent.parent.exists():
        absent = absent.parent
    siblings = [p.name for p in absent.parent.iterdir()] if absent.parent.is_dir() else []
    where = "" if absent == path else f": there is no {str(absent)!r}"
    raise DataError(f"{path}: no such file or folder{where}{proposed(absent.name, siblings)}")


@frozen
class _Folder:
    """One of the two folders: its files by case and structure."""

    path: Path
    cases: Mapping[str, Mapping[str | None, Path]]
    in_folders: bool
    notes: tuple[str, ...]

    @property
    def layout_text(self) -> str:
        return "a subfolder for each case" if self.in_folders else "one image for each case"


def _survey(path: Path) -> _Folder:
    files, folders = _visible(path)
    maps, others = _images(files, path)
    structures: dict[str, Mapping[str | None, Path]] = {}
    bare: list[Path] = []
    for folder in folders:
        inner, deeper = _visible(folder)
        images, left = _images(inner, folder)
        bare += deeper if images else [folder]
        if images:
            case = _normalised_name(folder.name, folder)
            if case in structures:
                raise DataError(f"{path}: two subfolders hold case {case!r}; keep one")
            structures[case] = dict(images.items())
            others += left
    if maps and structures:
        raise DataError(
            f"{path}: holds both images ({_listed(maps)}) and subfolders with images "
            f"({_listed(structures)}); keep one image for each case, or a subfolder for each "
            "case with an image for each structure"
        )
    if not maps and not structures:
        raise _no_images_error(path, files, folders)
    cases = structures or {case: {None: file} for case, file in maps.items()}
    cases = {case: cases[case] for case in sorted(cases, key=natural_key)}
    notes = []
    if others:
        notes.append(f"{path}: skipped {_count_suffixes(others)}, which are not images")
    if bare:
        names = _listed([str(folder.relative_to(path)) for folder in bare])
        notes.append(f"{path}: skipped {_count(len(bare), 'subfolder')} ({names})")
    return _Folder(path, cases, bool(structures), tuple(notes))


def _visible(folder: Path) -> tuple[list[Path], list[Path]]:
    """Files and subfolders, without the hidden ones."""
    entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    return [path for path in entries if not path.is_dir()], [p for p in entries if p.is_dir()]


def _images(files: Sequence[Path], folder: Path) -> tuple[dict[str, Path], list[Path]]:
    """Images by the name before their suffix, and the other files."""
    images: dict[str, Path] = {}
    for file in files:
        if not is_image(file):
            continue
        name = _case_name(file)
        if name in images:
            raise DataError(
                f"{folder}: {images[name].name!r} and {file.name!r} both hold {name!r}; "
                "keep the one that is meant"
            )
        if not file.exists():
            raise DataError(f"{file}: is a broken link; fetch the file that it points to")
        images[name] = file
    others = [file for file in files if not is_image(file) and not _belongs(file, images)]
    return images, others


def _belongs(file: Path, images: Mapping[str, Path]) -> bool:
    """Whether a file is known to accompany images: settings, or the voxels of a header."""
    name = unicodedata.normalize("NFC", file.name)
    if name.lower().endswith(".json"):
        return True
    ending = next((end for end in DATA_SUFFIXES if name.lower().endswith(end)), None)
    return ending is not None and name[: -len(ending)] in images


def _case_name(file: Path) -> str:
    return _normalised_name(stem(file), file)


def _normalised_name(name: str, path: Path) -> str:
    """A name with composed accents: macOS decomposes them, other systems do not."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise DataError(f"{str(path)!r}: the name is not text in UTF-8; rename it") from None
    return unicodedata.normalize("NFC", name)


def _no_images_error(path: Path, files: Sequence[Path], folders: Sequence[Path]) -> DataError:
    deeper = next((p for p in sorted(path.glob("*/*/*")) if is_image(p) and not p.is_dir()), None)
    there = [_count_suffixes(files)] if files else []
    there += [_count(len(folders), "subfolder")] if folders else []
    holds = f"it holds {' and '.join(there)}" if there else "it is empty"
    hint = f"; {deeper} lies too deep: name a folder nearer to the images" if deeper else ""
    return DataError(f"{path}: no image ({shortened(IMAGE_SUFFIXES)}) there, {holds}{hint}")


@frozen
class _Gap:
    """Names of one kind without a partner, how they are treated, and a hint for renaming."""

    text: str
    outcome: str
    hint: str = ""


Cases = Mapping[str, Mapping[str | None, Path]]


def _gaps(predicted: Cases, true: Cases) -> list[_Gap]:
    missing = [case for case in true if case not in predicted]
    extra = [case for case in predicted if case not in true]
    absent, spare = _unmatched_structures(true, predicted), _unmatched_structures(predicted, true)
    missed, out = "scored as missed", "left out"
    gaps = []
    if missing:
        text = f"{_count(len(missing), 'reference')} without a prediction ({_listed(missing)})"
        gaps.append(_Gap(text, missed, _rename_hint(missing, extra)))
    if extra:
        text = f"{_count(len(extra), 'prediction')} without a reference ({_listed(extra)})"
        gaps.append(_Gap(text, out))
    if absent:
        text = f"{_count_files(absent)} without a prediction ({_structures_with_cases(absent)})"
        gaps.append(_Gap(text, missed, _rename_hint(list(absent), list(spare))))
    if spare:
        gaps.append(
            _Gap(
                f"{_count_files(spare)} without a reference ({_structures_with_cases(spare)})", out
            )
        )
    return gaps


def _unmatched_structures(these: Cases, those: Cases) -> dict[str, list[str]]:
    """Structures that only one side has, with the cases (shared by both sides) they lack in."""
    places: dict[str, list[str]] = {}
    for case, files in these.items():
        for name in files:
            if name is not None and case in those and name not in those[case]:
                places.setdefault(name, []).append(case)
    return {name: places[name] for name in sorted(places, key=natural_key)}


def _check_gaps(
    gaps: Sequence[_Gap], predicted: _Folder, true: _Folder, allow_missing: bool
) -> None:
    hint = "".join(gap.hint for gap in gaps)
    shared = [case for case in true.cases if case in predicted.cases]
    same = "so that a prediction and its reference have the same name before the suffix"
    if not shared:
        raise DataError(
            f"no prediction is named like a reference: {predicted.path} has "
            f"{_listed(predicted.cases)}, {true.path} has {_listed(true.cases)}{hint}. "
            f"Rename them {same}{_names_hint(predicted.cases, true.cases)}"
        )
    if not any(key in predicted.cases[case] for case in shared for key in true.cases[case]):
        first = shared[0]
        raise DataError(
            f"no structure of a prediction is named like one of its reference: in {first!r}, "
            f"{predicted.path} has {_listed(predicted.cases[first])}, {true.path} has "
            f"{_listed(true.cases[first])}{hint}. Rename them {same}"
        )
    if gaps and not allow_missing:
        raise DataError(
            "predictions and references do not match: "
            f"{'; '.join(gap.text for gap in gaps)}{hint}. Rename them {same}, or use "
            f"{spelled('allow_missing', True)}: what has no prediction is then scored as missed, "
            "what has no reference is left out"
        )


def _rename_hint(missing: Sequence[str], extra: Sequence[str]) -> str:
    """A hint which prediction without a reference looks like a reference without a prediction."""
    by_bare = {_without_kind_words(other): other for other in reversed(extra)}
    # Comparing every pair of names takes too long with thousands of them.
    others = extra if len(missing) * len(extra) <= LOOKED_THROUGH else ()
    matches = [
        (name, by_bare.get(_without_kind_words(name)) or _closest_name(name, others))
        for name in missing
    ]
    pairs = [(name, like) for name, like in matches if like]
    if not pairs:
        return ""
    name, like = pairs[0]
    more = f", and so do {len(pairs) - 1} more" if len(pairs) > 1 else ""
    kind = " (in nnU-Net, '_0000' marks an image, not a mask)" if like.endswith("_0000") else ""
    return f"; the prediction {like!r} looks like the reference {name!r}{more}{kind}"


def _closest_name(name: str, others: Sequence[str]) -> str | None:
    for other in others:
        short, long = sorted((name.casefold(), other.casefold()), key=len)
        if long.startswith(short) and not long[len(short) : len(short) + 1].isalnum():
            return other
    # Names that differ in their numbers are different cases.
    return closest(name, [other for other in others if _numbers(other) == _numbers(name)])


def _without_kind_words(name: str) -> str:
    """The name in lower case without the words that mark the kind of file."""
    bare = name.casefold()
    while (shorter := ENDS.sub("", bare)) not in {"", bare}:
        bare = shorter
    return bare


def _names_hint(predicted: Cases, true: Cases) -> str:
    """A hint what names of either side share, where all of a side are named alike."""
    around = [{_around(name) for name in cases} for cases in (predicted, true)]
    (of_predicted, *others), (of_true, *more) = around
    if others or more or of_predicted == of_true or "_0000" in of_predicted:
        return ""
    return f", or pair them by {_match_text((of_predicted, of_true))}"


def _around(name: str) -> str:
    """What stands around the case in a name."""
    bare = _without_kind_words(name)
    start = name.casefold().find(bare)
    return f"{name[:start]}{CASE}{name[start + len(bare) :]}"


def _numbers(name: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"[0-9]+", name)]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _listed(names: Iterable[str | None]) -> str:
    return shortened([repr(name) for name in names], most=SHOWN)


def _count_suffixes(files: Sequence[Path]) -> str:
    suffixes = Counter(file.suffix.lower() or "no suffix" for file in files)
    kinds = [f"{count} {suffix}" for suffix, count in suffixes.most_common()]
    return f"{_count(len(files), 'other file')} ({shortened(kinds, most=SHOWN)})"


def _count_files(places: Mapping[str, Sequence[str]]) -> str:
    return _count(sum(map(len, places.values())), "structure file")


def _structures_with_cases(places: Mapping[str, Sequence[str]]) -> str:
    """``'Brain' in 8 cases, 'Lens-Lt' in 'case 3'``."""
    texts = [
        f"{name!r} in {_count(len(cases), 'case') if len(cases) > 1 else repr(cases[0])}"
        for name, cases in places.items()
    ]
    return shortened(texts, most=SHOWN)
