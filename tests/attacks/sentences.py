"""What a refusal must be."""

from unslant.core.errors import UnslantError


def is_one_sentence(error: UnslantError, longest: int = 1_500) -> bool:
    """Whether an error is on one line and not endless."""
    return "\n" not in str(error) and 0 < len(str(error)) < longest
