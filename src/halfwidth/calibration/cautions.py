"""Cautions about metrics of calibration (HW508, HW510, HW511)."""

from __future__ import annotations

from halfwidth.core.caution_spec import CautionSpec
from halfwidth.core.option_names import spelled_both

DECLARED: tuple[CautionSpec, ...] = (
    CautionSpec(
        "HW508",
        "calibration error by chance",
        "The {what} of a perfectly calibrated model with the same probabilities would be about "
        "{expected} in a sample of {n}{debiased}.",
        "Outcomes differ from their probabilities by chance, and the ECE adds up the sizes of "
        "these differences, whatever their sign. It is therefore too large, the more so the fewer "
        "cases there are in a bin. The figure is the mean over outcomes drawn from the model's own "
        "probabilities, as of independent cases. The debiased ℓ2 ECE, in the same bins, is not "
        "inflated; it is another average of the deviations, a root mean square. Chance adds more "
        "to the smaller of two errors, so that the difference of two models is mostly nearer to 0 "
        "than the true one, which its interval allows for.",
        "Report the interval, which allows for chance, and the debiased ECE (ece_l2) beside it. "
        "Compare ECEs only of equally many cases in the same bins.",
        "kumar2019",
    ),
    CautionSpec(
        "HW510",
        "probabilities of 0 and 1",
        "{count} of {n} probabilities are closer to 0 or 1 than {limit}, and count as that far "
        "away in the {what}.",
        "The logarithm of 0 and the logit of 0 and 1 are infinite, so that these need a limit, "
        "and a single case that is certain and wrong may decide the value. Many programs round "
        "probabilities to 0 and 1 when they write them.",
        "Write probabilities with all their digits, or give logits "
        f"({spelled_both('scores', 'logits')}). Report the limit beside the value.",
    ),
    CautionSpec(
        "HW511",
        "not all pairs of cases compared",
        "The {what} rests on {most} cases, all pairs of which were compared.",
        "The time for comparing all pairs grows with the square of the number of cases. Of many "
        "cases the metric takes some, evenly spaced in the order of their probabilities, whatever "
        "the order of rows. The interval is for as many cases as were taken.",
        "State how many cases the value rests on. Metrics that are sums over cases (ece, "
        "smooth_ece, brier) take all of them, and so does the kernel calibration error of one "
        "class.",
    ),
)
