"""The picture of each kind of curve of calibration."""

from __future__ import annotations

from halfwidth.calibration.plots.calibration import calibration, figures_of_calibration
from halfwidth.calibration.results.centre_curves import CentreCurves
from halfwidth.calibration.results.curves import CalibrationCurves
from halfwidth.plots.figure import AnyFigure
from halfwidth.results.result import Result

PICTURES: dict[type[Result], dict[str, AnyFigure]] = {
    CalibrationCurves: {"curves": figures_of_calibration},
    CentreCurves: {"curves": figures_of_calibration},
}
# The figures of `halfwidth.plots` that are of calibration.
PUBLIC: dict[str, AnyFigure] = {one.__name__: one for one in (calibration, figures_of_calibration)}
