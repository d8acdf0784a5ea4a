"""Which columns of a table hold images, classes, scores, boxes and centres."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled

# Names of columns without capitals, blanks and signs; the preferred ones first.
NAMES = {
    "image": (
        *("image", "imageid", "imagename", "filename", "file", "imagefile", "imagepath", "img"),
        *("imgid", "imageindex", "seriesuid", "scan", "scanid", "case", "caseid", "patientid"),
        *("path", "study", "studyid"),
    ),
    "class": (
        *("class", "classname", "category", "categoryname", "label", "labelname", "categoryid"),
        *("classid", "object", "objectclass", "findinglabel", "finding"),
    ),
    "score": ("score", "confidence", "conf", "probability", "prob", "scores", "p"),
    "crowd": ("iscrowd", "crowd", "isgroupof"),
    "ignored": ("ignored", "ignore", "difficult", "isdifficult"),
    "area": ("area",),
    "radius": ("radius", "r", "radiusmm"),
    "diameter": ("diameter", "diametermm", "diam", "d"),
}
Ends = dict[str, tuple[str, ...]]
AXES = "xyz"
LOW: Ends = dict(
    zip(
        AXES,
        (
            ("xmin", "x1", "x0", "left", "minx"),
            ("ymin", "y1", "y0", "top", "miny"),
            ("zmin", "z1", "z0", "front", "minz", "zlow"),
        ),
        strict=True,
    )
)
HIGH: Ends = dict(
    zip(
        AXES,
        (
            ("xmax", "x2", "x1", "right", "maxx"),
            ("ymax", "y2", "y1", "bottom", "maxy"),
            ("zmax", "z2", "z1", "back", "maxz", "zhigh"),
        ),
        strict=True,
    )
)
CENTRE = {
    axis: (
        f"c{axis}",
        f"{axis}center",
        f"{axis}centre",
        f"center{axis}",
        f"centre{axis}",
        f"{axis}c",
    )
    for axis in AXES
}
SIDE = dict(zip(AXES, (("width", "w"), ("height", "h"), ("depth", "d")), strict=True))
POINT = {axis: (axis, f"coord{axis}", *CENTRE[axis]) for axis in AXES}
# Columns of which LUNA16 and its like give places in the patient.
IN_MILLIMETRES = {"coordx", "coordy", "coordz"}
ROLES = (
    "image",
    "class",
    "score",
    "box",
    "point",
    "radius",
    "diameter",
    "crowd",
    "ignored",
    "area",
)


@frozen(kw_only=True)
class BoxColumns:
    """The part each column plays."""

    image: str
    label: str | None
    score: str | None
    crowd: str | None
    ignored: str | None
    area: str | None
    # Columns of the four or six numbers of boxes, and of the two or three of centres; empty where
    # there are none.
    boxes: tuple[str, ...]
    # What the numbers of boxes are: ``"xyxy"``, ``"xywh"`` or ``"cxcywh"``.
    layout: str
    points: tuple[str, ...]
    radius: str | None
    diameter: str | None
    # Whether centres are places in the patient.
    in_mm: bool


def box_columns(
    names: Sequence[str], named: Mapping[str, str] | None, box_format: str | None
) -> BoxColumns:
    """The parts of columns, by their names and by what the user said of roles and boxes."""
    told = _check_named(names, named or {})
    by_key = {key: name for name in reversed(names) if (key := _key(name))}
    found = {role: told.get(role) or _first(by_key, NAMES[role]) for role in NAMES}
    if found["image"] is None:
        raise DataError(
            f"no column names the image of each object (columns: {shortened(names, 12)}); say "
            f"which: {spelled('columns', {'image': 'NAME'})}"
        )
    boxes, layout = _boxes(by_key, told, box_format)
    points = told["point"].split(",") if "point" in told else []
    if not boxes and not points:
        points = _axes(by_key, POINT)
    if not boxes and not points:
        raise DataError(
            f"no columns say where objects are (columns: {shortened(names, 12)}); expected are "
            "x_min, y_min, x_max, y_max, or x, y, width, height, or x, y and a diameter; or say "
            f"which: {spelled('columns', {'box': 'A,B,C,D'})}"
        )
    places = {*boxes, *points}
    taken = {role: name for role, name in found.items() if name not in places}
    sizes = taken if points else {}
    return BoxColumns(
        image=found["image"],
        label=taken.get("class"),
        score=taken.get("score"),
        crowd=taken.get("crowd"),
        ignored=taken.get("ignored"),
        area=taken.get("area"),
        boxes=tuple(boxes),
        layout=layout,
        points=tuple(points),
        radius=sizes.get("radius"),
        diameter=sizes.get("diameter"),
        in_mm={_key(name) for name in points} <= IN_MILLIMETRES and bool(points),
    )


def _key(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]", "", name.casefold())
    return re.sub(r"^(bbox|box)(?=.)", "", plain)


def _first(by_key: Mapping[str, str], keys: Sequence[str]) -> str | None:
    return next((by_key[key] for key in keys if key in by_key), None)


def _check_named(names: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    for role, columns in named.items():
        if role not in ROLES:
            raise UnknownNameError("part of a column", role, ROLES)
        for name in columns.split(",") if role in ("box", "point") else [columns]:
            if name not in names:
                raise UnknownNameError("column", name, names)
        count = len(columns.split(","))
        if role == "box" and count not in (4, 6):
            raise OptionError(f"column box={columns} has {count} names; a box has 4 or 6 numbers")
        if role == "point" and count not in (2, 3):
            raise OptionError(f"column point={columns} has {count} names; a centre has 2 or 3")
    return dict(named)


def _boxes(
    by_key: Mapping[str, str], named: Mapping[str, str], box_format: str | None
) -> tuple[list[str], str]:
    """The columns of boxes, and what their numbers are."""
    if "box" in named:
        return named["box"].split(","), box_format or "xyxy"
    for low, high, layout in (
        (LOW, HIGH, "xyxy"),
        (CENTRE, SIDE, "cxcywh"),
        ({axis: (axis, *keys) for axis, keys in LOW.items()}, SIDE, "xywh"),
    ):
        columns = _pairs(by_key, low, high)
        if columns:
            return columns, _checked_layout(layout, box_format, columns)
    return [], box_format or "xyxy"


def _checked_layout(layout: str, box_format: str | None, columns: Sequence[str]) -> str:
    """The layout of columns; x and y may be the centre where the user says so."""
    if box_format is None or box_format == layout:
        return layout
    if {layout, box_format} == {"xywh", "cxcywh"}:
        return box_format
    raise OptionError(
        f"box_format {box_format!r} does not fit the columns {', '.join(columns)}; leave it out, "
        f"or say which columns: {spelled('columns', {'box': 'A,B,C,D'})}"
    )


def _pairs(
    by_key: Mapping[str, str],
    low: Mapping[str, Sequence[str]],
    high: Mapping[str, Sequence[str]],
) -> list[str]:
    """A column for the low end and one for the other of each axis, of two or three axes."""
    for axes in ("xyz", "xy"):
        # x0 and x1 are a pair, as are x1 and x2; a name serves one end alone.
        for shift in range(len(LOW["x"])):
            lows = [name for axis in axes if (name := _first(by_key, low[axis][shift:]))]
            others = {key: name for key, name in by_key.items() if name not in lows}
            highs = [name for axis in axes if (name := _first(others, high[axis]))]
            if len(lows) == len(highs) == len(axes):
                return [*lows, *highs]
    return []


def _axes(by_key: Mapping[str, str], keys: Mapping[str, Sequence[str]]) -> list[str]:
    for axes in ("xyz", "xy"):
        columns = [name for axis in axes if (name := _first(by_key, keys[axis]))]
        if len(columns) == len(axes):
            return columns
    return []


def image_column(names: Sequence[str]) -> str | None:
    """The column that names images."""
    return named_column(names, NAMES["image"])


def named_column(names: Sequence[str], keys: Sequence[str]) -> str | None:
    """The column with the first of some names, without capitals and signs."""
    return _first({_key(name): name for name in reversed(names)}, keys)
