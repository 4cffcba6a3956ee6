"""QtCore and QtNetwork only: the agent's thread, the way back to the main thread, one instance.

Nothing here knows what the assistant says; no widget is made here.
"""
