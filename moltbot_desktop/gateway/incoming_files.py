"""Files that came with a message, fetched into the workspace of the agent that answers it.

    files = IncomingFiles(actions, workspace_of, most=lambda: 5_000_000, new_id=new_id)
    await files.lines(envelope, session_key, language)
    # ("[media attached: media/inbound/3f2a-plan.pdf (application/pdf)]",)

They are fetched when it is decided that an agent answers, so nothing of a stranger's is loaded. A
file that cannot be had is named with the reason, and the message is answered all the same. Old ones
make room (`media_room`).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelError, MoltbotError, StorageError
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.drafts import GetActions
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.media_room import tidy
from moltbot_desktop.gateway.mentions import shown_file
from moltbot_desktop.sdk.attachments import FOLDER, MOST_FILES, AttachedFile
from moltbot_desktop.sdk.channels import Envelope, RemoteFile

PHRASES = Phrases(
    english={
        "away": "the channel is not connected",
        "linked": "the folder for them leads out of the workspace",
    },
    chinese={"away": "渠道没有连接", "linked": "存放文件的文件夹指向工作区之外"},
)
_SAFE = re.compile(r"[^\w.-]+")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class IncomingFiles:
    """Attributes:
    workspace: of the agent that a conversation belongs to.
    most: bytes of one file.
    """

    actions: GetActions
    workspace: Callable[[SessionKey], Path]
    most: Callable[[], int]
    new_id: Callable[[], str]
    in_thread: InThread
    clock: Clock

    async def lines(
        self, envelope: Envelope, session: SessionKey, language: Language
    ) -> tuple[str, ...]:
        """A line for each file, for the agent to read."""
        said, came = [], []
        for file in envelope.files[:MOST_FILES]:
            try:
                name = await self._fetched(envelope, file, session, language)
                came.append(name)
                place = "/".join((*FOLDER, name))
                said.append(AttachedFile(place, shown_file(file.media_type)).line)
            except MoltbotError as error:
                _log.info("a file is left out: %s", error)
                said.append(f"[media not loaded: {shown_file(file.name)}: {error.message}]")
        if came:
            await self._tidied(self.workspace(session).joinpath(*FOLDER), came)
        return tuple(said)

    async def _tidied(self, folder: Path, came: Collection[str]) -> None:
        try:
            await self.in_thread(lambda: tidy(folder, self.clock.now(), came))
        except StorageError as error:
            _log.warning("old files that came over channels stay: %s", error)

    async def _fetched(
        self, envelope: Envelope, file: RemoteFile, session: SessionKey, language: Language
    ) -> str:
        actions = self.actions(envelope.channel, envelope.account)
        if actions is None:
            raise ChannelError(PHRASES.say("away", language))
        name = f"{self.new_id()[:8]}-{safe_name(file.name)}"
        folder = _folder(self.workspace(session), language)
        await actions.fetch(file, folder / name, self.most())
        return name


def safe_name(name: str) -> str:
    """The last part of a name that somebody else has chosen, as a file may be called."""
    last = re.split(r"[/\\]", name)[-1]
    return _SAFE.sub("_", last).strip("._")[-80:] or "file"


def _folder(workspace: Path, language: Language) -> Path:
    folder = workspace.joinpath(*FOLDER)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        inside = folder.resolve().is_relative_to(workspace.resolve())
    except OSError as error:
        raise ChannelError(f"{error.strerror or error}") from error
    if not inside:
        raise ChannelError(PHRASES.say("linked", language))
    return folder
