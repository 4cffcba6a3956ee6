"""The frozen part of a new session's prompt: persona, skills, and the workspace's own files.

    prompts = WorkspacePrompt(sources)
    await prompts.prepare(session)      # handlers of agent:bootstrap may change the files
    segments = prompts.frozen(session)  # stays as it is until the session ends, or until
    prompts.mark(session)               # this is another: the list of skills has changed

Notes with a provenance mark were written while a stranger's text was in the conversation. They are
left out: the model may look for them, and the conversation is labelled then.

Every run asks whether the files hold something private, and they change seldom: what is known of
them holds while each is the file it was (`_Look`). Their words are not kept for that, so nothing
of a note that is forgotten stays here.
"""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.agent.bootstrap import (
    Audience,
    audience_of,
    bootstrap_segments,
    files_for,
    is_memory,
    is_private,
    is_room,
)
from moltbot_desktop.agent.prompt import PromptSegment, Stability
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.agent_list import IdentityConfig
from moltbot_desktop.config.watch import InThread
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.ids import SessionId, SessionKey
from moltbot_desktop.memory.notes import read_fact, read_note, split_mark, struck_until
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.sdk.internal_hooks import AGENT_BOOTSTRAP, InternalEvent
from moltbot_desktop.sdk.memory import MemoryEngine
from moltbot_desktop.security.paths import open_to_read, resolve_inside
from moltbot_desktop.sessions.store import Session
from moltbot_desktop.skills.discovery import Skill
from moltbot_desktop.skills.index import (
    SkillSection,
    skills_characters,
    skills_mark,
    skills_section,
)

_MOST_BYTES = 1_000_000
_MOST_PREPARED = 32
_WINDOW_UNKNOWN = 8_192
"""Tokens that are taken for the window until a model is loaded."""
_SETTLED_SECONDS = 2.0
"""A file that was written less than that ago may be written again with the same size and time."""


@dataclass(frozen=True)
class PromptSources:
    """What prompts are made of.

    Attributes:
        window: tokens of the loaded model's window, 0 while none is.
        most_characters: of one of the workspace's files.
        skills: those that a conversation may use now; may read files.
        in_thread: calls that on a worker thread.
        identity: who the agent is, a line; "" for nobody in particular.
        skills_still: the same skills where they are known without a look at the files, else None.
            A round trip to a worker thread for each run halved the messages a second.
    """

    paths: Paths
    workspace: Path
    memory: MemoryEngine
    clock: Clock
    hooks: InternalHooks
    window: Callable[[], int]
    most_characters: int
    skills: Callable[[SessionKey], Sequence[Skill]]
    in_thread: InThread
    identity: Callable[[], str] = str
    skills_still: Callable[[SessionKey], Sequence[Skill] | None] = lambda _: None


@dataclass(frozen=True)
class _Look:
    """What was seen of the files without opening them.

    Attributes:
        window: of which the files have a share.
        files: each one's name with device, inode, size and times; the bare name where none is.
    """

    window: int
    files: tuple[tuple[str | int, ...], ...]


@dataclass(frozen=True)
class _Listed:
    """What a run of a conversation may use, and whether its prompt has no room for all of it."""

    usable: Sequence[Skill]
    leaves_out: bool


class WorkspacePrompt:
    """Makes the frozen segments of sessions."""

    def __init__(self, sources: PromptSources) -> None:
        self._sources = sources
        self._changes: OrderedDict[SessionId, dict[str, str]] = OrderedDict()
        self._known: dict[Audience, tuple[_Look, bool]] = {}
        self._listed: OrderedDict[SessionKey, _Listed] = OrderedDict()
        self._marked: tuple[Sequence[Skill], str] = ((), "")
        self._section: tuple[Sequence[Skill], int, SkillSection] = ((), 0, SkillSection())

    async def prepare(self, session: Session) -> bool:
        """Let handlers of agent:bootstrap change the files. Returns whether something private of
        the owner's is among them. Which skills are listed is decided here, for the whole run."""
        if audience_of(session.key) is not Audience.SUBAGENT:
            await self._look_at_skills(session.key)
        if self._sources.hooks.listens(AGENT_BOOTSTRAP):
            files = self._files(session.key)
            self._changes[session.session_id] = await self._changed(session, files)
            while len(self._changes) > _MOST_PREPARED:
                self._changes.popitem(last=False)
            return is_private(self._segments(self._with_changes(session, files)))
        audience = audience_of(session.key)
        look = self._look(audience)
        known = self._known.get(audience)
        if look is not None and known is not None and known[0] == look:
            return known[1]
        private = is_private(self._segments(self._files(session.key)))
        if look is not None:
            self._known[audience] = (look, private)
        return private

    def mark(self, session: Session) -> str:
        """Another text when the frozen segments are to be made anew: what they list has changed
        since. The rest of them stays as it was when the session began only until then; what
        follows the list in the prompt has to be read anew by the model anyhow."""
        listed = self._listed.get(session.key)
        skills = listed.usable if listed is not None else ()
        if skills != self._marked[0]:
            self._marked = skills, skills_mark(skills)
        return self._marked[1]

    def leaves_skills_out(self, key: SessionKey) -> bool:
        """Whether there are skills that the conversation's last prompt had no room to list."""
        listed = self._listed.get(key)
        return listed is not None and listed.leaves_out

    def frozen(self, session: Session) -> Sequence[PromptSegment]:
        """The segments for `session`, from the files as they are now and what handlers changed."""
        files = self._with_changes(session, self._files(session.key))
        return (*self._program(session), *self._segments(files))

    async def _changed(self, session: Session, files: Mapping[str, str]) -> dict[str, str]:
        """What is different after the handlers. Only that is kept: the rest is read again, so
        that nothing of a note that is forgotten meanwhile stays here."""
        sources = self._sources
        event = InternalEvent(
            AGENT_BOOTSTRAP,
            session.key,
            sources.clock.now(),
            sources.workspace,
            sources.paths.home,
            session_id=session.session_id,
            files=dict(files),
        )
        await sources.hooks.trigger(event)
        names = {**files, **event.files}
        after = {name: str(event.files.get(name, "")) for name in names}
        return {name: text for name, text in after.items() if files.get(name, "") != text}

    def _with_changes(self, session: Session, files: Mapping[str, str]) -> Mapping[str, str]:
        return {**files, **self._changes.get(session.session_id, {})}

    def _segments(self, files: Mapping[str, str]) -> Sequence[PromptSegment]:
        window = self._sources.window() or _WINDOW_UNKNOWN
        most = self._sources.most_characters
        return bootstrap_segments(files, window=window, most_characters=most)

    def _program(self, session: Session) -> Sequence[PromptSegment]:
        key = session.key
        texts = {"persona": self._resource("persona.md"), "identity": self._sources.identity()}
        if is_room(key):
            texts["group"] = self._resource("group.md")
        if audience_of(key) is Audience.SUBAGENT:
            texts["helper"] = self._resource("helper.md")
        else:
            listed = self._listed.get(key)
            usable = listed.usable if listed is not None else self._sources.skills(key)
            texts["skills"] = self._skills(usable).text
        return [PromptSegment(name, text, Stability.FROZEN) for name, text in texts.items() if text]

    def _resource(self, name: str) -> str:
        return (self._sources.paths.resources / "prompts" / name).read_text(encoding="utf-8")

    async def _look_at_skills(self, key: SessionKey) -> None:
        usable = self._sources.skills_still(key)
        if usable is None:
            usable = await self._sources.in_thread(lambda: self._sources.skills(key))
        self._listed[key] = _Listed(usable, self._skills(usable).left_out > 0)
        self._listed.move_to_end(key)
        while len(self._listed) > _MOST_PREPARED:
            self._listed.popitem(last=False)

    def _skills(self, skills: Sequence[Skill]) -> SkillSection:
        window = self._sources.window() or _WINDOW_UNKNOWN
        if self._section[0] != skills or self._section[1] != window:
            most, user_home = skills_characters(window), self._sources.paths.user_home
            made = skills_section(skills, max_characters=most, user_home=user_home)
            self._section = skills, window, made
        return self._section[2]

    def _look(self, audience: Audience) -> _Look | None:
        """None where looking is not enough: links, or something that is being written."""
        now, folder = self._sources.clock.now(), str(self._sources.workspace)
        settled = now.timestamp() - _SETTLED_SECONDS
        found: list[tuple[str | int, ...]] = []
        for name in files_for(audience, now.date()):
            try:
                seen = os.lstat(f"{folder}/{name}")
            except OSError:
                found.append((name,))
                continue
            if not stat.S_ISREG(seen.st_mode) or max(seen.st_mtime, seen.st_ctime) > settled:
                return None
            times = seen.st_mtime_ns, seen.st_ctime_ns
            found.append((name, seen.st_dev, seen.st_ino, seen.st_size, *times))
        return _Look(self._sources.window(), tuple(found))

    def _files(self, key: SessionKey) -> dict[str, str]:
        names = files_for(audience_of(key), self._sources.clock.now().date())
        return {name: self._text(name) for name in names}

    def _text(self, name: str) -> str:
        """ "" for a file that is missing or cannot be read: the prompt goes without it."""
        workspace = self._sources.workspace
        try:
            if is_memory(name):
                return _own_and_true(self._sources.memory.get(name).text)
            with open_to_read(resolve_inside(workspace, name), (workspace,)) as file:
                return file.read(_MOST_BYTES).decode("utf-8", "replace")
        except (MoltbotError, OSError):
            return ""


def identity_line(identity: IdentityConfig) -> str:
    """``Here your name is Fern 🌿. What you are like: dry and brief.``; "" where nothing is set."""
    called = " ".join(filter(None, (identity.name, identity.emoji)))
    said = [f"Here your name is {called}." if called else ""]
    said.append(f"What you are like: {identity.theme}." if identity.theme else "")
    return " ".join(filter(None, said))


def _own_and_true(text: str) -> str:
    """A memory file without marked notes and without what holds no longer."""
    lines = text.strip().split("\n")
    kept: list[str] = []
    at = 0
    while at < len(lines):
        note = read_note(lines, at)
        end = note.end if note else at + 1
        marked = note.mark if note else split_mark(lines[at])[1]
        if not marked and not struck_until(read_fact(lines[at])[0]):
            kept += lines[at:end]
        at = end
    return "\n".join(kept)
