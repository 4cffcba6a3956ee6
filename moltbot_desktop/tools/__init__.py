"""The built-in tools: memory, files, arithmetic, reminders; and what this build lacks."""
