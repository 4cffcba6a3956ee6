"""The page in a real browser: Chromium, driven by Playwright, and the whole program behind it."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.webchat.house import House
from tests.fakes.channel_contract import (
    HALVES,
    PATIENCE_SECONDS,
    Program,
    SlowModel,
    program,
)
from tests.fakes.obedient import ObedientModel
from tests.fakes.webchat_browsers import WebChatBrowsers

playwright = pytest.importorskip(
    "playwright.async_api", reason="the extra “browser” is not installed"
)
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chrome or Chromium is installed"),
    pytest.mark.skipif(sys.platform == "win32", reason="no Chromium in the PATH"),
]
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
]
SCRIPTS = """\
<script>window.hacked = 1</script> <img src=x onerror="window.hacked = 1"> \
<svg/onload="window.hacked = 1"> [a](javascript:window.hacked=1) [b](data:text/html,x) \
![pixel](https://evil.example/pixel.png) <iframe src="https://evil.example"></iframe> \
<https://a.example/"onmouseover="window.hacked=1> <style>*{display:none}</style> \
[c](https://a.example/?q=1 "\\" onclick=window.hacked=1")

```"><script>window.hacked=1</script>
</code></pre><img src=x onerror="window.hacked = 1">
```
"""


@dataclass
class Scene:
    """A browser of its own (cookies, keys), and what its pages complained of or asked for."""

    running: Program
    house: House
    browser: Any
    context: Any
    problems: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    async def page(self, address: str = "") -> Any:
        page = await self.context.new_page()
        page.set_default_timeout(PATIENCE_SECONDS * 1_000)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on(
            "console",
            lambda said: self.problems.append(said.text) if said.type == "error" else None,
        )
        page.on("request", lambda request: self.asked.append(request.url))
        await page.goto(address or self.house.link())
        return page

    async def says(self, page: Any, text: str) -> None:
        await page.locator("#words").fill(text)
        await page.locator("#words").press("Enter")


async def shown(page: Any, what: str, count: int) -> Any:
    """That many of `what`; its last one."""
    await page.locator(what).nth(count - 1).wait_for()
    assert await page.locator(what).count() == count
    return page.locator(what).nth(count - 1)


async def reads(found: Any, text: str) -> None:
    """Until it says so, however it is drawn anew meanwhile."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while text not in await found.inner_text():
            await asyncio.sleep(0.02)


@asynccontextmanager
async def chromium(**more: Any) -> AsyncIterator[tuple[Any, Any]]:
    async with playwright.async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=ARGUMENTS
        )
        try:
            yield browser, await browser.new_context(locale="en-GB", **more)
        finally:
            await browser.close()


def play(
    tmp_path: Path,
    story: Callable[[Scene], Coroutine[Any, Any, None]],
    model: ObedientModel | None = None,
    **more: Any,
) -> None:
    async def run() -> None:
        home = tmp_path / ".moltbot"
        accounts = {"default": {"port": 0}}
        opened = program(home, WebChatBrowsers(), accounts, {"dmPolicy": "pairing"}, model=model)
        async with opened as running, chromium(**more) as (browser, context):
            await running.stands("webchat", "default", "online")
            folder = home / "plugins" / "webchat" / "default"
            house = House(folder, Language.ENGLISH, SystemClock())
            scene = Scene(running, house, browser, context)
            await story(scene)
            own = house.address()
            assert not scene.problems
            assert all(
                one.startswith((f"{own}/", own.replace("http", "ws"))) for one in scene.asked
            )

    asyncio.run(run())


def test_a_link_lets_a_browser_in_and_it_talks(tmp_path: Path) -> None:
    """Hello, Chinese and emoji, long code, two tabs, a reload; the code is in no address."""
    model = SlowModel()

    async def story(made: Scene) -> None:
        page = await made.page()
        await page.locator("#words").wait_for()
        assert page.url == f"{made.house.address()}/"
        await made.says(page, "Hello, 你好，世界 😀 👨‍👩‍👧 & <b>no tag</b>")
        answer = await shown(page, "li.it .bubble", 1)
        await reads(answer, "Hello, 你好，世界 😀 👨‍👩‍👧 & <b>no tag</b>")

        code = "```py\n" + "\n".join(f"value_{n} = {n} * 2" for n in range(200)) + "\n```"
        await made.says(page, f"Look:\n\n{code}\n\n| a | b |\n|-|-|\n| 1 | 2 |")
        answer = await shown(page, "li.it .bubble", 2)
        await reads(answer.locator(".code pre"), "value_199 = 199 * 2")
        assert await answer.locator("table td").count() == 2

        second = await made.page(made.house.address())  # the same browser needs no other link
        await shown(second, "li.it", 2)
        await made.says(second, "slowly")
        begun = await shown(page, "li.it .bubble", 3)
        assert HALVES[1] not in await begun.inner_text()
        await page.locator("#stop").wait_for()
        model.goes_on.set()
        for one in (page, second):
            await reads(await shown(one, "li.it .bubble", 3), "at the end.")
        await page.reload()
        await shown(page, "li.it", 3)
        assert await page.locator("li.you").count() == 3
        kept = await page.evaluate("JSON.stringify([document.cookie, {...localStorage}])")
        assert kept == '["",{}]'
        hidden = await page.evaluate(
            "async () => { const own = await (await import('/keys.js')).kept();"
            " return [own.key.extractable, own.key.usages]; }"
        )
        assert hidden == [False, ["sign"]]  # no script can read the key back

    play(tmp_path, story, model)


def test_a_first_message_and_its_answer_may_come_back_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moltbot_desktop.extensions.webchat.live._PAUSE", 1.5)
    frames: list[str] = []

    async def story(made: Scene) -> None:
        page = await made.context.new_page()
        page.on("websocket", lambda line: line.on("framereceived", lambda one: frames.append(one)))
        await page.goto(made.house.link())
        await page.locator("#line[data-on]").wait_for()
        await made.says(page, "Hello")
        await reads(await shown(page, "li.it .bubble", 1), "Hello")
        await shown(page, "li.you", 1)
        assert [[entry["who"] for entry in json.loads(frame)["entries"]]
                for frame in frames if '"news"' in frame] == [[], ["you", "assistant"]]  # fmt: skip

    play(tmp_path, story)


def test_what_is_said_before_the_line_stands_is_sent_once_it_does(tmp_path: Path) -> None:
    lines: list[Any] = []

    async def proving(page: Any) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):  # the policy forbids `wait_for_function`
            while not await page.evaluate("Boolean(window.goOn)"):
                await asyncio.sleep(0.02)

    async def story(made: Scene) -> None:
        page = await made.context.new_page()
        page.on("websocket", lambda line: lines.append(line))
        await page.add_init_script(
            """const sign = SubtleCrypto.prototype.sign;
            SubtleCrypto.prototype.sign = async function (...told) {
              await new Promise((goOn) => { window.goOn = goOn; });
              return sign.apply(this, told);
            };"""
        )
        await page.goto(made.house.link())
        await proving(page)
        await page.set_input_files(
            "#file", {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"words"}
        )
        await page.locator("#files li", has_text="…").wait_for()
        await page.evaluate("window.goOn()")
        await page.locator("#files li", has_text="…").wait_for(state="detached")
        await page.reload()
        await proving(page)
        await made.says(page, "Hello")
        await page.locator("li.you", has_text="sending").wait_for()
        asked: list[str] = []

        async def stay(dialog: Any) -> None:
            asked.append(dialog.type)
            await dialog.dismiss()

        page.on("dialog", stay)
        await page.close(run_before_unload=True)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not asked:
                await asyncio.sleep(0.02)
        assert asked == ["beforeunload"]  # it would be lost
        await page.evaluate("window.goOn()")
        await reads(await shown(page, "li.it .bubble", 1), "Hello")
        assert len(lines) == 2  # neither was cut for what was said too early

    play(tmp_path, story)


def test_nothing_that_is_written_runs_or_is_loaded(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        page = await made.page()
        await page.locator("#words").wait_for()
        await made.says(page, SCRIPTS)
        answer = await shown(page, "li.it .bubble", 1)
        await reads(answer, "<script>window.hacked = 1</script>")
        assert await page.evaluate("window.hacked") is None
        assert await page.locator("#log img, #log script, #log iframe, #log style").count() == 0
        for link in await answer.locator("a").all():
            address = await link.get_attribute("href")
            assert address and address.startswith("https://")
            assert await link.get_attribute("rel") == "noopener noreferrer"
            assert await link.get_attribute("onclick") is None
        refused = await page.evaluate(
            "() => { try { document.body.innerHTML = '<p>'; return ''; }"
            " catch (error) { return error.name; } }"
        )
        assert refused == "TypeError"  # the policy keeps our own scripts from it too
        made.problems.clear()

    play(tmp_path, story)


def test_a_browser_without_a_link_sees_how_to_get_one(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        page = await made.page(made.house.address())
        await reads(page.locator("#closed"), "moltbot-desktop webchat --open")
        assert not await page.locator("#words").is_visible()
        link = made.house.link()
        first = await made.page(link)
        await first.locator("#words").wait_for()
        other = await made.browser.new_context(locale="zh-CN")
        late = await other.new_page()
        await late.goto(link)  # it was used
        await reads(late.locator("#why"), "链接已经用过")
        assert await late.evaluate("document.documentElement.lang") == "zh-CN"

    play(tmp_path, story)


def test_one_that_was_taken_away_is_a_stranger_again(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        page = await made.page()
        await page.locator("#words").wait_for()
        for one in made.house.browsers.all():
            made.house.browsers.remove(one.id)
        await page.reload()
        await page.locator("#closed").wait_for()
        await page.goto("about:blank")
        await page.goto(made.house.link())
        await page.locator("#words").wait_for()

    play(tmp_path, story)


def test_a_page_elsewhere_reaches_nothing(tmp_path: Path) -> None:
    """A page of another origin (another port of this computer, which is the same site) tries what
    a browser lets it: requests, a WebSocket, a frame, a script."""

    async def story(made: Scene) -> None:
        async def evil(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<p>"
            )
            writer.close()

        server = await asyncio.start_server(evil, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server:
            page = await made.context.new_page()
            await page.goto(f"http://127.0.0.1:{port}/")
            tried = await page.evaluate(
                """async (at) => {
                  const ends = (element, name) => new Promise((done) => {
                    element.onload = () => done(name + " came");
                    element.onerror = () => done("");
                    document.body.append(element);
                  });
                  const fetched = await fetch(at + "/page.js").then((a) => a.text(), () => "");
                  const posted = await fetch(at + "/enter", {method: "POST", mode: "no-cors",
                    body: "{}"}).then((a) => a.type, () => "opaque");
                  const line = await new Promise((done) => {
                    const one = new WebSocket(at.replace("http", "ws") + "/live");
                    one.onopen = () => done("open");
                    one.onerror = () => done("");
                  });
                  const script = Object.assign(document.createElement("script"),
                    {src: at + "/words.js", type: "module"});
                  return [fetched, posted, line, await ends(script, "script")];
                }""",
                made.house.address(),
            )
            assert tried == ["", "opaque", "", ""]
            frame = await page.evaluate_handle(
                """(at) => { const one = document.createElement("iframe"); one.src = at;
                  document.body.append(one); return one; }""",
                made.house.address(),
            )
            content = await frame.as_element().content_frame()
            with pytest.raises(playwright.Error):
                await content.locator("#log").wait_for(state="attached", timeout=1_000)

    play(tmp_path, story)


def test_the_page_is_used_by_keys_alone_and_speaks_both_languages(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        page = await made.page()
        await page.locator("#words").wait_for()
        assert await page.evaluate("document.activeElement.id") == "words"
        await page.keyboard.type("one")
        await page.keyboard.press("Shift+Enter")
        await page.keyboard.type("two")
        await page.keyboard.press("Enter")
        assert "one\ntwo" in await (await shown(page, "li.you .bubble", 1)).inner_text()
        await reads(page.locator("#spoken"), "Assistant: ")  # read out once it is whole
        await page.locator("#language").focus()
        await page.keyboard.press("Enter")
        assert await page.locator("#send").inner_text() == "发送"
        assert await page.evaluate("document.documentElement.lang") == "zh-CN"
        for one in await page.locator("button:visible, textarea:visible").all():
            name = await one.get_attribute("aria-label") or await one.inner_text()
            assert name.strip()
        assert await page.locator("#log").get_attribute("aria-label") == "对话"
        await page.reload()
        await page.locator("#words").wait_for()
        assert await page.locator("#send").inner_text() == "发送"  # it was kept
        await page.set_viewport_size({"width": 320, "height": 500})
        wide = await page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 320

    play(tmp_path, story)


def test_light_and_dark_can_be_read(tmp_path: Path) -> None:
    """Words and what is behind them differ by 4.5 to 1 (WCAG AA)."""
    contrast = """() => {
      const light = (text) => text.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
        .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
      const behind = (element) => {
        for (let one = element; one; one = one.parentElement) {
          const colour = getComputedStyle(one).backgroundColor;
          if (!/, 0\\)|transparent/.test(colour)) return colour;
        }
        return "rgb(255, 255, 255)";
      };
      return ["li.you .bubble", "li.it .bubble p", ".code code", ".bubble a", ".meta time", "#send",
        "#stop", "#line", "h1", "#language", "#words"].map((what) => {
        const element = document.querySelector(what);
        const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
        return [what, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
      });
    }"""

    async def story(made: Scene) -> None:
        page = await made.page()
        await page.locator("#words").wait_for()
        await made.says(page, "words and [a link](https://a.example/)\n\n```\ncode\n```")
        await shown(page, "li.it .code", 1)
        seen = {}
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme)
            ratios = dict(await page.evaluate(contrast))
            assert {what: one for what, one in ratios.items() if one < 4.5} == {}
            seen[scheme] = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert seen["light"] != seen["dark"]

    play(tmp_path, story)


def test_the_program_starts_anew_in_the_middle_and_the_page_goes_on(tmp_path: Path) -> None:
    """Nothing lost, nothing twice: what was said before, what was said while it was away, and the
    answer that was being written."""
    home = tmp_path / ".moltbot"
    folder = home / "plugins" / "webchat" / "default"
    house = House(folder, Language.ENGLISH, SystemClock())

    async def run() -> None:
        def opened(port: int, model: SlowModel) -> Any:
            accounts = {"default": {"port": port}}
            return program(home, WebChatBrowsers(), accounts, {"dmPolicy": "pairing"}, model=model)

        goes_on = SlowModel()
        goes_on.goes_on.set()
        async with chromium() as (browser, context):
            async with opened(0, SlowModel()) as running:
                await running.stands("webchat", "default", "online")
                made = Scene(running, house, browser, context)
                page = await made.page()
                port = int(house.address().rpartition(":")[2])
                await page.locator("#words").wait_for()
                await made.says(page, "first")
                await shown(page, "li.it", 1)
                await made.says(page, "slowly")
                await shown(page, "li.it", 2)
            await page.locator("#line.bad").wait_for()
            await made.says(page, "while you were away")
            async with opened(port, goes_on) as running:
                await running.stands("webchat", "default", "online")
                answer = await shown(page, "li.it .bubble", 3)
                await reads(answer, "while you were away")
                await reads(page.locator("li.it .bubble").nth(1), "at the end.")
                assert await page.locator("li.you").count() == 3
                async with asyncio.timeout(PATIENCE_SECONDS):
                    while await page.locator(".kept-not").count():
                        await asyncio.sleep(0.02)
                await page.reload()
                await shown(page, "li.it", 3)
                assert await page.locator("li.you").count() == 3

    asyncio.run(run())


def test_a_file_is_attached_and_stop_stops(tmp_path: Path) -> None:
    model = SlowModel()
    picture = b"\x89PNG\r\n\x1a\n" + bytes(1_000)

    async def story(made: Scene) -> None:
        page = await made.page()
        await page.locator("#words").wait_for()
        await page.locator("#file").set_input_files(
            [{"name": "tea 茶.png", "mimeType": "image/png", "buffer": picture}]
        )
        await reads(page.locator("#files"), "tea 茶.png")
        async with asyncio.timeout(PATIENCE_SECONDS):
            while "…" in await page.locator("#files").inner_text():
                await asyncio.sleep(0.02)
        await made.says(page, "look at this")
        await reads(await shown(page, "li.it .bubble", 1), "media/inbound/")
        inbound = made.running.home / "workspace" / "media" / "inbound"
        assert [one.read_bytes() for one in inbound.iterdir()] == [picture]
        await made.says(page, "slowly")
        await shown(page, "li.it", 2)
        await page.locator("#stop").click()
        await page.locator("#stop").wait_for(state="hidden")
        await made.says(page, "and now?")  # the conversation is free again
        await until_text(page, "and now?")
        assert HALVES[1] not in await page.locator("#log").inner_text()

    play(tmp_path, story, model)


async def until_text(page: Any, text: str) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not any(text in one for one in await page.locator("li.it .bubble").all_inner_texts()):
            await asyncio.sleep(0.02)
