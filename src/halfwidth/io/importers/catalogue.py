"""All foreign formats that are read; the only list of them."""

from __future__ import annotations

from halfwidth.io.importers.importer import Importer
from halfwidth.io.importers.monai import MONAI
from halfwidth.io.importers.nnunet import NNUNET, NNUNET_V1

IMPORTERS: tuple[Importer, ...] = (NNUNET, NNUNET_V1, MONAI)
