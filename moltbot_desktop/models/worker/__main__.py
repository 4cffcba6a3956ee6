"""`python -m moltbot_desktop.models.worker`: the process of an isolated chat model."""

import sys

from moltbot_desktop.models.worker.channel import claim_stdout

# Before anything that might print is imported: what is printed goes to stderr from here on.
ANSWERS = claim_stdout()
from moltbot_desktop.models.worker.child import serve  # noqa: E402

if __name__ == "__main__":
    sys.exit(serve(ANSWERS))
