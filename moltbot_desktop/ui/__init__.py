"""What people look at: tray, chat window, approvals. Qt Widgets live here and nowhere else.

Decisions (what an event changes, where a Markdown block ends, which colours there are) are pure
modules without Qt: `conversation`, `blocks`, `markup`, `highlight`, `theme`. The rest paints them.
"""
