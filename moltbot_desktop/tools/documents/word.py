"""The text of a Word document. The home of `mammoth`: it gives HTML with headings, lists and
tables, small and pure Python; python-docx would bring lxml, twenty times the size, and give less.
"""

from __future__ import annotations

import io

import mammoth

from moltbot_desktop.tools.documents.archive import checked_archive
from moltbot_desktop.tools.documents.page import page_text


def word_text(data: bytes) -> str:
    """Its headings, paragraphs, lists and tables as Markdown; pictures are left out.

    Raises:
        NoText: it is damaged.
    """
    checked_archive(data, "word/document.xml")
    made = mammoth.convert_to_html(
        io.BytesIO(data), convert_image=mammoth.images.img_element(lambda _image: {})
    )
    return page_text(f"<body>{made.value}</body>")
