"""The place "Memory": the notes, what waits to be remembered, searching, and forgetting."""
