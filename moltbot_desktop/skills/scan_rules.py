"""What the scanner looks for in the texts of a skill: patterns, and how bad each is.

A rule says nothing about intent: a skill that talks to the network may well have to. It names what
a person should know before trusting, so the patterns err on the side of telling, and only what no
honest skill needs is `HIGH`. Every repetition in a pattern is bounded: what is scanned is hostile.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad; `order` sorts the worst first."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def order(self) -> int:
        return list(Severity).index(self)


@dataclass(frozen=True)
class TextRule:
    """A pattern to find in one line.

    Attributes:
        name: a key of the scanner's phrases.
        wrapped: it is prose, so it may go on in the next line.
        blob: a match counts only when it looks like encoded data (`is_encoded`).
    """

    name: str
    severity: Severity
    pattern: re.Pattern[str]
    wrapped: bool = False
    blob: bool = False


def _found_by(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


_SHELL = r"(?:sudo\s{1,3}(?:-\w{1,4}\s{1,3})?)?(?:/\S{0,40}/)?(?:env\s{1,3})?"
_SHELL += r"(?:(?:ba|z|da|k|c|fi)?sh|python[\d.]{0,4}|perl|ruby|node|php|pwsh|powershell|iex)\b"
_PROGRAM = r"(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b"
_FETCH = rf"(?:{_PROGRAM}|fetch\b)"

TEXT_RULES: tuple[TextRule, ...] = (
    TextRule(
        "pipe_to_shell",
        Severity.HIGH,
        _found_by(
            rf"{_FETCH}[^\n|]{{0,200}}\|\s{{0,8}}(?:tee\b[^|]{{0,80}}\|\s{{0,8}})?{_SHELL}",
            rf"{_SHELL}\s{{0,4}}(?:-\w{{1,6}}\s{{0,4}})?[\"']?(?:\$|<)\(\s{{0,4}}{_FETCH}",
            rf"(?:eval|source|exec|\.)\s{{1,4}}[\"']?(?:\$|<)\(\s{{0,4}}{_FETCH}",
            rf"\biex\b[^\n]{{0,60}}{_FETCH}",
            rf"`\s{{0,4}}{_FETCH}[^`\n]{{0,200}}`\s{{0,4}}\|\s{{0,4}}{_SHELL}",
            rf"{_FETCH}[^\n]{{0,200}}(?:&&|;)\s{{0,4}}(?:chmod\s{{1,3}}[+\w]{{2,5}}\s|{_SHELL}\s)",
        ),
    ),
    TextRule(
        "decoded_and_run",
        Severity.HIGH,
        _found_by(
            rf"base64\s{{1,4}}(?:-d|-D|--decode)[^\n|]{{0,120}}\|\s{{0,8}}{_SHELL}",
            rf"(?:xxd\s{{1,4}}-r|openssl\s{{1,4}}enc)[^\n|]{{0,160}}\|\s{{0,8}}{_SHELL}",
            r"(?:exec|eval)\s{0,4}\(\s{0,4}[^\n]{0,80}(?:b64decode|atob|fromhex|unhexlify)",
            r"powershell[^\n]{0,60}\s-e(?:nc|ncodedcommand)?\s",
        ),
    ),
    TextRule(
        "archive_password",
        Severity.HIGH,
        _found_by(
            r"\bunzip\b[^\n]{0,80}\s-P\s{0,2}\S",
            r"\b(?:7z|7za|7zz|unrar|rar)\b[^\n]{0,80}\s-p\S",
            r"\.(?:zip|7z|rar)\b[^\n]{0,80}(?:password|passphrase|密码|口令|解压码)",
            r"(?:password|passphrase|密码|口令|解压码)[^\n]{0,60}\.(?:zip|7z|rar)\b",
            r"(?:password|密码|解压码)[^\n]{0,40}(?:archive|压缩包)",
            r"(?:archive|压缩包)[^\n]{0,40}(?:password|密码|解压码)",
        ),
    ),
    TextRule(
        "credentials",
        Severity.HIGH,
        _found_by(
            r"[~/\\]\.ssh\b",
            r"\bid_(?:rsa|dsa|ecdsa|ed25519)\b",
            r"\.aws[/\\]credentials|\.git-credentials|[~/\\]\.netrc\b|[~/\\]\.gnupg\b",
            r"[~/\\]\.(?:kube[/\\]config|docker[/\\]config\.json|npmrc|pypirc)\b",
            r"/etc/(?:shadow|sudoers)\b|login\.keychain|\bwallet\.dat\b",
            r"\bcookies\.sqlite\b|\blogins\.json\b|\bkey4\.db\b|\bLogin Data\b",
            r"(?:browser|chrome|firefox|safari|浏览器)[^\n]{0,40}cookies?\b",
            r"\bsecret-tool\b|find-(?:generic|internet)-password|\bcmdkey\b",
        ),
    ),
    TextRule(
        "keyring",
        Severity.MEDIUM,
        _found_by(
            r"\bkey(?:ring|chain)s?\b", r"\b[A-Z0-9]{2,30}_(?:API_KEY|SECRET|TOKEN)\b", "钥匙串"
        ),
    ),
    TextRule(
        "injection",
        Severity.HIGH,
        _found_by(
            r"(?:ignore|disregard|forget|override)\s{1,4}(?:\w{1,12}\s{1,4}){0,3}"
            r"(?:previous|prior|above|earlier|system|other)\s{1,4}(?:\w{1,12}\s{1,4}){0,2}"
            r"(?:instructions?|rules?|prompts?|messages?)",
            r"(?:do\s{1,3}not|don't|never)\s{1,4}(?:tell|inform|mention|show|reveal|alert)\b"
            r"[^.\n]{0,40}\b(?:user|owner|person|human)",
            r"without\s{1,4}(?:asking|telling|informing|the\s{1,3}knowledge\s{1,3}of|notifying)"
            r"\s{0,4}(?:the\s{1,3})?(?:user|owner|person|human)",
            r"you\s{1,4}are\s{1,4}now\s{1,4}(?:in\b|a\b|an\b|dan\b|root\b|unrestricted)",
            r"(?:print|reveal|repeat|send)\s{1,4}(?:\w{1,12}\s{1,4}){0,3}system\s{1,4}prompt",
            r"(?:忽略|无视|忘记|不要理会)[^。\n]{0,12}(?:之前|以上|前面|上面|所有|系统)"
            r"[^。\n]{0,8}(?:指示|指令|规则|要求|提示)",
            r"(?:不要|别|无需|不必)(?:告诉|通知|让|询问|提醒)[^。\n]{0,6}(?:用户|主人|机主)",
            r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id)[^|\n]{0,20}\|>",
            r"\[/?INST\]|<</?SYS>>",
        ),
        wrapped=True,
    ),
    TextRule(
        "destroys",
        Severity.HIGH,
        _found_by(
            r"\brm\s{1,4}(?:-\w{1,8}\s{1,4}){1,4}(?:--no-preserve-root|[\"']?(?:~|/|\$HOME)(?=[\s/*\"']|$))",
            r"\bmkfs(?:\.\w{1,8})?\s|\bdd\s[^\n]{0,80}\bof=/dev/|:\(\)\s{0,2}\{\s{0,2}:\|:&",
            r"\bformat\s{1,4}[a-z]:|\bdel\s{1,4}/[fsq]\b",
        ),
    ),
    TextRule("root", Severity.MEDIUM, _found_by(r"\b(?:sudo|doas|pkexec)\s{1,4}[\w/-]")),
    TextRule(
        "own_files",
        Severity.MEDIUM,
        _found_by(
            r"\b(?:SOUL|AGENTS|IDENTITY|HEARTBEAT|BOOT)\.md\b",
            r"\b(?:moltbot|clawdbot|openclaw)\.json\b|exec-approvals",
            r"[~/]\.(?:bashrc|zshrc|profile|bash_profile)\b|\bcrontab\s{1,4}-|\.config/autostart",
        ),
    ),
    TextRule(
        "network",
        Severity.MEDIUM,
        _found_by(
            rf"\b{_PROGRAM}(?=[^\n]{{0,160}}(?:https?:|ftp:|\$|[\"'<]|\s-))",
            # A word of every day's language: it is a call, or has what it fetches right behind it.
            r"\b(?-i:fetch)(?:\(|\s{1,4}(?:-\w|https?:|ftp:|\$|[\"'<]))",
            r"\b(?:nc|ncat|netcat|telnet)\s{1,4}(?:-\w{1,8}\s{1,4})?[\w.$-]{2,80}\s{1,4}\d{2,5}\b",
            r"\b(?:scp|rsync|sftp)\s[^\n]{0,120}\w@?[\w.-]{1,80}:",
            r"\b(?:requests|httpx|urllib\.request|aiohttp)\.\w|\bsocket\.(?:socket|create_connection)",
            r"/dev/tcp/",
        ),
    ),
    TextRule("address", Severity.LOW, re.compile(r"\bhttps?://[^\s)>\"'`]{3,120}", re.IGNORECASE)),
    TextRule(
        "blob",
        Severity.MEDIUM,
        re.compile(
            r"[A-Za-z0-9+/]{100,}={0,2}|[A-Za-z0-9_-]{100,}={0,2}|[0-9A-Fa-f]{120,}"
            r"|(?:\\x[0-9A-Fa-f]{2}){24,}|(?:0x[0-9A-Fa-f]{2},\s?){24,}"
        ),
        blob=True,
    ),
)
"""All of them; an earlier one speaks for a later one of the same line that says less (`covers`)."""

COVERS: tuple[tuple[str, str], ...] = (
    ("pipe_to_shell", "network"),
    ("pipe_to_shell", "address"),
    ("network", "address"),
    ("decoded_and_run", "blob"),
)
"""Pairs: the first, found in a line, makes the second not worth saying there."""


def is_encoded(text: str) -> bool:
    """Whether a long run of letters and figures is data rather than a word or a ruler.

    Encoded bytes use many different characters, hexadecimal sixteen; ``-----`` uses one.
    """
    letters = set(text.removeprefix("\\x"))
    kinds = (any(map(str.isdigit, text)), any(map(str.isalpha, text)))
    return len(letters) >= 10 and all(kinds)
