"""The settings window's pages over a real file and real plugins' manifests."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugins_now import PluginsNow
from moltbot_desktop.app.settings_desk import FileSettingsDesk
from moltbot_desktop.app.settings_pages import SettingsPages
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ConfigInvalid, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.forms import FieldPlace, FormNode
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from tests.fakes.key_ring import MemoryKeyRing

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SETTINGS = """{
  // colours
  ui: { theme: "dark" }, // mine
  plugins: {
    // calls
    entries: { calls: { config: { retries: 2 } } },
  },
}
"""
MANIFEST: JsonObject = {
    "id": "calls",
    "name": "Calls",
    "description": "Calls people.",
    "configSchema": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "retries": {"type": "integer", "minimum": 0},
            "twilio": {"type": "object", "properties": {"authToken": {"type": "string"}}},
            "next": {"$ref": "#/properties/retries"},
        },
    },
    "uiHints": {"retries": {"label": "Tries"}},
}


@pytest.fixture
def ring() -> MemoryKeyRing:
    return MemoryKeyRing()


@pytest.fixture
def desk(tmp_path: Path, checkout: Path, ring: MemoryKeyRing) -> FileSettingsDesk:
    home = tmp_path / "home"
    plugin = home / "extensions" / "calls"
    plugin.mkdir(parents=True)
    (plugin / "moltbot.plugin.json").write_text(json.dumps(MANIFEST))
    (plugin / "plugin.py").write_text("def register(api): ...\n")
    (home / "moltbot.json").write_text(SETTINGS)
    store = SecretStore(home / SECRET_NAMES_FILE, lambda: ring)
    paths = Paths(home, tmp_path, checkout)
    now = PluginsNow(Language.ENGLISH)
    clock = ManualClock(START)
    return FileSettingsDesk(SettingsPages(paths, {}, Language.ENGLISH, clock, now), store, now)


def text(desk: FileSettingsDesk) -> str:
    return desk.made.paths.config.read_text()


def test_there_is_a_page_for_the_file_and_one_for_each_plugin(desk: FileSettingsDesk) -> None:
    pages = {page.id: page for page in desk.pages()}
    assert pages["general"].title == "General"
    assert pages["plugin:calls"].title == "Calls"
    assert "Calls people." in pages["plugin:calls"].note


def test_a_channel_that_came_with_the_program_has_one_page(desk: FileSettingsDesk) -> None:
    """Also while its plugin is off."""

    def pages() -> list[str]:
        return [page.id for page in desk.pages() if page.id.endswith(":telegram")]

    assert pages() == ["channel:telegram"]
    desk.act("channel:telegram", "on:telegram")
    assert pages() == ["channel:telegram"]
    form = desk.open("channel:telegram").put(("dmPolicy",), "open")
    assert desk.save("channel:telegram", form).saved["dmPolicy"] == "open"
    desk.act("channel:telegram", "off:telegram")
    assert pages() == ["channel:telegram"]
    assert desk.open("channel:telegram").saved["dmPolicy"] == "open"
    assert desk.made.plugin_of("channel:telegram") == "telegram"
    assert desk.made.plugin_of("plugin:calls") == "calls"


def test_a_plugin_that_is_off_says_so(desk: FileSettingsDesk) -> None:
    """And not that nothing is set."""

    def switch() -> FormNode:
        return desk.open("plugin:calls").root(Language.ENGLISH).children[0]

    assert (switch().value, switch().written) == (False, False)
    memory = desk.open("plugin:memory-core").root(Language.ENGLISH).children[0]
    assert (memory.value, memory.written) == (True, False), "on without a word of the file"
    desk.save("plugin:calls", desk.open("plugin:calls").put(("enabled",), True))
    assert (switch().value, switch().written) == (True, True)


def test_pages_stand_in_the_order_people_read_them(desk: FileSettingsDesk) -> None:
    """Whatever the capitals; servers of others' come after the plugins."""
    pages = desk.pages()
    channels = [one.title for one in pages if one.place == "channels"][1:]
    assert channels == sorted(channels, key=str.casefold)
    assert {"IRC", "MQTT", "XMPP"} <= set(channels)
    plugins = [one.id for one in pages if one.place == "plugins"]
    assert plugins[0] == "plugin:calls" and plugins[-1] == "mcp"


def test_what_has_a_page_of_its_own_is_on_no_other(desk: FileSettingsDesk) -> None:
    form = desk.open("general").put(("skills", "entries", "x", "enabled"), False)
    desk.save("general", form)

    def places(node: FormNode) -> set[FieldPlace]:
        return {node.place}.union(*map(places, node.children))

    found = places(desk.open("general").root(Language.ENGLISH))
    assert ("skills", "load") in found and ("skills", "entries") not in found
    skills = desk.open("skills").root(Language.ENGLISH)
    assert ("x",) in places(skills), "also of a skill that is not here"
    assert not skills.named, "a skill is not made by writing its name"


def test_saving_writes_what_was_edited_and_leaves_the_comments(desk: FileSettingsDesk) -> None:
    form = desk.open("general").put(("ui", "theme"), "light").put(("models", "threads"), 4)
    saved = desk.save("general", form)
    assert not saved.dirty
    assert "// colours" in text(desk) and "// mine" in text(desk) and "// calls" in text(desk)
    assert saved.saved["models"] == {"threads": 4}
    assert text(desk).count("theme") == 1


def test_nothing_edited_writes_nothing(desk: FileSettingsDesk) -> None:
    desk.save("general", desk.open("general"))
    assert text(desk) == SETTINGS
    assert not desk.made.paths.config.with_name("moltbot.json.bak").exists()


def test_a_plugins_page_is_its_entry(desk: FileSettingsDesk) -> None:
    form = desk.open("plugin:calls")
    tries = form.root(Language.ENGLISH).children[1].children[0]
    assert (tries.label, tries.value) == ("Tries", 2)
    desk.save("plugin:calls", form.put(("enabled",), True).put(("config", "next"), 3))
    entry = desk.open("plugin:calls").saved
    assert entry == {"config": {"retries": 2, "next": 3}, "enabled": True}
    assert "// calls" in text(desk)


def test_a_key_goes_to_the_password_store_and_its_name_into_the_file(
    desk: FileSettingsDesk, ring: MemoryKeyRing
) -> None:
    place = ("config", "twilio", "authToken")
    form = desk.save("plugin:calls", desk.open("plugin:calls").hide(place, "s3cret"))
    assert "s3cret" not in text(desk) + repr(form)
    assert '"keyring:plugins.entries.calls.config.twilio.authToken"' in text(desk)
    assert "s3cret" in ring.kept.values()
    assert form.wrong == 0


def test_what_does_not_fit_is_not_saved(desk: FileSettingsDesk) -> None:
    form = desk.open("plugin:calls").put(("config", "retries"), -1)
    with pytest.raises(ConfigInvalid, match="1 of the values"):
        desk.save("plugin:calls", form)
    assert text(desk) == SETTINGS


def test_a_place_that_somebody_changed_meanwhile_is_not_overwritten(
    desk: FileSettingsDesk,
) -> None:
    form = desk.open("general").put(("ui", "theme"), "light")
    desk.made.paths.config.write_text(SETTINGS.replace("dark", "auto"))
    with pytest.raises(ConfigInvalid, match=r"ui\.theme"):
        desk.save("general", form)
    assert "auto" in text(desk)


def test_what_somebody_changed_elsewhere_stays(desk: FileSettingsDesk) -> None:
    form = desk.open("general").put(("ui", "theme"), "light")
    desk.made.paths.config.write_text(SETTINGS.replace("retries: 2", "retries: 9"))
    desk.save("general", form)
    assert "retries: 9" in text(desk) and "light" in text(desk)


def test_a_page_that_is_gone_is_told(desk: FileSettingsDesk) -> None:
    with pytest.raises(UserInputInvalid, match="nobody"):
        desk.open("plugin:nobody")


def test_the_skills_page_says_how_each_stands_and_switches_one_off(
    desk: FileSettingsDesk,
) -> None:
    skill = desk.made.paths.home / "skills" / "needs"
    skill.mkdir(parents=True)
    text_of_it = (
        "---\nname: needs\ndescription: Needs much.\n"
        'metadata: {"moltbot": {"requires": {"bins": ["no-such-program"]}}}\n---\nDo it.\n'
    )
    (skill / "SKILL.md").write_text(text_of_it)
    page = next(one for one in desk.pages() if one.id == "skills")
    assert page.place == "settings"  # how they stand is told by a place of their own
    fields = desk.open("skills").root(Language.ENGLISH).children
    found = next(one for one in fields if one.place == ("needs",))
    assert "Needs much." in found.help and "no-such-program" in found.help
    desk.save("skills", desk.open("skills").put(("needs", "enabled"), False))
    assert desk.open("general").saved["skills"] == {"entries": {"needs": {"enabled": False}}}


def test_a_plugins_page_says_how_it_stands(desk: FileSettingsDesk) -> None:
    def note() -> str:
        return next(page.note for page in desk.pages() if page.id == "plugin:calls")

    assert "Off: it is code of others" in note()
    desk.save("plugin:calls", desk.open("plugin:calls").put(("enabled",), True))
    assert "On: the settings switch it on." in note()


def test_the_page_of_all_channels_writes_nothing(desk: FileSettingsDesk) -> None:
    root = desk.open("channels").root(Language.ENGLISH)
    assert not root.children and not root.named and not root.addable
    assert [part.title for part in desk.panel("channels")] and desk.panel("general") == ()


def test_a_channel_of_a_plugin_has_a_page_while_the_plugin_is_on(desk: FileSettingsDesk) -> None:
    home = desk.made.paths.home
    needs: JsonObject = {"type": "object", "properties": {"path": {"type": "string"}}}
    config: JsonObject = {"folder": {"label": "Folder", "schema": needs | {"required": ["path"]}}}
    manifest = MANIFEST | {"channels": ["folder"], "channelConfigs": config}
    (home / "extensions" / "calls" / "moltbot.plugin.json").write_text(json.dumps(manifest))
    assert "channel:folder" not in [one.id for one in desk.pages()]
    (home / "moltbot.json").write_text("{plugins: {entries: {calls: {enabled: true}}}}")
    assert "channel:folder" in [one.id for one in desk.pages()]
    form = desk.open("channel:folder")
    form = form.put(("accounts",), {"one": {"path": "/tmp/x"}}).put(("dmPolicy",), "allowlist")
    assert desk.save("channel:folder", form).saved == {
        "accounts": {"one": {"path": "/tmp/x"}},
        "dmPolicy": "allowlist",
    }
    assert "/tmp/x" in text(desk)


def test_a_group_of_a_channel_may_have_its_own_skills_none_too(desk: FileSettingsDesk) -> None:
    home = desk.made.paths.home
    manifest = MANIFEST | {"channelConfigs": {"folder": {"schema": {"type": "object"}}}}
    (home / "extensions" / "calls" / "moltbot.plugin.json").write_text(json.dumps(manifest))
    on = "{plugins: {entries: {calls: {enabled: true}}}, channels: {folder: {groups: {g: {}}}}}"
    (home / "moltbot.json").write_text(on)
    form = desk.open("channel:folder")
    form = form.put(("groups", "g", "skills"), ["notes"]).put(("skills",), [])
    assert desk.save("channel:folder", form).saved == {
        "groups": {"g": {"skills": ["notes"]}},
        "skills": [],
    }


def test_a_key_never_takes_the_name_of_another_items_key(
    desk: FileSettingsDesk, ring: MemoryKeyRing
) -> None:
    """Names are made of places, and items of a list change places."""
    folder = desk.made.paths.home / "extensions" / "calls"
    item = {"type": "object", "properties": {"token": {"type": "string"}}}
    schema = {"type": "object", "properties": {"lines": {"type": "array", "items": item}}}
    manifest = {"id": "calls", "configSchema": schema}
    (folder / "moltbot.plugin.json").write_text(json.dumps(manifest))
    page, lines = "plugin:calls", ("config", "lines")
    form = desk.open(page).add(lines).hide((*lines, 0, "token"), "first")
    form = desk.save(page, form)
    form = form.add(lines).move((*lines, 1), 0).hide((*lines, 0, "token"), "second")
    saved = desk.save(page, form).saved["config"]["lines"]
    kept = [desk.store.get(one["token"].removeprefix("keyring:")) for one in saved]
    assert kept == ["second", "first"]
    replaced = desk.save(page, desk.open(page).hide((*lines, 1, "token"), "third"))
    kept = [
        desk.store.get(one["token"].removeprefix("keyring:"))
        for one in replaced.saved["config"]["lines"]
    ]
    assert kept == ["second", "third"]


def test_what_has_a_page_of_its_own_is_not_shown_as_text_on_the_general_one(
    desk: FileSettingsDesk,
) -> None:
    config = desk.made.paths.config
    config.write_text(
        '{"$schema": "x.json", "mcp": {"servers": {"a": {"command": "b"}}},'
        ' "channels": {"calls": {"line": 1}}, "ui": {"theme": "dark"}}'
    )
    form = desk.open("general")
    labels = [child.label for child in form.root(Language.ENGLISH).children]
    assert "Channels" in labels
    assert not {"mcp", "$schema", "Schema", "channels"} & set(labels)
    desk.save("general", form.put(("ui", "theme"), "light"))
    kept = desk.open("general").saved
    assert kept["$schema"] == "x.json" and "a" in kept["mcp"]["servers"]
