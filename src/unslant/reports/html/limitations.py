"""The limitations of a report."""

from collections.abc import Iterator

from unslant.core.record import Record

_OF_VECTORS = (
    "A low score shows that these tests found little with these words. It does not show that the "
    "vectors are free of bias.",
    "Intervals resample the words of the lists. They say nothing about other words.",
    "Bias in vectors is not yet harm in a system: whether a system harms anyone, and whom, has to "
    "be measured there.",
)
_OF_PROBES = (
    "A good score shows that these questions found little. It does not show that the model or the "
    "vectors are free of bias.",
    "A model that is unsure about everything, or equally wrong for everyone, can look fair. Read "
    "the scores together with how often it is right.",
    "The sentences come from templates, which people seldom write. A model that treats them evenly "
    "may not do so elsewhere.",
)
_OF_STUDIES = (
    "Rows of a table that share vectors or words are not independent, so correlations over them "
    "look more certain than they are.",
    "Being best by two measures says nothing about other measures, nor about what was not "
    "measured. The more methods are tried, the better the best one looks by chance.",
    "Numbers that used different words (marked ≠) answer different questions.",
    _OF_VECTORS[0],
)
_GENERAL = {"probe": _OF_PROBES, "study": _OF_STUDIES}
_ENGLISH = (
    "The word lists and tests that come with Unslant are from publications. Most are about English "
    "and the stereotypes of the United States at the time. Other languages and places need lists "
    "of their own."
)


def limits_of(record: Record) -> Iterator[str]:
    """The limits of a record, the general ones first."""
    yield from _GENERAL.get(record.about, _OF_VECTORS)
    if any(result.control and result.control.instead for result in record.results):
        yield (
            "If training without the debiasing term causes the same change, the method is not "
            "responsible. A few trainings cannot give a small p-value."
        )
    elif any(result.control for result in record.results):
        yield (
            "If removing random directions causes the same change, the method is not responsible. "
            "A few draws cannot give a small p-value."
        )
    if record.about == "probe" and record.treatment and not record.treatment.is_retrained:
        yield (
            "The model was trained before debiasing and read other vectors here. One trained on "
            "the debiased vectors may answer differently."
        )
    if groups := record.subject.groups:
        yield (
            f"The lists cover {len(groups)} groups ({', '.join(groups)}). These numbers say "
            f"nothing about people who belong to none of them."
        )
    yield from record.subject.caveats
    yield _ENGLISH
    if record.baseline:
        yield (
            f"“Before” is {record.baseline.name}. A value marked ≠ was measured on different "
            f"words, so the two do not compare."
        )
        yield (
            "Methods that remove a direction bring measures along that direction to 0 by "
            "construction. Look at the measures that see the rest: clusters, neighbours, a trained "
            "classifier."
        )
