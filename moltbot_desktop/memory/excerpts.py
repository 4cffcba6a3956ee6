"""Some lines of a source, with the provenance of what they say."""

from __future__ import annotations

from moltbot_desktop.memory.notes import split_origin
from moltbot_desktop.memory.sources import Sources, is_conversation
from moltbot_desktop.memory.units import cut_units
from moltbot_desktop.sdk.memory import MemoryExcerpt


def excerpt(sources: Sources, path: str, start_line: int, lines: int) -> MemoryExcerpt:
    """As `sdk.memory.MemoryEngine.get`; a conversation is shown as lines of what was said.

    Raises:
        PathRefused: no source.
        StorageError: it cannot be read.
    """
    name = sources.find(path)
    if is_conversation(name):
        spoken = sources.spoken(name)
        text = [line.text for line in spoken] or [""]
        marked = [(number, number, line.mark) for number, line in enumerate(spoken, start=1)]
    else:
        text = sources.text(name).text.removesuffix("\n").split("\n")
        units = cut_units("\n".join(text))
        marked = [(unit.start_line, unit.end_line, unit.mark) for unit in units]
    first = min(max(1, start_line), len(text))
    last = first - 1 + lines if lines > 0 else len(text)
    marks = {
        mark: None  # a dict keeps their order
        for start, end, mark in marked
        if mark and start <= last and first <= end
    }
    # Where the owner said it is for the person who opens the file, not for the conversation.
    shown = "\n".join(split_origin(line)[0] for line in text[first - 1 : last])
    return MemoryExcerpt(name, shown, first, len(text), mark=", ".join(marks))
