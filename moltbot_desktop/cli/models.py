"""How `moltbot-desktop models` looks: the list, the progress line, what was done.

Decides nothing; `app.models_command` finds out what is to be shown. With `--json` standard output
has exactly one JSON value, and progress is left out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TextIO

from moltbot_desktop.cli.models_texts import PHRASES
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.progress import Phase, TransferProgress
from moltbot_desktop.sdk.model_shelf import ModelCheck, ModelLine

_GB = 1e9
_MB = 1e6
_ERASE_LINE = "\r\x1b[K"
_SLOW, _FAST = 10.0, 100.0
_SHOWN_ANSWER = 300


class ModelsOutput:
    """Tells what happened in one language, or as JSON."""

    def __init__(
        self, out: TextIO, err: TextIO, language: Language, as_json: bool, live: bool
    ) -> None:
        """
        Args:
            live: `err` is a terminal, where one line can be written over and over.
        """
        self._out = out
        self._err = err
        self._language = language
        self._as_json = as_json
        self._live = live
        self._told: Phase | None = None

    def listing(self, lines: Sequence[ModelLine]) -> None:
        if self._as_json:
            self._json([asdict(line) for line in lines])
            return
        files = [line for line in lines if not line.provided]
        parts = (
            ("here", [line for line in files if line.here]),
            ("catalogue", [line for line in files if not line.here]),
            ("provided", [line for line in lines if line.provided]),
        )
        for title, chosen in parts:
            if chosen:
                self._print(self._say(title))
                for line in chosen:
                    self._print("\n".join(self._in_words(line)))
        if not lines:
            self._print(self._say("nothing"))

    def result(self, key: str, facts: JsonObject, **values: object) -> None:
        """What was done: `key` of the phrases, or `facts` as JSON."""
        if self._as_json:
            self._json(facts)
        else:
            self._print(self._say(key, **values))

    def note(self, key: str, **values: object) -> None:
        """A further remark, on the error stream so that scripts are not bothered."""
        self._err.write(self._say(key, **values) + "\n")
        self._err.flush()

    def question(self, key: str, **values: object) -> str:
        return self._say(key, **values)

    def progress(self, told: TransferProgress, *, copying: bool = False) -> None:
        """One line that is written over; where that cannot be done, one line a phase."""
        quiet = self._as_json or (copying and not self._live)
        if quiet or not (self._live or told.phase is not self._told):
            return
        self._told = told.phase
        text = self._progress_text(told, copying)
        end = "\n" if told.phase is Phase.DONE or not self._live else ""
        self._err.write((_ERASE_LINE if self._live else "") + text + end)
        self._err.flush()

    def end_line(self) -> None:
        """After the progress line was left in the middle."""
        if self._live and self._told not in (None, Phase.DONE):
            self._err.write("\n")

    def check(self, check: ModelCheck) -> None:
        if self._as_json:
            self._json(asdict(check))
            return
        memory = self._say("unknown")
        if check.memory is not None:
            memory = self._say("megabytes", count=check.memory / _MB)
        self._print(
            self._say(
                f"tested_{check.kind}",
                name=check.name,
                load=check.load_seconds,
                speed=check.tokens_per_second or 0.0,
                seconds=check.seconds,
                memory=memory,
            )
        )
        if check.answer:
            self._print(self._say("answer", text=" ".join(check.answer.split())[:_SHOWN_ANSWER]))

    # --- in words

    def _in_words(self, line: ModelLine) -> list[str]:
        mark = "✗" if line.problem else "●" if line.in_use else "·"
        flags = [flag for flag in ("in_use", "bundled", "linked") if getattr(line, flag)]
        kind = self._say(line.kind)
        title = ", ".join([kind, *map(self._say, flags)])
        if line.provided:
            window = self._say("tokens", count=line.context) if line.context else ""
            whence = self._say(f"of_{line.provided}")
            return [f" {mark} {line.name} ({', '.join(filter(None, (title, whence, window)))})"]
        words = [f" {mark} {line.name} ({title})"]
        facts = [
            self._size(line.size),
            line.licence or self._say("unknown_licence"),
            " ".join(line.languages),
            self._say("tokens", count=line.context) if line.context else "",
        ]
        words.append("     " + " · ".join(filter(None, facts)))
        details = [line.about, line.problem, self._fit(line)]
        if line.fetched and line.size:
            percent = 100 * line.fetched // line.size
            details.append(self._say("unfinished", percent=percent, name=line.name))
        return [*words, *(f"     {detail}" for detail in details if detail)]

    def _fit(self, line: ModelLine) -> str:
        fit = line.fit
        if fit is None:
            return ""
        key = "tight_full" if fit.verdict == "tight" and not fit.window else fit.verdict
        text = self._say(
            key,
            needed=fit.needed / _GB,
            free=fit.free / _GB,
            total=fit.total / _GB,
            wanted=fit.wanted,
            window=fit.window,
        )
        speed = line.tokens_per_second
        if speed is None or fit.verdict == "no":
            return text
        # Above some speed a model is no longer held up by memory, and the figure means nothing.
        key = "speed_slow" if speed < _SLOW else "speed" if speed < _FAST else "speed_fast"
        return f"{text} · " + self._say(key, speed=min(speed, _FAST))

    def _progress_text(self, told: TransferProgress, copying: bool) -> str:
        percent = 100 * told.done // max(told.total, 1)
        if copying and told.phase is Phase.RECEIVING:
            return self._say("copying", name=told.name, percent=percent)
        left = ""
        if told.seconds_left is not None:
            left = self._say("left", time=clock_time(told.seconds_left))
        return self._say(
            told.phase.value,
            name=told.name,
            percent=percent,
            done=told.done / _MB,
            total=told.total / _MB,
            speed=told.bytes_per_second / _MB,
            left=left,
            reason=told.reason,
        )

    def _size(self, size: int | None) -> str:
        if size is None:
            return self._say("unknown_size")
        return f"{size / _GB:.2f} GB" if size >= _GB else f"{size / _MB:.1f} MB"

    def _say(self, key: str, **values: object) -> str:
        return PHRASES.say(key, self._language, **values)

    def _print(self, text: str) -> None:
        self._out.write(text + "\n")
        self._out.flush()

    def _json(self, value: object) -> None:
        self._print(json.dumps(value, ensure_ascii=False, indent=2))


def clock_time(seconds: float) -> str:
    """`m:ss`, or `h:mm:ss` from an hour on."""
    whole = min(int(seconds), 99 * 3600 + 3599)
    hours, rest = divmod(whole, 3600)
    minutes, second = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{second:02}" if hours else f"{minutes}:{second:02}"
