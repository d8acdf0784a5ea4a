"""All foreign formats that are read; the only list of them."""

from __future__ import annotations

from halfwidth.io.importers.grand_challenge import GRAND_CHALLENGE
from halfwidth.io.importers.importer import Importer
from halfwidth.io.importers.inspect_logs import INSPECT
from halfwidth.io.importers.lm_eval import LM_EVAL
from halfwidth.io.importers.monai import MONAI
from halfwidth.io.importers.nnunet import NNUNET, NNUNET_V1
from halfwidth.io.importers.panoptica import PANOPTICA
from halfwidth.io.importers.picai import PICAI
from halfwidth.io.importers.totalsegmentator import TOTALSEGMENTATOR

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
