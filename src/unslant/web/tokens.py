"""A token of the user's own, taken from where other users of the machine cannot read it."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from unslant.core.errors import UnslantError

VARIABLE = "UNSLANT_TOKEN"
SHORTEST = 16
_LONGEST_FILE = 4_096


def check_token(token: str) -> None:
    """Refuse a token that could be guessed, or that an address could not hold as it is."""
    if len(token) < SHORTEST or not token.isascii() or not token.isalnum():
        raise UnslantError(
            f"A token needs at least {SHORTEST} letters and digits, and nothing else."
        )


def refuse_on_the_command_line(token: str | None) -> None:
    """Every user of a machine can read the command lines of its processes."""
    if token is not None:
        raise UnslantError(
            "A token on the command line can be read by every user of this machine. Choose a new "
            "one, put it into a file that only you can read, and name the file with --token-file; "
            f"or put it into the environment variable {VARIABLE}."
        )


def token_from(path: Path | None, environment: Mapping[str, str] = os.environ) -> str | None:
    """The token in a file or in the environment; None if there is none."""
    given = environment.get(VARIABLE)
    if path is None:
        return given
    if given is not None:
        raise UnslantError(f"There are two tokens. Leave out --token-file, or unset {VARIABLE}.")
    try:
        with path.open("rb") as stream:
            found = os.fstat(stream.fileno())
            content = stream.read(_LONGEST_FILE)
    except OSError as error:
        raise UnslantError(f"Cannot read the token in {path}: {error.strerror}.") from error
    if os.name == "posix" and stat.S_IMODE(found.st_mode) & 0o077:
        raise UnslantError(
            f"Other users can read the token in {path}. Choose a new one, and run: chmod 600 {path}"
        )
    return content.decode("latin-1").strip()
