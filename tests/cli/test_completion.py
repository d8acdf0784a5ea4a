"""Tab completion: names come from the catalogues, and nothing heavy loads for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import halfwidth as hw

HEAVY = {"scipy", "pandas", "matplotlib", "numba", "sklearn", "pyarrow"}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("ci t.csv --metric au", ["auroc"]),
        ("ci t.csv --statistic tri", ["trimmed_mean"]),
        ("ci t.csv --method wil", ["wilson"]),
        ("ci t.csv --alternative lo", ["lower"]),
        ("score a b --metric dsc,hd9", ["dsc,hd95"]),
        ("plan mean --metric ds", ["dsc"]),
        ("rank t.csv --plot-kind forest,po", ["forest,podium"]),
        ("ci t.csv --plot-kind re", ["reliability", "reliability-bins"]),
        ("ci t.csv --plot-kind dis", ["distribution"]),
        ("study summary s --what pa", ["pace"]),
        ("explain HW20", [spec.code for spec in hw.CAUTIONS if spec.code.startswith("HW20")]),
        ("do", ["doctor"]),
    ],
)
def test_the_shell_is_given_names(
    words: str,
    found: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from halfwidth.cli.main import main

    monkeypatch.setenv("_HALFWIDTH_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"halfwidth {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    with pytest.raises(SystemExit) as left:
        main([])
    assert left.value.code in (0, None)
    assert capsys.readouterr().out.split() == found


@pytest.mark.slow
@pytest.mark.parametrize("words", ["ci t.csv --metric a", "ci t.csv --method b", "explain HW"])
def test_completion_is_light(words: str) -> None:
    program = (
        "import sys, json\nfrom halfwidth.cli.main import main\n"
        "try:\n    main([])\nexcept SystemExit:\n    pass\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    asked = {
        "_HALFWIDTH_COMPLETE": "complete_bash",
        "COMP_WORDS": f"halfwidth {words}",
        "COMP_CWORD": str(len(words.split())),
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={**os.environ, **asked},
    )
    *names, modules = done.stdout.splitlines()
    assert names
    assert HEAVY.isdisjoint(json.loads(modules))
