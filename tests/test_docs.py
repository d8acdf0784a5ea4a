from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import halfwidth as hw

ROOT = Path(__file__).resolve().parents[1]
_SPEC = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
assert _SPEC is not None
assert _SPEC.loader is not None
generate = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(generate)


@pytest.mark.parametrize("name", generate.PAGES)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == generate.PAGES[name](), "run 'make docs'"


def test_every_caution_has_its_anchor() -> None:
    page = (ROOT / "docs" / "cautions.md").read_text(encoding="utf-8")
    for spec in hw.CAUTIONS:
        path, _, anchor = spec.anchor.partition("#")
        assert path == "docs/cautions.md"
        assert f"{{ #{anchor} }}" in page


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert len(pages) > 10
    broken = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert broken == []


def test_the_readme_and_the_decisions_are_listed_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert {page for page in pages if page not in navigation} == set()
