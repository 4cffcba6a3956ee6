"""How much of a model a graphics card computes. Pure.

offload(None, possible=True)      # (None, ""): all layers
offload(None, possible=False)     # (0, ""): nobody asked for more
offload(20, possible=False)       # (0, "llama.cpp finds no ...")
"""

from __future__ import annotations


def offload(wanted: int | None, *, possible: bool) -> tuple[int | None, str]:
    """Layers to try with, and why those are fewer than was asked for.

    Args:
        wanted: layers the settings ask for; None leaves it to the program, which takes all.
        possible: whether llama.cpp was built for graphics cards and sees one.

    Returns:
        The number, None for all, and "" or a sentence for the person.
    """
    if possible:
        return wanted, ""
    if not wanted:
        return 0, ""
    return 0, "llama.cpp finds no graphics card that it was built for."
