"""Forms from JSON Schema, without any widget.

`shapes` says what a schema asks for, `checking` what is wrong with a value, `nodes` makes the tree
that a window draws, `form` is the whole with its edits, `report` says what a schema can have drawn.
"""
