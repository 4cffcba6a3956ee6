"""Which tools a skill speaks of, and which of them there are not.

    called_in("Call `read`, then `wirte` with path …")       # ("read", "wirte")
    check_tools(text, KnownTools(frozenset({"read", "write"})))     # remarks: wirte is near write

A small model calls what the text names, so a slip there costs a turn, and a command that goes to a
tool that there is not does nothing at all. Instructions are prose: what counts as a call is a name
in backticks beside “call” or “tool”, or one with named arguments behind it. Code in a fence that
names its language is no call.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.skills.frontmatter import SkillText

_FENCE = re.compile(r"[ \t]*(```++|~~~++)([^`]*)")
_NAME = r"[a-z][a-z0-9_]{1,63}"
_CALL_LINE = re.compile(rf"^[ \t]*({_NAME})\((?:\)|[a-z_]+=)", re.MULTILINE)
_INLINE_CALL = re.compile(rf"`({_NAME})\((?:\)|[a-z_]+=)[^`]*`")
_BESIDE = re.compile(
    r"(?:\b(?:call(?:s|ing)?(?:\s+the)?(?:\s+tool)?|tool)\s+|(?:调用|工具)\s*)"
    rf"`((?-i:{_NAME}))`|`((?-i:{_NAME}))`\s*(?:tool\b|工具)",
    re.IGNORECASE,
)
_PHRASES = Phrases(
    english={
        "command": "its command goes to the tool {name}, which there is not",
        "command_other": "its command goes to {name}, which is no tool of the program's",
        "text": "it calls {name}, and there is no such tool",
        "text_other": "it calls {name}, which is no tool of the program's",
        "near": "Near it: {names}.",
        "elsewhere": "It may be one of {names}; their tools are known only while they run.",
        "neither": "Name a tool of the program, of a plugin that is on, or of an MCP server.",
    },
    chinese={
        "command": "它的命令交给工具 {name}，而没有这个工具",
        "command_other": "它的命令交给 {name}，而程序自己没有这个工具",
        "text": "它调用 {name}，而没有这个工具",
        "text_other": "它调用 {name}，而程序自己没有这个工具",
        "near": "相近的有：{names}。",
        "elsewhere": "它可能来自 {names}，那里的工具要运行时才知道。",
        "neither": "请写本程序、已打开的插件或 MCP 服务器的工具名。",
    },
)
_MOST_NEAR = 3
_LIKE = 0.6
"""How alike two names are that one may be a slip of the other (`difflib`, 0 to 1)."""


@dataclass(frozen=True)
class KnownTools:
    """What can be told of the tools there are, without running anything.

    Attributes:
        prefixes: of names that MCP servers give, which are known only while those run.
        elsewhere: who else brings tools whose names are known only while it runs.
    """

    names: frozenset[str]
    prefixes: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    def may_be(self, name: str) -> bool:
        return name in self.names or name.startswith(self.prefixes)

    def near(self, name: str) -> tuple[str, ...]:
        """Those that may be meant, the nearest first."""
        return tuple(difflib.get_close_matches(name, sorted(self.names), _MOST_NEAR, _LIKE))


def called_in(instructions: str) -> tuple[str, ...]:
    """Names that the instructions tell the model to call, in their order, each once."""
    found: dict[str, None] = {}
    for text, is_code in _parts(instructions):
        ways = (_CALL_LINE,) if is_code else (_INLINE_CALL, _BESIDE)
        hits = [one for way in ways for one in way.finditer(text)]
        for hit in sorted(hits, key=lambda one: one.start()):
            found[next(filter(None, hit.groups()))] = None
    return tuple(found)


def _parts(instructions: str) -> Iterator[tuple[str, bool]]:
    """Prose, and what stands in fences without a language, in turn."""
    lines: list[str] = []
    fence, language = "", ""
    for line in instructions.splitlines():
        mark = _FENCE.fullmatch(line)
        closes = mark is not None and mark[1].startswith(fence) and not mark[2].strip()
        if mark is None or (fence and not closes):
            lines.append(line)
            continue
        if not language:
            yield "\n".join(lines), bool(fence)
        lines = []
        fence, language = ("", "") if fence else (mark[1], mark[2].strip())
    if not language:
        yield "\n".join(lines), bool(fence)


@dataclass(frozen=True)
class ToolRemark:
    """As `checking.Remark`, of a tool that nobody knows.

    Attributes:
        serious: the skill's command goes there, and nothing else could bring that tool.
        near: names that may be meant.
        elsewhere: who may bring it.
    """

    name: str
    by_command: bool
    serious: bool = False
    near: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    def words(self, language: Language) -> str:
        """A clause without a full stop."""
        who = "command" if self.by_command else "text"
        return _PHRASES.say(f"{who}_other" if self.elsewhere else who, language, name=self.name)

    def advice(self, language: Language) -> str:
        names = ", ".join(self.elsewhere)
        said = [_PHRASES.say("elsewhere", language, names=names)] if self.elsewhere else []
        if self.near:
            said.insert(0, _PHRASES.say("near", language, names=", ".join(self.near)))
        return " ".join(said) or _PHRASES.say("neither", language)


def check_tools(text: SkillText, known: KnownTools) -> Iterator[ToolRemark]:
    """The tool of its command, which must be there, then those of its instructions."""
    tool = text.invocation.tool
    if tool and not known.may_be(tool):
        serious = not known.elsewhere
        yield ToolRemark(tool, True, serious, known.near(tool), known.elsewhere)
    for name in called_in(text.instructions):
        if name != tool and not known.may_be(name):
            yield ToolRemark(name, False, False, known.near(name), known.elsewhere)
