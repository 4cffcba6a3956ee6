"""Where the database is; a value of its own, because LanceDB takes seconds to load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Place:
    """Where the database is.

    Attributes:
        uri: a folder, absolute, or an address with a scheme.
        key, region: of LanceDB Cloud.
        options: of a storage service.
    """

    uri: str
    key: str = field(default="", repr=False)
    region: str = ""
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def is_cloud(self) -> bool:
        return self.uri.startswith("db://")

    @property
    def host(self) -> str:
        """What is told of where the words go: the bucket or database, for there is no other name
        that the library would say."""
        return self.uri.partition("://")[2].partition("/")[0]

    @property
    def is_remote(self) -> bool:
        """Whether it is on another computer."""
        return "://" in self.uri
