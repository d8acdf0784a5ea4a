"""Clusters and strata as given by a user, checked and turned into codes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, shortened, shown
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array, Over
from halfwidth.core.undefined import is_missing
from halfwidth.resampling.designs import Codes, Design, arrange


def unit_codes(
    groups: Any,
    strata: Any,
    kept: NDArray[np.bool_],
    where: str,
    cases: Sequence[object] | None = None,
) -> tuple[Codes | None, Codes | None]:
    """Cluster and stratum of each case kept, as integers; None where none are given.

    A stratum that holds all cases is none. Labels that are missing, or not one for each case given,
    and clusters that span strata make a `DataError`.
    """
    if groups is None and strata is None:
        return None, None
    groups, strata = (
        _kept(labels, kept, option, where)
        for labels, option in ((groups, "groups"), (strata, "strata"))
    )
    clusters = _as_codes(groups, "groups", where, kept, cases)
    strata_codes = _as_codes(strata, "strata", where, kept, cases)
    _check_nested(clusters, strata_codes, where, groups or ())
    several = strata_codes is not None and len(np.unique(strata_codes)) > 1
    return clusters, strata_codes if several else None


def _kept(labels: Any, kept: NDArray[np.bool_], option: str, where: str) -> list[Any] | None:
    """The labels of the cases that are kept; those of others need not even be there."""
    every = listed(labels, option)
    if every is None:
        return None
    if len(every) != len(kept):
        raise DataError(f"{where}: {option} has {len(every)} labels for {len(kept)} values")
    return list(itertools.compress(every, kept))


def listed(labels: Any, option: str) -> list[Any] | None:
    """Labels as a list, masked ones None; None where there are none."""
    if labels is None:
        return None
    if isinstance(labels, str | bytes):
        raise OptionError(
            f"{spelled(option, labels)} is a text; give one label per case, as many as values (a "
            "column name goes with a table)"
        )
    if getattr(labels, "ndim", 1) != 1:
        raise DataError(f"{option} has shape {labels.shape}; it takes one label per case")
    if isinstance(labels, Mapping | AbstractSet):
        raise OptionError(
            f"{option} is a {type(labels).__name__}, which has no order of cases; give a list, "
            "array or column with one label per case"
        )
    try:
        return list(labels.tolist() if isinstance(labels, np.ndarray) else labels)
    except TypeError:
        raise OptionError(
            f"{spelled(option, labels)} is not a sequence of labels, one per case"
        ) from None


def _as_codes(
    labels: list[Any] | None,
    option: str,
    where: str,
    kept: NDArray[np.bool_],
    cases: Sequence[object] | None,
) -> Codes | None:
    """One integer per case for its cluster or stratum; None where none are given."""
    if labels is None:
        return None
    missing = [place for place, label in enumerate(labels) if is_missing(label)]
    if missing:
        plural = "s" if len(missing) > 1 else ""
        places = np.flatnonzero(kept)[missing]
        named = [f"#{place + 1}" if cases is None else cases[place] for place in places.tolist()]
        raise DataError(
            f"{where}: {len(missing)} of {len(labels)} cases lack a label in {option} "
            f"(case{plural} {shortened(named, most=3)}); "
            "give each a label, or leave the cases out"
        )
    known: dict[Any, int] = {}
    try:
        codes = [known.setdefault(label, len(known)) for label in labels]
    except TypeError:
        raise DataError(
            f"{where}: {option} takes plain labels (text or numbers), not {shown(labels[0])}"
        ) from None
    return np.array(codes, dtype=np.intp)


def _check_nested(
    groups: Codes | None, strata: Codes | None, where: str, labels: Sequence[object]
) -> None:
    """Refuse a cluster that spans strata: it could be drawn in neither."""
    if groups is None or strata is None:
        return
    pairs = np.unique(np.stack([groups, strata]), axis=1)
    spans = np.flatnonzero(np.bincount(pairs[0]) > 1)
    if len(spans):
        label_of = dict(zip(groups.tolist(), labels, strict=True))
        named = shortened([label_of[code] for code in spans.tolist()], most=5)
        raise DataError(
            f"{where}: {len(spans)} cluster(s) lie in more than one stratum ({named}); "
            "put each cluster into one stratum"
        )


def _cluster_means(
    values: Array, groups: Codes, strata: Codes | None
) -> tuple[Array, Codes | None]:
    """The mean of each cluster, and the stratum of each."""
    order = np.argsort(groups, kind="stable")
    _, first, sizes = np.unique(groups[order], return_index=True, return_counts=True)
    ordered = values[..., order]
    anchors = ordered[..., first]
    # About one of the cluster's values, so that equal values have exactly themselves as mean.
    shifted = ordered - np.repeat(anchors, sizes, axis=-1)
    means = anchors + np.add.reduceat(shifted, first, axis=-1) / sizes
    return means, None if strata is None else strata[order][first]


def arrange_cases(
    values: Array,
    groups: Codes | None,
    strata: Codes | None,
    over: Over,
    *,
    paired: bool = False,
    identities: Codes | None = None,
) -> tuple[Array, Design]:
    """Values in the canonical order of their design; cluster means with ``over="clusters"``.

    With ``identities`` the order is theirs (`arrange`), and means of clusters are in that of the
    codes of the clusters.
    """
    if over == "clusters" and groups is None:
        raise OptionError(f"{spelled('over', 'clusters')} needs clusters: give {spelled('groups')}")
    if not values.shape[-1]:
        return values, Design.iid(0)
    if over == "clusters" and groups is not None:
        values, strata = _cluster_means(values, groups, strata)
        groups = None
        identities = None if identities is None else np.arange(values.shape[-1])
    return arrange(values, groups, strata, paired=paired, identities=identities)
