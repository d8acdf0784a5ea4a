"""What MkDocs asks while it builds: pages and pictures that are made then, and never committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.all import made

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is made to what lies in ``docs/``."""
    from mkdocs.structure.files import File

    for path, content in made().items():
        files.append(File.generated(config, path, content=content))
    return files
