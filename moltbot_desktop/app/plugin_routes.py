"""The routes of plugins, where the local web server looks for them.

routes = PluginRoutes()
remove = routes.add("sun", registration.routes)
routes()                                   # {"/plugins/sun/now": HttpRoute(...)}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from moltbot_desktop.plugins.handlers import contained
from moltbot_desktop.sdk.plugins import HttpRequest, HttpResponse, HttpRoute


@dataclass
class PluginRoutes:
    """Lives on the agent's event loop."""

    _routes: dict[str, HttpRoute] = field(default_factory=dict)

    def __call__(self) -> Mapping[str, HttpRoute]:
        return self._routes

    def add(self, plugin: str, routes: Sequence[HttpRoute]) -> Callable[[], None]:
        """Take them in; the answer takes them away again."""
        mine = {f"/plugins/{plugin}{one.path}": _contained(one) for one in routes}
        self._routes.update(mine)

        def remove() -> None:
            for path in mine:
                self._routes.pop(path, None)

        return remove


def _contained(route: HttpRoute) -> HttpRoute:
    async def handler(asked: HttpRequest) -> HttpResponse:
        with contained():
            return await route.handler(asked)

    return replace(route, handler=handler)
