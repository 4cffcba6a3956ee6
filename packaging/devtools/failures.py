"""Turns the log of a failed step into what went wrong and what to do about it."""

from __future__ import annotations

import sys
from pathlib import Path

from devtools.system import compiler_hint

NO_NETWORK = (
    "No network: the package registry cannot be reached. Connect (or set HTTPS_PROXY, or "
    "PIP_INDEX_URL to a mirror) and run the same command again; what was already downloaded is "
    "kept."
)
DISK_FULL = "The disk is full. Free about 3 GB and run the same command again."
BAD_CERTIFICATE = (
    "The registry's certificate was refused. Check the clock of this computer, or set PIP_CERT "
    "to the certificate file of your proxy, and run the same command again."
)
NO_COMPILER = "The C++ compiler is missing or does not work."
OUT_OF_MEMORY = (
    "The compiler ran out of memory. Close other programs, or build with one job: "
    "CMAKE_BUILD_PARALLEL_LEVEL=1 python3 packaging/dev.py setup"
)
NOT_WRITABLE = (
    "A file or folder may not be written. Make the checkout yours (its owner must be the user "
    "that runs this) and run the same command again."
)

_NETWORK_SIGNS = (
    "Temporary failure in name resolution",
    "Temporary failure resolving",
    "getaddrinfo failed",
    "nodename nor servname",
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeoutError",
    "ProxyError",
    "Network is unreachable",
    "Connection refused",
    "Could not resolve",
    "from versions: none",  # pip found no index at all
)
_COMPILER_SIGNS = (
    "No CMAKE_CXX_COMPILER",
    "CMAKE_CXX_COMPILER not set",
    "Could not find compiler",
    "is not able to compile a simple test program",
)
_MEMORY_SIGNS = ("Killed signal terminated program", "out of memory", "std::bad_alloc")

# Signs in a log -> what a person can do. The first that fits is told: from the sure signs to
# the vague ones.
_CAUSES = (
    (("No space left on device", "[Errno 28]"), DISK_FULL),
    (("CERTIFICATE_VERIFY_FAILED",), BAD_CERTIFICATE),
    (_NETWORK_SIGNS, NO_NETWORK),
    (_COMPILER_SIGNS, NO_COMPILER),
    (_MEMORY_SIGNS, OUT_OF_MEMORY),
    (("Permission denied", "[Errno 13]"), NOT_WRITABLE),
)


def cause_of(log: str) -> str | None:
    """Advice for the first known sign in the log."""
    for signs, advice in _CAUSES:
        if any(sign in log for sign in signs):
            return f"{advice} {compiler_hint(sys.platform)}" if advice is NO_COMPILER else advice
    return None


def explain_failure(title: str, log: str, log_file: Path) -> str:
    """What went wrong and what to do, with the end of the log when the cause is not plain."""
    known = cause_of(log)
    if known is NO_NETWORK:
        return known
    lines = [line for line in log.splitlines() if line.strip()][-15:]
    advice = known or "Read the log; if it says nothing to you, report it with the log attached."
    shown = "\n".join("  | " + line[:160] for line in lines)
    return f"{title} failed. The end of its log:\n{shown}\n{advice}\nThe whole log: {log_file}"
