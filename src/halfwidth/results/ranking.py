"""Results of ranking models: ranks with their confidence sets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError, proposed, quoted, shown
from halfwidth.core.formatting import plain
from halfwidth.core.frozen import frozen
from halfwidth.results import ranking_words
from halfwidth.results.comparison import ComparedCases
from halfwidth.results.estimate import Estimate
from halfwidth.results.ranking_consensus import Consensus, RankStability
from halfwidth.results.result import ResultCollection, SingleResult

if TYPE_CHECKING:
    from halfwidth.document.parts import Document


@frozen
class RankSet:
    """The ranks that a model may have, at some level of confidence: from ``low`` to ``high``."""

    low: int
    high: int

    def __contains__(self, rank: int) -> bool:
        return self.low <= rank <= self.high

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


@frozen
class RankedModel:
    """A model, its rank, and how sure that is.

    Attributes
    ----------
    name : str
    estimate : Estimate
        The statistic or metric of the model with its interval.
    rank : int
        1 + the number of models that are better (by more than the margin) on these cases.
    rank_set : RankSet
        All such sets of a ranking hold together.
    marginal_set : RankSet
        Holds for this model by itself.
    shares : tuple of float
        The share of bootstrap resamples in which the model has rank 1, 2, ...; empty where no
        resample defines the values of all models.
    top_share : float
        That of the first ranks taken together, as many as the ranking asks for.
    n_missing : int
        Cases for which the model has no value.
    wins : int or None
        With ``"test_then_rank"``, against how many others the model wins.
    """

    name: str
    estimate: Estimate
    rank: int
    rank_set: RankSet
    marginal_set: RankSet
    shares: tuple[float, ...] = ()
    top_share: float = math.nan
    n_missing: int = 0
    wins: int | None = None

    @property
    def value(self) -> float:
        """The statistic or metric of the model."""
        return self.estimate.value

    @property
    def first_share(self) -> float:
        """The share of bootstrap resamples in which the model is first."""
        return self.shares[0] if self.shares else math.nan

    def to_row(self) -> dict[str, Any]:
        """A flat row, numbers left as they are."""
        return {
            "model": self.name,
            "rank": self.rank,
            "rank_low": self.rank_set.low,
            "rank_high": self.rank_set.high,
            "marginal_low": self.marginal_set.low,
            "marginal_high": self.marginal_set.high,
            "value": self.value,
            "low": self.estimate.low,
            "high": self.estimate.high,
            "first_share": self.first_share,
            "top_share": self.top_share,
            "n_missing": self.n_missing,
            "wins": self.wins,
        }

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        row = {key: plain(value) for key, value in self.to_row().items()}
        return row | {"rank_shares": list(self.shares)}


@frozen(repr=False)
class Ranking(SingleResult):
    """Models by rank, with the confidence sets of the ranks.

    Attributes
    ----------
    models : tuple of RankedModel
        The best first; equal ones in the order in which they were given.
    subject : str
        What is ranked, in prose: ``mean DSC``, ``mean rank by DSC``.
    scheme : {"aggregate_then_rank", "rank_then_aggregate", "test_then_rank"}
    margin : float
        A model ranks behind those that are better by more than this.
    top : int
        How many first ranks ``top_share`` takes together.
    groups : tuple of tuple of str
        The largest groups of models of which no two are told apart; they may overlap. No more than
        1000 are sought.
    tau : float
        Mean Kendall's τ-b of the rankings of bootstrap resamples with the ranking; NaN where it is
        not defined.
    seed : int
        Of the resamples.
    n_resamples : int
        On which all models have a value.
    n_unmatched : int
        Cases left out because they were not there for all models.
    cautions : tuple of Caution
    claims : tuple of tuple of str
        Pairs of models of which the first is shown to be better than the second by more than the
        margin; all of them together hold at the level of confidence.
    cases : ComparedCases or None
        The values behind the ranking, where cases have any: for figures. No table, document or
        sentence holds them; a pickle does.
    test : str
        That decides the wins with ``"test_then_rank"``; else empty.
    ties : {"min", "average", "max"}
        The rank that models share which are equal in a case; of the ranking itself the smallest.
    missing : {"raise", "omit", "worst", "worst_rank"}
        What missing values count as.
    under_policies : mapping of str to mapping of str to int
        Where values are missing, the rank of each model under each policy that applies.
    metrics : tuple of str
        The metric by which models are ranked, or several that were combined within cases.
    more_groups : bool
        Whether there are other groups.
    n_missing : int
        Cases in which some model has no value.
    """

    models: tuple[RankedModel, ...]
    subject: str
    scheme: str
    margin: float
    top: int
    groups: tuple[tuple[str, ...], ...]
    tau: float
    seed: int
    n_resamples: int
    n_unmatched: int = 0
    cautions: tuple[Caution, ...] = ()
    claims: tuple[tuple[str, str], ...] = ()
    cases: ComparedCases | None = field(default=None, compare=False)
    test: str = ""
    ties: str = "min"
    missing: str = "raise"
    under_policies: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    more_groups: bool = False
    n_missing: int = 0

    @property
    def _alone(self) -> Rankings:
        return Rankings((self,))

    def __getitem__(self, name: str) -> RankedModel:
        """A model by its name."""
        for model in self.models:
            if model.name == name:
                return model
        names = quoted([model.name for model in self.models])
        raise OptionError(f"no model {shown(name)}; there are {names}")

    @property
    def label(self) -> str:
        """What the models are ranked within: ``liver``."""
        return self.models[0].estimate.label

    @property
    def names(self) -> tuple[str, str, str]:
        """What tells it from other rankings: its label, its metric and its scheme."""
        return self.label, ranking_words.listed(self.metrics), self.scheme

    @property
    def by(self) -> Mapping[str, Any]:
        """The levels of the columns within which models are ranked."""
        return self.models[0].estimate.by

    @property
    def confidence_level(self) -> float:
        """Confidence level of all sets of ranks together, and of each marginal one."""
        own = self.models[0].estimate
        return float((own.asked or own.level).confidence_level)

    def sentence(self) -> str:
        """One sentence for a paper, from the sets that hold together.

        Examples
        --------
        ``liver, mean DSC: C is first of 9 (95 % confidence); the ranks of A, B and D are within 2
        to 5.``
        """
        return ranking_words.sentence(self)

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row per model."""
        codes = " ".join(dict.fromkeys(caution.code for caution in self.cautions))
        first = self.models[0].estimate
        about = {
            "metric": first.metric,
            "subject": self.subject,
            "scheme": self.scheme,
            "margin": self.margin,
            "confidence_level": self.confidence_level,
            "top": self.top,
            "n": first.n,
            "n_resamples": self.n_resamples,
            "seed": self.seed,
            "cautions": codes,
        }
        return [{"label": self.label} | model.to_row() | about for model in self.models]

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        first = self.models[0].estimate
        return {
            "label": self.label,
            "by": {name: plain(level) for name, level in self.by.items()},
            "metric": first.metric,
            "metrics": list(self.metrics),
            "subject": self.subject,
            "scheme": self.scheme,
            "test": self.test or None,
            "ties": self.ties,
            "margin": self.margin,
            "confidence_level": self.confidence_level,
            "n": first.n,
            "n_groups": first.n_groups,
            "n_missing": self.n_missing,
            "n_unmatched": self.n_unmatched,
            "missing": self.missing,
            "under_policies": {name: dict(ranks) for name, ranks in self.under_policies.items()},
            "models": [model.to_dict() for model in self.models],
            "groups": [list(group) for group in self.groups],
            "more_groups": self.more_groups,
            "claims": [list(pair) for pair in self.claims],
            "top": self.top,
            "kendall_tau": plain(self.tau),
            "n_resamples": self.n_resamples,
            "seed": self.seed,
            "sentence": self.sentence(),
            "cautions": [caution.to_dict() for caution in self.cautions],
        }

    def __repr__(self) -> str:
        return f"Ranking: {self.sentence()}"


@frozen(repr=False)
class Rankings(ResultCollection[Ranking]):
    """Rankings of models, one for each task, metric and scheme.

    Attributes
    ----------
    items : tuple of Ranking
    notes : tuple of str
        What was done to the tables.
    consensus : tuple of Consensus
        Over tasks, for each metric and scheme; and over metrics, where that was asked for.
    stability : RankStability
        How far the rankings of different tasks, metrics and schemes agree.
    """

    KEY = "rankings"
    WHOLE_NUMBERS = ("seed",)

    items: tuple[Ranking, ...]
    notes: tuple[str, ...] = field(default=())
    consensus: tuple[Consensus, ...] = ()
    stability: RankStability = RankStability()

    def _some(self, items: tuple[Ranking, ...]) -> Rankings:
        """Consensus and stability are those of all rankings."""
        return Rankings(items, self.notes)

    def _only(self, wanted: str | tuple[str, ...]) -> Ranking:
        """The only ranking of these names, or an `OptionError`.

        Names are the label, the metric and the scheme, as many as tell it from the others:
        ``rankings["liver"]``, ``rankings["liver", "rank_then_aggregate"]``.
        """
        names = (wanted,) if isinstance(wanted, str) else wanted
        matching = [item for item in self if set(names) <= set(item.names)]
        if len(matching) == 1:
            return matching[0]
        every = [item.names for item in matching or self.items]
        known = list(dict.fromkeys(name for one in every for name in one if name))
        called = " and ".join(map(shown, names))
        if matching:
            telling = [name for name in known if not all(name in one for one in every)]
            raise OptionError(
                f"{len(matching)} rankings match {called}; name more, such as "
                f"rankings[{', '.join(map(repr, [*names, *telling[:1]]))}]. There are "
                f"{quoted(telling)}"
            )
        nearest = proposed(names[0], known) if len(names) == 1 else ""
        raise OptionError(f"no ranking matches {called}{nearest}; there are {quoted(known)}")

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        return super().to_dict() | {
            "consensus": [one.to_dict() for one in self.consensus],
            "stability": self.stability.to_dict()["stability"],
        }

    def _rows_of(self, item: Ranking) -> list[dict[str, Any]]:
        return item.to_rows()

    def document(self) -> Document:
        """A table of each ranking with its sentence and its groups, cautions and the seed."""
        from halfwidth.results.documents.rankings import rankings_document

        return rankings_document(self)

    def _sentences(self) -> Iterator[str]:
        return (one.sentence() for one in (*self, *self.consensus))
