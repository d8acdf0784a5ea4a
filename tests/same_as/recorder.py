"""Make calls on one tree, which is first on the path, and write down what they answer.

    python -m same_as.recorder CALLS OUT --tree TREE --part 0/2

Each answer is a file of JSON in the folder OUT, named by the digest of its call.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import functools
import hashlib
import importlib
import importlib.util
import io
import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
from door import Answer, run_command

from same_as.calls import Call
from same_as.canonical import Masks, csv_told, file_told, output_told, told
from same_as.data import values, write_files
from same_as.old_verbs import lend_verbs
from same_as.renames import Table

__all__ = ["Recorder", "modules", "name_of", "record"]


def name_of(call: str) -> str:
    """The file of a call's answer."""
    return f"{hashlib.sha256(call.encode()).hexdigest()[:20]}.json"


class Recorder:
    """Makes calls in a folder of its own."""

    def __init__(self, tree: Path, folder: Path, before: Table) -> None:
        import halfwidth

        self.tree, self.folder, self.before = tree, folder, before
        write_files(folder)
        self.known = {**values(), **modules(), "store": self._store}
        today = dt.datetime.now(tz=dt.UTC).date().isoformat()
        places = {str(folder.resolve()): "<folder>", str(folder): "<folder>", str(tree): "<tree>"}
        self.masks = Masks(
            {
                **places,
                tempfile.gettempdir(): "<temporary>",
                sys.prefix: "<environment>",
                halfwidth.__version__: "<version>",
                today: "<today>",
            }
        )
        with_old_names(before)
        lend_verbs(halfwidth)

    def answer(self, call: Call) -> dict[str, Any]:
        """What comes of a call."""
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002 -- whoever draws from it shall be seen, not heard
        make = {"command": self._command, "program": self._program, "chain": self._chain}
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            answered = make[call.kind](call)
        said = sorted({f"{one.category.__name__}: {self.masks(str(one.message))}" for one in heard})
        return answered | ({"warnings": said} if said else {})

    # ----------------------------------------------------------------- commands

    def _command(self, call: Call) -> dict[str, Any]:
        before = _files(self.folder)
        steps = []
        for step in call.text.split(" && "):
            text, _, given = step.partition(" < ")
            steps.append(self._step(shlex.split(text), given))
        written = _files(self.folder)
        changed = [name for name, state in written.items() if before.get(name) != state]
        files = {
            name: _tried(functools.partial(file_told, self.folder / name, self.masks))
            for name in sorted(changed)
        }
        for name in set(written) - set(before):
            (self.folder / name).unlink()
        self._restore(set(before) & set(changed) | set(before) - set(written))
        for folder in sorted(self.folder.rglob("*"), reverse=True):
            if folder.is_dir() and not _is_kept(folder, self.folder) and not any(folder.iterdir()):
                folder.rmdir()
        return {"steps": steps, **({"files": files} if files else {})}

    def _step(self, words: list[str], given: str) -> dict[str, Any]:
        words = self.before.words_before(words)
        stdin = (self.folder / given).read_bytes() if given else b""
        if words[0] == "$":
            environment = {**os.environ, "PYTHONPATH": str(self.tree / "src")}
            ran = subprocess.run(
                [sys.executable, "-m", "halfwidth", *words[1:]],
                cwd=self.folder,
                env=environment,
                input=stdin,
                capture_output=True,
                check=False,
            )
            answer = Answer(ran.returncode, ran.stdout.decode(), ran.stderr.decode())
        else:
            answer = run_command(words, self.folder, stdin)
        out, err = answer.out, answer.err
        of_csv = out and " --format csv" in " ".join(words)
        shown = (csv_told if of_csv else output_told)(out, self.masks)
        return {
            "status": answer.status,
            "out": shown,
            "err": {"lines": self.masks(err).splitlines()},
        }

    def _restore(self, names: set[str]) -> None:
        """Files that a command has changed or removed, for those that come after."""
        if names:
            with tempfile.TemporaryDirectory() as fresh:
                write_files(Path(fresh))
                for name in names:
                    (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(Path(fresh, name), self.folder / name)

    # ----------------------------------------------------------------- programs

    def _program(self, call: Call) -> dict[str, Any]:
        text = self.before.program_before(call.text, call.text)
        heard = io.StringIO()
        with (
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(heard),
            contextlib.redirect_stderr(heard),
        ):
            try:
                answered = eval(text, dict(self.known))  # noqa: S307 -- a program of calls.py
                made = {"answer": told(answered, self.masks)}
            except Exception as error:  # noqa: BLE001 -- what is raised is the answer
                lines = self.masks(str(error)).splitlines()
                made = {"raises": type(error).__name__, "message": lines}
            _close_figures()
        said = self.masks(heard.getvalue()).splitlines()
        return made | ({"printed": said} if said and "store()" not in text else {})

    def _store(self) -> str:
        """The store of the small study, run once."""
        import halfwidth as hw

        store = self.folder / "kept" / "store"
        if not store.exists():
            hw.study.run("study.toml", store)
        return str(store)

    # ----------------------------------------------------------------- chains

    def _chain(self, call: Call) -> dict[str, Any]:
        from workbench import Bench, FaultError, RefusedError
        from workflows import RELATIONS

        relation, _, seed = call.text.partition(" ")
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(int(seed), Path(folder), 12)
            bench.spoken = self.before.words_before
            ending = "held"
            try:
                RELATIONS[relation](bench)
            except RefusedError:
                ending = "refused"
            except FaultError as error:
                ending = f"fault: {self.masks(str(error))}"
            except Exception as error:  # noqa: BLE001 -- an error of a function is an answer
                ending = f"{type(error).__name__}: {self.masks(str(error))}"
            masks = Masks({folder: "<folder>", **self.masks.texts})
            steps = [
                {
                    "command": command,
                    "status": ran.status,
                    "out": output_told(ran.out, masks),
                    "err": {"lines": masks(ran.err).splitlines()},
                }
                for command, ran in zip(bench.commands, bench.answers, strict=True)
            ]
        return {"ending": ending, "steps": steps}


def modules() -> dict[str, Any]:
    """What programs name besides values."""
    import halfwidth as hw

    names = ("metrics", "planning", "plots", "study", "summaries", "intervals", "testing")
    found = {name: importlib.import_module(f"halfwidth.{name}") for name in names}
    from halfwidth.study import analysis, populations

    more = {"analysis": analysis, "populations": populations, "study_plots": _study_plots()}
    return {"hw": hw, "np": np, "partial": functools.partial, **found, **more}


def _study_plots() -> Any:
    # Where they stood before they moved to the study.
    home = "study.plots" if importlib.util.find_spec("halfwidth.study.plots") else "plots.study"
    return importlib.import_module(f"halfwidth.{home}")


def _is_kept(path: Path, folder: Path) -> bool:
    """Whether it is of the stores that stay between calls."""
    return path.relative_to(folder).parts[0] == "kept"


def _files(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of each file by its name."""
    found = (path for path in folder.rglob("*") if path.is_file() and not _is_kept(path, folder))
    states = ((path, path.stat()) for path in found)
    return {str(path.relative_to(folder)): (s.st_size, s.st_mtime_ns) for path, s in states}


def _close_figures() -> None:
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def _tried(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except Exception as error:  # noqa: BLE001 -- a file that cannot be read is told as such
        return {"unreadable": f"{type(error).__name__}: {error}"}


def with_old_names(before: Table) -> None:
    """Let functions of an old tree be called by the names, and take the keywords, of today."""
    homes: dict[str, Any] = {"hw": importlib.import_module("halfwidth")}
    for home in ("planning", "plots", "study", "testing"):
        homes[home] = importlib.import_module(f"halfwidth.{home}")
    homes["study_plots"] = _study_plots()
    namespace = SimpleNamespace(**homes)
    for old, new in before.functions.items():
        # A figure has its frame: plots.forest.frame.
        (home, _, name), (new_home, _, new_name) = old.partition("."), new.rpartition(".")
        setattr(attrgetter(new_home)(namespace), new_name, getattr(homes[home], name))
    keywords = {new: old for old, new in before.options.items() if not old.startswith("-")}
    if keywords:
        new_names = {new.partition(".")[2] for new in before.functions.values()}
        for module in homes.values():
            for name in {*module.__all__, *new_names}:
                if isinstance(getattr(module, name, None), FunctionType):
                    setattr(module, name, _with_old_keywords(getattr(module, name), keywords))


def _with_old_keywords(function: Any, old: Mapping[str, str]) -> Callable[..., Any]:
    def called(*arguments: Any, **keywords: Any) -> Any:
        return function(*arguments, **{old.get(key, key): one for key, one in keywords.items()})

    return called


# --------------------------------------------------------------------------- many calls


def record(calls: Iterable[Call], recorder: Recorder, out: Path, mark: str = "") -> None:
    """Write down what comes of calls; ``mark`` stands before their names."""
    for call in calls:
        name = f"{mark}{call.text}"
        answer = recorder.answer(call)
        made = json.dumps({"call": name, "record": answer}, allow_nan=False, ensure_ascii=True)
        (out / name_of(name)).write_text(made, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("calls", type=Path, help="JSON: kind, text and block of each")
    parser.add_argument("out", type=Path)
    parser.add_argument("--tree", type=Path, required=True)
    parser.add_argument("--part", default="0/1")
    parser.add_argument(
        "--before", type=Path, required=True, help="JSON: entries of the table that it lacks"
    )
    parser.add_argument("--plain", action="store_true", help="only those without the C library")
    asked = parser.parse_args()
    import halfwidth

    here = Path(halfwidth.__file__).resolve()
    if not here.is_relative_to(asked.tree.resolve()):
        sys.exit(f"halfwidth is that of {here.parent}, not of {asked.tree}")
    before = Table.of_document(json.loads(asked.before.read_text(encoding="utf-8")))
    asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="same-as-") as folder:
        recorder = Recorder(asked.tree, Path(folder), before)
        at, of = map(int, asked.part.split("/"))
        listed = (Call(**one) for one in json.loads(asked.calls.read_text(encoding="utf-8")))
        own = (one for one in listed if one.block % of == at and (one.plain or not asked.plain))
        record(own, recorder, asked.out, "without C: " if asked.plain else "")


if __name__ == "__main__":
    main()
