"""The assistant's own browser.

`tool.py` is what a model calls, `house.py` the thread that everything happens on, `keeper.py` the
browser itself and `tabs.py` its pages. What a page says is read by `snapshot.py`; what may be done
with it is the policy's business (`Effect.BROWSER_*`), and where it may reach that of
`security.forward_door`.
"""
