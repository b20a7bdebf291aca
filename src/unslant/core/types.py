"""Types of arrays and of details that many modules share."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]  # whatever is computed: in double precision
Matrix = NDArray[np.float32]  # vectors, as files and models give them
Floats = NDArray[np.floating[Any]]  # either of the two
Numbers = NDArray[np.int64]  # counts, and indices of rows
Mask = NDArray[np.bool_]
Details = Mapping[str, float | int | str | None]  # what a measurement adds to its value
