"""Run tests on a library built with the address and undefined-behaviour sanitizers.

The package is copied, and the copy gets that library, so that the one installed stays as it is.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KERNELS = Path("halfwidth", "resampling", "kernels")
FLAGS = ["-std=c11", "-O1", "-g", "-fPIC", "-shared", "-fno-omit-frame-pointer"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def main(tests: list[str]) -> int:
    """Build, and run the tests given; 0 if they pass and no sanitizer speaks."""
    compiler = os.environ.get("CC", "gcc")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "src")
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("_core.*"))
        kernels = source / KERNELS
        spec = importlib.util.spec_from_file_location(
            "shared_library", kernels / "shared_library.py"
        )
        assert spec is not None
        assert spec.loader is not None
        library = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(library)
        sources = [str(path) for path in (kernels / "c").glob("*.c")]
        defined = f'-DSOURCE_HASH="{library.source_hash()}"'
        made = ["-o", str(kernels / library.NAME), "-lm"]
        subprocess.run([compiler, *FLAGS, *SANITIZERS, defined, *sources, *made], check=True)
        # The sanitizer has to be there before Python is.
        named = [compiler, "-print-file-name=libasan.so"]
        runtime = subprocess.run(named, capture_output=True, text=True, check=True).stdout.strip()
        settings = {
            "LD_PRELOAD": runtime,
            # What Python leaks is its own; to note where memory came from takes longest.
            "ASAN_OPTIONS": "detect_leaks=0:malloc_context_size=0:quarantine_size_mb=16",
            "PYTHONPATH": str(source),
            "HALFWIDTH_REQUIRE_C": "1",
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-m", "not slow"]
        return subprocess.run(
            [*command, *tests], cwd=ROOT, env=os.environ | settings, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
