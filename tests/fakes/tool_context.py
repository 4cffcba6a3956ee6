"""What a tool is called with, for tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import Tool, ToolContext, ToolInput, ToolResult


@dataclass
class FakeCancel:
    """Implements `sdk.tools.CancelToken`; a test sets it."""

    cancelled: bool = False


def tool_context(
    workspace: Path = Path("/nowhere"),
    language: Language = Language.ENGLISH,
    *,
    allowed: tuple[Path, ...] = (),
    cancel: FakeCancel | None = None,
) -> ToolContext:
    return ToolContext(
        run_id=RunId("run"),
        session=SessionKey("agent:main:main"),
        workspace=workspace,
        user_text="",
        language=language,
        cancel=cancel or FakeCancel(),
        allowed_folders=allowed,
    )


def call(tool: Tool, context: ToolContext, **arguments: JsonValue) -> ToolResult:
    """Run `tool`; argument names that are Python words end with `_` ("from_")."""
    given = {name.rstrip("_"): value for name, value in arguments.items()}
    return tool.run(ToolInput(given), context)
