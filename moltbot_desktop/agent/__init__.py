"""One run: prompt, turn machine, tool dispatch, and what is kept of it."""
