"""`read` tells what a picture's file says about itself."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import ExifTags, Image

from moltbot_desktop.sdk.tools import ToolResult
from moltbot_desktop.tools.documents.child import text_of
from moltbot_desktop.tools.documents.kinds import DocumentKind, document_kind
from moltbot_desktop.tools.documents.trouble import NoText
from moltbot_desktop.tools.files import Read
from tests.fakes.tool_context import call, tool_context


def picture(kind: str, size: tuple[int, int] = (40, 30), exif: Image.Exif | None = None) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "green").save(out, kind, **({"exif": exif} if exif else {}))
    return out.getvalue()


def from_a_camera() -> bytes:
    exif = Image.Exif()
    exif[ExifTags.Base.Make] = "Canon"
    exif[ExifTags.Base.Model] = "EOS\x00 R5"
    exif.get_ifd(ExifTags.IFD.Exif)[ExifTags.Base.DateTimeOriginal] = "2026:05:03 14:20:11"
    gps = exif.get_ifd(ExifTags.IFD.GPSInfo)
    gps[ExifTags.GPS.GPSLatitudeRef], gps[ExifTags.GPS.GPSLatitude] = "N", (52.0, 31.0, 12.0)
    gps[ExifTags.GPS.GPSLongitudeRef], gps[ExifTags.GPS.GPSLongitude] = "E", (13.0, 24.0, 18.0)
    return picture("JPEG", exif=exif)


def read(folder: Path, name: str, data: bytes) -> ToolResult:
    (folder / name).write_bytes(data)
    return call(Read(), tool_context(folder), path=name)


def test_size_date_camera_and_place_are_told(tmp_path: Path) -> None:
    result = read(tmp_path, "IMG_1.jpg", from_a_camera())
    assert result.ok
    assert str(result.data["text"]).splitlines() == [
        "JPEG picture, 40 × 30 pixels",
        "taken: 2026-05-03 14:20:11",
        "camera: Canon EOS R5",
        "where: 52.52000 N, 13.40500 E",
        "(what is on it cannot be seen here)",
    ]
    assert result.taints  # whoever made the picture wrote these
    assert result.private


@pytest.mark.parametrize("kind", ["PNG", "GIF", "BMP", "WEBP", "TIFF", "JPEG"])
def test_the_usual_kinds_are_known_by_their_beginning(kind: str, tmp_path: Path) -> None:
    result = read(tmp_path, "any name.txt", picture(kind, (7, 5)))
    assert str(result.data["text"]).startswith(f"{kind} picture, 7 × 5 pixels")


def test_a_text_that_begins_like_a_bitmap_is_a_text(tmp_path: Path) -> None:
    assert document_kind("a.txt", b"BMW and Audi: a comparison of both") is None
    assert read(tmp_path, "a.txt", b"BM").data["text"] == "BM"


def test_a_picture_of_enormous_size_costs_nothing(tmp_path: Path) -> None:
    data = bytearray(picture("BMP"))
    data[18:26] = (1_000_000).to_bytes(4, "little") * 2
    assert "1000000 × 1000000" in str(read(tmp_path, "big.bmp", bytes(data)).data["text"])


def test_a_damaged_picture_is_told(tmp_path: Path) -> None:
    result = read(tmp_path, "a.png", picture("PNG")[:12])
    assert not result.ok
    assert "damaged" in str(result.data["error"])


@given(st.binary(max_size=200), st.sampled_from([b"\xff\xd8\xff", b"II*\x00", b"GIF89a", b"BM"]))
@settings(max_examples=100, deadline=None)
def test_noise_is_a_picture_or_refused(noise: bytes, beginning: bytes) -> None:
    with contextlib.suppress(NoText):
        assert "picture" in text_of(beginning + noise, DocumentKind.PICTURE)
