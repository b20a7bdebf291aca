"""The three methods that the page offers by what they are for, each with its expression."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A method by what it does; in a language model it may be another expression."""

    name: str
    says: str
    vectors: str
    model: str


CHOICES = (
    Choice(
        name="Keep meaning, remove the direction",
        says="Takes the concept’s direction out of every word that should not have it, and makes "
        "pairs equal. Words keep most of what they were like.",
        vectors="hard",
        model="linear",
    ),
    Choice(
        name="Smallest change",
        says="Moves the vectors as little as possible so that no linear classifier can tell the "
        "groups apart. Less direct tests may still find bias.",
        vectors="leace",
        model="leace",
    ),
    Choice(
        name="Strongest removal",
        says="Removes direction after direction until a classifier is left with nothing. More of "
        "what the vectors know goes with them.",
        vectors="inlp",
        model="inlp",
    ),
)


def listed_choices() -> list[dict[str, str]]:
    """The choices as the page shows them."""
    return [asdict(choice) for choice in CHOICES]
