"""Text that is safe to open in a spreadsheet."""

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(text: str) -> str:
    """The text as a cell that no spreadsheet interprets as a formula.

    >>> safe_cell("=1+1"), safe_cell("nurse")
    ("'=1+1", 'nurse')
    """
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
