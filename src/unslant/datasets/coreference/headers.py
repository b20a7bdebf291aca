"""The lines of CoNLL-2012 around a document, and what a document is called."""

import re

from unslant.core.errors import UnslantError

_BEGIN = re.compile(r"#begin document \((?P<name>.*)\)\s*;?\s*(?:part\s+(?P<part>\d+))?\s*")
_END = re.compile(r"#end document.*")
_PART = re.compile(r"(?P<name>.+) \(part (?P<part>\d+)\)", re.DOTALL)


def begins(line: str) -> str | None:
    """The name of the document that a line begins, if it does; part 1 of d is "d (part 1)"."""
    found = _BEGIN.fullmatch(line.strip())
    if not found:
        return None
    part = int(found["part"] or 0)
    return f"{found['name']} (part {part})" if part else found["name"]


def ends(line: str) -> bool:
    """Whether a line ends a document."""
    return _END.fullmatch(line.strip()) is not None


def is_comment(line: str) -> bool:
    """Whether a line is neither a word nor a beginning nor an end."""
    return line.startswith("#")


def header(document: str) -> tuple[str, str, str]:
    """The first two columns of a document and the line that begins it."""
    found = _PART.fullmatch(document)
    name, part = (found["name"], int(found["part"])) if found else (document, 0)
    if not name or any(letter.isspace() for letter in name):
        raise UnslantError(
            f"A document is called {name!r:.60}. CoNLL-2012 needs a name without spaces."
        )
    return name, str(part), f"#begin document ({name}); part {part:03d}"
