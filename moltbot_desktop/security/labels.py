"""Labels of a conversation's content. They only rise and are cleared by a new session alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Labels:
    """The join of everything in a context.

    Attributes:
        untrusted: content a stranger may have written is in the context.
        private: the owner's own data is in the context.
    """

    untrusted: bool = False
    private: bool = False

    def joined(self, other: Labels) -> Labels:
        return Labels(self.untrusted or other.untrusted, self.private or other.private)

    def as_mapping(self) -> Mapping[str, bool]:
        """The form in which a transcript keeps them."""
        return {"untrusted": self.untrusted, "private": self.private}

    @staticmethod
    def from_mapping(stored: Mapping[str, bool]) -> Labels:
        """Read back; an unknown or missing label counts as the stricter value once any is stored.

        An empty mapping is a session that never stored labels: clean.
        """
        if not stored:
            return Labels()
        return Labels(bool(stored.get("untrusted", True)), bool(stored.get("private", True)))
