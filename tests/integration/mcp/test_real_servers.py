"""Servers that other people wrote, over both ways of talking."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from moltbot_desktop.core.json import JsonObject
from tests.integration.mcp.conftest import Servers
from tests.integration.mcp.installed import node_server, python_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


def call(servers: Servers, server: str, tool: str, **arguments: object) -> str:
    given: JsonObject = json.loads(json.dumps(arguments))
    answer = asyncio.run(servers.hub.call(server, tool, given))
    assert not answer.failed, answer.text
    return answer.text


def test_time(servers: Servers) -> None:
    servers.start({"time": {"command": python_server("mcp-server-time")}})
    assert [one.name for one in servers.ready("time").tools] == ["get_current_time", "convert_time"]
    assert "Asia/Shanghai" in call(servers, "time", "get_current_time", timezone="Asia/Shanghai")


def test_git(servers: Servers, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "r")], check=True)
    (tmp_path / "r" / "a.txt").write_text("a")
    servers.start({"git": {"command": python_server("mcp-server-git")}})
    servers.ready("git")
    assert "a.txt" in call(servers, "git", "git_status", repo_path=str(tmp_path / "r"))


def test_files_within_the_folders_of_the_command_line(servers: Servers, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "a.txt").write_text("hello")
    program = node_server("mcp-server-filesystem")
    servers.start({"files": {"command": program, "args": [str(mine)]}})
    servers.ready("files")
    assert call(servers, "files", "read_text_file", path=str(mine / "a.txt")) == "hello"
    outside = asyncio.run(
        servers.hub.call("files", "read_text_file", {"path": str(tmp_path / "home" / "x")})
    )
    assert outside.failed


@pytest.fixture
def address() -> Iterator[str]:
    """Of the "everything" server over HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = node_server("mcp-server-everything")
    process = subprocess.Popen(
        [program, "streamableHttp"], env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    yield f"http://127.0.0.1:{port}/mcp"
    process.kill()
    process.wait()


def everything(servers: Servers) -> None:
    servers.ready("all")
    assert call(servers, "all", "echo", message="hello") == "Echo: hello"
    assert call(servers, "all", "get-sum", a=2, b=3) == "The sum of 2 and 3 is 5."
    assert "image/png" in call(servers, "all", "get-tiny-image")
    roots = call(servers, "all", "get-roots-list")
    assert servers.workspace.as_uri() in roots


def test_everything_over_standard_streams(servers: Servers) -> None:
    servers.start({"all": {"command": node_server("mcp-server-everything"), "args": ["stdio"]}})
    everything(servers)


def test_everything_over_http(address: str, servers: Servers) -> None:
    servers.start({"all": {"url": address}})
    everything(servers)
