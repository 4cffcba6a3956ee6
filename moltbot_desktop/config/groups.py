"""Which settings stand together in the window, and what each is called there.

    sections(Language.ENGLISH)       # General, Chat and models, ... and those behind "Advanced"
    section_hints(Language.ENGLISH)  # their labels, helps and the names of their values

People look for a thing ("the language"), not for a key of a file (`ui.language`). What a group
does not name stands in the next one that names something above it (`agents.defaults` holds all of
it that nobody else has), and what nobody names stands in the last, which is an advanced one. So a
new setting is never out of reach, and never on the first page by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.config.groups_words import FIELDS, NOTES, TITLES, VALUES
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.forms import FormSection
from moltbot_desktop.sdk.modes import Mode, mode_name, mode_words

_MODE = "security.mode"


@dataclass(frozen=True)
class Group:
    """Settings that stand together.

    Attributes:
        id: what a link names.
        places: dotted, in the order to show them; each with all that is below it and that no other
            group names.
        also: places of other groups that are shown here as well.
        advanced: hardly anybody needs it.
    """

    id: str
    places: tuple[str, ...]
    also: tuple[str, ...] = ()
    advanced: bool = False


GROUPS: tuple[Group, ...] = (
    Group(
        "general",
        (
            "ui.language",
            "ui.theme",
            "ui.autostart",
            "ui.hotkey",
            "reminders.notifications",
            "ui.notificationText",
        ),
        ("models.chat", "agents.defaults.memorySearch.enabled"),
    ),
    Group(
        "chat",
        (
            "models.chat",
            "agents.defaults.language",
            "agents.defaults.thinkingDefault",
            "agents.defaults.temperature",
            "models.typeAhead",
            "models.idleMinutes",
            "models.folder",
            "models.hub",
            "session.reset",
            "session.retention",
        ),
    ),
    Group(
        "memory",
        (
            "agents.defaults.memorySearch.enabled",
            "agents.defaults.memorySearch.capture",
            "agents.defaults.memorySearch.extraPaths",
            "models.embedding",
        ),
    ),
    Group("schedule", ("cron.enabled", "agents.defaults.userTimezone")),
    Group(
        "web",
        (
            "tools.web.fetch.enabled",
            "tools.web.search.enabled",
            "tools.web.search.provider",
            "tools.web.search.apiKey",
            "tools.web.search.searxng.baseUrl",
            "browser.enabled",
        ),
    ),
    Group(
        "safety",
        (
            _MODE,
            "security.ownFiles",
            "commands.bash",
            "commands.config",
            "commands.useAccessGroups",
        ),
    ),
    Group(
        "messaging",
        (
            "session.dmScope",
            "agents.defaults.blockStreamingDefault",
            "agents.defaults.mediaMaxMb",
            "messages.groupChat",
        ),
    ),
    Group(
        "extras",
        (
            "plugins.enabled",
            "plugins.allow",
            "plugins.deny",
            "plugins.load.paths",
            "plugins.slots.memory",
            "skills.allowBundled",
            "skills.load.extraDirs",
        ),
    ),
    Group("answers", ("agents.defaults",), advanced=True),
    Group(
        "long",
        ("agents.defaults.compaction", "agents.defaults.contextPruning"),
        advanced=True,
    ),
    Group("conversations", ("session",), advanced=True),
    Group("messages", ("messages",), advanced=True),
    Group(
        "agents",
        (
            "agents.list",
            "bindings",
            "broadcast",
            "agents.defaults.subagents",
            "agents.defaults.maxConcurrent",
            "tools.agentToAgent",
            "session.agentToAgent",
        ),
        advanced=True,
    ),
    Group("models", ("models",), advanced=True),
    Group("index", ("agents.defaults.memorySearch",), advanced=True),
    Group("tools", ("tools",), advanced=True),
    Group("browser", ("browser",), advanced=True),
    Group("commands", ("commands",), advanced=True),
    Group("jobs", ("agents.defaults.heartbeat", "cron"), advanced=True),
    Group("hooks", ("hooks",), advanced=True),
    Group("gateway", ("gateway",), advanced=True),
    Group("file", ("$include", "channels"), advanced=True),
    Group("other", (), advanced=True),
)
"""In the order to show them; the last has what nobody names."""


def sections(language: Language) -> tuple[FormSection, ...]:
    """The groups as a page has them."""
    return tuple(
        FormSection(
            one.id,
            TITLES.say(one.id, language),
            NOTES.say(one.id, language) if one.id in NOTES.english else "",
            tuple(tuple(place.split(".")) for place in (*one.places, *one.also)),
            frozenset(tuple(place.split(".")) for place in one.also),
            one.advanced,
        )
        for one in GROUPS
    )


def section_hints(language: Language) -> JsonObject:
    """What fields and their values are called, as a manifest's `uiHints` say it."""
    hints: dict[str, dict[str, JsonValue]] = {}
    words = _table(FIELDS, language)
    for key, text in words.items():
        place, _, what = key.partition("#")
        hints.setdefault(place, {})[what or "label"] = text
    for key, text in _table(VALUES, language).items():
        place, _, value = key.partition("=")
        names = hints.setdefault(place, {}).setdefault("values", {})
        assert isinstance(names, dict)
        names[value] = text
    mode = hints.setdefault(_MODE, {})
    mode["values"] = {one.value: mode_name(one, language).capitalize() for one in Mode}
    mode["help"] = "\n".join(mode_words(one, language) for one in Mode)
    return dict(hints)


def _table(phrases: Phrases, language: Language) -> dict[str, str]:
    return {key: phrases.say(key, language) for key in phrases.english}
