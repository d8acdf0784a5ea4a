"""The result of planning: numbers of cases, widths and requirements."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from halfwidth.core.formatting import fixed, fixed_apart, json_text, percent, plain
from halfwidth.core.frozen import frozen
from halfwidth.document.parts import Data, Document, Heading, Kind, Note, Table
from halfwidth.results.result import SCHEMA_VERSION, Result, ResultSequence

WORDS = {
    "sd": "SD",
    "sd_ratio": "ratio of SDs",
    "failures_share": "share of failures",
    "auroc": "AUROC",
    "lp_mean": "mean of the log odds",
    "lp_sd": "SD of the log odds",
    "lp_skewness": "skewness of the log odds",
}
# Kinds of the columns that hold no numbers.
KINDS = {
    **dict.fromkeys(("label", "decided by", "needed for", "by"), Kind.TEXT),
    **dict.fromkeys(("plan", "kind"), Kind.NAME),
    "interval": Kind.INTERVAL,
}

WIDTH_NEEDS = "width"
# What n counts.
CASES, CLUSTERS = "cases", "clusters"


@frozen
class Requirement:
    """The number of cases that a goal requires.

    Attributes
    ----------
    what : str
        ``"width"``, ``"reliable coverage of the mean DSC"``, ...
    n : int
    source : str
        The formula or the reference.
    """

    what: str
    n: int
    source: str


@frozen
class Simulated:
    """The simulated widths at the n of a plan.

    Attributes
    ----------
    samples : int
        Studies simulated.
    reached : float or None
        Share of them whose interval is no wider than wanted.
    reached_se : float or None
        Its Monte-Carlo standard error.
    n_low, n_high : int or None
        Result of the search if all shares were two standard errors higher, or
        lower.
    q1, median, q3 : float
        Quartiles of the widths.
    assured : float
        The width that the share ``assurance`` of the studies keep below.
    undefined : int
        Studies without an interval, or with one of no width; they count as too wide.
    seed : int
    """

    samples: int
    reached: float | None
    reached_se: float | None
    n_low: int | None
    n_high: int | None
    q1: float
    median: float
    q3: float
    assured: float
    undefined: int
    seed: int


@frozen(repr=False)
class SampleSize(Result):
    """A number of cases and the width of the interval they give.

    Attributes
    ----------
    quantity : str
        What is estimated: ``"mean DSC"``.
    n : int
        Cases in all: the most that one of the requirements asks for, or the number given. Clusters,
        such as patients, where ``counted`` says so.
    width : float
        Of the interval at n, under the assumptions.
    low, high : float
        The expected ends of the interval at n; NaN if unknown.
    formula : str
        Name of the formula for the width, or of the method whose intervals were simulated.
    formula_text : str
        The formula, or what was simulated.
    confidence_level : float
    assumed : mapping of str to float
        The assumptions of the formula: ``{"sd": 0.1}``.
    wanted : float or None
        The width asked for; None where n was given.
    requirements : tuple of Requirement
        The goals and the cases they require.
    counts : mapping of str to int
        The cases of each class, if classes matter.
    assurance : float or None
        The probability with which a study of n cases reaches the width.
    power : float or None
        The probability that a test at n cases finds the assumed difference.
    aim : float or None
        The power asked for.
    unit : str
        Of widths and ends.
    parts : tuple of SampleSize
        Where several intervals are planned at once.
    notes : tuple of str
        Remarks for the reader.
    simulated : Simulated or None
    rule : str
        The version of ``auto`` that takes this method: then the plan is that of the interval that a
        study gets by default. Empty where the method was named.
    shape : str
        How cases are assumed to be distributed; empty where a formula does without.
    label : str
        Of the pilot, where there are several.
    curve : tuple of (int, float)
        The width at other n, for a figure.
    part_curves : mapping of str to tuple of (int, float)
        The same of each of ``parts``, by all cases.
    counted : {"cases", "clusters"}
        What n counts, that of the requirements and the curve too: clusters, where the pilot has
        them.
    n_cases : float or None
        The cases expected in n clusters; None where n counts cases.
    """

    quantity: str
    n: int
    width: float
    formula: str
    formula_text: str
    confidence_level: float
    assumed: Mapping[str, float]
    low: float = math.nan
    high: float = math.nan
    wanted: float | None = None
    requirements: tuple[Requirement, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    assurance: float | None = None
    power: float | None = None
    aim: float | None = None
    unit: str = ""
    parts: tuple[SampleSize, ...] = ()
    notes: tuple[str, ...] = ()
    simulated: Simulated | None = None
    rule: str = ""
    shape: str = ""
    label: str = ""
    curve: tuple[tuple[int, float], ...] = field(default=(), compare=False)
    part_curves: Mapping[str, tuple[tuple[int, float], ...]] = field(
        default_factory=dict, compare=False
    )
    counted: str = CASES
    n_cases: float | None = None

    @property
    def halfwidth(self) -> float:
        """Half of the width: the number after the ±."""
        return self.width / 2

    @property
    def n_for_width(self) -> int | None:
        """The fewest cases (or clusters) for the width wanted; None where n was given."""
        numbers = [need.n for need in self.requirements if need.what == WIDTH_NEEDS]
        return numbers[0] if numbers else None

    @property
    def solves_for_n(self) -> bool:
        """Whether the plan is for a width or a power, rather than for a given n."""
        return self.wanted is not None or self.aim is not None

    @property
    def decided_by(self) -> str:
        """The requirement that takes most cases; ``"given"`` if n was given."""
        if not self.solves_for_n:
            return "given"
        return max(self.requirements, key=lambda need: need.n).what

    @property
    def decimals(self) -> int:
        """Decimals of a width in text."""
        return width_decimals(min(self.width, self.wanted or self.width))

    def sentence(self) -> str:
        """The plan in words.

        Examples
        --------
        >>> from halfwidth import planning
        >>> planning.mean(0.1, halfwidth=0.02, metric="dsc", method="t").sentence()
        '99 cases give a 95 % CI of the mean DSC of half-width 0.0199 (t; SD 0.1); width decides.'
        """
        reach = fixed(self.halfwidth, self.decimals)
        unit = f" {self.unit}" if self.unit else ""
        assumed = ", ".join(
            f"{name.replace('_', ' ').replace('sd', 'SD')} {value:g}"
            for name, value in self.assumed.items()
        )
        named = f"{self.formula}, the default interval" if self.rule else self.formula
        rests_on = "; ".join(filter(None, [named, assumed, self.shape]))
        end = f"; {self.decided_by} decides" if self.solves_for_n else ""
        held = "" if self.n_cases is None else f" (about {self.n_cases:.0f} cases)"
        return (
            f"{self.n} {self.counted}{held} give a {percent(self.confidence_level)} CI of the "
            f"{self.quantity} of half-width {reach}{unit} ({rests_on}){end}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain types; NaN is None."""
        plan: dict[str, Any] = {
            "label": self.label,
            "of": self.quantity,
            "n": self.n,
            "width": plain(self.width),
            "halfwidth": plain(self.halfwidth),
            "low": plain(self.low),
            "high": plain(self.high),
            "unit": self.unit,
            "confidence_level": self.confidence_level,
            "formula": self.formula,
            "rule": self.rule or None,
            "shape": self.shape or None,
            "assumed": dict(self.assumed),
            "wanted_width": self.wanted,
            "assurance": self.assurance,
            "power": self.power,
            "wanted_power": self.aim,
            "decided_by": self.decided_by,
            "requirements": [vars(need) for need in self.requirements],
            "counts": dict(self.counts),
            "notes": list(self.notes),
            "parts": [part.to_dict() for part in self.parts],
        }
        if self.n_cases is not None:
            plan |= {"counted": self.counted, "n_cases": self.n_cases}
        if self.simulated is not None:
            simulated = vars(self.simulated).items()
            plan["simulated"] = {name: plain(value) for name, value in simulated}
        return plan

    def to_json(self) -> str:
        """The plan as JSON, with its ``schema_version``."""
        return json_text({"schema_version": SCHEMA_VERSION, "plans": [self.to_dict()]})

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row, and one of each part: assumptions, counts and simulated widths as columns."""
        row = self.to_dict()
        for name in ("assumed", "counts", "requirements", "notes", "parts", "simulated"):
            row.pop(name, None)
        row |= {"n_for_width": self.n_for_width, **self.assumed, **self.counts}
        row |= vars(self.simulated) if self.simulated is not None else {}
        return [row, *(one for part in self.parts for one in part.to_rows())]

    def document(self) -> Document:
        """What is needed, and what the numbers rest on."""
        return plans_document([self])

    def __repr__(self) -> str:
        return f"SampleSize: {self.sentence()}"


@frozen(eq=False, repr=False)
class SampleSizes(Result, ResultSequence[SampleSize]):
    """Plans of one kind, in the order of what they were made of.

    Attributes
    ----------
    items : tuple of SampleSize
    notes : tuple of str
        What was assumed about the pilot.
    """

    items: tuple[SampleSize, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The plans as plain types; NaN is None."""
        return {"schema_version": SCHEMA_VERSION, "plans": [plan.to_dict() for plan in self]}

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row of each plan and of its parts."""
        return [row for plan in self for row in plan.to_rows()]

    def document(self) -> Document:
        """What is needed, and what the numbers rest on."""
        return plans_document(self)

    def __repr__(self) -> str:
        lines = [*(one.sentence() for one in self), *self.notes]
        return "\n".join([f"SampleSizes ({len(self)}):", *(f"  {line}" for line in lines)])


def width_decimals(width: float) -> int:
    """Decimals that leave half of a width three significant digits.

    >>> width_decimals(0.04), width_decimals(1.24), width_decimals(350.0)
    (4, 3, 0)
    """
    if not math.isfinite(width) or width <= 0:
        return 3
    return max(0, 2 - math.floor(math.log10(width / 2) + 1e-9))


# --------------------------------------------------------------------------- as a document


def plans_document(plans: Sequence[SampleSize]) -> Document:
    """Plans of one kind: what is needed, and what the numbers rest on."""
    first = plans[0]
    unit = f" [{first.unit}]" if first.unit else ""
    named = ", ".join(dict.fromkeys(plan.quantity for plan in plans))
    quantity = named[:1].upper() + named[1:]
    title = f"{quantity}{unit}, {percent(first.confidence_level)} CI"
    tables = [_overview(plans)]
    if len(plans) == 1:
        tables += [_needs(first)] if first.requirements else []
        tables += [_overview(first.parts)] if first.parts else []
    return Document(
        (Heading(title), *tables, *map(Note, _lines(plans))),
        Data(
            lambda: {
                "schema_version": SCHEMA_VERSION,
                "plans": [plan.to_dict() for plan in plans],
            },
            lambda: [row for plan in plans for row in plan.to_rows()],
        ),
    )


def minimum_runs_document(rows: Sequence[dict[str, Any]]) -> Document:
    """Minimum numbers of runs: ``quantile, confidence_level, kind, n`` of each."""
    cells = [
        (f"{r['quantile']:g}", percent(r["confidence_level"]), str(r["kind"]), str(r["n"]))
        for r in rows
    ]
    return Document(
        (
            Heading("Fewest runs with which a quantile has an interval"),
            _sheet(("quantile", "level", "kind", "least n"), cells),
        ),
        Data(lambda: {"schema_version": SCHEMA_VERSION, "minimum_runs": list(rows)}, lambda: rows),
    )


# --------------------------------------------------------------------------- plans


def _sheet(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    return Table.from_rows(headings, rows, kinds=KINDS)


def _overview(plans: Sequence[SampleSize]) -> Table:
    """A row for each plan; a column that says nothing is left out."""
    columns: dict[str, Callable[[SampleSize], str]] = {}
    # The same in all rows, so that numbers stand below each other.
    places = max(plan.decimals for plan in plans)
    if any(plan.label for plan in plans):
        columns["label"] = lambda plan: plan.label
    if len({plan.quantity for plan in plans}) > 1:
        columns["plan"] = lambda plan: plan.quantity
    for name in _varying(plans):
        columns[WORDS.get(name, name)] = lambda plan, name=name: f"{plan.assumed[name]:g}"  # type: ignore[misc]
    for_width = any(plan.wanted is not None for plan in plans)
    if for_width:
        columns["wanted"] = lambda plan: fixed((plan.wanted or math.nan) / 2, places)
        if len(plans) > 1 and not plans[0].parts:
            columns["for width"] = lambda plan: str(plan.n_for_width or "")
    columns[_heading(plans)] = lambda plan: str(plan.n)
    if all(plan.n_cases is not None for plan in plans):
        columns["cases"] = lambda plan: f"{plan.n_cases:.0f}"
    for name in plans[0].counts:
        columns[name] = lambda plan, name=name: str(plan.counts[name])  # type: ignore[misc]
    columns["half-width"] = lambda plan: fixed(plan.halfwidth, places)
    columns["width"] = lambda plan: fixed(plan.width, places)
    if any(plan.simulated for plan in plans):
        columns |= _simulation_columns(plans[0], places, wanted=for_width)
    if all(math.isfinite(plan.low) for plan in plans):
        columns["interval"] = _interval
    columns |= _question_columns(plans)
    return _sheet(columns, ([cell(plan) for cell in columns.values()] for plan in plans))


def _heading(plans: Sequence[SampleSize]) -> str:
    """Heading of a column of n: what it counts, where that is not cases."""
    counted = {plan.counted for plan in plans}
    return CLUSTERS if counted == {CLUSTERS} else "n"


def _question_columns(plans: Sequence[SampleSize]) -> dict[str, Callable[[SampleSize], str]]:
    """The power of a test where there is one, and what decided n where a plan seeks it."""
    columns: dict[str, Callable[[SampleSize], str]] = {}
    if all(plan.power is not None for plan in plans):
        columns["power"] = lambda plan: f"{100 * (plan.power or 0.0):.1f} %"
    if any(plan.solves_for_n for plan in plans):
        columns["decided by"] = lambda plan: plan.decided_by
    return columns


def _varying(plans: Sequence[SampleSize]) -> list[str]:
    """What is assumed differently from plan to plan."""
    names = dict.fromkeys(name for plan in plans for name in plan.assumed)
    shared = [name for name in names if all(name in plan.assumed for plan in plans)]
    return [name for name in shared if len({plan.assumed[name] for plan in plans}) > 1]


def _interval(plan: SampleSize) -> str:
    places = max(0, width_decimals(plan.width) - 1)
    low, high = (fixed_apart(end, places, (0.0, 1.0)) for end in (plan.low, plan.high))
    return f"{low} to {high}"


def _reached(plan: SampleSize) -> str:
    simulated = plan.simulated
    if simulated is None or simulated.reached is None:
        return ""
    return f"{100 * simulated.reached:.1f} %"


def _simulation_columns(
    first: SampleSize, places: int, *, wanted: bool
) -> dict[str, Callable[[SampleSize], str]]:
    """Quartiles of the widths, and how many of them are narrow enough, or how narrow they are."""

    def cell(name: str) -> Callable[[SampleSize], str]:
        return lambda plan: fixed(getattr(plan.simulated, name, math.nan), places)

    below = f"{percent(first.assurance or 0.0)} below"
    last = {"reached": _reached} if wanted else {below: cell("assured")}
    return {"Q1": cell("q1"), "Q3": cell("q3"), **last}


def _needs(plan: SampleSize) -> Table:
    rows = [(need.what, str(need.n), need.source) for need in plan.requirements]
    return _sheet(("needed for", _heading([plan]), "by"), rows)


def _lines(plans: Sequence[SampleSize]) -> list[str]:
    """What the numbers rest on."""
    first = plans[0]
    varying = _varying(plans)
    assumed = [
        f"{WORDS.get(name, name)} {value:g}"
        for name, value in first.assumed.items()
        if name not in varying
    ]
    lines = _method_lines(plans)
    lines += [f"Assumed: {', '.join(assumed)}."] if assumed else []
    shapes = dict.fromkeys(plan.shape for plan in plans if plan.shape)
    lines += [f"Shape assumed: {shape}." for shape in shapes]
    if first.wanted is not None:
        lines.append("wanted: the half-width asked for.")
    if first.wanted is not None and first.assurance is not None:
        lines.append(f"Assurance: {percent(first.assurance)} of studies {_assured(first)}.")
    lines += _simulation_lines(first, alone=len(plans) == 1)
    lines += _cluster_lines(plans)
    return lines + list(dict.fromkeys(note for plan in plans for note in plan.notes))


def _method_lines(plans: Sequence[SampleSize]) -> list[str]:
    """The method of each plan, or of each of its parts; of different ones, what each is of."""
    if len(plans) == 1 and plans[0].parts:
        plans = plans[0].parts
    several = len({plan.quantity for plan in plans}) > 1
    named: dict[str, list[str]] = {}
    for plan in plans:
        named.setdefault(_method_line(plan), []).append(plan.quantity if several else plan.label)
    if len(named) == 1:
        return list(named)
    return [f"{', '.join(dict.fromkeys(names))}: {line}" for line, names in named.items()]


def _method_line(plan: SampleSize) -> str:
    """The method or the formula, and whether a study gets its interval by default."""
    default = f" (the default, {plan.rule})" if plan.rule else ""
    kind = "Method" if plan.rule or plan.shape else "Formula"
    return f"{kind}: {plan.formula}{default}, {plan.formula_text}."


def _assured(plan: SampleSize) -> str:
    """What the share of studies does."""
    return "reach both widths" if len(plan.parts) > 1 else "reach the width"


def _simulation_lines(plan: SampleSize, *, alone: bool) -> list[str]:
    simulated = plan.simulated
    if simulated is None:
        return []
    studies = f"{simulated.samples} studies drawn at each n (seed {simulated.seed})"
    lines = [f"width, Q1, Q3: median and quartiles of the widths of {studies}."]
    if not alone:
        return lines
    if simulated.reached_se is not None:
        lines.append(_monte_carlo(plan, simulated, simulated.reached_se))
    if simulated.undefined:
        count = f"{simulated.undefined} {'study' if simulated.undefined == 1 else 'studies'}"
        lines.append(f"{count} without an interval, or with one of no width, count as too wide.")
    return lines


def _cluster_lines(plans: Sequence[SampleSize]) -> list[str]:
    """Lines that say that n counts clusters, and how many cases these have."""
    each = {plan.label: plan.n_cases / plan.n for plan in plans if plan.n_cases is not None}
    if not each:
        return []
    several = len(set(each.values())) > 1 or len(each) < len({plan.label for plan in plans})
    numbers = [
        f"{size:.3g} ({label})" if several else f"{size:.3g}" for label, size in each.items()
    ]
    average = ", ".join(dict.fromkeys(numbers))
    return [f"n counts clusters, drawn whole; cases in each, on average of the pilot: {average}."]


def _monte_carlo(plan: SampleSize, simulated: Simulated, error: float) -> str:
    """How sure the n is; the share at another n than that for the width says nothing of it."""
    n, ends = plan.n_for_width, (simulated.n_low, simulated.n_high or "more")
    text = f"Monte-Carlo SE of the share reached: {100 * error:.1f} %. " if plan.n == n else ""
    where = f"the n for the width, {n}"
    moved = f"do not move {where}" if ends == (n, n) else f"move {where}, to {ends[0]} or {ends[1]}"
    return f"{text}Two Monte-Carlo standard errors {moved}."
