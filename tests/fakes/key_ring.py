"""A key ring in memory, as the `keyring` package would give one."""

from __future__ import annotations

from dataclasses import dataclass, field

from keyring.errors import PasswordDeleteError


@dataclass
class MemoryKeyRing:
    """Holds secrets in `kept`, by service and name; raises `trouble` where it is set."""

    kept: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)
    trouble: Exception | None = None
    priority: float = 5

    def get_password(self, service: str, name: str) -> str | None:
        self._check()
        return self.kept.get((service, name))

    def set_password(self, service: str, name: str, value: str) -> None:
        self._check()
        self.kept[service, name] = value

    def delete_password(self, service: str, name: str) -> None:
        self._check()
        if (service, name) not in self.kept:
            raise PasswordDeleteError("not found")
        del self.kept[service, name]

    def _check(self) -> None:
        if self.trouble is not None:
            raise self.trouble
