"""The arrays of logits and states. numpy is loaded with the first of them, which is a model's."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from moltbot_desktop.core.late import LateModule

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = LateModule("numpy")

__all__ = ["Array", "Bytes", "Floats", "Numbers", "np"]

Array: TypeAlias = "npt.NDArray[np.float64]"
Bytes: TypeAlias = "npt.NDArray[np.uint8]"
Floats: TypeAlias = "npt.NDArray[np.float32]"
Numbers: TypeAlias = "npt.NDArray[np.int64]"
