"""`moltbot-desktop sessions`: past conversations in the shell.

sessions list                      3f2a91c0  2026-11-22 09:15  12  Trip to Rome  ←
sessions search "dentist"          who said what, where
sessions export 3f2a --out rome.md
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.terminal_text import shown
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.sessions import (
    ExportForm,
    SessionBranch,
    SessionInfo,
    SessionLibrary,
    SessionLine,
    Shelf,
)

_ID_CHARACTERS = 8
_PHRASES = Phrases(
    english={
        "none": "There are no conversations here.",
        "counts": "Conversations: {sessions}. Your messages: {messages}. In the trash: {deleted}.",
        "here": "  ← goes on here",
        "untitled": "(nothing was said)",
        "not_found": "Nobody said “{words}” in any conversation.",
        "user": "You",
        "assistant": "Assistant",
        "wrote": "Written: {path}",
        "imported": "Brought in as {id}: {title}",
        "rename": "It is called “{title}” now.",
        "archive": "Put away: {title}. “sessions list --archived” shows it.",
        "unarchive": "It is among the others again: {title}",
        "delete": "In the trash: {title}. “sessions restore {id}” brings it back.",
        "restore": "It is back: {title}",
        "resume": "New messages of {session} go to “{title}” from now on.",
        "branch": "{number}. {last} ({asked}){here}",
        "turned": "The conversation stands at “{last}” now.",
        "asked": "messages: {count}",
    },
    chinese={
        "none": "这里没有对话。",
        "counts": "共 {sessions} 个对话，你的消息 {messages} 条；回收站里有 {deleted} 个。",
        "here": "  ← 当前",
        "untitled": "（没有内容）",
        "not_found": "所有对话里都没有提到“{words}”。",
        "user": "你",
        "assistant": "助手",
        "wrote": "已写入：{path}",
        "imported": "已导入为 {id}：{title}",
        "rename": "现在叫“{title}”。",
        "archive": "已归档：{title}。用“sessions list --archived”查看。",
        "unarchive": "已取消归档：{title}",
        "delete": "已放入回收站：{title}。用“sessions restore {id}”恢复。",
        "restore": "已恢复：{title}",
        "resume": "从现在起，{session} 的新消息都接在“{title}”后面。",
        "branch": "{number}. {last}（{asked}）{here}",
        "turned": "对话现在停在“{last}”。",
        "asked": "{count} 条消息",
    },
)


@dataclass(frozen=True)
class Shell:
    """Where the answers go, and how files are read and written.

    Attributes:
        read: gives a file's text; raises UserInputInvalid when there is none.
        write: replaces a file's text.
    """

    language: Language
    out: TextIO
    read: Callable[[Path], str]
    write: Callable[[Path, str], None]

    def say(self, key: str, **values: object) -> str:
        return _PHRASES.say(key, self.language, **values)

    def tell(self, key: str, **values: object) -> None:
        self.show(self.say(key, **values))

    def show(self, line: str) -> None:
        """A line that may hold words of others."""
        self.out.write(shown(line) + "\n")

    def tell_json(self, facts: JsonValue) -> None:
        self.out.write(json.dumps(facts, ensure_ascii=False) + "\n")


def run_sessions(library: SessionLibrary, arguments: Arguments, shell: Shell) -> int:
    """Carry one of the actions out.

    Returns:
        0 when it was done or something was found, 1 when nothing was.

    Raises:
        MoltbotError: it could not be done.
    """
    match arguments.action:
        case "list":
            return _list(library, arguments, shell)
        case "show":
            return _show(library.lines(arguments.name), arguments, shell)
        case "search":
            return _search(library, arguments, shell)
        case "export":
            return _export(library, arguments, shell)
        case "branch":
            return _branch(library, arguments, shell)
        case "import":
            info = library.bring_in(shell.read(Path(arguments.name)))
            return _changed("imported", info, arguments, shell)
    return _changed(arguments.action, _change(library, arguments), arguments, shell)


def _change(library: SessionLibrary, arguments: Arguments) -> SessionInfo:
    match arguments.action:
        case "rename":
            return library.rename(arguments.name, arguments.text)
        case "archive" | "unarchive":
            return library.archive(arguments.name, away=arguments.action == "archive")
        case "delete":
            return library.delete(arguments.name)
        case "restore":
            return library.restore(arguments.name)
        case "resume":
            return library.go_on(arguments.name)
    raise AssertionError(arguments.action)


def _changed(key: str, info: SessionInfo, arguments: Arguments, shell: Shell) -> int:
    if arguments.json:
        shell.tell_json(_info_json(info))
    else:
        shell.tell(key, title=_title(info, shell), id=info.id[:_ID_CHARACTERS], session=info.key)
    return 0


def _list(library: SessionLibrary, arguments: Arguments, shell: Shell) -> int:
    shelf = Shelf.ARCHIVED if arguments.archived else Shelf.KEPT
    shelf = Shelf.DELETED if arguments.deleted else shelf
    infos, counts = library.sessions(shelf), library.counts()
    if arguments.json:
        lines: list[JsonValue] = [_info_json(info) for info in infos]
        facts: JsonObject = {"sessions": lines, "counts": asdict(counts)}
        shell.tell_json(facts)
        return 0
    for info in infos:
        here = shell.say("here") if info.current else ""
        time = info.updated[:16].replace("T", " ")
        title = _title(info, shell)
        shell.show(f"{info.id[:_ID_CHARACTERS]:8}  {time:16}  {info.asked:4}  {title}{here}")
    if not infos:
        shell.tell("none")
    shell.tell("counts", sessions=counts.sessions, messages=counts.messages, deleted=counts.deleted)
    return 0


def _show(lines: Sequence[SessionLine], arguments: Arguments, shell: Shell) -> int:
    if arguments.json:
        shell.tell_json([_line_json(line) for line in lines])
        return 0
    for line in lines:
        time = line.time[:16].replace("T", " ")
        shell.show(f"{_who(line, shell)} · {time}\n{line.text}\n")
    if not lines:
        shell.tell("untitled")
    return 0


def _search(library: SessionLibrary, arguments: Arguments, shell: Shell) -> int:
    hits = library.search(arguments.text, arguments.max_results)
    if arguments.json:
        found: list[JsonValue] = [
            {**_line_json(hit.line), "snippet": hit.snippet, "session": _info_json(hit.session)}
            for hit in hits
        ]
        shell.tell_json({"query": arguments.text, "results": found})
    for hit in hits if not arguments.json else ():
        session, time = hit.session, hit.line.time[:16].replace("T", " ")
        shell.show(f"{session.id[:_ID_CHARACTERS]}  {time}  {_title(session, shell)}")
        shell.show(f"  {_who(hit.line, shell)}: {hit.snippet}")
    if not hits and not arguments.json:
        shell.tell("not_found", words=arguments.text)
    return 0 if hits else 1


def _export(library: SessionLibrary, arguments: Arguments, shell: Shell) -> int:
    is_json = arguments.form == "json" or (arguments.json and not arguments.form)
    form = ExportForm.JSON if is_json else ExportForm.MARKDOWN
    text = library.export(arguments.name, form, shell.language)
    if arguments.out is None:
        shell.out.write(text)
        return 0
    shell.write(arguments.out, text)
    if arguments.json:
        shell.tell_json({"path": str(arguments.out)})
    else:
        shell.tell("wrote", path=arguments.out)
    return 0


def _branch(library: SessionLibrary, arguments: Arguments, shell: Shell) -> int:
    if arguments.number:
        turned = library.turn_to(arguments.name, arguments.number)
        if arguments.json:
            shell.tell_json(_branch_json(turned))
        else:
            shell.tell("turned", last=" ".join(turned.last.split()))
        return 0
    branches = library.branches(arguments.name)
    if arguments.json:
        shell.tell_json([_branch_json(one) for one in branches])
        return 0
    for one in branches:
        shell.tell(
            "branch",
            number=one.number,
            last=" ".join(one.last.split()) or shell.say("untitled"),
            asked=shell.say("asked", count=one.asked),
            here=shell.say("here") if one.current else "",
        )
    return 0


def _title(info: SessionInfo, shell: Shell) -> str:
    return info.title or shell.say("untitled")


def _who(line: SessionLine, shell: Shell) -> str:
    return shell.say(line.who) if line.who in ("user", "assistant") else line.who


def _info_json(info: SessionInfo) -> Mapping[str, JsonValue]:
    return {
        "id": info.id,
        "key": info.key,
        "title": info.title,
        "label": info.label,
        "startedAt": info.started,
        "updatedAt": info.updated,
        "messages": info.asked,
        "branches": info.branches,
        "shelf": info.shelf.value,
        "current": info.current,
    }


def _line_json(line: SessionLine) -> Mapping[str, JsonValue]:
    return {"entry": line.entry_id, "who": line.who, "text": line.text, "time": line.time}


def _branch_json(branch: SessionBranch) -> Mapping[str, JsonValue]:
    return {
        "number": branch.number,
        "messages": branch.asked,
        "last": branch.last,
        "current": branch.current,
    }
