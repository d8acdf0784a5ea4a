"""A page as PDF, printed by a browser that is installed."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.files import replacing
from halfwidth.core.processes import ran_in_time

BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "msedge"),
)
SECONDS = 120
# A browser by itself looks for updates, accounts, lists of bad sites and other devices.
ALONE = (
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-default-apps", "--disable-domain-reliability", "--disable-breakpad", "--no-pings"),
    *("--no-first-run", "--no-default-browser-check"),
    "--disable-features=DialMediaRouteProvider,MediaRouter,NetworkTimeServiceQuerying",
    # What it asks for nevertheless has no address, and no proxy is looked for.
    *("--host-resolver-rules=MAP * ~NOTFOUND", "--no-proxy-server"),
)


def find_browser() -> str | None:
    """The browser that prints, or None where there is none in PATH."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def print_page(page: Path, out: Path) -> None:
    """Print a page of ours, which loads nothing."""
    browser = find_browser()
    if browser is None:
        raise OptionError(
            "--pdf needs Chromium or Chrome in PATH; or print the page from any browser"
        )
    with tempfile.TemporaryDirectory() as profile, replacing(out) as unfinished:
        command = [browser, *ALONE, "--headless", "--disable-gpu", "--no-pdf-header-footer"]
        command += [f"--user-data-dir={profile}", f"--print-to-pdf={unfinished.resolve()}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            # Its sandbox cannot be set up by root.
            command.append("--no-sandbox")
        ended = ran_in_time([*command, page.resolve().as_uri()], SECONDS)
        if not (ended and unfinished.stat().st_size):
            raise DataError(f"{out}: {Path(browser).name} printed nothing; print {page} by hand")
