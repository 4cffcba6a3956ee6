"""The disk: atomic files, append-only JSONL, locks, and the one SQLite opener.

Everything here turns what the system says (OSError, apsw errors) into `core.errors.StorageError`
classes, so that rooms above never look at an errno.
"""
