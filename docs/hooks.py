"""What MkDocs asks while it builds: pages and pictures that are made then, and never committed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pages.all import made

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

EXAMPLES = Path(__file__).parents[1] / "examples"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is made to what lies in ``docs/``."""
    from mkdocs.structure.files import File

    # Where the data of the gallery are made. MkDocs forgets paths that a hook adds earlier.
    sys.path.append(str(EXAMPLES))
    for path, content in made().items():
        files.append(File.generated(config, path, content=content))
    return files
