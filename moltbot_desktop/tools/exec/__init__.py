"""Commands: `planning.py` judges one, `tool.py` runs it, `process.py` talks to those that go on.

What starts programs is `security.sandbox`; `running.py` is one that runs, `sessions.py` all of
them, `output.py` what they say, `keys.py` what is typed into them.
"""
