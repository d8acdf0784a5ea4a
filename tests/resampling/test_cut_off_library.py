"""A compiled library that is cut off is not loaded: the process would die where it is touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from halfwidth.resampling.kernels import native, shared_library

SAYS = """
import json, sys, warnings
from pathlib import Path
from halfwidth.resampling.kernels import native, shared_library
shared_library.SOURCES = Path(sys.argv[1])
warnings.simplefilter("ignore")
said = []
for size in map(int, sys.argv[3:]):
    cut_off = Path(sys.argv[2]).read_bytes()[:size]
    (Path(sys.argv[1]).parent / shared_library.NAME).write_bytes(cut_off)
    native._loaded.cache_clear()
    native.available()
    said.append(native.status())
print(json.dumps(said))
"""


@pytest.mark.skipif(not native.available(), reason="there is no compiled library")
@pytest.mark.skipif(sys.platform != "linux", reason="other loaders look themselves")
def test_a_library_that_is_cut_off_is_not_loaded(tmp_path: Path) -> None:
    library = shared_library.SOURCES.parent / shared_library.NAME
    size = library.stat().st_size
    sizes = [30, 100, size // 3, size // 2, size - 1]
    (tmp_path / "c").symlink_to(shared_library.SOURCES)
    environment = {k: v for k, v in os.environ.items() if k != "HALFWIDTH_REQUIRE_C"}
    ran = subprocess.run(
        [sys.executable, "-c", SAYS, str(tmp_path / "c"), str(library), *map(str, sizes)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    cut = f"NumPy: {library.name} is cut off; install halfwidth again"
    assert json.loads(ran.stdout) == [cut] * len(sizes)
