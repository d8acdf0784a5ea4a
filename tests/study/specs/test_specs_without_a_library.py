"""What a library of validation does for every key by itself, ours must do too, in hardly more code.

Where one of these fails, decision 0082 is to be taken again.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from smallstudies import keys_of

import halfwidth as hw
from halfwidth.study.specs.parsing import DEFAULTS

SPECS = Path(hw.__file__).parent / "study" / "specs"
# Sections that can be read, so that only the added line is wrong.
SECTIONS = {
    "study": "[study]\n",
    "tables": '[[tables]]\nfiles = "a.csv"\n',
    "scores": '[[scores]]\nscores = "s.npy"\ntargets = "t.npy"\nkind = "logits"\n',
    "detections": '[[detections]]\nfiles = "d.json"\nreferences = "r.json"\nmetric = "ap50"\n',
    "populations": '[[populations]]\nfamily = "beta"\na = 8\nb = 2\n',
}
HEADS = {name: text.split("\n", maxsplit=1)[0] for name, text in SECTIONS.items()}
# Statements that read specs with pydantic, as decision 0082 measured them; a new section adds to
# them what its model would take.
WITH_PYDANTIC = 454


def complaint(file: Path, section: str, line: str) -> str:
    """What is said of a line, which stands in place of its key."""
    key = line.partition(" = ")[0]
    kept = [old for old in SECTIONS[section].splitlines() if not old.startswith(f"{key} = ")]
    # No setting of a study is without effect.
    data = SECTIONS["tables"] + SECTIONS["scores"] if section == "study" else ""
    file.write_text("\n".join([*kept, line, data]), encoding="utf-8")
    with pytest.raises(hw.HalfwidthError) as caught:
        hw.study.read_spec(file)
    return str(caught.value).removeprefix(f"{file}: ")


def keys(section: str, folder: Path) -> set[str]:
    return set(DEFAULTS) if section == "study" else keys_of(section, folder)


@pytest.mark.parametrize("section", SECTIONS)
def test_no_key_takes_a_value_of_any_kind(section: str, tmp_path: Path) -> None:
    for key in keys(section, tmp_path):
        said = complaint(tmp_path / "spec.toml", section, f"{key} = {{ nonsense = 1 }}")
        assert said.startswith(HEADS[section]) or f"[[{key}]]" in said, key
        assert key in said.removeprefix(HEADS[section]), said


@pytest.mark.parametrize("section", SECTIONS)
def test_every_key_is_proposed_where_it_is_misspelt(section: str, tmp_path: Path) -> None:
    for key in keys(section, tmp_path):
        said = complaint(tmp_path / "spec.toml", section, f"{key}x = 1")
        assert said.startswith(f"{HEADS[section]} has no '{key}x'; did you mean '{key}'?"), said


def test_the_code_is_not_much_more_than_with_a_library() -> None:
    modules = [
        ast.parse((SPECS / name).read_text(encoding="utf-8"))
        for name in ("parsing.py", "parsing_sources.py", "toml_sections.py")
    ]
    declared = ast.parse((SPECS / "spec.py").read_text(encoding="utf-8"))
    sources = [
        node
        for node in declared.body
        if isinstance(node, ast.ClassDef) and node.name.endswith("Source")
    ]
    assert len(sources) == 4
    statements = sum(
        isinstance(node, ast.stmt) for tree in (*modules, *sources) for node in ast.walk(tree)
    )
    assert statements < 1.25 * WITH_PYDANTIC
