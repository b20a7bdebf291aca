"""What a study says: tables, correlations, rankings and differences, as plain records."""

from unslant.studies.answers.correlate import correlate
from unslant.studies.answers.diff import diff
from unslant.studies.answers.rank import rank
from unslant.studies.answers.rows import Row, rows_of
from unslant.studies.answers.stored import stored_rows
from unslant.studies.answers.table import table

__all__ = ["Row", "correlate", "diff", "rank", "rows_of", "stored_rows", "table"]
