"""Files that an answer on a channel names, taken along with it.

    The plot:                 ->   "The plot:", and behind it the file
    MEDIA: plots/tea.png

    note, files = await AnswerFiles(outgoing, workspace_of, gate).of(words, target)

What a model writes is no order: with words of others in the conversation the owner is asked, with
the names and sizes on the card, and where nobody can be asked no file goes. The copies are made
before the card is shown, so that what it names is what is sent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.outgoing_files import MOST_FILES, OutgoingFiles
from moltbot_desktop.gateway.reply_gate import PHRASES, ReplyGate, Words
from moltbot_desktop.gateway.reply_text import without_files
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget
from moltbot_desktop.sdk.outbox import FileOut, shown_size


@dataclass(frozen=True)
class AnswerFiles:
    """Lives on the agent's event loop.

    Attributes:
        workspace: of the agent that a conversation belongs to.
    """

    outgoing: OutgoingFiles
    workspace: Callable[[SessionKey], Path]
    gate: ReplyGate

    def named_in(self, words: Words) -> bool:
        """Whether there is anything to ask about."""
        return words.session is not None and bool(without_files(words.text)[1])

    async def of(self, words: Words, target: DeliveryTarget) -> tuple[str, tuple[Attachment, ...]]:
        """What is said of files that do not go, "" for nothing, and copies of those that do."""
        paths = dict.fromkeys(without_files(words.text)[1])
        if not paths or words.session is None:
            return "", ()
        workspace = self.workspace(words.session)
        kept: list[Attachment] = []
        said: list[str] = []
        for path in tuple(paths)[:MOST_FILES]:
            try:
                file = FileOut(workspace, path)
                kept.append(await self.outgoing.keep(file, target, words.language))
            except MoltbotError as error:
                said.append(f"({error.message})")
        names = [f"“{one.name}” ({shown_size(one.path.stat().st_size)})" for one in kept]
        if kept and not await self.gate.files_may_go(words, names):
            said.append(PHRASES.say("files_kept_back", words.language))
            kept = []
        return "\n".join(said), tuple(kept)
