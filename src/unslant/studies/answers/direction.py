"""Which way is better, as a person may write it: a number stands for being close to it."""

from contextlib import suppress

from unslant.core.better import Better


def direction(text: str) -> str:
    """Which way is better as measures say it; anything else is refused.

    >>> direction("0.5"), direction("smaller")
    ('closer to 0.5', 'smaller')
    """
    way = text.strip()
    with suppress(ValueError):
        float(way)
        way = f"closer to {way}"
    return Better.of(way).text
