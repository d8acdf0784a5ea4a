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
    """What all claims have in common; the rival is another model on the same cases."""

    n: int
    # In the metric's unit.
    value: float
    metric: Metric
    # By how much rounding in print may have changed the difference from the rival.
    rounding: float = 0.0
    # The most printed decimals, in the metric's unit; 0 if counts were given.
    decimals: int = 0
    label: str = ""


@frozen(kw_only=True)
class MeanClaim(_PublishedNumber):
    """A mean over cases."""

    kind: ClassVar[ClaimKind] = "mean"
    # SD of the cases (n - 1).
    spread: Spread
    source: SpreadSource
    rival: MeanClaim | None = None


@frozen(kw_only=True)
class CountClaim(_PublishedNumber):
    """A proportion of cases."""

    kind: ClassVar[ClaimKind] = "proportion"
    source: ClassVar[str] = "counts"
    successes: int
    # Half of the last digit of a printed share from which the count was inferred; else 0.
    half_unit: float = 0.0
    rival: CountClaim | None = None


@frozen(kw_only=True)
class AurocClaim(_PublishedNumber):
    """An AUROC; ``positives`` are cases."""

    kind: ClassVar[ClaimKind] = "auroc"
    source: ClassVar[str] = "counts"
    positives: int
    rival: AurocClaim | None = None

    @property
    def negatives(self) -> int:
        """Negative cases."""
        return self.n - self.positives


Claim = MeanClaim | CountClaim | AurocClaim
