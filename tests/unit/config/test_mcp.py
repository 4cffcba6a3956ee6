"""`mcp.servers`: what fits, what is told, and what another program's file becomes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.mcp import Approval, McpServer, mcp_problems, read_mcp_servers
from moltbot_desktop.config.mcp_import import read_foreign
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue


def read(entry: JsonValue, name: str = "s", **environment: str) -> McpServer:
    return read_mcp_servers({"mcp": {"servers": {name: entry}}}, environment)[name]


def test_a_program_with_all_that_may_be_said() -> None:
    server = read(
        {"command": "x", "args": ["-v", "-v", ""], "env": {"A": "${KEY}", "B": "keyring:b"},
         "timeoutSeconds": 5, "enabled": True, "approval": "deny", "tools": {"read": "auto"}},
        KEY="k",
    )  # fmt: skip
    assert server.problem is None
    assert server.args == ("-v", "-v", "")
    assert dict(server.env) == {"A": "k", "B": "keyring:b"}
    assert "k" not in repr(server).split("env")[0] and "keyring" not in repr(server)
    assert server.approval_of("read") is Approval.AUTO
    assert server.approval_of("other") is Approval.DENY


def test_a_tool_asks_where_nothing_is_said() -> None:
    assert read({"command": "x"}).approval_of("anything") is Approval.ASK


def test_lists_go_before_single_words() -> None:
    server = read({"command": "x", "tools": {"allow": ["get_*"], "deny": ["*_all"],
                                             "get_all": "auto", "put": "auto"}})  # fmt: skip
    wanted = {"get_one": Approval.ASK, "get_all": Approval.DENY, "put": Approval.DENY}
    assert {name: server.approval_of(name) for name in wanted} == wanted


@pytest.mark.parametrize(
    "entry",
    [
        5, {}, {"command": "x", "url": "https://a.example"}, {"command": "x", "args": "y"},
        {"url": "http://a.example/mcp"}, {"url": "https://me:pw@a.example/mcp"},
        {"url": "http://127.0.0.1.evil.example/"}, {"url": "file:///etc/passwd"},
        {"command": "x", "env": {"A": "${NOT_SET}"}}, {"command": "x", "tools": {"a": "yes"}},
        {"command": "x", "comand": "y"}, {"command": "x", "timeoutSeconds": 0},
        {"url": "https://a.example", "headers": {"A b": "c"}},
    ],
)  # fmt: skip
def test_a_mistake_costs_its_own_server_and_is_told(entry: JsonValue) -> None:
    raw: JsonObject = {"mcp": {"servers": {"bad": entry, "good": {"command": "x"}}}}
    servers = read_mcp_servers(raw, {})
    assert servers["bad"].problem is not None and servers["good"].problem is None
    for language in Language:
        (problem,) = mcp_problems(raw, {}, language)
        assert problem.path.startswith("mcp.servers.bad") and problem.hint


@pytest.mark.parametrize("name", ["A", "a__b", "-a", "a b", "x" * 60, ""])
def test_a_name_becomes_part_of_tools_names(name: str) -> None:
    assert read({"command": "x"}, name).problem is not None


def test_one_that_is_off_needs_no_variables() -> None:
    server = read({"command": "x", "enabled": False, "env": {"A": "${NOT_SET}"}})
    assert server.problem is None and not server.enabled


NAMES = "mcp servers mcpServers a command url args env tools headers approval".split()
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(NAMES),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(("mcp", "mcpServers", "servers")), json_values, max_size=3))
@settings(max_examples=150)
def test_no_file_breaks_the_readers(raw: dict[str, JsonValue]) -> None:
    read_mcp_servers(raw, {})
    for one in read_foreign(raw):
        assert read_mcp_servers({"mcp": {"servers": {one.name: one.entry}}}, {})[one.name]


def test_another_programs_file_is_taken_over_without_its_keys() -> None:
    found = read_foreign(
        {"mcpServers": {
            "Brave Search": {"command": "npx", "args": ["-y", "brave"], "type": "stdio",
                             "env": {"BRAVE_API_KEY": "sk-1", "MODE": "fast"}},
            "brave-search": {"url": "https://a.example", "headers": {"Authorization": "Bearer t"}},
            "off": {"command": "x", "disabled": True, "env": {"TOKEN": "${env:my_token}"}},
            "none": {"comment": "nothing"},
        }}
    )  # fmt: skip
    assert [one.name for one in found] == ["brave-search", "brave-search2", "off"]
    first, second, off = found
    assert first.entry["env"] == {
        "BRAVE_API_KEY": "keyring:mcp.brave-search.BRAVE_API_KEY", "MODE": "fast",
    }  # fmt: skip
    assert dict(first.secrets) == {"mcp.brave-search.BRAVE_API_KEY": "sk-1"}
    assert second.entry["headers"] == {
        "Authorization": "Bearer keyring:mcp.brave-search2.Authorization"
    }
    assert dict(second.secrets) == {"mcp.brave-search2.Authorization": "t"}
    assert off.entry["enabled"] is False and off.entry["env"] == {"TOKEN": "${MY_TOKEN}"}
    for one in found:
        known = read_mcp_servers({"mcp": {"servers": {one.name: one.entry}}}, {})
        assert known[one.name].problem is None
