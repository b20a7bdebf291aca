"""A word in the casing of another."""


def cased_like(word: str, model: str) -> str:
    """``word`` in small letters, with a capital, or in capitals, as ``model`` is.

    A word with a capital of its own, such as a name, loses it only beside small letters.

    >>> [cased_like("woman", model) for model in ("man", "Man", "MAN")]
    ['woman', 'Woman', 'WOMAN']
    """
    if model.islower():
        return word.lower()
    if model.isupper() and sum(map(str.isalpha, model)) > 1:
        return word.upper()
    return word[:1].upper() + word[1:]
