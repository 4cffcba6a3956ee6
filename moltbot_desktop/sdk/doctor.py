"""What the window asks of the doctor: what is not well, and to mend it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from moltbot_desktop.sdk.audit import Finding, Repair


class DoctorDesk(Protocol):
    """Blocks for about a second; not for the main thread."""

    def examine(self) -> Sequence[Finding]:
        """The worst first; changes nothing."""
        ...

    def mend(self, repair: Repair) -> None:
        """Carry out what a finding proposes; the owner has said yes.

        Raises:
            MoltbotError: it could not be done.
        """
        ...
