"""Reads amq filters: a second implementation of the format, written from FORMAT.md.

    >>> from amq_reader import load
    >>> seen = load("seen.amq")
    >>> "alice" in seen
    True

Plain Python and the package `xxhash`. Everything is checked; what is wrong raises `FormatError`.
It is made to be read, not to be fast. To add a kind, write a class with `NUMBER`, `REVISION`,
`__init__(file)` and `contains_hash(hash)`, and append it to `KINDS`.
"""

import struct
import sys

import xxhash

MAGIC = b"\x89AMQ\r\n\x1a\n"
MAJOR = 0
HEADER = 192
ROW = 64
MAX_DIRECTORY = 4 << 20
SEED_WITHHELD = 1 << 16
MASK = (1 << 64) - 1


class FormatError(ValueError):
    """The bytes are not a filter, or not an undamaged one."""


class UnknownKind(FormatError):
    """A filter of a kind that this reader does not have."""

    def __init__(self, number):
        super().__init__("filters of kind %d are not read here" % number)
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


def key_hash(key, seed):
    return xxhash.xxh3_64_intdigest(encoding(key), seed)


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

    def __init__(self, bytes, seed=None):
        start = bytes[: len(MAGIC)]
        if start != MAGIC[: len(start)]:
            mangled = start[1:4] == MAGIC[1:4]
            expect(not mangled, "line ends or top bits were changed: a transfer in text mode?")
            raise FormatError("this is not a filter: it does not begin as one")
        expect(len(bytes) >= HEADER, "%d bytes are less than a header" % len(bytes))
        header = bytes[:HEADER]
        major, _minor, header_length = struct.unpack_from("<HHI", header, 8)
        expect(major == MAJOR, "version %d is not read here" % major)
        expect(digest(header[:184]) == u64(header, 184), "the header's checksum is wrong")
        expect(header_length == HEADER, "a header of %d bytes" % header_length)
        self.kind, self.revision, hash, encoding, flags = struct.unpack_from("<BBBBI", header, 16)
        expect(hash == 1, "hash %d is not known" % hash)
        expect(encoding == 1, "encoding %d of keys is not known" % encoding)
        expect(flags >> 16 << 16 in (0, SEED_WITHHELD), "flags %#x are not known" % flags)
        self.items, self.capacity, self.seed = struct.unpack_from("<QQQ", header, 24)
        expect(not any(header[48:56] + header[152:168]), "reserved bytes are not zero")
        if flags & SEED_WITHHELD:
            expect(self.seed == 0, "a seed that is withheld is not zero")
            expect(seed is not None, "the file withholds its seed: give it")
            self.seed = seed
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
        self.items, self.capacity, self.seed = file.items, file.capacity, file.seed
        self.budget = file.budget

    def __contains__(self, key):
        return self.contains_hash(key_hash(key, self.seed))


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
        expect(self.items <= self.slots(), "more keys than slots")
        packed = -(-self.slots() * self.bits // 8)
        file.expect_sections((packed + (8 if self.bits <= self.NARROW else 16), 1))
        self.table = file.sections[0]
        self.tags = (1 << (self.bits - self.MARK_BITS)) - 1

        values = map(self.slot, range(self.slots()))
        taken = [(slot, value) for slot, value in enumerate(values) if value]
        expect(all(self.is_sound(*slot) for slot in taken), "a slot that no insert leads to")
        expect(len(taken) == self.items, "a number of keys other than that of the slots taken")
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


KINDS = (Bloom, BlockedBloom, Cuckoo, WindowedCuckoo)


def loads(bytes, seed=None):
    """The filter in these bytes; `seed` is for files that withhold theirs."""
    file = File(bytes, seed)
    for kind in KINDS:
        if kind.NUMBER == file.kind:
            return kind(file)
    raise UnknownKind(file.kind)


def load(path, seed=None):
    """The filter in a file."""
    with open(path, "rb") as file:
        return loads(file.read(), seed)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: amq_reader.py FILE KEY...")
    loaded = load(sys.argv[1])
    for key in sys.argv[2:]:
        print("%s\t%s" % (key, "probably in" if key in loaded else "not in"))
