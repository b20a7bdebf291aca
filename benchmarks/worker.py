"""The process that a measurement runs in: prepare, then time one action, then report.

Started by :func:`benchmarks.harness.measure` as ``python -m benchmarks.worker module:function
arguments private mapped``. The function does what should not be timed (its imports) and returns the
action that should.
"""

import importlib
import json
import resource
import sys
import time
from pathlib import Path


def main(named: str, arguments: str, private: str, mapped: str) -> None:
    module, function = named.split(":")
    for kind, bytes_allowed in ((resource.RLIMIT_DATA, private), (resource.RLIMIT_AS, mapped)):
        if int(bytes_allowed):
            resource.setrlimit(kind, (int(bytes_allowed), int(bytes_allowed)))
    action = getattr(importlib.import_module(module), function)(*json.loads(arguments))
    begin = time.perf_counter()
    answer = action()
    seconds = time.perf_counter() - begin
    print(json.dumps({"seconds": seconds, "peak_rss": peak_rss(), "answer": answer}))


def peak_rss() -> int:
    """The most memory this process ever had in use, mapped files included, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss would begin at what the parent process had
        return memory_of(status.read_text(), "VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def memory_of(status: str, name: str) -> int:
    """A line such as ``RssAnon:  1234 kB`` of a process status, in bytes; 0 where it is absent."""
    for line in status.splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    main(*sys.argv[1:])
