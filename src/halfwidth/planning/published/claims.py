"""Published numbers as claims: a mean of cases, a count of cases, or an AUROC."""

from __future__ import annotations

from typing import ClassVar, Literal

from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Metric
from halfwidth.planning.spread import Spread

ClaimKind = Literal["mean", "proportion", "auroc"]
# What the SD of a mean rests on.
SpreadSource = Literal["sd", "sem", "halfwidth", "guess"]


@frozen(kw_only=True)
class _PublishedNumber:
    """What all claims have in common.

    Attributes
    ----------
    n : int
        Cases.
    value : float
        In the metric's unit.
    metric : Metric
    rounding : float
        By how much rounding in print may have changed the difference from the rival.
    decimals : int
        The most printed decimals, in the metric's unit; 0 if counts were given.
    label : str
    """

    n: int
    value: float
    metric: Metric
    rounding: float = 0.0
    decimals: int = 0
    label: str = ""


@frozen(kw_only=True)
class MeanClaim(_PublishedNumber):
    """A mean over cases.

    Attributes
    ----------
    spread : Spread
        SD of the cases (n - 1).
    source : {"sd", "sem", "halfwidth", "guess"}
        What the SD rests on.
    rival : MeanClaim or None
        The model that this one is compared with, on the same cases.
    """

    kind: ClassVar[ClaimKind] = "mean"
    spread: Spread
    source: SpreadSource
    rival: MeanClaim | None = None


@frozen(kw_only=True)
class CountClaim(_PublishedNumber):
    """A proportion of cases.

    Attributes
    ----------
    successes : int
    half_unit : float
        Half of the last digit of a printed share from which the count was inferred; 0 if the
        count was given.
    rival : CountClaim or None
        The model that this one is compared with, on the same cases.
    """

    kind: ClassVar[ClaimKind] = "proportion"
    source: ClassVar[str] = "counts"
    successes: int
    half_unit: float = 0.0
    rival: CountClaim | None = None


@frozen(kw_only=True)
class AurocClaim(_PublishedNumber):
    """An AUROC.

    Attributes
    ----------
    positives : int
        Positive cases.
    rival : AurocClaim or None
        The model that this one is compared with, on the same cases.
    """

    kind: ClassVar[ClaimKind] = "auroc"
    source: ClassVar[str] = "counts"
    positives: int
    rival: AurocClaim | None = None

    @property
    def negatives(self) -> int:
        """Negative cases."""
        return self.n - self.positives


Claim = MeanClaim | CountClaim | AurocClaim
