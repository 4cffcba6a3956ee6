"""Plugins over the local socket: how each stands in the running program, and renewed.

    made.plugins.methods.add(plugin_methods(host))
    $ moltbot-desktop plugins reload weather            # which asks ``plugins.reload``

A program may ask for this as well: what comes in is only what the settings have on and its owner
has said yes to, so a reload gives nobody a right.
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.plugins.host import PluginHost, PluginRecord, PluginStatus
from moltbot_desktop.sdk.plugins import GatewayMethod


def plugin_methods(host: PluginHost) -> tuple[GatewayMethod, ...]:
    """``plugins.status`` and ``plugins.reload {name?}``; both answer with ``{plugins: [...]}``."""

    async def status(_: JsonObject) -> JsonValue:
        return {"plugins": [_told(one) for one in host.records()]}

    async def reload(params: JsonObject) -> JsonValue:
        name = str(params.get("name", ""))
        if name:
            return {"plugins": [_told(await host.reload(name))]}
        await host.follow()
        on = [one.found.id for one in host.records() if one.status is not PluginStatus.OFF]
        return {"plugins": [_told(await host.reload(one)) for one in on]}

    return (
        GatewayMethod("plugins.status", status),
        GatewayMethod("plugins.reload", reload, {"name": {"type": "string", "minLength": 1}}),
    )


def _told(record: PluginRecord) -> JsonObject:
    return {
        "id": record.found.id,
        "status": record.status.value,
        "reason": record.reason,
        "hint": record.hint,
    }
