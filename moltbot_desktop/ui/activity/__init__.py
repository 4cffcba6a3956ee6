"""The place "Activity": every run with its steps, and a run told anew to compare."""
