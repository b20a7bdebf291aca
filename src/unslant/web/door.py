"""Access to the page: a one-time key is exchanged for a secret that one tab keeps.

Every user of a machine can reach its loopback interface, so being there proves nothing. The
address that is printed at the start carries a key. The first tab that presents it is given a
secret, which it sends as a header with every request, and the key is spent. The secret is never a
cookie: browsers send cookies to every port of a host, and on another port another user may listen.
After a request without a secret, the next key is made and printed, if the last one is used. A
token of the user's own may be used again, and comes from where other users of the machine cannot
read it.
"""

import hmac
import os
import secrets
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from unslant.core.errors import UnslantError

_BYTES = 24
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
    token = environment.get(VARIABLE)
    if path is None:
        return token
    if token is not None:
        raise UnslantError(f"There are two tokens. Leave out --token-file, or unset {VARIABLE}.")
    try:
        with path.open("rb") as stream:
            facts = os.fstat(stream.fileno())
            content = stream.read(_LONGEST_FILE)
    except OSError as error:
        raise UnslantError(f"Cannot read the token in {path}: {error.strerror}.") from error
    if os.name == "posix" and stat.S_IMODE(facts.st_mode) & 0o077:
        raise UnslantError(
            f"Other users can read the token in {path}. Choose a new one, and run: chmod 600 {path}"
        )
    return content.decode("latin-1").strip()


class Door:
    """Keys that work once, a token that may be used again if there is one, and the secrets given.

    ``announce`` is called with each key made after a request without a secret.
    """

    def __init__(
        self, *, token: str | None = None, announce: Callable[[str], object] = lambda key: None
    ) -> None:
        self._token = token
        self._announce = announce
        self._key: str | None = None
        self._secrets: set[str] = set()

    def key(self) -> str:
        """The key that is not spent yet."""
        if self._key is None:
            self._key = secrets.token_urlsafe(_BYTES)
        return self._key

    def knock(self) -> None:
        """Make a key available after a request without a secret."""
        if self._key is None:
            self._announce(self.key())

    def fits(self, key: str, token: str) -> bool:
        """Whether one of the two opens the door."""
        return same(key, self._key) or same(token, self._token)

    def enter(self, key: str, token: str) -> str | None:
        """The secret for a key or a token; the key is spent. None if neither fits."""
        if not self.fits(key, token):
            return None
        if same(key, self._key):
            self._key = None
        return self.admit()

    def admit(self) -> str:
        """A new secret."""
        secret = secrets.token_urlsafe(_BYTES)
        self._secrets.add(secret)
        return secret

    def knows(self, secret: str) -> bool:
        """Whether a secret is one of those given."""
        return any(same(secret, known) for known in self._secrets)


def same(given: str, wanted: str | None) -> bool:
    """Compare two secrets in constant time."""
    return wanted is not None and hmac.compare_digest(
        given.encode("utf-8", "replace"), wanted.encode()
    )
