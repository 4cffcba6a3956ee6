"""A file out of the form in which e-mails carry it, piece by piece; pure.

decoder = Decoder("base64")
decoder.decoded(b"SGVsb", last=False) + decoder.decoded(b"G8=", last=True)     # b"Hello"
"""

from __future__ import annotations

import binascii
import quopri

_NOT_BASE64 = bytes(
    set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
)
_MOST_LINE = 100_000
"""Of quoted-printable: whoever writes no line ends gets the piece as it is."""


class Decoder:
    """Keeps what a piece ends with in the middle of something."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding.lower()
        self._rest = b""

    def decoded(self, data: bytes, *, last: bool) -> bytes:
        if self._encoding == "base64":
            return self._base64(data, last)
        if self._encoding == "quoted-printable":
            return self._quoted(data, last)
        return data

    def _base64(self, data: bytes, last: bool) -> bytes:
        """Whatever is no letter of it is passed over, signs of an end in the middle too."""
        whole = self._rest + data.translate(None, _NOT_BASE64)
        end = len(whole) // 4 * 4
        self._rest = whole[end:]
        if last and len(self._rest) > 1:
            whole, end = whole + b"=" * (4 - len(self._rest)), end + 4
        return binascii.a2b_base64(whole[:end])

    def _quoted(self, data: bytes, last: bool) -> bytes:
        whole = self._rest + data
        end = len(whole) if last or len(whole) > _MOST_LINE * 4 else whole.rfind(b"\n") + 1
        self._rest = whole[end:]
        return quopri.decodestring(whole[:end])
