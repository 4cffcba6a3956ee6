"""The command line's grammar."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from moltbot_desktop import __version__
from moltbot_desktop.cli.help_words import help_in
from moltbot_desktop.core.error_words import translated
from moltbot_desktop.core.i18n import Language, Phrases, in_one_line
from moltbot_desktop.sdk.backup import Part

_PHRASES = Phrases(
    english={"help": "“{command} --help” shows what can be said."},
    chinese={"help": "用“{command} --help”可以看到能写什么。"},
)


@dataclass(frozen=True)
class Arguments:
    """A parsed command line.

    Attributes:
        command: window (the default), settings, toggle, open, chat, ask, memory, skills, secrets,
            models, sessions, undo, serve, status, health, call, config.
        action: of memory (search, forget, unforget, index, status, doctor, inbox, accept,
            reject, undo), skills (list, info, check, scan, install, remove, undo, new, trust,
            untrust), hooks (list, info, enable, disable) and secrets (set, list, remove).
            models: list, pull, use, import, remove, test. sessions: list, show, search, export,
            import, rename, archive, unarchive, delete, restore, resume, branch. config: get,
            set, unset, validate, schema, file, migrate.
        name: of the secret, hook, plugin, skill or model; of models import, the file; of
            skills install, the source; of the memory inbox, the number; of config, the setting,
            whose value is `text`.
        link: leave an imported file where it is.
        yes: do not ask before removing or mending.
        number: of the note to forget, from 1; 0 asks.
        conversations: take the words of a forgotten note out of conversations without asking.
        now: a note is forgotten for good, with no way back.
        fix: of doctor and memory doctor, mend what can be mended.
        when: of cron, the person's words or a cron expression; `title` is the job's name, `tz` a
            zone's name, `agent`, `channel` and `to` as in `sdk.schedule`.
        main: a notice for the main conversation, not a request in one of its own.
        once: the job goes when it has run.
        catch_up: the last time that went by runs late.
        form: of sessions export, md or json; `out` is the file to write.
        agent: of chat and ask, who answers; of memory and agents init, whose; of cron, who
            carries it out. Of agents add, `text` is the model and `out` the workspace.
        words: of mcp add, the command with its arguments; `url` an address in its stead, `pairs`
            are NAME=VALUE.
        archived, deleted: of sessions list, those that were put away, those in the trash.
        listed: of undo, only list the tasks; `name` is the id of one, `anyway` takes it back also
            where files were changed since.
        parts: of export and import, only these.
        dry_run: of import, only tell what would be done.
        mine: of import, nobody else has had the backup in hands.
        keys: of import, keys of the other program go into the password store.
        at_start: of snapshots restore, when the program starts next.
        bundle: of doctor, the file to write for somebody who helps.
        failed: of runs list, those alone that did not end well; `when` is since then, `text` words
            to look for, `to` the place from which the list goes on. Of runs replay, `text` is the
            model and `pairs` are NAME=FOLDER of skills.
        model: a GGUF file to use instead of the configured one.
        local: of chat, ask and acp, answer in this process also where another assistant is running.
    """

    command: str = "window"
    action: str = ""
    text: str = ""
    json: bool = False
    model: Path | None = None
    local: bool = False
    resume: bool = False
    batch: Path | None = None
    max_results: int = 6
    max_characters: int = 0
    start_hidden: bool = False
    name: str = ""
    link: bool = False
    yes: bool = False
    number: int = 0
    conversations: bool = False
    now: bool = False
    fix: bool = False
    when: str = ""
    title: str = ""
    tz: str = ""
    agent: str = ""
    channel: str = ""
    to: str = ""
    main: bool = False
    once: bool = False
    catch_up: bool = False
    form: str = ""
    out: Path | None = None
    archived: bool = False
    deleted: bool = False
    words: Sequence[str] = ()
    listed: bool = False
    anyway: bool = False
    url: str = ""
    pairs: Sequence[str] = ()
    failed: bool = False
    parts: Sequence[str] = ()
    dry_run: bool = False
    mine: bool = False
    keys: bool = False
    at_start: bool = False
    bundle: Path | None = None


def parse(argv: Sequence[str], language: Language = Language.ENGLISH) -> Arguments:
    """`argv` without the program's name. Prints usage and raises SystemExit(2) when it is wrong."""
    try:
        ours, words = _cut(argv)
        known = {**vars(_parser(language).parse_args(ours)), "words": words}
    except _Misused as wrong:
        said = translated(str(wrong.__cause__), language)
        how = _PHRASES.say("help", language, command=wrong.parser.prog)
        usage = wrong.parser.format_usage()
        sys.stderr.write(f"{usage}{wrong.parser.prog}: {in_one_line(said, how)}\n")
        raise SystemExit(2) from None
    return Arguments(**{key: value for key, value in known.items() if value is not None})


def _cut(argv: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Our own words, and the command behind `--` of mcp add: argparse would not let options stand
    before it."""
    if tuple(argv[:2]) != ("mcp", "add") or "--" not in argv:
        return argv, ()
    at = list(argv).index("--")
    return argv[:at], tuple(argv[at + 1 :])


def command_grammar(language: Language) -> argparse.ArgumentParser:
    """All commands with what is said of them, for the reference that is made of it."""
    return _parser(language)


def is_command(word: str) -> bool:
    """Whether `word` is a command of the program's own."""
    actions = _parser(Language.ENGLISH)._actions
    return any(word in one.choices for one in actions if isinstance(one.choices, Mapping))


class _Misused(Exception):
    """A command line that cannot be read; its cause says why."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        super().__init__(parser.prog)
        self.parser = parser


class _Parser(argparse.ArgumentParser):
    """One that leaves it to `parse` in which language a mistake is told."""

    def error(self, message: str) -> NoReturn:
        raise _Misused(self) from ValueError(message)


def _parser(language: Language) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = _Parser(
        prog="moltbot-desktop",
        description="A personal assistant that works offline. Without a command it opens its"
        " window, or talks in the terminal where there is no display.",
    )
    parser.add_argument("--version", action="version", version=f"moltbot-desktop {__version__}")
    parser.add_argument("--hidden", dest="start_hidden", action="store_true",
                        help="start in the tray without opening the window")  # fmt: skip
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_chat(commands)
    _add_ask(commands)
    _add_acp(commands)
    _add_memory(commands)
    _add_skills(commands)
    _add_agents(commands)
    _add_hooks(commands)
    _add_plugins(commands)
    _add_mcp(commands)
    _add_secrets(commands)
    _add_models(commands)
    _add_sessions(commands)
    _add_runs(commands)
    _add_undo(commands)
    _add_cron(commands)
    _add_config(commands)
    _add_network(commands)
    _add_permissions(commands)
    _add_doctor(commands)
    _add_backup(commands)
    _add_mode(commands)
    _add_channels(commands)
    _add_running(commands)
    help_in(parser, language)
    return parser


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", type=Path, metavar="FILE", help="a GGUF file to use")
    parser.add_argument("--json", action="store_true", help="one JSON object per answer")
    parser.add_argument("--agent", metavar="AGENT", help="who answers; the default agent")
    parser.add_argument("--local", action="store_true",
                        help="answer here, even when Moltbot is already running")  # fmt: skip


def _add_chat(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    chat = commands.add_parser("chat", help="talk in the terminal; piped lines are answered")
    _add_model_options(chat)
    chat.add_argument("--resume", action="store_true", help="go on with the window's conversation")


def _add_ask(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    ask = commands.add_parser("ask", help="ask one thing, print the answer")
    ask.add_argument("text", metavar="TEXT")
    _add_model_options(ask)


def _add_acp(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    acp = commands.add_parser("acp", help="be an agent in an editor; the editor starts this")
    acp.add_argument("--model", type=Path, metavar="FILE", help="a GGUF file to use")
    acp.add_argument("--agent", metavar="AGENT",
                     help="who answers where no agent's folder is open")  # fmt: skip
    acp.add_argument("--local", action="store_true",
                     help="answer here, even when Moltbot is already running")  # fmt: skip


def _add_sessions(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    sessions = commands.add_parser("sessions", help="past conversations")
    actions = sessions.add_subparsers(dest="action", required=True, metavar="ACTION")
    of_one = {
        "show": "what was said in one",
        "export": "one as a document to read, or to bring in elsewhere",
        "rename": "give one a name; without NAME take it away",
        "archive": "put one away; it can still be found",
        "unarchive": "take it out again",
        "delete": "put one into the trash",
        "restore": "bring it back from the trash",
        "resume": "new messages go there from now on",
        "branch": "the ways a conversation went; with NUMBER turn to one of them",
    }
    listed = actions.add_parser("list", help="all conversations, the latest first")
    listed.add_argument("--archived", action="store_true", help="those that were put away")
    listed.add_argument("--deleted", action="store_true", help="those in the trash")
    search = actions.add_parser("search", help="find words in all conversations")
    search.add_argument("text", metavar="WORDS", help="what was said")
    search.add_argument("--max-results", type=_positive, default=20, metavar="N",
                        help="at most N messages")  # fmt: skip
    bring_in = actions.add_parser("import", help="bring in an exported conversation or transcript")
    bring_in.add_argument("name", metavar="FILE", help="what export wrote, or a .jsonl file")
    named = {action: actions.add_parser(action, help=text) for action, text in of_one.items()}
    for one in named.values():
        one.add_argument("name", metavar="SESSION", help="its id, or the beginning of it; its name")
    named["rename"].add_argument("text", nargs="?", metavar="NAME", help="what to call it")
    named["branch"].add_argument("number", nargs="?", type=_positive, metavar="NUMBER",
                                 help="the one to turn to")  # fmt: skip
    named["export"].add_argument("--format", dest="form", choices=("md", "json"),
                                 help="md to read (default), json for everything")  # fmt: skip
    named["export"].add_argument("--out", type=Path, metavar="FILE", help="write it there")
    for one in (listed, search, bring_in, *named.values()):
        one.add_argument("--json", action="store_true", help="print JSON")


def _add_runs(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    runs = commands.add_parser("runs", help="what the assistant did, and how it would do it now")
    actions = runs.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = actions.add_parser("list", help="all runs, the latest first")
    listed.add_argument("--agent", metavar="AGENT", help="those of one agent")
    listed.add_argument("--since", dest="when", metavar="WHEN",
                        help="such as 2026-11-22, 7d, 12h or 30m")  # fmt: skip
    listed.add_argument("--failed", action="store_true",
                        help="those that failed, were too slow or gave up")  # fmt: skip
    listed.add_argument("--search", dest="text", metavar="WORDS",
                        help="words of the request or the answer")  # fmt: skip
    listed.add_argument("--last", dest="number", type=_positive, metavar="N",
                        help="the last N; 50")  # fmt: skip
    listed.add_argument("--before", dest="to", metavar="PLACE",
                        help="those before that place; a list ends with it")  # fmt: skip
    show = actions.add_parser("show", help="all about one: prompt, calls, verdicts, answer")
    replay = actions.add_parser(
        "replay", help="ask the same again without doing anything, and compare"
    )
    for one in (show, replay):
        one.add_argument("name", metavar="RUN", help="its id, or the beginning of it")
    replay.add_argument("--model", dest="text", metavar="MODEL",
                        help="with this model; without it the agent's own")  # fmt: skip
    replay.add_argument("--skill", dest="pairs", action="append", metavar="NAME=FOLDER",
                        help="with another version of a skill")  # fmt: skip
    for one in (listed, show, replay):
        one.add_argument("--json", action="store_true", help="print JSON")


def _add_undo(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    undo = commands.add_parser("undo", help="put files back as they were before the last task")
    undo.add_argument("name", nargs="?", metavar="ID", help="of another task")
    undo.add_argument("--list", dest="listed", action="store_true",
                      help="the tasks that changed files, the latest first")  # fmt: skip
    undo.add_argument("--anyway", action="store_true",
                      help="also files that were changed since; a copy is kept")  # fmt: skip
    undo.add_argument("--agent", metavar="AGENT", help="in whose workspace; the default agent's")
    undo.add_argument("--json", action="store_true", help="print JSON")


def _add_agents(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    agents = commands.add_parser("agents", help="several assistants, each with a memory of its own")
    actions = agents.add_subparsers(dest="action", required=True, metavar="ACTION")
    made = {
        "list": actions.add_parser("list", help="all agents, and what is wrong with them"),
        "show": actions.add_parser("show", help="what holds for one"),
        "add": actions.add_parser("add", help="a new one"),
        "remove": actions.add_parser("remove", help="take one out of the settings; its files stay"),
        "init": actions.add_parser(
            "init", help="put AGENTS.md, SOUL.md, USER.md ... into a workspace, to be filled in"
        ),
    }
    for action in ("show", "add", "remove"):
        made[action].add_argument("name", metavar="AGENT", help="letters, digits, - and _")
    made["init"].add_argument("--agent", metavar="AGENT", help="whose; the default one's")
    made["add"].add_argument("--name", dest="title", metavar="NAME", help="what it is called")
    made["add"].add_argument("--model", dest="text", metavar="MODEL",
                             help="its model; without it that of all agents")  # fmt: skip
    made["add"].add_argument("--workspace", dest="out", type=Path, metavar="FOLDER",
                             help="its notes and files; usually workspace-AGENT")  # fmt: skip
    for one in made.values():
        one.add_argument("--json", action="store_true", help="print JSON")


def _add_memory(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    memory = commands.add_parser("memory", help="search, index or look at the memory")
    actions = memory.add_subparsers(dest="action", required=True, metavar="ACTION")
    search = actions.add_parser("search", help="find notes")
    search.add_argument("text", nargs="?", metavar="QUERY", help="what to look for")
    search.add_argument("--batch", type=Path, metavar="FILE",
                        help="one query per line; - reads them from standard input")  # fmt: skip
    search.add_argument("--max-results", type=_positive, metavar="N", help="at most N notes")
    search.add_argument("--max-chars", dest="max_characters", type=_positive, metavar="N",
                        help="as many notes as fit N characters")  # fmt: skip
    search.add_argument("--json", action="store_true", help="one JSON object per query")
    forget = actions.add_parser("forget", help="remove a note; shows what it found and asks which")
    forget.add_argument("text", metavar="WORDS", help="what the note is about")
    forget.add_argument("--number", type=_positive, metavar="N",
                        help="the one of that number, without asking")  # fmt: skip
    forget.add_argument("--conversations", action="store_true",
                        help="take its words out of conversations too, without asking")  # fmt: skip
    forget.add_argument("--now", action="store_true", help="keep nothing to bring it back")
    unforget = actions.add_parser("unforget", help="bring back the note forgotten last")
    for action in (forget, unforget):
        action.add_argument("--json", action="store_true", help="print JSON")
    _add_inbox(actions)
    doctor = actions.add_parser("doctor", help="look for anything wrong with the memory")
    doctor.add_argument("--fix", action="store_true",
                        help="make anew what is damaged; your notes are never touched")  # fmt: skip
    doctor.add_argument("--json", action="store_true", help="print JSON")
    for name, text in (("index", "bring the index up to date"), ("status", "what is indexed")):
        action = actions.add_parser(name, help=text)
        action.add_argument("--json", action="store_true", help="print JSON")
    for one in actions.choices.values():
        one.add_argument("--agent", metavar="AGENT", help="whose memory; the default agent's")


def _add_inbox(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    inbox = actions.add_parser("inbox", help="what waits for your yes before it is remembered")
    accept = actions.add_parser("accept", help="remember what waits under a number")
    accept.add_argument("--text", metavar="TEXT", help="in these words instead")
    reject = actions.add_parser("reject", help="do not remember it, and do not ask again")
    undo = actions.add_parser("undo", help="take a decision back; the last one without a number")
    for action in (accept, reject, undo):
        wanted = "?" if action is undo else None
        action.add_argument("name", nargs=wanted, metavar="N", help="the number in the inbox")
    for action in (inbox, accept, reject, undo):
        action.add_argument("--json", action="store_true", help="print JSON")


def _add_skills(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    skills = commands.add_parser("skills", help="what the assistant was taught to do")
    actions = skills.add_subparsers(dest="action", required=True, metavar="ACTION")
    helps = (
        ("list", "", "what is there, and why some of it cannot be used"),
        ("info", "NAME", "all about one"),
        ("check", "[NAME]", "what is wrong, or could be better; takes a folder or a zip too"),
        ("scan", "NAME", "look for what is dangerous in a skill, a folder or a zip"),
        ("install", "SOURCE", "from a folder, a zip or a git repository on this computer"),
        ("remove", "NAME", "take out one that was installed"),
        ("undo", "NAME", "bring back what an install or a remove took away"),
        ("new", "NAME", "begin one of your own in the workspace"),
        ("trust", "NAME", "say that one from outside may be used as it is now"),
        ("untrust", "NAME", "take that back; it is off until you trust it again"),
    )
    for name, wanted, text in helps:
        action = actions.add_parser(name, help=text)
        if wanted:
            optional = "?" if wanted.startswith("[") else None
            action.add_argument("name", nargs=optional, metavar=wanted.strip("[]"))
        if name == "install":
            action.add_argument("text", nargs="?", metavar="NAME",
                                help="which one, of several in it")  # fmt: skip
            action.add_argument("--yes", action="store_true", help="do not ask")
        if name == "new":
            action.add_argument("text", nargs="?", metavar="DESCRIPTION")
        action.add_argument("--json", action="store_true", help="print JSON")


def _add_hooks(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    hooks = commands.add_parser(
        "hooks", help="small programs of yours that run when something happens"
    )
    actions = hooks.add_subparsers(dest="action", required=True, metavar="ACTION")
    helps = (
        ("list", "what is there, and what of it is on"),
        ("info", "all about one"),
        ("enable", "switch one on, from the next start on"),
        ("disable", "switch one off"),
    )
    for name, text in helps:
        action = actions.add_parser(name, help=text)
        if name != "list":
            action.add_argument("name", metavar="NAME")
        action.add_argument("--json", action="store_true", help="print JSON")


def _add_plugins(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    plugins = commands.add_parser("plugins", help="what adds tools, commands and more")
    actions = plugins.add_subparsers(dest="action", required=True, metavar="ACTION")
    helps = (
        ("list", "", "what is there, what of it is on, and why"),
        ("info", "NAME", "all about one"),
        ("enable", "NAME", "switch one on"),
        ("disable", "NAME", "switch one off"),
        ("trust", "NAME", "see what changed in one, and take it as it is now"),
        ("reload", "[NAME]", "have the running program take its code as it is now"),
        ("check", "FOLDER", "what a form makes of every manifest below a folder"),
        ("new", "NAME", "begin one of your own"),
        ("install", "SOURCE", "from a folder, a zip or a git repository on this computer"),
        ("remove", "NAME", "take out one that was installed"),
    )
    for name, wanted, text in helps:
        action = actions.add_parser(name, help=text)
        if wanted:
            optional = "?" if wanted.startswith("[") else None
            action.add_argument("name", nargs=optional, metavar=wanted.strip("[]"))
        action.add_argument("--json", action="store_true", help="print JSON")


def _add_mcp(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    mcp = commands.add_parser("mcp", help="MCP servers: programs and addresses that offer tools")
    actions = mcp.add_subparsers(dest="action", required=True, metavar="ACTION")
    helps = (
        ("list", "", "which there are, and how they stood last"),
        ("test", "NAME", "start one, and show what it offers"),
        ("add", "NAME", "a new one: a command behind --, or --url"),
        ("remove", "NAME", "take one out of the settings"),
        ("import", "FILE", "take over those of another program's file"),
    )
    for name, wanted, text in helps:
        action = actions.add_parser(name, help=text)
        if wanted:
            action.add_argument("name", metavar=wanted)
        if name == "add":
            action.usage = "%(prog)s NAME [--url URL] [--env NAME=VALUE] [--json] [-- COMMAND ...]"
            action.add_argument("--url", metavar="URL", help="its address instead of a command")
            action.add_argument("--env", dest="pairs", action="append", metavar="NAME=VALUE",
                                help="a variable for it, or a header of requests to it;"
                                " keyring:NAME is a key that is kept")  # fmt: skip
        action.add_argument("--json", action="store_true", help="print JSON")


def _add_secrets(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    secrets = commands.add_parser("secrets", help="keys for models at other addresses")
    actions = secrets.add_subparsers(dest="action", required=True, metavar="ACTION")
    helps = (("set", "keep a key; its value is asked for"), ("remove", "forget a key"))
    for name, text in helps:
        action = actions.add_parser(name, help=text)
        action.add_argument("name", metavar="NAME")
    listing = actions.add_parser("list", help="names of the keys that are kept")
    listing.add_argument("--json", action="store_true", help="print JSON")


def _add_models(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    models = commands.add_parser("models", help="see, fetch and choose models")
    actions = models.add_subparsers(dest="action", required=True, metavar="ACTION")
    helps = (
        ("list", "", "what is here, what can be fetched, and whether it fits"),
        ("pull", "NAME", "fetch a model; Ctrl-C pauses, the same command goes on"),
        ("use", "NAME", "use a model, by name or file, from the next start on"),
        ("import", "FILE", "add a GGUF file"),
        ("remove", "NAME", "remove a model; asks first"),
        ("test", "NAME", "load a model and measure a short answer"),
    )
    for name, wanted, text in helps:
        action = actions.add_parser(name, help=text)
        if wanted:
            action.add_argument("name", metavar=wanted)
        if name == "import":
            action.add_argument("--link", action="store_true", help="leave it where it is")
        if name == "remove":
            action.add_argument("--yes", action="store_true", help="do not ask")
        action.add_argument("--json", action="store_true", help="print JSON")


def _add_network(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    network = commands.add_parser("network", help="what left this computer, and the seal")
    actions = network.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = actions.add_parser("list", help="how the seal stands, and what left, host by host")
    listed.add_argument("--days", dest="number", type=_positive, metavar="N",
                        help="of the last N days; 7")  # fmt: skip
    seal = actions.add_parser("seal", help="on: nothing leaves; off: what you switched on may")
    seal.add_argument("name", choices=("on", "off"), metavar="on|off")
    for one in (listed, seal):
        one.add_argument("--json", action="store_true", help="print JSON")


def _add_channels(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    channels = commands.add_parser("channels", help="how messengers are connected")
    actions = channels.add_subparsers(dest="action", required=True, metavar="ACTION")
    status = actions.add_parser("status", help="how each account stands")
    test = actions.add_parser("test", help="try an account's settings; changes nothing")
    test.add_argument("name", metavar="CHANNEL", help="such as telegram")
    test.add_argument("text", nargs="?", default="", metavar="ACCOUNT", help="all without one")
    listed = actions.add_parser("list", help="which channels there are, and what sets one up")
    login = actions.add_parser("login", help="say who it is there; keys are typed unseen")
    logout = actions.add_parser("logout", help="forget an account's keys and switch it off")
    for one in (login, logout):
        one.add_argument("name", metavar="CHANNEL", help="such as telegram")
        one.add_argument("text", nargs="?", default="", metavar="ACCOUNT",
                         help="the only or first one without it")  # fmt: skip
    for one in (status, test, listed, login, logout, *_pairing(actions)):
        one.add_argument("--json", action="store_true", help="print JSON")


def _pairing(
    channels: argparse._SubParsersAction[argparse.ArgumentParser],
) -> Iterator[argparse.ArgumentParser]:
    pairing = channels.add_parser("pairing", help="strangers who ask to be let in")
    actions = pairing.add_subparsers(dest="name", required=True, metavar="ACTION")
    listed = actions.add_parser("list", help="who asks, and who was let in")
    listed.add_argument("channel", nargs="?", default="", metavar="CHANNEL",
                        help="such as telegram")  # fmt: skip
    yield listed
    for name, text in (
        ("approve", "let in who was given that code"),
        ("refuse", "do not let them in; they are told nothing"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument("channel", nargs="?", default="", metavar="CHANNEL",
                            help="any without one")  # fmt: skip
        action.add_argument("text", metavar="CODE", help="as the stranger tells it to you")
        yield action
    removed = actions.add_parser("remove", help="take back that somebody was let in")
    removed.add_argument("channel", metavar="CHANNEL", help="such as telegram")
    removed.add_argument("text", metavar="ID", help="as the list shows it")
    removed.add_argument("to", nargs="?", default="", metavar="ACCOUNT", help="all without one")
    yield removed


def _add_mode(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    mode = commands.add_parser("mode", help="how much the assistant may do by itself")
    mode.add_argument("name", nargs="?", default="", metavar="MODE",
                      help="paused, read-only, careful, normal or trusting")  # fmt: skip
    mode.add_argument("--json", action="store_true", help="print JSON")


def _add_permissions(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    permissions = commands.add_parser("permissions", help="what you allowed, and what was done")
    actions = permissions.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = actions.add_parser("list", help="what is allowed for longer than once")
    gone = actions.add_parser("revoke", help="take one back")
    gone.add_argument("name", metavar="ID", help="its id, or the beginning of it")
    audit = actions.add_parser("audit", help="what was done or refused, and who said so")
    audit.add_argument("--last", dest="number", type=_positive, metavar="N",
                       help="the last N; 20")  # fmt: skip
    taken = actions.add_parser("import", help="take over the rules of an exec-approvals.json")
    taken.add_argument("name", metavar="FILE")
    for one in (listed, gone, audit, taken):
        one.add_argument("--json", action="store_true", help="print JSON")


def _add_doctor(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    doctor = commands.add_parser("doctor", help="look for what is not safe, and mend it")
    doctor.add_argument("action", nargs="?", choices=("security",), metavar="SECTION",
                        help="security; all there is without one")  # fmt: skip
    doctor.add_argument("--fix", action="store_true", help="mend what can be mended; asks first")
    doctor.add_argument("--yes", action="store_true", help="do not ask before mending")
    doctor.add_argument("--bundle", type=Path, metavar="FILE",
                        help="write what helps others help you; no words of yours")  # fmt: skip
    doctor.add_argument("--json", action="store_true", help="print JSON")


def _add_backup(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parts = tuple(one.value for one in Part if one is not Part.TOLD)
    export = commands.add_parser("export", help="write a backup of everything, without keys")
    export.add_argument("name", metavar="FILE", help="such as backup.zip; must not be there yet")
    bring_in = commands.add_parser(
        "import", help="bring in a backup, or another assistant's folder"
    )
    bring_in.add_argument("name", metavar="FILE", help="what export wrote, or such as ~/.openclaw")
    bring_in.add_argument("--dry-run", action="store_true", help="only say what would be done")
    bring_in.add_argument("--mine", action="store_true",
                          help="nobody else has had it; take what lets more, too")  # fmt: skip
    bring_in.add_argument("--keys", action="store_true",
                          help="put keys of the other program into the password store")  # fmt: skip
    for one in (export, bring_in):
        one.add_argument("--only", dest="parts", action="append", choices=parts, metavar="PART",
                         help="memory, workspace, sessions, settings, skills, plugins, schedule,"
                         " reminders or inbox; may be said more than once")  # fmt: skip
        one.add_argument("--json", action="store_true", help="print JSON")
    snapshots = commands.add_parser("snapshots", help="how everything was before it was changed")
    actions = snapshots.add_subparsers(dest="action", required=True, metavar="ACTION")
    made = {
        "list": actions.add_parser("list", help="the last five, the newest first"),
        "make": actions.add_parser("make", help="one of how everything is now"),
        "restore": actions.add_parser("restore", help="put everything back as it was then"),
    }
    made["restore"].add_argument("name", metavar="ID", help="its id, or the beginning of it")
    made["restore"].add_argument("--at-start", action="store_true",
                                 help="when the assistant is started next")  # fmt: skip
    for action in made.values():
        action.add_argument("--json", action="store_true", help="print JSON")


def _add_running(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    commands.add_parser("settings", help="open the settings window")
    commands.add_parser("toggle", help="show the quick question, or hide it; bind a key to this")
    shown = commands.add_parser("open", help="open the window, at a page of it")
    shown.add_argument("name", nargs="?", default="", metavar="PAGE",
                       help="chat, memory, settings and so on; or a moltbot: link")  # fmt: skip
    serve = commands.add_parser("serve", help="be there without a window, for a box that is on")
    serve.add_argument("--model", type=Path, metavar="FILE", help="a GGUF file to use")
    status = commands.add_parser("status", help="how the running assistant is")
    health = commands.add_parser("health", help="exit code 0 when the running assistant is well")
    for command in (status, health):
        command.add_argument("--json", action="store_true", help="print JSON")
    call = commands.add_parser("call", help="ask the running assistant for anything, for scripts")
    call.add_argument("name", metavar="METHOD", help="such as status or sessions.list")
    call.add_argument("text", nargs="?", metavar="PARAMETERS", help="a JSON object")


def _add_cron(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    cron = commands.add_parser("cron", help="what the assistant does by itself")
    actions = cron.add_subparsers(dest="action", required=True, metavar="ACTION")
    made = {
        "add": actions.add_parser("add", help='such as: cron add "every day at 9" "Any news?"'),
        "edit": actions.add_parser("edit", help="change a job"),
    }
    made["add"].add_argument("when", metavar="WHEN", help="in words, or a cron expression")
    made["add"].add_argument("text", metavar="MESSAGE", help="what to do then")
    made["add"].add_argument("--main", action="store_true",
                             help="a notice for the main conversation")  # fmt: skip
    made["add"].add_argument("--once", action="store_true", help="goes when it has run")
    made["add"].add_argument("--catch-up", action="store_true",
                             help="runs late when it was missed")  # fmt: skip
    made["add"].add_argument("--now", action="store_true",
                             help="the notice does not wait for the next prompt")  # fmt: skip
    for option in ("agent", "channel", "to"):
        made["add"].add_argument(f"--{option}", metavar=option.upper())
    made["edit"].add_argument("name", metavar="JOB", help="id or name")
    made["edit"].add_argument("--when", metavar="WHEN")
    made["edit"].add_argument("--message", dest="text", metavar="MESSAGE")
    for action in made.values():
        action.add_argument("--name", dest="title", metavar="NAME")
        action.add_argument("--tz", metavar="ZONE", help="such as Asia/Shanghai")
        action.add_argument("--json", action="store_true", help="print JSON")
    helps = (
        ("list", "", "all jobs"),
        ("status", "", "whether jobs are carried out, and what is next"),
        ("enable", "JOB", "switch a job on"),
        ("disable", "JOB", "switch a job off"),
        ("remove", "JOB", "take a job out"),
        ("run", "JOB", "let a job run now"),
        ("runs", "JOB", "how a job went, and what it missed"),
        ("export", "", "print all jobs as a jobs.json"),
        ("import", "FILE", "take in the jobs of a jobs.json"),
    )
    for name, wanted, text in helps:
        action = actions.add_parser(name, help=text)
        if wanted:
            action.add_argument("name", metavar=wanted)
        action.add_argument("--json", action="store_true", help="print JSON")


def _add_config(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    config = commands.add_parser("config", help="see, change and check the settings")
    actions = config.add_subparsers(dest="action", required=True, metavar="ACTION")
    made = {
        "get": actions.add_parser("get", help="what a setting is; all that is written without one"),
        "set": actions.add_parser("set", help="such as: config set ui.theme dark"),
        "unset": actions.add_parser("unset", help="take a setting away; its default holds again"),
        "validate": actions.add_parser("validate", help="is anything wrong with the file?"),
        "schema": actions.add_parser("schema", help="the JSON Schema of the file, for editors"),
        "file": actions.add_parser("file", help="where the file is"),
        "migrate": actions.add_parser("migrate", help="write older names of settings anew"),
    }
    place = "like agents.list[0].name"
    made["get"].add_argument("name", nargs="?", metavar="SETTING", help=place)
    made["set"].add_argument("name", metavar="SETTING", help=place)
    made["set"].add_argument("text", metavar="VALUE", help="JSON5, or plain text")
    made["unset"].add_argument("name", metavar="SETTING", help=place)
    for action in made.values():
        action.add_argument("--json", action="store_true", help="print JSON")


def _positive(text: str) -> int:
    """A number as a person writes it; more digits than that are no number of anything here."""
    if not (text.isascii() and text.isdecimal() and len(text) < 10) or not int(text):
        raise argparse.ArgumentTypeError("must be a whole number, 1 or more")
    return int(text)
