"""What a report is made of: finished results, and where they come from."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from halfwidth.core.cautions import Caution
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.titles import metric_title
from halfwidth.core.types import Array
from halfwidth.document.parts import Table
from halfwidth.results.comparison import Comparisons
from halfwidth.results.comparison_results import GoalResult
from halfwidth.results.curves import SeveralCurves
from halfwidth.results.estimate import Estimate, Estimates
from halfwidth.results.ranking import Ranking, Rankings

# Curves of all kinds that are drawn.
AnyCurves = SeveralCurves[Any]
# More sentences than this nobody reads.
MOST_SENTENCES = 6


@frozen
class InputFile:
    """A file or a folder that results come from."""

    # Without its folder.
    name: str
    # SHA-256 of its bytes; of a folder, of the list that sha256sum makes of the files in it.
    digest: str
    # What it holds, or the model that it is of.
    role: str = ""

    @classmethod
    def from_file(cls, path: Path, role: str) -> InputFile:
        """The source that a file or a folder is."""
        if not path.is_dir():
            return cls(path.name, _digest(path), role)
        names = sorted(one.relative_to(path).as_posix() for one in path.rglob("*") if one.is_file())
        lines = "".join(f"{_digest(path / name)}  {name}\n" for name in names)
        return cls(f"{path.resolve().name}/", hashlib.sha256(os.fsencode(lines)).hexdigest(), role)

    def to_dict(self) -> dict[str, str]:
        """Dictionary for programs."""
        return {"file": self.name, "role": self.role, "sha256": self.digest}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@frozen(eq=False, kw_only=True)
class Results:
    """Finished results that belong together."""

    title: str
    estimates: Estimates = Estimates(())
    comparisons: Comparisons | None = None
    rankings: Rankings | None = None
    curves: tuple[AnyCurves, ...] = ()
    sources: tuple[InputFile, ...] = ()
    # Where it was laid down beforehand what would be done.
    protocol: InputFile | None = None
    command: str = ""
    # The cases with their ids and values, where they are to be on the page.
    cases: tuple[Table, ...] = ()

    @property
    def every_estimate(self) -> Iterator[Estimate]:
        """Estimates of models and of differences; ranked models have some of their own."""
        yield from self.estimates
        if self.comparisons is not None:
            yield from (item.estimate for item in self.comparisons)
            yield from (goal.estimate for goal in self.goals)
        if self.rankings is not None:
            yield from (model.estimate for ranking in self.rankings for model in ranking.models)

    def without_common_label(self) -> Results:
        """A copy without the name of the only column of values, which tells nothing apart."""
        labels = {one.label for one in self.estimates}
        if len(labels) != 1 or any(one.by for one in self.estimates):
            return self
        items = tuple(replace(one, label="") for one in self.estimates)
        return replace(self, estimates=replace(self.estimates, items=items))

    @property
    def units(self) -> str:
        """What ``n`` counts: cases, images, training runs."""
        nouns = {f"{one.case_noun}s" for one in self.estimates}
        return nouns.pop() if len(nouns) == 1 else "cases"

    @property
    def notes(self) -> list[str]:
        """What was assumed or left out on the way to the results."""
        texts = [*self.estimates.notes]
        for one in (self.comparisons, self.rankings):
            texts += one.notes if one is not None else ()
        return list(dict.fromkeys(texts))

    @property
    def goals(self) -> tuple[GoalResult, ...]:
        """Which models reach a goal, where one was set."""
        return () if self.comparisons is None else self.comparisons.goals

    @property
    def rankings_of_many(self) -> tuple[Ranking, ...]:
        """Rankings of more than two models: of two the difference says who is better."""
        return tuple(one for one in self.rankings or () if len(one.models) > 2)

    @property
    def ranking_sentences(self) -> list[str]:
        """A sentence for each ranking; of more than a few the consensus alone."""
        sentences = [one.sentence() for one in self.rankings_of_many]
        if self.rankings is not None and len(sentences) > MOST_SENTENCES:
            return [one.sentence() for one in self.rankings.consensus]
        return sentences

    @property
    def _cautioned(self) -> list[Estimates | Comparisons | Rankings]:
        """The results on the page: of two models their difference, and no ranks."""
        rankings = self.rankings if self.rankings_of_many else None
        each = (self.estimates, self.comparisons, rankings)
        return [one for one in each if one is not None]

    @property
    def caution_lines(self) -> list[tuple[str, str]]:
        """Each code once with its message, the estimates' own before those of comparisons."""
        lines: dict[str, str] = {}
        for one in self._cautioned:
            for code, text in one.caution_lines():
                lines.setdefault(code, text)
        return sorted(lines.items())

    @property
    def cautions(self) -> list[Caution]:
        """One of each code."""
        raised: dict[str, Caution] = {}
        for one in self._cautioned:
            for caution in one.cautions:
                raised.setdefault(caution.code, caution)
        return [raised[code] for code in sorted(raised)]

    def values_behind(self, estimate: Estimate) -> Array | None:
        """The values of an estimate, where they were kept."""
        metric, labels = metric_title(estimate.metric_spec), {estimate.label}
        if not estimate.label:
            # The name of the only column may have been left out.
            labels |= {cases.label for cases in self.estimates.cases}
        values = [
            one for one in self.estimates.cases if one.metric == metric and one.label in labels
        ]
        return values[0].values if len(values) == 1 else None

    @property
    def statistics(self) -> list[Statistic]:
        """Each summary statistic of cases once."""
        some = (one for one in self.estimates if one.statistic)
        return list({one.statistic_title: one.statistic_spec for one in some}.values())

    @property
    def metrics(self) -> list[Metric]:
        """Each metric once."""
        known = {
            metric_title(estimate.metric_spec): estimate.metric_spec
            for estimate in self.every_estimate
        }
        return list(known.values())
