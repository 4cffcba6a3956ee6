"""Conversations on disk: what a session is called, its transcript, and which one is current.

The transcript (JSON Lines, append only) is the truth; `sessions.json` only says which transcript
a session key points at and is rebuilt from the transcripts when it is damaged.
"""
