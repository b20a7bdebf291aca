"""English plurals by rule, for tests that treat a word and its plural as the same."""

_VOWELS = "aeiou"


def plurals_of(word: str) -> tuple[str, ...]:
    """The plurals that a word may have by the common rules.

    >>> plurals_of("nurse"), plurals_of("secretary"), plurals_of("coach"), plurals_of("policeman")
    (('nurses',), ('secretaries',), ('coaches',), ('policemen',))
    """
    if word.endswith("man") and word != "human":
        return (f"{word[:-3]}men",)
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return (f"{word[:-1]}ies",)
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return (f"{word}es",)
    if word.endswith("fe"):
        return (f"{word[:-2]}ves",)
    if word.endswith(("o", "f")):  # heroes and pianos, chiefs and thieves: there is no rule
        other = f"{word}es" if word.endswith("o") else f"{word[:-1]}ves"
        return (f"{word}s", other)
    return (f"{word}s",)
