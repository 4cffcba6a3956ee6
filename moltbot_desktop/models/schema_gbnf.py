"""JSON Schema of tool arguments to GBNF rules (llama.cpp's grammar language)."""

from __future__ import annotations


class SchemaGbnf:
    """Collects the rules of one grammar."""
