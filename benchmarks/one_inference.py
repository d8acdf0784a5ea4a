"""Whether verdicts, p values, intervals, ranks, gates and reports contradict each other.

    nice python benchmarks/one_inference.py [tables] [families]

Seeded tables of 2 to 6 models and 4 to 60 cases, with ties, clusters, margins and levels, of
values of cases, of decisions and of scores. Of each it is asked whether a verdict differs from what
its p value, its interval, the models in another order, `rank`, `gate` or the report say. Families
of equal models say how often any difference is claimed in vain.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import halfwidth as hw
from halfwidth.document.render import render
from halfwidth.results.comparison import Comparisons, Difference, Verdict

LEVELS = (0.8, 0.9, 0.95, 0.99)
MIRRORED = {"better": "worse", "worse": "better", "non-superior": "non-inferior"}
RESAMPLES = 1999


@dataclass(frozen=True)
class Table:
    """Data of models that differ by something or nothing, and what is asked of them."""

    make: Callable[[Sequence[str]], hw.CaseValues | hw.Predictions]
    names: tuple[str, ...]
    options: dict[str, Any]
    margin: float | None
    level: float

    @property
    def data(self) -> hw.CaseValues | hw.Predictions:
        """Of all models."""
        return self.make(self.names)

    @property
    def common(self) -> dict[str, Any]:
        """What all verbs are asked."""
        drawn = {"n_resamples": RESAMPLES, "rng": 1}
        return {"confidence_level": self.level, **drawn, **self.options}

    def compare(self, names: Sequence[str] = ()) -> Comparisons:
        """Of some models, in an order."""
        return hw.compare(self.make(names or self.names), margin=self.margin, **self.common)


def table(seed: int) -> Table:
    """The table of a seed."""
    rng = np.random.default_rng(seed)
    models, n = int(rng.integers(2, 7)), int(rng.integers(4, 61))
    kind = ("dsc", "hd95", "accuracy", "auroc")[seed % 4]
    names = [f"m{i}" for i in range(models)]
    ahead = np.sort(rng.normal(0, rng.choice([0.0, 0.3, 1.0]), models))
    case = rng.normal(0, 1, n)
    skill = case + ahead[:, None] + rng.normal(0, rng.uniform(0.1, 1), (models, n))
    groups = rng.integers(0, max(3, n // 3), n) if seed % 5 == 0 else None
    level = float(rng.choice(LEVELS))
    margin = float(rng.choice([0.01, 0.03, 0.1])) if seed % 3 else None
    if kind in ("dsc", "hd95"):
        values = 1 / (1 + np.exp(-skill - 1.5)) if kind == "dsc" else np.exp(1 - skill / 2)
        if seed % 7 < 2:
            values = np.round(values, 1)
        if kind == "hd95" and margin is not None:
            margin *= 10
        given = dict(zip(names, values, strict=True))
        return Table(
            lambda chosen: hw.CaseValues.from_arrays(
                {name: given[name] for name in chosen}, metric=kind, groups=groups
            ),
            tuple(names),
            {},
            margin,
            level,
        )
    truth = np.arange(n) % 2
    scores = skill + truth * 1.5 if kind == "auroc" else np.where(skill > -1, truth, 1 - truth)
    if kind == "auroc" and seed % 7 < 2:
        scores = np.round(scores)
    given = dict(zip(names, scores, strict=True))
    return Table(
        lambda chosen: hw.Predictions.from_arrays(
            truth, {name: given[name] for name in chosen}, groups=groups
        ),
        tuple(names),
        {"metric": kind},
        margin,
        level,
    )


def contradictions(one: Table) -> Iterator[tuple[str, str]]:
    """What contradicts what, in one table."""
    compared = one.compare()
    for item in compared:
        yield from _within(item, 1 - one.level)
    names = one.names
    reverse = one.compare(names[::-1])
    by_pair = {(item.first, item.second): item for item in reverse}
    for item in compared:
        other = by_pair[item.second, item.first]
        if not _mirror(item, other):
            yield "another order", f"{item.sentence()} | {other.sentence()}"
    ranking = hw.rank(one.data, **one.common)[0]
    if set(ranking.claims) != _claims(compared):
        yield "rank", f"{sorted(ranking.claims)} | {sorted(_claims(compared))}"
    if one.margin is None:
        return
    ranking = hw.rank(one.data, margin=one.margin, **one.common)[0]
    beyond = _claims(compared, beyond=True)
    if set(ranking.claims) != beyond:
        yield "rank by a margin", f"{sorted(ranking.claims)} | {sorted(beyond)}"
    (alone,) = one.compare(names[:2])
    new, against = names[:2]
    gate = hw.gate(one.data, new=new, against=against, margin=one.margin, **one.common)
    expected = "passed" if _said(alone).not_inferior else "undecided"
    expected = "failed" if _said(alone).inferior else expected
    if gate.outcome != expected:
        yield "gate", f"{gate.sentence()} | {alone.sentence()}"


def reported(one: Table) -> Iterator[tuple[str, str]]:
    """Verdicts that a report of the comparisons says otherwise."""
    compared = one.compare()
    page = render(hw.report(compared, figures=False).document, "json")
    if len(compared) <= 6:
        for item in compared:
            if json.dumps(item.sentence())[1:-1] not in page:
                yield "report", item.sentence()


def _said(item: Difference) -> Verdict:
    """The verdict, which all of these metrics have."""
    if item.verdict is None:
        raise ValueError(f"{item.first} against {item.second} has no verdict")
    return item.verdict


def _within(item: Difference, alpha: float) -> Iterator[tuple[str, str]]:
    """A verdict against its p value or its interval."""
    said = _said(item)
    few, claimed = said.word == "too few pairs", said.word in ("better", "worse")
    p = item.p_adjusted if item.correction else item.p_value
    if claimed != (p <= alpha + 1e-12):
        yield "p", item.sentence()
    if not few and not np.isnan(item.p_value):
        excluded = item.low > 0 or item.high < 0
        if excluded != (item.p_value <= alpha + 1e-12):
            yield "p of the pair", item.sentence()
        if claimed and not excluded:
            yield "interval", item.sentence()
    both = item.simultaneous
    if both is not None and not np.isnan(both.low):
        if claimed == (both.low < 0 < both.high):
            yield "simultaneous interval", item.sentence()
        if not few and (both.low > item.low + 1e-12 > 0 or 0 > item.high - 1e-12 > both.high):
            yield "shorter than the single interval", item.sentence()
    if said.margin is not None and not few and both is None and not claimed:
        margin, sign = said.margin, item.sign
        low, high = sorted((sign * item.low, sign * item.high))
        word = "non-superior" if high < margin else "open"
        word = "non-inferior" if low > -margin else word
        if word != said.word:
            yield "interval and margin", item.sentence()


def _mirror(item: Difference, other: Difference) -> bool:
    """Whether one is the other with the models exchanged."""
    one, two = _said(item), _said(other)
    words, both = (one.word, two.word), (one.p_not_worse, two.p_not_worse[::-1])
    neither_worse = all(p <= 1 - item.estimate.confidence_level for p in both[0])
    mirrored = MIRRORED.get(words[0], words[0])
    if words[0] == "non-inferior" and not neither_worse:
        mirrored = "non-superior"
    same_p = np.allclose(item.p_value, other.p_value, rtol=1e-6, equal_nan=True)
    same_p &= np.allclose(item.p_adjusted, other.p_adjusted, rtol=1e-6, equal_nan=True)
    same_p &= np.allclose(*both, rtol=1e-6, equal_nan=True)
    return words[1] == mirrored and same_p and one.beyond_margin == two.beyond_margin


def _claims(compared: Comparisons, *, beyond: bool = False) -> set[tuple[str, str]]:
    """Who is better than whom; by more than the margin."""
    claims = set()
    for item in compared:
        said, pair = _said(item), (item.first, item.second)
        if said.word in ("better", "worse") and (not beyond or said.beyond_margin == "shown"):
            claims.add(pair if said.word == "better" else pair[::-1])
    return claims


def equal_models(samples: int) -> None:
    """Shares of families of equal models in which any difference is claimed."""
    for kind, n, models in itertools.product(("dsc", "hd95"), (5, 8, 12, 25, 60), (3, 8)):
        vain = 0
        for seed in range(samples):
            rng = np.random.default_rng([n, models, seed])
            skill = rng.normal(0, 1, n) + rng.normal(0, 0.5, (models, n))
            values = 1 / (1 + np.exp(-skill - 1.5)) if kind == "dsc" else np.exp(1 - skill / 2)
            compared = hw.compare(
                {f"m{i}": own for i, own in enumerate(values)},
                metric=kind,
                n_resamples=RESAMPLES,
                rng=1,
            )
            vain += bool(_claims(compared))
        print(f"{kind}, {models} equal models, n = {n}: {vain} of {samples} families claim any")


def main() -> None:
    """Print what contradicts what, and how many tables do."""
    tables, families = (int(one) for one in [*sys.argv[1:], "200", "200"][:2])
    contradicting, kinds, few, rows = 0, Counter[str](), 0, 0
    for seed in range(tables):
        one = table(seed)
        compared = one.compare()
        rows += len(compared)
        few += sum(1 for item in compared if item.verdict and item.verdict.word == "too few pairs")
        found = [*contradictions(one), *(reported(one) if seed % 10 == 1 else ())]
        contradicting += bool(found)
        for kind, text in found:
            kinds[kind] += 1
            print(f"{seed}: {kind}: {text}")
    print(f"{rows} comparisons, of which {few} with too few pairs; {dict(kinds)}")
    print(f"{contradicting} of {tables}")
    equal_models(families)


if __name__ == "__main__":
    main()
