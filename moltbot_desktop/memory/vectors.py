"""Cosines of a query with every unit: exact, from one matrix in memory.

Up to some ten thousand units this beats any index (0.4 ms at 10,000 x 384); vec0 stays the durable
store. numpy is there already: llama-cpp-python needs it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
_DISK = np.dtype("<f4")
FLOAT_BYTES = _DISK.itemsize
"""Bytes of one number of a packed vector."""


def pack(vector: Sequence[float]) -> bytes:
    """Unit-length little-endian float32; a vector of zeros stays one."""
    values = np.asarray(vector, dtype=_DISK)
    length = float(np.linalg.norm(values))
    if length > 0 and np.isfinite(length):
        values = values / np.float32(length)
    return values.astype(_DISK).tobytes()


def is_usable(packed: bytes, dimensions: int) -> bool:
    """Whether `packed` is a finite vector of so many dimensions that points somewhere."""
    values = np.frombuffer(packed, dtype=_DISK)
    return len(values) == dimensions and bool(np.isfinite(values).all()) and bool(values.any())


class VectorMatrix:
    """Vectors by position; positions without one have no cosine."""

    def __init__(self, count: int, vectors: Mapping[int, bytes], dimensions: int) -> None:
        self._present = np.zeros(count, dtype=bool)
        self._matrix: Floats = np.zeros((count, dimensions), dtype=np.float32)
        for position, packed in vectors.items():
            if len(packed) == dimensions * FLOAT_BYTES:
                self._matrix[position] = np.frombuffer(packed, dtype=_DISK)
                self._present[position] = True

    def cosines(self, query: Sequence[float]) -> Floats | None:
        """-1..1 per position, NaN where there is no vector; None when nothing can be told."""
        packed = pack(query)
        if not self._present.any() or not is_usable(packed, self._matrix.shape[1]):
            return None
        found: Floats = self._matrix @ np.frombuffer(packed, dtype=_DISK).astype(np.float32)
        found[~self._present] = np.nan
        return found
