"""``halfwidth score``: from masks to a per-case table, with intervals at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from halfwidth.cli import mask_options, options
from halfwidth.cli.answer import Answer, strict_status
from halfwidth.cli.option_groups import argument, option, switch
from halfwidth.cli.output import InterruptReportedError, complain, note
from halfwidth.core.by_metric import check_penalty, number_of
from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.core.parameters import split_names
from halfwidth.core.spec import Metric
from halfwidth.data.case_values import CaseValues
from halfwidth.document.parts import Data, Document
from halfwidth.estimation.resolve import resolve_request, resolve_statistic
from halfwidth.io.writers import TABLE_SUFFIXES
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.scoring.score import score_folders
from halfwidth.scoring.scores import COLUMNS, Scores
from halfwidth.verbs.estimate import estimate

if TYPE_CHECKING:
    from halfwidth.results.estimate import Estimates
    from halfwidth.scoring.scores import Scores


def score(
    predictions: Annotated[
        Path, argument("Folder of predicted masks, or one file.", "PREDICTIONS")
    ],
    references: Annotated[Path, argument("Folder of reference masks, or one file.", "REFERENCES")],
    metrics: mask_options.MaskMetrics = ["dsc,hd95"],  # noqa: B006 -- typer copies it
    tolerance: mask_options.Tolerance = None,
    tolerance_file: mask_options.ToleranceFile = None,
    labels: mask_options.LabelNames = None,
    label: mask_options.OnlyLabels = None,
    region: mask_options.Regions = None,
    binary: mask_options.Binary = False,
    spacing: mask_options.Spacing = None,
    ignore_geometry: mask_options.IgnoreGeometry = False,
    allow_missing: mask_options.AllowMissing = False,
    match: mask_options.Match = None,
    max_voxels: mask_options.MaxVoxels = None,
    jobs: options.Jobs = 1,
    out: Annotated[
        Path | None,
        option(
            f"Write the per-case table to FILE ({', '.join(TABLE_SUFFIXES)}); a run that was "
            "cut off goes on with the same command. Default: to stdout, as CSV.",
            "FILE",
            Group.OUTPUT,
            flags=("--out", "-o"),
        ),
    ] = None,
    summary: Annotated[
        bool,
        switch("--summary/--no-summary", "Show intervals of the metrics at the end.", Group.OUTPUT),
    ] = True,
    statistic: options.Statistics = ["mean"],  # noqa: B006 -- typer copies it
    method: options.Method = "auto",
    confidence_level: options.ConfidenceLevel = 0.95,
    n_resamples: options.NResamplesOrNone = None,
    seed: options.Seed = None,
    missing: options.Missing = "raise",
    penalty: options.Penalty = None,
    fmt: Annotated[
        str | None,
        option(
            "Of what goes to stdout. With --out the summary: "
            f"{', '.join(options.FORMAT_NAMES)}; without, the per-case table: csv or json.",
            "FORMAT",
            Group.OUTPUT,
            flags=("--format",),
        ),
    ] = None,
    json: options.Json = False,
    strict: options.Strict = False,
) -> Answer:
    """Compare two folders of masks: a value for each case, label and metric.

    The folders hold a label map for each case, under the same name whatever the format (.nii.gz,
    .nii, .nrrd, .mha, .mhd, .png, .tif, .npy), or a subfolder for each case with a file for each
    structure. Then come the means with confidence intervals, as 'halfwidth ci' gives them.

    \b
    halfwidth score predictions/ references/ --metric dsc,hd95 -o cases.csv
    halfwidth score predictions/ references/ --metric dsc,nsd --tolerance 3 \\
        --jobs 4 -o cases.csv
    halfwidth score pred/ ref/ --metric all --tolerance-file mm.toml \\
        --label-names dataset.json
    halfwidth score pred/ ref/ --region whole=1+2+4 \\
        --metric hd:percentile=99,definition=pooled
    halfwidth score masks/ masks/ --match '{case}_pred' '{case}_gt'
    halfwidth score mine.nii.gz truth.nii.gz --metric dsc,nsd \\
        --tolerance msd:liver
    halfwidth ci cases.csv --by label --missing worst --penalty 374
    """
    fmt = _format(fmt, json, out)
    table = {
        "statistic": split_names(statistic),
        "method": method,
        "confidence_level": confidence_level,
    }
    table |= {"n_resamples": n_resamples, "missing": missing, "penalty": penalty, "rng": seed}
    _check_summary(table, metrics)

    try:
        scores = score_folders(
            predictions,
            references,
            metrics,
            tolerance=tolerance,
            tolerance_file=tolerance_file,
            labels=labels,
            only=label,
            regions=region or (),
            binary=binary,
            spacing=mask_options.parse_spacing(spacing),
            ignore_geometry=ignore_geometry,
            allow_missing=allow_missing,
            match=match,
            max_voxels=max_voxels,
            jobs=jobs,
            out=out,
        )
    except KeyboardInterrupt:
        if out is None:
            raise
        note(
            f"interrupted; {out}.partial keeps what is done, and the same command goes on from "
            "there"
        )
        raise InterruptReportedError from None
    return _answer(scores, table if summary else None, fmt, out, strict=strict)


def _answer(
    scores: Scores, table: dict[str, Any] | None, fmt: str, out: Path | None, *, strict: bool
) -> Answer:
    """Say what there is to say, and show the table or the summary."""
    values = Data(scores.to_dict, lambda: [row._asdict() for row in scores], COLUMNS)
    if out is None:
        Answer(Document(data=values), fmt).show()
    else:
        note(f"wrote {out} ({scores.extent})")
    note(*scores.notes)
    for caution in scores.cautions:
        complain(str(caution))
    cautions: list[Caution] = [*scores.cautions]
    estimates = None
    if table is not None and len(scores.cases) > 1:
        estimates = _summary(scores, table)
    if estimates is not None:
        cautions += estimates.cautions
    status = strict_status(strict, cautions)
    if estimates is not None:
        document = estimates.document()
        aside = out is None
        return Answer(document, "table" if aside else fmt, status=status, aside=aside)
    if out is not None and fmt == "json":
        return Answer(Document(data=values), fmt, status=status)
    return Answer(Document(), status=status)


# --------------------------------------------------------------------------- options


def _format(fmt: str | None, json: bool, out: Path | None) -> str:
    # The suffix of --out is that of the per-case table, not of what goes to stdout.
    chosen = options.resolve_format(fmt, json)
    if out is not None:
        return chosen
    if not json and fmt is None:
        return "csv"
    if chosen not in ("csv", "json"):
        raise OptionError(
            f"--format {chosen} is for the summary, which needs --out FILE for the per-case table; "
            "without it stdout takes that table, as csv or json"
        )
    return chosen


def _check_summary(table: dict[str, Any], metrics: Sequence[str]) -> None:
    """Refuse options of the summary that are wrong, before hours of work."""
    specs = [METRICS.find(name.partition(":")[0]) for name in split_names(metrics)]
    if isinstance(table["penalty"], Mapping) and all(specs):
        check_penalty(table["penalty"], [Metric(spec) for spec in specs if spec])
    request = {name: value for name, value in table.items() if name != "statistic"}
    resolve_request(alternative="two-sided", **request)
    for one in table["statistic"]:
        resolve_statistic(one)


# --------------------------------------------------------------------------- output


def _summary(scores: Scores, table: dict[str, Any]) -> Estimates | None:
    """Intervals of what has values for all cases, or a policy for those that have none."""

    def reports(metric: str) -> bool:
        if table["missing"] == "worst":
            spec, penalty = METRICS[metric], table["penalty"]
            given = number_of(penalty, Metric(spec))
            others = spec.unit != "mm" and not isinstance(penalty, Mapping)
            return spec.worst is None and (given is None or others)
        return bool(table["missing"] == "raise")

    rows, left_out = scores.defined(reports)
    note(*left_out)
    if left_out:
        note(
            "say what a missing value means: --missing omit leaves such cases out, --missing "
            "worst counts them as failed (distances: with --penalty MM)"
        )
    if not rows:
        return None
    columns = {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}
    policy = {name: table.pop(name) for name in ("missing", "penalty")}
    estimates = estimate(CaseValues.from_table(columns, **policy), **table)
    note(*estimates.notes)
    return estimates
