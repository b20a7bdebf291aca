"""A study from Python: run a plan, or open the folder of one that was run."""

from pathlib import Path

from unslant.core.files import Progress
from unslant.studies.arguments import path_from
from unslant.studies.plan.reading import read_plan
from unslant.studies.record import Recorded
from unslant.studies.run.executors import InProcess
from unslant.studies.run.processes import Processes
from unslant.studies.run.run import run
from unslant.studies.run.store import Store
from unslant.studies.study_record import study_record


class Study(Recorded):
    """The record of a study."""


def study(
    plan: str | Path,
    output: str | Path | None = None,
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> Study:
    """Compute every cell of a plan that the folder ``output`` does not have yet.

    Without ``output`` the folder is named after the plan, beside it. A folder in place of a plan
    is opened as it is.
    """
    path = path_from(plan, "a plan or of a study's folder")
    if path.is_dir():
        return Study(study_record(path, progress=progress))
    folder = path.with_suffix("") if output is None else path_from(output, "a folder")
    with InProcess() if workers == 1 else Processes(workers) as executor:
        run(read_plan(path), Store(folder), executor, progress=progress)
    return Study(study_record(folder, progress=progress))
