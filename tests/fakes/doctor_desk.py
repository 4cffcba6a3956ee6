"""A doctor on findings that a test lays down."""

from __future__ import annotations

from moltbot_desktop.core.errors import MoltbotError, ToolError
from moltbot_desktop.sdk.audit import Finding, Repair


class FakeDoctorDesk:
    """A finding that is mended is gone.

    Attributes:
        mended: what was carried out.
        refusal: raised instead of looking or mending, None for nothing.
    """

    def __init__(self, *findings: Finding) -> None:
        self.findings = list(findings)
        self.mended: list[Repair] = []
        self.refusal: MoltbotError | None = None

    def examine(self) -> tuple[Finding, ...]:
        if self.refusal is not None:
            raise self.refusal
        return tuple(self.findings)

    def mend(self, repair: Repair) -> None:
        if self.refusal is not None:
            raise self.refusal
        if not any(one.repair == repair for one in self.findings):
            raise ToolError("Nothing proposes that.")
        self.mended.append(repair)
        self.findings = [one for one in self.findings if one.repair != repair]
