"""The text of documents: PDF, Word, Excel, saved web pages.

    kind = document_kind("offer.pdf", data)             # DocumentKind.PDF
    text = DocumentReader().text_of(data, kind, cancel)  # "[page 1]\\nDear Ms Wang, ..."

A document is a stranger's program for a large parser, so it is read in a process of its own
(`child`) with a limit of memory and time: what breaks, hangs or blows up there costs that process.
`pdf`, `word`, `sheet` and `page` each know one kind; `reading` is our side of the pipes.
"""
