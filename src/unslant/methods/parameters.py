"""Parameters that must be in a range."""

import numpy as np

from unslant.core.errors import ExpressionError


def check_at_least(method: str, least: int, **values: int) -> None:
    """Raise an error that names a parameter that is too small."""
    for name, value in values.items():
        if value < least:
            raise ExpressionError(
                f'The "{name}" parameter of {method} must be at least {least}. Got {value} instead.'
            )


def check_share(method: str, **values: float) -> None:
    """Raise an error that names a share outside [0, 1)."""
    for name, value in values.items():
        if not 0 <= value < 1:
            raise ExpressionError(
                f'The "{name}" parameter of {method} must be in [0, 1). Got {value} instead.'
            )


def check_weight(method: str, **values: float) -> None:
    """Raise an error that names a negative or infinite weight."""
    for name, value in values.items():
        if not 0 <= value < np.inf:
            raise ExpressionError(
                f'The "{name}" parameter of {method} must be 0 or more. Got {value} instead.'
            )
