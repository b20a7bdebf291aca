"""Who may see the page: whoever brings a key that works once gets a cookie that stays.

Every user of a machine can reach its loopback interface, so being there proves nothing. The
address that is printed at the start carries a key. The first browser that brings it is given a
cookie, and the key is spent. When a browser without a cookie asks for the page, the next key is
made and printed, if the last one is spent.
"""

import hmac
import secrets
from collections.abc import Callable

_BYTES = 24


class Door:
    """Keys that work once, a token that may be used again if there is one, and the cookies given.

    ``announce`` is called with each key that is made because somebody asked for the page.
    """

    def __init__(
        self, *, token: str | None = None, announce: Callable[[str], object] = lambda key: None
    ) -> None:
        self._token = token
        self._announce = announce
        self._key: str | None = None
        self._cookies: set[str] = set()

    def key(self) -> str:
        """The key that is not spent yet."""
        if self._key is None:
            self._key = secrets.token_urlsafe(_BYTES)
        return self._key

    def knock(self) -> None:
        """Somebody without a cookie asked for the page, so there must be a key."""
        if self._key is None:
            self._announce(self.key())

    def fits(self, key: str, token: str) -> bool:
        """Whether one of the two opens the door."""
        return same(key, self._key) or same(token, self._token)

    def enter(self, key: str, token: str) -> str | None:
        """The cookie for a key or a token; the key is spent. None if neither fits."""
        if not self.fits(key, token):
            return None
        if same(key, self._key):
            self._key = None
        return self.admit()

    def admit(self) -> str:
        """A new cookie."""
        made = secrets.token_urlsafe(_BYTES)
        self._cookies.add(made)
        return made

    def knows(self, cookie: str) -> bool:
        """Whether a cookie is one of those given."""
        return any(same(cookie, known) for known in self._cookies)


def same(given: str, wanted: str | None) -> bool:
    """Whether two secrets are equal; how long it takes does not tell how much of one is right."""
    return wanted is not None and hmac.compare_digest(
        given.encode("utf-8", "replace"), wanted.encode()
    )
