"""Backups: export, import, snapshots, what other assistants left, and the support bundle."""
