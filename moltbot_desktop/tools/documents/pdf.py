"""The text of a PDF, page by page. The home of `pypdf`: pure Python, BSD, long kept; PDFium reads
a little better and weighs ten times as much."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pypdf
from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

from moltbot_desktop.tools.documents.trouble import NoText, Trouble


def pdf_text(data: bytes) -> str:
    """Each page's text below a line ``[page 3]``.

    Raises:
        NoText: it is locked, damaged, or holds pictures alone.
    """
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise NoText(Trouble.LOCKED)
        pages = list(_pages(reader))
    except (DependencyError, FileNotDecryptedError) as error:
        raise NoText(Trouble.LOCKED) from error
    except PyPdfError as error:
        raise NoText(Trouble.DAMAGED) from error
    if not any(pages):
        raise NoText(Trouble.PICTURES)
    return "\n".join(f"[page {number}]\n{text}" for number, text in enumerate(pages, start=1))


def _pages(reader: pypdf.PdfReader) -> Iterator[str]:
    for page in reader.pages:
        yield page.extract_text().strip()
