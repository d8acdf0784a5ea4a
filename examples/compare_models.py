"""The tables of docs/comparing.md, from real data.

    python examples/compare_models.py ../shared/data docs

Writes ``comparing-tables.md`` into the folder given last. The data are the per-case DSC of nine
models on nine organs (Touchstone) and the masks of 21 structures drawn by a radiographer and an
oncologist on eight scans.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import halfwidth as hw
from halfwidth.results.comparison import Comparisons, Difference

MARGIN = 0.01
# A small paper: so many test cases, drawn so often from all there are.
PAPER_N, PAPERS = 50, 200
CLAIM = (0.008, 0.012)
# Large and small structures of the head and neck, and the tolerance of the NSD.
STRUCTURES = (
    *("Brain", "Mandible", "Parotid-Lt", "Spinal-Cord", "Orbit-Lt"),
    *("Submandibular-Lt", "Lens-Lt", "Optic-Nerve-Lt", "Cochlea-Lt"),
)
TOLERANCE = 2


def main() -> None:
    """Write the page."""
    data, docs = Path(sys.argv[1]), Path(sys.argv[2])
    models = touchstone(data / "touchstone")
    best = best_two(models)
    sections = (
        ("The two best models of each organ", best_table(best)),
        ("All pairs of nine models", pairs_table(models)),
        (f"A lead of 0.01 on {PAPER_N} cases", paper_table(models)),
        ("A radiographer against an oncologist", reader_table(data / "head_neck_ct")),
    )
    page = ["# Tables of comparing models\n", "Made by `examples/compare_models.py`."]
    page += [f"\n## {title}\n\n{text}" for title, text in sections]
    (docs / "comparing-tables.md").write_text("\n".join(page) + "\n", encoding="utf-8")


def markdown(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


# --------------------------------------------------------------------------- Touchstone


def touchstone(folder: Path) -> dict[str, pd.DataFrame]:
    """Of each organ the DSC of the models, a column each, on the scans that all were run on."""
    tables = {
        path.name.removesuffix("_dsc.csv").replace("_", " "): pd.read_csv(path, index_col="name")
        for path in sorted(folder.glob("*_dsc.csv"))
    }
    organs = next(iter(tables.values())).columns
    return {
        str(organ): pd.DataFrame({name: one[organ] for name, one in tables.items()}).dropna()
        for organ in organs
    }


def best_two(models: dict[str, pd.DataFrame]) -> Comparisons:
    """The model with the highest mean DSC of each organ against the second."""
    found: list[Difference] = []
    for organ, scans in models.items():
        first, second = scans.mean().sort_values(ascending=False).index[:2]
        table = scans[[first, second]].reset_index().melt("name", var_name="model")
        compared = hw.compare(
            hw.CaseValues.from_table(
                table.assign(organ=organ.replace("_", " ")),
                "value",
                metric="dsc",
                by="organ",
                case="name",
            ),
            margin=MARGIN,
            rng=1,
        )
        found += compared
    return Comparisons(tuple(found))


def best_table(best: Comparisons) -> str:
    """A row for each organ."""
    rows = []
    for one in best:
        e, verdict = one.estimate, one.verdict
        if verdict is None:
            raise ValueError(f"{one.first} against {one.second} has no verdict")
        rows.append(
            [
                *(one.by["organ"], one.first, one.second, e.n),
                *(f"{one.first_value:.3f}", f"{one.second_value:.3f}"),
                f"{e.value:.3f} ({e.text_of(e.low)} to {e.text_of(e.high)})",
                f"{one.p_value:.3f}",
                f"{100 * one.superiority:.0f} %",
                verdict.word,
                "" if verdict.n_needed is None else f"{verdict.n_needed:,}",
            ]
        )
    headings = ("organ", "first", "second", "n", "mean", "mean", "difference (95 % CI)", "p")
    return markdown((*headings, "first better", "verdict", "n needed"), rows)


def pairs_table(models: dict[str, pd.DataFrame]) -> str:
    """Of the 36 pairs of each organ, how many are told apart: alone, and together."""
    rows = []
    for organ, scans in models.items():
        for n in (PAPER_N, len(scans)):
            part = scans.sample(n, random_state=1)
            pairs = hw.compare(part, metric="dsc", rng=1)
            alone = sum(one.low > 0 or one.high < 0 for one in pairs)
            claimed = sum(one.p_adjusted <= 0.05 for one in pairs)
            rows.append([organ.replace("_", " "), n, len(pairs), alone, claimed])
    headings = ("organ", "n", "pairs", "interval without 0", "claimed together")
    return markdown(headings, rows)


def paper_table(models: dict[str, pd.DataFrame]) -> str:
    """Pairs that differ by about 0.01 on all scans, as papers with few of them would see them."""
    rng = np.random.default_rng(1)
    rows = []
    for organ, first, second, values in _claims(models):
        seen, without_zero, wrong, needed = [], 0, 0, []
        for _ in range(PAPERS):
            chosen = values.iloc[rng.choice(len(values), PAPER_N, replace=False)]
            (one,) = hw.compare(chosen, metric="dsc")
            seen.append(one.value)
            without_zero += one.low > 0
            wrong += one.value < 0
            if one.verdict is not None and one.verdict.n_needed is not None:
                needed.append(one.verdict.n_needed)
        low, high = np.quantile(seen, [0.025, 0.975])
        rows.append(
            [
                *(organ, f"{first} − {second}", len(values)),
                f"{(values[first] - values[second]).mean():.3f}",
                f"{low:.3f} to {high:.3f}".replace("-", "−"),
                f"{100 * wrong / PAPERS:.0f} %",
                f"{100 * without_zero / PAPERS:.0f} %",
                f"{int(np.median(needed)):,}",
            ]
        )
    headings = ("organ", "models", "all scans", "lead on all", f"lead on {PAPER_N}, 95 % of papers")
    more = ("wrong sign", "interval above 0", "median n needed")
    return markdown((*headings, *more), rows)


def _claims(models: dict[str, pd.DataFrame]) -> Iterator[tuple[str, str, str, pd.DataFrame]]:
    """Of each organ the first pair whose means differ by about 0.01."""
    for organ, scans in models.items():
        means = scans.mean()
        for first, second in itertools.permutations(scans.columns, 2):
            if CLAIM[0] <= means[first] - means[second] <= CLAIM[1]:
                yield organ.replace("_", " "), first, second, scans[[first, second]]
                break


# --------------------------------------------------------------------------- two people


def reader_table(folder: Path) -> str:
    """Agreement of two people by structure: DSC, NSD, and the limits of agreement of volumes."""
    scores = hw.score_folders(
        folder / "radiographer",
        folder / "oncologist",
        metrics=("dsc", f"nsd:tolerance={TOLERANCE}"),
        only=STRUCTURES,
    )
    frame = scores.to_frame()
    rows = []
    for name in STRUCTURES:
        part = frame[frame["label"] == name]
        # A structure that neither of them found on a scan is not applicable there.
        dsc, nsd = (
            hw.summary_ci(
                part.loc[part["metric"] == metric, "value"].to_numpy(),
                metric=metric,
                missing="omit",
            )
            for metric in ("dsc", "nsd")
        )
        volumes = [volumes_of(folder / person, name) for person in ("radiographer", "oncologist")]
        drawn = [one[(volumes[0] > 0) & (volumes[1] > 0)] for one in volumes]
        agreement = hw.limits_of_agreement(*drawn, effect="ratio")
        lower, bias, upper = (
            f"{limit.value:.2f}" for limit in (agreement.lower, agreement.bias, agreement.upper)
        )
        volume = drawn[1].mean() / 1000
        millilitres = f"{volume:,.0f}" if volume > 1 else f"{volume:.2f}"
        interval = f"{agreement.bias.low:.2f} to {agreement.bias.high:.2f}"
        rows.append(
            [
                *(name, dsc.n, millilitres, _number(dsc), _number(nsd)),
                *(f"{bias} ({interval})", f"{lower} to {upper}"),
            ]
        )
    headings = (
        "structure",
        "scans",
        "volume [ml]",
        "mean DSC (95 % CI)",
        f"mean NSD at {TOLERANCE} mm",
    )
    return markdown((*headings, "volume ratio (95 % CI)", "limits of agreement"), rows)


def _number(e: hw.Estimate) -> str:
    return f"{e.text_of(e.value)} ({e.text_of(e.low)} to {e.text_of(e.high)})"


def volumes_of(folder: Path, structure: str) -> pd.Series:
    """The volume of a structure in each scan, mm³."""
    import SimpleITK

    found = {}
    for file in sorted(folder.glob(f"*/{structure}.nrrd")):
        image = SimpleITK.ReadImage(str(file))
        voxels = int((SimpleITK.GetArrayViewFromImage(image) > 0).sum())
        found[file.parent.name] = voxels * float(np.prod(image.GetSpacing()))  # type: ignore[no-untyped-call]
    return pd.Series(found)


if __name__ == "__main__":
    main()
