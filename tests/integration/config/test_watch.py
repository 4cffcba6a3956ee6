"""A changed file is noticed while the program runs, with the files it includes."""

from __future__ import annotations

import asyncio
import contextlib

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.config.load import load_config
from moltbot_desktop.config.watch import ConfigWatcher


async def in_thread(call):
    return await asyncio.get_running_loop().run_in_executor(None, call)


def test_what_was_written_before_anybody_watched_is_told_too(tmp_path):
    loaded = load_config(tmp_path, environment={})
    (tmp_path / "moltbot.json").write_text("{ ui: { theme: 'light' } }")

    async def scene():
        told = asyncio.Queue()
        watcher = ConfigWatcher(
            tmp_path, loaded, SystemClock(), in_thread, told.put_nowait, environment={}
        )
        task = asyncio.get_running_loop().create_task(watcher.run())
        try:
            async with asyncio.timeout(20):
                assert (await told.get()).changed == ("ui.theme",)
            await asyncio.sleep(0.5)
            assert told.empty()
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    asyncio.run(scene())


def test_a_change_is_told_also_of_a_file_that_was_included_later(tmp_path):
    (tmp_path / "moltbot.json").write_text("{ ui: { theme: 'dark' } }")
    loaded = load_config(tmp_path, environment={})

    async def scene():
        told = asyncio.Queue()
        watcher = ConfigWatcher(
            tmp_path, loaded, SystemClock(), in_thread, told.put_nowait, environment={}
        )
        task = asyncio.get_running_loop().create_task(watcher.run())
        try:
            (tmp_path / "more.json5").write_text("{ theme: 'light' }")
            (tmp_path / "moltbot.json").write_text("{ ui: { $include: 'more.json5' } }")
            async with asyncio.timeout(60):
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
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    asyncio.run(scene())
