"""Compare what the working tree answers with what another commit does.

    python -m same_as REF [--only PATTERN]

Exit status: 0 the same but for what `renames.toml` names, 1 something else differs, 2 no such
commit, or a tree that cannot be called.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import sys
import time
from collections.abc import Sequence

from same_as.calls import all_calls
from same_as.renames import Table, TableError
from same_as.report import compared, report
from same_as.trees import (
    BUILD,
    TreeError,
    commit_named,
    read_recording,
    recorded,
    taken_out,
    working_tree,
)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="same-as", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("ref", help="a commit, a branch or a tag")
    parser.add_argument("--only", default="*", help="pattern of the calls to make: 'compare *'")
    asked = parser.parse_args(words)
    begun = time.monotonic()
    calls = [call for call in all_calls() if fnmatch.fnmatchcase(call.text, asked.only)]
    try:
        now = working_tree()
        before = taken_out(commit_named(asked.ref))
        since = now.table.since(before.table)
        folders = recorded([before, now], calls, [since, Table()])
    except (TreeError, TableError) as error:
        sys.stderr.write(f"same-as: {error}\n")
        return 2
    old, new = map(read_recording, folders)
    found = compared(old, new, since)
    text, named = report(found, since, len(new), before.name)
    sys.stdout.write(f"{text}\n{time.monotonic() - begun:.0f} s\n")
    listed = [{"call": d.call, "place": d.place, "kind": d.kind, "shown": d.shown} for d in found]
    (BUILD / "differences.json").write_text(json.dumps(listed, indent=1), encoding="utf-8")
    return 0 if named else 1


if __name__ == "__main__":
    sys.exit(main())
