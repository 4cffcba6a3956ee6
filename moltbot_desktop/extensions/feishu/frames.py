"""Frames of the long connection, as bytes and back. Pure.

    frame = read_frame(raw)                      # None for what is none
    written(replace(frame, payload=b'{"code":200}'))
    whole = Parts().whole(frame)                 # b"..." once the last part of it is there

The message is ``pbbp2.Frame``, as the platform's own SDKs have it (MIT,
https://github.com/larksuite/oapi-sdk-python, lark_oapi/ws/pb/pbbp2_pb2.py): nine fields of
Protocol Buffers, https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

CONTROL, DATA = 0, 1
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MOST_HEADERS = 64
_MOST_PARTS = 256
_MOST_OPEN = 16
_LARGEST = 8 * 1024 * 1024


@dataclass(frozen=True)
class Frame:
    """Attributes:
    service: the id that the address of the line names.
    method: `CONTROL` or `DATA`.
    headers: (key, value), in order.
    rest: fields that are only given back: (number, value).
    """

    method: int
    headers: tuple[tuple[str, str], ...] = ()
    payload: bytes = b""
    service: int = 0
    sequence: int = 0
    log: int = 0
    rest: tuple[tuple[int, bytes], ...] = ()

    def header(self, key: str) -> str:
        """ "" where there is none."""
        return next((value for name, value in self.headers if name == key), "")

    def number(self, key: str) -> int:
        """0 where there is none."""
        found = self.header(key)
        return int(found) if found.isascii() and found.isdigit() and len(found) < 10 else 0


def ping(service: int) -> bytes:
    """What keeps the line."""
    return written(Frame(CONTROL, (("type", "ping"),), service=service))


def read_frame(raw: bytes) -> Frame | None:
    """None for what is no frame."""
    try:
        return _frame(raw)
    except ValueError:
        return None


def _frame(raw: bytes) -> Frame:
    numbers: dict[int, int] = {}
    headers: list[tuple[str, str]] = []
    rest: list[tuple[int, bytes]] = []
    payload = b""
    for number, value in _fields(raw):
        if isinstance(value, int):
            numbers[number] = value
        elif number == 5:
            if len(headers) == _MOST_HEADERS:
                raise ValueError("too many headers")
            headers.append(_header(value))
        elif number == 8:
            payload = value
        elif number in (6, 7, 9):
            rest.append((number, value))
    if 4 not in numbers:
        raise ValueError("no method")
    return Frame(
        numbers[4],
        tuple(headers),
        payload,
        numbers.get(3, 0),
        numbers.get(1, 0),
        numbers.get(2, 0),
        tuple(rest),
    )


def written(frame: Frame) -> bytes:
    """The bytes of a frame."""
    out = bytearray()
    for number, value in (1, frame.sequence), (2, frame.log), (3, frame.service), (4, frame.method):
        out += _key(number, _VARINT) + _varint(value)
    for name, text in frame.headers:
        out += _long(5, _long(1, name.encode()) + _long(2, text.encode()))
    for number, given in sorted([*frame.rest, (8, frame.payload)]):
        out += _long(number, given)
    return bytes(out)


@dataclass
class Parts:
    """Puts together what came in parts; what is never whole is forgotten."""

    _open: dict[str, dict[int, bytes]] = field(default_factory=dict)

    def whole(self, frame: Frame) -> bytes | None:
        """The payload, None while parts of it are missing."""
        total, place = frame.number("sum"), frame.number("seq")
        if total <= 1:
            return frame.payload
        name = frame.header("message_id")
        if total > _MOST_PARTS or place >= total or not name:
            return None
        parts = self._open.setdefault(name, {})
        parts[place] = frame.payload
        while len(self._open) > _MOST_OPEN or self._size() > _LARGEST:
            del self._open[next(iter(self._open))]
        if name not in self._open or len(parts) < total:
            return None
        del self._open[name]
        return b"".join(parts[one] for one in range(total) if one in parts)

    def _size(self) -> int:
        return sum(len(one) for parts in self._open.values() for one in parts.values())


def _header(raw: bytes) -> tuple[str, str]:
    found = {number: value for number, value in _fields(raw) if isinstance(value, bytes)}
    return found.get(1, b"").decode(), found.get(2, b"").decode()


def _fields(raw: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(number, value) of each field.

    Raises:
        ValueError: cut off, or of a kind that is not in use any more.
    """
    place = 0
    while place < len(raw):
        key, place = _read_varint(raw, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, place = _read_varint(raw, place)
            yield number, value
            continue
        if kind == _BYTES:
            length, place = _read_varint(raw, place)
        elif kind in (_FIXED64, _FIXED32):
            length = 8 if kind == _FIXED64 else 4
        else:
            raise ValueError("unknown kind of field")
        if length > len(raw) - place:
            raise ValueError("cut off")
        yield number, raw[place : place + length]
        place += length


def _read_varint(raw: bytes, place: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(raw):
            break
        byte = raw[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (2**64 - 1), place
    raise ValueError("cut off, or longer than 64 bits")


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def _key(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


def _long(number: int, value: bytes) -> bytes:
    return _key(number, _BYTES) + _varint(len(value)) + value
