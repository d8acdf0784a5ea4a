"""Draw the house in CONTRIBUTING.md, from the contracts of import-linter, and measure its branches.

    python tools/house.py                        # the picture
    python tools/house.py --write                # into CONTRIBUTING.md
    python tools/house.py --branches [CHECKOUT]  # lines, packages and arrows of each product

What a package is for is the first sentence of its docstring. A product is what the patterns of
`PRODUCTS` find, whether it lies in one folder or is spread over many packages; what none of them
finds is the trunk. An arrow goes from a file outside to a file that it imports.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
# Up to its own closing fence: without one nothing is replaced.
BLOCK = re.compile(r"(?<=^```text house\n)(?:(?!```).)*(?=^```$)", re.DOTALL | re.MULTILINE)
# Contracts of the layers within a package, by its name.
WITHIN = {"halfwidth.study": "study", "halfwidth.resampling": "resampling"}
# Files below src/halfwidth, by the product that they are of; the first pattern that fits counts.
PRODUCTS = {
    "study": r"^study/|^cli/study",
    "detection": r"detection|^matching/|(^|/)match(_records|_curves|_lists)?[.]|native_matches"
    r"|matched_(curves|scores|we)|^core/matching_words|^cli/detect",
    "calibration": r"calibrat|(^|/)centres?[_.]|^resampling/noise/|centre_(curves|results)"
    r"|^arithmetic/(isotonic|kernel)",
    "masks": r"^scoring/|^metrics/(bits|boundary|centreline|error|masks|overlap|surface|volume)"
    r"|^cli/(score|mask)|label_maps|image_headers|(^|/)nrrd|metaimage|^core/objects",
    "review": r"published|^cli/review|(^|/)reviews?[/.]",
    "planning": r"^planning/|^cli/plan|^plots/(plan|subsampling)|sample_size|subsamples",
    "ranking": r"rank(ing|ings|s|ed_models)?[_/.](?!ed_)|^plots/ranking",
    "report": r"^reports/|^cli/report|^document/html|reporting",
    "importers and audit": r"importers|^audit/|^cli/(check|convert)",
    "raters": r"rater|reader_pairs|readings|agreement|bland",
    "runs": r"(^|/)runs?[_/.]",
}
# A call each, traced when everything it needs has been loaded.
WALKS = """
import sys
import numpy as np, halfwidth as hw
y, p = np.arange(120) % 2, np.arange(120) % 7 / 7 + np.arange(120) % 2 / 9
a, b = .9 - np.arange(40) % 9 / 50, .88 - np.arange(40) % 7 / 50
table = {"case": [*range(40)] * 2, "model": ["A"] * 40 + ["B"] * 40, "dice": [*a, *b]}
values = lambda: hw.CaseValues.from_table(table, "dice", metric="dsc", model="model")
calls = {
    "summary_ci, t": lambda: hw.summary_ci(a, metric="dsc", method="t"),
    "summary_ci, auto": lambda: hw.summary_ci(a, metric="dsc"),
    "metric_ci, AUROC": lambda: hw.metric_ci(y, p, metric="auroc"),
    "compare, arrays": lambda: hw.compare({"A": a, "B": b}, metric="dsc", rng=1),
    "compare, table": lambda: hw.compare(values(), rng=1),
    "estimate, table": lambda: hw.estimate(values(), rng=1),
}
for name, call in calls.items():
    call()
    entered = []
    def notice(frame, event, argument):
        if event == "call" and "/halfwidth/" in frame.f_code.co_filename:
            entered.append((frame.f_code.co_filename, frame.f_code.co_qualname))
    sys.setprofile(notice)
    call()
    sys.setprofile(None)
    files = [file for file, _ in entered]
    changes = sum(one != other for one, other in zip(files, files[1:]))
    print(f"{name:<20} {len(entered):>6} {len(set(entered)):>9} {len(set(files)):>5} {changes:>7}")
"""


def branches(root: Path) -> str:
    """A line for the trunk and for each product of a checkout, then one for each walk."""
    import grimp

    sys.path.insert(0, str(root / "src"))
    graph = grimp.build_graph("halfwidth", exclude_type_checking_imports=True)
    product = {name: _product(_file(root, name)) for name in graph.modules}
    lines = [f"{'product':<20} {'lines':>6} {'packages':>9} {'arrows':>6} {'from files':>10}"]
    for wanted in ("trunk", *PRODUCTS):
        own = [name for name in graph.modules if product[name] == wanted]
        length = sum(len(_text(root, name).splitlines()) for name in own)
        packages = {name.split(".")[1] for name in own if name.count(".") > 1}
        arrows = [
            (importer, name)
            for name in own
            for importer in graph.find_modules_that_directly_import(name)
            if product[importer] != wanted and wanted != "trunk"
        ]
        files = len({importer for importer, _ in arrows})
        lines.append(f"{wanted:<20} {length:>6} {len(packages):>9} {len(arrows):>6} {files:>10}")
    walks = subprocess.run(
        [sys.executable, "-c", WALKS],
        env={"PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    head = f"{'walk':<20} {'calls':>6} {'functions':>9} {'files':>5} {'changes':>7}"
    return "\n".join([*lines, "", head, walks.stdout])


def _product(file: Path) -> str:
    place = file.as_posix().partition("src/halfwidth/")[2]
    found = (name for name, pattern in PRODUCTS.items() if re.search(pattern, place))
    return next(found, "trunk")


def _file(root: Path, name: str) -> Path:
    path = root.joinpath("src", *name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _text(root: Path, name: str) -> str:
    return _file(root, name).read_text("utf-8")


def picture() -> str:
    """A line for each package, those that import others above these."""
    return "".join(f"{line}\n" for line in _lines("layers", "halfwidth", ""))


def _lines(contract: str, container: str, indent: str) -> Iterator[str]:
    for layer in _layers(contract):
        names = [part.strip() for part in layer.split("|")]
        for name in names:
            full = name if name.startswith("halfwidth") else f"{container}.{name}"
            beside = " " if name == names[0] else "|"
            yield f"{indent}{beside} {full.rpartition('.')[2]:<{19 - len(indent)}} {_purpose(full)}"
            if full in WITHIN:
                yield from _lines(WITHIN[full], full, f"{indent}    ")


def _layers(contract: str) -> list[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (layers,) = (one["layers"] for one in contracts if one.get("id") == contract)
    return list(layers)


def _purpose(name: str) -> str:
    docstring = ast.get_docstring(ast.parse(_text(ROOT, name))) or ""
    return docstring.split("\n\n")[0].replace("\n", " ").rstrip(".")


if __name__ == "__main__":
    if "--write" in sys.argv:
        text = PAGE.read_text("utf-8")
        if len(BLOCK.findall(text)) != 1:
            raise SystemExit(f"{PAGE}: wants one block between '```text house' and '```'")
        PAGE.write_text(BLOCK.sub(lambda _: picture(), text), "utf-8")
    elif "--branches" in sys.argv:
        print(branches(Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else ROOT))
    else:
        print(picture(), end="")
