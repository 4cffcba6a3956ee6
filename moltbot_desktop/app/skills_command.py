"""`moltbot-desktop skills`: shows, checks, installs and begins skills without the assistant.

Everything that changes what the assistant may use is asked of the person at this terminal:
installing, and, apart from that, trusting. A script can install with ``--yes``, never trust.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.agent_plan import default_agent
from moltbot_desktop.app.known_tools import known_tools
from moltbot_desktop.app.paths import Paths, own_python
from moltbot_desktop.app.plugin_skills import roots_of_records
from moltbot_desktop.app.plugins import plugin_survey
from moltbot_desktop.app.skills_setup import open_skills
from moltbot_desktop.app.typed import typed_line
from moltbot_desktop.app.workspace import prepare_workspace
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.skills import (
    FindingLine,
    RemarkLine,
    Shown,
    SkillLine,
    SkillSheet,
    list_skills,
    show_skill,
    told_checked,
    told_findings,
    told_scanned,
)
from moltbot_desktop.cli.skills_texts import PHRASES as SKILLS_TEXTS
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.mcp import read_mcp_servers
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import SkillInvalid, UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.gateway.commands.registry import NAMES
from moltbot_desktop.plugins.host import static_records
from moltbot_desktop.skills.book import SkillBook, Standing
from moltbot_desktop.skills.checking import Remark, check_text, new_skill
from moltbot_desktop.skills.commands import slash_names
from moltbot_desktop.skills.discovery import BUNDLED, SKILL_FILE, Skill, SkillProblem
from moltbot_desktop.skills.eligibility import TrustState
from moltbot_desktop.skills.frontmatter import MAX_FILE_BYTES, SkillText, parse_skill
from moltbot_desktop.skills.install import Offered, SkillHome
from moltbot_desktop.skills.install_texts import refused
from moltbot_desktop.skills.package import read_package
from moltbot_desktop.skills.package_paths import folder_name
from moltbot_desktop.skills.scan_rules import Severity
from moltbot_desktop.skills.scanner import (
    Finding,
    ScanReport,
    SkillFile,
    finding_words,
    read_files,
    scan,
    severity_word,
)
from moltbot_desktop.skills.shown import shown_words
from moltbot_desktop.skills.tool_mentions import KnownTools, ToolRemark, check_tools
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic

_YES = frozenset({"y", "yes", "是", "好", "可以"})
_PHRASES = Phrases(
    english={
        "unknown": "There is no skill called “{name}”.",
        "unknown_do": "`skills list` names them; check and scan also take a folder or a zip.",
        "no_name": "A skill needs a name of one line, at most 64 characters.",
        "no_name_do": "Such as: skills new garden-log",
        "nobody": "There is nobody to ask whether it may be installed.",
        "nobody_do": "Read it, then add --yes.",
        "no_word": "Trust is the word of a person at a terminal: no script's, and none of --json.",
        "no_word_do": "Type the same in a terminal of your own.",
    },
    chinese={
        "unknown": "没有名为“{name}”的技能。",
        "unknown_do": "`skills list` 会列出它们；check 和 scan 也接受文件夹或 zip。",
        "no_name": "技能需要一个一行的名字，最多 64 个字符。",
        "no_name_do": "例如：skills new garden-log",
        "nobody": "没有人可以问是否要安装。",
        "nobody_do": "请先读一读，再加上 --yes。",
        "no_word": "信任要由终端前的人来说：脚本不行，带 --json 也不行。",
        "no_word_do": "请在你自己的终端里输入同样的命令。",
    },
)


def run_skills_command(
    paths: Paths,
    loaded: LoadedConfig,
    arguments: Arguments,
    language: Language,
    clock: Clock,
) -> int:
    """`skills list|info|check|scan|install|remove|undo|new|trust|untrust`.

    Raises:
        UserInputInvalid: there is no skill of that name, or nobody to ask.
        SkillInvalid: what was given cannot be used as a skill.
        StorageError: the disk said no.
    """
    workspace = prepare_workspace(paths, loaded.config)
    shown = Shown(language, arguments.json, sys.stdout)
    survey = plugin_survey(paths, loaded.config, loaded.environment, language)
    records = static_records(survey, own_python(), language)
    lent = roots_of_records(records)
    servers = read_mcp_servers(loaded.config.raw, loaded.environment, language)
    command = _SkillsCommand(
        paths,
        workspace,
        shown,
        open_skills(
            paths,
            workspace,
            default_agent(loaded.config),
            lambda: loaded.config,
            clock,
            language,
            lambda: lent,
        ),
        known_tools(records, servers),
        _ask if sys.stdin.isatty() else None,
    )
    match arguments.action:
        case "list":
            return list_skills(command.lines(), shown)
        case "info":
            return show_skill(command.sheet(command.standing(arguments.name)), shown)
        case "check":
            return told_checked(command.sheets(arguments.name), shown)
        case "scan":
            return command.scan(arguments.name)
        case "install":
            return command.install(arguments.name, arguments.text, yes=arguments.yes)
        case "remove" | "undo":
            return command.put_back(arguments.name, undo=arguments.action == "undo")
        case "trust":
            return command.trust(arguments.name)
        case "untrust":
            return command.untrust(arguments.name)
        case _:
            return command.new(arguments.name, arguments.text)


@dataclass(frozen=True)
class _SkillsCommand:
    paths: Paths
    workspace: Path
    shown: Shown
    book: SkillBook
    tools: KnownTools
    ask: Callable[[str], str] | None

    # ---------------------------------------------------------------- looking

    def lines(self) -> list[SkillLine]:
        view = self.book.view()
        commands = slash_names(view.usable, NAMES.keys())
        return [
            *(self._line(one, commands) for one in view.standings),
            *(_broken(problem) for problem in view.problems),
        ]

    def standing(self, name: str) -> Standing:
        view = self.book.view()
        standing = view.standing(name)
        if standing is not None:
            return standing
        for one in view.problems:
            if one.path.parent.name == name:  # what it calls itself nobody can tell
                raise SkillInvalid(f"{one.path}: {one.reason}", hint=one.hint)
        raise self._unknown(name)

    def sheet(self, standing: Standing) -> SkillSheet:
        skill = standing.skill
        files = read_files(skill.folder)
        needs = skill.metadata.requires
        with disk_errors(skill.location):
            text = parse_skill(read_plain(skill.location, MAX_FILE_BYTES), language=self._language)
        return SkillSheet(
            self._line(standing, slash_names(self.book.view().usable, NAMES.keys())),
            _given(bins=needs.bins, anyBins=needs.any_bins, env=needs.env, config=needs.config,
                   os=skill.metadata.os),
            tuple(step.command for step in skill.metadata.install),
            skill.invocation.tool,
            len(files),
            self._findings(scan(files)),
            self._remarks(text, skill.folder.name),
        )  # fmt: skip

    def sheets(self, name: str) -> list[SkillSheet]:
        """Of one skill, of what is to become one, of a folder full of those, or of all."""
        view = self.book.view()
        if not name:
            return [
                *(self.sheet(one) for one in view.standings),
                *(SkillSheet(_broken(problem)) for problem in view.problems),
            ]
        broken = [one for one in view.problems if one.path.parent.name == name]
        if broken:
            return [SkillSheet(_broken(one)) for one in broken]
        if (standing := view.standing(name)) is not None:
            return [self.sheet(standing)]
        if many := _skills_in(Path(name)):
            return [self._to_become_or_not(one) for one in many]
        return [self._to_become(name)]

    def _to_become_or_not(self, folder: Path) -> SkillSheet:
        try:
            return self._to_become(str(folder))
        except SkillInvalid as error:
            problem = SkillProblem(folder / SKILL_FILE, error.message, error.hint)
            return SkillSheet(_broken(problem))

    def _to_become(self, name: str) -> SkillSheet:
        """What lies at a path."""
        offered = self._offered(name)
        folder = Path(name).resolve().name if Path(name).is_dir() else folder_name(offered.name)
        line = SkillLine(offered.name, offered.text.description, name, source="workspace")
        remarks = self._remarks(offered.text, folder)
        findings = self._findings(offered.report)
        return SkillSheet(line, {}, (), "", len(offered.files), findings, remarks)

    def scan(self, name: str) -> int:
        """An installed skill by name, or whatever lies at a path."""
        view = self.book.view()
        broken = (one.path.parent for one in view.problems if one.path.parent.name == name)
        standing = view.standing(name)
        folder = standing.skill.folder if standing is not None else next(broken, None)
        if folder is not None:
            report = scan(read_files(folder))
        elif not _is_there(name):
            raise self._unknown(name)
        else:
            files = read_package(name, self._language)
            report = scan(
                [SkillFile(one.path, one.data, len(one.data), one.runnable) for one in files]
            )
        return told_scanned(self._findings(report), report.files, self.shown)

    # ---------------------------------------------------------------- changing

    def install(self, source: str, name: str, *, yes: bool) -> int:
        home = SkillHome(self.paths.managed_skills, self._language)
        offered = home.offer(source, name)
        if offered.is_same:
            self._told("same", name=offered.name)
            return 0
        if not self.shown.as_json:
            self.shown.say("title", name=offered.name, description=offered.text.description)
            told_findings(self._findings(offered.report), self.shown)
            if offered.replaces is not None:
                self.shown.say("replaces", name=offered.name)
        if not yes and not self._agreed(offered):
            self._told("not_installed", name=offered.name)
            return 1
        placed = home.put_in(offered)
        self._told("installed", name=placed.name, folder=placed.folder)
        standing = self.book.view().standing(placed.name)
        there = standing is not None and standing.skill.folder == placed.folder.resolve()
        if standing is None or not there:  # another one of that name counts more
            return 0
        if self.ask is not None and not yes and self._asked("ask_trust"):
            self._trust(standing.skill)
            return 0
        if not self.shown.as_json:
            self.shown.say("untrusted", name=placed.name)
        return 0

    def trust(self, name: str) -> int:
        """The person's word at a terminal is enough for what is new; what looks dangerous, or is
        not as it was trusted, is shown and asked for."""
        skill = self.standing(name).skill
        if skill.source == BUNDLED:
            self._told("trusted_anyway", name=skill.name)
            return 0
        self._must_ask("no_word")
        report = scan(read_files(skill.folder))
        told_findings(self._findings(report), self.shown)
        if changes := self.book.trust.changes(skill, self._language):
            self.shown.say("changes", changes=changes)
        danger = report.worst is Severity.HIGH
        changed = self.book.trust.state(skill) is TrustState.CHANGED
        if (danger or changed) and not self._asked(
            "ask_danger_trust" if danger else "ask_changed_trust"
        ):
            self._told("not_trusted", name=skill.name)
            return 1
        self._trust(skill)
        return 0

    def untrust(self, name: str) -> int:
        skill = self.standing(name).skill
        done = self.book.trust.withdraw(skill)
        if done:
            self._told("not_trusted_now", name=skill.name)
        else:
            self._told("never_trusted", name=skill.name)
        return 0 if done else 1

    def _trust(self, skill: Skill) -> None:
        self.book.trust.trust(skill, self._language)
        self._told("trusted", name=skill.name)

    def put_back(self, name: str, *, undo: bool) -> int:
        home = SkillHome(self.paths.managed_skills, self._language)
        if undo:
            placed = home.undo(name)
            self._told("undone", name=placed.name, folder=placed.folder)
        else:
            home.remove(name)
            self._told("removed", name=name)
        return 0

    def new(self, name: str, description: str) -> int:
        """Begin a skill in the workspace."""
        try:
            text = new_skill(name, description)
            parse_skill(text.encode(), language=self._language)
        except ValueError as error:
            raise UserInputInvalid(self._say("no_name"), hint=self._say("no_name_do")) from error
        folder = self.workspace / "skills" / folder_name(name)
        if folder.exists():
            raise refused("exists", self._language, folder=folder.name)
        make_private_dir(folder)
        path = folder / SKILL_FILE
        write_atomic(path, text.encode())
        self._told("made", name=name.strip(), path=path)
        return 0

    # ---------------------------------------------------------------- inside

    @property
    def _language(self) -> Language:
        return self.shown.language

    def _line(self, standing: Standing, commands: Mapping[str, str]) -> SkillLine:
        skill, report = standing.skill, standing.report
        return SkillLine(
            skill.name,
            shown_words(skill, self._language).description,
            str(skill.location),
            report.words(self._language),
            report.advice(self._language),
            source=skill.source,
            command=commands.get(skill.name, ""),
        )

    def _findings(self, report: ScanReport) -> tuple[FindingLine, ...]:
        return tuple(self._finding(one) for one in report.findings)

    def _finding(self, one: Finding) -> FindingLine:
        word = severity_word(one.severity, self._language)
        return FindingLine(one.place, one.severity, word, finding_words(one, self._language))

    def _remarks(self, text: SkillText, folder: str) -> tuple[RemarkLine, ...]:
        remarks: list[Remark | ToolRemark] = [*check_text(text, folder)]
        remarks += check_tools(text, self.tools)
        return tuple(
            RemarkLine(one.words(self._language), one.advice(self._language), one.serious)
            for one in remarks
        )

    def _offered(self, source: str) -> Offered:
        if not _is_there(source):
            raise self._unknown(source)
        return SkillHome(self.paths.managed_skills, self._language).offer(source)

    def _agreed(self, offered: Offered) -> bool:
        self._must_ask("nobody")
        danger = offered.report.worst is Severity.HIGH
        return self._asked("ask_danger" if danger else "ask_install")

    def _must_ask(self, otherwise: str) -> None:
        if self.ask is None or self.shown.as_json:
            raise UserInputInvalid(self._say(otherwise), hint=self._say(f"{otherwise}_do"))

    def _asked(self, key: str) -> bool:
        assert self.ask is not None
        return self.ask(SKILLS_TEXTS.say(key, self._language)).strip().casefold() in _YES

    def _told(self, key: str, **slots: object) -> None:
        if self.shown.as_json:
            self.shown.json({"done": key, **{name: str(value) for name, value in slots.items()}})
        else:
            self.shown.say(key, **slots)

    def _say(self, key: str, **slots: object) -> str:
        return _PHRASES.say(key, self._language, **slots)

    def _unknown(self, name: str) -> UserInputInvalid:
        return UserInputInvalid(self._say("unknown", name=name), hint=self._say("unknown_do"))


def _broken(problem: SkillProblem) -> SkillLine:
    folder = problem.path.parent
    return SkillLine(folder.name, "", str(problem.path), problem.reason, problem.hint)


def _skills_in(folder: Path) -> Sequence[Path]:
    """The folders of skills in `folder`, where it is none itself."""
    try:
        if not folder.is_dir() or (folder / SKILL_FILE).exists():
            return ()
        return sorted(one for one in folder.iterdir() if (one / SKILL_FILE).is_file())
    except (OSError, ValueError):
        return ()


def _given(**needs: tuple[str, ...]) -> Mapping[str, Sequence[str]]:
    return {kind: names for kind, names in needs.items() if names}


def _is_there(source: str) -> bool:
    if "://" in source or source.startswith("file:"):
        return True  # `read_package` says what it thinks of it
    try:
        return Path(source).expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        return False


def _ask(question: str) -> str:
    sys.stdout.write(question)
    sys.stdout.flush()
    return typed_line()
