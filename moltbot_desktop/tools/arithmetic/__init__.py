"""Exact arithmetic on what a person types or says; never `eval`."""

from moltbot_desktop.tools.arithmetic.evaluate import CalcError, Trouble, calculate

__all__ = ["CalcError", "Trouble", "calculate"]
