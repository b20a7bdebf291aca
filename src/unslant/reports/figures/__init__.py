"""Figures drawn from records: one kind of picture a file."""

from unslant.core.docstrings import check_docstrings

check_docstrings()
