"""Files are made wherever Matplotlib's settings are those of something else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TABLE = "case,model,metric,value\n" + "".join(
    f"c{i},{model},dsc,{0.7 + i / 50 + shift}\n"
    for model, shift in (("A", 0.0), ("B", 0.01), ("C", 0.03))
    for i in range(9)
)
CI, REPORT = ["ci", "t.csv", "--plot", "t.svg"], ["report", "t.csv", "--out", "t.html"]
DRAW = """
from halfwidth.__main__ import main
try:
    main()
except SystemExit as end:
    assert not end.code
"""


@pytest.mark.parametrize(
    ("backend", "settings", "words"),
    [
        ("module://nowhere.to_be_found", b"text.usetex: true\nsavefig.format: nonsense\n", CI),
        pytest.param("no_backend", b"\xff\xfe", CI, marks=pytest.mark.slow),
        pytest.param("module://nowhere", b"text.usetex: true\n", REPORT, marks=pytest.mark.slow),
    ],
)
def test_pictures_need_no_backend_and_no_latex(
    backend: str, settings: bytes, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    rc = tmp_path / "settings"
    rc.mkdir()
    (rc / "matplotlibrc").write_bytes(settings)
    there = os.environ | {"MPLBACKEND": backend, "MATPLOTLIBRC": str(rc / "matplotlibrc")}
    program = [sys.executable, "-c", DRAW, *words]
    done = subprocess.run(
        program, check=False, cwd=tmp_path, env=there, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    made = (tmp_path / words[-1]).read_text()
    assert made.count("<text") > 10 or made.count("<img") == 2
