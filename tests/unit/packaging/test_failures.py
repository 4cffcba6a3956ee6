"""A failed step tells what went wrong and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from devtools.failures import (
    BAD_CERTIFICATE,
    DISK_FULL,
    NO_COMPILER,
    NO_NETWORK,
    NOT_WRITABLE,
    OUT_OF_MEMORY,
    cause_of,
    explain_failure,
)

LOG = Path("build.log")


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("NewConnectionError(': Failed to establish a new connection: [Errno -3]')", NO_NETWORK),
        ("Temporary failure in name resolution", NO_NETWORK),
        ("ERROR: Could not find a version that satisfies x (from versions: none)", NO_NETWORK),
        ("W: Temporary failure resolving 'deb.debian.org'", NO_NETWORK),
        ("OSError: [Errno 28] No space left on device", DISK_FULL),
        ("ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED]", BAD_CERTIFICATE),
        ("c++: fatal error: Killed signal terminated program cc1plus", OUT_OF_MEMORY),
        ("PermissionError: [Errno 13] Permission denied: '.venv'", NOT_WRITABLE),
    ],
)
def test_known_signs_give_their_advice(line: str, advice: str) -> None:
    assert cause_of(f"Collecting x\n{line}\nmore") == advice


def test_a_missing_compiler_comes_with_the_command_that_installs_it() -> None:
    told = cause_of("CMake Error: CMAKE_CXX_COMPILER not set, after EnableLanguage")
    assert told is not None
    assert told.startswith(NO_COMPILER)
    assert "Install it" in told


def test_no_network_is_one_line() -> None:
    told = explain_failure("Installing", "x\nNameResolutionError\n" * 50, LOG)
    assert "\n" not in told


def test_anything_else_shows_the_end_of_the_log_and_where_the_rest_is() -> None:
    log = "\n".join(f"line {number}" for number in range(100))
    told = explain_failure("Building", log, LOG)
    assert "line 99" in told
    assert "line 84" not in told
    assert str(LOG) in told
    assert "report it" in told
