"""What goes along with every answer of the page's server, and what a picture is known by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


@dataclass(frozen=True)
class Served:
    """A file of the page; `type` is its content type."""

    body: bytes
    type: str


def headers(port: int) -> Mapping[str, str]:
    """Nothing is loaded from elsewhere, nothing runs that is no file of ours, no page holds this
    one in a frame, and nothing of it is kept. ``require-trusted-types-for`` makes the browser
    refuse any script of ours that would have it read text as HTML."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        f" connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}; base-uri 'none';"
        " form-action 'none'; frame-ancestors 'none';"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
        "Cache-Control": "no-store",
        "Server": "Moltbot",
    }


def picture_type(path: Path) -> str:
    """The type of a picture that may be shown on the page, by what the file begins with; "" for
    anything else, which is only saved."""
    try:
        with path.open("rb") as file:
            start = file.read(12)
    except OSError:
        return ""
    if start[:4] == b"RIFF" and start[8:] == b"WEBP":
        return "image/webp"
    return next((kind for sign, kind in _PICTURES if start.startswith(sign)), "")


def page_files(folder: Path) -> Mapping[str, Served]:
    """The page's own files, by the path that they are asked for under."""
    kinds = {
        "page.html": "text/html; charset=utf-8",
        "page.css": "text/css; charset=utf-8",
        "page.js": "text/javascript; charset=utf-8",
        "drawing.js": "text/javascript; charset=utf-8",
        "keys.js": "text/javascript; charset=utf-8",
        "words.js": "text/javascript; charset=utf-8",
        "icon.svg": "image/svg+xml",
    }
    served = {
        f"/{name}": Served((folder / name).read_bytes(), kind) for name, kind in kinds.items()
    }
    served["/"] = served.pop("/page.html")
    return served
