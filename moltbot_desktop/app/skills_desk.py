"""The desk of the place "Skills": the folders, the settings and the book of trust, looked at anew.

    desk = FolderSkills(paths, os.environ, clock, language)
    desk.look().lines

The assistant needs not run. While it does, it watches the same folders and files, and hears of
what is changed here as of what an editor writes. Between two looks only what changed is read.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from moltbot_desktop.app.agent_plan import agent_plan, default_agent
from moltbot_desktop.app.paths import Paths, own_python
from moltbot_desktop.app.plugin_skills import roots_of_records
from moltbot_desktop.app.plugins import plugin_survey
from moltbot_desktop.app.skills_setup import open_skills
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.load import load_config
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ordering import natural
from moltbot_desktop.gateway.commands.registry import NAMES
from moltbot_desktop.plugins.host import static_records
from moltbot_desktop.sdk.forms import Put
from moltbot_desktop.sdk.skills_desk import (
    MOST_TEXT,
    Added,
    Doubt,
    Lack,
    Need,
    NeedKind,
    SkillLine,
    SkillOffer,
    SkillOrigin,
    SkillSheet,
    SkillShelf,
    SkillState,
    TakenOut,
)
from moltbot_desktop.skills.book import SkillBook, SkillView, Standing
from moltbot_desktop.skills.commands import slash_names
from moltbot_desktop.skills.discovery import SKILL_FILE, SkillProblem, SkillRoot
from moltbot_desktop.skills.eligibility import EligibilityReport, Gate
from moltbot_desktop.skills.frontmatter import MAX_FILE_BYTES, parse_skill
from moltbot_desktop.skills.install import Offered, SkillHome
from moltbot_desktop.skills.scan_rules import Severity
from moltbot_desktop.skills.scanner import (
    ScanReport,
    finding_words,
    read_files,
    scan,
    severity_word,
)
from moltbot_desktop.skills.shown import shown_words
from moltbot_desktop.skills.tool_mentions import called_in
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import disk_errors

_PHRASES = Phrases(
    english={
        "gone": "This skill is not there any more.",
        "gone_do": "Choose another one.",
        "no_offer": "What was to be added is not at hand any more.",
        "no_offer_do": "Choose the folder or the zip again.",
    },
    chinese={
        "gone": "这个技能已经不在了。",
        "gone_do": "请选择另一个。",
        "no_offer": "要添加的内容已经不在手边了。",
        "no_offer_do": "请重新选择文件夹或 zip。",
    },
)
_BY_HAND = frozenset({Gate.DISABLED, Gate.UNTRUSTED, Gate.CHANGED})
"""What a press of the person's changes; everything else is a lack."""
_NAMED = frozenset({Gate.BINS, Gate.ANY_BINS, Gate.ENV})
_STATES: Mapping[Gate, SkillState] = {
    Gate.DISABLED: SkillState.OFF,
    Gate.UNTRUSTED: SkillState.NEW,
    Gate.CHANGED: SkillState.CHANGED,
}


class FolderSkills:
    """A `SkillsDesk`, of the default agent's skills."""

    def __init__(
        self,
        paths: Paths,
        environment: Mapping[str, str],
        clock: Clock,
        language: Language,
        written: Callable[[], None] = lambda: None,
    ) -> None:
        """`written` is called when the settings' file says more (`app.settings_now`)."""
        self._paths, self._environment = paths, environment
        self._written = written
        self._clock, self._language = clock, language
        self._lock = threading.Lock()
        self._config = Config()
        self._lent: tuple[SkillRoot, ...] = ()
        self._workspace = Path()
        self._book: SkillBook | None = None
        self._made_for: Hashable = None
        self._offers: dict[str, Offered] = {}
        self._numbers = count(1)

    def look(self) -> SkillShelf:
        with self._lock:
            book = self._open()
            view = book.view()
            commands = _commands(view)
            lines = [self._line(one, commands) for one in view.standings]
            lines += [_broken(one, book.roots) for one in view.problems]
            lines.sort(key=lambda one: natural(one.shown_name))
            return SkillShelf(tuple(lines), self._workspace / "skills")

    def sheet(self, skill: str) -> SkillSheet:
        with self._lock:
            book = self._open()
            view = book.view()
            if any(skill == str(one.path) for one in view.problems):
                return SkillSheet(_text_at(Path(skill)))
            standing = self._standing(view, skill)
            found = standing.skill
            files = read_files(found.folder)
            with disk_errors(found.location):
                data = read_plain(found.location, MAX_FILE_BYTES)
            changed = standing.report.has(Gate.CHANGED)
            return SkillSheet(
                _shown(data),
                tuple(one.path for one in files),
                tuple(_needs(standing)),
                tuple(one.command for one in found.metadata.install),
                called_in(parse_skill(data, language=self._language).instructions),
                found.invocation.tool,
                self._doubts(scan(files)),
                book.trust.changes(found, self._language) if changed else "",
            )

    def switch(self, skill: str, *, on: bool) -> None:
        with self._lock:
            key = self._standing(self._open().view(), skill).skill.key
            file = SettingsFile(self._paths.home, self._environment, self._language)
            file.change([Put(("skills", "entries", key, "enabled"), on)])
        self._written()

    def trust(self, skill: str, content_hash: str) -> None:
        with self._lock:
            book = self._open()
            found = self._standing(book.view(), skill).skill
            # As it was when the person looked: the book refuses where the folder is another now.
            book.trust.trust(replace(found, content_hash=content_hash), self._language)

    def untrust(self, skill: str) -> None:
        with self._lock:
            book = self._open()
            book.trust.withdraw(self._standing(book.view(), skill).skill)

    def offers(self, source: Path) -> tuple[SkillOffer, ...]:
        with self._lock:
            found = self._home(SkillOrigin.MANAGED).offers(str(source))
            self._offers = {str(next(self._numbers)): one for one in found}
            return tuple(self._offer(name, one) for name, one in self._offers.items())

    def put_in(self, offer: str) -> Added:
        with self._lock:
            offered = self._offers.pop(offer, None)
            if offered is None:
                raise self._refused("no_offer")
            placed = self._home(SkillOrigin.MANAGED).put_in(offered)
            kept = offered.replaces is not None
            before = TakenOut(offered.name, SkillOrigin.MANAGED) if kept else None
            added = _id_in(placed.folder)
            there = any(added == str(one.skill.location) for one in self._open().view().standings)
            return Added(added, placed.name, before, hidden=not there)

    def take_back(self, added: Added) -> None:
        with self._lock:
            home = self._home(SkillOrigin.MANAGED)
            if added.before is not None:
                home.undo(added.before.name)
            else:
                home.remove(added.name)

    def remove(self, skill: str) -> TakenOut:
        with self._lock:
            found = self._standing(self._open().view(), skill).skill
            origin = SkillOrigin(found.source)
            self._home(origin).remove(found.name)
            return TakenOut(found.name, origin)

    def bring_back(self, taken: TakenOut) -> str:
        with self._lock:
            self._open()
            return _id_in(self._home(taken.origin).undo(taken.name).folder)

    # ------------------------------------------------------------------ inside

    def _open(self) -> SkillBook:
        """The book, as the settings and the plugins are now."""
        loaded = load_config(self._paths.home, language=self._language)
        self._config = config = loaded.config
        agent = default_agent(config)
        self._workspace = agent_plan(self._paths, config, agent, self._language).workspace
        survey = plugin_survey(self._paths, config, self._environment, self._language)
        self._lent = roots_of_records(static_records(survey, own_python(), self._language))
        made_for = (agent, self._workspace, config.skills.extra_dirs)
        if self._book is None or self._made_for != made_for:
            self._made_for = made_for
            self._book = open_skills(
                self._paths,
                self._workspace,
                agent,
                lambda: self._config,
                self._clock,
                self._language,
                lambda: self._lent,
            )
        return self._book

    def _home(self, origin: SkillOrigin) -> SkillHome:
        """Where skills of that origin are kept; what came otherwise is not in either of them."""
        mine = origin is SkillOrigin.WORKSPACE
        folder = self._workspace / "skills" if mine else self._paths.managed_skills
        return SkillHome(folder, self._language)

    def _standing(self, view: SkillView, skill: str) -> Standing:
        found = (one for one in view.standings if str(one.skill.location) == skill)
        standing = next(found, None)
        if standing is None:
            raise self._refused("gone")
        return standing

    def _line(self, standing: Standing, commands: Mapping[str, str]) -> SkillLine:
        skill, report = standing.skill, standing.report
        origin, shown = SkillOrigin(skill.source), shown_words(skill, self._language)
        return SkillLine(
            str(skill.location),
            skill.name,
            shown.description,
            _state(report),
            origin,
            skill.folder,
            lacks=tuple(self._lacks(report)),
            key=skill.key,
            content_hash=skill.content_hash,
            trusted=standing.trusted,
            by_word=standing.trusted and origin is not SkillOrigin.BUNDLED,
            command=commands.get(skill.name, ""),
            by_model=skill.offered_to_model,
            title=shown.title,
        )

    def _lacks(self, report: EligibilityReport) -> Iterator[Lack]:
        for one in report.reasons:
            if one.gate not in _BY_HAND:
                names = one.missing if one.gate in _NAMED else ()
                yield Lack(one.words(self._language), one.advice(self._language), names)

    def _offer(self, name: str, offered: Offered) -> SkillOffer:
        return SkillOffer(
            name,
            offered.name,
            offered.text.description,
            len(offered.files),
            self._doubts(offered.report),
            offered.replaces is not None,
            offered.is_same,
        )

    def _doubts(self, report: ScanReport) -> tuple[Doubt, ...]:
        language = self._language
        return tuple(
            Doubt(
                one.place,
                severity_word(one.severity, language),
                finding_words(one, language),
                one.severity is Severity.HIGH,
            )
            for one in report.findings
        )

    def _refused(self, phrase: str) -> UserInputInvalid:
        say, language = _PHRASES.say, self._language
        return UserInputInvalid(say(phrase, language), hint=say(f"{phrase}_do", language))


def _state(report: EligibilityReport) -> SkillState:
    found = (state for gate, state in _STATES.items() if report.has(gate))
    return next(found, SkillState.READY if report.eligible else SkillState.NEEDS)


def _commands(view: SkillView) -> Mapping[str, str]:
    """As they are in the chat: those that cannot be used have theirs after the others. A name in
    another alphabet can be typed itself, and says more than ``skill_2``."""
    unusable = [one.skill for one in view.standings if not one.report.eligible]
    found = slash_names((*view.usable, *unusable), NAMES.keys())
    return {
        name: command if name.isascii() else _typed(name, command)
        for name, command in found.items()
    }


def _typed(name: str, command: str) -> str:
    whole = name.casefold()
    return command if whole in NAMES or any(map(str.isspace, whole)) else whole


def _broken(problem: SkillProblem, roots: Sequence[SkillRoot]) -> SkillLine:
    """It may be a folder of skills that cannot be read, too."""
    path = problem.path
    folder = path.parent if path.name == SKILL_FILE else path
    inside = (one for one in roots if folder.is_relative_to(one.path.resolve()))
    root = next(inside, None)
    return SkillLine(
        str(path),
        folder.name,
        "",
        SkillState.BROKEN,
        SkillOrigin(root.source) if root is not None else SkillOrigin.EXTRA,
        folder,
        lacks=(Lack(problem.reason, problem.hint),),
    )


def _needs(standing: Standing) -> Iterator[Need]:
    metadata, report = standing.skill.metadata, standing.report
    if metadata.os:
        yield Need(NeedKind.SYSTEM, ", ".join(metadata.os), not report.has(Gate.OS))
    if metadata.always:
        return  # what it names need not be there
    needs = metadata.requires
    for kind, gate, names in (
        (NeedKind.PROGRAM, Gate.BINS, needs.bins),
        (NeedKind.VARIABLE, Gate.ENV, needs.env),
        (NeedKind.SETTING, Gate.CONFIG, needs.config),
    ):
        for name in names:
            yield Need(kind, name, name not in report.missing(gate))
    if needs.any_bins:
        several = ", ".join(needs.any_bins)
        yield Need(NeedKind.ONE_PROGRAM, several, not report.has(Gate.ANY_BINS))


def _text_at(path: Path) -> str:
    """Of what could not be read as a skill, and perhaps not at all."""
    with contextlib.suppress(OSError):
        return _shown(read_plain(path, MAX_FILE_BYTES))
    return ""


def _shown(data: bytes) -> str:
    text = data.decode("utf-8-sig", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}\n…"


def _id_in(folder: Path) -> str:
    return str(folder.resolve() / SKILL_FILE)
