"""The gaps of intra-sentence items: what fills them, and which are broken."""

from collections.abc import Mapping

from unslant.datasets.stereoset import Item

BLANK = "BLANK"
WHYS: Mapping[str, str] = {
    "no-gap": "It has no gap.",
    "two-gaps": "It has more than one gap.",
    "part-of-a-word": "Its gap is a part of a word.",
    "no-filler": "No filler of its gap gives the sentence.",
}


def filler_of(context: str, sentence: str) -> str | None:
    """What was put into the gap of the context to give the sentence, up to case; None if nothing.

    The release lower-cases what follows the first letter of its sentences, so the case of the
    context is the one to keep.

    >>> filler_of("The Hispanic man was BLANK.", "The hispanic man was tall.")
    'tall'
    """
    before, gap, after = context.partition(BLANK)
    if not gap or BLANK in after:
        return None
    filler = sentence[len(before) : len(sentence) - len(after)]
    is_same = f"{before}{filler}{after}".casefold() == sentence.casefold()
    return filler if is_same and filler.strip() else None


def broken_gap(item: Item) -> str | None:
    """Which of :data:`WHYS` makes an intra-sentence item impossible to ask; None if none does."""
    before, gap, after = item.context.partition(BLANK)
    if not gap:
        return "no-gap"
    if BLANK in after:
        return "two-gaps"
    if (before and not before[-1].isspace()) or after[:1].isalnum():
        return "part-of-a-word"
    if any(filler_of(item.context, each.text) is None for each in item.sentences):
        return "no-filler"
    return None
