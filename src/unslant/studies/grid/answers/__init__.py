"""What a study says: tables, correlations, rankings and differences, as plain records."""

from unslant.studies.grid.answers.correlate import correlate
from unslant.studies.grid.answers.diff import diff
from unslant.studies.grid.answers.rank import rank
from unslant.studies.grid.answers.rows import Row, rows_of
from unslant.studies.grid.answers.stored import stored_rows
from unslant.studies.grid.answers.table import table

__all__ = ["Row", "correlate", "diff", "rank", "rows_of", "stored_rows", "table"]
