"""How models read: a row for each, what stands beside the list, and what can be done with it. Pure.

row = row_of(stand)
card = card_of(stand)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.core.ordering import natural
from moltbot_desktop.core.progress import Phase, TransferProgress
from moltbot_desktop.sdk.model_shelf import (
    EMBEDDING,
    FitLine,
    JobKind,
    JobState,
    ModelCheck,
    ModelJob,
    ModelLine,
    Shelf,
)
from moltbot_desktop.sdk.panels import Tone
from moltbot_desktop.ui.kit.rows import Row

translate = QCoreApplication.translate

HERE, OFFERED, SERVERS = "here", "offered", "servers"
_GB, _MB, _KB = 1e9, 1e6, 1e3
_SMALL = 100_000
"""Bytes: no model is smaller, and "0.0 MB" would look like a mistake of ours."""
_SLOW, _FAST = 10.0, 100.0
_OWN_NAMES = {
    "de": "Deutsch",
    "en": "English",
    "es": "español",
    "fr": "français",
    "it": "italiano",
    "ja": "日本語",
    "ko": "한국어",
    "pt": "português",
    "ru": "русский",
    "zh": "中文",
}
_LICENCES = ("MIT", "Apache-2.0", "Gemma", "Llama-3.2", "CC-BY-4.0", "CC-BY-NC-4.0", "BSD-3-Clause")
_NO = "no"
_TIGHT = "tight"


class Act(StrEnum):
    """What a press does."""

    USE = "use"
    FETCH = "fetch"
    RESUME = "resume"
    AGAIN = "again"
    PAUSE = "pause"
    DISCARD = "discard"
    TRY = "try"
    STOP = "stop"
    FOLDER = "folder"
    REMOVE = "remove"
    FORGET = "forget"
    SETTINGS = "settings"
    DISMISS = "dismiss"
    SEAL = "seal"


@dataclass(frozen=True)
class Stand:
    """What a row stands for.

    Attributes:
        line: None for a file that is only being added.
        hub: where files are fetched from.
        sealed: nothing can be fetched now.
    """

    line: ModelLine | None
    job: ModelJob | None
    hub: str = ""
    sealed: bool = False

    @property
    def name(self) -> str:
        if self.line is not None:
            return self.line.name
        assert self.job is not None  # one of the two is always there
        return self.job.name


@dataclass(frozen=True)
class Card:
    """What stands beside the list, from top to bottom.

    Attributes:
        wrong: what is wrong with it, in the first place.
        facts: sentences to read; notes: small print.
        acts: the first is what most people want.
        moving: a bar shows how far it has come.
    """

    title: str
    about: str
    wrong: str
    facts: tuple[str, ...]
    notes: tuple[str, ...]
    acts: tuple[Act, ...]
    moving: bool


def stands_of(shelf: Shelf, part: str, searched: str) -> tuple[Stand, ...]:
    """What is shown in a part of the place: on this computer what is in use first and the others
    by name, elsewhere as the desk has it."""
    jobs = {one.name: one for one in shelf.jobs}
    known = {one.name for one in shelf.models}
    stands = [
        Stand(one, jobs.get(one.name), shelf.hub, shelf.sealed)
        for one in shelf.models
        if part_of(one) == part
    ]
    if part == HERE:
        loose = [one for one in shelf.jobs if one.name not in known and _shown_alone(one)]
        stands = [*(Stand(None, one) for one in loose), *stands]
        stands.sort(key=lambda one: (_rank(one), natural(one.name)))
    wanted = searched.casefold()
    return tuple(one for one in stands if wanted in _words_of(one).casefold())


def _rank(stand: Stand) -> int:
    """What answers, what searches, the others; before them what is being added."""
    if stand.line is None:
        return 0
    if not stand.line.in_use:
        return 3
    return 2 if stand.line.kind == EMBEDDING else 1


def part_of(line: ModelLine) -> str:
    """In which part of the place it stands."""
    if line.provided:
        return SERVERS
    return HERE if line.here else OFFERED


def row_of(stand: Stand) -> Row:
    badge, tone = _badge(stand)
    line = stand.line
    faded = line is not None and line.fit is not None and line.fit.verdict == _NO
    return Row(stand.name, stand.name, _detail(stand), badge, tone, faded=faded)


def card_of(stand: Stand) -> Card:
    line, job = stand.line, stand.job
    wrong = _wrong(stand)
    moving = job is not None and job.live and job.kind is not JobKind.TRY
    if line is None:
        return Card(stand.name, "", wrong, (), (), acts_of(stand), moving)
    facts = [_what(line), _figures(line), _languages(line), fit_words(line), speed_words(line)]
    if job is not None and job.kind is JobKind.TRY:
        facts += _trial(job)
    if stand.sealed and not line.here:
        facts.append(
            translate("Models", "The seal is closed, so nothing can be fetched. Open it first.")
        )
    notes = []
    if line.problem:
        found = translate("Models", "What was found: {reason}")
        notes.append(found.replace("{reason}", line.problem))
    if line.context or speed_words(line):
        notes.append(
            translate(
                "Models",
                "A token is a short word or a part of a longer one; of Chinese, about a character.",
            )
        )
    if line.source:
        notes.append(translate("Models", "From: {source}").replace("{source}", line.source))
    if not line.here and not line.provided and stand.hub:
        notes.append(translate("Models", "Fetched from {hub}").replace("{hub}", stand.hub))
    if line.path:
        notes.append(translate("Models", "File: {path}").replace("{path}", line.path))
    if line.sha256:
        notes.append(f"SHA-256: {_grouped(line.sha256)}")
    return Card(
        line.name,
        line.about,
        wrong,
        tuple(filter(None, facts)),
        tuple(notes),
        acts_of(stand),
        moving,
    )


def acts_of(stand: Stand) -> tuple[Act, ...]:
    """What can be done with it now."""
    line, job = stand.line, stand.job
    if job is not None and job.live:
        return _acts_meanwhile(job)
    if line is None:
        return (Act.DISMISS,)
    if line.provided:
        return (Act.SETTINGS,)
    if not line.here:
        acts = _acts_of_offer(line, job)
        return _while_sealed(acts) if stand.sealed else acts
    use = () if line.in_use or line.problem else (Act.USE,)
    test = () if line.problem else (Act.TRY,)
    remove = () if line.bundled else (Act.FORGET if line.linked else Act.REMOVE,)
    return (*use, *test, Act.FOLDER, *remove)


def _acts_meanwhile(job: ModelJob) -> tuple[Act, ...]:
    if job.kind is JobKind.FETCH:
        pause = () if job.state is JobState.STOPPING else (Act.PAUSE,)
        return (*pause, Act.DISCARD)
    return () if job.state is JobState.STOPPING else (Act.STOP,)


def _while_sealed(acts: tuple[Act, ...]) -> tuple[Act, ...]:
    """Where something would be fetched, the way to the seal stands."""
    fetched = (Act.FETCH, Act.RESUME, Act.AGAIN)
    return tuple(Act.SEAL if one in fetched else one for one in acts)


def _acts_of_offer(line: ModelLine, job: ModelJob | None) -> tuple[Act, ...]:
    discard = (Act.DISCARD,) if line.fetched else ()
    if not line.source:
        return discard  # left over from another list of models: nobody knows where it is from
    if job is not None and job.state is JobState.FAILED:
        return (Act.AGAIN, Act.SETTINGS, *(discard or (Act.DISMISS,)))
    return (Act.RESUME if line.fetched else Act.FETCH, *discard)


# ------------------------------------------------------------------ words


def size_words(size: int | None) -> str:
    if size is None:
        return translate("Models", "size unknown")
    if size < _SMALL:
        return f"{size / _KB:.1f} kB"
    return f"{size / _GB:.2f} GB" if size >= _GB else f"{size / _MB:.1f} MB"


def percent_of(progress: TransferProgress | None, line: ModelLine | None = None) -> int:
    """0 to 100."""
    done, total = (progress.done, progress.total) if progress is not None else (0, 0)
    if progress is None and line is not None:
        done, total = line.fetched, line.size or 0
    return min(100, 100 * done // max(total, 1))


def progress_words(job: ModelJob) -> str:
    """Bytes, speed, time left; or what it waits for."""
    if job.state is JobState.STOPPING:
        return translate("Models", "Stopping…")
    told = job.progress
    if told is None:
        return translate("Models", "Asking…")
    if told.phase is Phase.WAITING:
        return translate("Models", "{reason} Trying again…").replace("{reason}", told.reason)
    if told.phase is Phase.CHECKING:
        return translate("Models", "Checking what is here…")
    parts = [
        translate("Models", "{done} of {total}")
        .replace("{done}", size_words(told.done))
        .replace("{total}", size_words(told.total))
    ]
    if told.bytes_per_second > 0:
        parts.append(f"{told.bytes_per_second / _MB:.1f} MB/s")
    if told.seconds_left is not None and told.seconds_left > 0:
        left = translate("Models", "{time} left")
        parts.append(left.replace("{time}", _clock(told.seconds_left)))
    return " · ".join(parts)


def fit_words(line: ModelLine) -> str:
    """Whether it fits, with the numbers; "" where nobody knows."""
    fit = line.fit
    if fit is None:
        return ""
    if fit.verdict == _NO:
        text = translate(
            "Models", "Too large: it needs {needed} of memory, this computer has {total}."
        )
    elif fit.verdict == _TIGHT and not fit.window:
        text = translate(
            "Models",
            "Tight: it needs {needed} of memory, about {free} are free. Close other programs"
            " first.",
        )
    elif fit.verdict == _TIGHT:
        text = translate(
            "Models",
            "Tight: it needs {needed} of memory, about {free} are free; conversations get"
            " {window} tokens now.",
        )
    else:
        text = translate(
            "Models",
            "It fits: with its conversation and 1 GB to spare it takes {needed} of memory, about"
            " {free} are free.",
        )
    return _filled(text, fit)


def speed_words(line: ModelLine) -> str:
    speed = line.tokens_per_second
    if speed is None or (line.fit is not None and line.fit.verdict == _NO):
        return ""
    # Above some speed a model is no longer held up by memory, and the figure means nothing.
    if speed >= _FAST:
        return translate("Models", "It writes more than 100 tokens a second.")
    number = f"{speed:.1f}" if speed < _SLOW else f"{speed:.0f}"
    told = translate("Models", "It writes about {count} tokens a second.")
    return told.replace("{count}", number)


def kind_words(kind: str) -> str:
    if kind == EMBEDDING:
        return translate("Models", "memory search")
    return translate("Models", "chat")


def act_words(act: Act) -> str:
    """What stands on its button."""
    words = {
        Act.USE: translate("Models", "Use it"),
        Act.FETCH: translate("Models", "Fetch"),
        Act.RESUME: translate("Models", "Go on"),
        Act.AGAIN: translate("Models", "Try again"),
        Act.PAUSE: translate("Models", "Pause"),
        Act.DISCARD: translate("Models", "Cancel"),
        Act.TRY: translate("Models", "Try it out"),
        Act.STOP: translate("Models", "Stop"),
        Act.FOLDER: translate("Models", "Show folder"),
        Act.REMOVE: translate("Models", "Remove"),
        Act.FORGET: translate("Models", "Forget"),
        Act.SETTINGS: translate("Models", "Settings"),
        Act.DISMISS: translate("Models", "All right"),
        Act.SEAL: translate("Models", "Go to the seal"),
    }
    return words[act]


def _badge(stand: Stand) -> tuple[str, Tone]:
    line, job = stand.line, stand.job
    if job is not None and job.live:
        if job.kind is JobKind.TRY:
            return translate("Models", "trying…"), Tone.PLAIN
        return f"{percent_of(job.progress, line)} %", Tone.GOOD
    if job is not None and job.state is JobState.FAILED:
        return translate("Models", "failed"), Tone.BAD
    if line is None:
        return "", Tone.PLAIN
    if line.problem:
        return translate("Models", "unusable"), Tone.BAD
    if line.in_use:
        return translate("Models", "in use"), Tone.GOOD
    if not line.here and line.fetched:
        paused = translate("Models", "paused, {percent} %")
        return paused.replace("{percent}", str(percent_of(None, line))), Tone.PLAIN
    return _fit_badge(line)


def _fit_badge(line: ModelLine) -> tuple[str, Tone]:
    if line.fit is None:
        return "", Tone.PLAIN
    if line.fit.verdict == _NO:
        return translate("Models", "too large"), Tone.BAD
    if line.fit.verdict == _TIGHT:
        return translate("Models", "tight"), Tone.PLAIN
    return translate("Models", "fits"), Tone.GOOD


def _detail(stand: Stand) -> str:
    line, job = stand.line, stand.job
    if job is not None and job.live and job.kind is not JobKind.TRY:
        return progress_words(job)
    if line is None:
        return ""
    if line.provided:
        return kind_words(line.kind)
    facts = [kind_words(line.kind), size_words(line.size), _licence_name(line.licence)]
    return " · ".join(filter(None, facts))


def _wrong(stand: Stand) -> str:
    if stand.job is not None and stand.job.state is JobState.FAILED:
        return stand.job.problem or translate("Models", "It did not work. Try again.")
    if stand.line is None or not stand.line.problem:
        return ""
    return translate(
        "Models",
        "This file cannot be used: it is damaged, or no model of a kind that I know. Fetch it"
        " again, or remove it.",
    )


def _what(line: ModelLine) -> str:
    parts = [kind_words(line.kind)]
    if line.in_use:
        parts.append(translate("Models", "in use"))
    if line.bundled:
        parts.append(translate("Models", "came with the program"))
    if line.linked:
        parts.append(translate("Models", "stays where it lies"))
    if line.provided == "settings":
        parts.append(translate("Models", "a server of the settings"))
    elif line.provided:
        parts.append(translate("Models", "of a plugin"))
    return " · ".join(parts)


def _figures(line: ModelLine) -> str:
    parts = []
    if not line.provided:
        parts = [size_words(line.size), _licence_words(line.licence)]
    if line.context:
        context = translate("Models", "reads {count} tokens at once")
        parts.append(context.replace("{count}", f"{line.context:,}"))
    return " · ".join(filter(None, parts))


def _licence_name(licence: str) -> str:
    """Files say it in small letters, catalogues as it is written."""
    known = {one.casefold(): one for one in _LICENCES}
    return known.get(licence.casefold(), licence)


def _licence_words(licence: str) -> str:
    if not licence:
        return translate("Models", "licence unknown")
    return translate("Models", "{name} licence").replace("{name}", _licence_name(licence))


def _languages(line: ModelLine) -> str:
    """In their own words, as far as they are known."""
    return ", ".join(_OWN_NAMES.get(one, one) for one in line.languages)


def _grouped(digits: str) -> str:
    """With gaps, so that it is broken where it is too long, and can be compared."""
    return " ".join(digits[at : at + 8] for at in range(0, len(digits), 8))


def _trial(job: ModelJob) -> list[str]:
    if job.live:
        return [translate("Models", "It is being loaded and asked something…")]
    if (check := job.check) is None:
        return []
    return [one for one in (_measured(check), _answered(check)) if one]


def _measured(check: ModelCheck) -> str:
    parts = [
        translate("Models", "It works: loaded in {seconds} s").replace(
            "{seconds}", f"{check.load_seconds:.1f}"
        )
    ]
    if check.tokens_per_second is not None:
        speed = translate("Models", "{count} tokens a second")
        parts.append(speed.replace("{count}", f"{check.tokens_per_second:.1f}"))
    if check.memory:
        memory = translate("Models", "{size} of memory")
        parts.append(memory.replace("{size}", size_words(check.memory)))
    return " · ".join(parts)


def _answered(check: ModelCheck) -> str:
    if not check.answer.strip():
        return ""
    said = translate("Models", "It wrote: {text}")
    return said.replace("{text}", " ".join(check.answer.split())[:300])


def _filled(text: str, fit: FitLine) -> str:
    # Whole gigabytes: what is free changes all the time, and nobody needs it finer.
    values = {
        "{needed}": f"{fit.needed / _GB:.1f} GB",
        "{free}": f"{fit.free / _GB:.0f} GB",
        "{total}": f"{fit.total / _GB:.0f} GB",
        "{window}": f"{fit.window:,}",
    }
    for slot, value in values.items():
        text = text.replace(slot, value)
    return text


def _words_of(stand: Stand) -> str:
    line = stand.line
    about = f"{line.about} {line.licence} {' '.join(line.languages)}" if line is not None else ""
    return f"{stand.name} {about}"


def _shown_alone(job: ModelJob) -> bool:
    return job.kind is JobKind.ADD and job.state is not JobState.DONE


def _clock(seconds: float) -> str:
    whole = min(int(seconds), 99 * 3600 + 3599)
    hours, rest = divmod(whole, 3600)
    minutes, second = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{second:02}" if hours else f"{minutes}:{second:02}"
