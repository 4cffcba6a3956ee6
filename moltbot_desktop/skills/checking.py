"""`skills check` and `skills new`: what could be better about a skill, and one to begin with.

    for remark in check_text(text, folder.name):
        remark.serious, remark.words(language), remark.advice(language)
    new_skill("garden-log", "Write down what I plant.")      # the text of a SKILL.md

A skill that loads may still never be used: nobody can tell when, the model cannot read that much,
a key is misspelled and silently does nothing. These remarks are for whoever writes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.skills.frontmatter import SkillText
from moltbot_desktop.skills.metadata import InstallKind
from moltbot_desktop.skills.package_paths import folder_name

_LONG_INSTRUCTIONS = 12_000
"""Characters; more than that is a fourth of the window of many local models."""
_SHORT_DESCRIPTION = 12
_LONG_DESCRIPTION = 240
_SYSTEMS = frozenset({"linux", "darwin", "win32"})
_KEYS = frozenset(
    "name description homepage metadata user-invocable disable-model-invocation command-dispatch"
    " command-tool command-arg-mode license version author compatibility allowed-tools".split()
)
_OWN_KEYS = frozenset("always skillKey primaryEnv emoji homepage os requires install".split())
_NEEDS = frozenset("bins anyBins env config".split())

_PHRASES = Phrases(
    english={
        "other_folder": "its folder is called {found}, and it calls itself {name}",
        "other_folder_do": "Call the folder {wanted}: the model reads the path.",
        "short_description": "its description is too short to tell when it helps",
        "short_description_do": "Say what it does and when, with the words people use for it.",
        "long_description": "its description has {found} characters, all of them in every prompt",
        "long_description_do": "One or two sentences are enough; the rest belongs below.",
        "no_instructions": "it says nothing about what to do",
        "no_instructions_do": "Write the steps below the second ---.",
        "long_instructions": "its instructions have {found} characters, too many for a small model",
        "long_instructions_do": "Move parts to files beside it and say when to read which.",
        "unknown_key": "{found} is no key that anybody reads",
        "unknown_key_do": "There are: {wanted}.",
        "unknown_metadata": "metadata has {found}, which nobody reads",
        "unknown_metadata_do": "There are: {wanted}.",
        "unknown_os": "it is for the system {found}, which there is not",
        "unknown_os_do": "Write linux, darwin or win32.",
        "unknown_kind": "it can be installed by {found}, which nobody knows",
        "unknown_kind_do": "There are: {wanted}.",
        "no_tool": "its command goes to a tool, and it does not say to which",
        "no_tool_do": "Add command-tool: NAME.",
        "nobody": "neither you nor the model can start it",
        "nobody_do": "Take user-invocable: false or disable-model-invocation: true out.",
    },
    chinese={
        "other_folder": "它的文件夹叫 {found}，而它自称 {name}",
        "other_folder_do": "请把文件夹改名为 {wanted}：模型按路径读取。",
        "short_description": "描述太短，看不出什么时候有用",
        "short_description_do": "请用人们常说的话写清它做什么、什么时候用。",
        "long_description": "描述有 {found} 个字符，每次提示都会带上",
        "long_description_do": "一两句就够了，其余写在下面。",
        "no_instructions": "没有写要做什么",
        "no_instructions_do": "请在第二个 --- 下面写出步骤。",
        "long_instructions": "说明有 {found} 个字符，对小模型太长",
        "long_instructions_do": "请把一部分移到旁边的文件里，并写明何时读哪一个。",
        "unknown_key": "没有谁会读 {found} 这个键",
        "unknown_key_do": "可用的有：{wanted}。",
        "unknown_metadata": "metadata 里有 {found}，没有谁会读",
        "unknown_metadata_do": "可用的有：{wanted}。",
        "unknown_os": "它适用的系统 {found} 不存在",
        "unknown_os_do": "请写 linux、darwin 或 win32。",
        "unknown_kind": "它的安装方式 {found} 没有谁认识",
        "unknown_kind_do": "可用的有：{wanted}。",
        "no_tool": "它的命令直接交给工具，却没有写是哪一个",
        "no_tool_do": "请加上 command-tool: 名字。",
        "nobody": "你和模型都不能启动它",
        "nobody_do": "请去掉 user-invocable: false 或 disable-model-invocation: true。",
    },
)

_NEW = """\
---
name: {name}
description: {description}
metadata: {{"moltbot": {{"emoji": "✨"}}}}
---
# {name}

What the person wants, in one sentence.

## Steps
1. Call `find_files` with a word of the subject, to see what there is.
2. Call `read` with the path that fits.
3. Say in one line what was found, and the path.

## Example
"{name}: plan"
```
find_files(pattern="plan")
read(path="notes/plan.md")
```
"""


@dataclass(frozen=True)
class Remark:
    """Something to mend. `serious`: it will not work as it stands."""

    key: str
    serious: bool = False
    name: str = ""
    found: str = ""
    wanted: str = ""

    def words(self, language: Language) -> str:
        """A clause without a full stop."""
        return self._said(self.key, language)

    def advice(self, language: Language) -> str:
        return self._said(f"{self.key}_do", language)

    def _said(self, key: str, language: Language) -> str:
        slots = {"name": self.name, "found": self.found, "wanted": self.wanted}
        return _PHRASES.say(key, language, **slots)


def check_text(text: SkillText, folder: str) -> tuple[Remark, ...]:
    """What could be better, in the order of the file; `folder` is the name of its folder."""
    return (*_about(text, folder), *_keys(text), *_metadata(text), *_command(text))


def new_skill(name: str, description: str = "") -> str:
    """The SKILL.md of a new skill, which passes every check.

    Raises:
        ValueError: the name holds what cannot stand in one line.
    """
    if not name.isprintable() or not name.strip():
        raise ValueError(name)
    said = " ".join(description.split()) or f"What {name} does, and when it helps."
    return _NEW.format(name=name.strip(), description=_quoted(said))


def _quoted(text: str) -> str:
    """As YAML in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _about(text: SkillText, folder: str) -> Iterator[Remark]:
    wanted = folder_name(text.name)
    if folder.casefold() not in (text.name.casefold(), wanted):
        yield Remark("other_folder", name=text.name, found=folder, wanted=wanted)
    if len(text.description) < _SHORT_DESCRIPTION and text.description.isascii():
        yield Remark("short_description")
    if len(text.description) > _LONG_DESCRIPTION:
        yield Remark("long_description", found=str(len(text.description)))
    if not text.instructions:
        yield Remark("no_instructions", serious=True)
    if len(text.instructions) > _LONG_INSTRUCTIONS:
        yield Remark("long_instructions", found=str(len(text.instructions)))


def _keys(text: SkillText) -> Iterator[Remark]:
    for key in text.other:
        if key.replace("_", "-") not in _KEYS:
            yield Remark("unknown_key", found=key, wanted=", ".join(sorted(_KEYS)))


def _metadata(text: SkillText) -> Iterator[Remark]:
    own = text.own_metadata
    for key in own:
        if key not in _OWN_KEYS:
            yield Remark("unknown_metadata", found=key, wanted=", ".join(sorted(_OWN_KEYS)))
    requires = own.get("requires")
    for key in requires if isinstance(requires, Mapping) else ():
        if key not in _NEEDS:
            wanted = ", ".join(sorted(_NEEDS))
            yield Remark("unknown_metadata", found=f"requires.{key}", wanted=wanted)
    for name in text.said.os:
        if name not in _SYSTEMS:
            yield Remark("unknown_os", serious=True, found=name)
    install = own.get("install")
    for step in install if isinstance(install, list) else ():
        kind = _kind(step)
        if kind not in tuple(InstallKind):
            yield Remark("unknown_kind", found=kind or "?", wanted=", ".join(InstallKind))


def _kind(step: JsonValue) -> str:
    written = step.get("kind", step.get("type")) if isinstance(step, Mapping) else None
    return written.strip().lower() if isinstance(written, str) else ""


def _command(text: SkillText) -> Iterator[Remark]:
    invocation = text.invocation
    if not invocation.by_person and not invocation.by_model:
        yield Remark("nobody", serious=True)
    dispatch = text.other.get("command-dispatch", text.other.get("command_dispatch", ""))
    if not isinstance(dispatch, str) or dispatch.strip().lower() != "tool":
        return
    if not text.other.get("command-tool", text.other.get("command_tool", "")):
        yield Remark("no_tool", serious=True)
