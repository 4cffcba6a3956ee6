"""Scripts that build the starter model: a very small model trained from scratch for one-line requests."""
