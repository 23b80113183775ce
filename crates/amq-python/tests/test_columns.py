"""Several columns as one key: the tuple of a row's parts, as single tuples are."""

import random

import amq
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

LEFT, RIGHT = ["a", "b", "", "ab", "c" * 300], [1, -1, 2**63 - 1, 0, -(2**63)]
ROWS = list(zip(LEFT, RIGHT))
TABLES = {
    "numpy": amq.Columns(np.array(LEFT), np.array(RIGHT)),
    "arrow": amq.Columns(pa.array(LEFT), pa.array(RIGHT)),
    "views": amq.Columns(pa.array(LEFT, pa.string_view()), pa.array(RIGHT)),
    "dictionary": amq.Columns(pa.array(LEFT).dictionary_encode(), pa.array(RIGHT)),
    "chunks": amq.Columns(
        pa.chunked_array([LEFT[:2], [], LEFT[2:]]), pa.chunked_array([RIGHT[:1], RIGHT[1:4], RIGHT[4:]])
    ),
    "mixed": amq.Columns(pa.chunked_array([LEFT[:2], LEFT[2:]]), np.array(RIGHT)),
    "polars and pandas": amq.Columns(pl.Series(LEFT), pd.Series(RIGHT)),
    "objects of pandas": amq.Columns(pd.Series(LEFT, dtype=object), pd.Series(RIGHT)),
    "pyarrow.Table": pa.table({"left": LEFT, "right": RIGHT}),
    "pyarrow.Table in chunks": pa.concat_tables(
        [pa.table({"left": LEFT[:2], "right": RIGHT[:2]}), pa.table({"left": LEFT[2:], "right": RIGHT[2:]})]
    ),
    "pyarrow.RecordBatch": pa.record_batch({"left": LEFT, "right": RIGHT}),
    "a slice": pa.table({"left": ["x", *LEFT], "right": [9, *RIGHT]}).slice(1),
    "structs": pa.array([{"left": left, "right": right} for left, right in ROWS]),
    "polars.DataFrame": pl.DataFrame({"left": LEFT, "right": RIGHT}),
    "pandas.DataFrame": pd.DataFrame({"left": LEFT, "right": RIGHT}),
    "pandas with an index": pd.DataFrame({"left": LEFT, "right": RIGHT}, index=[7, 3, 9, 1, 4]),
    "pandas with a named index": pd.DataFrame({"i": range(5), "left": LEFT, "right": RIGHT}).set_index("i"),
    "pandas, filtered": pd.DataFrame({"left": ["x", *LEFT], "right": [9, *RIGHT]}).query("right != 9"),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("options", [{}, {"seed": 7}, {"key": bytes(range(16))}], ids=str)
def test_a_row_is_the_tuple_of_its_parts(table, options):
    one, many = amq.QuotientFilter(100, 1e-6, **options), amq.QuotientFilter(100, 1e-6, **options)
    one.update(ROWS)
    assert many.update(table) == 5
    assert many == one and all(row in many for row in ROWS)
    assert many.contains(table).all()
    assert not many.add_new(table).any()
    assert not any(part in many for part in LEFT + RIGHT)
    built = amq.RibbonFilter.build(table, 1e-6, **options)
    assert all(row in built for row in ROWS)
    assert (amq.FuseFilter.build(ROWS, 1e-6, **options)).contains(table).all()


def test_a_stream_of_tables_is_read_once():
    table = pa.table({"left": LEFT, "right": RIGHT})
    filter = amq.BloomFilter(100)
    assert filter.update(table.to_reader(max_chunksize=2)) == 5
    assert filter.contains(table.to_reader()).all()


def test_a_map_has_rows_as_keys():
    for table in (TABLES["numpy"], TABLES["polars.DataFrame"]):
        values = amq.RibbonMap.build(table, range(5))
        assert values.get_many(TABLES["arrow"]).tolist() == list(range(5))
        assert values["b", -1] == 1


def test_every_type_is_the_part_that_a_single_tuple_has():
    integers = [np.array([1, 2, 3], of) for of in ("u1", ">u2", "u4", ">u8", "i1", "i2", ">i4", "i8", "?")]
    texts = [np.array(["x", "yé", ""]), np.array(["x", "yé", ""], ">U3"), np.array([b"x", b"", b"yz"])]
    arrows = [
        pa.array([True, False, True]),
        pa.array([b"xy", b"", b"z"]),
        pa.array([b"xy", b"", b"z"], pa.large_binary()),
        pa.array([b"xy", b"", b"z"], pa.binary_view()),
        pa.array([b"xy", b"zz", b"qq"], pa.binary(2)),
        pa.array(["x", "", "y"], pa.large_string()),
        *(pa.array([1, 2, 3], of) for of in (pa.uint8(), pa.int16(), pa.uint32(), pa.uint64())),
        np.array([-1, -(2**31), 5], "i4"),
        np.arange(10)[9:3:-2],
    ]
    filter = amq.BloomFilter(1000, 1e-9)
    columns = integers + texts + arrows
    for column in columns:
        listed = column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()
        filter.clear()
        filter.update(amq.Columns(column, column, np.arange(3)))
        for row in zip(listed, listed, range(3)):
            assert row in filter, row
    rows = zip(*(column.to_pylist() if hasattr(column, "to_pylist") else column.tolist() for column in columns))
    filter.clear()
    filter.update(amq.Columns(*columns))
    assert all(row in filter for row in rows)


def test_long_rows_are_hashed_as_in_one_piece():
    columns = [pa.array(["x" * length for length in range(300)]) for _ in range(3)]
    filter = amq.BloomFilter(1000, 1e-9)
    filter.update(amq.Columns(*columns))
    assert all(("x" * length,) * 3 in filter for length in range(300))


def test_a_row_with_a_null_is_a_null():
    left, right = pa.array(["a", None, "c", None]), pa.array([1, 2, None, None])
    for table in (amq.Columns(left, right), pa.table([left, right], ["left", "right"])):
        filter = amq.BloomFilter(100)
        assert filter.add_new(table).tolist() == [True, False, False, False]
        assert (len(filter), filter.contains(table).tolist()) == (1, [True, False, False, False])
        assert filter.update(table) == 0 and ("a", 1) in filter
        with pytest.raises(TypeError, match="a null is no key"):
            amq.RibbonMap.build(table, range(4))


def test_columns_of_different_lengths_are_refused():
    filter = amq.BloomFilter(100)
    with pytest.raises(ValueError, match="columns of 2 and 3 rows"):
        amq.Columns(np.arange(2), np.arange(2), pa.array([1, 2, 3]))
    # A stream has no length before it is read: what came before is in.
    reader = pa.table({"a": range(10)}).to_reader(max_chunksize=4)
    with pytest.raises(ValueError, match="different lengths"):
        filter.update(amq.Columns(reader, np.arange(7)))
    assert len(filter) == 7 and (6, 6) in filter


def test_what_is_no_column_is_refused_with_a_way_out():
    filter = amq.BloomFilter(100)
    for columns, error, text in [
        ((), TypeError, "two or more"),
        ((np.arange(2),), TypeError, "give one by itself"),
        (([1, 2], [3, 4]), TypeError, r"no list: give tuples instead, such as zip\(a, b\)"),
        ((np.arange(2), "ab"), TypeError, "no str"),
        ((np.arange(2), np.array([1.5, 2])), TypeError, "floats"),
        ((np.arange(2), pa.array([[1], [2]])), TypeError, "List"),
        ((np.arange(2), {1: 1, 2: 2}), TypeError, "no dict"),
    ]:
        with pytest.raises(error, match=text):
            filter.update(amq.Columns(*columns))
    hashed = amq.BloomFilter(100, hash_func=lambda key: hash(key) * 0x9E3779B97F4A7C15)
    with pytest.raises(TypeError, match=r"give tuples, such as zip\(a, b\)"):
        hashed.update(TABLES["numpy"])
    with pytest.raises(TypeError, match="a table or a stream lists none"):
        hashed.update(TABLES["pyarrow.Table"])
    assert len(filter) == len(hashed) == 0
    # It is no key, and no list of keys.
    for use in (filter.add, lambda key: key in filter):
        with pytest.raises(TypeError, match="is no key"):
            use(TABLES["numpy"])


@pytest.mark.parametrize("count", [0, 1, 7, 1024, 1025, 100_000])
def test_any_number_of_rows_in_any_pieces(count):
    rng = random.Random(count)
    columns = [np.arange(count), np.arange(count) * 7 % 1000]

    def pieces(values):
        cuts = sorted(rng.randrange(count + 1) for _ in range(rng.randrange(6)))
        return pa.chunked_array([values[a:b] for a, b in zip([0, *cuts], [*cuts, count])], pa.int64())

    filter = amq.BlockedBloomFilter(count + 1, 1e-7)
    new = filter.add_new(amq.Columns(pieces(columns[0]), pieces(columns[1])))
    assert len(new) == count and new.sum() >= count - 2
    assert filter.contains(amq.Columns(*columns)).all()
    assert all((index, index * 7 % 1000) in filter for index in range(0, count, 97))
