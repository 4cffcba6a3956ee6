"""The composition root: every object is made here and handed down."""
