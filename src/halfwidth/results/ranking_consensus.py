"""What several rankings say together: a consensus over them, and how far they agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from halfwidth.core.errors import OptionError, quoted, shown
from halfwidth.core.formatting import fixed, json_text, plain
from halfwidth.core.frozen import frozen
from halfwidth.document.parts import Data, Document, Kind, Note
from halfwidth.results import ranking_words
from halfwidth.results.fields import Field, fields_dict, fields_row, fields_table
from halfwidth.results.result import SCHEMA_VERSION, Result, ResultSequence

if TYPE_CHECKING:
    from halfwidth.results.ranking import RankSet

COMBINATIONS = {"mean_rank": "mean of ranks", "median_rank": "median of ranks"}


@frozen
class ConsensusModel:
    """A model, its rank over several rankings, and how sure that is.

    Attributes
    ----------
    name : str
    value : float
        The mean or median of its ranks.
    ranks : tuple of int
        Its rank in each ranking.
    rank : int
        1 + the number of models with a smaller value.
    rank_set : RankSet
        All such sets of a consensus hold together.
    shares : tuple of float
        The share of bootstrap resamples in which the model has rank 1, 2, ... of the consensus.
    top_share : float
        That of the first ranks taken together, as many as the rankings ask for.
    """

    name: str
    value: float
    ranks: tuple[int, ...]
    rank: int
    rank_set: RankSet
    shares: tuple[float, ...] = ()
    top_share: float = math.nan

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
            "value": self.value,
            "best_rank": min(self.ranks),
            "worst_rank": max(self.ranks),
            "first_share": self.first_share,
            "top_share": self.top_share,
        }

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        row = {key: plain(value) for key, value in self.to_row().items()}
        return row | {"ranks": list(self.ranks), "rank_shares": list(self.shares)}


@frozen(repr=False)
class Consensus(Result):
    """Models by the mean or median of their ranks in several rankings, with confidence sets.

    Attributes
    ----------
    models : tuple of ConsensusModel
        The best first.
    subject : str
        What is combined, in prose: ``mean of ranks by mean DSC over 9 tasks``.
    combine : {"mean_rank", "median_rank"}
    over : {"tasks", "metrics", "tasks and metrics"}
        What the rankings are of.
    rankings : tuple of str
        The rankings that are combined, in the order of the models' ``ranks``.
    label : str
        The task, where metrics are combined.
    metrics : tuple of str
        By which models are ranked.
    scheme : str
        Of the rankings.
    left_out : tuple of str
        Models that some ranking lacks and that are therefore not in the consensus.
    given_last : tuple of str
        Models that have the last rank in rankings that lack them.
    confidence_level : float
        That of all sets together.
    top : int
    n_resamples : int
    seed : int
    """

    WHOLE_NUMBERS = ("seed",)

    models: tuple[ConsensusModel, ...]
    subject: str
    combine: str
    over: str
    rankings: tuple[str, ...]
    label: str
    metrics: tuple[str, ...]
    scheme: str
    left_out: tuple[str, ...]
    given_last: tuple[str, ...]
    confidence_level: float
    top: int
    n_resamples: int
    seed: int

    def __getitem__(self, name: str) -> ConsensusModel:
        """A model by its name."""
        for model in self.models:
            if model.name == name:
                return model
        names = quoted([model.name for model in self.models])
        raise OptionError(f"no model {shown(name)}; there are {names}")

    def sentence(self) -> str:
        """One sentence for a paper, from the sets that hold together.

        Examples
        --------
        ``Mean of ranks by mean DSC over 9 tasks: C is first of 9 (95 % confidence); the ranks of A,
        B and D are within 2 to 5.``
        """
        about = ranking_words.about(self.label, self.subject)
        return f"{about}: {ranking_words.clauses(self.models, self.confidence_level)}."

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row per model."""
        about = {
            "scheme": self.scheme,
            "combine": self.combine,
            "over": self.over,
            "metrics": "; ".join(self.metrics),
            "rankings": len(self.rankings),
            "confidence_level": self.confidence_level,
            "top": self.top,
            "n_resamples": self.n_resamples,
            "seed": self.seed,
        }
        return [{"label": self.label} | model.to_row() | about for model in self.models]

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        return {
            "label": self.label,
            "subject": self.subject,
            "over": self.over,
            "combine": self.combine,
            "scheme": self.scheme,
            "metrics": list(self.metrics),
            "rankings": list(self.rankings),
            "left_out": list(self.left_out),
            "given_last": list(self.given_last),
            "confidence_level": self.confidence_level,
            "models": [model.to_dict() for model in self.models],
            "top": self.top,
            "n_resamples": self.n_resamples,
            "seed": self.seed,
            "sentence": self.sentence(),
        }

    def to_json(self) -> str:
        """The consensus as JSON, with its ``schema_version``."""
        return json_text({"schema_version": SCHEMA_VERSION} | self.to_dict())

    def document(self) -> Document:
        """A table of the models, what it says, and what its columns are."""
        from halfwidth.results.documents.rankings_together import consensus_document

        return consensus_document(self)

    def __repr__(self) -> str:
        return f"Consensus: {self.sentence()}"


@frozen
class RankAgreement:
    """How far two rankings of the same models agree.

    Attributes
    ----------
    over : {"tasks", "metrics", "schemes", "consensus"}
        What differs between the two; ``"consensus"``: a ranking and the consensus over tasks.
    first, second : str
        The two tasks, metrics or schemes.
    label : str
        The task, where it is the same.
    metric : str
        The metric, where it is the same.
    scheme : str
        The scheme, where it is the same.
    kendall_tau : float
        Kendall's τ-b; NaN where either ranking has all models equal.
    moved : tuple of str
        Models whose rank is not the same in both.
    n_models : int
        Models in both.
    """

    FIELDS: ClassVar[tuple[Field, ...]] = (
        Field("over", "over", kind=Kind.TEXT),
        Field("first", "first", kind=Kind.TEXT),
        Field("second", "second", kind=Kind.TEXT),
        Field("label", "label", kind=Kind.TEXT),
        Field("metric", "metric", kind=Kind.TEXT),
        Field("scheme", "scheme", kind=Kind.TEXT),
        Field("kendall_tau", "Kendall's tau", lambda pair: fixed(pair.kendall_tau, 2)),
        Field("moved", "moved", lambda pair: ", ".join(pair.moved), Kind.TEXT),
        Field("n_models", "models"),
    )

    over: str
    first: str
    second: str
    label: str
    metric: str
    scheme: str
    kendall_tau: float
    moved: tuple[str, ...]
    n_models: int


@frozen(repr=False)
class RankStability(Result, ResultSequence[RankAgreement]):
    """How far the rankings of a call agree with each other, two by two.

    Attributes
    ----------
    items : tuple of RankAgreement
    """

    items: tuple[RankAgreement, ...] = ()

    def over(self, what: str) -> RankStability:
        """Rankings over tasks, metrics or schemes, or with the consensus."""
        return RankStability(tuple(item for item in self if item.over == what))

    @property
    def mean_tau(self) -> float:
        """Mean Kendall's τ-b where it is defined; NaN where it nowhere is."""
        taus = self.taus
        return sum(taus) / len(taus) if taus else math.nan

    @property
    def taus(self) -> tuple[float, ...]:
        """Kendall's τ-b of all pairs for which it is defined."""
        return tuple(item.kendall_tau for item in self if not math.isnan(item.kendall_tau))

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        pairs = [fields_dict(item, RankAgreement.FIELDS) for item in self]
        return {"schema_version": SCHEMA_VERSION, "stability": pairs}

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row per pair of rankings."""
        return [
            fields_row(item, RankAgreement.FIELDS) | {"moved": "; ".join(item.moved)}
            for item in self
        ]

    def document(self) -> Document:
        """A row per pair of rankings, and a sentence for each kind of pairs."""
        data = Data(self.to_dict, self.to_rows)
        if not self:
            return Document((Note("No rankings to compare."),), data)
        table = fields_table(self, RankAgreement.FIELDS)
        return Document((table, *map(Note, self.sentences())), data)

    def __repr__(self) -> str:
        return "\n".join(["RankStability:", *(f"  {text}" for text in self.sentences())])

    def sentences(self) -> list[str]:
        """A sentence for each kind of pairs."""
        return ranking_words.agreements(self)
