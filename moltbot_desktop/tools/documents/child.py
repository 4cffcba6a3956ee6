"""The process that reads one document: bytes come in on stdin, one JSON object goes out.

    python -m moltbot_desktop.tools.documents.child pdf < offer.pdf     # {"text": "[page 1]..."}

Whatever the libraries raise ends it with a traceback and exit code 1, which means "damaged".
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Sequence

from moltbot_desktop.models.worker.channel import claim_stdout
from moltbot_desktop.models.worker.command import settle_child
from moltbot_desktop.tools.decoding import decode
from moltbot_desktop.tools.documents.kinds import DocumentKind
from moltbot_desktop.tools.documents.page import page_text
from moltbot_desktop.tools.documents.trouble import NoText, Trouble

if sys.platform != "win32":
    import resource

_MEMORY = 1_500 * 2**20
_MOST_CHARACTERS = 10_000_000


def text_of(data: bytes, kind: DocumentKind) -> str:
    """The text of a document, in this process.

    Raises:
        NoText: it has none that can be read.
    """
    # Late: a process reads one document, and each library takes long to load.
    if kind is DocumentKind.PDF:
        from moltbot_desktop.tools.documents.pdf import pdf_text  # noqa: PLC0415

        text = pdf_text(data)
    elif kind is DocumentKind.WORD:
        from moltbot_desktop.tools.documents.word import word_text  # noqa: PLC0415

        text = word_text(data)
    elif kind is DocumentKind.SHEET:
        from moltbot_desktop.tools.documents.sheet import sheet_text  # noqa: PLC0415

        text = sheet_text(data)
    elif kind is DocumentKind.PICTURE:
        from moltbot_desktop.tools.documents.picture import picture_text  # noqa: PLC0415

        text = picture_text(data)
    elif kind is DocumentKind.WEB:
        from moltbot_desktop.tools.documents.web_page import web_markdown  # noqa: PLC0415

        text = web_markdown(data.decode("utf-8", "replace"))
    else:
        html = decode(data)
        if html is None:
            raise NoText(Trouble.DAMAGED)
        text = page_text(html)
    # Half a surrogate could be neither shown nor sent to a model.
    return text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode()


def main(arguments: Sequence[str]) -> int:
    """Read stdin as the kind that `arguments` name."""
    answers = claim_stdout()  # a library that prints must not spoil the answer
    settle_child()
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    logging.disable()
    try:
        answer = {"text": text_of(sys.stdin.buffer.read(), DocumentKind(arguments[0]))}
    except NoText as none:
        answer = {"trouble": none.trouble.value}
    with os.fdopen(answers, "wb") as pipe:
        pipe.write(json.dumps(answer).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
