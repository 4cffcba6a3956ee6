"""The screen, the mouse and the keyboard: pictures of the screen, and work in other programs.

The accessibility tree comes first: a program's own names of its buttons and fields, with numbers
that the owner sees on the screen too, so that a model without eyes can press "7" and be watched.
`surroundings` says plainly where it does not work; `system` is the port to Linux under X11, Windows
and macOS, of which the last two are written and not yet run. Each library has one file: `atspi`
(jeepney), `x11` and `stop_key` (Xlib), `uia` (comtypes), `user32` (Windows' own), `ax` and `macos`
(PyObjC), `hands` (pyautogui), `pictures` (mss).
"""
