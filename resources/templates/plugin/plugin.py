"""My plugin: answers /my-plugin NAME.

`register` only says what there is; everything it registers takes effect when it returns. See
`moltbot_desktop.sdk.plugins` for all that can be registered.
"""

from __future__ import annotations

from moltbot_desktop.sdk.plugins import CommandCall, PluginApi, PluginCommand


def register(api: PluginApi) -> None:
    """Offer the command."""
    greeting = api.config["greeting"]

    def answer(call: CommandCall) -> str:
        return f"{greeting}, {call.arguments or 'you'}!"

    api.register_command(
        PluginCommand("my-plugin", "says hello", "打招呼", answer, arguments="[NAME]")
    )
