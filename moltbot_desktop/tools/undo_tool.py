"""`undo`: what the assistant did to files in its last task is taken back, when somebody asks.

    {}                       the last task
    {"task": "20261121-143000-000001"}

Files that others changed since stay: to put them back all the same is for the person to say
(`/undo ID anyway`), never for a model. It names the files it will change, so that policy judges
each of their places as for any write.
"""

from __future__ import annotations

from pathlib import Path

from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.sdk.undo_words import undone_in_words
from moltbot_desktop.tools.replies import arguments, failure, text_argument
from moltbot_desktop.tools.undo import FileHands, NothingToUndo


class Undo:
    """Takes back what a task did to files."""

    def __init__(self, hands: FileHands) -> None:
        self._hands = hands

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "undo",
            "Undo the last task's changes to files.",
            arguments(task=text_argument("its id; the last one if left out")),
            Effect.FILE_WRITE,
            core=False,
            keywords="revert restore 撤销 恢复 还原 撤回",
        )

    def paths_in(self, given: ToolInput, workspace: Path) -> tuple[str, ...]:
        return self._hands.book(workspace).would_change(given.text("task"))

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        book = self._hands.book(context.workspace)
        task = given.text("task")
        try:
            undone = book.undo(task)
        except NothingToUndo as error:
            if task:
                return failure(str(error), in_words(error, context.language))
            return ToolResult({"ok": True, "restored": []}, in_words(error, context.language))
        data: dict[str, JsonValue] = {
            "ok": not (undone.changed_since or undone.lost),
            "restored": list(undone.paths),
        }
        if undone.changed_since:
            data["changed_since_left_alone"] = list(undone.changed_since)
        if undone.lost:
            data["lost"] = list(undone.lost)
        return ToolResult(data, undone_in_words(undone, context.language), private=True)
