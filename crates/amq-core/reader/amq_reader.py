"""Reads amq filters: a second implementation of the format, written from FORMAT.md.

    >>> from amq_reader import load
    >>> seen = load("seen.amq")
    >>> "alice" in seen
    True

A filter whose `secret` is None was made of hashes by somebody who hashed the keys: any key may be
in it. Hash likewise, and ask `contains_hash`. Otherwise its `secret` is the seed of XXH3, a number,
or the key of SipHash, 16 bytes; for a file that withholds it, `load` takes it. `encoding` is the set
of the sorts of keys that were put in, "bytes" and "integers"; or one alone of "hex", bytes that text
shows in hexadecimal digits, "dates", to be asked for by the number of days since 1970-01-01, and
"instants", by (seconds, nanoseconds) since then; if it is empty, nobody said.

Plain Python and the package `xxhash`. Everything is checked; what is wrong raises `FormatError`.
It is made to be read, not to be fast. To add a kind, write a `Filter` with `NUMBER`, `REVISION`,
`__init__(file)` and `contains_hash(hash)`. (A map has `get(key)`.)
"""

import math
import struct
import sys

import xxhash

MAGIC = b"\x89AMQ\r\n\x1a\n"
MAJOR = 0
HEADER = 192
ROW = 64
MAX_DIRECTORY = 4 << 20
# Flags: the seed or key is withheld; in its place is a check of it.
WITHHELD, CHECKED = 1 << 16, 1 << 17
# Flags that tell how keys were encoded, and may be ignored.
SEVERAL = {"bytes", "integers"}
SORTS = (set(), {"bytes"}, {"integers"}, SEVERAL, {"instants"}, {"hex"}, {"dates"}, SEVERAL)
# How keys are hashed: under a seed, by the caller in a way that the file does not tell, under a key.
XXH3, BY_CALLER, SIPHASH = 1, 2, 3
MASK = (1 << 64) - 1


class FormatError(ValueError):
    """The bytes are not a filter, or not an undamaged one."""


# Kinds up to version 0.3.
WITHDRAWN = {7: "standard", 12: "narrow", 13: "wide bumped"}


class UnknownKind(FormatError):
    """A filter of a kind that this reader does not have."""

    def __init__(self, number):
        was = WITHDRAWN.get(number)
        named = ", %s ribbon filters of version 0.3 or before," % was if was else ""
        super().__init__("filters of kind %d%s are not read here" % (number, named))
        self.number = number


def expect(condition, what):
    if not condition:
        raise FormatError(what)


# Keys and hashes


def encoding(key):
    """The bytes that a key is hashed as."""
    if isinstance(key, bool):
        return struct.pack("<Q", key)
    if isinstance(key, int):
        # Signed integers are sign-extended, so both ranges are one set of eight bytes.
        if not -(1 << 63) <= key < 1 << 64:
            raise OverflowError("integers of more than 64 bits: encode them as bytes")
        return struct.pack("<Q", key & MASK)
    if isinstance(key, str):
        return key.encode("utf-8")
    if isinstance(key, (bytes, bytearray, memoryview)):
        return bytes(key)
    if isinstance(key, (tuple, list)):
        return b"".join(map(part, key))
    raise TypeError("no encoding is known for %s" % type(key).__name__)


def part(key):
    """The bytes of a key within a tuple or list."""
    own = encoding(key)
    if isinstance(key, list):
        return struct.pack("<Q", len(key)) + own
    if isinstance(key, (str, bytes, bytearray, memoryview)):
        return struct.pack("<Q", len(own)) + own
    return own


def key_hash(key, secret):
    """The hash of a key under a seed, which is a number, or under a key of 16 bytes."""
    if isinstance(secret, bytes):
        return siphash(encoding(key), secret)
    return xxhash.xxh3_64_intdigest(encoding(key), secret)


def siphash(bytes, key):
    """SipHash-1-3."""
    k0, k1 = struct.unpack("<QQ", key)
    v0, v1 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
    v2, v3 = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573

    def turned(word, bits):
        return (word << bits | word >> 64 - bits) & MASK

    def round():
        nonlocal v0, v1, v2, v3
        v0 = v0 + v1 & MASK
        v1 = turned(v1, 13) ^ v0
        v0 = turned(v0, 32)
        v2 = v2 + v3 & MASK
        v3 = turned(v3, 16) ^ v2
        v0 = v0 + v3 & MASK
        v3 = turned(v3, 21) ^ v0
        v2 = v2 + v1 & MASK
        v1 = turned(v1, 17) ^ v2
        v2 = turned(v2, 32)

    ended = bytes + b"\0" * (7 - len(bytes) % 8) + struct.pack("B", len(bytes) % 256)
    for (word,) in struct.iter_unpack("<Q", ended):
        v3 ^= word
        round()
        v0 ^= word
    v2 ^= 0xFF
    for _ in range(3):
        round()
    return v0 ^ v1 ^ v2 ^ v3


def index(hash, n):
    return hash * n >> 64


def remix(hash, layer):
    x = (hash + (layer + 1) * 0x9E3779B97F4A7C15) & MASK
    x = (x ^ x >> 32) * 0x0E9846AF9B1A615D & MASK
    x = (x ^ x >> 32) * 0x0E9846AF9B1A615D & MASK
    return x ^ x >> 28


# The envelope


class File:
    """Header, directory and sections, all checked but for what a kind gives a meaning."""

    def __init__(self, bytes, secret=None):
        start = bytes[: len(MAGIC)]
        if start != MAGIC[: len(start)]:
            mangled = start[1:4] == MAGIC[1:4]
            expect(not mangled, "line ends or top bits were changed: a transfer in text mode?")
            raise FormatError("not an amq file: wrong magic bytes")
        expect(len(bytes) >= HEADER, "%d bytes are less than a header" % len(bytes))
        header = bytes[:HEADER]
        major, minor, header_length = struct.unpack_from("<HHI", header, 8)
        expect(major == MAJOR, "version %d is not read here" % major)
        expect(digest(header[:184]) == u64(header, 184), "the header's checksum is wrong")
        expect(header_length == HEADER, "a header of %d bytes" % header_length)
        self.kind, self.revision, hash, encoding, flags = struct.unpack_from("<BBBBI", header, 16)
        expect(hash in (XXH3, BY_CALLER, SIPHASH), "hash %d is not known" % hash)
        expect(encoding == 1, "encoding %d of keys is not known" % encoding)
        unknown = flags >> 16 << 16 & ~(WITHHELD | CHECKED)
        expect(not unknown, "flags %#x of version 0.%d are not known" % (unknown, minor))
        self.keys, self.capacity = struct.unpack_from("<QQ", header, 24)
        self.withheld = bool(flags & WITHHELD)
        self.encoding = set(SORTS[flags & 7]) if hash != BY_CALLER else set()
        expect(not any(header[152:168]), "reserved bytes are not zero")
        self.secret = self.secret_of(header, hash, flags, secret)
        expect(self.secret != b"\0" * 16, "the secret key is all zeros")
        self.budget = budget(header)
        self.asked = struct.unpack_from("<8Q", header, 72)

        directory_length, payload_length = struct.unpack_from("<QQ", header, 136)
        whole = directory_length % ROW == 0 and ROW <= directory_length <= MAX_DIRECTORY
        expect(whole, "a directory of %d bytes" % directory_length)
        length = HEADER + directory_length + payload_length
        expect(len(bytes) >= length, "cut: %d bytes of %d" % (len(bytes), length))
        expect(len(bytes) <= length, "%d bytes follow the filter" % (len(bytes) - length))
        directory = bytes[HEADER : HEADER + directory_length]
        payload = bytes[HEADER + directory_length :]
        expect(digest(directory) == u64(header, 176), "the directory's checksum is wrong")

        rows = [struct.unpack_from("<8Q", directory, at) for at in range(0, len(directory), ROW)]
        (sections, entries), rest = rows[0][:2], rows[0][2:]
        expect(1 + sections + entries == len(rows), "the directory has other numbers of rows")
        expect(not any(rest), "reserved bytes are not zero")
        end = 0
        places = []
        for offset, stated, width, *rest in rows[1 : 1 + sections]:
            expect(offset == end and width in (1, 4, 8, 16), "a section is out of place")
            expect(not any(rest), "reserved bytes are not zero")
            end = offset + -(-stated // 64) * 64
            expect(end <= payload_length, "a section is out of place")
            places.append((offset, stated, width))
        expect(end == payload_length, "the sections do not fill the payload")
        self.entries = rows[1 + sections :]

        expect(digest(payload) == u64(header, 168), "the payload's checksum is wrong")
        self.widths = [width for _, _, width in places]
        self.sections = []
        for (offset, stated, _), end in zip(places, [p[0] for p in places[1:]] + [end]):
            expect(not any(payload[offset + stated : end]), "padding is not zero")
            self.sections.append(payload[offset : offset + stated])

    def secret_of(self, header, hash, flags, given):
        """The seed or key: what the file stores, or what is given for a file that withholds it."""
        field = bytes(header[40:56])
        checked = bool(flags & CHECKED)
        used = 0
        if self.withheld:
            expect(hash != BY_CALLER, "a seed is withheld where there is none")
            expect(hash != SIPHASH or checked, "a key is withheld, and has no check")
            used = 4 if checked else 0
        else:
            expect(not checked, "a check of what is not withheld")
            used = {XXH3: 8, BY_CALLER: 0, SIPHASH: 16}[hash]
        expect(not any(field[used:]), "a seed that is withheld, or hashes nothing, is not zero")
        sorts = {XXH3: int, BY_CALLER: type(None), SIPHASH: bytes}
        if given is not None:
            expect(isinstance(given, sorts[hash]), "keys are not hashed under what was given")
            expect(hash != SIPHASH or len(given) == 16, "a key has 16 bytes")
        if not self.withheld:
            stored = {XXH3: u64(field, 0), BY_CALLER: None, SIPHASH: field}[hash]
            expect(given in (None, stored), "the file's seed or key is not the one given")
            return stored
        expect(given is not None, "the file withholds its seed or key: give it")
        if checked:
            key = given if hash == SIPHASH else struct.pack("<QQ", given, 0)
            (check,) = struct.unpack_from("<I", field)
            right = siphash(header[:40], key) & 0xFFFFFFFF == check
            expect(right, "the file's seed or key is not the one given")
        return given

    def expect_asked(self, used):
        """Only the first numbers that the user asked for are used."""
        expect(not any(self.asked[used:]), "reserved bytes are not zero")

    def numbers(self, entry, used):
        """The first numbers of an entry; the others must be zero."""
        numbers = self.entries[entry]
        expect(not any(numbers[used:]), "reserved bytes are not zero")
        return numbers[:used]

    def only_entry(self, used):
        expect(len(self.entries) == 1, "%d entries" % len(self.entries))
        return self.numbers(0, used)

    def expect_sections(self, *wanted):
        """The sections have these lengths in bytes and these widths."""
        stated = [(len(section), width) for section, width in zip(self.sections, self.widths)]
        expect(stated == list(wanted), "the sections do not follow from the geometry")


def digest(bytes):
    return xxhash.xxh3_64_intdigest(bytes)


def u64(bytes, at):
    return struct.unpack_from("<Q", bytes, at)[0]


def budget(header):
    """What the filter was planned with: a name and a value, or None."""
    kind, value = struct.unpack_from("<QQ", header, 56)
    (real,) = struct.unpack_from("<d", header, 64)
    if kind == 0 and value == 0:
        return None
    if kind == 1 and 0 < real < 1:
        return "rate", real
    if kind == 2 and 0 < real < float("inf"):
        return "bits per key", real
    expect(kind == 3, "the budget is none")
    return "bytes", value


# The kinds


class Filter:
    """What all kinds have in common."""

    def __init__(self, file):
        expect(file.revision == self.REVISION, "revision %d of the layout" % file.revision)
        self.keys, self.capacity, self.secret = file.keys, file.capacity, file.secret
        self.budget, self.encoding = file.budget, file.encoding

    def __contains__(self, key):
        # Without a secret the caller hashes the keys: any key may be in.
        return self.secret is None or self.contains_hash(key_hash(key, self.secret))


class Bloom(Filter):
    NUMBER, REVISION = 1, 1

    def __init__(self, file):
        super().__init__(file)
        file.expect_asked(0)
        self.bits, self.probes = file.only_entry(2)
        expect(1 <= self.bits <= (1 << 64) - 64, "%d bits" % self.bits)
        expect(1 <= self.probes <= 64, "%d probes" % self.probes)
        file.expect_sections((-(-self.bits // 64) * 8, 8))
        # Bit i of little-endian integers is bit i mod 8 of byte i / 8.
        self.table = file.sections[0]
        last = u64(self.table, len(self.table) - 8)
        expect(last >> ((self.bits - 1) % 64 + 1) == 0, "bits are set past the last")

    def contains_hash(self, hash):
        word = hash
        for _ in range(self.probes):
            bit = index(word, self.bits)
            if not self.table[bit // 8] >> bit % 8 & 1:
                return False
            word = word * 6364136223846793005 & MASK
        return True


class BlockedBloom(Filter):
    NUMBER, REVISION = 2, 1
    SALTS = (
        0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D,
        0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31,
    )  # fmt: skip

    def __init__(self, file):
        super().__init__(file)
        file.expect_asked(0)
        (self.blocks,) = file.only_entry(1)
        expect(1 <= self.blocks <= 1 << 31, "%d blocks" % self.blocks)
        file.expect_sections((self.blocks * 32, 4))
        self.table = file.sections[0]

    def contains_hash(self, hash):
        block = (hash >> 32) * self.blocks >> 32
        low = hash & 0xFFFFFFFF
        words = struct.unpack_from("<8I", self.table, block * 32)
        bits = ((low * salt & 0xFFFFFFFF) >> 27 for salt in self.SALTS)
        return all(word >> bit & 1 for word, bit in zip(words, bits))


class Interleaved(Filter):
    """No filter: it is asked with `bins` which of its bins may hold a key."""

    NUMBER, REVISION = 20, 1

    def __init__(self, file):
        super().__init__(file)
        # A filter can answer "maybe" to a key; here that would be all bins.
        expect(isinstance(self.secret, int), "bins must hash their keys under a seed")
        file.expect_asked(0)
        self.count, self.blocks = file.only_entry(2)
        expect(1 <= self.count <= 1 << 32, "%d bins" % self.count)
        expect(1 <= self.blocks <= 1 << 31, "%d blocks" % self.blocks)
        words = -(-self.count // 64)
        self.row = 8 * (words if words <= 8 else -(-words // 8) * 8)
        size = self.blocks * 256 * self.row
        expect(size < 1 << 63 and len(file.sections) == 3, "a table of %d bytes" % size)
        self.table, bins, names = file.sections
        file.expect_sections((size, 8), (16 * self.count, 8), (len(names), 1))
        self.lens, self.names, end = [], [], 0
        for keys, next in struct.iter_unpack("<QQ", bins):
            expect(end <= next <= len(names), "names that do not follow one another")
            try:
                self.names.append(names[end:next].decode("utf-8"))
            except UnicodeDecodeError:
                raise FormatError("a name that is no text") from None
            self.lens.append(keys)
            end = next
        expect(end == len(names), "bytes past the last name")
        expect(min(sum(self.lens), MASK) == self.keys, "a number of keys that is not the bins'")
        for row in range(0, size, self.row):
            rest = int.from_bytes(self.table[row : row + self.row], "little") >> self.count
            expect(rest == 0, "bits are set past the last bin")

    def bins_hash(self, hash):
        """The bins that may hold the key with this hash."""
        first = 256 * ((hash >> 32) * self.blocks >> 32)
        low = hash & 0xFFFFFFFF
        bins = (1 << self.count) - 1
        for word, salt in enumerate(BlockedBloom.SALTS):
            row = first + 32 * word + ((low * salt & 0xFFFFFFFF) >> 27)
            bins &= int.from_bytes(self.table[row * self.row : (row + 1) * self.row], "little")
        return [bin for bin in range(self.count) if bins >> bin & 1]

    def bins(self, key):
        """The bins that may hold a key."""
        return self.bins_hash(key_hash(key, self.secret))

    def contains_hash(self, hash):
        """Whether some bin may hold it."""
        return bool(self.bins_hash(hash))


class WideBlockedBloom(Filter):
    NUMBER, REVISION = 19, 1

    def __init__(self, file):
        super().__init__(file)
        file.expect_asked(0)
        self.blocks, self.probes = file.only_entry(2)
        expect(1 <= self.blocks <= 1 << 31, "%d blocks" % self.blocks)
        expect(1 <= self.probes <= 16, "%d probes" % self.probes)
        file.expect_sections((self.blocks * 64, 8))
        self.table = file.sections[0]

    def contains_hash(self, hash):
        block, low = index(hash, self.blocks), hash & 0xFFFFFFFF
        words = struct.unpack_from("<8Q", self.table, block * 64)
        for i, (word, salt) in enumerate(zip(words, BlockedBloom.SALTS)):
            more = (i - low) % 8 < self.probes % 8
            for bit in range(self.probes // 8 + more):
                if not word >> ((low * salt) >> 26 + 6 * bit) % 64 & 1:
                    return False
        return True


class Cuckoo(Filter):
    NUMBER, REVISION = 5, 1
    MARK_BITS = 0
    # The most bits of a slot with 8 bytes of padding.
    NARROW = 16

    def slots(self):
        return 4 * self.buckets

    def bucket(self, bucket, tag):
        """The slots of a bucket, each with the value it has if it holds the fingerprint."""
        return [(4 * bucket + lane, tag) for lane in range(4)]

    def is_sound(self, slot, value):
        """Whether an insert can have put the value, which is not zero, into the slot."""
        return True

    def __init__(self, file):
        super().__init__(file)
        file.expect_asked(0)
        self.buckets, self.bits = file.only_entry(2)
        expect(4 <= self.bits <= 32, "slots of %d bits" % self.bits)
        most = 1 << (62 - self.bits)
        sound = self.buckets % 2 == 0 and 2 <= self.buckets <= most
        expect(sound, "%d buckets" % self.buckets)
        expect(self.keys <= self.slots(), "more keys than slots")
        packed = -(-self.slots() * self.bits // 8)
        file.expect_sections((packed + (8 if self.bits <= self.NARROW else 16), 1))
        self.table = file.sections[0]
        self.tags = (1 << (self.bits - self.MARK_BITS)) - 1

        values = map(self.slot, range(self.slots()))
        taken = [(slot, value) for slot, value in enumerate(values) if value]
        expect(all(self.is_sound(*slot) for slot in taken), "a slot that no insert leads to")
        expect(len(taken) == self.keys, "a number of keys other than that of the slots taken")
        past = self.slots() * self.bits
        rest = int.from_bytes(self.table[past // 8 :], "little") >> past % 8
        expect(rest == 0, "bits are set past the last slot")

    def slot(self, slot):
        at = slot * self.bits
        word = int.from_bytes(self.table[at // 8 : at // 8 + 8], "little")
        return word >> at % 8 & (1 << self.bits) - 1

    def count_hash(self, hash):
        """Copies of the key with this hash."""
        product = hash * self.buckets
        one, rest = product >> 64, product & MASK
        tag = index(rest, self.tags) + 1
        both = 2 * index(tag * 0x9E3779B97F4A7C15 & MASK, self.buckets // 2) + 1
        other = (both - one) % self.buckets
        places = self.bucket(one, tag) + self.bucket(other, tag)
        return sum(self.slot(slot) == value for slot, value in places)

    def contains_hash(self, hash):
        return self.count_hash(hash) > 0


class WindowedCuckoo(Cuckoo):
    NUMBER, REVISION = 10, 1
    MARK_BITS = 1
    NARROW = 28

    def slots(self):
        return self.buckets + 1

    def bucket(self, bucket, tag):
        return [(bucket, tag), (bucket + 1, tag + (1 << self.bits - 1))]

    def is_sound(self, slot, value):
        mark, tag = divmod(value, 1 << self.bits - 1)
        return tag != 0 and 0 <= slot - mark < self.buckets


def real(number):
    """The real number of these bits."""
    return struct.unpack("<d", struct.pack("<Q", number))[0]


class Counting(Filter):
    NUMBER, REVISION = 3, 1

    def __init__(self, file):
        super().__init__(file)
        file.expect_asked(0)
        self.counters, self.probes = file.only_entry(2)
        expect(1 <= self.counters <= (1 << 64) - 16, "%d counters" % self.counters)
        expect(1 <= self.probes <= 64, "%d probes" % self.probes)
        file.expect_sections((-(-self.counters // 16) * 8, 8))
        self.table = file.sections[0]
        counters = nibbles(self.table)
        expect(not any(counters[self.counters :]), "bits are set past the last counter")
        expect_sum(counters, self.keys * self.probes)

    def counter(self, counter):
        return self.table[counter // 2] >> 4 * (counter % 2) & 15

    def count_hash(self, hash):
        """Copies of the key with this hash; 15 stands for 15 or more."""
        word, least = hash, 15
        for _ in range(self.probes):
            least = min(least, self.counter(index(word, self.counters)))
            word = word * 6364136223846793005 & MASK
        return least

    def contains_hash(self, hash):
        return self.count_hash(hash) > 0


class BlockedCounting(Filter):
    NUMBER, REVISION = 8, 1

    def __init__(self, file):
        super().__init__(file)
        file.expect_asked(0)
        (self.blocks,) = file.only_entry(1)
        expect(1 <= self.blocks <= 1 << 32, "%d blocks" % self.blocks)
        file.expect_sections((self.blocks * 64, 8))
        self.table = file.sections[0]
        expect_sum(nibbles(self.table), self.keys * 8)

    def count_hash(self, hash):
        product = hash * self.blocks
        block, low = product >> 64, (product & MASK) >> 32
        words = struct.unpack_from("<8Q", self.table, block * 64)
        shifts = (4 * ((low * salt & 0xFFFFFFFF) >> 28) for salt in BlockedBloom.SALTS)
        return min(word >> shift & 15 for word, shift in zip(words, shifts))

    def contains_hash(self, hash):
        return self.count_hash(hash) > 0


def nibbles(table):
    return [byte >> shift & 15 for byte in table for shift in (0, 4)]


def expect_sum(counters, wanted):
    """Counters that have not stopped at 15 add up to the keys times their counters."""
    expect(15 in counters or sum(counters) == wanted, "counters that do not add up")


class Scalable(Filter):
    NUMBER, REVISION = 4, 1
    WIDTH = 8

    def __init__(self, file):
        super().__init__(file)
        file.expect_asked(7)
        self.initial, rate, self.growth, tightening, self.bound, self.limit, most, _ = file.asked
        rate, tightening = real(rate), real(tightening)
        expect(self.initial >= 1, "no first stage")
        expect(2 <= self.growth <= 64, "a growth of %d: it must be from 2 to 64" % self.growth)
        expect(1 <= most <= 1 << 16, "no number of stages")
        expect(rate > self.initial / 2**64, "a rate that no hash of 64 bits can keep")
        expect(not 0 < self.bound < self.initial, "fewer keys than the first stage is for")
        expect(0 < rate < 1 and 0 < tightening < 1, "no rate")
        stages = len(file.entries)
        expect(1 <= stages <= min(64, most), "%d stages" % stages)
        before, keys, bytes, logs, wanted, self.stages = 0, 0, 0, 0.0, [], []
        for number in range(stages):
            places, probes, capacity, taken, held, p, cut = file.numbers(number, 7)
            left = self.bound - before if self.bound else MASK
            full = self.initial * self.growth**number
            if cut:
                last = 0 < number == stages - 1
                sound = cut == 1 and last and self.limit < MASK and 1 <= capacity <= left
            else:
                sound = full <= MASK and left > 0 and capacity == min(full, left)
            expect(sound and taken <= held and 0 < real(p) < 1, "a stage that does not grow")
            before, keys, logs = before + capacity, keys + held, logs + math.log1p(-real(p))
            size = self.size(places, probes)
            wanted.append((size, self.WIDTH))
            bytes += size
            self.stages.append((places, probes, taken))
        file.expect_sections(*wanted)
        self.tables = file.sections
        expect(min(keys, MASK) == self.keys, "another number of keys than the stages have")
        expect(bytes <= self.limit, "more bytes than allowed")
        expect(-math.expm1(logs) <= rate * (1 + 1e-9), "a higher rate than asked for")
        for (places, probes, taken), table in zip(self.stages, self.tables):
            ones = sum(bin(byte).count("1") for byte in table)
            expect(ones <= taken * probes, "more bits set than inserts can have set")
            self.walk(places, table)

    def size(self, places, probes):
        expect(1 <= places <= (1 << 64) - 64 and 1 <= probes <= 64, "a stage of no size")
        return -(-places // 64) * 8

    def walk(self, places, table):
        last = u64(table, len(table) - 8)
        expect(last >> ((places - 1) % 64 + 1) == 0, "bits are set past the last")

    def stage(self, places, probes, table):
        stage = Bloom.__new__(Bloom)
        stage.bits, stage.probes, stage.table = places, probes, table
        return stage

    def contains_hash(self, hash):
        stages = enumerate(zip(self.stages, self.tables))
        return any(
            self.stage(places, probes, table).contains_hash(remix(hash, number))
            for number, ((places, probes, _), table) in stages
        )


class ScalableBlocked(Scalable):
    NUMBER, WIDTH = 9, 4

    def size(self, places, probes):
        expect(1 <= places <= 1 << 31 and probes == 8, "a stage of no size")
        return places * 32

    def walk(self, places, table):
        pass

    def stage(self, places, probes, table):
        stage = BlockedBloom.__new__(BlockedBloom)
        stage.blocks, stage.table = places, table
        return stage


class Quotient(Filter):
    NUMBER, REVISION = 6, 1

    def __init__(self, file):
        super().__init__(file)
        file.expect_asked(0)
        self.slots, self.bits, self.distinct, self.most = file.only_entry(4)
        expect(1 <= self.slots <= 1 << 56 and self.bits <= 56, "%d slots" % self.slots)
        expect((self.slots - 1).bit_length() + self.bits <= 60, "fingerprints too long")
        grown = min(self.slots << self.bits, 1 << 56)
        expect(self.slots <= self.most <= grown, "growth to %d slots" % self.most)
        self.take(file, self.keys)
        expect(len(self.counts) == self.distinct, "another number of fingerprints")

    def take(self, file, keys):
        """The table's fingerprints, which must be this many, and how often each is there."""
        expect(keys <= max(19 * self.slots // 20, 1), "more keys than slots")
        self.blocks = -(-self.slots // 64)
        file.expect_sections((self.blocks * (8 * self.bits + 17), 1))
        fingerprints = self.read(file.sections[0])
        self.counts = {}
        for fingerprint in fingerprints:
            self.counts[fingerprint] = self.counts.get(fingerprint, 0) + 1
        expect(len(fingerprints) == keys, "another number of keys than the table has")
        same = self.written(sorted(fingerprints)) == bytes(file.sections[0])
        expect(same, "a table that no sequence of inserts leads to")

    def read(self, table):
        """All fingerprints of the table, every copy, whatever their order."""
        occupied, ends, remainders = [], [], []
        size = 8 * self.bits
        for block in range(self.blocks):
            at = block * (size + 17)
            packed = int.from_bytes(table[at : at + size], "little")
            occupieds, runends = struct.unpack_from("<QQ", table, at + size)
            for slot in range(64):
                occupied.append(occupieds >> slot & 1)
                ends.append(runends >> slot & 1)
                remainders.append(packed >> slot * self.bits & (1 << self.bits) - 1)
        slots = len(occupied)
        expect(sum(occupied) == sum(ends) and not any(occupied[self.slots :]), "runs without end")
        # Behind a slot where the fewest runs are open, none is: begin there.
        open, least, begin = 0, 0, 0
        for slot in range(slots):
            open += occupied[slot] - ends[slot]
            if open < least:
                least, begin = open, slot + 1
        waiting, found = [], []
        for slot in range(begin, begin + slots):
            slot %= slots
            if occupied[slot]:
                waiting.append(slot)
            if waiting:
                found.append(waiting[0] << self.bits | remainders[slot])
                if ends[slot]:
                    waiting.pop(0)
            else:
                expect(not ends[slot], "a run that begins nowhere")
        expect(not waiting, "a run without end")
        return found

    def written(self, fingerprints):
        """The table of these fingerprints, which are in rising order."""
        slots, size = 64 * self.blocks, 8 * self.bits

        def positions(first):
            last, found = first - 1, []
            for fingerprint in fingerprints:
                last = max(last + 1, fingerprint >> self.bits)
                found.append(last)
            return found

        wrapped = sum(position >= slots for position in positions(0))
        placed = positions(wrapped)
        occupied, ends, remainders = [0] * slots, [0] * slots, [0] * slots
        # One more than the last position of a quotient below each block.
        behind = [wrapped] * (self.blocks + 1)
        for number, (fingerprint, position) in enumerate(zip(fingerprints, placed)):
            home = fingerprint >> self.bits
            occupied[home] = 1
            remainders[position % slots] = fingerprint & (1 << self.bits) - 1
            following = fingerprints[number + 1] if number + 1 < len(fingerprints) else -1
            if following >> self.bits != home:
                ends[position % slots] = 1
            behind[home // 64 + 1] = position + 1
        for block in range(1, self.blocks + 1):
            behind[block] = max(behind[block], behind[block - 1])
        table = b""
        for block in range(self.blocks):
            part = slice(64 * block, 64 * block + 64)
            packed = sum(r << self.bits * i for i, r in enumerate(remainders[part]))
            table += packed.to_bytes(size, "little")
            for bits in (occupied[part], ends[part]):
                table += sum(bit << i for i, bit in enumerate(bits)).to_bytes(8, "little")
            table += bytes([min(255, max(0, behind[block] - 64 * block))])
        return table

    def count_hash(self, hash):
        """Copies of the key with this hash."""
        return self.counts.get(hash * (self.slots << self.bits) >> 64, 0)

    def contains_hash(self, hash):
        return self.count_hash(hash) > 0


class ExpandableQuotient(Quotient):
    NUMBER = 15

    def __init__(self, file):
        Filter.__init__(self, file)
        file.expect_asked(0)
        self.slots, self.length, doublings, most, entries, answered = file.only_entry(6)
        expect(doublings <= 55, "%d doublings" % doublings)
        expect(2 << doublings <= self.slots <= 1 << 56, "%d slots" % self.slots)
        expect(self.slots % (1 << doublings) == 0, "no such first table")
        self.bits, quotient = self.length + 1, (self.slots - 1).bit_length()
        expect(2 <= self.bits <= 56 and quotient + self.bits <= 60, "fingerprints too long")
        left = max(0, min(60 - self.bits, 56) - quotient)
        expect(doublings <= most <= doublings + left, "%d doublings allowed" % most)
        expect(self.keys <= entries, "more keys than entries")
        self.take(file, entries)
        # The fingerprints from and up to which each entry answers.
        ranges = []
        for entry in self.counts:
            width = entry & -entry
            age = min(doublings, self.length)
            expect(entry >> self.bits << self.bits != entry, "a run with an empty slot")
            expect(width <= 1 << age, "an entry older than the table")
            ranges.append((entry - width >> 1, entry + width >> 1))
        total = end = 0
        for first, last in sorted(ranges):
            total += max(0, last - max(first, end))
            end = max(end, last)
        expect(total == answered, "another number of fingerprints")

    def count_hash(self, hash):
        """The copies of the key with this hash, or more."""
        fingerprint = hash * (self.slots << self.length) >> 64
        entries = ((2 * (fingerprint >> age) + 1) << age for age in range(self.length + 1))
        return sum(self.counts.get(entry, 0) for entry in entries)


class Ribbon(Filter):
    NUMBER, REVISION = 11, 2
    ROW, LAYERS, BUCKET = 64, 6, 128

    def __init__(self, file):
        super().__init__(file)
        file.expect_asked(0)
        expect(1 <= len(file.entries) <= 1 + self.LAYERS, "%d layers" % (len(file.entries) - 1))
        self.columns, self.short, widened = file.numbers(0, 3)
        expect(1 <= self.columns <= 32 and self.short <= 0xFFFFFFFF, "%d columns" % self.columns)
        expect(widened <= 3 and (self.columns > 1 or self.short == 0), "no such columns")
        self.layers = [file.numbers(number, 7) for number in range(1, len(file.entries))]
        expect((self.keys > 0) == bool(self.layers), "keys without layers")
        words = buckets = shards = 0
        before = self.keys
        for number, (keys, starts, shard, short, word, bucket, blocks) in enumerate(self.layers):
            last = number == len(self.layers) - 1
            expect(keys == before if number == 0 else keys <= before, "keys that come from nowhere")
            expect(keys <= 1 << 40, "%d keys" % keys)
            expect(1 <= starts <= 1 << 42 and starts % self.ROW == 1, "%d starts" % starts)
            expect(self.ROW.bit_length() - 1 <= shard <= 32, "shards of 2^%d" % shard)
            shards = (starts + (1 << shard) - 1) >> shard
            expect(blocks == starts // self.ROW + shards, "%d blocks" % blocks)
            expect(short <= (blocks if self.short else 0), "%d short blocks" % short)
            expect((word, bucket) == (words, buckets), "a layer in another's place")
            words += blocks * self.columns - short
            buckets += 0 if last else -(-starts // self.BUCKET)
            before = keys
        lengths = (words * 8, -(-buckets // 32) * 8, shards, 64)
        file.expect_sections(*zip(lengths, (8, 8, 1, 1)))
        self.words, self.thresholds, self.seeds, zeros = file.sections
        expect(not any(zeros), "the zeros are none")
        rest = int.from_bytes(self.thresholds, "little") >> 2 * buckets
        expect(rest == 0, "thresholds past the last bucket")

    def word(self, number):
        return int.from_bytes(self.words[number * 8 : number * 8 + 8], "little")

    def window(self, hash):
        """The layer and the start of a key, and the hash that its row is made of."""
        for number, layer in enumerate(self.layers):
            _, starts, shard, _, _, bucket, _ = layer
            start = index(hash, starts)
            if number == len(self.layers) - 1:
                place = start >> shard
                factor = 0xA54FF53A5F1D36F1 + 2 * self.seeds[place] * 0x3C6EF372FE94F82B & MASK
                hash = (hash ^ hash >> 32) * factor & MASK
                count = min(1 << shard, starts - (place << shard))
                return layer, (place << shard) + index(hash, count), hash
            bucket += start // self.BUCKET
            threshold = self.thresholds[bucket // 4] >> 2 * (bucket % 4) & 3
            if start % self.BUCKET >= (0, 4, 9, 32)[threshold] * self.BUCKET // 32:
                return layer, start, hash
            hash = remix(hash, number + 1)

    def sums(self, hash):
        """What a key's row adds up to, a bit for each column; the number of columns; and the hash that
        its result is of."""
        (_, _, shard, short, first, _, _), start, hash = self.window(hash)
        row = hash * 0x9E3779B97F4A7C15 & MASK | 1
        block, offset = start // self.ROW + (start >> shard), start % self.ROW
        sums = 0
        if self.columns % 8 == 0 and not self.short:
            bytes = self.columns // 8
            at = first * 8 + (block * self.ROW + offset) * bytes
            for slot in range(self.ROW):
                if row >> slot & 1:
                    sums ^= int.from_bytes(self.words[at : at + bytes], "little")
                at += bytes
            return sums, self.columns, hash
        at = first + block * (self.columns - 1) + max(0, block - short)
        columns = self.columns - (block < short)
        shifted = row << offset
        here, following = shifted & (1 << self.ROW) - 1, shifted >> self.ROW
        for column in range(columns):
            ones = bin(self.word(at + column) & here).count("1")
            if offset:
                ones += bin(self.word(at + columns + column) & following).count("1")
            sums |= (ones & 1) << column
        return sums, columns, hash

    def contains_hash(self, hash):
        if not self.layers:
            return False
        sums, columns, hash = self.sums(hash)
        result = (hash * 0x3C6EF372FE94F82B & MASK) >> 32
        return sums == result & (1 << columns) - 1


class RibbonMap(Ribbon):
    """No filter: it has a value for every key, and is asked with `get`."""

    NUMBER = 14

    def __init__(self, file):
        super().__init__(file)
        # A filter can answer "maybe" to a key; a map would have to make up a value.
        expect(isinstance(self.secret, int), "a map must hash its keys under a seed")
        whole = self.short == 0 and not any(layer[3] for layer in self.layers)
        expect(whole, "short blocks, and values that miss a bit")

    def get_hash(self, hash):
        if not self.layers:
            return 0
        return self.sums(hash)[0]

    def get(self, key):
        return self.get_hash(key_hash(key, self.secret))

    def contains_hash(self, hash):
        raise TypeError("a map has a value for every key: ask it with get()")


class Fuse(Filter):
    NUMBER, REVISION = 18, 1

    def __init__(self, file):
        super().__init__(file)
        file.expect_asked(0)
        self.bits, self.log, self.segments, self.shards, seed = file.only_entry(5)
        expect(1 <= self.bits <= 32 and seed <= 31, "fingerprints of %d bits" % self.bits)
        if self.keys:
            least = 3 if self.shards > 1 else 2
            expect(least <= self.log <= 20, "segments of 2^%d slots" % self.log)
            most = (1 << 28 - self.log) - 2
            expect(1 <= self.segments <= most, "%d segments" % self.segments)
            expect(1 <= self.shards <= 1 << 20, "%d shards" % self.shards)
        else:
            expect(self.log == self.segments == self.shards == 0, "a table without keys")
        slots = self.shards * (self.segments + 2) << self.log if self.keys else 0
        whole = self.bits in (8, 16, 32) or slots == 0
        file.expect_sections((-(-slots * self.bits // 8) + (0 if whole else 7), 1))
        self.table = file.sections[0]
        past = slots * self.bits
        rest = int.from_bytes(self.table[past // 8 :], "little") >> past % 8
        expect(rest == 0, "bits are set past the last slot")
        self.factor = remix(seed, 0) | 1

    def slot(self, slot):
        at = slot * self.bits
        word = int.from_bytes(self.table[at // 8 : at // 8 + 8], "little")
        return word >> at % 8 & (1 << self.bits) - 1

    def contains_hash(self, hash):
        if not self.shards:
            return False
        word, segment = hash * self.factor & MASK, 1 << self.log
        first = index(word, self.shards * self.segments << self.log)
        first += index(word, self.shards) * 2 * segment
        second = first + segment ^ word % segment
        third = first + 2 * segment ^ (word >> 20) % segment
        mixed = (word ^ word >> 32) * 0x9E3779B97F4A7C15 & MASK
        sum = self.slot(first) ^ self.slot(second) ^ self.slot(third)
        return sum == mixed >> 64 - self.bits


class Parts(Filter):
    """A filter made of filters, each of which is a file of its own in a section."""

    MOST = 0
    # A file in a file in a file: no filter of this family is deeper.
    DEPTH = 8

    def __init__(self, file, numbers):
        super().__init__(file)
        file.expect_asked(0)
        entry = file.only_entry(numbers)
        count = entry[0]
        expect(1 <= count <= self.MOST and count == len(file.sections), "%d parts" % count)
        expect(set(file.widths) == {1}, "the sections do not follow from the geometry")
        whole = all(len(section) % 64 == 0 for section in file.sections)
        expect(whole, "a part that is not a file")
        expect(file.depth < self.DEPTH, "parts within parts, too deep")
        self.parts = []
        for section in file.sections:
            secret = self.secret if file.withheld else None
            part = loads(section, secret, file.depth + 1)
            expect(not isinstance(part, (RibbonMap, Interleaved)), "a part that is no filter")
            expect(bool(section[22] & 1) == file.withheld, "a part that tells the seed, or does not")
            expect(part.secret == self.secret, "a part with another seed or key")
            same = type(part) is type(self.parts[0]) if self.parts else True
            expect(same, "parts of several kinds")
            self.parts.append(part)
        keys = min(sum(part.keys for part in self.parts), MASK)
        expect(keys == self.keys, "a number of keys other than that of the parts")
        self.entry = entry


class Sharded(Parts):
    NUMBER, REVISION, MOST = 16, 1, 1 << 15

    def __init__(self, file):
        super().__init__(file, 1)

    def contains_hash(self, hash):
        shard = index(remix(hash, MASK), len(self.parts))
        return self.parts[shard].contains_hash(hash)


class Rolling(Parts):
    NUMBER, REVISION, MOST = 17, 1, 1 << 12

    def __init__(self, file):
        super().__init__(file, 3)
        _, self.newest, by_count = self.entry
        expect(self.newest <= 1 << 56 and by_count <= 1, "no such turn")
        unreached = self.parts[self.newest + 1 :]
        expect(not any(part.keys for part in unreached), "a generation that was not reached")

    def newest_first(self):
        """The generations that may hold keys, each with its number."""
        oldest = max(0, self.newest + 1 - len(self.parts))
        for number in range(self.newest, oldest - 1, -1):
            yield number, self.parts[number % len(self.parts)]

    def contains_hash(self, hash):
        return any(part.contains_hash(remix(hash, n)) for n, part in self.newest_first())


def kinds(base=Filter):
    """The classes with a number of their own."""
    found = [base] if "NUMBER" in vars(base) else []
    return found + [kind for derived in base.__subclasses__() for kind in kinds(derived)]


KINDS = {kind.NUMBER: kind for kind in kinds()}


def loads(bytes, secret=None, depth=0):
    """The filter in these bytes; `secret`, a seed or a key, is for files that withhold theirs."""
    file = File(bytes, secret)
    file.depth = depth
    if file.kind not in KINDS:
        raise UnknownKind(file.kind)
    return KINDS[file.kind](file)


def load(path, secret=None):
    """The filter in a file."""
    with open(path, "rb") as file:
        return loads(file.read(), secret)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: amq_reader.py FILE KEY...")
    loaded = load(sys.argv[1])
    for key in sys.argv[2:]:
        if isinstance(loaded, RibbonMap):
            print("%s\t%d" % (key, loaded.get(key)))
        elif isinstance(loaded, Interleaved):
            bins = loaded.bins(key)
            print("%s\t%s" % (key, " ".join(loaded.names[bin] or str(bin) for bin in bins)))
        else:
            print("%s\t%s" % (key, "probably in" if key in loaded else "not in"))
