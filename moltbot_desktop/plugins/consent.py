"""Whether a plugin from outside is still what its owner said yes to: by the hash of its files.

    consent = PluginConsent(home / "plugin-trust", language)
    consent.objection(found, alone=True)   # None, or why it stays off and what to do
    consent.first_word(found)      # it is on and nothing is known of it: this is what is meant
    consent.say_yes(found); consent.take_back(found); consent.changes(found)

The word for a plugin stands in the settings (``plugins enable``); what it was given for stands
here, in the program's state, where no tool writes. When the files change, the plugin is off until
``plugins trust NAME``, which shows what changed. The settings name an id, and an id is anybody's:
one that appears where another of that name is, or was meant, is asked about too, or whoever can
write a folder would have the yes that was given to another. What comes with the program changes
with the program, and what pip installed changes by the owner's own pip: neither is asked about.

``__pycache__`` is left out, because Python writes there when a plugin imports its own modules;
it holds what is written there against the time and size of the source.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import PluginInvalid, SkillInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.plugins.discovery import FoundPlugin, Origin
from moltbot_desktop.skills.eligibility import TrustState
from moltbot_desktop.skills.folder import content_hash, look
from moltbot_desktop.skills.frontmatter import as_skill_invalid
from moltbot_desktop.skills.texts import SkillTrouble
from moltbot_desktop.skills.trust import TrustBook

_OUTSIDE = frozenset({Origin.LOAD_PATH, Origin.OWN, Origin.WORKSPACE})
_LEFT_OUT = frozenset({".git", "__pycache__"})
_PHRASES = Phrases(
    {
        "changed": "its files have changed since you switched it on",
        "changed_do": "moltbot-desktop plugins trust {name} shows what changed, and asks.",
        "other": "it is another one than the {name} you switched on",
        "other_do": "Look into {folder}; if you want it: moltbot-desktop plugins trust {name}",
    },
    {
        "changed": "自你打开它以来，它的文件有了改动",
        "changed_do": "用 moltbot-desktop plugins trust {name} 看看改了什么，再决定。",
        "other": "它不是你打开的那个 {name}",
        "other_do": "请看看 {folder}；确实要用它，就运行 moltbot-desktop plugins trust {name}",
    },
)


@dataclass(frozen=True)
class Objection:
    """Why a plugin that is switched on stays off; `hint` says what to do."""

    reason: str
    hint: str


@dataclass(frozen=True)
class _Files:
    """A plugin as it lies there; what `TrustBook` keeps."""

    name: str
    folder: Path
    content_hash: str


class PluginConsent:
    """For any thread; each call reads the folder."""

    def __init__(self, folder: Path, language: Language) -> None:
        self._book = TrustBook(folder, left_out=_LEFT_OUT)
        self._language = language

    def objection(self, found: FoundPlugin, *, alone: bool) -> Objection | None:
        """Why it may not come in; None for what nobody has to be asked about. `alone`: no other
        plugin of its id lies anywhere."""
        if found.origin not in _OUTSIDE:
            return None
        try:
            state = self._state(_files(found))
        except SkillTrouble as trouble:
            error = as_skill_invalid(trouble, self._language)
            return Objection(error.message, error.hint)
        slots = {"name": found.id, "folder": found.folder}
        if state is TrustState.UNKNOWN and (not alone or self._book.knows(found.id)):
            hint = _PHRASES.say("other_do", self._language, **slots)
            return Objection(_PHRASES.say("other", self._language, **slots), hint)
        if state is not TrustState.CHANGED:
            return None
        hint = _PHRASES.say("changed_do", self._language, name=found.id)
        return Objection(_PHRASES.say("changed", self._language), hint)

    def first_word(self, found: FoundPlugin) -> None:
        """The settings have it on and nothing is known of it: what lies there now is meant.

        Raises:
            StorageError: it cannot be kept.
        """
        if found.origin not in _OUTSIDE:
            return
        try:
            files = _files(found)
            if self._state(files) is TrustState.UNKNOWN:
                self._book.trust(files, self._language)
        except (SkillTrouble, SkillInvalid):  # being written right now; asked again next time
            return

    def say_yes(self, found: FoundPlugin) -> None:
        """The owner means it as it is now.

        Raises:
            PluginInvalid: it cannot be looked through, or is being changed right now.
            StorageError: that cannot be kept.
        """
        if found.origin in _OUTSIDE:
            try:
                self._book.trust(self._files(found), self._language)
            except SkillInvalid as error:
                raise PluginInvalid(error.message, hint=error.hint) from error

    def take_back(self, found: FoundPlugin) -> None:
        """It was switched off, or is gone: the next yes is a first one.

        Raises:
            StorageError: that cannot be kept.
        """
        self._book.withdraw(_Files(found.id, found.folder.resolve(), ""))

    def changes(self, found: FoundPlugin) -> str:
        """What is different from what was meant, as a unified diff; "" when nothing is known.

        Raises:
            PluginInvalid: as `say_yes`.
        """
        try:
            files = self._files(found)
            self._state(files)
            return self._book.changes(files, self._language)
        except SkillInvalid as error:
            raise PluginInvalid(error.message, hint=error.hint) from error

    def _state(self, files: _Files) -> TrustState:
        _ = self._book.version  # another process may have said something meanwhile
        return self._book.state(files)

    def _files(self, found: FoundPlugin) -> _Files:
        try:
            return _files(found)
        except SkillTrouble as trouble:
            raise as_skill_invalid(trouble, self._language) from trouble


def _files(found: FoundPlugin) -> _Files:
    looked = look(found.folder, _LEFT_OUT)
    return _Files(found.id, looked.folder, content_hash(looked))
