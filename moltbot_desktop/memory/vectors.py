"""Cosines of a query with every unit, from vectors held in memory; vec0 is their durable store.

    matrix = VectorMatrix(len(layout), vectors, dimensions)
    cosines = matrix.cosines(query, wanted=24)  # one per position, NaN without a vector

Up to `EXACT_UP_TO` vectors one product of the matrix with the query is exact and beats any index.
Above it the product is held up by memory, so the signs of the numbers are looked at first, 64 in
one machine word (`_Signs`), and only the vectors whose signs are most like the query's are
multiplied: `PER_WANTED` for each place that is wanted, `LEAST_CANDIDATES` at least, and at least
one of `ONE_OF` (among more vectors the same 24 stand further down by their signs).

**What the others get.** Ranking does not only want the best: it measures how far a cosine stands
above the average of all (`rank.standing_out`), and adds that to what words and neighbours say of
places far down the list. NaN for the others would make it the average of the candidates, above
which next to none of them stands; nought would put a middling place below a bad one. So each of
them has the cosine that a vector with so many equal signs has on average: a line over the number
of unequal signs, fitted for each query to `SAMPLE` vectors that are multiplied as well, and moved
so that the average over all vectors is the exact one (the query's product with the average vector,
which costs nothing). The fit draws what is doubtful towards that average: an estimate adds less
than it might, and never stands above the candidates by chance alone.

Products are made by `np.vecdot`, row by row on one thread. `@` hands a matrix to several threads
that wait for each other: 10,000 vectors took 12 ms on two busy cores in place of 0.3.

Seen with 384 numbers a vector, on such cores (tests/bench/memory_speed.py measures it anew):
100,000 vectors in 3 ms, or 7 when something else has used the processor's cache in between (all of
them exactly: 5.5; vec0 in the same minute: 140); 158 MB held, made in 0.1 s. Reading them from vec0
takes 0.6 s of processor time more, once after each change of the index. Of the 24 nearest, .995 and
more are among the candidates. On conversations (2,080 notes) the evidence found was about the same
with one exact cosine in twenty: .919 for .923 in 8,000 characters, .881 for .874 in 4,000.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
_Counts = npt.NDArray[np.uint16]
_Places = npt.NDArray[np.intp]
_DISK = np.dtype("<f4")
FLOAT_BYTES = _DISK.itemsize
"""Bytes of one number of a packed vector."""

EXACT_UP_TO = 20_000
PER_WANTED = 20
LEAST_CANDIDATES = 480
ONE_OF = 20
SAMPLE = 512
_CHUNK = 4096
"""Vectors handled at a time: a few megabytes, which stay in the processor's cache."""
_GATHERED = 512
_LENGTH_SLACK = 0.01


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
    """Vectors by position; positions without one have no cosine.

    Args:
        count: number of positions.
        vectors: packed, by position; one of another size or length than 1 is as good as none
            (SQLite does not notice flipped bits).
        dimensions: numbers in a vector.
        exact_up_to: number of vectors above which only candidates get exact cosines.
    """

    def __init__(
        self,
        count: int,
        vectors: Mapping[int, bytes],
        dimensions: int,
        *,
        exact_up_to: int = EXACT_UP_TO,
    ) -> None:
        self._count = count
        self._dimensions = dimensions
        self._positions, self._matrix = _loaded(vectors, dimensions)
        self._signs = _Signs(self._matrix) if len(self._matrix) > exact_up_to else None

    def cosines(self, query: Sequence[float], wanted: int = 0) -> Floats | None:
        """-1..1 per position, NaN where there is no vector; None when nothing can be told.

        Args:
            wanted: how many places an answer may show; the more, the more cosines are exact.
        """
        packed = pack(query)
        if not len(self._matrix) or not is_usable(packed, self._dimensions):
            return None
        asked = np.frombuffer(packed, dtype=_DISK).astype(np.float32)
        found: Floats = np.full(self._count, np.nan, dtype=np.float32)
        if self._signs is None:
            found[self._positions] = np.vecdot(self._matrix, asked)
        else:
            found[self._positions] = self._signs.cosines(asked, wanted)
        return found


def _loaded(vectors: Mapping[int, bytes], dimensions: int) -> tuple[_Places, Floats]:
    """Positions of the sound vectors, and the vectors."""
    size = dimensions * FLOAT_BYTES
    rows = [at for at, packed in vectors.items() if packed and len(packed) == size]
    positions = np.array(rows, dtype=np.intp)
    matrix: Floats = np.empty((len(rows), dimensions), dtype=np.float32)
    sound = np.zeros(len(rows), dtype=bool)
    for first in range(0, len(rows), _CHUNK):
        some = slice(first, first + _CHUNK)
        packed = b"".join([vectors[at] for at in rows[some]])
        matrix[some] = np.frombuffer(packed, dtype=_DISK).reshape(-1, dimensions)
        with np.errstate(all="ignore"):  # damaged numbers may be of any size
            lengths = np.einsum("ij,ij->i", matrix[some], matrix[some])
            sound[some] = np.abs(lengths - 1) < _LENGTH_SLACK
    return (positions, matrix) if sound.all() else (positions[sound], matrix[sound])


class _Signs:
    """Vectors (n x dimensions) with the signs of their numbers, told from their average vector.

    Told from nought the signs of many models' vectors are alike and say little.
    """

    def __init__(self, matrix: Floats) -> None:
        self._matrix = matrix
        self._average: Floats = _average(matrix)
        words = -(-matrix.shape[1] // 64)
        # One column after the other: each is read from its beginning to its end.
        self._columns = np.empty((words, len(matrix)), dtype=np.uint64)
        for first in range(0, len(matrix), _CHUNK):
            some = slice(first, first + _CHUNK)
            self._columns[:, some] = self._packed(matrix[some]).T
        step = max(1, len(matrix) // SAMPLE)
        self._sample_places = np.arange(0, len(matrix), step)
        self._sample = matrix[::step].copy()

    def _packed(self, vectors: Floats) -> npt.NDArray[np.uint64]:
        bits = np.packbits(vectors > self._average, axis=1)
        whole = np.zeros((len(vectors), 8 * len(self._columns)), dtype=np.uint8)
        whole[:, : bits.shape[1]] = bits
        return whole.view(np.uint64)

    def cosines(self, query: Floats, wanted: int) -> Floats:
        """With each vector: exact for the most alike, expected for the others."""
        unequal = self._unequal(query)
        candidates = max(PER_WANTED * wanted, LEAST_CANDIDATES, len(unequal) // ONE_OF)
        near = _smallest(unequal, candidates)
        found = self._expected(query, unequal)[unequal]
        for first in range(0, len(near), _GATHERED):  # a part at a time is copied in half the time
            some = near[first : first + _GATHERED]
            found[some] = np.vecdot(self._matrix[some], query)
        return found

    def _unequal(self, query: Floats) -> _Counts:
        """Number of signs in which each vector differs from `query`."""
        found: _Counts = np.zeros(len(self._matrix), dtype=np.uint16)
        for column, word in zip(self._columns, self._packed(query[np.newaxis])[0], strict=True):
            found += np.bitwise_count(column ^ word)
        return found

    def _expected(self, query: Floats, unequal: _Counts) -> Floats:
        """The cosine to expect of a vector, by the number of its unequal signs."""
        seen = unequal[self._sample_places].astype(np.float64)
        off = seen - seen.mean()
        spread = float(off @ off)
        slope = min(0.0, float(off @ np.vecdot(self._sample, query)) / spread) if spread else 0.0
        average = float(self._average @ query)
        counts = np.arange(len(query) + 1) - float(unequal.mean())
        expected: Floats = np.clip(average + slope * counts, -1, 1).astype(np.float32)
        return expected


def _average(matrix: Floats) -> Floats:
    total = np.zeros(matrix.shape[1])
    for first in range(0, len(matrix), _CHUNK):
        total += matrix[first : first + _CHUNK].sum(axis=0)
    found: Floats = (total / len(matrix)).astype(np.float32)
    return found


def _smallest(counts: _Counts, wanted: int) -> _Places:
    """Places of the `wanted` smallest; of equal ones the first. Linear, unlike sorting."""
    reached = np.cumsum(np.bincount(counts))
    if wanted >= len(counts):
        return np.arange(len(counts))
    limit = int(np.searchsorted(reached, wanted))
    below = np.flatnonzero(counts < limit)
    return np.concatenate([below, np.flatnonzero(counts == limit)[: wanted - len(below)]])
