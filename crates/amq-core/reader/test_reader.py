"""The reader against the committed golden files of all crates, and against damaged ones.

    $ python3 crates/amq-core/reader/test_reader.py
"""

import pathlib
import re
import struct
import unittest

import amq_reader
import xxhash
from amq_reader import File, FormatError, Interleaved, RibbonMap, UnknownKind, key_hash, loads

CRATES = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = sorted(CRATES.glob("*/tests/golden/*.amq"))
# The stream of absent keys, and how many of it are asked.
STREAM, ASKED = 1_000_000, 100_000


def record(path):
    """The seed or key (None: the caller hashed the keys), the number of keys, and the first answers
    of a golden file: of a filter its false positives, of a map the values of keys that it does not
    have."""
    text = path.with_suffix(".txt").read_text()
    seed = re.search(r"^seed: (\d+)$", text, re.M)
    key = re.search(r"^key: ([0-9a-f]{32})$", text, re.M)
    secret = int(seed[1]) if seed else bytes.fromhex(key[1]) if key else None
    assert secret is not None or text.startswith("hashed by the caller: remix(key, 0)\n")
    keys = int(re.search(r"^keys: 0\.\.(\d+)$", text, re.M)[1])
    answers = re.search(r"^(?:false positives|values) from %d on: ?(.*)$" % STREAM, text, re.M)[1]
    return secret, keys, [int(answer) for answer in answers.split()]


def read():
    """The golden files of the kinds that are known, as (path, bytes, filter); and the others."""
    known, skipped = [], {}
    for path in GOLDEN:
        content = path.read_bytes()
        try:
            known.append((path, content, loads(content, record(path)[0])))
        except UnknownKind as error:
            skipped.setdefault(error.number, []).append(path.name)
    return known, skipped


def mended(content):
    """The bytes with their checksums made right."""
    content = bytearray(content)
    directory = struct.unpack_from("<Q", content, 136)[0]
    payload = 192 + directory
    for at, part in ((168, content[payload:]), (176, content[192:payload])):
        struct.pack_into("<Q", content, at, xxhash.xxh3_64_intdigest(bytes(part)))
    struct.pack_into("<Q", content, 184, xxhash.xxh3_64_intdigest(bytes(content[:184])))
    return bytes(content)


def sections(content):
    """Where the sections of a file lie, as slices."""
    payload = 192 + struct.unpack_from("<Q", content, 136)[0]
    for row in range(1, 1 + struct.unpack_from("<Q", content, 192)[0]):
        offset, length = struct.unpack_from("<QQ", content, 192 + 64 * row)
        yield slice(payload + offset, payload + offset + length)


class Golden(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.known, cls.skipped = read()

    def test_every_kind_has_golden_files_and_each_file_a_kind(self):
        # Files of withdrawn kinds stay, to be refused.
        withdrawn = set(amq_reader.WITHDRAWN)
        self.assertEqual(set(self.skipped), withdrawn, "kinds that amq_reader.py has no class for")
        kinds = {type(filter) for _, _, filter in self.known}
        self.assertEqual(kinds, set(amq_reader.KINDS.values()))

    def test_keys_and_false_positives_are_the_recorded_ones(self):
        for path, _, filter in self.known:
            if isinstance(filter, RibbonMap):
                continue
            with self.subTest(path.name):
                secret, keys, expected = record(path)
                self.assertEqual(filter.secret, secret)
                if secret is None:
                    # Any key may be in; whoever made the file knows its hashes.
                    self.assertTrue(all(key in filter for key in (STREAM, "a key", b"")))
                    holds = lambda key: filter.contains_hash(amq_reader.remix(key, 0))
                elif filter.encoding == {"instants"}:
                    holds = lambda key: (key, 0) in filter
                else:
                    holds = lambda key: key in filter
                lost = [key for key in range(keys) if not holds(key)]
                self.assertEqual(lost, [])
                # As far as the record goes: to its 20th, or to the end of what was asked.
                end = expected[-1] + 1 if len(expected) == 20 else STREAM + ASKED
                found = [key for key in range(STREAM, end) if holds(key)]
                self.assertEqual(found, expected)

    def test_maps_have_the_recorded_values(self):
        maps = [(path, map) for path, _, map in self.known if isinstance(map, RibbonMap)]
        self.assertGreaterEqual(len(maps), 5)
        for path, map in maps:
            with self.subTest(path.name):
                secret, keys, expected = record(path)
                self.assertEqual((map.secret, map.keys), (secret, keys))
                mask = (1 << map.columns) - 1
                wrong = [key for key in range(keys) if map.get(key) != key * 2654435761 & mask]
                self.assertEqual(wrong, [])
                self.assertEqual([map.get(STREAM + i) for i in range(20)], expected)
                with self.assertRaises(TypeError):
                    0 in map

    def test_bins_have_their_keys_and_their_names(self):
        all = [(path, bins) for path, _, bins in self.known if isinstance(bins, Interleaved)]
        self.assertGreaterEqual(len(all), 5)
        for path, interleaved in all:
            with self.subTest(path.name):
                count = interleaved.count
                text = path.with_suffix(".txt").read_text()
                named = "names: bin 0, bin 1 and so on" in text
                names = ["bin %d" % bin if named else "" for bin in range(count)]
                self.assertEqual(interleaved.names, names)
                _, keys, _ = record(path)
                lost = [key for key in range(keys) if key % count not in interleaved.bins(key)]
                self.assertEqual(lost, [])
                self.assertIn("bins: key mod %d\n" % count, text)

    def test_every_cut_and_many_flipped_bits_are_refused(self):
        for path, content, _ in self.known:
            with self.subTest(path.name):
                if content[22] & 1:
                    continue  # refused for want of its seed or key, whatever else is wrong
                # All lengths and every seventh bit of a small file, some of a large one.
                for length in range(0, len(content), max(1, len(content) // 1000)):
                    self.assertRaises(FormatError, loads, content[:length])
                self.assertRaises(FormatError, loads, content + b"\0")
                for bit in range(0, len(content) * 8, max(7, len(content) // 64 | 1)):
                    damaged = bytearray(content)
                    damaged[bit // 8] ^= 1 << bit % 8
                    self.assertRaises(FormatError, loads, bytes(damaged))

    def test_forged_files_are_refused_or_answer(self):
        numbers = (0, 1, 3, 63, 1 << 32, 1 << 63, (1 << 64) - 1)
        outcomes = {True: 0, False: 0}
        for path, content, _ in self.known:
            secret = record(path)[0] if content[22] & 1 else None
            payload = len(content) - struct.unpack_from("<Q", content, 144)[0]
            for at in [*range(24, 168, 8), *range(192, payload, 8)]:
                for number in numbers:
                    forged = bytearray(content)
                    struct.pack_into("<Q", forged, at, number)
                    # Lengths that lead elsewhere have no checksums to be made right.
                    forged = bytes(forged) if 136 <= at < 152 else mended(forged)
                    outcomes[self.refused(forged, secret)] += 1
            for at in range(payload, len(content), max(1, len(content) // 512)):
                forged = bytearray(content)
                forged[at] ^= 0x81
                outcomes[self.refused(mended(forged), secret)] += 1
        self.assertTrue(min(outcomes.values()) > 100, outcomes)

    def refused(self, forged, secret):
        try:
            filter = loads(forged, secret)
        except FormatError:
            return True
        ask = filter.get_hash if isinstance(filter, RibbonMap) else filter.contains_hash
        for key in range(20):
            ask(key_hash(key, 99))
        return False


class Envelope(unittest.TestCase):
    def content(self):
        path = next(path for path in GOLDEN if path.name == "bloom-small.amq")
        return bytearray(path.read_bytes())

    def refused(self, content, words):
        with self.assertRaisesRegex(FormatError, words):
            loads(bytes(content))

    def test_errors_say_what_is_wrong(self):
        self.refused(b"", "0 bytes are less than a header")
        self.refused(b"\1" * 500, "wrong magic bytes")
        self.refused(self.content().replace(b"\r", b"", 1), "text mode")
        for at, value, words in [
            (8, 9, "version 9"),
            (17, 9, "revision 9"),
            (18, 0, "hash 0"),
            (18, 2, "or hashes nothing, is not zero"),
            (18, 4, "hash 4"),
            (18, 255, "hash 255"),
            (19, 9, "encoding 9"),
            (22, 2, "a check of what is not withheld"),
            (22, 4, "flags 0x40000 of version 0.1"),
            (22, 1, "a seed that is withheld, or hashes nothing, is not zero"),
            (22, 3, "give it"),
            (48, 1, "a seed that is withheld, or hashes nothing, is not zero"),
            (152, 1, "reserved"),
            (56, 9, "budget"),
            (72, 1, "reserved"),
        ]:
            content = self.content()
            content[at] = value
            self.refused(mended(content), words)
        for at, part in [(24, "header"), (200, "directory"), (-1, "payload")]:
            content = self.content()
            content[at] ^= 1
            self.refused(content, part + "'s checksum")

    def test_what_may_be_ignored_is(self):
        for at in (10, 20):
            content = self.content()
            content[at] = 9
            self.assertIn(0, loads(mended(content)))

    def test_a_withheld_seed_must_be_given(self):
        content = self.content()
        struct.pack_into("<Q", content, 40, 0)
        content[22] = 1
        content = mended(content)
        self.refused(content, "give it")
        self.assertTrue(all(key in loads(content, 7) for key in range(300)))

    def test_keys_that_the_caller_hashes_may_all_be_in(self):
        content = self.content()
        seeded = loads(bytes(content))
        content[18] = 2
        struct.pack_into("<Q", content, 40, 0)
        filter = loads(mended(content))
        self.assertIsNone(filter.secret)
        hashes = [key_hash(key, 7) for key in range(5000)]
        self.assertEqual(
            [filter.contains_hash(hash) for hash in hashes],
            [seeded.contains_hash(hash) for hash in hashes],
        )
        self.assertFalse(all(key in seeded for key in range(5000)))
        self.assertTrue(all(key in filter for key in range(5000)))
        content[22] = 1
        self.refused(mended(content), "withheld where there is none")

    def test_a_secret_key_of_zeros_is_refused(self):
        content = self.content()
        content[18] = 3
        struct.pack_into("<Q", content, 40, 0)
        self.refused(mended(content), "the secret key is all zeros")
        content[22] = 3
        check = amq_reader.siphash(bytes(content[:40]), bytes(16))
        struct.pack_into("<I", content, 40, check & 0xFFFFFFFF)
        with self.assertRaisesRegex(FormatError, "the secret key is all zeros"):
            loads(mended(content), bytes(16))

    def test_a_map_of_keys_not_hashed_under_a_seed_is_refused(self):
        path = next(path for path in GOLDEN if path.name == "ribbon-map-one.amq")
        for hash in (2, 3):
            content = bytearray(path.read_bytes())
            content[18] = hash
            # A key of all zeros would be refused as such.
            struct.pack_into("<Q", content, 40, hash - 2)
            self.refused(mended(content), "a map must hash its keys under a seed")

    def test_bins_of_keys_not_hashed_under_a_seed_are_refused(self):
        path = next(path for path in GOLDEN if path.name == "interleaved-one.amq")
        for hash in (2, 3):
            content = bytearray(path.read_bytes())
            content[18] = hash
            struct.pack_into("<Q", content, 40, hash - 2)
            self.refused(mended(content), "bins must hash their keys under a seed")

    def test_a_wrong_seed_or_key_is_refused(self):
        withheld = [path for path in GOLDEN if path.read_bytes()[22] & 1]
        self.assertGreaterEqual(len(withheld), 3)
        for path in withheld:
            content = path.read_bytes()
            secret, keys, _ = record(path)
            with self.subTest(path.name):
                self.refused(content, "give it")
                filter = loads(content, secret)
                self.assertTrue(all(key in filter for key in range(keys)))
                other = secret ^ 1 if isinstance(secret, int) else secret[:-1] + b"?"
                for wrong in (other, 0 if isinstance(secret, int) else bytes(16)):
                    with self.assertRaisesRegex(FormatError, "not the one given"):
                        loads(content, wrong)
                sort = bytes(16) if isinstance(secret, int) else 0
                with self.assertRaisesRegex(FormatError, "not hashed under what was given"):
                    loads(content, sort)

    def test_files_tell_how_their_keys_were_encoded(self):
        told = [filter.encoding for _, _, filter in read()[0]]
        for encoding in (set(), {"integers"}, {"bytes", "integers"}, {"instants"}, {"dates"}):
            self.assertIn(encoding, told)
        mixed = {"bytes", "integers"}
        sorts = [(1, {"bytes"}), (2, {"integers"}), (3, mixed), (7, mixed)]
        sorts += [(4, {"instants"}), (5, {"hex"}), (6, {"dates"}), (8, set())]
        for flags, encoding in sorts:
            content = self.content()
            content[20] = flags
            self.assertEqual(loads(mended(content)).encoding, encoding)

    def test_the_seed_of_parts_is_withheld_with_the_whole(self):
        path = next(path for path in GOLDEN if path.name == "sharded-small.amq")
        content = bytearray(path.read_bytes())

        def withhold(content):
            struct.pack_into("<Q", content, 40, 0)
            content[22] = 1

        withhold(content)
        with self.assertRaisesRegex(FormatError, "tells the seed"):
            loads(mended(content), 7)
        for at in sections(content):
            part = content[at]
            withhold(part)
            content[at] = mended(part)
        content = mended(content)
        self.refused(content, "give it")
        self.assertTrue(all(key in loads(content, 7) for key in range(500)))

    def test_parts_are_filters_and_not_without_end(self):
        path = next(path for path in GOLDEN if path.name == "sharded-empty.amq")
        content = path.read_bytes()
        head = bytearray(content[:384])
        # One shard: a row of the directory for it, and the entry.
        struct.pack_into("<Q", head, 192, 1)
        head[320:384] = bytes(64)
        struct.pack_into("<Q", head, 320, 1)
        struct.pack_into("<Q", head, 136, 192)

        def within(part):
            whole = bytearray(head + part)
            struct.pack_into("<QQ", whole, 256, 0, len(part))
            struct.pack_into("<Q", whole, 144, len(part))
            return mended(whole)

        bloom = next(path for path in GOLDEN if path.name == "bloom-empty.amq").read_bytes()
        inner = bloom
        for _ in range(9):
            self.assertNotIn(3, loads(inner))
            inner = within(inner)
        self.refused(inner, "too deep")
        ribbon = next(path for path in GOLDEN if path.name == "ribbon-map-empty.amq").read_bytes()
        self.refused(within(ribbon), "no filter")
        bins = next(path for path in GOLDEN if path.name == "interleaved-few.amq").read_bytes()
        header = bytearray(bins)
        struct.pack_into("<Q", header, 40, 0)
        self.refused(within(mended(header)), "no filter")

    def test_an_unknown_kind_is_named(self):
        content = self.content()
        content[16] = 200
        with self.assertRaises(UnknownKind) as raised:
            loads(mended(content))
        self.assertEqual(raised.exception.number, 200)
        self.assertEqual(File(mended(content)).kind, 200)


class Keys(unittest.TestCase):
    def test_encodings_are_those_of_the_format(self):
        encoding = amq_reader.encoding
        number = lambda n: struct.pack("<Q", n)
        self.assertEqual(encoding("é"), b"\xc3\xa9")
        self.assertEqual(encoding(-1), b"\xff" * 8)
        self.assertEqual(encoding(True), number(1))
        self.assertEqual(encoding(("ab", 3)), number(2) + b"ab" + number(3))
        self.assertEqual(encoding((1, (2, b"x"))), number(1) + number(2) + number(1) + b"x")
        self.assertEqual(encoding([1, 2]), number(1) + number(2))
        self.assertEqual(encoding(([1, 2], 7)), b"".join(map(number, (2, 1, 2, 7))))
        self.assertRaises(OverflowError, encoding, 1 << 64)
        self.assertRaises(TypeError, encoding, 1.5)

    def test_hashes_under_a_key_are_those_of_the_reference(self):
        key = bytes(range(16))
        for length, want in [
            (0, 0xABAC0158050FC4DC),
            (7, 0xD3927D989BB11140),
            (8, 0x369095118D299A8E),
            (63, 0x9D199062B7BBB3A8),
        ]:
            self.assertEqual(amq_reader.siphash(bytes(range(length)), key), want)
        self.assertEqual(key_hash(1, key), amq_reader.siphash(struct.pack("<Q", 1), key))

    def test_hashes_are_those_that_the_crate_tests(self):
        self.assertEqual(key_hash(b"", 0), 0x2D06800538D394C2)
        self.assertEqual(key_hash(("ab", "c"), 0), 0x642D4DEBFEBF33AE)
        self.assertEqual(key_hash((1, 2), 0), 0x07EE86C281446BEF)
        self.assertEqual(key_hash(["seen"] * 40, 0), 0xAAD4BF75AD428588)
        self.assertEqual(amq_reader.remix(0, 0), 0x28ABF1FBEAED7C7B)
        self.assertEqual(amq_reader.remix(1, 0), 0x9AE126625D850B37)
        self.assertEqual(amq_reader.remix((1 << 64) - 1, 3), 0x55DA672C349800D3)


if __name__ == "__main__":
    unittest.main()
