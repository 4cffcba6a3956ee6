"""The lexer against a real bash: what it calls literal, bash hands to the programs word for word.

bash runs with an empty PATH and with all its builtins switched off, in an empty folder, and
for every program that it does not find it calls a function of ours,
which writes down the words. So bash's own parsing is what is seen, and nothing runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moltbot_desktop.security.commands.lexer import (
    Argv,
    Joint,
    Literal,
    NotLiteral,
    needs_shell,
    read_command,
)
from moltbot_desktop.security.commands.rules import Level, level_of

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="there is no bash here")

EVERYDAY = (
    Path(__file__).parents[2] / "unit" / "security" / "commands" / "everyday.txt"
).read_text(encoding="utf-8")
_LISTED = frozenset({"ls", "cat", "echo"})
_DEEP = int(os.environ.get("MOLTBOT_ORACLE_EXAMPLES", "60"))
"""How many command lines are made up; a bench may want thousands."""

_PROLOGUE = r"""
answer=$1
command_not_found_handle() { printf '%s\001' "$@" $'\002' >&9; return $answer; }
for one in $(compgen -b); do
  case $one in printf|enable|return|exit) ;; *) off="$off $one";; esac
done
exec 9>&1 </dev/null >/dev/null 2>/dev/null
enable -n $off
"""


def seen_by_bash(line: str, answer: int, folder: Path) -> Counter[Argv]:
    """The words of every program that bash would start for `line`, when each of them ends with
    `answer`. Programs with a folder in their name are nobody's to try."""
    assert BASH is not None
    ended = subprocess.run(
        [BASH, "--norc", "--noprofile", "-c", f"{_PROLOGUE}\n{line}\n", "bash", str(answer)],
        cwd=folder,
        env={"PATH": str(folder / "nothing"), "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    records = ended.stdout.decode("utf-8", "surrogateescape").split("\2\1")[:-1]
    return Counter(tuple(record.split("\1")[:-1]) for record in records)


def seen_by_us(literal: Literal, answer: int) -> Counter[Argv]:
    """The same, by our own reading of the joints."""
    found: list[Argv] = []
    status = 0
    for step in literal.steps:
        if (step.joint is Joint.AND and status) or (step.joint is Joint.OR and not status):
            continue
        found += step.pipeline
        status = answer
    return Counter(found)


def comparable(commands: Iterable[Argv]) -> bool:
    return not any("/" in argv[0] or needs_shell(argv) or argv[0] == "printf" for argv in commands)


_WORDS = st.text(alphabet="ab-=:,.@%+/^~#{}$*?[]!\\\"'`<>&|;()笔é 1", min_size=1, max_size=6)
_QUOTED = st.builds(
    lambda text, quote: f"{quote}{text.replace(quote, '')}{quote}", _WORDS, st.sampled_from("'\"")
)
_PROGRAMS = st.sampled_from(["ls", "cat", "echo", "git", "x", "'a b'", "a~", "b#", "é"])
_COMMANDS = st.builds(
    lambda name, words: " ".join([name, *words]),
    _PROGRAMS,
    st.lists(st.one_of(_WORDS, _QUOTED), max_size=4),
)
_LINES = st.builds(
    lambda commands, joints: "".join(
        one + (joints[place] if place < len(commands) - 1 else "")
        for place, one in enumerate(commands)
    ),
    st.lists(_COMMANDS, min_size=1, max_size=3),
    st.lists(st.sampled_from([" && ", " || ", " ; ", " | ", "|", ";"]), min_size=3, max_size=3),
)


@settings(
    max_examples=_DEEP,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(line=_LINES, answer=st.sampled_from([0, 1]))
def test_bash_sees_the_same_words(line: str, answer: int, tmp_path: Path) -> None:
    read = read_command(line)
    if isinstance(read, NotLiteral) or not comparable(read.commands):
        return
    assert seen_by_bash(line, answer, tmp_path) == seen_by_us(read, answer)


def test_bash_sees_the_same_words_in_everyday_commands(tmp_path: Path) -> None:
    tried = 0
    for line in EVERYDAY.splitlines()[::6]:
        read = read_command(line)
        if isinstance(read, Literal) and comparable(read.commands):
            assert seen_by_bash(line, 0, tmp_path) == seen_by_us(read, 0), line
            tried += 1
    assert tried > 25


def test_the_oracle_sees_a_difference(tmp_path: Path) -> None:
    """What bash expands is not what was written: the oracle would say so."""
    for line in ("echo $((1+1))", "echo {a,b}", "echo a\\ b", "echo ~+", "x=1 ls", "ls & cat"):
        assert isinstance(read_command(line), NotLiteral)
        plain = Counter([tuple(line.split(" "))])
        assert seen_by_bash(line, 0, tmp_path) != plain, line


_PAYLOADS = (
    "$(touch x)", "`touch x`", "${IFS}touch", "; touch x", "&& touch x", "|| touch x", "| touch x",
    "& touch x", "\ntouch x", "\r\ntouch x", "> x", ">> x", "< x", "<<< x",
    "<(touch x)", ">(touch x)",
    "$'\\x3b'touch", "\\\ntouch x", "{touch,x}", "*", "?", "[a-z]*", "~", "~root", "!!", "!touch",
    "#x\ntouch x", "(touch x)", "{ touch x; }", "\u037etouch x", "\uff1btouch x", "\u2028touch x",
    "\x00touch", "\x0btouch", "\u00a0touch x", "a;touch${IFS}x", "a|touch x", "a&&touch x",
    "';touch x'", "\";touch x\"", "\"$(touch x)\"", "'`touch x`'", "\"`touch x`\"",
    "-exec touch x ;",
    "--color=auto", "2>&1", "&>x", "|& touch x", ";; touch x", "$((a[$(touch x)]))",
    "${x:-$(touch x)}",
    "@(a|b)", "+(a)", "=touch", "a=(b)", "<<E\ntouch x\nE", "\x1b[2Ktouch", "\u202etouch",
    "time touch x",
)  # fmt: skip
_CARRIERS = ("{}", "ls {}", "ls a{}", "ls '{}'", 'ls "{}"', "echo '{}' | cat", "cat -- {}", "{} ls")


def payloads() -> list[str]:
    return [carrier.replace("{}", one) for one in _PAYLOADS for carrier in _CARRIERS]


def runs_unasked(line: str) -> Literal | None:
    """As if only `_LISTED` were known: would it run without a question?"""
    read = read_command(line)
    if isinstance(read, NotLiteral):
        return None
    free = all(argv[0] in _LISTED and level_of(argv) is Level.LOOKS for argv in read.commands)
    return read if free else None


def test_no_payload_that_runs_unasked_makes_bash_start_anything_else(tmp_path: Path) -> None:
    free = [(line, read) for line in payloads() if (read := runs_unasked(line)) is not None]
    assert 20 < len(free) < len(payloads()) // 2
    for line, read in free:
        seen = seen_by_bash(line, 0, tmp_path)
        assert {argv[0] for argv in seen} <= _LISTED, line
        assert seen == seen_by_us(read, 0), line
    assert not list(tmp_path.iterdir())
