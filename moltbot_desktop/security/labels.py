"""Labels of a conversation's content. They only rise and are cleared by a new session alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moltbot_desktop.security.sources import Source, joined_sources

StoredLabels = Mapping[str, bool | tuple[str, ...]]
"""Labels as a transcript keeps them: flags, and under `SOURCES` where the words came from."""

SOURCES = "sources"


@dataclass(frozen=True)
class Labels:
    """The join of everything in a context.

    Attributes:
        untrusted: content a stranger may have written is in the context.
        private: the owner's own data is in the context.
        sources: where untrusted content came from, the first few and the last; for the card.
    """

    untrusted: bool = False
    private: bool = False
    sources: tuple[Source, ...] = ()

    def joined(self, other: Labels) -> Labels:
        return Labels(
            self.untrusted or other.untrusted,
            self.private or other.private,
            joined_sources(self.sources, other.sources),
        )

    def as_mapping(self) -> StoredLabels:
        """The form in which a transcript keeps them."""
        flags: StoredLabels = {"untrusted": self.untrusted, "private": self.private}
        if not self.sources:
            return flags
        return {**flags, SOURCES: tuple(one.stored for one in self.sources)}

    @staticmethod
    def from_mapping(stored: StoredLabels) -> Labels:
        """Read back; an unknown or missing label counts as the stricter value once any is stored.

        An empty mapping is a session that never stored labels: clean.
        """
        if not stored:
            return Labels()
        named = stored.get(SOURCES, ())
        sources = map(Source.of_stored, named) if isinstance(named, tuple) else ()
        return Labels(
            bool(stored.get("untrusted", True)),
            bool(stored.get("private", True)),
            joined_sources((), tuple(sources)),
        )


def joined_stored(before: StoredLabels, more: StoredLabels) -> StoredLabels:
    """The join of labels as they are stored: what was true once stays true."""
    flags = {
        name: bool(value) or bool(before.get(name, False))
        for name, value in more.items()
        if name != SOURCES
    }
    joined: dict[str, bool | tuple[str, ...]] = {**before, **flags}
    named = [some for one in (before, more) if isinstance(some := one.get(SOURCES), tuple)]
    if named:
        sources = (Source.of_stored(text) for some in named for text in some)
        joined[SOURCES] = tuple(one.stored for one in joined_sources((), tuple(sources)))
    return joined
