"""The package where Python has no modules of POSIX, and where docstrings are stripped."""

import os
import subprocess
import sys

import pytest

# Modules of others may use what their system has, so they are imported before it is taken away.
WITHOUT_POSIX = """
import importlib, os, pkgutil, sys
import unslant

names = [
    module.name
    for module in pkgutil.walk_packages(unslant.__path__, "unslant.")
    if not module.name.endswith("__main__")
]

def import_all():
    for name in names:
        importlib.import_module(name)

import_all()
for name in [name for name in sys.modules if name.split(".")[0] == "unslant"]:
    del sys.modules[name]
for name in ("fcntl", "grp", "pwd", "pty", "readline", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None
for name in ("fork", "geteuid", "getpgid", "getuid", "killpg", "mkfifo", "sched_getaffinity",
             "statvfs", "sysconf", "uname", "O_NOFOLLOW", "O_NONBLOCK"):
    if hasattr(os, name):
        delattr(os, name)
import_all()
print(len(names))
"""


def test_every_module_is_imported_without_the_modules_of_posix() -> None:
    for needed in ("torch", "transformers", "h5py", "numba", "starlette", "distributed"):
        pytest.importorskip(needed, reason=f"{needed} is not installed", exc_type=ImportError)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 500


@pytest.mark.parametrize(
    ("code", "works"),
    [
        ("from unslant.cli.app import main; main()", False),
        ("us.audit(us.load(), us.concept('age'), quality=False)", True),
        ("us.figures.list(us.load())", False),
        ("us.measure('weat', us.load(), us.concept('gender').test('career-family'))", True),
    ],
)
def test_python_without_docstrings_is_refused_in_one_sentence(code: str, works: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import unslant as us; {code}"],
        env={**os.environ, "PYTHONOPTIMIZE": "2", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    refusal = "Python was started without docstrings (-OO or PYTHONOPTIMIZE=2)"
    assert (done.returncode == 0) == works, done.stderr
    assert (refusal in done.stderr) != works
    if "main" in code:
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
