"""What holds for every test: nothing real is touched, and noise is a failure.

A test gets a home of its own, reaches no other computer, leaves no thread behind, and neither
the program nor Qt may log a warning behind its back. Each guard is tested in
tests/unit/test_guards.py.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Before anything imports PySide6: without a display the default platform aborts the process.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Tests start the program some hundred times; without its byte code each start compiles it anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# A crash inside llama.cpp would otherwise start gdb where it is installed, and hang.
os.environ.setdefault("GGML_NO_BACKTRACE", "1")

# A slow or busy machine is no finding: time per example is not judged.
# In CI every run tries the same examples, so that what is red there is red for everybody; on a
# developer's machine each run looks somewhere else and finds what nobody thought of.
settings.register_profile(
    "house",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
# For the quick check: a tenth of the examples; the whole suite takes them all.
settings.register_profile("quick", settings.get_profile("house"), max_examples=10)
settings.load_profile("house")

# Names of threads that outlive a test by design of their library, not of ours.
LASTING_THREADS = (
    "pytest_timeout",
    "tqdm_monitor",
    "LanceDBBackgroundEventLoop",
)
THREAD_GRACE_SECONDS = 20.0


# --- real platforms, when somebody asks for them

LIVE = Path(__file__).parent / "live"


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "play the suite of channels with accounts on real platforms, and nothing else"
    parser.addoption("--live", default="", metavar="NAMES", help=told)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`--live` runs tests/live alone, and without it nothing there is looked at."""
    is_live = LIVE in (collection_path, *collection_path.parents)
    above = collection_path in LIVE.parents
    return None if above or is_live == bool(config.getoption("--live")) else True


# --- in which order


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that start the program come first: at the end one of them would keep one worker busy
    while the others have nothing left."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/e2e/"))


# --- a home of its own


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """HOME and everything derived from it lie in a temporary folder."""
    home = tmp_path_factory.mktemp("home")
    places = {
        "HOME": home,
        "USERPROFILE": home,
        "MOLTBOT_HOME": home / ".moltbot",
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_DATA_HOME": home / ".local" / "share",
        "XDG_STATE_HOME": home / ".local" / "state",
    }
    for name, place in places.items():
        monkeypatch.setenv(name, str(place))


# --- no other computer


class OuterNetworkError(AssertionError):
    """A test tried to reach another computer."""


def is_on_this_machine(family: int, address: object) -> bool:
    """True for Unix sockets and loopback; names other than localhost count as outside."""
    if family not in (socket.AF_INET, socket.AF_INET6):
        return True
    host = str(address[0]) if isinstance(address, tuple) and address else ""
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return host in {"", "localhost"}


@pytest.fixture(autouse=True)
def _no_outer_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection beyond loopback raises, whoever makes it."""
    if request.node.get_closest_marker("outer_network"):
        return

    def guarded(original: Callable[..., object]) -> Callable[..., object]:
        def connect(self: socket.socket, address: object) -> object:
            if not is_on_this_machine(self.family, address):
                raise OuterNetworkError(f"a test tried to connect to {address!r}")
            return original(self, address)

        return connect

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, guarded(getattr(socket.socket, name)))


# --- no thread left behind


@pytest.fixture(autouse=True)
def _no_leaked_threads() -> Iterator[None]:
    """Threads that a test started have ended with it (a thread on its way out gets a moment)."""
    before = set(threading.enumerate())
    yield
    leaked = [thread for thread in threading.enumerate() if thread not in before]
    leaked = [thread for thread in leaked if not thread.name.startswith(LASTING_THREADS)]
    for thread in leaked:
        thread.join(THREAD_GRACE_SECONDS)
    alive = [thread.name for thread in leaked if thread.is_alive()]
    assert not alive, f"threads left running: {alive}"


# --- no log record behind the test's back


class _Recorder(logging.Handler):
    """Keeps what our program logs at WARNING or above."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture(autouse=True)
def _no_unexpected_logs(request: pytest.FixtureRequest) -> Iterator[None]:
    """A record at WARNING or above fails the test, unless it is marked `expect_log`.

    `@pytest.mark.expect_log` accepts any; `@pytest.mark.expect_log("words")` those that hold
    one of the words. Listens at the top, so libraries that warn about our use of them count.
    """
    recorder = _Recorder()
    root = logging.getLogger()
    root.addHandler(recorder)
    yield
    root.removeHandler(recorder)
    said = {f"{r.name}: {r.getMessage()}": r.exc_info for r in recorder.records}
    unexpected = unexpected_lines(list(said), request.node.get_closest_marker("expect_log"))
    traced = (line + trace_of(said[line]) for line in unexpected)
    assert not unexpected, "unexpected log records:\n" + "\n".join(traced)


def trace_of(failed: object) -> str:
    """What a record's error says of itself, for whoever has to find where it came from."""
    if not isinstance(failed, tuple) or failed[1] is None:
        return ""
    return "\n" + "".join(traceback.format_exception(failed[1]))


def unexpected_lines(said: list[str], marker: pytest.Mark | None) -> list[str]:
    """The log lines that the marker does not account for."""
    if marker is None:
        return said
    if not marker.args:
        return []
    return [line for line in said if not any(words in line for words in marker.args)]


# --- the checkout, for tests that run it from outside


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the repository."""
    return Path(__file__).resolve().parents[1]
