"""The reader in Python as a service, for `readers.rs`: one file in, its answers out.

Numbers are little-endian. First come a count (4 bytes) and as many hashes (8 bytes each), then
files, each behind its length (4 bytes). For each file it writes a status (1 byte), a length (4
bytes), and as many bytes: 1 and the answers to all hashes (4 bytes each: 0 or 1 of a filter, the
value of a map); 0 and why the file was refused; or 2 and an exception that should not have been.
"""

import pathlib
import struct
import sys
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "amq-core/reader"))
import amq_reader


def number(source):
    """The next number, or None at the end."""
    start = source.read(4)
    return struct.unpack("<I", start)[0] if start else None


def answered(file, hashes):
    try:
        filter = amq_reader.loads(file)
        ask = filter.get_hash if hasattr(filter, "get_hash") else filter.contains_hash
        return 1, struct.pack("<%dI" % len(hashes), *map(ask, hashes))
    except amq_reader.FormatError as error:
        return 0, str(error).encode()
    except Exception:
        return 2, traceback.format_exc().encode()


source, sink = sys.stdin.buffer, sys.stdout.buffer
count = number(source)
hashes = struct.unpack("<%dQ" % count, source.read(8 * count))
while (length := number(source)) is not None:
    status, answer = answered(source.read(length), hashes)
    sink.write(struct.pack("<BI", status, len(answer)) + answer)
    sink.flush()
