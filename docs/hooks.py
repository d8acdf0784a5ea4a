"""What MkDocs asks while it builds: pages and pictures that are made then, and never committed."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pages import menu
from pages.all import made

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

# What a browser would fetch from elsewhere.
FETCHED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//[^>]*>")
# How much a hit on a page of a kind counts in the search.
BOOSTS = {"metrics": 2, "methods": 2, "statistics": 2, "quickstarts": 1.5, "decisions": 0.3}
EXAMPLES = Path(__file__).parents[1] / "examples"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of a kind below its index."""
    config.nav = menu.with_kinds(config.nav)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is made to what lies in ``docs/``."""
    from mkdocs.structure.files import File

    # Where the data of the gallery are made. MkDocs forgets paths that a hook adds earlier.
    sys.path.append(str(EXAMPLES))
    for path, content in made().items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 -- as called
    """Let the search find what people look up before why it was decided so."""
    kind = page.file.src_uri.partition("/")[0]
    page.meta.setdefault("search", {"boost": BOOSTS.get(kind, 1)})
    return markdown


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001 -- as called
    """Refuse a page that would fetch something from elsewhere."""
    from mkdocs.exceptions import PluginError

    found = FETCHED.search(output)
    if found:
        raise PluginError(f"{page.file.src_uri} would fetch from elsewhere: {found[0]}")
    return output
