"""Moltbot Desktop: a personal assistant in the system tray that works offline."""

__version__ = "0.1.0"
