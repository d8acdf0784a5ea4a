from __future__ import annotations

from pathlib import Path

import pytest
from pages import quickstarts

from halfwidth.cli.main import command

PAGES = quickstarts.texts()


def test_the_commands_are_understood() -> None:
    commands = [words for text in PAGES.values() for words in quickstarts.commands(text)]
    assert len(commands) > 20
    for program, *words in commands:
        assert program == "halfwidth"
        place, parser = 0, command()
        while hasattr(parser, "commands"):
            parser = parser.commands[words[place]]
            place += 1
        parser.make_context(words[place - 1], words[place:])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("quickstarts")


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_page_prints_what_stands_there_and_draws_what_it_shows(name: str, folder: Path) -> None:
    with quickstarts.folder_of_demo(folder):
        assert quickstarts.run_again(PAGES[name]) == PAGES[name], "run 'make docs'"
    for picture in quickstarts.PICTURE.findall(PAGES[name]):
        (drawn,) = folder.rglob(picture)
        assert drawn.stat().st_size > 5000
