"""What a measure with several scores found."""

from dataclasses import dataclass, field

from unslant.core.exhibits import Exhibit
from unslant.core.measurement import Measurement
from unslant.core.record import LeftOut


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The measurements of one run, and what is worth showing beside them."""

    measurements: tuple[Measurement, ...]
    exhibits: tuple[Exhibit, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    left_out: tuple[LeftOut, ...] = field(default=())
