"""What a command line would do, found without doing it: programs, words, folder, walls, and power.

    plan = planned(Request("ls -la docs"), around, settings, walls_found)
    plan.judged.power        # Power.LOOKS
    plan.order(line)         # what the launcher is told; exactly what was judged

Literal command lines are words for programs; any other is one word for a shell, and always asked
for. `cd x && …` at the beginning is understood as the folder to work in, as that is how models say
it. Nothing here starts anything; files are looked at, never changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

from moltbot_desktop.core.i18n import Language, in_one_line
from moltbot_desktop.sdk.commands import JudgedCommand, Power, Program
from moltbot_desktop.security.commands.lexer import Argv, Joint, Literal, Obstacle, Step
from moltbot_desktop.security.commands.rules import Level
from moltbot_desktop.security.grant_programs import says_all
from moltbot_desktop.security.places import Surroundings, place_of
from moltbot_desktop.security.policy import Place
from moltbot_desktop.security.sandbox.order import Order, Stage
from moltbot_desktop.security.sandbox.probe import Found
from moltbot_desktop.security.sandbox.walls import SYSTEM_FOLDERS, Backend, Walls
from moltbot_desktop.tools.exec.environment import plain_git, programs_environment
from moltbot_desktop.tools.exec.git_project import starts_programs
from moltbot_desktop.tools.exec.here import SYSTEM
from moltbot_desktop.tools.exec.operands import Operand, operands
from moltbot_desktop.tools.exec.steering import STEERING
from moltbot_desktop.tools.exec.system import System
from moltbot_desktop.tools.exec.texts import PHRASES
from moltbot_desktop.tools.exec.weighing import (
    power_of,
    power_of_folder,
    power_of_line,
    words_of_line,
)

_SECRETS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".config"),
    *(".mozilla", ".librewolf", ".thunderbird", ".local/share/keyrings"),
)
_UNDO = ".moltbot"
"""Where undo is written down."""
_PYTHON_ENVIRONMENT = "pyvenv.cfg"
"""Marks a virtual environment. Its `python3` links to the system's, which reads this file
beside the link before anything else and stops where it may not."""
_POWERS = (Power.LOOKS, Power.ADDS, Power.ANYTHING, Power.NEVER)


@dataclass(frozen=True)
class Request:
    """What the model wants run; `folder` "" for the workspace."""

    command: str
    folder: str = ""
    variables: tuple[tuple[str, str], ...] = ()
    terminal: bool = False
    network: bool = False


@dataclass(frozen=True)
class Settings:
    """Of commands: `tools.exec`.

    Attributes:
        allowed: False for none at all.
        wary: a card for each.
        first: folders searched for programs before the system's.
        filters: names of programs that may read their input, and no file, unasked.
        outside: what needs a card has no walls after it (/elevated).
        sealed: nothing may leave this computer: no command that could reach the network.
        system: the ways of this computer's.
    """

    allowed: bool = True
    wary: bool = False
    first: tuple[Path, ...] = ()
    filters: tuple[str, ...] = ()
    outside: bool = False
    sealed: bool = False
    system: System = SYSTEM


@dataclass(frozen=True)
class Problem:
    """Why it cannot be run: `error` for the model, `key` and `values` of what the person reads."""

    error: str
    key: str
    values: Mapping[str, object]


@dataclass(frozen=True)
class Plan:
    """What would be run. `walls` and `environment` still lack the scratch folder."""

    judged: JudgedCommand
    stages: tuple[Stage, ...]
    folder: Path
    walls: Walls
    builder: str
    environment: Mapping[str, str]
    terminal: bool
    system: System = SYSTEM

    def order(self, line: int, scratch: Path) -> Order:
        walls = replace(self.walls, scratch=scratch)
        return Order(self.stages, self.folder, walls, line, self.builder, self.terminal)


@dataclass(frozen=True)
class _Looked:
    """Programs found and words weighed."""

    power: Power
    stages: tuple[Stage, ...]
    readable: tuple[Path, ...]


def planned(
    request: Request,
    around: Surroundings,
    settings: Settings,
    found: Found,
    language: Language,
    lent: Mapping[str, str],
) -> Plan | Problem:
    """`around.workspace` is where the run works; `lent`: variables that skills of the run need."""
    if not settings.allowed:
        return Problem("the settings forbid commands (tools.exec.security)", "forbidden", {})
    system, dialect = settings.system, settings.system.dialect
    if request.terminal and not system.terminals:
        return Problem("there is no pty on this system; run it without", "no_terminal", {})
    read = dialect.read(request.command)
    why = None if isinstance(read, Literal) else read.why
    if why in (Obstacle.EMPTY, Obstacle.LONG):
        return Problem("`command` is empty or longer than 4096 characters", "no_command", {})
    steps = read.steps if isinstance(read, Literal) else ()
    folder_text, steps = _entered(request.folder, steps)
    # Before anything is looked up: the look itself would tell another computer who is here.
    if far := _far(request.command, steps, folder_text, system):
        return Problem(f"{far!r} lies on another computer or is a device", "far", {"path": far})
    folder = _folder(folder_text, around.workspace)
    if any(_wants_shell(argv, folder, settings) for step in steps for argv in step.pipeline):
        why, steps, folder_text = Obstacle.KEYWORD, (), request.folder
        folder = _folder(folder_text, around.workspace)
    if folder is None:
        shown = folder_text or str(around.workspace)
        return Problem(f"there is no folder {shown[:200]!r}", "no_folder", {"folder": shown[:200]})
    if steps:
        looked = _looked(steps, folder, around, settings)
    else:
        looked = _as_shell(request.command, folder, around, system)
    if isinstance(looked, Problem):
        return looked
    power = max(
        (looked.power, power_of_folder(folder, around), _power_of_variables(request)),
        key=_POWERS.index,
    )
    walls = _walls(folder, around, found, looked.readable, network=request.network)
    if power is Power.LOOKS and walls.backend is Backend.NONE and _goes_deep(steps, system):
        power = Power.ANYTHING
    outside = settings.outside and power is Power.ANYTHING
    if outside:
        walls = replace(walls, backend=Backend.NONE)
    open_way = walls.network or (power is Power.ANYTHING and walls.backend is Backend.NONE)
    if settings.sealed and open_way:
        return Problem("the offline seal is closed; run it without the network", "sealed", {})
    walls = replace(walls, writable=power is not Power.LOOKS, strict=power is not Power.ANYTHING)
    asked = power not in (Power.LOOKS, Power.ADDS)
    environment = programs_environment(
        system.environment(settings.first),
        request.variables,
        lent if asked else {},
        terminal=request.terminal,
    )
    if _only_plain_git(steps, system):
        environment |= plain_git(network=request.network)
    command = _shown(steps, system) if steps else visible(request.command)
    files = operands(looked.stages, folder, shell=not steps) if power is Power.ANYTHING else ()
    judged = JudgedCommand(
        power,
        walls.backend is not Backend.NONE,
        request.network,
        PHRASES.say("card", language, command=command),
        _notes(request, folder, walls, why, language, outside=outside),
        _mark(looked.stages, folder, walls, environment, files),
        settings.wary,
        () if outside else _programs(steps, looked, request, folder, around, system),
        folder,
    )
    return Plan(
        *(judged, looked.stages, folder, walls, found.builder),
        *(environment, request.terminal, system),
    )


def _programs(
    steps: tuple[Step, ...],
    looked: _Looked,
    request: Request,
    folder: Path,
    around: Surroundings,
    system: System,
) -> tuple[Program, ...]:
    """For a yes that is to last; its words are those that were judged."""
    if not steps or request.variables or request.terminal or not system.lasting:
        return ()
    if _only_plain_git(steps, system) and starts_programs(folder):
        return ()
    workspace = around.workspace.resolve()
    commands = (words for stage in looked.stages for words in stage.pipeline)
    named = (argv[0] for step in steps for argv in step.pipeline)
    found = []
    for (path, *more), name in zip(commands, named, strict=True):
        real = Path(path).resolve()
        own = real.is_relative_to(workspace) or Path(path).is_relative_to(workspace)
        found.append(Program(real, (name, *more), not own))
    return tuple(found)


def visible(text: str) -> str:
    """`text` with everything that cannot be seen, or turns the line around, written out."""
    return "".join(
        one if one == "\n" or one.isprintable() else f"\\u{{{ord(one):x}}}" for one in text
    )


def _entered(folder: str, steps: tuple[Step, ...]) -> tuple[str, tuple[Step, ...]]:
    """The folder that a leading ``cd x &&`` means, and the steps after it."""
    if len(steps) < 2 or steps[1].joint is not Joint.AND or len(steps[0].pipeline) != 1:
        return folder, steps
    first = steps[0].pipeline[0]
    if first[0] != "cd" or len(first) != 2 or first[1].startswith("-"):
        return folder, steps
    inside = str(Path(folder, first[1])) if folder else first[1]
    return inside, (replace(steps[1], joint=Joint.ALWAYS), *steps[2:])


def _folder(text: str, workspace: Path) -> Path | None:
    try:
        path = (workspace / Path(text).expanduser()).resolve()
        return path if path.is_dir() else None
    except (OSError, RuntimeError, ValueError):
        return None


def _looked(
    steps: tuple[Step, ...], folder: Path, around: Surroundings, settings: Settings
) -> _Looked | Problem:
    stages, power, readable = [], Power.LOOKS, list[Path]()
    for step in steps:
        pipeline = []
        for argv in step.pipeline:
            program = settings.system.find(argv[0], folder, settings.first)
            if program is None:
                shown = argv[0][:80]
                return Problem(f"there is no program {shown!r}", "no_program", {"program": shown})
            pipeline.append((str(program), *argv[1:]))
            one = power_of(argv, program, folder, around, settings.filters, settings.system)
            power = max(power, one, key=_POWERS.index)
            readable += _needed(argv, program, folder, around, settings.system)
        stages.append(Stage(step.joint.value, tuple(pipeline)))
    return _Looked(power, tuple(stages), tuple(dict.fromkeys(readable)))


def _as_shell(text: str, folder: Path, around: Surroundings, system: System) -> _Looked | Problem:
    """The whole line for a shell, as it stands."""
    words = system.shell(text)
    if words is None:
        return Problem("write it without a shell's own signs", "no_shell", {})
    power = power_of_line(text, folder, around)
    return _Looked(power, (Stage(";", (words,)),), ())


def _wants_shell(argv: Argv, folder: Path | None, settings: Settings) -> bool:
    """Whether the program is none, but a shell knows what it is."""
    system = settings.system
    if system.dialect.needs_shell(argv):
        return True
    found = system.find(argv[0], folder, settings.first) if folder else None
    return found is not None and system.for_a_shell(found)


def _far(text: str, steps: tuple[Step, ...], folder: str, system: System) -> str:
    """A path in it that must not even be looked for; "" for none."""
    named = [word for step in steps for argv in step.pipeline for word in argv]
    for word in (folder, *(named or words_of_line(text))):
        if system.dialect.far(word):
            return word[:200]
    return ""


def _goes_deep(steps: tuple[Step, ...], system: System) -> bool:
    commands = (argv for step in steps for argv in step.pipeline)
    return any(system.dialect.level(argv) is Level.LOOKS_DEEP for argv in commands)


def _only_plain_git(steps: tuple[Step, ...], system: System) -> bool:
    """Whether git is among the programs, and all that it is told is in its words."""
    commands = [argv for step in steps for argv in step.pipeline if Path(argv[0]).name == "git"]
    return bool(commands) and all(
        says_all(argv) or system.dialect.level(argv) is Level.LOOKS_DEEP for argv in commands
    )


def _power_of_variables(request: Request) -> Power:
    return Power.ANYTHING if request.variables or request.terminal else Power.LOOKS


def _needed(
    argv: Argv, program: Path, folder: Path, around: Surroundings, system: System
) -> list[Path]:
    """What it has to see besides the workspace: its own files, and what the owner sees named."""
    real = program.resolve()
    own = real.parent.parent if real.parent.name in ("bin", "shims") else real.parent
    found = [real if _holds_home(own, around) else own]
    environment = program.parent.parent.resolve()
    if (environment / _PYTHON_ENVIRONMENT).is_file() and not _holds_home(environment, around):
        found.append(environment)
    for word in system.dialect.paths(argv):
        path = folder / word
        if place_of(str(path), around) is Place.OUTSIDE and path.exists():
            found.append(path.resolve())
    return [one for one in found if not any(one.is_relative_to(top) for top in SYSTEM_FOLDERS)]


def _holds_home(path: Path, around: Surroundings) -> bool:
    return path in (around.user_home, Path("/"), *around.user_home.parents)


def _walls(
    folder: Path,
    around: Surroundings,
    found: Found,
    readable: tuple[Path, ...],
    *,
    network: bool,
) -> Walls:
    workspace = around.workspace.resolve()
    inside = folder.is_relative_to(workspace)
    base = workspace if inside else folder
    also = (*readable, *around.library, *(() if inside else (workspace,)))
    secrets = (around.home, *(around.user_home / one for one in _SECRETS))
    hidden = tuple(one for one in secrets if one.is_dir() and not workspace.is_relative_to(one))
    walls = Walls(
        found.backend,
        base,
        Path(),
        readable=tuple(dict.fromkeys(also)),
        kept=tuple(path for one in (*STEERING, _UNDO) if (path := base / one).exists()),
        hidden=hidden,
        network=network,
    )
    return walls if walls.can_hide() else replace(walls, backend=Backend.NONE)


def _shown(steps: Sequence[Step], system: System) -> str:
    text = ""
    for step in steps:
        line = " | ".join(" ".join(map(system.shown, argv)) for argv in step.pipeline)
        text += f" {step.joint.value} {line}" if text else line
    return text.replace(" ; ", "; ")


def _notes(
    request: Request,
    folder: Path,
    walls: Walls,
    why: Obstacle | None,
    language: Language,
    *,
    outside: bool,
) -> str:
    def say(key: str, **values: object) -> str:
        return PHRASES.say(key, language, **values)

    notes = [say("in_folder", folder=folder)]
    if why is not None:
        notes.append(say("for_a_shell"))
    if walls.backend is Backend.NONE:
        notes.append(say("outside" if outside else "no_walls"))
    else:
        notes.append(say("may_write" if walls.writable else "may_read", folder=walls.folder))
        if walls.writable and walls.kept and not walls.can_keep():
            kept = (one.relative_to(walls.folder).as_posix() for one in walls.kept)
            names = ", ".join(one for one in kept if one != _UNDO)
            notes += [say("may_steer", names=names)] if names else []
        notes.append(say("online" if walls.network else "offline"))
    names = ", ".join(name for name, _ in request.variables)
    if names:
        notes.append(say("variables", names=names))
    return reduce(in_one_line, notes)


def _mark(
    stages: tuple[Stage, ...],
    folder: Path,
    walls: Walls,
    environment: Mapping[str, str],
    files: tuple[Operand, ...],
) -> str:
    """Of everything that was judged; another program under the same name makes another mark, and
    so does another text of a program that is run."""
    programs = []
    for stage in stages:
        for words in stage.pipeline:
            status = Path(words[0]).stat()
            programs.append((status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns))
    whole = (stages, folder, walls, sorted(environment.items()), programs, files)
    return hashlib.sha256(repr(whole).encode("utf-8", "surrogatepass")).hexdigest()
