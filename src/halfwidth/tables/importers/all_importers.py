"""All foreign formats that are read; the only list of them."""

from __future__ import annotations

from halfwidth.tables.importers.grand_challenge import GRAND_CHALLENGE
from halfwidth.tables.importers.importer import Importer
from halfwidth.tables.importers.inspect_logs import INSPECT
from halfwidth.tables.importers.lm_eval import LM_EVAL
from halfwidth.tables.importers.monai import MONAI
from halfwidth.tables.importers.nnunet import NNUNET, NNUNET_V1
from halfwidth.tables.importers.panoptica import PANOPTICA
from halfwidth.tables.importers.picai import PICAI
from halfwidth.tables.importers.totalsegmentator import TOTALSEGMENTATOR

IMPORTERS: tuple[Importer, ...] = (
    NNUNET,
    NNUNET_V1,
    MONAI,
    GRAND_CHALLENGE,
    PANOPTICA,
    PICAI,
    TOTALSEGMENTATOR,
    LM_EVAL,
    INSPECT,
)
