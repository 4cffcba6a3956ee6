"""A changed file concerns the parts it is about and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.load import Config, ConfigProblem, LoadedConfig, UiConfig, judged
from moltbot_desktop.config.reload import PROGRAM, Concern, changed_paths, reload_plan
from moltbot_desktop.config.watch import reloaded


def config(raw):
    return judged(raw, {}, {}).config(raw)


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("agents.list", ""),
        ("bindings", ""),
        ("agents.defaults.heartbeat", ""),
        ("agents.defaults.heartbeat.every", ""),
        ("agents.defaults.heartbeats", "agent"),
        ("agents.defaults.maxConcurrent", ""),
        ("agents.defaults.thinkingDefault", ""),
        ("agents.defaults.memorySearch.query.maxResults", "memory"),
        ("models.providers.lab.baseUrl", "models"),
        ("models.typeAhead", ""),
        ("channels.telegram.token", ""),
        ("channels", ""),
        ("plugins.entries.weather.enabled", ""),
        ("gateway.port", PROGRAM),
        ("cron.enabled", ""),
        ("ui.theme", ""),
        ("ui.language", "window"),
        ("hooks.internal.enabled", "hooks"),
    ],
)
def test_the_first_prefix_that_fits_decides(path, part):
    plan = reload_plan([path])
    assert plan.noop == (() if part else (path,))
    assert plan.restart == ((Concern(part, (path,)),) if part else ())


def test_a_part_is_concerned_by_all_its_paths_at_once():
    plan = reload_plan(["models.chat", "hooks.enabled", "models.threads"])
    assert plan.restart == (
        Concern("models", ("models.chat", "models.threads")),
        Concern("hooks", ("hooks.enabled",)),
    )


def test_what_holds_is_compared_and_a_list_is_one_value():
    old = config({"agents": {"list": [{"id": "a"}]}, "models": {"threads": 2}})
    new = config(
        {
            "agents": {"list": [{"id": "a"}, {"id": "b"}], "defaults": {"timeoutSeconds": 600}},
            "models": {"threads": "wrong", "providers": {"lab": {"baseUrl": "https://x"}}},
            "channels": {"telegram": {"enabled": True}},
        }
    )
    assert changed_paths(old, old) == ()
    assert changed_paths(old, new) == (
        "agents.list",
        "models.threads",  # nothing was kept from before here, so it is the default again
        "models.providers.lab.baseUrl",
        "channels.telegram.enabled",
    )


def test_a_file_that_cannot_be_used_changes_nothing_and_is_told_once():
    broken = ConfigProblem("", "line 1", "Correct it.", serious=True)
    old = LoadedConfig(Config(ui=UiConfig(language="en")))
    first = reloaded(old, LoadedConfig(Config(), (broken,)))
    assert first.loaded.config == old.config
    assert (first.changed, first.problems) == ((), (broken,))
    assert reloaded(first.loaded, LoadedConfig(Config(), (broken,))) is None
    right = reloaded(first.loaded, LoadedConfig(Config(ui=UiConfig(language="zh"))))
    assert right.changed == ("ui.language",)
    assert right.plan.restart == (Concern("window", ("ui.language",)),)


TREES = st.recursive(
    st.integers() | st.text(max_size=2),
    lambda inner: st.dictionaries(st.sampled_from(["models", "ui", "a", "chat"]), inner),
    max_leaves=6,
)
RAW = st.dictionaries(st.sampled_from(["models", "ui", "zz"]), TREES)


@settings(max_examples=60)
@given(RAW, RAW)
def test_any_two_files_are_compared(one, other):
    changed = changed_paths(config(one), config(other))
    assert changed_paths(config(one), config(one)) == ()
    assert sorted(changed) == sorted(changed_paths(config(other), config(one)))
    plan = reload_plan(changed)
    assert bool(changed) == bool(plan.noop or plan.restart)
