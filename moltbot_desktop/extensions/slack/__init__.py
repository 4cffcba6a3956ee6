"""Slack: an app of the owner's own, over a line that this computer opens (socket mode)."""
