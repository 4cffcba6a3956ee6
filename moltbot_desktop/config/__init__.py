"""Settings: `moltbot.json` in the state folder, read as JSON5, checked section by section.

`settings` declares every setting once; types, defaults, checking and the JSON Schema come from
there. A mistake costs one section, which falls back to its last good state, and never the start.
"""
