"""The `moltbot-desktop` command: the same assistant in a terminal and in scripts."""
