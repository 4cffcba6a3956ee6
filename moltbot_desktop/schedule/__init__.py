"""Reminders: the due table and the task that fires them."""
