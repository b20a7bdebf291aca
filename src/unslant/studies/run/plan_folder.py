"""The plan that a study's folder was run with, and which cell of it has which id."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from unslant.core.errors import DamagedFileError, OutputError, UnslantError
from unslant.core.files import write_text
from unslant.core.text_files import json_from
from unslant.core.toml_source import TomlSource
from unslant.studies.plan.cells import Plan, PlanError, TreeSetting

RECORD = "record.json"

_OURS = {"plan.toml", "plan.json", "index.json", "concepts.json", RECORD, "lock"}
_OURS |= {"cells", "failures", "damaged"}


@dataclass(frozen=True, kw_only=True)
class PlannedCell:
    """A planned cell and its id, or the problem for which it has none."""

    label: tuple[str | int, ...]
    id: str = ""
    problem: str = ""


class PlanFolder:
    """A folder that keeps a plan.

    ``plan.toml`` is the plan as it was written; ``plan.json`` says what the paths in it are
    relative to; ``index.json`` lists the cells with the ids that the last run found;
    ``concepts.json`` has the words of the user's own concepts, by the hash that cells name;
    ``record.json`` is the record that a run writes when it ends.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._has_forgotten = False

    @property
    def has_record(self) -> bool:
        """Whether the record of the study as it is now has been written."""
        return (self.folder / RECORD).is_file()

    def forget_record(self) -> None:
        """Remove the record, once, because what it says is about to be out of date."""
        path = self.folder / RECORD
        if not self._has_forgotten:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise OutputError(f"Cannot remove {path}: {error.strerror}.") from error
            self._has_forgotten = True

    def save_record(self, text: str) -> Path:
        """Keep the record of the study as it is now."""
        path = self.folder / RECORD
        write_text(path, text)
        self._has_forgotten = False
        return path

    def save_plan(self, plan: Plan) -> str:
        """Save the study's plan; the result says if it replaces another."""
        self._save_definitions(plan)
        before = self._read_facts()
        facts = {
            "name": plan.name,
            "about": plan.about,
            "methods": {cell.method_label: cell.method for cell in plan.cells},
            "cells": len(plan.cells),
            "folder": str(plan.folder.resolve()),
            "sha256": _sha256(plan.text),
        }
        if before == facts and self.plan_text() == plan.text:
            return ""
        self.refuse_other_files()
        make_folder(self.folder)
        self.forget_record()
        write_text(self.folder / "plan.json", json.dumps(facts, indent=1) + "\n")
        write_text(self.folder / "plan.toml", plan.text)
        if not before or before.get("sha256") == facts["sha256"]:
            return ""
        other = "an earlier version of it" if before.get("name") == plan.name else "another plan"
        return (
            f'The plan "{plan.name}" replaces {other} in {self.folder}. Cells whose inputs are the '
            f"same are not computed again."
        )

    def _save_definitions(self, plan: Plan) -> None:
        """Save the words of user-defined concepts, and keep those of earlier cells."""
        kept = self.definitions()
        if not plan.definitions.keys() <= kept.keys():
            self.refuse_other_files()
            make_folder(self.folder)
            text = json.dumps({**kept, **plan.definitions}, indent=1) + "\n"
            write_text(self.folder / "concepts.json", text)

    def definitions(self) -> dict[str, Any]:
        """The user's own concepts that cells were computed with, by the hash of their words."""
        path = self.folder / "concepts.json"
        try:
            content = json_from(path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise DamagedFileError(
                f"{path} is damaged. Remove it and run the study again with "
                f'"unslant study resume {self.folder}": what is done is kept.'
            ) from error
        return dict(content) if isinstance(content, dict) else {}

    def refuse_other_files(self) -> None:
        """Refuse a folder with unrelated files."""
        if self._read_facts():
            return
        others = {path.name for path in self.folder.glob("*")} - _OURS
        if others := {name for name in others if not name.endswith(".partial")}:
            raise OutputError(
                f'{self.folder} holds other files ("{min(others)}") and no study. Choose a folder '
                f"that is new or empty."
            )

    def plan(self) -> Plan:
        """The study's current plan."""
        from unslant.studies.plan.reading import read_plan  # late: it loads the metrics

        facts = self.facts()
        self._kept_text()
        plan = read_plan(self.folder / "plan.toml", folder=Path(str(facts["folder"])))
        return replace(plan, name=str(facts["name"]))  # a plan without one has its file's

    def trees(self) -> dict[str, tuple[TreeSetting, ...]]:
        """The trees of the plan, which can be looked at without what the plan measures with."""
        from unslant.studies.plan.reading import read_trees

        path = self.folder / "plan.toml"
        return read_trees(TomlSource(str(path), self.folder, self._kept_text(), PlanError))

    def _kept_text(self) -> str:
        text = self.plan_text()
        if text is None:
            raise DamagedFileError(
                f"{self.folder / 'plan.toml'} is not the plan that was kept: the run was stopped "
                f"while it replaced the plan, or the file was changed. Name the plan again with "
                f'"unslant study run PLAN -o {self.folder}".'
            )
        return text

    def facts(self) -> dict[str, Any]:
        """The name of the plan, how many cells it has, its folder and the hash of its text."""
        facts = self._read_facts()
        if facts:
            return facts
        again = f'"unslant study run PLAN -o {self.folder}"'
        cells = sum(1 for _ in self.folder.glob("cells/*/*.json"))
        if cells or (self.folder / "plan.json").exists():
            raise DamagedFileError(
                f"{self.folder / 'plan.json'} is damaged or missing, so the plan of this study is "
                f"not known; {cells:,} finished {'cell is' if cells == 1 else 'cells are'} still "
                f"there. Name the plan again with {again}: cells whose inputs are the same are not "
                f"computed again."
            )
        raise UnslantError(f"{self.folder} holds no study. Start one with {again}.")

    def save_index(self, entries: Sequence[PlannedCell]) -> None:
        """Keep which cell of the plan has which id."""
        plain = {"plan": self.facts()["sha256"], "cells": [asdict(entry) for entry in entries]}
        text = json.dumps(plain, separators=(",", ":")) + "\n"
        path = self.folder / "index.json"
        if not path.is_file() or path.read_bytes() != text.encode():
            self.forget_record()
            write_text(path, text)

    def index(self) -> tuple[PlannedCell, ...]:
        """The cells of the plan as the last run found them; none where no run got that far."""
        try:
            plain = json.loads((self.folder / "index.json").read_bytes())
            if plain["plan"] != self.facts()["sha256"]:
                return ()
            return tuple(
                PlannedCell(**{**one, "label": tuple(one["label"])}) for one in plain["cells"]
            )
        except FileNotFoundError:
            return ()
        except (ValueError, TypeError, KeyError, RecursionError, OSError) as error:
            raise DamagedFileError(
                f'{self.folder / "index.json"} is damaged. Run the study again with "unslant '
                f'study resume {self.folder}": what is done is kept.'
            ) from error

    def _read_facts(self) -> dict[str, Any]:
        try:
            facts = json.loads((self.folder / "plan.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        known = isinstance(facts, dict) and facts.keys() >= {"name", "cells", "folder", "sha256"}
        return facts if known else {}

    def plan_text(self) -> str | None:
        """The text of the plan, or None if it is missing or not the one that was kept."""
        try:
            text = (self.folder / "plan.toml").read_bytes().decode()
        except (OSError, ValueError):
            return None
        return text if _sha256(text) == self._read_facts().get("sha256") else None


def make_folder(folder: Path) -> None:
    """Make a folder unless it exists, or say why that is impossible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot make the folder {folder}: {error.strerror}.") from error


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
