"""Which programs only look, and which words make them do more."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.security.commands.rules import Level, level_of, paths_in


@pytest.mark.parametrize(
    "text",
    [
        "ls", "ls -la docs", "cat a b", "head -20 x", "head -n 5 x", "head -n5 x", "wc -l x",
        "sort -k 2 -n x", "sort -k2 x", "cut -d , -f 2 x", "grep -n word x", "grep -e -r x",
        "date", "date +%Y", "date -d tomorrow +%A", "du -sh .", "uniq -c a", "stat -c %s a",
        "echo -n hello", "uname -a", "git --version", "tail -n 5 -- -x", "ls --color=auto",
        "diff -u a b", "seq 1 5", "base64 -d a", "jq .a b",
    ],
)  # fmt: skip
def test_looking_is_looking(text: str) -> None:
    assert level_of(tuple(text.split())) is Level.LOOKS


@pytest.mark.parametrize(
    "text",
    [
        "grep -rn word .", "grep --recursive word .", "diff -r a b", "find . -name x -type f",
        "find a b -maxdepth 1 ( -name x -o -name y )", "git status", "git log --oneline -10",
        "git --no-pager diff HEAD~1 -- a", "git branch -a", "git remote -v", "git show HEAD:a",
    ],
)  # fmt: skip
def test_what_goes_through_folders_says_so(text: str) -> None:
    assert level_of(tuple(text.split())) is Level.LOOKS_DEEP


@pytest.mark.parametrize("text", ["mkdir -p a/b", "touch a", "rmdir a"])
def test_some_only_add(text: str) -> None:
    assert level_of(tuple(text.split())) is Level.ADDS


@pytest.mark.parametrize(
    "text",
    [
        "rm a", "cp a b", "python3 x.py", "sh x", "env ls", "sudo ls", "ssh h ls", "xargs ls",
        "/bin/ls", "./ls", "sort -o a b", "sort --output=a b", "sort -bo a b", "sort --outp=a b",
        "sort -S 1", "sort --compress-program=x a", "uniq a b", "xxd a b", "xxd -r a",
        "date 010100002030", "date -s now", "date --set=now", "date -f x", "hostname evil",
        "find . -delete", "find . -exec ls", "find . -fprint a", "find . -ok ls", "find . -name",
        "grep -f x y", "wc --files0-from=x", "tree -o a", "file -m x", "tail -f x",
        "git -c a=b log", "git -C /x log", "git commit", "git log --output=a", "git log --outp=a",
        "git diff --ext-diff", "git diff --no-index a b", "git log --show-signature",
        "git branch x", "git log -oa", "git diff -Oa", "git log --textconv", "git tag v1",
        "git remote add a b",
        "git --exec-path=. log", "git --git-dir=x log", "git", "touch -r a b", "mkdir -m 777 a",
        "ls --unknown", "head -n", "jq -f x", "jq --rawfile a b .", "echo --", "awk 1 a", "sed p a",
    ],
)  # fmt: skip
def test_what_nobody_looked_at_is_asked_for(text: str) -> None:
    expected = Level.LOOKS if text == "echo --" else Level.OTHER
    assert level_of(tuple(text.split())) is expected


@settings(max_examples=200)
@given(st.lists(st.text(alphabet="-=/abcoeF0.", max_size=8), max_size=6))
def test_no_words_let_a_program_that_is_not_listed_pass(words: list[str]) -> None:
    assert level_of(("rm", *words)) is Level.OTHER
    assert level_of(("sort", *words, "-o", "x")) is Level.OTHER or "--" in words


def test_what_is_only_said_names_no_file() -> None:
    assert list(paths_in(("echo", "/etc/passwd"))) == []


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("cat a /etc/passwd", {"a", "/etc/passwd"}),
        ("ls -I../x", {"../x"}),
        ("ls --hide=/etc/x", {"/etc/x"}),
        ("dd if=/etc/passwd", {"if=/etc/passwd", "/etc/passwd"}),
        ("tar -C/etc", {"/etc"}),
    ],
)
def test_words_that_may_be_paths_are_found(text: str, paths: set[str]) -> None:
    assert paths <= set(paths_in(tuple(text.split())))
