"""What a skill says to the program: ``metadata.moltbot`` of its front matter, and the keys beside
it, read from whatever was written into plain values.

    metadata: {"moltbot": {"os": ["linux"], "requires": {"bins": ["git"]}, "always": true}}

The text is anybody's. A value of the wrong kind counts as not written, as in the reference: a
skill with a slip in its metadata is still a skill, and `skills check` is where slips are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from moltbot_desktop.core.json import JsonObject, JsonValue

METADATA_NAMES = ("moltbot", "clawdbot", "openclaw")
"""The program's names, ours first; each release of the reference reads its own."""
_MOST_ITEMS = 64
_LONGEST = 300


class InstallKind(StrEnum):
    BREW = "brew"
    NODE = "node"
    GO = "go"
    UV = "uv"
    DOWNLOAD = "download"


@dataclass(frozen=True)
class InstallStep:
    """One way to get a program the skill needs. It is shown to the person and never run.

    Attributes:
        id: what it is called in lists; ``<kind>-<number>`` where nothing is written.
        what: the formula, package, module or address, whichever the kind has.
        bins: programs that are there afterwards.
        os: systems it is for, none is all.
    """

    id: str
    kind: InstallKind
    label: str = ""
    what: str = ""
    bins: tuple[str, ...] = ()
    os: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """What the person would type, with what it is for in brackets."""
        commands = {
            InstallKind.BREW: f"brew install {self.what}",
            InstallKind.NODE: f"npm install --global {self.what}",
            InstallKind.GO: f"go install {self.what}",
            InstallKind.UV: f"uv tool install {self.what}",
            InstallKind.DOWNLOAD: self.what,
        }
        command = commands[self.kind]
        return f"{command}  ({self.label})" if self.label else command


@dataclass(frozen=True)
class Requires:
    """What must be there for the skill to work.

    Attributes:
        bins: programs, all of them; `any_bins` one of them.
        env: names of variables.
        config: dotted paths of settings that must say yes.
    """

    bins: tuple[str, ...] = ()
    any_bins: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    config: tuple[str, ...] = ()


@dataclass(frozen=True)
class SkillMetadata:
    """The program's part of a SKILL.md.

    Attributes:
        always: what it requires need not be there.
        skill_key: its name in ``skills.entries``; "" is the skill's own.
        primary_env: the variable that ``skills.entries.<key>.apiKey`` is for.
        os: ``linux``, ``darwin`` or ``win32``; none is all.
    """

    always: bool = False
    skill_key: str = ""
    primary_env: str = ""
    emoji: str = ""
    homepage: str = ""
    os: tuple[str, ...] = ()
    requires: Requires = field(default_factory=Requires)
    install: tuple[InstallStep, ...] = ()


@dataclass(frozen=True)
class Invocation:
    """Who may start a skill, and how (keys beside ``metadata``).

    Attributes:
        by_person: it has a slash command (``user-invocable``).
        by_model: it is listed in the prompt (not ``disable-model-invocation``).
        tool: ``command-tool``, the tool its command goes straight to; "" for none, which is also
            meant without ``command-dispatch: tool`` or with a mode other than raw.
    """

    by_person: bool = True
    by_model: bool = True
    tool: str = ""


def read_metadata(value: JsonValue, *, homepage: str = "") -> SkillMetadata:
    """The program's part of what stands under ``metadata``.

    Args:
        value: a map with one of `METADATA_NAMES`; the first of them that is a map counts.
        homepage: of the front matter itself, where the part names none.
    """
    own = own_part(value)
    requires = _mapping(own.get("requires"))
    return SkillMetadata(
        always=_flag(own.get("always"), default=False),
        skill_key=_text(own.get("skillKey")),
        primary_env=_text(own.get("primaryEnv")),
        emoji=_text(own.get("emoji")),
        homepage=_text(own.get("homepage")) or homepage,
        os=_texts(own.get("os")),
        requires=Requires(
            bins=_texts(requires.get("bins")),
            any_bins=_texts(requires.get("anyBins")),
            env=_texts(requires.get("env")),
            config=_texts(requires.get("config")),
        ),
        install=_steps(own.get("install")),
    )


def own_part(value: JsonValue) -> JsonObject:
    """The map under whichever of the program's names it stands; empty when there is none."""
    written = _mapping(value)
    parts = (written.get(name) for name in METADATA_NAMES)
    return next((one for one in parts if isinstance(one, Mapping)), {})


def read_invocation(front_matter: JsonObject) -> Invocation:
    """From the whole front matter; each key with dashes or underscores."""

    def written(key: str) -> JsonValue:
        return front_matter.get(key, front_matter.get(key.replace("-", "_"), None))

    dispatched = _text(written("command-dispatch")).lower() == "tool"
    raw = _text(written("command-arg-mode")).lower() in ("", "raw")
    return Invocation(
        by_person=_flag(written("user-invocable"), default=True),
        by_model=not _flag(written("disable-model-invocation"), default=False),
        tool=_text(written("command-tool")) if dispatched and raw else "",
    )


def _steps(value: JsonValue) -> tuple[InstallStep, ...]:
    """Ways of kinds nobody knows are left out; the others keep the numbers they are written in."""
    steps = []
    for number, written in enumerate(value[:_MOST_ITEMS] if isinstance(value, list) else ()):
        given = _mapping(written)
        kind = (_text(given.get("kind")) or _text(given.get("type"))).lower()
        if kind not in tuple(InstallKind):
            continue
        what = (_text(given.get(name)) for name in ("formula", "package", "module", "url"))
        steps.append(
            InstallStep(
                id=_text(given.get("id")) or f"{kind}-{number}",
                kind=InstallKind(kind),
                label=_text(given.get("label")),
                what=next(filter(None, what), ""),
                bins=_texts(given.get("bins")),
                os=_texts(given.get("os")),
            )
        )
    return tuple(steps)


def _mapping(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _text(value: JsonValue) -> str:
    """One short line that can be shown; "" for anything else."""
    if not isinstance(value, str):
        return ""
    shown = "".join(one if one.isprintable() else " " for one in value[: 2 * _LONGEST])
    return " ".join(shown.split())[:_LONGEST]


def _texts(value: JsonValue) -> tuple[str, ...]:
    """A list, or a text with commas."""
    if isinstance(value, str):
        value = list(value.split(","))
    if not isinstance(value, list):
        return ()
    return tuple(filter(None, map(_text, value[:_MOST_ITEMS])))


def _flag(value: JsonValue, *, default: bool) -> bool:
    """YAML's and JSON's spellings: the front matter's scalars are texts here."""
    if isinstance(value, bool):
        return value
    word = _text(value).lower()
    if word in ("true", "yes", "on", "1"):
        return True
    if word in ("false", "no", "off", "0"):
        return False
    return default
