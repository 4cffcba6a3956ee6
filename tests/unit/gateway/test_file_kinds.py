"""What a file is says its content, and its ending never says something else."""

from __future__ import annotations

import io
import zipfile
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.gateway.file_kinds import ENDINGS, TEXT, UNKNOWN, fitting_name, kind_of
from moltbot_desktop.gateway.incoming_files import safe_name

PNG = b"\x89PNG\r\n\x1a\n" + bytes(30)


def archive(*names: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name in names:
            file.writestr(name, "x")
    return made.getvalue()


def told_archive(kind: str) -> bytes:
    """One that begins with what it is, as EPUB and OpenDocument ask for."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("mimetype", kind)
        file.writestr("content.xml", "<x/>")
    return made.getvalue()


OFFICE = "application/vnd.openxmlformats-officedocument."
OPENDOCUMENTS = [
    f"application/vnd.oasis.opendocument.{one}" for one in ("text", "spreadsheet", "presentation")
]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0" + bytes(20), "image/jpeg"),
        (b"GIF89a" + bytes(20), "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\x10\0\0\0WAVEfmt ", "audio/wav"),
        (b"RIFF\x10\0\0\0????", UNKNOWN),
        (b"\0\0\0\x18ftypheic", "image/heic"),
        (b"\0\0\0\x18ftypisom", "video/mp4"),
        (b"%PDF-1.7\n", "application/pdf"),
        (archive("a.txt"), "application/zip"),
        (
            archive("[Content_Types].xml", "word/document.xml"),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (b"OggS" + bytes(20), "audio/ogg"),
        (b"GIF87a" + bytes(20), "image/gif"),
        (b"II*\0" + bytes(20), "image/tiff"),
        (b"MM\0*" + bytes(20), "image/tiff"),
        (b"\x1f\x8b\x08" + bytes(20), "application/gzip"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(20), "application/x-7z-compressed"),
        (b"fLaC" + bytes(20), "audio/flac"),
        (b"ID3\x03" + bytes(20), "audio/mpeg"),
        (b"\xff\xfb\x90" + bytes(20), "audio/mpeg"),
        (b"\x1aE\xdf\xa3" + bytes(20), "video/webm"),
        (b"RIFF\x10\0\0\0AVI LIST", "video/x-msvideo"),
        (b"\0\0\0\x18ftypheix", "image/heic"),
        (b"\0\0\0\x18ftypmif1", "image/heic"),
        (b"\0\0\0\x18ftypavif", "image/avif"),
        (b"\0\0\0\x18ftypM4A ", "audio/mp4"),
        (b"\0\0\0\x18ftypqt  ", "video/quicktime"),
        (told_archive("application/epub+zip"), "application/epub+zip"),
        *((told_archive(one), one) for one in OPENDOCUMENTS),
        (archive("xl/workbook.xml"), f"{OFFICE}spreadsheetml.sheet"),
        (archive("ppt/presentation.xml"), f"{OFFICE}presentationml.presentation"),
        (b"a\x1bb", TEXT),  # colours of a terminal
        (b"a\0b", UNKNOWN),
        (b"a\x1fb", UNKNOWN),
        (b"a" * 5_000 + b"\0", UNKNOWN),
        (b"a\n<html>", TEXT),
        (b"a,b\n1,2\n", TEXT),
        ("Grüße\r\n\t你好".encode(), TEXT),
        (b"\xef\xbb\xbf<!DOCTYPE HTML><p>x", "text/html"),
        (b"  <html lang=en>", "text/html"),
        (b"#!/bin/sh\nrm -rf /\n", TEXT),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", TEXT),
        (b"\x7fELF" + bytes(20), UNKNOWN),
        (b"MZ\x90\0", UNKNOWN),
        (b"\xff\xfeh\0i\0", UNKNOWN),
        (b"Gr\xfc\xdfe", UNKNOWN),
        (b"", TEXT),
    ],
)
def test_the_content_says_what_it_is(data: bytes, kind: str) -> None:
    assert kind_of(data) == kind


@pytest.mark.parametrize(
    ("name", "data", "fitting"),
    [
        ("photo.PNG", PNG, "photo.PNG"),
        ("photo.jpg", PNG, "photo.jpg.png"),
        ("photo", PNG, "photo.png"),
        ("invoice.pdf", b"\x7fELF" + bytes(9), "invoice.pdf.bin"),
        ("invoice.pdf", b"<html>", "invoice.pdf.html"),
        ("notes.md", b"# a", "notes.md"),
        ("notes.png", b"# a", "notes.png.txt"),
        ("tool", b"\x7fELF" + bytes(9), "tool"),
        ("data.csv", b"a,b", "data.csv"),
    ],
)
def test_the_ending_says_nothing_else(name: str, data: bytes, fitting: str) -> None:
    assert fitting_name(name, kind_of(data)) == fitting


@given(st.text(max_size=30), st.binary(max_size=60) | st.text(max_size=40).map(str.encode))
def test_no_name_makes_a_file_look_like_another_kind(name: str, data: bytes) -> None:
    kind = kind_of(data)
    suffix = PurePath(fitting_name(safe_name(name), kind)).suffix.casefold()
    claimed = next((one for one, endings in ENDINGS.items() if suffix in endings), None)
    assert claimed in (None, kind)
