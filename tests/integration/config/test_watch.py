"""A changed file is noticed while the program runs, with the files it includes."""

from __future__ import annotations

import asyncio
import contextlib

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.config.load import load_config
from moltbot_desktop.config.watch import ConfigWatcher


async def in_thread(call):
    return await asyncio.get_running_loop().run_in_executor(None, call)


@contextlib.asynccontextmanager
async def watching(home, loaded):
    """What is told of `home`, of which `loaded` was read, comes into a queue."""
    told = asyncio.Queue()
    watcher = ConfigWatcher(home, loaded, SystemClock(), in_thread, told.put_nowait, environment={})
    task = asyncio.get_running_loop().create_task(watcher.run())
    try:
        async with asyncio.timeout(60):
            yield told
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def test_what_was_written_before_anybody_watched_is_told_too(tmp_path):
    loaded = load_config(tmp_path, environment={})
    (tmp_path / "moltbot.json").write_text("{ ui: { theme: 'light' } }")

    async def scene():
        async with watching(tmp_path, loaded) as told:
            assert (await told.get()).changed == ("ui.theme",)
            (tmp_path / "moltbot.json").write_text("{ ui: { theme: 'dark' } }")
            second = await told.get()
            assert second.loaded.config.ui.theme == "dark", "the first was told once"

    asyncio.run(scene())


def test_a_change_is_told_also_of_a_file_that_was_included_later(tmp_path):
    (tmp_path / "moltbot.json").write_text("{ ui: { theme: 'dark' } }")
    loaded = load_config(tmp_path, environment={})

    async def scene():
        async with watching(tmp_path, loaded) as told:
            (tmp_path / "more.json5").write_text("{ theme: 'light' }")
            (tmp_path / "moltbot.json").write_text("{ ui: { $include: 'more.json5' } }")
            first = await told.get()
            assert first.loaded.config.ui.theme == "light"
            assert first.changed == ("ui.theme",)
            (tmp_path / "more.json5").write_text("{ theme: 'pink' }")
            second = await told.get()
            assert second.loaded.config.ui.theme == "light"
            assert [one.path for one in second.problems] == ["ui.theme"]
            (tmp_path / "more.json5").write_text("{ theme: 'auto' }")
            third = await told.get()
            assert third.loaded.config.ui.theme == "auto"

    asyncio.run(scene())
