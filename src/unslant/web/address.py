"""Where the server listens, a port or a Unix socket, and which host names it accepts."""

import ipaddress
import os
import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from unslant.core.errors import UnslantError
from unslant.web.door import SHORTEST, check_token

_OTHERS = 0o177
PORT = 8642
_TRIED = 20
_USUAL_OF_HTTP = 80
_NAME = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


def check_bind(host: str, names: Sequence[str], token: str | None) -> None:
    """Refuse to listen where others could ask without having to prove anything."""
    if token is not None:
        check_token(token)
    for name in names:
        if not _NAME.fullmatch(name):
            raise UnslantError(
                f"--name takes the name of a machine, as in lab.example.org, not {name!r}."
            )
    if _is_loopback(host):
        return
    if token is None:
        raise UnslantError(
            f"{host} can be reached from other machines. Put a token of at least {SHORTEST} "
            f"letters and digits into a file and name it with --token-file, or leave out --host."
        )
    if _is_wildcard(host) and not names:
        raise UnslantError(
            f"{host} means every interface. Name the hosts that the page will be asked for by, "
            f"as in --name lab.example.org"
        )


def hosts_of(host: str, port: int, names: Sequence[str]) -> frozenset[str]:
    """The accepted Host headers; browsers leave out the default port."""
    known = [*names, *(_LOOPBACK_NAMES if _is_loopback(host) else ())]
    if not _is_wildcard(host):
        known.append(_bracketed(host))
    lower = [name.lower() for name in known]
    bare = lower if port == _USUAL_OF_HTTP else []
    return frozenset([*(f"{name}:{port}" for name in lower), *bare])


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_wildcard(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return not host


def name_of(host: str, names: Sequence[str]) -> str:
    """The host name in the printed address."""
    return names[0] if names else _bracketed(host)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def bound(host: str, port: int | None) -> socket.socket:
    """A socket on the requested port, or on the first free one from the default upwards."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in range(PORT, PORT + _TRIED) if port is None else [port]:
        sock = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":  # elsewhere it would let another program listen here too
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, number))
            sock.listen(64)
        except (OSError, OverflowError) as error:
            sock.close()
            reason = getattr(error, "strerror", None) or str(error)
        else:
            return sock
    which = f"Port {port}" if port is not None else f"No port from {PORT} to {PORT + _TRIED - 1}"
    can = "cannot" if port is not None else "can"
    raise UnslantError(f"{which} of {host} {can} be used: {reason}. Choose another with --port.")


@contextmanager
def listening_at(path: str) -> Iterator[socket.socket]:
    """A socket at a path with mode 0600; the path is free again afterwards."""
    if not hasattr(socket, "AF_UNIX"):
        raise UnslantError("This system has no Unix sockets. Leave out --socket.")
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(_OTHERS)  # from the first moment on, not after a chmod
    try:
        sock.bind(path)
        sock.listen(64)
    except OSError as error:
        sock.close()
        raise UnslantError(
            f"Cannot listen at {path}: {error.strerror or error}. Choose another path with "
            f"--socket, or remove what an earlier run left there."
        ) from error
    finally:
        os.umask(before)
    try:
        yield sock
    finally:
        sock.close()
        Path(path).unlink(missing_ok=True)
