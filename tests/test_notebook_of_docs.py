"""The notebook of the documentation, run as Jupyter runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.ipynb"


@pytest.mark.slow
def test_a_notebook_shows_pictures_without_a_magic_command(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any("%matplotlib" in cell.source for cell in notebook.cells)
    ran = client.NotebookClient(
        notebook, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = {
        cell.source.splitlines()[-1]: [set(out.data) for out in cell.outputs]
        for cell in ran.cells
        if cell.cell_type == "code" and cell.outputs
    }
    picture, page = [{"image/png", "text/plain"}], [{"text/html", "text/plain"}]
    assert shown == {
        "estimates": page,
        'estimates.plot("forest")': picture,
        "rankings.plot()": picture,
        "rankings.plot(page=2)": picture,
        "figure": picture,
        "hw.report(values, rng=1)": page,
    }
    assert (tmp_path / "forest.svg").exists()
