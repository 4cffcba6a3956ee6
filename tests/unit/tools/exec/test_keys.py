"""Names of keys become what a terminal sends."""

from __future__ import annotations

import pytest

from moltbot_desktop.tools.exec.keys import keys_as_bytes, pasted


@pytest.mark.parametrize(
    ("key", "data"),
    [
        ("Enter", b"\r"),
        ("C-c", b"\x03"),
        ("^C", b"\x03"),
        ("C-[", b"\x1b"),
        ("C-Space", b"\x00"),
        ("M-x", b"\x1bx"),
        ("M-Up", b"\x1b\x1b[A"),
        ("S-Tab", b"\x1b[Z"),
        ("S-a", b"A"),
        ("PageUp", b"\x1b[5~"),
        ("F12", b"\x1b[24~"),
        ("y", b"y"),
        (" ", b" "),
        ("好", "好".encode()),
    ],
)
def test_a_key_is_its_bytes(key: str, data: bytes) -> None:
    assert keys_as_bytes([key]) == (data, ())


def test_keys_come_in_a_row_and_unknown_ones_are_named() -> None:
    assert keys_as_bytes(["a", "Hyper", "Enter", "C-Enter", "C-"]) == (
        b"a\r",
        ("Hyper", "C-Enter", "C-"),
    )


def test_what_is_pasted_cannot_end_the_paste() -> None:
    assert pasted("a\x1b[201~\rb") == b"\x1b[200~a\rb\x1b[201~"
    assert pasted("a", bracketed=False) == b"a"
