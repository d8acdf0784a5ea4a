"""How results show themselves in a notebook: as the report sets them.

The report stands above the core, so its module is looked up by name, and not before a notebook
asks.
"""

from __future__ import annotations

import importlib
from typing import Any


def html_of(results: Any) -> str:
    """Finished results as a part of a page."""
    html: str = importlib.import_module("halfwidth.report.notebook").notebook_html(results)
    return html
