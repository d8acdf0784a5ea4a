"""Metrics of all cases at once, each with several values: every resample is gathered."""

from __future__ import annotations

from dataclasses import replace

from halfwidth.resampling.forms import generic

ENGINE = replace(generic.ENGINE, paired=True)
