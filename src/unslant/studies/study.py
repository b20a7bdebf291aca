"""A study from Python: run a plan, or open the folder of one that was run."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.extras import frame
from unslant.core.files import Progress
from unslant.core.study_ranks import row_ranks
from unslant.core.study_record import StudyTable
from unslant.core.toml_lines import toml_text
from unslant.core.toml_source import TomlSource
from unslant.studies.checks import path_from
from unslant.studies.plan.cells import Plan, PlanError
from unslant.studies.plan.reading import plan_from, read_plan
from unslant.studies.record import Recorded
from unslant.studies.run.attempts import InProcess
from unslant.studies.run.processes import Processes
from unslant.studies.run.run import run
from unslant.studies.run.store import Store
from unslant.studies.study_record import study_record

Table = Mapping[str, Any]


class Study(Recorded):
    """The record of a study."""

    def to_frame(self) -> Any:
        """The numbers as a pandas DataFrame: a row for each row and column of the table.

        ``rank`` is that among the rows of a column, 1 for the best.
        """
        table = self.record.study.table if self.record.study else None
        return frame(list(_rows(table)) if table else [], "The study has no numbers")

    def __repr__(self) -> str:
        """One line: the plan and how far it is."""
        assert self.record.study is not None, "only studies are kept here"
        return f"<Study {self.record.subject.name}: {self.record.study.status}>"


def study(
    plan: str | Path | Table | None = None,
    output: str | Path | None = None,
    *,
    resources: Table | None = None,
    methods: Table | None = None,
    measures: Table | Sequence[str] | str | None = None,
    concepts: Sequence[str] | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Study:
    """Compute every cell of a plan that the folder ``output`` does not have yet.

    The plan is a TOML file, or the same as a mapping, or its parts by name: ``resources`` and
    ``methods`` by label, ``measures`` by label or as a list, and ``concepts``. Without ``output``
    the folder is next to the plan's file and has its name. A folder in place of a plan is opened as
    it is.
    """
    parts = {
        "concepts": concepts,
        "measures": measures,
        "resources": resources,
        "methods": methods,
    }
    parts_given = {key: value for key, value in parts.items() if value is not None}
    if plan is None or isinstance(plan, Mapping):
        made = _made({**(plan or {}), **parts_given})
        if output is None:
            raise UnslantError('Name the folder of the study, as in us.study(…, output="mine").')
        folder = path_from(output, "a folder")
    else:
        if parts_given:
            raise UnslantError(f"Give a plan or its parts ({', '.join(parts_given)}), not both.")
        path = path_from(plan, "a plan or of a study's folder")
        if path.is_dir():
            return Study(study_record(path, progress=progress))
        made = read_plan(path)
        folder = path.with_suffix("") if output is None else path_from(output, "a folder")
    with InProcess() if workers == 1 else Processes(workers) as executor:
        run(made, Store(folder), executor, progress=progress)
    return Study(study_record(folder, progress=progress))


def _made(table: Table) -> Plan:
    """The plan in a mapping, whose paths are relative to the working folder."""
    whole = {"concepts": ["gender"], **table} if "matrix" not in table else dict(table)
    if "cell" in table and "concepts" not in table:
        whole.pop("concepts", None)
    if isinstance(whole.get("concepts"), str):
        whole["concepts"] = [whole["concepts"]]
    source = TomlSource("The plan", Path.cwd(), toml_text(whole), PlanError)
    return plan_from(source, "study")


def _rows(table: StudyTable) -> Iterator[dict[str, Any]]:
    for row, ranks in zip(table.rows, row_ranks(table), strict=True):
        for column, cell, rank in zip(table.columns, row.cells, ranks.by_column, strict=True):
            if cell.state == "unasked":
                continue
            low, high = cell.interval or (None, None)
            yield {
                **dict(zip(table.by, row.key, strict=True)),
                "measure": column.label,
                "value": cell.value,
                "low": low,
                "high": high,
                "p": cell.p,
                "rank": rank,
                "mean_rank": ranks.mean,
                "better": column.better,
                "state": cell.state,
                "other_words": cell.other_words,
                "why": cell.why,
            }
