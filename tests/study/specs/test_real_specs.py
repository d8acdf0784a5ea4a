from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import halfwidth as hw

EXAMPLES = Path(__file__).parents[3] / "examples"
SPECS = sorted(EXAMPLES.glob("real-*.toml"))
# Samples, where they are not 2000.
SAMPLES = {
    "real-empirical": 1000,
    "real-auto": 300,
    "real-auto-failures": 300,
    "real-auto-steady": 300,
    "real-auto-classes": 200,
    "real-auto-two-classes": 300,
    "real-calibration": 200,
    "real-calibration-classes": 400,
}


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_the_specs_of_the_real_study_can_be_read(path: Path) -> None:
    assert hw.study.read_spec(path).samples == SAMPLES.get(path.stem, 2000)


@pytest.mark.parametrize(
    ("name", "instances"),
    [
        pytest.param("segmentation", 166, marks=pytest.mark.slow),
        ("studentized", 162),
        pytest.param("empirical", 166, marks=pytest.mark.slow),
        pytest.param("auto-failures", 99, marks=pytest.mark.slow),
    ],
)
def test_the_instances_of_the_real_study_are_all_there(
    shared: Path, name: str, instances: int
) -> None:
    assert shared.exists()
    planned = hw.study.plan(EXAMPLES / f"real-{name}.toml")
    assert len(planned.instances) == instances


@pytest.mark.slow
def test_a_chunk_of_the_real_study_gives_the_published_numbers_again(
    shared: Path, tmp_path: Path
) -> None:
    spec = (EXAMPLES / "real-segmentation.toml").read_text(encoding="utf-8")
    spec = spec.replace("../../shared", shared.as_posix())
    spec = re.sub(r"statistics = .*", 'statistics = ["mean"]', spec)
    spec = re.sub(r"methods = .*", 'methods = ["t", "z", "hall", "hoeffding"]', spec)
    (tmp_path / "spec.toml").write_text(spec, encoding="utf-8")
    planned = hw.study.plan(tmp_path / "spec.toml")
    only = [chunk for chunk in planned.chunks if "-dsc.n00010" in chunk.name]
    rows = [row for chunk in only for row in hw.study.simulate(chunk.payload).rows]
    for method in ("t", "hall", "z"):
        found = np.median([row["coverage"] for row in rows if row["method"] == method])
        published = re.search(
            rf"### mean DSC .*?\| `{method}` \| ([\d.]+) ",
            (EXAMPLES.parent / "docs/real-study-tables.md").read_text(encoding="utf-8"),
            flags=re.DOTALL,
        )
        assert published is not None
        assert 100 * found == pytest.approx(float(published[1]), abs=0.051)
