"""The tables of docs/ranking.md, from real data.

    python examples/rank_models.py ../shared/data docs

Writes ``ranking-tables.md`` into the folder given last: nine models ranked by their per-case DSC
and NSD on nine organs (Touchstone).
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

import halfwidth as hw
from halfwidth.results.ranking_words import listed

ABOUT = (
    "Made by `examples/rank_models.py`. Nine models of the [Touchstone benchmark]"
    "(https://github.com/MrGiovanni/Touchstone), by the mean over the scans for which all of them "
    "have a value. A cell is the rank of the model and, in brackets, its 95 % confidence set; the "
    "sets of an organ hold together."
)


def main() -> None:
    """Write the page."""
    data, docs = Path(sys.argv[1]), Path(sys.argv[2])
    lines = ["# Tables of ranking models", "", ABOUT]
    by_metric = {metric: _rankings(data, metric) for metric in ("dsc", "nsd")}
    for metric, rankings in by_metric.items():
        lines += _page_part(hw.METRICS[metric].title or metric, rankings)
    (docs / "ranking-tables.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _rankings(data: Path, metric: str) -> hw.Rankings:
    tables = {
        path.name.removesuffix(f"_{metric}.csv"): pd.read_csv(path)
        for path in sorted((data / "touchstone").glob(f"*_{metric}.csv"))
    }
    organs = [name for name in next(iter(tables.values())).columns if name != "name"]
    return hw.rank(
        hw.CaseValues.from_table(tables, organs, metric=metric, case="name", missing="omit"), rng=1
    )


def _page_part(title: str, rankings: hw.Rankings) -> list[str]:
    names = {one.label: one.label.replace("_", " ") for one in rankings}
    models = sorted(
        (model.name for model in rankings[0].models),
        key=lambda name: sum(ranking[name].rank for ranking in rankings),
    )
    lines = ["", f"## Ranks by {title}", ""]
    lines += ["| model | " + " | ".join(names.values()) + " |", "| --- |" + " --- |" * len(names)]
    for name in models:
        cells = [f"{one[name].rank} ({one[name].rank_set})" for one in rankings]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", f"## Who may be first by {title}", ""]
    heads = "organ | n | leads | share of resamples in which it does | may be first | mean tau"
    lines += [f"| {heads} |", "| --- | --- | --- | --- | --- | --- |"]
    for one in rankings:
        leader = one.models[0]
        able = [model.name for model in one.models if 1 in model.rank_set]
        lines.append(
            f"| {names[one.label]} | {leader.estimate.n} | {leader.name} "
            f"| {100 * leader.first_share:.0f} % | {len(able)}: {listed(able)} | {one.tau:.2f} |"
        )
    return [*lines, *_consensus(title, rankings)]


def _consensus(title: str, rankings: hw.Rankings) -> list[str]:
    """Over all organs, by the mean of the ranks."""
    (consensus,) = rankings.consensus
    lines = ["", f"## Consensus over the organs by {title}", ""]
    heads = "model | rank | mean rank | ranks on organs | share of resamples in which it leads"
    lines += [f"| {heads} |", "| --- | --- | --- | --- | --- |"]
    for model in consensus.models:
        lines.append(
            f"| {model.name} | {model.rank} ({model.rank_set}) | {model.value:.2f} "
            f"| {min(model.ranks)} to {max(model.ranks)} | {100 * model.first_share:.0f} % |"
        )
    return [*lines, "", " ".join(rankings.stability.sentences())]


if __name__ == "__main__":
    main()
