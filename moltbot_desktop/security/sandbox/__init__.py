"""Walls around commands: what a program that the assistant starts can reach.

`walls.py` says what may be reached, `bubblewrap.py`, `landlock.py` with `seccomp.py`, and
`seatbelt.py` (macOS, untried) build it, `launcher.py` is the process that starts programs behind it
and ends everything they started, and `probe.py` finds by trying which walls hold on this computer.
"""
