"""A small table in the forms that people paste: Markdown and LaTeX."""

from collections.abc import Sequence
from dataclasses import dataclass

from unslant.core.markdown import cell, escaped, paragraph
from unslant.core.visible import visible

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "±": r"$\pm$",
    "≠": r"$\neq$",
    "≤": r"$\leq$",
    "↓": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "→": r"$\to$",
    "ρ": r"$\rho$",
    "–": "--",
    "×": r"$\times$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
} | {sign: f"\\{sign}" for sign in "&%$#_{}"}


@dataclass(frozen=True)
class Item:
    """What one place shows, and whether it stands out."""

    text: str
    is_best: bool = False


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A title, headings and lines; the first ``names`` columns are text, the others numbers.

    Where it ``ends_in_text``, so is the last column.
    """

    title: str
    head: Sequence[str]
    lines: Sequence[Sequence[Item]]
    names: int = 1
    ends_in_text: bool = False

    def is_text(self, place: int) -> bool:
        """Whether a column holds words, which may be broken over lines."""
        return place < self.names or (self.ends_in_text and place == len(self.head) - 1)


def markdown(sheets: Sequence[Sheet], sentences: Sequence[str], notes: Sequence[str]) -> str:
    """The sheets as Markdown tables, the best in bold."""
    parts = [paragraph(sentence) for sentence in sentences]
    for sheet in sheets:
        rule = ["---" if sheet.is_text(place) else "---:" for place in range(len(sheet.head))]
        lines = [[cell(head) for head in sheet.head], rule]
        lines += [
            [f"**{cell(item.text)}**" if item.is_best else cell(item.text) for item in line]
            for line in sheet.lines
        ]
        body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        parts.append(f"**{escaped(sheet.title)}**\n\n{body}" if sheet.title else body)
    parts += [paragraph(note) for note in notes]
    return "\n\n".join(parts) + "\n"


def latex(sheets: Sequence[Sheet], sentences: Sequence[str], notes: Sequence[str]) -> str:
    """The sheets as LaTeX tables of the package booktabs, the best in bold."""
    parts = [_tex(sentence) for sentence in sentences]
    for sheet in sheets:
        columns = "".join("l" if sheet.is_text(n) else "r" for n in range(len(sheet.head)))
        lines = [
            f"\\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _row([_tex(head) for head in sheet.head]),
            r"\midrule",
        ]
        lines += [
            _row(
                [
                    f"\\textbf{{{_tex(item.text)}}}" if item.is_best else _tex(item.text)
                    for item in line
                ]
            )
            for line in sheet.lines
        ]
        lines += [r"\bottomrule", r"\end{tabular}"]
        title = f"\\textbf{{{_tex(sheet.title)}}}\\par\n" if sheet.title else ""
        parts.append(title + "\n".join(lines))
    # Notes are printed, not comments: a table without them could pass for the whole study.
    parts += [f"{{\\footnotesize {_tex(note)}\\par}}" for note in notes]
    return (
        "% needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}\n" + "\n\n".join(parts) + "\n"
    )


def _row(cells: Sequence[str]) -> str:
    # A line that began with "[" would pass for the optional argument of the break before it.
    return " & ".join("{}" + cell if cell.startswith("[") else cell for cell in cells) + r" \\"


def _tex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in visible(text))
