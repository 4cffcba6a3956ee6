"""Cosines of a query with every unit, from vectors held in memory; vec0 is their durable store.

    matrix = VectorMatrix(dimensions)
    matrix.add(numbers, vectors)
    cosines = matrix.cosines(query, wanted=24)  # one for each of `matrix.numbers`

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

**Changes.** A note more or less must not cost a pass over all vectors. Rows are added at the end,
where some room is kept, and a removed row's place is taken by the last one; only their signs are
made. The average is kept up by its sum, while the point from which signs are told stays where it
was: any point does that is about the average. When half of the rows are new it is chosen anew.

Products are made by `np.vecdot`, row by row on one thread. `@` hands a matrix to several threads
that wait for each other: 10,000 vectors took 12 ms on two busy cores in place of 0.3.

Seen with 384 numbers a vector, on such cores (tests/bench/memory_speed.py measures it anew):
100,000 vectors in 2 ms, or 5 when something else has used the processor's cache in between (all
of them exactly: 5.5; vec0 in the same minute: 140); 158 MB held. Of the 24 nearest, .998 are among
the candidates. On conversations (2,080 notes) the evidence found was about the same with one exact
cosine in twenty: .919 for .923 in 8,000 characters, .881 for .874 in 4,000.
"""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.memory.arrays import Array, Bits, Counts, Floats, Numbers, Positions, np

DISK_FLOAT = "<f4"
FLOAT_BYTES = 4
"""Bytes of one number of a packed vector."""

EXACT_UP_TO = 20_000
PER_WANTED = 20
LEAST_CANDIDATES = 480
ONE_OF = 48
SAMPLE = 512
_CHUNK = 4096
"""Vectors handled at a time: a few megabytes, which stay in the processor's cache."""
_GATHERED = 512
_LENGTH_SLACK = 0.01


def pack(vector: Sequence[float]) -> bytes:
    """Unit-length little-endian float32; a vector of zeros stays one."""
    values = np.asarray(vector, dtype=DISK_FLOAT)
    length = float(np.linalg.norm(values))
    if length > 0 and np.isfinite(length):
        values = values / np.float32(length)
    return values.astype(DISK_FLOAT).tobytes()


def unpack(packed: bytes) -> Sequence[float]:
    """What `pack` packed."""
    return [float(value) for value in np.frombuffer(packed, dtype=DISK_FLOAT)]


def is_usable(packed: bytes, dimensions: int) -> bool:
    """Whether `packed` is a finite vector of so many dimensions that points somewhere."""
    values = np.frombuffer(packed, dtype=DISK_FLOAT)
    return len(values) == dimensions and bool(np.isfinite(values).all()) and bool(values.any())


class VectorMatrix:
    """Vectors of length one, each with its unit's number. Not thread-safe.

    Args:
        dimensions: numbers in a vector.
        room: for so many vectors at once; more may come.
        exact_up_to: number of vectors above which only candidates get exact cosines.
    """

    def __init__(self, dimensions: int, *, room: int = 0, exact_up_to: int = EXACT_UP_TO) -> None:
        self._dimensions = dimensions
        self._exact_up_to = exact_up_to
        self._count = 0
        self._numbers: Numbers = np.empty(0, dtype=np.int64)
        self._matrix: Floats = np.empty((0, dimensions), dtype=np.float32)
        self._make_room(room)
        self._signs: _Signs | None = None
        self._changed = 0
        """Rows added or removed since the signs were made."""

    @property
    def numbers(self) -> Numbers:
        """Of the rows, in their order, which changes with every change."""
        return self._numbers[: self._count]

    @property
    def _vectors(self) -> Floats:
        return self._matrix[: self._count]

    def add(self, numbers: Numbers, vectors: Floats) -> None:
        """Rows for `numbers`, which have none yet.

        Vectors that are not of length one are left out: SQLite does not notice flipped bits.
        """
        if vectors.shape[1:] != (self._dimensions,):
            return
        with np.errstate(all="ignore"):  # damaged numbers may be of any size
            sound = np.abs(np.vecdot(vectors, vectors) - 1) < _LENGTH_SLACK
        if not sound.all():
            numbers, vectors = numbers[sound], vectors[sound]
        first, last = self._count, self._count + len(vectors)
        if last > len(self._matrix):
            self._make_room(last)
        self._numbers[first:last] = numbers
        self._matrix[first:last] = vectors
        self._count = last
        if self._signs is not None:
            self._signs.added(self._vectors, first)
            self._note_changed(last - first)

    def _make_room(self, count: int) -> None:
        """For at least `count` rows; an eighth more is room for what is added later."""
        numbers: Numbers = np.empty(count + count // 8, dtype=np.int64)
        matrix: Floats = np.empty((len(numbers), self._dimensions), dtype=np.float32)
        numbers[: self._count] = self.numbers
        matrix[: self._count] = self._vectors
        self._numbers, self._matrix = numbers, matrix

    def remove(self, numbers: Numbers) -> None:
        """Drop the rows of `numbers`, those that have one."""
        gone = np.flatnonzero(np.isin(self.numbers, numbers))
        if not len(gone):
            return
        kept = self._count - len(gone)
        holes = gone[gone < kept]
        movers = np.setdiff1d(np.arange(kept, self._count), gone)
        if self._signs is not None:
            self._signs.removed(self._vectors[gone], holes, movers)
        self._numbers[holes] = self._numbers[movers]
        self._matrix[holes] = self._matrix[movers]
        self._count = kept
        self._note_changed(len(gone))

    def _note_changed(self, count: int) -> None:
        self._changed += count
        if 2 * self._changed > self._count:
            self._signs = None

    def cosines(self, query: Sequence[float], wanted: int = 0) -> Floats | None:
        """-1..1 for each row; None when nothing can be told.

        Args:
            wanted: how many places an answer may show; the more, the more cosines are exact.
        """
        packed = pack(query)
        if not self._count or not is_usable(packed, self._dimensions):
            return None
        asked = np.frombuffer(packed, dtype=DISK_FLOAT).astype(np.float32)
        if self._count <= self._exact_up_to:
            found: Floats = np.vecdot(self._vectors, asked)
            return found
        if self._signs is None:
            self._signs, self._changed = _Signs(self._vectors), 0
        return self._signs.cosines(self._vectors, asked, wanted)


class _Signs:
    """The signs of vectors (n x dimensions), told from a point that was their average.

    Told from nought the signs of many models' vectors are alike and say little.
    """

    def __init__(self, vectors: Floats) -> None:
        self._sum = _sum(vectors)
        self._origin: Floats = (self._sum / len(vectors)).astype(np.float32)
        self._words = -(-vectors.shape[1] // 64)
        # One column after the other: each is read from its beginning to its end.
        self._columns = np.empty((self._words, 0), dtype=np.uint64)
        self._pack_from(vectors, 0)

    def added(self, vectors: Floats, first: int) -> None:
        """`vectors` has new rows from `first` on."""
        self._sum += _sum(vectors[first:])
        self._pack_from(vectors, first)

    def removed(self, gone: Floats, holes: Positions, movers: Positions) -> None:
        """The rows `movers` go to `holes`; the rest of the end is no more."""
        self._sum -= _sum(gone)
        self._columns[:, holes] = self._columns[:, movers]

    def _pack_from(self, vectors: Floats, first: int) -> None:
        count = len(vectors)
        if count > self._columns.shape[1]:
            columns = np.empty((self._words, count + count // 8), dtype=np.uint64)
            columns[:, :first] = self._columns[:, :first]
            self._columns = columns
        for start in range(first, count, _CHUNK):
            some = slice(start, min(start + _CHUNK, count))
            self._columns[:, some] = self._packed(vectors[some]).T

    def _packed(self, vectors: Floats) -> Bits:
        bits = np.packbits(vectors > self._origin, axis=1)
        whole = np.zeros((len(vectors), 8 * self._words), dtype=np.uint8)
        whole[:, : bits.shape[1]] = bits
        return whole.view(np.uint64)

    def cosines(self, vectors: Floats, query: Floats, wanted: int) -> Floats:
        """With each of `vectors`: exact for the most alike, expected for the others."""
        unequal = self._unequal(len(vectors), query)
        candidates = max(PER_WANTED * wanted, LEAST_CANDIDATES, len(unequal) // ONE_OF)
        near = _smallest(unequal, candidates)
        found = self._expected(vectors, query, unequal)[unequal]
        for first in range(0, len(near), _GATHERED):  # a part at a time is copied in half the time
            some = near[first : first + _GATHERED]
            found[some] = np.vecdot(vectors[some], query)
        return found

    def _unequal(self, count: int, query: Floats) -> Counts:
        """Number of signs in which each vector differs from `query`."""
        found: Counts = np.zeros(count, dtype=np.uint16)
        asked = self._packed(query[np.newaxis])[0]
        for column, word in zip(self._columns[:, :count], asked, strict=True):
            found += np.bitwise_count(column ^ word)
        return found

    def _expected(self, vectors: Floats, query: Floats, unequal: Counts) -> Floats:
        """The cosine to expect of a vector, by the number of its unequal signs."""
        step = max(1, len(vectors) // SAMPLE)
        seen = unequal[::step].astype(np.float64)
        off = seen - seen.mean()
        spread = float(off @ off)
        exact = np.vecdot(vectors[::step], query)
        slope = min(0.0, float(off @ exact) / spread) if spread else 0.0
        average = float(self._sum @ query) / len(vectors)
        counts = np.arange(len(query) + 1) - float(unequal.mean())
        expected: Floats = np.clip(average + slope * counts, -1, 1).astype(np.float32)
        return expected


def _sum(vectors: Floats) -> Array:
    total = np.zeros(vectors.shape[1])
    for first in range(0, len(vectors), _CHUNK):
        total += vectors[first : first + _CHUNK].sum(axis=0)
    return total


def _smallest(counts: Counts, wanted: int) -> Positions:
    """Places of the `wanted` smallest; of equal ones the first. Linear, unlike sorting."""
    reached = np.cumsum(np.bincount(counts))
    if wanted >= len(counts):
        return np.arange(len(counts))
    limit = int(np.searchsorted(reached, wanted))
    below = np.flatnonzero(counts < limit)
    return np.concatenate([below, np.flatnonzero(counts == limit)[: wanted - len(below)]])
