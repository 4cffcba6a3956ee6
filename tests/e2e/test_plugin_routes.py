"""A page of a plugin on the local web server of the whole program, which is off by default."""

from __future__ import annotations

import json
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.e2e.program import Program
from tests.fakes.forked_program import ForkedProgram
from tests.fakes.plugins import make_plugin

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")
PATIENCE_SECONDS = 60.0
CODE = """
from moltbot_desktop.sdk.plugins import HttpResponse, HttpRoute
async def now(asked):
    return HttpResponse(200, f"the sun is {asked.query['how']}".encode())
def register(api):
    api.register_http_route(HttpRoute("/now", now))
"""


def started(home: Path, program: ForkedProgram) -> dict[str, object]:
    """`status` of the program once it answers."""
    program.start()
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        done = Program(home).run("call", "status")
        if done.returncode == 0:
            return dict(json.loads(done.stdout))
        assert time.monotonic() < end, done.stderr
        time.sleep(0.1)


def got(address: str, token: str) -> tuple[int, str]:
    request = urllib.request.Request(
        f"{address}/plugins/sun/now?how=up", headers={"Authorization": f"Bearer {token}"}
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, ""


def test_a_route_is_reached_where_the_settings_switch_the_server_on(tmp_path: Path) -> None:
    home = tmp_path / "home" / ".moltbot"
    home.mkdir(parents=True)
    make_plugin(home / "extensions", "sun", CODE)
    settings = {"plugins": {"entries": {"sun": {"enabled": True}}}}
    with ForkedProgram(home, tmp_path / "done") as program:
        (home / "moltbot.json").write_text(json.dumps(settings))
        assert "web" not in started(home, program)
        assert program.end() == 0
        assert not (home / "gateway-token").exists()

        on = {"http": {"enabled": True}, "port": 0}
        (home / "moltbot.json").write_text(json.dumps(settings | {"gateway": on}))
        web = started(home, program)["web"]
        assert isinstance(web, dict)
        address, key = str(web["address"]), home / "gateway-token"
        assert address in Program(home).run("status").stdout
        assert got(address, key.read_text().strip()) == (200, "the sun is up")
        assert got(address, "wrong") == (401, "")
        assert key.stat().st_mode & 0o077 == 0

        old = key.read_text().strip()
        key.write_text("another-token\n")
        assert got(address, old) == (401, "")
        assert got(address, "another-token") == (200, "the sun is up")
        assert program.end() == 0
