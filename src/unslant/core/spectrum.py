"""How the variance of a concept's words falls off over the axes of a subspace, as an exhibit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unslant.core.exhibits import Point, Points

ID = "spectrum"
OWN, RANDOM = "words of the concept", "random words"

_MOST_PANELS = 6
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Spectrum:
    """The share of the variance that each axis of an estimate explains, and by chance."""

    estimator: str
    explained: Sequence[float]
    chance: Sequence[float] = ()


def spectrum(spectra: Iterable[Spectrum], concept: str, resource: str) -> tuple[Points, ...]:
    """A panel for each estimator that finds several axes, the direction in use first.

    >>> [panel] = spectrum([Spectrum("pair-pca(x)", (0.8, 0.2), (0.6, 0.4))], "gender", "glove")
    >>> [(point.label, point.group, point.x) for point in panel.points if point.label == "1"]
    [('1', 'words of the concept', 0.8), ('1', 'random words', 0.6)]
    """
    several = {one.estimator: one for one in spectra if len(one.explained) > 1}
    return tuple(
        Points(
            id=ID,
            title=f"How much of the difference each axis of {concept} explains",
            part=one.estimator,
            x="share of the variance",
            points=tuple(
                Point(label=str(axis), x=share, group=group)
                for group, shares in ((OWN, one.explained), (RANDOM, one.chance))
                for axis, share in enumerate(shares, 1)
                if share > _ROUNDING
            ),
            caption=_caption(resource),
        )
        for one in list(several.values())[:_MOST_PANELS]
    )


def _caption(resource: str) -> str:
    return (
        f"Measured in {resource}. Each bar is one axis of the subspace that an estimator finds: "
        f"the share of the variance of its words, or of their differences, along that axis. The "
        f"line is the average that the same estimator finds for as many random words. One high "
        f"bar far above the line means that a single direction explains most of the difference. "
        f"Bars that fall off like the line mean that the words determine no direction well. A few "
        f"words always give high shares, so compare with the line."
    )
