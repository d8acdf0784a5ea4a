"""Quickstarts are run: what their commands print stands on the pages, their pictures are made.

A block of ``console`` holds a command after ``$`` and what it printed, stdout and stderr as a
terminal shows them. Blocks of ``python`` follow one another in one process; what one of them prints
stands in a block of ``text`` after it. Blocks of ``toml`` with a title are files. All pages start
where ``halfwidth demo`` has ended.
"""

from __future__ import annotations

import contextlib
import functools
import io
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from halfwidth.cli import demo
from halfwidth.cli.main import status_of
from halfwidth.demonstration.files import write_files

FOLDER = Path(__file__).parents[1] / "quickstarts"
FILES = Path("halfwidth-demo")
SEED = 1
BLOCK = re.compile(
    r"```console\n\$ (?P<command>(?:[^\n]*\\\n)*[^\n]*)\n(?P<shown>.*?)```"
    r"|```python\n(?P<code>.*?)```(?P<printed>\n\n```text\n.*?```)?"
    r'|```toml title="(?P<file>[\w.]+)"\n(?P<content>.*?)```',
    re.DOTALL,
)
PICTURE = re.compile(r"!\[[^\]]*\]\(([\w-]+\.png)\)")
# Prints the exit status of the command before it.
STATUS = "; echo $?"


def texts() -> dict[str, str]:
    """Each quickstart by its name."""
    return {page.stem: page.read_text(encoding="utf-8") for page in sorted(FOLDER.glob("*.md"))}


def commands(text: str) -> list[list[str]]:
    """The words of all commands of a page."""
    found = (match["command"] for match in BLOCK.finditer(text))
    return [_words(command) for command in found if command is not None]


@contextlib.contextmanager
def folder_of_demo(folder: Path) -> Iterator[None]:
    """Work in a folder as ``halfwidth demo`` leaves it, the tables scored from its masks too."""
    with contextlib.chdir(folder):
        if not FILES.exists():
            write_files(FILES, SEED)
            for words in demo.STEPS[0].commands(FILES, SEED):
                _printed(words)
        yield


def run_again(text: str) -> str:
    """A page with what its blocks print now, in the present folder."""
    names: dict[str, Any] = {}

    def again(block: re.Match[str]) -> str:
        if block["command"] is not None:
            return f"```console\n$ {block['command']}\n{_shown(block['command'])}```"
        if block["file"] is not None:
            Path(block["file"]).write_text(block["content"], encoding="utf-8")
            return block[0]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(block["code"], "quickstart", "exec"), names)  # noqa: S102 -- our own page
        printed = f"\n\n```text\n{out.getvalue()}```" if out.getvalue() else ""
        return f"```python\n{block['code']}```{printed}"

    return BLOCK.sub(again, text)


def pages() -> Mapping[str, Callable[[], bytes]]:
    """The pictures that the pages show."""
    shown = [name for text in texts().values() for name in PICTURE.findall(text)]
    return {
        f"quickstarts/{name}": functools.partial(picture, name) for name in dict.fromkeys(shown)
    }


def picture(name: str) -> bytes:
    """A picture that a command of some page draws."""
    return all_run_again()[1][name]


@functools.cache
def all_run_again() -> tuple[dict[str, str], dict[str, bytes]]:
    """Each page as its blocks print it now, and all pictures that they draw, by name."""
    with tempfile.TemporaryDirectory() as folder, folder_of_demo(Path(folder)):
        told = {name: run_again(text) for name, text in texts().items()}
        return told, {file.name: file.read_bytes() for file in sorted(Path().rglob("*.png"))}


def _words(command: str) -> list[str]:
    return shlex.split(command.removesuffix(STATUS).replace("\\\n", " "))


def _shown(command: str) -> str:
    program, *words = _words(command)
    if program != "halfwidth":
        raise ValueError(f"a quickstart runs halfwidth alone, not {command!r}")
    printed, status = _printed(words)
    if command.endswith(STATUS):
        return f"{printed}{status}\n"
    if status:
        raise ValueError(f"{command} ended with {status}:\n{printed}")
    return printed


def _printed(words: list[str]) -> tuple[str, int]:
    """What a command prints on both streams, in order, and its exit status."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        status = status_of(words)
    return stream.buffer.getvalue().decode(), status
