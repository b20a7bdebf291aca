"""The counts made while reading, which become the record."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unslant.core.errors import DamagedFileError
from unslant.datasets.nli.pairs import Found, refusal

_MOST_LISTED = 10


@dataclass
class Tally:
    """What happened to the pairs of one split."""

    skip_bad: bool
    files: list[dict[str, Any]] = field(default_factory=list)
    read: int = 0
    unlabelled: int = 0
    held_out: int = 0
    repeated: int = 0
    conflicting: int = 0
    bad: int = 0
    listed: list[str] = field(default_factory=list)

    def add_bad(self, path: Path, found: Found) -> None:
        """Count a malformed line, or stop."""
        if not self.skip_bad:
            raise refusal(path, found)
        self.bad += 1
        if len(self.listed) < _MOST_LISTED:
            self.listed.append(f"{path.name} line {found.line:,}: {found.what}")

    def record(self, kept: int) -> dict[str, Any]:
        """The counts under their names in the record."""
        return {
            "files": self.files,
            "pairs": kept,
            "read": self.read,
            "unlabelled": self.unlabelled,
            "in held-out data": self.held_out,
            "repeated": self.repeated,
            "repeated with another label": self.conflicting,
            "bad lines": self.bad,
            "first bad lines": self.listed,
        }

    def check(self, kept: int, what: str) -> None:
        """Raise an error if no pair is left in a split."""
        if not kept:
            names = ", ".join(entry["name"] for entry in self.files)
            raise DamagedFileError(
                f"No {what} pair in {names} can be used: {self.read:,} read, {self.unlabelled:,} "
                f"without a label, {self.held_out:,} in the held-out data, {self.bad:,} bad lines. "
                f"Expected at least one labelled pair."
            )
