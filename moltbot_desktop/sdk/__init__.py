"""The public contracts: tools, models, embedders and memory engines.

The program's own rooms implement them, and a plugin's author imports nothing else. Everything
here is a `Protocol` or a frozen value; nothing here does anything.
"""
