"""A page in headless Chromium, asked by the protocol that chromedriver speaks."""

from __future__ import annotations

import contextlib
import functools
import http.client
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

DRIVER = shutil.which("chromedriver")
# Those that `halfwidth report --pdf` looks for.
PRINTER = next(
    filter(
        None,
        map(
            shutil.which,
            (
                *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
                *("chrome", "microsoft-edge", "msedge"),
            ),
        ),
    ),
    None,
)


@contextlib.contextmanager
def opened(page: Path, *, width: int) -> Iterator[Callable[[str], Any]]:
    """A function that runs a script on a page, on a screen of this width."""
    process = subprocess.Popen([str(DRIVER), "--port=0"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        started = (
            re.search(r"started successfully on port (\d+)", line) for line in process.stdout
        )
        port = next(found[1] for found in started if found)
        screen = {"deviceMetrics": {"width": width, "height": 800, "pixelRatio": 1}}
        options = {
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu"],
            "mobileEmulation": screen,
        }
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
        asked = functools.partial(_asked, int(port))
        session = f"/session/{asked('/session', wanted)['sessionId']}"
        asked(f"{session}/url", {"url": page.resolve().as_uri()})
        yield lambda script: asked(f"{session}/execute/sync", {"script": script, "args": []})
        asked(session, method="DELETE")
    finally:
        process.terminate()
        process.communicate()


def _asked(port: int, path: str, body: dict[str, Any] | None = None, method: str = "POST") -> Any:
    """The answer of the driver."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request(method, path, None if body is None else json.dumps(body))
    with contextlib.closing(connection):
        return json.load(connection.getresponse())["value"]
