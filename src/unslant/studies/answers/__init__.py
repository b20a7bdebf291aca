"""Answers from a study: tables, correlations, rankings and differences, as plain records."""

from unslant.studies.answers.best import best
from unslant.studies.answers.correlate import correlate
from unslant.studies.answers.pivot import Row, stored_rows
from unslant.studies.answers.rank import rank
from unslant.studies.answers.table import diff, table

__all__ = ["Row", "best", "correlate", "diff", "rank", "stored_rows", "table"]
