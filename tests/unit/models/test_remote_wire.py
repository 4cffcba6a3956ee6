"""What is asked of the form of an answer, as servers elsewhere are told it."""

from __future__ import annotations

from moltbot_desktop.models.remote.endpoint import Endpoint
from moltbot_desktop.models.remote.wire import request_body
from moltbot_desktop.sdk.models import ANY_TOOL
from tests.fakes.asking import asking
from tests.fakes.built_in_tools import BUILT_IN

ENDPOINT = Endpoint("lab", "m", "http://127.0.0.1:1/v1")


def test_that_any_tool_is_to_be_called_is_said() -> None:
    body = request_body(asking("sum", tools=BUILT_IN, force_tool=ANY_TOOL), ENDPOINT)
    assert body["tool_choice"] == "required"


def test_a_share_of_chances_is_told_where_it_is_one() -> None:
    assert request_body(asking("a", top_p=0.5), ENDPOINT)["top_p"] == 0.5
    assert "top_p" not in request_body(asking("a"), ENDPOINT)


def test_the_form_of_the_answer_is_told() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    told = request_body(asking("a", answer_schema=schema), ENDPOINT)["response_format"]
    assert told == {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    any_object = request_body(asking("a", answer_schema={}), ENDPOINT)["response_format"]
    assert any_object == {"type": "json_object"}
    assert "response_format" not in request_body(asking("a"), ENDPOINT)
