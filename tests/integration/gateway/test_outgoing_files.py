"""Files on their way out: what may go, that it is the file of the yes, and what is left behind."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ChannelRefused, MoltbotError, PathRefused, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.gateway.outgoing_files import YOUNG_SECONDS, OutgoingFiles, behind
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget, OutboundMessage, Peer, PeerKind
from moltbot_desktop.sdk.outbox import FileOut
from moltbot_desktop.sdk.tools import Effect, ToolInput
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.tools.message import Message
from tests.fakes.mail import NOON, ScriptedChannel, counting
from tests.fakes.tool_context import tool_context
from tests.integration.gateway.test_postman import running, until

T = TypeVar("T")
ADA = DeliveryTarget("pipe", peer=Peer(PeerKind.DM, "7"))


async def at_once(call: Callable[[], T]) -> T:
    return call()


def outgoing(
    home: Path, most: int | None = 1_000, clock: ManualClock | None = None
) -> OutgoingFiles:
    (home / "workspace" / "plots").mkdir(parents=True, exist_ok=True)
    return OutgoingFiles(
        home / "media" / "outbound",
        lambda workspace: Surroundings(workspace, home, home.parent),
        lambda _: most,
        at_once,
        counting("copy"),
        clock or ManualClock(NOON),
        Language.ENGLISH,
    )


def kept(files: OutgoingFiles, home: Path, path: str, mark: str = "") -> Attachment:
    return asyncio.run(files.keep(FileOut(home / "workspace", path, mark), ADA))  # type: ignore[arg-type]


def test_a_copy_goes_whatever_becomes_of_the_file(tmp_path: Path) -> None:
    files, file = outgoing(tmp_path), tmp_path / "workspace" / "plots" / "tea 茶.png"
    file.write_bytes(b"plot")
    copy = kept(files, tmp_path, "plots/tea 茶.png")
    file.write_bytes(b"other")
    assert copy.path.read_bytes() == b"plot" and copy.media_type == "image/png"
    assert copy.path.parent == files.folder and "/" not in copy.name
    assert copy.path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("../mail.sqlite", PathRefused),
        ("/etc/passwd", PathRefused),
        ("MEMORY.md", PathRefused),
        ("memory/2026-03-01.md", PathRefused),
        ("link.txt", PathRefused),
        ("plots", MoltbotError),
        ("missing.png", UserInputInvalid),
        ("large.bin", ChannelRefused),
        ("pipe", MoltbotError),
    ],
)
def test_what_may_not_go(tmp_path: Path, path: str, error: type[Exception]) -> None:
    files, workspace = outgoing(tmp_path), tmp_path / "workspace"
    (workspace / "memory").mkdir()
    for name in ("MEMORY.md", "memory/2026-03-01.md"):
        (workspace / name).write_text("tea at four")
    (tmp_path / "secret.txt").write_text("secret")
    (workspace / "link.txt").symlink_to(tmp_path / "secret.txt")
    (workspace / "large.bin").write_bytes(bytes(1_001))
    os.mkfifo(workspace / "pipe")
    with pytest.raises(error):
        kept(files, tmp_path, path)
    assert not files.folder.exists() or not list(files.folder.iterdir())


def test_a_channel_without_files_says_so(tmp_path: Path) -> None:
    files = outgoing(tmp_path, most=0)
    with pytest.raises(ChannelRefused, match="pipe takes no files"):
        kept(files, tmp_path, "plots")


def message_call(**arguments: JsonValue) -> ToolInput:
    return ToolInput({"channel": "pipe", "target": "7", **arguments})


class Here:
    """Implements what `Message` asks of `sdk.outbox.Outbox` before the verdict."""

    def is_here(self, session: SessionKey, target: DeliveryTarget) -> bool:
        return target.peer is not None and target.peer.id == "7"


def test_the_card_is_about_the_very_file(tmp_path: Path) -> None:
    """What the file was when the card was made is what is sent, or nothing."""
    files, workspace = outgoing(tmp_path), tmp_path / "workspace"
    file = workspace / "plan.txt"
    file.write_text("harmless")
    tool = Message(lambda: Here())  # type: ignore[arg-type, return-value]
    given = message_call(path="plan.txt", message="the plan")
    seen = tool.foreseen(given, tool_context(workspace))
    assert "plan.txt" in seen.title and "the plan" in seen.title and "7 on pipe" in seen.title
    assert kept(files, tmp_path, "plan.txt", seen.mark).path.read_text() == "harmless"
    before = file.stat()
    file.write_text("harmful!")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(UserInputInvalid, match="not as it was"):
        kept(files, tmp_path, "plan.txt", seen.mark)
    missing = tool.foreseen(message_call(path="later.txt"), tool_context(workspace))
    (workspace / "later.txt").write_text("came after the yes")
    with pytest.raises(UserInputInvalid):
        kept(files, tmp_path, "later.txt", missing.mark)


@pytest.mark.parametrize(
    ("target", "path", "effect"),
    [
        ("7", "", Effect.REPLY),
        ("7", "plan.txt", Effect.SEND_FILE),
        ("8", "plan.txt", Effect.MESSAGE),
        ("group:7", "plan.txt", Effect.MESSAGE),
    ],
)
def test_a_file_has_a_row_of_its_own(
    tmp_path: Path, target: str, path: str, effect: Effect
) -> None:
    tool = Message(lambda: Here())  # type: ignore[arg-type, return-value]
    given = message_call(target=target, path=path, message="well")
    assert tool.effect_in(given, tool_context(tmp_path)) is effect


def test_a_file_waits_in_the_outbox_over_a_restart_and_its_copy_goes_after(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    files = outgoing(tmp_path, clock=clock)
    (tmp_path / "workspace" / "a.png").write_bytes(b"a")
    copy = kept(files, tmp_path, "a.png")
    os.utime(copy.path, (NOON.timestamp(), NOON.timestamp()))
    sent: list[OutboundMessage] = []

    class Noting(ScriptedChannel):
        async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
            sent.append(message)
            assert message.attachments[0].path.read_bytes() == b"a"
            return await super().send(message, idempotency_key)

    async def tidied(needed: Callable[[], Awaitable[tuple[Path, ...]]]) -> bool:
        await files.tidy(await needed())
        return copy.path.exists()

    async def scene() -> None:
        async with running(tmp_path) as post:  # its channel is away
            await post.desk.finish(RunId("r"), behind(ADA, [copy]))
            clock.advance(YOUNG_SECONDS + 1)
            assert await tidied(post.desk.attached)
        async with running(tmp_path, pipe=Noting()) as post:
            await until(lambda: bool(sent))
            assert sent[0].text == "" and sent[0].attachments == (copy,)
            async with asyncio.timeout(20):
                while await tidied(post.desk.attached):
                    await asyncio.sleep(0.005)

    asyncio.run(scene())
