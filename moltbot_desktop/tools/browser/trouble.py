"""What can go wrong with the browser, said twice: to the model what to do, to the person what is.

raise BrowserTrouble("`ref` is missing", "need")      # `key` is a sentence of `texts.PHRASES`
"""

from __future__ import annotations

from moltbot_desktop.core.errors import ToolError


class BrowserTrouble(ToolError):
    """For the model; `key` and `values` say it to the person."""

    code = "browser"

    def __init__(self, error: str, key: str, **values: object) -> None:
        super().__init__(error)
        self.key = key
        self.values = values


class StaleRef(BrowserTrouble):
    """The page is another one now, or has no such element any more."""

    code = "browser_stale_ref"

    def __init__(self, ref: str) -> None:
        super().__init__(
            f"{ref} is not on the page any more: take a snapshot and use one of its refs",
            "stale",
            ref=ref,
        )


def no_tab(id: str) -> BrowserTrouble:
    """There is no tab of that name, or none at all."""
    if id:
        return BrowserTrouble(f"there is no tab {id[:10]!r}: see action tabs", "no_tab")
    return BrowserTrouble("no page is open: use action open with a url", "no_page")


class DialogWaits(BrowserTrouble):
    """The page shows a message and does nothing else before it is answered."""

    code = "browser_dialog"

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(
            f"the page shows a dialog ({kind}: {message[:300]!r}); answer it with action dialog",
            "dialog_waits",
            message=message[:200],
        )
        self.kind = kind
        self.said = message
