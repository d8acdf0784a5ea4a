"""A first spec of a study from the files of a folder: it runs as it is and lists what to check."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

from halfwidth.core.errors import DataError, HalfwidthError, shortened
from halfwidth.io.paths import link_to_nothing
from halfwidth.study.specs.draft_sections import Block, Line, Unused, scores_blocks, tables_blocks
from halfwidth.study.specs.guessing import files_in
from halfwidth.study.specs.instances import load_instances
from halfwidth.study.specs.parsing import DEFAULTS, parse_spec
from halfwidth.study.specs.spec import FEW_CASES, Instance

SPEC_FILE = "study.toml"
MOST_LISTED = 20


def draft(folder: str | Path, beside: str | Path | None = None) -> str:
    """A commented spec of a study on the data of a folder.

    Every option stands there with its default and what it means; what was guessed is said, such as
    the metric from the name of a file, or per cent from values above 1.5. Files that are of no use
    are named at the end.

    Parameters
    ----------
    folder : str or Path
        With tables of per-case values, or NumPy files ``*_scores.npy`` and ``*_targets.npy``; two
        levels of subfolders are looked through.
    beside : str or Path, optional
        The folder that the spec will lie in, to which its paths are relative; default: ``folder``.

    Returns
    -------
    str
        TOML, which `read_spec` takes as it is.

    Raises
    ------
    DataError
        If the folder does not exist or holds nothing that a study can use.
    """
    root = Path(folder)
    if not root.is_dir():
        raise link_to_nothing(root) or DataError(
            f"{root}: is no folder; name the one that holds the data"
        )
    place = root if beside is None else Path(beside)
    files = files_in(root)
    unused: Unused = []
    blocks = [
        *tables_blocks(files, root, place, unused),
        *scores_blocks(files, root, place, unused),
    ]
    good, bad = _try_blocks(blocks, place)
    if not good:
        reasons = [f"{_shown(file, root)}: {reason}" for file, reason in unused]
        reasons += [reason for _, reason in bad]
        why = f" ({'; '.join(reasons[:3])})" if reasons else ""
        raise DataError(
            f"{root}: holds nothing that a study can use{why}. It reads tables of per-case values "
            "whose name or columns name a metric (liver_dsc.csv), and pairs *_scores.npy, "
            "*_targets.npy"
        )
    known = {file for block in blocks for file in block.files} | {file for file, _ in unused}
    others = [file for file in files if file not in known]
    return (
        "\n\n".join(
            [
                _header(root),
                _study(root, good),
                *(block.text() for block, _ in good),
                *(_commented(block, reason) for block, reason in bad),
                *_footer(unused, others, root),
            ]
        )
        + "\n"
    )


# --------------------------------------------------------------------------- text


def _plain(text: str) -> str:
    """A text on one line of a comment."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))


def _shown(file: Path, root: Path) -> str:
    return file.relative_to(root).as_posix()


def _header(root: Path) -> str:
    return "\n".join(
        [
            f"# A study of confidence intervals on the data of {_plain(str(root))}.",
            "# It runs as it is. Check what was guessed: metrics, scale, missing values.",
            "# Try it first with samples = 200 and resamples = 999. All keys: docs/study-spec.md",
        ]
    )


def _study(root: Path, good: Sequence[tuple[Block, Sequence[Instance]]]) -> str:
    has_cases = any(block.head == "[[tables]]" for block, _ in good)
    has_sets = any(block.head == "[[scores]]" for block, _ in good)
    name = _plain(root.resolve().name) or DEFAULTS["name"]
    settings = {**DEFAULTS, "name": name, "levels": list(DEFAULTS["levels"])}
    meanings = {
        "name": ("of the study, in tables and figures", True),
        "seed": ("the same seed gives the same results", True),
        "sizes": ("cases of a sample", True),
        "samples": ("of each size, a multiple of batches", True),
        "resamples": ("of each sample, in a bootstrap", True),
        "batches": ("with draws of their own", True),
        "levels": ("confidence levels", True),
        "alternative": ('"two-sided", "lower", "upper"', True),
        "statistics": ("also trimmed_mean, sd, iqr, quantile:q=0.9", has_cases),
        "metrics": ("of test sets; also balanced_accuracy, f1, mcc", has_sets),
        "averages": ("also micro, weighted, binary, none", has_sets),
        "methods": ('"all", or such as ["auto", "percentile", "bca"]', True),
        "absent_class": ('"omit", "zero" or "undefined"', has_sets),
        "truth_draws": ("cases drawn where no formula gives the truth", True),
    }
    lines = [Line(key, settings[key], *meanings[key]) for key in DEFAULTS]
    return "\n".join(["[study]", *map(str, lines)])


def _commented(block: Block, reason: str) -> str:
    inner = "\n".join(f"# {line}" for line in block.text().splitlines())
    return f"# This does not work yet: {_plain(reason)}\n{inner}"


def _footer(unused: Unused, others: Sequence[Path], root: Path) -> Iterable[str]:
    if unused:
        lines = [f"#   {_plain(_shown(file, root))}: {_plain(reason)}" for file, reason in unused]
        more = [f"#   and {len(lines) - MOST_LISTED} more"] if len(lines) > MOST_LISTED else []
        yield "\n".join(
            ["# Not understood, and no part of the study:", *lines[:MOST_LISTED], *more]
        )
    if others:
        names = [_plain(_shown(file, root)) for file in others]
        yield f"# Files that a study does not read: {shortened(names, MOST_LISTED)}"


# --------------------------------------------------------------------------- trying


Good = list[tuple[Block, Sequence[Instance]]]


def _try_blocks(blocks: Sequence[Block], place: Path) -> tuple[Good, list[tuple[Block, str]]]:
    """Sections that work, with their instances, and those that do not, with the reason."""
    good: Good = []
    bad: list[tuple[Block, str]] = []
    for block in blocks:
        outcome = _with_enough(block, place)
        if isinstance(outcome, str):
            bad.append((block, outcome))
        else:
            good.append(outcome)
    names = [instance.name for _, instances in good for instance in instances]
    if len(set(names)) == len(names):
        return good, bad
    # Files of one name in several folders: the folder says which is which.
    good = [(block.apart(), _instances(block.apart(), place)) for block, _ in good]
    return _without_repeats(good, bad)


def _with_enough(block: Block, place: Path) -> tuple[Block, Sequence[Instance]] | str:
    """A section and its instances, if need be without the smallest; or why it does not work."""
    few = block.set("min_cases", FEW_CASES, "some instances have hardly any cases")
    reason = ""
    for attempt in (block, few):
        try:
            return attempt, _instances(attempt, place)
        except HalfwidthError as error:
            reason = reason or str(error).replace(f"{place / SPEC_FILE}: ", "")
    return reason


def _without_repeats(
    candidates: Good, bad: list[tuple[Block, str]]
) -> tuple[Good, list[tuple[Block, str]]]:
    """Sections whose instances have names that no earlier one has."""
    good: Good = []
    seen: set[str] = set()
    for block, instances in candidates:
        names = {instance.name for instance in instances}
        if names & seen:
            repeated = sorted(names & seen)
            bad.append((block, f"its instances have names of others: {shortened(repeated, 5)}"))
            continue
        seen |= names
        good.append((block, instances))
    return good, bad


def _instances(block: Block, place: Path) -> Sequence[Instance]:
    return load_instances(parse_spec(tomllib.loads(block.text()), place / SPEC_FILE))
