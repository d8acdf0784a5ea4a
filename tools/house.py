"""Draw the house in CONTRIBUTING.md, from the contracts of import-linter.

    python tools/house.py            # the picture
    python tools/house.py --write    # into CONTRIBUTING.md

What a package is for is the first sentence of its docstring.
"""

from __future__ import annotations

import ast
import re
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
    path = ROOT.joinpath("src", *name.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    return docstring.split("\n\n")[0].replace("\n", " ").rstrip(".")


if __name__ == "__main__":
    if "--write" in sys.argv:
        text = PAGE.read_text("utf-8")
        if len(BLOCK.findall(text)) != 1:
            raise SystemExit(f"{PAGE}: wants one block between '```text house' and '```'")
        PAGE.write_text(BLOCK.sub(lambda _: picture(), text), "utf-8")
    else:
        print(picture(), end="")
