"""Charts of rows that lie in the chart itself."""

from collections.abc import Iterable, Mapping
from typing import Any


def of_rows(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A chart with these rows as its data, to be given marks and encodings.

    They are a tuple, which Altair does not copy at every step, and are not held against its
    schema here, because both take longer than all the rest; the tests hold whole figures to it.
    """
    import altair as alt
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        data = alt.InlineData(values=tuple(rows))
    return alt.Chart(data)
