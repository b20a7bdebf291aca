"""Text of others in Markdown: none of it becomes markup, and nothing is escaped without need."""

import re

from unslant.core.visible import visible

_MARKUP = re.compile(
    r"""
    \\(?=[!-/:-@\[-`{-~]|$)         # would escape what follows, which may be a sign of ours
    | [`*~$\[]                      # code, emphasis, strike-through, formulas and links
    | (?<![^\W_])_ | _(?![^\W_])    # emphasis; within snake_case it is none
    | <(?=[A-Za-z/!?])              # tags and addresses
    | &(?=\#?\w+;)                  # character references
    | :(?=//) | (?<=www)\.          # bare addresses become links without any brackets
    | (?<!\S)\#(?=\#*$)             # the end of a heading
    """,
    re.VERBOSE,
)
_BLOCK = re.compile(r"^(?=[#>+-])|^(\d{1,9})(?=[.)](?:\s|$))")


def escaped(text: str) -> str:
    """Text within a line of ours.

    >>> escaped("leace@layer:-1 (test_6, p < .05) *not* <b>")
    'leace@layer:-1 (test_6, p < .05) \\\\*not\\\\* \\\\<b>'
    """
    return _MARKUP.sub(r"\\\g<0>", _one_line(text))


def cell(text: str) -> str:
    """Text in a cell of a table, whose only further sign is the bar.

    >>> cell("hard | misp")
    'hard \\\\| misp'
    """
    return escaped(text).replace("|", r"\|")


def paragraph(text: str) -> str:
    """Text that begins a line, where it could begin a list, a quotation or a heading.

    >>> paragraph("1. item"), paragraph("# title"), paragraph("1.5 times")
    ('1\\\\. item', '\\\\# title', '1.5 times')
    """
    return _BLOCK.sub(r"\1\\", escaped(text))


def code(text: str) -> str:
    """Text as a span of code, for names and commands; backticks in it do not end it.

    >>> code("hard | misp"), code("a`b")
    ('`hard | misp`', '``a`b``')
    """
    shown = _one_line(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    pad = " " if not shown or "`" in shown[0] + shown[-1] else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _one_line(text: str) -> str:
    return " ".join(visible(text).split())
