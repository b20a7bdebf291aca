"""Tables in the forms that people paste or import: Markdown, LaTeX and CSV."""

import csv as csv_format
import io
from collections.abc import Sequence

from unslant.core.exhibits import Table
from unslant.core.visible import cell, escaped, paragraph, safe_cell, visible

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


def markdown(tables: Sequence[Table], sentences: Sequence[str], notes: Sequence[str]) -> str:
    """Tables as Markdown, the best in bold, between sentences and notes."""
    parts = [paragraph(sentence) for sentence in sentences]
    for table in tables:
        rule = ["---" if column.is_text else "---:" for column in table.columns]
        lines = [[cell(column.label) for column in table.columns], rule]
        lines += [
            [
                f"**{cell(text)}**" if (row, place) in table.best else cell(text)
                for place, text in enumerate(texts)
            ]
            for row, texts in enumerate(table.texts())
        ]
        body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        parts.append(f"**{escaped(table.title)}**\n\n{body}" if table.title else body)
    parts += [paragraph(note) for note in notes]
    return "\n\n".join(parts) + "\n"


def latex(tables: Sequence[Table], sentences: Sequence[str], notes: Sequence[str]) -> str:
    """Tables as LaTeX for the package booktabs, the best in bold."""
    parts = [_tex(sentence) for sentence in sentences]
    for table in tables:
        columns = "".join("l" if column.is_text else "r" for column in table.columns)
        lines = [
            f"\\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _row([_tex(column.label) for column in table.columns]),
            r"\midrule",
        ]
        lines += [
            _row(
                [
                    f"\\textbf{{{_tex(text)}}}" if (row, place) in table.best else _tex(text)
                    for place, text in enumerate(texts)
                ]
            )
            for row, texts in enumerate(table.texts())
        ]
        lines += [r"\bottomrule", r"\end{tabular}"]
        title = f"\\textbf{{{_tex(table.title)}}}\\par\n" if table.title else ""
        parts.append(title + "\n".join(lines))
    # Notes are printed, not comments: a table without them could pass for the whole study.
    parts += [f"{{\\footnotesize {_tex(note)}\\par}}" for note in notes]
    return (
        "% needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}\n" + "\n\n".join(parts) + "\n"
    )


def csv(table: Table) -> str:
    """Numbers with every digit, text as no spreadsheet takes for a formula, nothing for None."""
    stream = io.StringIO()
    writer = csv_format.writer(stream, lineterminator="\n")
    for row in ([column.label for column in table.columns], *table.rows):
        writer.writerow([safe_cell(value) if isinstance(value, str) else value for value in row])
    return stream.getvalue()


def _row(cells: Sequence[str]) -> str:
    # A line that began with "[" would pass for the optional argument of the break before it.
    return " & ".join("{}" + cell if cell.startswith("[") else cell for cell in cells) + r" \\"


def _tex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in visible(text))
