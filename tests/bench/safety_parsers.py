"""Whatever bytes come, every parser answers soon, or says with a known error that it will not.

    PYTHONPATH=. .venv/bin/python -m tests.bench.safety_parsers      # 10,000 inputs for each

`PARSERS` is the list: what reads a stranger's bytes (files of the workspace, skills, plugins,
settings, transcripts, what a model, a server or another program says). The inputs are good ones,
damaged: `damaged` cuts, doubles, swaps, nests and repeats pieces and puts in what breaks parsers.
tests/integration/security/test_parsers.py runs some of each; the bench measures the slowest.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from moltbot_desktop.channels.pipe_lines import envelope_of
from moltbot_desktop.config.exec_approvals import read_exec_approvals
from moltbot_desktop.config.form.arguments import SchemaUnusable, argument_errors
from moltbot_desktop.config.json5_text import UnusableText, parse_settings
from moltbot_desktop.config.legacy import migrated
from moltbot_desktop.config.mcp_import import read_foreign
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.reply_text import read_reply
from moltbot_desktop.gateway.rpc.frames import FrameInvalid, decode
from moltbot_desktop.memory.files import decode as memory_text
from moltbot_desktop.memory.units import cut_units
from moltbot_desktop.models.formats.known import KNOWN
from moltbot_desktop.models.gguf_header import read_header
from moltbot_desktop.plugins.manifest import parse_manifest
from moltbot_desktop.schedule.jobs_json import read_jobs
from moltbot_desktop.schedule.slots import checked_schedule
from moltbot_desktop.sdk.schedule import Cron
from moltbot_desktop.sdk.tools import Effect, ToolSpec
from moltbot_desktop.security.commands.lexer import read_command
from moltbot_desktop.security.proxy_words import BadRequest, read_request
from moltbot_desktop.security.redaction import redacted
from moltbot_desktop.sessions.export import imported
from moltbot_desktop.sessions.index import parse_index
from moltbot_desktop.skills.frontmatter import parse_skill
from moltbot_desktop.storage.jsonl import read_jsonl
from moltbot_desktop.tools.arithmetic.evaluate import CalcError, calculate
from moltbot_desktop.tools.browser.snapshot import parse as parse_snapshot
from moltbot_desktop.tools.documents.kinds import document_kind
from moltbot_desktop.tools.documents.page import page_text
from moltbot_desktop.tools.documents.picture import picture_text
from moltbot_desktop.tools.documents.trouble import NoText
from moltbot_desktop.tools.documents.web_page import web_markdown
from moltbot_desktop.tools.mcp.described import described
from moltbot_desktop.tools.opening.entries import entry_of
from moltbot_desktop.tools.patch_text import parsed_patch
from moltbot_desktop.tools.table_rows import table_in
from moltbot_desktop.tools.undo_records import decoded, mark_of
from moltbot_desktop.tools.web.charset import page_words
from moltbot_desktop.tools.when.parse import parse_when
from tests.bench.safety_figures import Amount, Row

_NOW = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)
_MOST_MS = 250.0
_MOST_APART_MS = 5_000.0
_LONGEST = 64_000
"""Bytes of an input."""
_TOOL = ToolSpec(
    "read",
    "",
    {"type": "object", "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}}},
    Effect.FILE_READ,
)

Parse = Callable[[bytes, Path], object]
"""Gets the input and an empty folder, for what reads files only."""


@dataclass(frozen=True)
class Parser:
    """What is put to the test.

    Attributes:
        seeds: inputs it understands, to be damaged.
        known: errors that are its answer.
        apart: it runs in a process of its own, which is ended when it takes long.
    """

    name: str
    parse: Parse
    seeds: tuple[bytes, ...]
    known: tuple[type[Exception], ...] = (MoltbotError,)
    apart: bool = False


def _text(parse: Callable[[str], object]) -> Parse:
    return lambda data, folder: parse(data.decode("utf-8", "replace"))


def _data(parse: Callable[[bytes], object]) -> Parse:
    return lambda data, folder: parse(data)


def _file(parse: Callable[[Path], object], name: str) -> Parse:
    def written(data: bytes, folder: Path) -> object:
        path = folder / name
        path.write_bytes(data)
        return parse(path)

    return written


def _settings(data: bytes) -> object:
    raw = parse_settings(data)
    read_foreign(raw)
    return migrated(raw)


def _calls(text: str) -> object:
    return [one.parse(text, (_TOOL,), "c1") for one in KNOWN]


def _schema(text: str) -> object:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    schema: JsonObject = value
    described("server", text[:500], schema)
    return argument_errors(schema, {"path": "a" * 60 + "!", "lines": 5})


_JSON = b'{"version": 1, "a": [1, 2.5e3, null, true, "\\u00e9 \\ud83d\\ude00"], "b": {"c": {}}}'
_SKILL = b'---\nname: weather\ndescription: "Tells it"\nmetadata: {"moltbot": {"emoji": "x"}}\n'
_SKILL += b"tags:\n  - a\n  - b\n---\n# Weather\n\nAsk [here](https://example.org).\n"
_MANIFEST = b'{"id": "weather", "configSchema": {"type": "object", "properties": {"u": {"type":'
_MANIFEST += b' "string", "pattern": "^[a-z]+$"}}}, "channels": ["x"], "skills": ["s"]}'
_LINES = b'{"type":"session","version":3,"id":"a","timestamp":"2026-11-22T09:00:00Z"}\n'
_LINES += b'{"type":"message","message":{"role":"user","content":[{"type":"text","text":"hi"}]}}\n'
_CALLS = (
    b'<tool_call>\n{"name": "read", "arguments": {"path": "a", "lines": 5}}\n</tool_call>',
    b"<function=read>\n<parameter=path>\na\n</parameter>\n</function>",
    b"[read(path='a', lines=5), read(path=\"b\")]",
    b'read<|arg|>{"path": "a"}<|end|>',
    b'functions.read:0<|tool_call_argument_begin|>{"path": "a"}',
)
_PATCH = b"*** Begin Patch\n*** Update File: a.txt\n@@ def f():\n-    x = 1\n+    x = 2\n     y\n"
_PATCH += b"*** Add File: b.txt\n+hello\n*** Delete File: c.txt\n*** End Patch\n"
_APPROVALS = b'{"version": 1, "agents": {"main": {"allowlist": [{"pattern": "/usr/bin/git"}]}}}'
_JOBS = b'{"version":1,"jobs":[{"id":"a","name":"b","schedule":{"kind":"cron","expr":"0 8 * * 1"},'
_JOBS += b'"payload":{"kind":"agentTurn","message":"hi"},"sessionTarget":"isolated"}]}'
_HTML = b"<html><head><title>T</title><meta charset=utf-8></head><body><h1>A</h1><p>b <a href='x'>c"
_HTML += (
    b"</a><table><tr><td>1<td>2</table><ul><li>x<ul><li>y</ul></ul><pre>code</pre></body></html>"
)
_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)
_STATE = b'{"kind": "file", "content": "1f", "mode": 420, "times": [1, 2], "size": 3}'
_STEP = b'{"version": 1, "id": "a", "task": "t", "at": "2026-11-22T09:00:00+00:00", "undoes": "",'
_STEP += b' "undone": false, "items": [{"path": "a.txt", "before": ' + _STATE + b', "after": '
_STEP += _STATE + b', "kept": true, "moved_to": "", "trashed": ""}]}'
_SCHEMA = b'{"type": "object", "properties": {"path": {"type": "string", "pattern": "^(a|aa)+$"},'
_SCHEMA += b' "lines": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}}, "$defs": {"n": {}}}'
_PAGE = b'- document:\n  - heading "A" [level=1] [ref=e2]\n  - link "b" [ref=e3]:\n    - /url: /x\n'
_GGUF = b"GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x14\0\0\0\0\0\0\0general.architecture"
_GGUF += b"\x08\0\0\0\x05\0\0\0\0\0\0\0llama" + bytes(64)


def _undo_record(data: bytes) -> object:
    """With the right mark where it can have one: without, nothing of it is looked at."""
    try:
        record = json.loads(data)
        marked = json.dumps({**record, "mark": mark_of(record, b"")}).encode()
    except (ValueError, TypeError, RecursionError):
        marked = data
    return decoded(marked, b"")


PARSERS: tuple[Parser, ...] = (
    Parser("settings", _data(_settings), (_JSON, b"{a: 1, // x\n b: [1,],}"), (UnusableText,)),
    Parser("exec approvals", _text(read_exec_approvals), (_APPROVALS, _JSON)),
    Parser("SKILL.md", _data(parse_skill), (_SKILL,)),
    Parser("plugin manifest", _data(parse_manifest), (_MANIFEST,)),
    Parser("transcript", _file(read_jsonl, "a.jsonl"), (_LINES,)),
    Parser("transcript brought in", _text(imported), (_LINES,)),
    Parser("list of conversations", _data(parse_index), (_JSON,)),
    Parser("tool calls", _text(_calls), _CALLS),
    Parser("a tool's schema", _text(_schema), (_SCHEMA,), (SchemaUnusable, RecursionError)),
    Parser("GGUF header", _file(read_header, "a.gguf"), (_GGUF,)),
    Parser("patch", _text(parsed_patch), (_PATCH,)),
    Parser(
        "command", _text(read_command), (b"git log --oneline | head -5 && echo 'a b' \"c\" > x",)
    ),
    Parser(
        "cron expression",
        _text(lambda text: checked_schedule(Cron(text, "Europe/Berlin"))),
        (b"*/5 8-17 * * 1-5", b"0 0 L * *", b"0 9 1,15 JAN-DEC MON#2"),
    ),
    Parser("jobs.json", _text(read_jobs), (_JOBS,)),
    Parser(
        "moment",
        _text(lambda text: parse_when(text, _NOW)),
        (b"next friday at 5 pm", b"in 2 weeks", "明天下午3点半".encode(), "每隔2个星期".encode()),
    ),
    Parser("sum", _text(calculate), (b"2*(3+4)/5 - 10%", b"sqrt(16)^2"), (CalcError,)),
    Parser(
        "line of a pipe",
        lambda data, folder: envelope_of(data, "main", _NOW, "1"),
        (b'{"id": "1", "from": "ann", "chat": "c", "text": "hello"}', b"plain words"),
    ),
    Parser(
        "frame",
        _data(decode),
        (b'{"type": "req", "id": "1", "method": "chat.send", "params": {"message": "x"}}',),
        (FrameInvalid,),
    ),
    Parser(
        "request to the proxy",
        _data(read_request),
        (b"GET http://example.org/ HTTP/1.1\r\nHost: example.org\r\nContent-Length: 5\r\n\r\n",),
        (BadRequest,),
    ),
    Parser("undo record", _data(_undo_record), (_STEP,)),
    Parser("memory file", _data(lambda data: cut_units(memory_text(data).text)), (_SKILL,)),
    Parser("web page", _text(web_markdown), (_HTML,), (NoText,), apart=True),
    Parser("HTML file", _text(page_text), (_HTML,), (NoText,), apart=True),
    Parser("a page's letters", lambda data, folder: page_words(data, "text/html"), (_HTML,)),
    Parser("table", _text(table_in), (b'a,b\n1,2\n"x ""y""",4\n', b"|a|b|\n|-|-|\n|1|2|\n")),
    Parser("picture", _data(picture_text), (_PNG,), (NoText,), apart=True),
    Parser(
        "kind of a document",
        lambda data, folder: document_kind("a.bin", data),
        (b"PK\x03\x04", b"%PDF-1.7", _PNG),
    ),
    Parser(
        "desktop entry",
        _text(lambda text: entry_of(text, "de_DE")),
        (b"[Desktop Entry]\nType=Application\nName=A\nName[de]=B\nExec=a %U\n",),
    ),
    Parser("the browser's page", _text(parse_snapshot), (_PAGE,)),
    Parser(
        "answer for a channel", _text(read_reply), (b"[[reply_to_current]] a\nMEDIA:./x.png\n",)
    ),
    Parser(
        "line of the log",
        _text(redacted),
        (b"key sk-ant-REDACTED Bearer abc password=x\n", b"key=api=a7"),
    ),
)

_NASTY = (
    *(b"\0", b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\xe2\x80\xae"),
    *(b"\r\n", b"\n\n", b"\t", b"  ", b"'", b'"', b"\\", b"`", b"${A}", b"$(x)", b"<!--", b"]]>"),
    *(b"{", b"}", b"[", b"]", b"(", b")", b"---\n", b"&a *a", b"!!x", b"1e999", b"-0", b"NaN"),
    *(b"9" * 400, b"../" * 20, b"\\ud800", b"&#x110000;", b"<a " * 30, b"*" * 60, b"_" * 60),
    *("１２".encode(), "每".encode(), b"a|" * 40, b"/*", b"//", b"%00", b"%s", b"{}", b"=", b":"),
)


def damaged(seed: bytes, chance: random.Random) -> bytes:
    """`seed` with one to eight things done to it; at most `_LONGEST` bytes."""
    data = seed
    for _ in range(chance.randint(1, 8)):
        begin = chance.randrange(len(data) + 1)
        end = min(len(data), begin + chance.choice((1, 1, 2, 5, 20, 100)))
        piece = data[begin:end]
        match chance.randrange(9):
            case 0:
                data = data[:begin] + data[end:]
            case 1:
                data = data[:begin]
            case 2:
                data = data[:begin] + chance.choice(_NASTY) + data[begin:]
            case 3:
                data = data[:begin] + chance.choice(_NASTY) + data[end:]
            case 4:
                data = data[:begin] + piece * chance.choice((2, 3, 50)) + data[end:]
            case 5:  # one thing for very long
                many = piece or chance.choice(_NASTY)
                data = (
                    data[:begin] + many * (chance.choice((500, 20_000)) // len(many)) + data[end:]
                )
            case 6:
                other = chance.randrange(len(data) + 1)
                data = data[:other] + piece + data[other:]
            case 7:  # nested
                opening, closing = chance.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")")))
                depth = chance.choice((5, 60, 3_000))
                data = data[:begin] + opening * depth + piece + closing * depth + data[end:]
            case _:
                data = bytes(chance.randrange(256) if chance.random() < 0.02 else b for b in data)
    return data[:_LONGEST]


@dataclass(frozen=True)
class Trial:
    """What came of the inputs of one parser.

    Attributes:
        unknown: inputs that ended in an error nobody expects, with its name; at most ten.
        slowest: processor time in milliseconds, and its input.
    """

    count: int
    unknown: tuple[tuple[str, bytes], ...]
    slowest: tuple[float, bytes]


def tried(parser: Parser, count: int, seed: int, folder: Path) -> Trial:
    """`parser` over its seeds and `count` damaged inputs."""
    chance = random.Random(f"{seed} {parser.name}")
    unknown: list[tuple[str, bytes]] = []
    slowest = 0.0, b""
    for data in _inputs(parser, count, chance):
        began = time.process_time()
        try:
            parser.parse(data, folder)
        except parser.known:
            pass
        except Exception as error:
            unknown.append((f"{type(error).__name__}: {error}", data))
        took = (time.process_time() - began) * 1000
        slowest = max(slowest, (took, data), key=lambda one: one[0])
    return Trial(count, tuple(unknown[:10]), slowest)


def _inputs(parser: Parser, count: int, chance: random.Random) -> Iterator[bytes]:
    yield from parser.seeds
    for _ in range(count):
        yield damaged(chance.choice(parser.seeds), chance)


def parsers(amount: Amount, folder: Path) -> Iterable[Row]:
    """Three rows: errors nobody expects, the slowest answer, and that of a process of its own."""
    count = 10_000 if amount.whole else 200
    unknown = 0
    slowest = {False: (0.0, ""), True: (0.0, "")}
    for parser in PARSERS:
        trial = tried(parser, count, amount.seed, folder)
        unknown += len(trial.unknown)
        for problem, data in trial.unknown:
            print(f"{parser.name}: {problem}: {data[:300]!r}", file=sys.stderr)
        slowest[parser.apart] = max(slowest[parser.apart], (trial.slowest[0], parser.name))
        if trial.slowest[0] > (_MOST_APART_MS if parser.apart else _MOST_MS):
            shown = f"{trial.slowest[0]:.0f} ms: {trial.slowest[1][:300]!r}"
            print(f"{parser.name}: {shown}", file=sys.stderr)
    note = f"{len(PARSERS)} parsers, {count:,} damaged inputs each"
    yield Row("parsers: errors nobody expects", unknown, 0, "", note)
    for apart, most in ((False, _MOST_MS), (True, _MOST_APART_MS)):
        took, where = slowest[apart]
        name = "parsers: slowest answer" + (" in a process of its own" if apart else "")
        yield Row(name, round(took), most, "ms", f"of at most {_LONGEST // 1000} KB; {where}")


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        for row in parsers(Amount("--quick" not in sys.argv), Path(place)):
            print(row.line(), flush=True)
