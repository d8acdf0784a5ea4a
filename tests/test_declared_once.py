"""Names of metrics and methods stand where these are declared, and nowhere else in the source."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import halfwidth
import halfwidth as hw
from halfwidth.core.branches import BRANCHES

SOURCE = Path(halfwidth.__file__).parent
DECLARATIONS = (
    *(f"{branch}/{kind}/" for branch in BRANCHES for kind in ("metrics", "intervals")),
    *("metrics", "intervals"),
)
NAMES = {
    spec.name
    for catalogue in (hw.METRICS, hw.SAMPLE_METRICS, hw.DETECTION_METRICS, hw.METHODS)
    for spec in catalogue
}
QUOTED = re.compile(rf"['\"]({'|'.join(map(re.escape, sorted(NAMES)))})\b")
# What `auto` takes is a list of rules by name, with the evidence for each; styles in figures are
# chosen side by side.
LISTS_BY_NAME = ("estimation/choose.py", "detection/forms/declared.py", "study/plots/own_styles.py")
# The same word for something else, by file or folder: fields of tables and options, columns.
OTHER_WORDS: dict[str, set[str]] = {
    # What signatures and docstrings show as they are written: defaults, words, and options.
    "core/option_table/": {
        *("wald", "wilson"),
        *("correct", "sensitivity", "specificity", "dsc", "hd95"),
    },
    "cli/plan.py": {"auroc"},  # a command
    "calibration/cli/plan.py": {"auroc"},  # an option
    "cli/review.py": {"auroc", "correct"},  # options
    "results/curves.py": {"sensitivity"},  # the title of an axis
    "detection/results/curves.py": {"sensitivity"},
    "verbs/curve.py": {"ap", "auroc", "net_benefit"},  # what curves are called too
    "io/image_headers.py": {"t"},  # seconds and other units of a header
    "tables/importers/picai.py": {"auroc"},  # what the challenge ranks by
    "io/workbook_parts.py": {"t"},  # elements and attributes of XML
    "metrics/boundary.py": {"percentile"},  # a parameter
    "detection/metrics/ranked.py": {"fppi"},  # a parameter
    "metrics/ranking.py": {"ap"},  # what the average precision of cases is called too
    # Fields, options, columns and kinds of claims of published numbers.
    "planning/published/": {"auroc", "correct"},
    "calibration/planning.py": {"auroc"},  # an assumption
    "planning/class_shares.py": {"sensitivity", "specificity"},  # options
    "results/sample_size.py": {"auroc"},  # the same
    "study/reports/describe.py": {"accuracy", "balanced_accuracy"},  # columns
    "study/analysis/description.py": {"accuracy", "balanced_accuracy"},  # columns
    "study/analysis/fits.py": {"t"},  # a family of distributions
    "study/analysis/pace_tests.py": {"exact"},  # a column
    "study/populations/parametric.py": {"t"},  # a family of distributions
    # Keys of a spec, which give a model this calibration.
    "study/specs/draft_sections.py": {"calibration_slope", "calibration_intercept"},
    "study/specs/parsing_sources.py": {"calibration_slope", "calibration_intercept"},
    "study/simulation/performance.py": {"rmse"},  # a column
}


def without_words(tree: ast.Module) -> Iterator[ast.Constant]:
    """The texts of a file but for docstrings, ``__all__``, annotations and defaults.

    The default of an argument is shown to whoever asks for help, as it is written.
    """
    skipped: set[int] = set()
    for node in ast.walk(tree):
        shown: list[ast.AST | None] = []
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            shown += [node.body[0]] if node.body and isinstance(node.body[0], ast.Expr) else []
        if isinstance(node, ast.FunctionDef):
            shown += [*node.args.defaults, *node.args.kw_defaults, node.returns]
        if isinstance(node, ast.arg | ast.AnnAssign):
            shown.append(node.annotation)
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "Literal":
            shown.append(node)
        if isinstance(node, ast.Assign):
            named = [getattr(target, "id", "") for target in node.targets]
            shown += [node.value] if "__all__" in named else []
        skipped |= {id(inner) for one in shown if one is not None for inner in ast.walk(one)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in skipped
        ):
            yield node


@functools.cache
def names_in(path: Path) -> dict[str, int]:
    """The names that are written as texts in a file, without parameters, and the line of each."""
    found: dict[str, int] = {}
    text = path.read_text(encoding="utf-8")
    if not QUOTED.search(text):  # most files: they need not be parsed
        return found
    for node in without_words(ast.parse(text)):
        name = str(node.value).partition(":")[0]
        if name in NAMES:
            found[name] = node.lineno
    return found


def declared_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_names_are_not_written_elsewhere() -> None:
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        others = (words for key, words in OTHER_WORDS.items() if place.startswith(key))
        allowed = set(NAMES) if place in LISTS_BY_NAME else set().union(*others)
        if place.startswith(DECLARATIONS):
            allowed = allowed | declared_in(path)
        names = names_in(path).items()
        wrong += [f"{place}:{line} {name!r}" for name, line in names if name not in allowed]
    assert wrong == [], "import the declared function and write its __name__, or ask its spec"


def test_what_is_allowed_is_there() -> None:
    for place, words in OTHER_WORDS.items():
        files = (SOURCE / place).rglob("*.py") if place.endswith("/") else [SOURCE / place]
        assert words <= {name for path in files for name in names_in(path)}, place


def test_a_name_is_found_wherever_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "some.py"
    path.write_text(
        '"""bca"""\n__all__ = ["wilson"]\n\ndef f(a: str = "hall") -> str:\n    """dsc"""\n'
        '    return {"bca": "nsd:2"}["bca"] if a == "t" else "a t"\n'
    )
    assert set(names_in(path)) == {"bca", "nsd", "t"}
