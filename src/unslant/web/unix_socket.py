"""A socket in the file system, which only its owner can open."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unslant.core.errors import UnslantError

_OTHERS = 0o177


@contextmanager
def listening_at(path: str) -> Iterator[socket.socket]:
    """A socket at a path with mode 0600; the path is free again afterwards."""
    if not hasattr(socket, "AF_UNIX"):
        raise UnslantError("This system has no Unix sockets. Leave out --socket.")
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(_OTHERS)  # from the first moment on, not after a chmod
    try:
        made.bind(path)
        made.listen(64)
    except OSError as error:
        made.close()
        raise UnslantError(
            f"Cannot listen at {path}: {error.strerror or error}. Choose another path with "
            f"--socket, or remove what an earlier run left there."
        ) from error
    finally:
        os.umask(before)
    try:
        yield made
    finally:
        made.close()
        Path(path).unlink(missing_ok=True)
