"""Move modules of the package and whatever names them: imports, contracts, paths in pages.

    python tools/move_modules.py report/document.py=document/parts.py report/html=document/html

Paths are below src/halfwidth; a folder moves with all that it holds. The code of a module does not
change, only the names of modules in it, so that a move is a commit that needs no reading.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path("src/halfwidth")
TEXTS = (".py", ".toml", ".md", ".yml", ".txt", ".cfg", "Makefile")
# What happened is not written anew.
HISTORY = ("CHANGELOG.md",)


def main(moves: list[str]) -> None:
    """Move each ``old=new``."""
    pairs = [tuple(move.split("=")) for move in moves]
    for old, new in pairs:
        _move(old, new)
    names = {_dotted(old): _dotted(new) for old, new in pairs}
    paths = {_path(old): _path(new) for old, new in pairs}
    for file in _tracked():
        text = file.read_text(encoding="utf-8")
        changed = _renamed(text, names, paths, python=file.suffix == ".py")
        if file.name == "__init__.py":
            changed = _renamed_in_index(changed, names)
        if changed != text:
            file.write_text(changed, encoding="utf-8")


def _move(old: str, new: str) -> None:
    target = ROOT / SOURCE / new
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "mv", str(SOURCE / old), str(SOURCE / new)], cwd=ROOT, check=True)


def _path(path: str) -> str:
    return path if path.endswith(".py") else f"{path}/"


def _dotted(path: str) -> str:
    return ".".join(("halfwidth", *Path(path).with_suffix("").parts))


def _tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\n")
    return [
        ROOT / name
        for name in listed
        if name.endswith(TEXTS) and name not in HISTORY and (ROOT / name).is_file()
    ]


def _renamed(text: str, names: dict[str, str], paths: dict[str, str], *, python: bool) -> str:
    for old, new in names.items():
        if python:
            text = _import_of_module(text, old, new)
        text = re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", new, text)
    for old, new in paths.items():
        text = re.sub(rf"(?<![\w/])((?:src/halfwidth/)?){re.escape(old)}", rf"\1{new}", text)
    return text


def _renamed_in_index(text: str, names: dict[str, str]) -> str:
    """An index of public names names modules, and what lies in them, without the package."""
    for old, new in names.items():
        within, new_within = old.removeprefix("halfwidth."), new.removeprefix("halfwidth.")
        text = re.sub(rf"(?<=[\"']){re.escape(within)}(?=[\"']|\.\w)", new_within, text)
    return text


def _import_of_module(text: str, old: str, new: str) -> str:
    """``from halfwidth.core import curves, errors`` in two lines, the module under its old name."""
    (package, _, name), (new_package, _, new_name) = old.rpartition("."), new.rpartition(".")
    # On one line or in brackets over several, in code and in what examples show.
    pattern = re.compile(
        rf"^([ ]*(?:(?:>>>|\.\.\.)[ ])?)from {re.escape(package)} import "
        r"(?:\(([^()]*)\)|([\w, ]+))([ ]*#.*)?$",
        re.MULTILINE,
    )

    def split(found: re.Match[str]) -> str:
        indent, comment = found[1], found[4]
        listed = re.sub(r"#.*", "", found[2] or found[3]).split(",")
        imported = [" ".join(part.split()) for part in listed if part.strip()]
        moved = [part for part in imported if part.split(" as ")[0] == name]
        if not moved:
            return found[0]
        alias = moved[0].partition(" as ")[2] or name
        line = f"{indent}from {new_package} import {new_name}"
        lines = [line if alias == new_name else f"{line} as {alias}"]
        kept = [part for part in imported if part not in moved]
        if kept:
            lines.insert(0, f"{indent}from {package} import {', '.join(kept)}")
        lines[-1] += f"  {comment.strip()}" if comment else ""
        return "\n".join(lines)

    return pattern.sub(split, text)


if __name__ == "__main__":
    main(sys.argv[1:])
