"""A page as PDF, printed by a browser that is installed."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from halfwidth.core.errors import DataError, OptionError

BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "msedge"),
)
SECONDS = 120


def find_browser() -> str | None:
    """The browser that prints, or None where there is none in PATH."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def print_page(page: Path, out: Path) -> None:
    """Print a page of ours, which loads nothing.

    Raises
    ------
    OptionError
        Where no browser is found.
    DataError
        Where the browser prints nothing.
    """
    browser = find_browser()
    if browser is None:
        raise OptionError(
            "--pdf takes Chromium or Chrome, and none is in PATH; print the page from any browser"
        )
    # The page that is there must not be taken for what could not be printed.
    out.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--disable-gpu", "--no-pdf-header-footer"]
        command += [f"--user-data-dir={profile}", f"--print-to-pdf={out.resolve()}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            # Its sandbox cannot be set up by root.
            command.append("--no-sandbox")
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(  # noqa: S603 -- a browser, and a page that this program has written
                [*command, page.resolve().as_uri()],
                check=False,
                capture_output=True,
                timeout=SECONDS,
            )
    if not out.is_file():
        raise DataError(f"{out}: {Path(browser).name} printed nothing; print {page} by hand")
