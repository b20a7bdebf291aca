"""Where the server listens, and what it asks of those who come from elsewhere."""

import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from tests.command_line import unslant
from tests.web.command import command_running
from unslant.core.errors import UnslantError
from unslant.web.start import check_bind, hosts_of, serve

ACCESS = "abcdefgh12345678"


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGHUP])
def test_the_command_listens_on_the_loopback_interface_alone_and_leaves_nothing_behind(
    tmp_path: Path, stop: signal.Signals, warm_cache: str
) -> None:
    if not Path("/proc/net/tcp").exists():
        pytest.skip("/proc/net/tcp is not there: this system does not tell its sockets")
    options = ("--port", "0", "--no-browser")
    with command_running(tmp_path, *options, UNSLANT_CACHE=warm_cache) as running:
        sockets = _listening(running.port)
        made = [path.name for path in running.temporary.iterdir()]
        running.process.send_signal(stop)
        assert running.process.wait(30) == 0
        assert "Stopped." in running.said()
    assert sockets == ["0100007F"], "127.0.0.1 in the kernel's own writing"
    assert any(name.startswith("unslant-") for name in made)
    assert not list(running.temporary.iterdir())


def test_under_nohup_the_command_outlives_its_terminal(tmp_path: Path, warm_cache: str) -> None:
    options = ("--port", "0", "--no-browser")
    with command_running(
        tmp_path, *options, hangup=signal.SIG_IGN, UNSLANT_CACHE=warm_cache
    ) as running:
        running.process.send_signal(signal.SIGHUP)
        with pytest.raises(subprocess.TimeoutExpired):
            running.process.wait(1)
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(30) == 0


def _listening(port: int) -> list[str]:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        found = []
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            rows = Path(table).read_text().splitlines()[1:] if Path(table).exists() else []
            for fields in map(str.split, rows):
                address, _, number = fields[1].partition(":")
                if int(number, 16) == port and fields[3] == "0A":
                    found.append(address)
        if found:
            return found
        time.sleep(0.05)
    return []


def test_the_command_refuses_to_be_open_to_others_by_mistake(tmp_path: Path) -> None:
    done = unslant("serve", "--host", "0.0.0.0", "--no-browser", cwd=tmp_path, code=2)
    assert "name it with --token-file" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "2001:db8::1", "lab.example"])
def test_other_interfaces_need_a_token(host: str) -> None:
    with pytest.raises(UnslantError, match="name it with --token-file"):
        check_bind(host, ["lab.example"], None)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_all_interfaces_need_named_hosts(host: str) -> None:
    with pytest.raises(UnslantError, match="every interface"):
        check_bind(host, [], ACCESS)
    check_bind(host, ["lab.example"], ACCESS)


@pytest.mark.parametrize(
    "token", ["short", "", "x" * 15, "with space 1234567", "semi;colon12345678"]
)
def test_a_token_that_is_short_or_odd_is_refused(token: str) -> None:
    with pytest.raises(UnslantError, match="at least 16 letters and digits"):
        check_bind("127.0.0.1", [], token)


def test_hosts_are_the_names_of_the_address_with_its_port() -> None:
    loopback = {"127.0.0.1:81", "localhost:81", "[::1]:81"}
    assert hosts_of("127.0.0.1", 81, ()) == loopback
    assert hosts_of("::1", 81, ()) == loopback
    assert hosts_of("127.0.0.2", 81, ()) == loopback | {"127.0.0.2:81"}
    assert hosts_of("192.0.2.7", 81, ["lab"]) == {"192.0.2.7:81", "lab:81"}
    assert hosts_of("2001:db8::1", 81, ()) == {"[2001:db8::1]:81"}
    assert hosts_of("0.0.0.0", 81, ["Lab.Example"]) == {"lab.example:81"}, "as browsers write it"


def test_on_the_port_that_browsers_leave_out_it_may_be_left_out() -> None:
    assert hosts_of("192.0.2.7", 80, ()) == {"192.0.2.7:80", "192.0.2.7"}


@pytest.mark.parametrize("name", ["", "lab:80", "http://lab", "lab/", "*", "a b", "la\nb", ".lab"])
def test_a_name_that_no_machine_has_is_refused(name: str) -> None:
    with pytest.raises(UnslantError, match="--name takes the name of a machine"):
        check_bind("127.0.0.1", [name], None)


def test_a_port_that_is_taken_is_told_in_a_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(UnslantError, match=r"cannot be used.*Choose another with --port"):
            serve([], port=taken.getsockname()[1])


def test_a_path_that_is_not_there_is_told_before_anything_listens(tmp_path: Path) -> None:
    with pytest.raises(UnslantError, match=r"none\.txt does not exist"):
        serve([str(tmp_path / "none.txt")], port=0)
