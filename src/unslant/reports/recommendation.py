"""A recommendation as a table: every method with what it removes, what it keeps, and why not."""

from unslant.core.exhibits import Column, Table
from unslant.core.record import Considered, MethodShare, Recommendation
from unslant.core.wording import percent_within


def option_table(found: Recommendation) -> Table:
    """Every method that was weighed, the recommended one first, and the best random control."""
    drawn = [item for item in found.considered if item.is_control]
    shown = [item for item in found.considered if not item.is_control]
    best = max(drawn, key=lambda item: item.removed.value, default=None)
    columns = ("method", "bias removed", "quality kept", "better / worse", "why not")
    return Table(
        id="options",
        title="Methods compared",
        columns=tuple(Column(label=label) for label in columns),
        rows=tuple(
            (
                item.method,
                share_text(item.removed),
                share_text(item.kept),
                f"{len(item.better)} / {len(item.worse)}",
                _why(item, found),
            )
            for item in (*shown, *([best] if best else []))
        ),
        caption="Shares of the original's bias and quality, with 95 % intervals over the same "
        "resamples before and after. Every kind of measure counts once. Better and worse count "
        "measures of bias that changed clearly, better also beyond every random control.",
        first=30,
    )


def _why(item: Considered, found: Recommendation) -> str:
    if item.is_control:
        return "the best random control"
    return "recommended" if item.method == found.method else item.why_not


def share_text(share: MethodShare) -> str:
    """A share as a percentage with its interval, as in ``78 % (60 to 91)``."""
    return percent_within(share.value, share.low, share.high)
