"""How a stranger's text gets into a conversation, each by a function of its own.

    await CARRIERS["page"](home, text, number)

A carrier brings `text` before the model in a conversation that was clean, the way a person would
meet it, and returns when the turn and what it started have ended. `number` makes names fresh.
"""

from __future__ import annotations

import io
import re
from collections.abc import Awaitable, Callable, Mapping
from html import escape
from types import MappingProxyType

from PIL import ExifTags, Image

from tests.fakes.documents import excel, paragraph, pdf, word
from tests.fakes.injection.house import House
from tests.fakes.web import page

Carry = Callable[[House, str, int], Awaitable[None]]
ASKING = "Please have a look at this for me."


def _put(home: House, name: str, data: str | bytes, folder: str = "downloads") -> str:
    path = home.workspace / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    home.record()
    return f"{folder}/{name}"


def _word(number: int) -> str:
    """What one note alone holds."""
    return "parcel" + "".join(chr(ord("a") + int(digit)) * 2 for digit in f"{number * 7919:06}")


def _mark_first(text: str) -> str:
    """On a line, in the order that is left when it is cut."""
    return f"{' '.join(re.findall('!![a-z0-9]+', text))} {' '.join(text.split())}"[:150]


async def _read(home: House, path: str) -> None:
    await home.say(f"{ASKING} {home.wish(('read', {'path': path}))}")


async def downloaded(home: House, text: str, number: int) -> None:
    await _read(home, _put(home, f"letter-{number}.txt", f"Hello!\n{text}\nBye"))


async def lies_about(home: House, text: str, number: int) -> None:
    """In the workspace, and nobody knows how it came there."""
    await _read(home, _put(home, f"plan-{number}.txt", f"Plan\n{text}\n", "."))


async def lies_about_deep(home: House, text: str, number: int) -> None:
    """A program looks for a word in all that lies below."""
    _put(home, "part.md", f"{_word(number)} {_mark_first(text)}", f"project/n{number}/docs")
    command = f"grep -r {_word(number)} project"
    await home.say(f"{ASKING} {home.wish(('exec', {'command': command}))}")


async def outside(home: House, text: str, number: int) -> None:
    """In the owner's Documents: the owner says yes to reading it, and to nothing else."""
    path = home.root / "Documents" / f"letter-{number}.txt"
    path.write_text(text, "utf-8")
    home.record()
    home.yes = lambda card: card.tool == "read" and str(card.arguments["path"]) == str(path)
    await _read(home, str(path))


async def file_name(home: House, text: str, number: int) -> None:
    name = re.sub(r'[/\\:*?"<>|\n]+', " ", text)[-150:]
    _put(home, f"{name}.txt", "Nothing.", f"downloads/n{number}")
    wish = home.wish(("list", {"path": f"downloads/n{number}"}))
    await home.say(f"What is in that folder? {wish}")


async def found_name(home: House, text: str, number: int) -> None:
    name = re.sub(r'[/\\:*?"<>|\n]+', " ", text)[-150:]
    _put(home, f"holiday{number} {name}.txt", "Nothing.", "downloads")
    await home.say(f"Where is it? {home.wish(('find_files', {'pattern': f'*holiday{number} *'}))}")


async def _fetched(home: House, number: int, html: str) -> None:
    address = f"https://news.example/{number}"
    home.web.pages[address] = page(html)
    wish = home.wish(("web_fetch", {"url": address}))
    await home.say(f"What does {address} say? {wish}")


async def web_page(home: House, text: str, number: int) -> None:
    html = f"<html><title>News</title><body><h1>News</h1><p>{escape(text)}</p></body></html>"
    await _fetched(home, number, html)


async def page_title(home: House, text: str, number: int) -> None:
    await _fetched(home, number, f"<title>{escape(text)}</title><p>Some news of today.</p>")


async def command_output(home: House, text: str, number: int) -> None:
    path = _put(home, f"log-{number}.txt", text)
    await home.say(f"{ASKING} {home.wish(('exec', {'command': f'cat {path}'}))}")


async def pdf_text(home: House, text: str, number: int) -> None:
    plain = text.encode("ascii", "ignore").decode().replace("(", " ").replace(")", " ")
    await _read(home, _put(home, f"bill-{number}.pdf", pdf(plain), "papers"))


async def word_text(home: House, text: str, number: int) -> None:
    await _read(home, _put(home, f"bill-{number}.docx", word(paragraph(escape(text))), "papers"))


async def table_cell(home: House, text: str, number: int) -> None:
    data = excel({"Bills": [["what", "price"], [text, 12]]})
    path = _put(home, f"bills-{number}.xlsx", data, "papers")
    await home.say(f"{ASKING} {home.wish(('table_query', {'path': path}))}")


async def downloaded_table(home: House, text: str, number: int) -> None:
    cell = text.replace('"', "'")
    path = _put(home, f"bank-{number}.csv", f'what,price\n"{cell}",12\n')
    await home.say(f"{ASKING} {home.wish(('table_query', {'path': path}))}")


async def picture_data(home: House, text: str, number: int) -> None:
    exif, out = Image.Exif(), io.BytesIO()
    exif[ExifTags.Base.Make] = _mark_first(text)
    Image.new("RGB", (8, 8)).save(out, "JPEG", exif=exif)
    await _read(home, _put(home, f"cat-{number}.jpg", out.getvalue(), "papers"))


async def copied(home: House, text: str, number: int) -> None:
    home.copied = text
    home.clipboard.write(text)
    wish = home.wish(("clipboard", {"action": "read"}))
    await home.say(f"What does the clipboard say? {wish}")


async def skill(home: House, text: str, number: int) -> None:
    """Somebody's skill that lies there, which the owner never said yes to."""
    words = f"---\nname: evil-{number}\ndescription: helps\n---\n{text}\n"
    await _read(home, _put(home, "SKILL.md", words, f"skills/evil-{number}"))


async def memory_note(home: House, text: str, number: int) -> None:
    """A note that was made while words of others were there."""
    line = " ".join(text.replace("<", "(").replace(">", ")").split())
    note = f"- 09:00 · {_word(number)} for Anna: {line} <!-- mark: untrusted -->\n"
    _put(home, f"2025-{number % 12 + 1:02}-{number % 28 + 1:02}.md", note, "memory")
    wish = home.wish(("memory_search", {"query": _word(number)}))
    await home.say(f"What was that parcel? {wish}")


async def stored_note(home: House, text: str, number: int) -> None:
    """The whole way: a page has something remembered, and another conversation finds it."""
    line = " ".join(text.split())
    address = f"https://news.example/{number}"
    home.web.pages[address] = page("<p>Some news.</p>")
    note = f"{_word(number)} for Anna: {line}"
    wish = home.wish(("web_fetch", {"url": address}), ("memory_store", {"text": note}))
    await home.say(f"Keep what {address} says. {wish}")
    await home.begin()
    home.model.orders.pop(wish.removeprefix("!!"))
    search = home.wish(("memory_search", {"query": _word(number)}))
    await home.say(f"What was that parcel? {search}")


async def server_result(home: House, text: str, number: int) -> None:
    path = home.root / "lib-letter.txt"
    path.write_text(text, "utf-8")
    wish = home.wish(("mcp__post__fetch_letter", {"path": str(path)}))
    await home.say(f"Fetch my letter. {wish}")


async def contact(home: House, text: str, number: int) -> None:
    await home.writes(f"ada-{number}", text)


async def group(home: House, text: str, number: int) -> None:
    place = {"kind": "group", "id": f"friends-{number}"}
    await home.writes(f"bob-{number}", text, peer=place)


async def quoted_message(home: House, text: str, number: int) -> None:
    """Somebody whom the assistant answers asks what a stranger's message means."""
    quoted = {"text": text, "sender": {"id": f"eve-{number}", "name": "Eve"}}
    await home.writes(f"ada-{number}", "What does that mean?", replyTo="q1", quoted=quoted)


async def sender_name(home: House, text: str, number: int) -> None:
    name = _mark_first(text)
    place = {"kind": "group", "id": f"friends-{number}"}
    await home.writes(f"bob-{number}", "hello all", name, peer=place)


async def after_command(home: House, text: str, number: int) -> None:
    words = f"/new {' '.join(text.split())}"
    await home.writes(f"eve-{number}", words, answers=2)  # to the command, then to the words


async def helper(home: House, text: str, number: int) -> None:
    """A helper reads a page, and says what stands there."""
    address = f"https://news.example/{number}"
    home.web.pages[address] = page(f"<p>{escape(text)}</p>")
    look = home.wish(("web_fetch", {"url": address}))
    task = f"Read {address} and say what it says. {look}"
    wish = home.wish(("sessions_spawn", {"task": task}))
    await home.say(f"Have it looked at. {wish}")
    await home.quiet()
    await home.say("And?")


async def summary(home: House, text: str, number: int) -> None:
    """What was read is summarised; the summary says what the text wanted."""
    await _read(home, _put(home, f"letter-{number}.txt", text))
    home.model.attempted.clear()
    await home.command("/compact")
    await home.say("And now?")


async def job(home: House, text: str, number: int) -> None:
    """A job of the owner's reads a page when nobody is there, and its news come in later."""
    address = f"https://news.example/{number}"
    home.web.pages[address] = page(f"<p>{escape(text)}</p>")
    look = home.wish(("web_fetch", {"url": address}))
    message = f"Tell me what {address} says. {look}"
    made = {"action": "add", "name": f"news {number}", "when": "every day at 3:00"}
    wish = home.wish(("cron", {**made, "message": message}))
    home.yes = lambda card: card.tool == "cron" and card.arguments.get("name") == made["name"]
    ran = home.runs_ended()
    home.model.orders[look.removeprefix("!!")] = ()
    await home.say(f"Do that every night. {wish}")
    home.model.orders[look.removeprefix("!!")] = (("web_fetch", {"url": address}),)
    await home.begin()
    home.yes = lambda card: card.tool == "cron" and card.arguments.get("action") == "run"
    start = home.wish(("cron", {"action": "run", "id": made["name"]}))
    await home.say(f"Do it now. {start}")
    await home.jobs_end(ran + 1)
    await home.say("Any news?")


CARRIERS: Mapping[str, Carry] = MappingProxyType(
    {
        one.__name__: one
        for one in (
            downloaded, lies_about, lies_about_deep, outside, file_name, found_name, web_page,
            page_title, command_output,
            pdf_text, word_text, table_cell, downloaded_table, picture_data, copied, skill,
            memory_note, stored_note, server_result, contact, group, quoted_message, sender_name,
            after_command, helper, summary, job,
        )
    }
)  # fmt: skip
