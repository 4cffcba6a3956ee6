"""Exact arithmetic on what a person types or says; never `eval`."""

from moltbot_desktop.tools.arithmetic.evaluate import CalcError, Trouble, calculate
from moltbot_desktop.tools.arithmetic.words import in_symbols

__all__ = ["CalcError", "Trouble", "calculate", "in_symbols"]
