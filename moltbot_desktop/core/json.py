"""JSON values as types, so that parsed data never has to be `Any`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

JsonScalar = str | int | float | bool | None
JsonValue = JsonScalar | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
JsonObject = Mapping[str, JsonValue]
