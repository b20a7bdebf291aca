"""Words of one's own and groups of one's own: which way each word leans, and how surely.

For two groups A and B the association of a word w is

    s(w, A, B) = mean over a in A of cos(w, a) − mean over b in B of cos(w, b),

and for more than two each group is set against the mean of the others. The words of a group are
a sample of the words that could represent it, so a word's association is a difference of means of
samples, and its interval is that of Welch (1947): Student's t with the degrees of freedom that the
spreads and sizes of the groups leave. For the mean of the list its own words are a sample too, and
their spread is added, which counts the effect of single pairs twice: rather too wide than too
narrow.

When it misleads: chosen words are not a random sample, and no interval can tell what words
of another kind would show. Where one group has two or three words and the other many, or cosines
are far from a bell curve, the coverage is somewhat below the level.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from unslant.concepts import WordPolicy, WordSets, resolve
from unslant.core.errors import UnslantError
from unslant.core.exhibits import MEAN, Point, Points, contrast, contrast_title
from unslant.core.measurement import Interval, Measurement
from unslant.core.provenance import provenance
from unslant.core.record import Record, Result, Subject
from unslant.core.types import Array
from unslant.core.wording import some
from unslant.studies.checks import policy_from
from unslant.studies.record import resource_of
from unslant.vectors import WordVectors

LIST = "words"
"""The name of the set of query words, in addition to the groups."""
LEVEL = 0.95
FEW = 5
"""Groups with fewer words get a warning with their interval."""
_HOW = "Welch's t over the words of the groups"
_FURTHEST = 2.0
"""No difference of two means of cosines is beyond this."""


def association(
    vectors: WordVectors,
    words: Sequence[str],
    groups: Mapping[str, Sequence[str]],
    policy: WordPolicy | None = None,
) -> Record:
    """How each word, and the list as a whole, leans between groups of words.

    >>> from unslant.vectors import load
    >>> groups = {"female": ["she", "her"], "male": ["he", "his"]}
    >>> record = association(load(), ["nurse", "engineer"], groups)
    >>> [(point.label, point.x > 0) for point in record.exhibits[0].points[:2]]
    [('nurse', True), ('engineer', False)]
    """
    policy = policy_from(policy)
    _check(words, groups)
    sets = resolve(vectors, {LIST: words, **groups}, policy)
    units = {name: sets.directions(name) for name in sets.items}
    cosines = {name: _products(units[LIST], units[name]) for name in groups}
    contrasts = [
        _contrast(sets, cosines, name, [other for other in groups if other != name])
        for name in (list(groups)[:1] if len(groups) == 2 else groups)
    ]
    return Record(
        about="association",
        subject=Subject(kind="set", name=LIST, title="Your own words", groups=tuple(groups)),
        resource=resource_of(vectors),
        results=tuple(Result(now=replace(mean, words=sets.uses)) for mean, _ in contrasts),
        exhibits=tuple(points for _, points in contrasts),
        warnings=tuple(_warnings(sets, groups)),
        settings={"missing-words": policy.missing, "spelling": policy.case},
        provenance=provenance(),
    )


def _check(words: Sequence[str], groups: Mapping[str, Sequence[str]]) -> None:
    if not words:
        raise UnslantError("There is no word to ask about. Give at least one.")
    if len(groups) < 2:
        raise UnslantError(f"An association needs at least two groups of words, not {len(groups)}.")
    if LIST in groups:
        raise UnslantError(f'A group cannot be called "{LIST}". Choose another name.')
    for name, members in groups.items():
        if not members:
            raise UnslantError(f'The group "{name}" has no words. Give at least one.')


def _contrast(
    sets: WordSets, cosines: Mapping[str, Array], group: str, others: Sequence[str]
) -> tuple[Measurement, Points]:
    """One group against the mean of the others, for the list and word by word."""
    signs = {group: 1.0, **dict.fromkeys(others, -1 / len(others))}
    parts = [sign * cosines[name] for name, sign in signs.items()]
    values = np.asarray(sum(part.mean(axis=1) for part in parts))
    means = [part.mean(axis=0, keepdims=True) for part in parts]
    if len(values) > 1:
        means.append(values[np.newaxis])
    [mean] = _with_bounds([MEAN], np.mean(values, keepdims=True), means, "mean")
    items = _with_bounds(sets.words(LIST), values, parts, LIST)
    measured = Measurement(
        value=mean.x,
        metric="association",
        better="closer to 0",
        title=contrast_title(group, others),
        interval=Interval(low=mean.low, high=mean.high, level=LEVEL, how=_HOW)
        if mean.low is not None and mean.high is not None
        else None,
    )
    return measured, contrast(group, others, items, mean)


def _with_bounds(
    labels: Sequence[str], values: Array, parts: Sequence[Array], group: str
) -> list[Point]:
    """Values, each with Welch's interval; ``parts`` hold the samples that a value is made of.

    A part has a row for each value and a column for each word sampled. From one word alone nothing
    is known of the spread, so there is no interval.
    """
    if min(part.shape[1] for part in parts) < 2:
        pairs = zip(labels, values.tolist(), strict=True)
        return [Point(label=label, x=value, group=group) for label, value in pairs]
    from scipy.special import stdtrit  # late: it costs the server's start a tenth of it

    sizes = np.array([[part.shape[1]] for part in parts], dtype=np.float64)
    variances = np.array([part.var(axis=1, ddof=1) for part in parts]) / sizes
    total = variances.sum(axis=0)
    shares = variances / np.where(total > 0, total, 1.0)
    freedom = 1 / np.maximum((shares**2 / (sizes - 1)).sum(axis=0), 1 / sizes.sum())
    half = -stdtrit(freedom, (1 - LEVEL) / 2) * np.sqrt(total)
    low, high = np.clip([values - half, values + half], -_FURTHEST, _FURTHEST)
    every = zip(labels, values.tolist(), low.tolist(), high.tolist(), strict=True)
    return [
        Point(label=label, x=value, group=group, low=least, high=most)
        for label, value, least, most in every
    ]


def _products(rows: Array, others: Array) -> Array:
    """The products of all rows with all others, with the same bits on any number of cores.

    A matrix product may split its sums by core, and limiting the cores is a matter of the whole
    process, which in a server has other work to do.
    """
    return np.asarray(np.einsum("ik,jk->ij", rows, others))


def _warnings(sets: WordSets, groups: Mapping[str, Sequence[str]]) -> list[str]:
    """Warnings about numbers that are less certain than they look."""
    warnings = []
    for name in groups:
        if own := _shared(sets, LIST, name):
            warnings.append(
                f"{_listed(own)} asked about and also in “{name}”: a word's cosine with itself is "
                f"1 and counts."
            )
        size = sets.size(name)
        if size == 1:
            warnings.append(f"“{name}” has one word in use, so there is no interval.")
        elif size < FEW:
            warnings.append(f"“{name}” has {size} words in use: so few that the interval is wide.")
    for one, other in combinations(groups, 2):
        if both := _shared(sets, one, other):
            warnings.append(
                f"{_listed(both)} in both “{one}” and “{other}”, and cannot tell them apart."
            )
    return warnings


def _shared(sets: WordSets, one: str, other: str) -> list[str]:
    return [item for item in sets.items[one] if item in set(sets.items[other])]


def _listed(words: Sequence[str]) -> str:
    """A few words and the verb that they need."""
    return f"{some([f'“{word}”' for word in words], 5)} {'is' if len(words) == 1 else 'are'}"
