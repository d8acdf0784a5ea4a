from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import generate
import pytest
from over_data import over
from pages import api, examples, menu, quickstarts
from pages.all import MAKERS
from pages.figures_shown import GALLERY
from support import Run

import halfwidth as hw
from halfwidth.cli.main import command
from halfwidth.core.spec import MethodSpec

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
DECISIONS = DOCS / "decisions"


@pytest.mark.parametrize("name", generate.PAGES)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == generate.PAGES[name](), "run 'make docs'"


def test_every_caution_has_its_anchor() -> None:
    page = (ROOT / "docs" / "cautions.md").read_text(encoding="utf-8")
    for spec in hw.CAUTIONS:
        path, _, anchor = spec.anchor.partition("#")
        assert path == "docs/cautions.md"
        assert f"{{ #{anchor} }}" in page


def test_doors_and_kinds_stand_on_one_page_that_is_read_in_ten_minutes() -> None:
    text = str(MAKERS["api/on-one-page.md"]())
    assert len(text.split()) < 2500  # 250 words a minute
    calls = {line.partition("(")[0] for line in text.splitlines() if line.startswith("hw.")}
    doors = {f"hw.{name}" for name in api.JOBS["estimating"].names.split()}
    assert doors - calls == {"hw.evidence"}
    makers = {call.split(".")[1] for call in calls if call.count(".") == 2}
    assert makers == {*api.JOBS["data"].names.split()} - {"Matching"}
    options = re.findall(r"^\| `(\w+)`", text, re.MULTILINE)
    assert len(options) == len({*options}) <= 100


def test_a_table_that_a_benchmark_made_says_when() -> None:
    undated = [
        f"{page.name}: {section.splitlines()[0]}"
        for page in DOCS.glob("*.md")
        for section in re.split(r"(?m)^(?=#)", page.read_text(encoding="utf-8"))
        if re.search(r"benchmarks/\w+\.py", section) and re.search(r"(?m)^\|.*\d", section)
        if not re.search(r"\d{4}-\d\d-\d\d", section)
    ]
    assert undated == []


def test_every_decision_stands_in_the_index_with_what_became_of_it() -> None:
    text = (DECISIONS / "index.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d{4}) \| \[(.*)\]\((.*)\) \| (.*) \|$", text, re.MULTILINE)
    pages = sorted(DECISIONS.glob("[0-9]*.md"))
    assert [f"# {number}: {title}" for number, title, *_ in rows] == [
        page.read_text(encoding="utf-8").partition("\n")[0] for page in pages
    ]
    assert [name for _, _, name, _ in rows] == [page.name for page in pages]
    for number, _, _, status in rows:
        later = re.findall(r"\[(\d{4})\]", status)
        assert (status == "stands") == (not later)
        assert re.match("stands$|amended by |replaced by ", status), number
        assert all(one > number for one in later)


def test_benchmarks_that_pages_quote_are_there_or_told_to_be_in_the_history() -> None:
    told = benchmarks_in(DECISIONS / "index.md")
    quoted = {
        name
        for page in [*DOCS.rglob("*.md"), ROOT / "README.md", *(ROOT / "src").rglob("*.py")]
        for name in benchmarks_in(page) - (told if page.parent == DECISIONS else set())
    }
    assert len(quoted) > 10
    assert [name for name in quoted if not (ROOT / name).exists()] == []
    assert [name for name in told if (ROOT / name).exists()] == []


def benchmarks_in(page: Path) -> set[str]:
    """Paths of the benchmarks that a page names."""
    return set(re.findall(r"benchmarks/\w+\.py", page.read_text(encoding="utf-8")))


def test_tables_of_the_default_are_of_the_present_rule() -> None:
    rule = hw.estimate([0.8, 0.9, 0.7], metric="dsc")[0].rule
    for name in ("gate-tables.md", "real-auto-tables.md"):
        head, _, _ = (DOCS / name).read_text(encoding="utf-8").partition("\n## ")
        assert re.findall(r" on \d{4}-\d\d-\d\d: (auto@\d+)", head) == [rule]


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert len(pages) > 10
    broken = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if "://" not in target and not leads_somewhere(page.parent, target)
    ]
    assert broken == []


def leads_somewhere(folder: Path, target: str) -> bool:
    """Whether a file is there, or made by the build."""
    path = (folder / target).resolve()
    made = path.is_relative_to(DOCS) and path.relative_to(DOCS).as_posix() in MAKERS
    return made or path.exists()


def test_every_page_is_in_the_menu_once() -> None:
    _, _, written = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")
    listed = paths_of(menu.with_kinds(re.findall(r"[\w/-]+\.md$", written, re.MULTILINE)))
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} | set(MAKERS)
    assert sorted(listed) == sorted(page for page in pages if page.endswith(".md"))


def paths_of(entry: Any) -> Iterator[str]:
    """The pages of a menu, in order."""
    if isinstance(entry, str):
        yield entry
    else:
        for below in entry.values() if isinstance(entry, dict) else entry:
            yield from paths_of(below)


def test_a_page_of_each_kind_says_what_the_spec_says() -> None:
    page = str(MAKERS["metrics/cases/nsd.md"]())
    assert "(#{a: d(a, ∂B) ≤ τ} + #{b: d(b, ∂A) ≤ τ}) / (|∂A| + |∂B|)" in page
    assert "| `tolerance` | distance within which a boundary counts as found, in mm |" in page
    assert "Nikolov S" in page
    page = str(MAKERS["methods/bca.md"]())
    assert "`auto` takes [`percentile`](percentile.md)" in page
    assert "(../cautions.md#hw301)" in page
    assert re.search(r"\| accuracy +\|", page)


def test_every_metric_has_pitfalls_and_every_method_assumptions() -> None:
    metrics = [*hw.METRICS, *hw.SAMPLE_METRICS, *hw.DETECTION_METRICS]
    assert [spec.name for spec in metrics if not spec.pitfalls] == []
    assert [spec.name for spec in hw.METHODS if not spec.assumes] == []


def test_the_commands_of_the_pages_are_understood() -> None:
    figures = [shown for part in GALLERY.values() for shown in part if shown.command]
    made = [
        *map(examples.of_metric, (*hw.METRICS, *hw.SAMPLE_METRICS, *hw.DETECTION_METRICS)),
        *map(examples.of_statistic, hw.STATISTICS),
        *map(examples.of_method, hw.METHODS),
    ]
    lines = [line for one in made for line in one.command.splitlines()]
    assert len(lines) > len(made)
    for line in [*lines, *(shown.typed for shown in figures)]:
        program, verb, *words = shlex.split(line)
        assert program == "halfwidth"
        asked = command(verb).commands[verb]
        if verb == "plan":  # the kind of plan is a verb of its own
            asked, verb = asked.commands[words[0]], words.pop(0)
        asked.make_context(verb, words)


def test_the_authorities_stand_in_the_files_that_the_page_names() -> None:
    text = (DOCS / "validation.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")]
    rows = [row for row in rows if "`tests/" in row[2]]
    assert len(rows) > 30
    for _, authority, where in rows:
        files = re.findall(r"`(tests/[^`]+)`", where)
        tests = "".join((ROOT / file).read_text(encoding="utf-8") for file in files)
        for word in re.findall(r"`([^`]+)`", authority):
            assert word in tests, (files, word)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", hw.METHODS, ids=lambda method: method.name)
def test_the_example_of_a_method_is_made_by_it(method: MethodSpec) -> None:
    assert method.title in examples.of_method(method).printed()


def test_the_python_of_the_readme_runs_and_prints_what_it_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})  # noqa: S102 -- our own page
    promised = re.findall(r"print\(e\.sentence\(\)\)\s+# (.*)", block)
    assert promised == capsys.readouterr().out.splitlines()[:1]


def test_the_command_of_the_page_of_options_prints_what_it_says(shared: Path, run: Run) -> None:
    text = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```console\n\$ halfwidth (.*?)```", text, flags=re.DOTALL)
    command, _, output = block.replace("\\\n", " ").partition("\n")
    data = shared / "data" / "touchstone"
    words = [str(data / w) if w.endswith(".csv") else w for w in command.split()]
    assert run(*words).out == output


def test_the_commands_of_the_readme_print_what_they_say() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```console\n(\$ halfwidth .*?)```", text, flags=re.DOTALL)
    # They are run on the page that explains them.
    page = quickstarts.texts()["masks"]
    commands = re.split(r"\n(?=\$ )", shown.rstrip())
    assert len(commands) == 2
    assert [one for one in commands if one not in page] == []
    assert len(text.splitlines()) < 120


@pytest.mark.slow
def test_the_gates_of_the_docs_print_what_stands_there(
    shared: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shared / "data" / "touchstone")
    text = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n\$ halfwidth (.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        command, _, output = block.replace("\\\n", " ").partition("\n")
        ran = run(*command.split())
        assert ran.out == output
        assert ran.status == {"passed": 0, "failed": 4}[output.partition(":")[0]]


@pytest.mark.slow
def test_the_detectors_of_the_docs_print_what_stands_there(
    shared: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs" / "detection.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n\$ halfwidth (.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        command, _, output = block.partition("\n")
        monkeypatch.chdir(shared / "data" / ("voc98" if "dets_coco" in command else "spine"))
        ran = run(*command.split())
        assert output in {ran.err + ran.out, ran.out}


def test_the_commands_of_the_page_of_gates_are_understood() -> None:
    text = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    commands = re.findall(r"halfwidth gate ([^|\n]*?)(?: \|\|.*)?$", text, flags=re.MULTILINE)
    commands = [one for one in commands if one.startswith(("new.csv", "preds_new.csv"))]
    assert len(commands) == 5
    verb = command("gate").commands["gate"]
    for one in commands:
        given = verb.make_context("gate", one.split()).params
        assert given["against"]
        assert given["margin"] > 0
        assert given["metric"]


def test_the_kidneys_of_the_docs_have_the_intervals_that_stand_there(shared: Path) -> None:
    text = (ROOT / "docs" / "resampling.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    (block,) = [block for block in blocks if "kidneys" in block]
    table = shared / "data" / "touchstone" / "nnU-Net_U-Net_dsc.csv"
    made: dict[str, Any] = {}
    # The loop prints sentences; here the estimates themselves are wanted.
    code = block.replace('"nnU-Net_U-Net_dsc.csv"', "table").partition("for options")[0]
    exec(compile(code, "resampling.md", "exec"), {"table": table}, made)  # noqa: S102 -- our page
    kidneys = made["kidneys"]
    assert (len(kidneys), kidneys["name"].nunique()) == (570, 326)
    rows = []
    designs: list[dict[str, Any]] = [{}, {"groups": "name"}, {"groups": "name", "over": "clusters"}]
    for options in designs:
        (e,) = over(hw.estimate, hw.CaseValues.from_table)(
            kidneys, "dice", case="name", metric="dsc", rng=1, **options
        )
        rows.append(f"| {e.value:.3f} | {e.low:.3f} to {e.high:.3f} | {e.standard_error:.4f} |")
    assert [row for row in rows if row not in text] == []


@pytest.mark.slow
def test_the_two_readers_of_the_docs_are_as_the_table_says(
    shared: Path, run: Run, tmp_path: Path
) -> None:
    text = (ROOT / "docs" / "masks.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sh\n(halfwidth score radiographer.*?)```", text, flags=re.DOTALL)
    (cautions,) = re.findall(r"```text\n(HW104.*?)```", text, flags=re.DOTALL)
    table = text.partition("<!-- table -->\n")[2]
    score, ci = (line.split()[1:] for line in block.strip().splitlines())
    place = {"cases.csv": tmp_path / "cases.csv"}
    place |= {f"{w}/": shared / "data" / "head_neck_ct" / w for w in ("radiographer", "oncologist")}
    scored = run(*(str(place.get(word, word)) for word in score))
    raised = [line for line in scored.err.splitlines() if line.startswith("halfwidth: HW")]
    assert " ".join(cautions.split()) == " ".join(raised).replace("halfwidth: ", "")
    estimated = run(*(str(place.get(word, word)) for word in ci), "--format", "markdown")
    assert estimated.out.strip() == table.strip()


def test_the_python_of_the_page_of_masks_runs() -> None:
    text = (ROOT / "docs" / "masks.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    made: dict[str, Any] = {}
    exec(compile(block, "masks.md", "exec"), made)  # noqa: S102 -- our own page
    assert made["scores"].labels == ["a", "b"]
    assert made["scores"].value("dsc", label="a") == pytest.approx(0.95)


@pytest.mark.parametrize("name", ["data.md", "how-it-works.md"])
def test_the_python_of_a_page_prints_what_stands_there(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == text.count("```text") > 1
    known: dict[str, Any] = {}
    for code, printed in blocks:
        exec(code, known)  # noqa: S102 -- it is our own page
        assert capsys.readouterr().out == printed
