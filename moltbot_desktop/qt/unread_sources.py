"""Sources that PySide6 would read and keep for nothing.

    leave_sources_unread()                 # once PySide6 is there, before much else is imported

PySide6 can spell Qt's names in another way for modules that ask for it (`snake_case`,
`true_property`). To know which modules to look after, it reads the source of each one that is
imported after it and searches it for its own name; `linecache` keeps what was read. Of this
program that would be 13 million characters and a sixth of the processor time of a start. Nobody
here asks for other spellings, so no module has to be looked after.
"""

from __future__ import annotations

import sys

_FEATURES, _ASKED = "shibokensupport.feature", "_mod_uses_pyside"


def leave_sources_unread() -> None:
    """From now on; where PySide6 does it in another way, all stays as it is."""
    features = sys.modules.get(_FEATURES)
    if features is not None and hasattr(features, _ASKED):
        setattr(features, _ASKED, _uses_no_spelling)


def _uses_no_spelling(_module: object) -> bool:
    return False
