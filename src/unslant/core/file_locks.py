"""Locks on open files: one process holds one, and the system releases it when that process ends."""

import errno
import os
import sys
import time

_NO_LOCKS_HERE = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
_PAST_THE_TEXT = 1 << 20
"""Windows locks byte ranges against reading too, so the lock is beyond the end of the file."""
_RETRY_SECONDS = 0.1


def hold(handle: int, *, wait: bool) -> None:
    """Lock an open file until it is closed.

    Without ``wait``, a lock that another process holds raises BlockingIOError. Some file systems
    of clusters have no locks. There nothing is held: files are still written atomically, and
    two processes would merely do some work twice.
    """
    # The modules are imported here because each system has only one of them.
    if sys.platform == "win32":
        import msvcrt

        while True:
            os.lseek(handle, _PAST_THE_TEXT, os.SEEK_SET)
            try:
                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            except PermissionError as error:
                if not wait:
                    raise BlockingIOError(error.errno, error.strerror) from error
                time.sleep(_RETRY_SECONDS)
            else:
                return
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno not in _NO_LOCKS_HERE:
            raise
