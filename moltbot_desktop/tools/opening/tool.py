"""`open`: an address, a document or a program, shown by whatever the person uses for it.

    {"target": "example.org/tea"}   {"target": "report.pdf"}   {"target": "Firefox"}

It leaves the assistant's own hands, so the owner is always asked, and the card says what opens
with what. What was judged is what is opened: the yes is bound to the file as it was and to the
program that would show it (rule R4).
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.i18n import Language, Phrases, in_one_line
from moltbot_desktop.sdk.commands import JudgedCommand, Power
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.security.places import Surroundings, place_of
from moltbot_desktop.security.policy import Place
from moltbot_desktop.tools.opening.desk import Desk, OpenFailed
from moltbot_desktop.tools.opening.targets import Address, Document, OpenRefusal, Program, meant
from moltbot_desktop.tools.replies import arguments, ask, failure, text_argument
from moltbot_desktop.tools.web.addresses import addresses_in, canonical

_MOST_NAMES = 6
_PHRASES = Phrases(
    {
        "ask": "What shall I open? For example: example.org, report.pdf or Firefox.",
        "card": "open {target}",
        "card_with": "open {target} with {app}",
        "card_program": "start {name}",
        "opened": "I opened {target}.",
        "opened_with": "I opened {target} with {app}.",
        "started": "I started {name}.",
        "outside": "It lies outside your workspace: {path}.",
        "usual": "It opens with what this computer uses for it.",
        "host": "The site {host} will know that somebody here looks at it.",
        "not_said": "This address does not stand in your message.",
        "sealed": "I am sealed; your browser is not.",
        "runs_this": "This runs: {shown}.",
        "no_target": "What shall I open? I need an address, a file or a program.",
        "scheme": "I open addresses of pages and of mail, not “{scheme}:”.",
        "bad_address": "That is not an address I can open.",
        "bad_letter": "A letter can have a subject, a text and copies, and nothing attached.",
        "user_in_address": "The address has a name before an “@”, which hides where it leads; "
        "I do not open it.",
        "not_found": "There is no file “{path}” in my workspace.",
        "no_access": "“{path}” cannot be read.",
        "no_file": "“{path}” is neither a file nor a folder.",
        "runs": "“{path}” is a program or a script: opening it could run it, so I do not.",
        "secret": "I may not open anything there.",
        "no_desk": "There is no screen here to open anything on.",
        "nobody": "No program on this computer opens {target}.",
        "no_program": "I found no program called “{name}”.",
        "several": "Several programs could be meant: {names}. Which one?",
        "changed": "It changed after it was looked at, so I did not open it. Ask me again.",
        "failed": "Your system could not open {target}.",
    },
    {
        "ask": "要打开什么？例如：example.org、报告.pdf 或 Firefox。",
        "card": "打开 {target}",
        "card_with": "用 {app} 打开 {target}",
        "card_program": "启动 {name}",
        "opened": "已打开 {target}。",
        "opened_with": "已用 {app} 打开 {target}。",
        "started": "已启动 {name}。",
        "outside": "它在你的工作区之外：{path}。",
        "usual": "会用这台电脑默认的程序打开。",
        "host": "网站 {host} 会知道这里有人访问。",
        "not_said": "你的话里没有这个网址。",
        "sealed": "我已封闭联网，但你的浏览器没有。",
        "runs_this": "会运行：{shown}。",
        "no_target": "要打开什么？请给我网址、文件或程序。",
        "scheme": "我只打开网页和邮件地址，不打开“{scheme}:”。",
        "bad_address": "这不是我能打开的网址。",
        "bad_letter": "邮件可以有主题、正文和抄送，不能带附件。",
        "user_in_address": "这个网址在“@”前面带了名字，看不出真正去哪里，我不打开。",
        "not_found": "工作区里没有“{path}”这个文件。",
        "no_access": "“{path}”读不了。",
        "no_file": "“{path}”既不是文件也不是文件夹。",
        "runs": "“{path}”是程序或脚本，打开就可能会运行，所以我不打开。",
        "secret": "那里的东西我不能打开。",
        "no_desk": "这里没有屏幕，打不开东西。",
        "nobody": "这台电脑上没有能打开 {target} 的程序。",
        "no_program": "没有找到叫“{name}”的程序。",
        "several": "可能是这几个程序：{names}。要哪一个？",
        "changed": "查看之后它变了，所以我没有打开。请再说一次。",
        "failed": "系统没能打开 {target}。",
    },
)


@dataclass(frozen=True)
class Plan:
    """What would happen, found without doing it.

    Attributes:
        words: what is started.
        key, values: the sentence when it is done.
        title, notes: for the card.
        mark: of all of it.
    """

    words: tuple[str, ...]
    key: str
    values: dict[str, str]
    title: str
    notes: str
    mark: str


@dataclass(frozen=True)
class OpenParts:
    """What `open` works with.

    Attributes:
        in_thread: runs what blocks on a worker thread.
        sealed: whether nothing may leave this computer through the program itself.
    """

    desk: Desk
    around: Surroundings
    in_thread: Callable[[Callable[[], Plan | OpenRefusal]], Awaitable[Plan | OpenRefusal]]
    sealed: Callable[[], bool]


class Open:
    """Implements `sdk.tools.Tool` and `sdk.commands.CommandTool`."""

    def __init__(self, parts: OpenParts) -> None:
        self._parts = parts

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "open",
            "Open an address, document or program.",
            arguments(("target",), target=text_argument()),
            Effect.OPEN_EXTERNAL,
            keywords="launch start app browser website show 打开 启动 网页 程序 软件",
        )

    async def judged(self, given: ToolInput, context: ToolContext) -> JudgedCommand:
        text = given.text("target")
        plan = await self._parts.in_thread(lambda: self._plan(text, context))
        if isinstance(plan, Plan):
            return JudgedCommand(Power.ANYTHING, False, False, plan.title, plan.notes, plan.mark)
        # Nothing will be opened, so there is nothing to ask about: `run` says what is wrong.
        power = Power.NEVER if plan.key == "secret" else Power.LOOKS
        return JudgedCommand(power, False, False, self._said(plan, context), "", "")

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        text = given.text("target")
        if not text:
            return ask("target", _PHRASES.say("ask", context.language))
        plan = self._plan(text, context)
        if isinstance(plan, OpenRefusal):
            if plan.key == "several":
                return ask("target", self._said(plan, context))
            return failure(plan.message, self._said(plan, context))
        if plan.mark != context.judged:
            error = "it changed after it was judged; try again"
            return failure(error, _PHRASES.say("changed", context.language))
        try:
            self._parts.desk.start(plan.words)
        except (OpenFailed, OSError) as error:
            display = _PHRASES.say("failed", context.language, target=text[:200])
            return failure(f"not opened: {error}", display)
        display = _PHRASES.say(plan.key, context.language, **plan.values)
        return ToolResult({"ok": True, "opened": text}, display)

    def _said(self, refusal: OpenRefusal, context: ToolContext) -> str:
        return _PHRASES.say(refusal.key, context.language, **refusal.values)

    def _plan(self, text: str, context: ToolContext) -> Plan | OpenRefusal:
        try:
            return self._found(text, context)
        except OpenRefusal as refusal:
            return refusal

    def _found(self, text: str, context: ToolContext) -> Plan:
        around = self._parts.around
        target = meant(text, context.workspace, around.user_home)
        if self._parts.desk.no_screen():
            raise OpenRefusal("there is no screen here", "no_desk")
        match target:
            case Address():
                return self._address(target, context)
            case Document():
                return self._document(target, context)
            case Program():
                return self._program(target, context.language)

    def _address(self, target: Address, context: ToolContext) -> Plan:
        scheme = target.url.partition(":")[0].lower()
        notes = []
        if target.host:
            notes.append(_PHRASES.say("host", context.language, host=target.host))
            if canonical(target.url) not in addresses_in(context.user_text):
                notes.append(_PHRASES.say("not_said", context.language))
            if self._parts.sealed():
                notes.append(_PHRASES.say("sealed", context.language))
        return self._shown(
            target.url, target.url, f"x-scheme-handler/{scheme}", notes, context.language
        )

    def _document(self, target: Document, context: ToolContext) -> Plan:
        around = self._parts.around
        place = place_of(str(target.path), around)
        if place is Place.APP_STATE:
            raise OpenRefusal("the program's own files and keys are not opened", "secret")
        workspace = context.workspace.resolve()
        inside = target.path.is_relative_to(workspace)
        shown = str(target.path.relative_to(workspace) if inside else target.path)
        kind = "inode/directory" if target.folder else _media_type(target.path)
        notes = []
        if not inside:
            notes.append(_PHRASES.say("outside", context.language, path=target.path))
        return self._shown(str(target.path), shown, kind, notes, context.language, target.stamp)

    def _shown(
        self,
        target: str,
        shown: str,
        kind: str,
        notes: list[str],
        language: Language,
        stamp: str = "",
    ) -> Plan:
        opener = self._parts.desk.opener_of(kind)
        if opener is None:
            raise OpenRefusal("no program opens that", "nobody", target=shown[:200])
        if not opener.name:
            notes = [*notes, _PHRASES.say("usual", language)]
        values = {"target": shown, "app": opener.name}
        words = (*opener.words, target)
        return Plan(
            words,
            "opened_with" if opener.name else "opened",
            values,
            _PHRASES.say("card_with" if opener.name else "card", language, **values),
            _joined(notes),
            _mark(*words, opener.mark, stamp),
        )

    def _program(self, target: Program, language: Language) -> Plan:
        found = self._parts.desk.programs(target.name)
        if not found:
            raise OpenRefusal("no program is called that", "no_program", name=target.name[:80])
        if len(found) > 1:
            names = ", ".join(one.name for one in found[:_MOST_NAMES])
            raise OpenRefusal(f"several programs fit: {names}", "several", names=names)
        (start,) = found
        return Plan(
            start.words,
            "started",
            {"name": start.name},
            _PHRASES.say("card_program", language, name=start.name),
            _PHRASES.say("runs_this", language, shown=start.shown),
            _mark(*start.words, start.shown),
        )


def _media_type(path: Path) -> str:
    return mimetypes.guess_type(path.name)[0] or "text/plain"


def _joined(notes: list[str]) -> str:
    whole = ""
    for note in notes:
        whole = in_one_line(whole, note)
    return whole


def _mark(*parts: str) -> str:
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "replace")).hexdigest()
