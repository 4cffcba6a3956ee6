"""What a picture file says about itself: kind, size, and what the camera wrote into it.

    picture_text(data)      # "JPEG picture, 4032 × 3024 pixels\ntaken: 2026-05-03 14:20:11\n…"

Nobody here can see what is on it. Only the beginning is read; the picture is never decoded, so its
size costs nothing.
"""

from __future__ import annotations

import contextlib
import io
import re
import struct
import warnings
from collections.abc import Mapping

from PIL import ExifTags, Image

from moltbot_desktop.tools.documents.trouble import NoText, Trouble

_LONGEST_VALUE = 100
_WHEN = re.compile(r"(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)")
_BROKEN = (OSError, ValueError, SyntaxError, KeyError, TypeError, struct.error, EOFError)
"""What Pillow raises over damaged files, as its readers find them."""
_UNREADABLE = re.compile(r"[^\x20-\x7e\u00a0-\ud7ff\ue000-\ufffd]")


def picture_text(data: bytes) -> str:
    """Lines about a picture.

    Raises:
        NoText: it is none, or a damaged one.
    """
    Image.MAX_IMAGE_PIXELS = None  # nothing is decoded
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about damaged parts, which are left out
        try:
            with Image.open(io.BytesIO(data)) as image:
                width, height = image.size
                lines = [f"{image.format} picture, {width} × {height} pixels"]
                with contextlib.suppress(*_BROKEN):
                    lines += _from_the_camera(image.getexif())
        except _BROKEN as error:
            raise NoText(Trouble.DAMAGED) from error
    return "\n".join((*lines, "(what is on it cannot be seen here)"))


def _from_the_camera(exif: Image.Exif) -> list[str]:
    inside = exif.get_ifd(ExifTags.IFD.Exif)
    taken = _value(inside, ExifTags.Base.DateTimeOriginal) or _value(exif, ExifTags.Base.DateTime)
    camera = [_value(exif, one) for one in (ExifTags.Base.Make, ExifTags.Base.Model)]
    place = _place(exif.get_ifd(ExifTags.IFD.GPSInfo))
    told = {
        "taken": _WHEN.sub(r"\1-\2-\3 \4", taken),
        "camera": " ".join(one for one in camera if one),
        "where": place,
    }
    return [f"{name}: {value}" for name, value in told.items() if value]


def _value(tags: Mapping[int, object], tag: int) -> str:
    value = tags.get(tag)
    text = _UNREADABLE.sub("", value).strip() if isinstance(value, str) else ""
    return text[:_LONGEST_VALUE]


def _place(gps: Mapping[int, object]) -> str:
    """ "52.52000 N, 13.40500 E"; "" for none that makes sense."""
    found = []
    for side, where in (
        (ExifTags.GPS.GPSLatitudeRef, ExifTags.GPS.GPSLatitude),
        (ExifTags.GPS.GPSLongitudeRef, ExifTags.GPS.GPSLongitude),
    ):
        parts = gps.get(where)
        if not isinstance(parts, tuple) or len(parts) != 3:
            return ""
        try:
            degrees, minutes, seconds = map(float, parts)
        except (TypeError, ValueError, ZeroDivisionError):
            return ""
        found.append(f"{degrees + minutes / 60 + seconds / 3600:.5f} {_value(gps, side)}".strip())
    return ", ".join(found)
