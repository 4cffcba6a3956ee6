"""Run before the program in a frozen build: what it starts is not told where its libraries lie.

PyInstaller's bootloader sets LD_LIBRARY_PATH for this process. The linker has read it by now; git,
a browser or a shell that inherited it would load our libraries and break. A child of our own is
started by the same bootloader, which sets it anew. On macOS and Windows nothing of this is set.
"""

import os

for _name in ("LD_LIBRARY_PATH", "LIBPATH"):
    _before = os.environ.pop(f"{_name}_ORIG", None)
    if _before is not None:
        os.environ[_name] = _before
    else:
        os.environ.pop(_name, None)
