"""Files on their way out: copies, which stay until the channel has taken them.

    files = OutgoingFiles(folder, around, most, in_thread, new_id, language)
    kept = await files.keep(FileOut(workspace, "plots/tea.png", mark), target)   # an Attachment
    await files.tidy(await mail.attached())                                      # now and then

What the owner said yes to is what is sent: the file is opened once, is seen to be the one that was
judged, and is copied; whatever becomes of it later, the copy goes out, also after a restart. Only
files of the workspace are taken, and none that steers the assistant or holds its memory.
"""

from __future__ import annotations

import mimetypes
import os
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelRefused, PathRefused, UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.incoming_files import safe_name
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget, OutboundMessage
from moltbot_desktop.sdk.outbox import FileOut
from moltbot_desktop.security.paths import identity, open_to_read, resolve_inside
from moltbot_desktop.security.places import Surroundings, place_of
from moltbot_desktop.security.policy import Place
from moltbot_desktop.storage.files import disk_errors, make_private_dir

MOST_FILES = 10
"""Of one answer."""
YOUNG_SECONDS = 3600.0
"""A copy this young may belong to a message that is just being put into the outbox."""

PHRASES = Phrases(
    english={
        "none": "{channel} takes no files.",
        "too_large": "“{name}” is larger than {channel} takes ({most} MB).",
        "own": "“{name}” is a file that I keep for myself or for you; I send it nowhere.",
        "own_hint": "Copy what is to be sent into a file of its own.",
        "gone": "There is no file “{name}” in my workspace.",
        "gone_hint": "Look for its name with find_files.",
        "changed": "“{name}” is not as it was when the yes was given; it was not sent.",
        "changed_hint": "Ask again.",
    },
    chinese={
        "none": "{channel} 不接收文件。",
        "too_large": "“{name}”超过了 {channel} 能接收的大小（{most} MB）。",
        "own": "“{name}”是我为自己或为你保存的文件，不会发到任何地方。",
        "own_hint": "把要发送的内容复制到另一个文件里。",
        "gone": "工作区里没有“{name}”这个文件。",
        "gone_hint": "用 find_files 查一下文件名。",
        "changed": "“{name}”和同意时已经不一样了，所以没有发送。",
        "changed_hint": "请再问一次。",
    },
)


@dataclass(frozen=True)
class OutgoingFiles:
    """Lives on the agent's event loop.

    Attributes:
        folder: of the copies; made when needed.
        around: where the program's own things lie, for a workspace.
        most: bytes that a channel takes of one file, 0 for none; None where nobody says.
    """

    folder: Path
    around: Callable[[Path], Surroundings]
    most: Callable[[str], int | None]
    in_thread: InThread
    new_id: Callable[[], str]
    clock: Clock
    language: Language

    async def keep(
        self, file: FileOut, target: DeliveryTarget, language: Language | None = None
    ) -> Attachment:
        """A copy of `file` for `target`; what is wrong is said in `language`, else the owner's.

        Raises:
            PathRefused: it may not be sent.
            UserInputInvalid: it is not there, or not the one of its mark.
            ChannelRefused: the channel does not take it.
            StorageError: there is no place for the copy.
        """
        language = language or self.language
        most = self.most(target.channel)
        if most is not None and most <= 0:
            raise ChannelRefused(PHRASES.say("none", language, channel=target.channel))
        return await self.in_thread(lambda: self._copied(file, target.channel, most, language))

    async def tidy(self, needed: Collection[Path]) -> None:
        """Delete the copies that no message needs any more."""
        await self.in_thread(lambda: self._tidied(frozenset(needed)))

    def _copied(
        self, file: FileOut, channel: str, most: int | None, language: Language
    ) -> Attachment:
        shown = file.path[:80]

        def say(phrase: str, **slots: object) -> str:
            return PHRASES.say(phrase, language, **slots)

        path = resolve_inside(file.workspace, file.path)
        if place_of(file.path, self.around(file.workspace)) is not Place.WORKSPACE:
            raise PathRefused(say("own", name=shown), hint=say("own_hint"))
        name = safe_name(path.name)
        copy = self.folder / f"{self.new_id()[:8]}-{name}"
        with disk_errors(self.folder):
            make_private_dir(self.folder)
        try:
            with open_to_read(path, (file.workspace,)) as source:
                found = os.fstat(source.fileno())
                if file.mark and identity(found) != file.mark:
                    hint = say("changed_hint")
                    raise UserInputInvalid(say("changed", name=shown), hint=hint)
                if most is not None and found.st_size > most:
                    slots = {"name": name, "channel": channel, "most": f"{most / 1e6:.1f}"}
                    raise ChannelRefused(say("too_large", **slots))
                with disk_errors(copy), os.fdopen(_new(copy), "wb") as kept:
                    shutil.copyfileobj(source, kept)
                    kept.flush()
                    os.fsync(kept.fileno())
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError):
            hint = say("gone_hint")
            raise UserInputInvalid(say("gone", name=shown), hint=hint) from None
        return Attachment(copy, name, mimetypes.guess_type(name)[0] or "")

    def _tidied(self, needed: frozenset[Path]) -> None:
        oldest = self.clock.now().timestamp() - YOUNG_SECONDS
        with disk_errors(self.folder):
            for copy in self.folder.iterdir() if self.folder.is_dir() else ():
                if copy not in needed and copy.lstat().st_mtime < oldest:
                    copy.unlink(missing_ok=True)


def behind(target: DeliveryTarget, files: Sequence[Attachment]) -> tuple[OutboundMessage, ...]:
    """Each file as a message of its own, without words: so no draft, no cutting and no markup has
    anything to do with it, and one that is refused costs no word."""
    return tuple(OutboundMessage(target, "", attachments=(one,)) for one in files)


def _new(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
