"""The place "Schedule": what you are reminded of, and what the assistant does by itself."""
