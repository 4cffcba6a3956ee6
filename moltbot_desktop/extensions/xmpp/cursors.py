"""Where to read on in several archives, as the one cursor that an account has; pure.

cursors = Cursors.parsed(account.cursor)
cursors = cursors.moved("molty@example.org", "a-17")
cursors.text                                # to be kept with the message
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class Cursors:
    """`last`: id of the last message that was kept, by the archive's owner."""

    last: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def parsed(cls, text: str) -> Cursors:
        """Nothing known where `text` is none of ours."""
        try:
            found = json.loads(text or "{}")
        except ValueError:
            return cls()
        if not isinstance(found, dict):
            return cls()
        good = {key: value for key, value in found.items() if isinstance(value, str) and value}
        return cls(MappingProxyType(good))

    def moved(self, owner: str, archive_id: str) -> Cursors:
        """With the last message of one archive; as it is when that has no id."""
        if not archive_id:
            return self
        return Cursors(MappingProxyType({**self.last, owner: archive_id}))

    @property
    def text(self) -> str:
        return json.dumps(dict(self.last), ensure_ascii=False) if self.last else ""
