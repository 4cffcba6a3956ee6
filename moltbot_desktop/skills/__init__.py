"""Skills: folders with a SKILL.md that teach the model to do something with the tools it has.

Found in ordered places, parsed as untrusted text, listed in the prompt by name and description;
the model reads the file itself when it needs it. Nothing here runs anything.
"""
