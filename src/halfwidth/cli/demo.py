"""``halfwidth demo``: masks and models, from files to a report, by the commands that it prints."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from halfwidth.cli.answer import Answer
from halfwidth.cli.main import status_of
from halfwidth.cli.option_groups import option, switch
from halfwidth.cli.output import complain, write
from halfwidth.core.errors import DataError, OptionError, quoted
from halfwidth.core.frozen import frozen
from halfwidth.core.option_table.option import Group
from halfwidth.demonstration.files import write_files
from halfwidth.document.parts import Code, Document, Paragraph

REPORT = "report.html"
# Modules that the demo imports, and what to install for them.
NEEDED = {"sklearn": "scikit-learn", "nibabel": "nibabel", "matplotlib": "matplotlib"}
# Longer commands go on in the next line.
LINE = 76


@frozen
class Step:
    """A heading, and commands as text; ``DIR`` is the folder, ``SEED`` the seed."""

    heading: str
    script: str

    def commands(self, folder: Path, seed: int) -> list[list[str]]:
        """The words of each command, without the name of the program."""
        scripts = self.script.split("halfwidth ")[1:]
        named = {"DIR": str(folder), "SEED": str(seed), "REPORT": str(folder / REPORT)}
        place = re.compile("|".join(named))
        return [
            [place.sub(lambda match: named[match[0]], word) for word in shlex.split(one)]
            for one in scripts
        ]


STEPS = (
    Step(
        "1. Masks of two models: a table with a row for each case, structure and metric. Some "
        "scans have no lesion, and some lesions are missed.",
        """
        halfwidth score DIR/masks/unet DIR/masks/reference --metric dsc,hd95
            --label-names DIR/masks/labels.json --no-summary -o DIR/unet.csv
        halfwidth score DIR/masks/vit DIR/masks/reference --metric dsc,hd95
            --label-names DIR/masks/labels.json --no-summary -o DIR/vit.csv
        """,
    ),
    Step(
        "2. How good is one of them? A missed lesion counts as the worst Dice, 0.",
        """
        halfwidth ci DIR/vit.csv --metric dsc --by label --missing worst --seed SEED
            --plot DIR/dice.png
        """,
    ),
    Step(
        "3. Is it better than the other, by more than 0.02 Dice? On the same scans, case by case.",
        """
        halfwidth compare DIR/vit.csv DIR/unet.csv --metric dsc --by label --margin 0.02
            --missing worst --seed SEED
        """,
    ),
    Step(
        "4. A metric of the whole test set: is a breast tumour malignant, by two classifiers?",
        """
        halfwidth ci DIR/tumours.csv --target malignant --score logistic
            --metric auroc,sensitivity,specificity --seed SEED
        halfwidth compare DIR/tumours.csv --target malignant --score-a logistic --score-b forest
            --metric auroc --seed SEED
        """,
    ),
    Step(
        "5. Three classes: which cultivar is a wine of?",
        """
        halfwidth ci DIR/wines.csv --target cultivar --score p0 --score p1 --score p2
            --metric balanced_accuracy,f1,auroc --average macro --seed SEED
        """,
    ),
    Step(
        "6. The two segmentation models on one page, to read and to send.",
        """
        halfwidth report vit=DIR/vit.csv unet=DIR/unet.csv --metric dsc --by label
            --margin 0.02 --missing worst --seed SEED --title 'Two segmentation models' -o REPORT
        """,
    ),
)
NEXT = Step(
    "Try next:",
    """
    halfwidth rank DIR/diabetes.csv --metric absolute_error
    halfwidth detect DIR/detections.json DIR/references.json --metric ap50,froc_score
    halfwidth runs DIR/runs.csv --value accuracy --confidence-level 0.9
    halfwidth explain HW503
    """,
)


def demo(
    folder: Annotated[
        Path, option("Folder for the files.", "FOLDER", Group.OUTPUT, flags=("--out", "-o"))
    ] = Path("halfwidth-demo"),
    files_only: Annotated[
        bool, switch("--files-only", "Write the files and run nothing on them.", Group.OUTPUT)
    ] = False,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            help="Of the masks, the splits and the resamples.",
            rich_help_panel=Group.INTERVAL,
        ),
    ] = 1,
) -> Answer:
    """Go from masks and models to intervals, comparisons and a report.

    Makes small masks of two segmentation models, trains small models on data that ship with
    scikit-learn, writes what they predict into a folder, and runs the commands that it prints:
    score, ci, compare, report. Nothing is downloaded.

    \b
    halfwidth demo
    halfwidth demo --files-only -o demo/
    """
    _write_files(folder, seed)
    if files_only:
        return Answer(_further(folder, seed))
    for step in STEPS:
        write("\n")
        Answer(Document((Paragraph(step.heading),))).show()
        for words in step.commands(folder, seed):
            status = _ran(words)
            if status:
                return Answer(Document(), status=status)
    write("\n")
    report = Paragraph(f"The report: {folder / REPORT}")
    return Answer(Document((*_further(folder, seed).parts, report)))


def _write_files(folder: Path, seed: int) -> None:
    missing = [name for module, name in NEEDED.items() if find_spec(module) is None]
    if missing:
        raise OptionError(f"the demo needs {quoted(missing)}: pip install 'halfwidth[demo]'")

    try:
        write_files(folder, seed)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written ({error.strerror or error})") from None


def _ran(words: list[str]) -> int:
    """Print a command, run it in this process, and return its exit status."""
    line = " \\\n".join(_lines(["halfwidth", *words]))
    write(f"\n$ {line}\n")
    status = status_of(words)
    if status:
        complain("the demo stops at this command")
    return status


def _lines(words: list[str]) -> list[str]:
    """A command on as many lines as a narrow terminal needs; an option stays with its value."""
    lines = [words[0]]
    for unit in _units(words[1:]):
        text = shlex.join(unit)
        if len(lines[-1]) + len(text) < LINE:
            lines[-1] += f" {text}"
        else:
            lines.append(f"    {text}")
    return lines


def _units(words: list[str]) -> list[list[str]]:
    """Options with their values, and arguments by themselves."""
    units: list[list[str]] = []
    for word in words:
        if units and units[-1][-1].startswith("-") and not word.startswith("-"):
            units[-1].append(word)
        else:
            units.append([word])
    return units


def _further(folder: Path, seed: int) -> Document:
    """What else there is to try on the files."""
    commands = [_lines(["halfwidth", *words]) for words in NEXT.commands(folder, seed)]
    lines = "\n".join(" \\\n".join(one) for one in commands).split("\n")
    return Document((Paragraph(f"Files are in {folder}. {NEXT.heading}"), Code(tuple(lines))))
