"""Commands: what a person types instead of asking, and what becomes of it without a model."""
