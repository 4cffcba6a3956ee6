"""Opens and saves the pages of the settings window.

    desk = FileSettingsDesk(SettingsPages(paths, os.environ, language, clock), store)
    form = desk.open("plugin:weather").put(("config", "units"), "metric")
    desk.save("plugin:weather", form)

Only what was edited is written, each edit at its place, so that comments and everything else stay.
Keys go to the password store; the file gets their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from moltbot_desktop.app.channel_panel import CHANNEL, ChannelPanels
from moltbot_desktop.app.channel_setup import ChannelSetup
from moltbot_desktop.app.mcp_panel import mcp_act, mcp_panel
from moltbot_desktop.app.page_form import PageForm
from moltbot_desktop.app.plugins_now import PluginsNow
from moltbot_desktop.app.running_command import asking
from moltbot_desktop.app.secret_names import secret_name
from moltbot_desktop.app.settings_now import SettingsNow
from moltbot_desktop.app.settings_pages import CHANNELS, GENERAL, MCP, PLUGIN, SettingsPages
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.form.form import open_form
from moltbot_desktop.config.form.trees import NoPlace, at, changed, same, shown
from moltbot_desktop.core.errors import ConfigInvalid, UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.forms import (
    Change,
    FieldPlace,
    FormNode,
    FormState,
    Put,
    SettingsPage,
    Unset,
)
from moltbot_desktop.sdk.panels import Panel
from moltbot_desktop.security.secrets import SecretStore

_MOST_NAMED = 5
_PHRASES = Phrases(
    english={
        "no_page": "There is no page “{page}” any more.",
        "no_page_hint": "Open the settings again.",
        "wrong": "{count} of the values do not fit; nothing was saved.",
        "wrong_hint": "What is wrong stands at the field.",
        "meanwhile": "{place} was changed in the file meanwhile; nothing was saved.",
        "meanwhile_hint": "Discard your changes to see what it says now.",
        "later": "In force from the next start on: {names}.",
        "later_more": "In force from the next start on: {names} and {count} more.",
    },
    chinese={
        "no_page": "“{page}”这一页已经没有了。",
        "no_page_hint": "请重新打开设置。",
        "wrong": "有 {count} 处的值不合适；没有保存。",
        "wrong_hint": "问题写在对应的栏位上。",
        "meanwhile": "{place} 在此期间被改动过；没有保存。",
        "meanwhile_hint": "点“放弃改动”可以看到现在的内容。",
        "later": "下次启动后生效：{names}。",
        "later_more": "下次启动后生效：{names}以及另外 {count} 项。",
    },
)


@dataclass(frozen=True)
class FileSettingsDesk:
    """See `sdk.forms.SettingsDesk`, which this is.

    Attributes:
        store: where keys are kept.
        plugins: those of the assistant that runs.
        settings: what it goes by; None where none can run here.
    """

    made: SettingsPages
    store: SecretStore
    plugins: PluginsNow
    settings: SettingsNow | None = None

    def pages(self) -> tuple[SettingsPage, ...]:
        return tuple(one.page for one in self.made.all())

    def open(self, page: str) -> FormState:
        return self._opened(self._page(page))

    def save(self, page: str, form: FormState) -> FormState:
        if form.wrong:
            raise self._refused("wrong", count=form.wrong)
        known = self._page(page)
        self._refuse_if_changed(self._opened(known).saved, form)
        changes = [_below(known.place, change) for change in form.changes()]
        after = changed(form.saved, form.changes())
        for place, secret in form.secrets.items():
            whole = (*known.place, *place)
            name = secret_name(whole, _at(after, place), self.store.names())
            self.store.set(name, secret)
            changes.append(Put(whole, f"keyring:{name}"))
        self._file().change(changes)
        self._written()
        return self.open(page)

    def waiting(self) -> str:
        paths = self.settings.waiting() if self.settings is not None else ()
        if not paths:
            return ""
        root = self.open(GENERAL).root(self.made.language)
        names = [_label(root, path) for path in paths[:_MOST_NAMED]]
        more = len(paths) - len(names)
        between = "、" if self.made.language is Language.CHINESE else ", "
        return self._say("later_more" if more else "later", names=between.join(names), count=more)

    def panel(self, page: str) -> Panel:
        if page == CHANNELS:
            return self._channels.overview()
        if page == MCP:
            return mcp_panel(self.plugins.mcp, self.made.language)
        known = page.startswith(CHANNEL)
        return self._channels.channel(page.removeprefix(CHANNEL)) if known else ()

    def act(self, page: str, action: str) -> str:
        if page == MCP:
            return mcp_act(self.plugins.mcp, action, self.made.language)
        told = self._channels.act(page, action)
        self._written()
        return told

    def reload(self, page: str) -> str:
        return self.made.renewed(self.plugins.reload(self.made.plugin_of(page)))

    # ------------------------------------------------------------------ inside

    @property
    def _channels(self) -> ChannelPanels:
        made = self.made
        setup = ChannelSetup(made.paths, made.environment, made.language, self.store)
        ask = asking(made.paths, made.language)
        return ChannelPanels(setup, ask, made.paths, made.clock, made.language)

    def _page(self, page: str) -> PageForm:
        if page == GENERAL:
            return self.made.general()  # also where an agent or a plugin cannot be looked at
        for one in self.made.all():
            if one.page.id == page:
                return one
        raise self._refused("no_page", page=page.removeprefix(PLUGIN))

    def _opened(self, page: PageForm) -> FormState:
        if page.page.id == CHANNELS:
            return open_form(page.schema, {}, page.hints, self.made.language)
        there = _at(self._file().own(), page.place)
        saved: JsonObject = there if isinstance(there, Mapping) else {}
        return open_form(page.schema, saved, page.hints, self.made.language)

    def _written(self) -> None:
        """What stands in the file by now holds at once."""
        if self.settings is not None:
            self.settings.written()

    def _file(self) -> SettingsFile:
        return SettingsFile(self.made.paths.home, self.made.environment, self.made.language)

    def _refuse_if_changed(self, now: JsonObject, form: FormState) -> None:
        """Somebody else may have written the file since the form was opened; what they wrote at
        the places that were edited is not overwritten unseen."""
        for place in [*(one.place for one in form.changes()), *form.secrets]:
            if not same(_at(now, place), _at(form.saved, place)):
                raise self._refused("meanwhile", place=shown(place))

    def _refused(self, phrase: str, **slots: object) -> UserInputInvalid | ConfigInvalid:
        message, hint = self._say(phrase, **slots), self._say(f"{phrase}_hint")
        return (UserInputInvalid if phrase == "no_page" else ConfigInvalid)(message, hint=hint)

    def _say(self, phrase: str, **slots: object) -> str:
        return _PHRASES.say(phrase, self.made.language, **slots)


def _label(root: FormNode, path: str) -> str:
    """What the field at a dotted place is called; the place itself where it has none."""
    places = {shown(one.place): one for one in _all(root)}
    return places[path].label if path in places else path


def _all(node: FormNode) -> Iterator[FormNode]:
    yield node
    for child in node.children:
        yield from _all(child)


def _below(above: FieldPlace, change: Change) -> Change:
    match change:
        case Put(place, value):
            return Put((*above, *place), value)
        case Unset(place):
            return Unset((*above, *place))


def _at(tree: JsonValue, place: FieldPlace) -> JsonValue:
    """What stands there; for what does not, a value that no file can hold."""
    try:
        return at(tree, place)
    except NoPlace:
        return float("inf")
