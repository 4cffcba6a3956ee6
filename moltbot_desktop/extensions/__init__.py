"""Bundled plugins, one folder each: they import `sdk` and `core` only, as anybody's would."""
