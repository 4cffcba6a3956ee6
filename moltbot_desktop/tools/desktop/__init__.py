"""The screen, the mouse and the keyboard: pictures of the screen, and work in other programs.

The accessibility tree comes first: a program's own names of its buttons and fields, with numbers
that the owner sees on the screen too, so that a model without eyes can press "7" and be watched.
Linux under X11 only; `surroundings` says plainly why not elsewhere. Each library has one file:
`atspi` (jeepney), `x11` and `stop_key` (Xlib), `hands` (pyautogui), `pictures` (mss).
"""
