"""A store for those who look at every cell several times: each file is read and checked once."""

from pathlib import Path
from typing import Any

from unslant.core.errors import DamagedFileError, UnslantError
from unslant.studies.run.store import DAMAGED, DONE, MISSING, Store

Unpacked = tuple[dict[str, Any], dict[str, Any]]


class ReadOnce(Store):
    """The cells as they were when they were first asked for, also while a run goes on."""

    def __init__(self, folder: str | Path) -> None:
        super().__init__(folder)
        self._found: dict[str, Unpacked | UnslantError | OSError] = {}

    def state(self, cell: str) -> str:
        """Whether the file of a cell is ``done`` (its seal holds), ``damaged`` or ``missing``."""
        try:
            self._unpacked(cell)
        except (DamagedFileError, OSError):
            return DAMAGED
        except UnslantError:
            return MISSING
        return DONE

    def _unpacked(self, cell: str) -> Unpacked:
        if cell not in self._found:
            try:
                self._found[cell] = super()._unpacked(cell)
            except (UnslantError, OSError) as error:
                self._found[cell] = error
        found = self._found[cell]
        if isinstance(found, Exception):
            raise found
        return found
