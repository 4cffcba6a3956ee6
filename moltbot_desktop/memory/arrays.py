"""The arrays that a search thinks in. numpy is loaded with the first of them: 16 MiB that a program
nobody has asked anything yet does without."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from moltbot_desktop.core.late import LateModule

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = LateModule("numpy")

__all__ = ["Array", "Bits", "Counts", "Flags", "Floats", "Numbers", "Positions", "np"]

Array: TypeAlias = "npt.NDArray[np.float64]"
Floats: TypeAlias = "npt.NDArray[np.float32]"
Numbers: TypeAlias = "npt.NDArray[np.int64]"
Positions: TypeAlias = "npt.NDArray[np.intp]"
Counts: TypeAlias = "npt.NDArray[np.uint16]"
Bits: TypeAlias = "npt.NDArray[np.uint64]"
Flags: TypeAlias = "npt.NDArray[np.bool_]"
