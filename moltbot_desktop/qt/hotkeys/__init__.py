"""A key of the whole desktop that reaches us wherever the keys go: X11, the portal, Windows."""
