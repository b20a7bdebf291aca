"""Answers from a study: tables, correlations, rankings and differences, as plain records."""

from unslant.studies.answers.best import best
from unslant.studies.answers.correlate import correlate
from unslant.studies.answers.diff import diff
from unslant.studies.answers.rank import rank
from unslant.studies.answers.rows import Row, stored_rows
from unslant.studies.answers.table import table

__all__ = ["Row", "best", "correlate", "diff", "rank", "stored_rows", "table"]
