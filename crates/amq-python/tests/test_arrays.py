"""Arrays: read where they lie, with the keys that their elements are."""

import ctypes
import datetime
import decimal
import hashlib

import pytest
from kinds import ALL, INSERT, name

import amq

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

# More than the block that is hashed at once.
MANY = 3000
NUMBERS = [(number * 2654435761) % 2**64 for number in range(MANY)]
TEXTS = [f"key {number}" + "x" * (number % 50) for number in range(MANY)] + ["", "grün", "語"]


def check(array, keys, kind=amq.BloomFilter):
    """An array is its keys: `None` for each null."""
    there = [key for key in keys if key is not None]
    for secret in ({"seed": 3}, {"key": b"k" * 16}):
        one, many = kind(4 * MANY, 1e-6, **secret), kind(4 * MANY, 1e-6, **secret)
        assert one.update(array) == many.update(there)
        assert one == many and one.to_bytes() == many.to_bytes()
        half = kind(4 * MANY, 1e-6, **secret)
        half.update(there[::2])
        expected = [key is not None and key in half for key in keys]
        answers = half.contains(array)
        assert answers.dtype == bool and answers.tolist() == expected
        built = amq.FuseFilter.build(array, **secret)
        assert built == amq.FuseFilter.build(there, **secret)
        assert built.to_bytes() == amq.FuseFilter.build(there, **secret).to_bytes()


INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_numpy(dtype):
    array = np.array(NUMBERS, dtype="uint64").astype(dtype)
    keys = array.tolist()
    check(array, keys)
    check(array.astype(np.dtype(dtype).newbyteorder(">")), keys)
    check(array.astype(np.dtype(dtype).newbyteorder("<")), keys)
    check(array[::2], keys[::2])
    check(array[::-1], keys[::-1])
    check(array[5:-7:3], keys[5:-7:3])
    check(array.reshape(-1, 3)[:, 1], keys[1::3])
    check(array[:0], [])
    check(np.broadcast_to(array[:1], (5,)), keys[:1] * 5)
    array.flags.writeable = False
    check(array, keys)
    misaligned = np.zeros(1 + array.nbytes, "uint8")[1:].view(dtype)
    misaligned[:] = array
    check(misaligned, keys)


def test_a_field_of_a_record_is_an_array_like_any_other():
    records = np.zeros(MANY, dtype=[("a", "u1"), ("key", "<i4"), ("b", "u2")])
    records["key"] = np.array(NUMBERS, "uint64").astype("i4")
    check(records["key"], records["key"].tolist())
    with pytest.raises(TypeError, match="holds no keys"):
        amq.BloomFilter(10).update(records)


def test_bools_bytes_and_text_of_numpy():
    check(np.array([True, False, True]), [True, False, True])
    check(np.array([0, 1, 2, 255], "uint8").view("bool"), [False, True, True, True])
    texts = [text.encode() for text in TEXTS]
    check(np.array(texts), texts)
    check(np.array(texts)[::3], texts[::3])
    check(np.array(TEXTS), TEXTS)
    check(np.array(TEXTS).astype(np.array(TEXTS).dtype.newbyteorder(">")), TEXTS)
    # NumPy takes zeros at the end for padding, and so does this.
    check(np.array([b"a\0b\0", b"", b"\0"]), [b"a\0b", b"", b""])
    check(np.array([], "S3"), [])
    check(np.array([], "U3"), [])


def test_a_half_character_changes_nothing():
    filter = amq.BloomFilter(10)
    with pytest.raises(ValueError, match="element 1 has the code point 0xd800, .* encode the texts"):
        filter.update(np.array(["a", "\ud800"]))
    assert len(filter) == 0


@pytest.mark.parametrize(
    "array, error, text",
    [
        (np.array([1.0, 2.0]), TypeError, "an array of floats holds no keys"),
        (np.array([1.0, 2.0], "f4"), TypeError, "an array of floats holds no keys"),
        (np.array([1j]), TypeError, "holds no keys"),
        (np.array([1, "a"], dtype=object), TypeError, "an array of objects is not read"),
        (np.array([[1, 2]]), ValueError, "an array of 2 dimensions"),
        (np.array(3), ValueError, "an array of 0 dimensions"),
        (np.array(["2026-01-01"], "datetime64[D]"), TypeError, "decide on a unit"),
        (np.array([5], "timedelta64[s]"), TypeError, "decide on a unit"),
        (np.ma.array([1, 2], mask=[False, True]), TypeError, "give its compressed"),
        (np.array(["a"], np.dtypes.StringDType()), TypeError, "StringDType is not lent"),
        (np.array([b"ab"], "V2"), TypeError, "holds no keys"),
        (pa.array([1.5]), TypeError, "an Arrow array of Float64 holds no keys"),
        (pa.array([[1]]), TypeError, "List"),
        (pa.array([decimal.Decimal(1)]), TypeError, "Decimal"),
        (pa.array([datetime.date(2026, 1, 1)]), TypeError, "Date32.*decide on a unit"),
        (pa.array([datetime.datetime(2026, 1, 1)]), TypeError, "Timestamp.*decide on a unit"),
        (pa.array([datetime.timedelta(1)]), TypeError, "Duration.*decide on a unit"),
        (pa.array([datetime.time(1)]), TypeError, "Time64.*decide on a unit"),
        (
            pa.array([datetime.datetime(2026, 1, 1)]).dictionary_encode(),
            TypeError,
            "Timestamp.*holds no keys",
        ),
        (pl.Series([datetime.date(2026, 1, 1)]), TypeError, "decide on a unit"),
        (pd.Series([datetime.datetime(2026, 1, 1)]), TypeError, "decide on a unit"),
        (pd.to_datetime(["2026-01-01"]), TypeError, "decide on a unit"),
        (pa.table({"a": [1], "b": [2.5]}), TypeError, "column b: an Arrow array of Float64"),
        (pa.table({"a": [1], "b": [None]}), TypeError, "column b has only nulls"),
        (pa.table({}), TypeError, "without columns"),
        (pl.Series([1.5]), TypeError, "Float64"),
        (pd.Series([1.5]), TypeError, "Float64"),
        (memoryview(b"abcd").cast("f"), TypeError, "floats"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_arrays_without_keys_are_refused_and_change_nothing(array, error, text):
    filter = amq.BloomFilter(10)
    for operation in (filter.update, filter.contains, amq.FuseFilter.build):
        with pytest.raises(error, match=text):
            operation(array)
    assert len(filter) == 0


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_arrow(dtype):
    keys = np.array(NUMBERS, "uint64").astype(dtype).tolist()
    keys[5] = keys[2000] = keys[-1] = None
    array = pa.array(keys, dtype)
    check(array, keys)
    check(array[7:2500], keys[7:2500])
    check(pa.chunked_array([array[:10], array[10:10], array[10:]]), keys)
    check(pl.Series(keys, dtype=getattr(pl, dtype.replace("i", "I").replace("u", "U", 1).replace("UI", "UI"))), keys)
    check(array.dictionary_encode(), keys)
    check(pd.Series(keys, dtype=dtype.replace("int", "Int").replace("u", "U")), keys)
    check(pd.Series(array.drop_null().to_numpy()), [key for key in keys if key is not None])


@pytest.mark.parametrize(
    "type_",
    ["string", "large_string", "string_view", "binary", "large_binary", "binary_view"],
)
def test_strings_and_binaries_of_arrow(type_):
    keys = [text if "string" in type_ else text.encode() for text in TEXTS]
    keys[3] = keys[1500] = None
    array = pa.array(keys, getattr(pa, type_)())
    check(array, keys)
    check(array[11:2000], keys[11:2000])
    check(pa.chunked_array([array[:3], array[3:]]), keys)
    if "view" not in type_:
        check(array.dictionary_encode(), keys)
        check(pa.chunked_array([array[:3], array[3:]]).dictionary_encode(), keys)


def test_other_keys_of_arrow():
    check(pa.array([True, None, False]), [True, None, False])
    check(pa.array([b"ab", None, b"cd"], pa.binary(2)), [b"ab", None, b"cd"])
    check(pa.nulls(5), [None] * 5)
    check(pa.array([], "int64"), [])
    check(pa.chunked_array([], "int64"), [])
    dictionary = pa.array(["a", None, "b"])
    indices = pa.array([0, 1, None, 2, 0], "int8")
    check(pa.DictionaryArray.from_arrays(indices, dictionary), ["a", None, None, "b", "a"])
    none = pa.DictionaryArray.from_arrays(pa.array([None], "int8"), pa.array([], "string"))
    check(none, [None])


def test_columns_of_nulls_alone_have_no_keys():
    for array in (pl.Series([]), pl.Series("key", [None, None])):
        assert array.dtype == pl.Null
        check(array, array.to_list())
        check(pl.DataFrame(array), array.to_list())
    check(pa.table({"key": pa.nulls(3)}), [None] * 3)
    check(pa.chunked_array([pa.nulls(2), pa.nulls(3)]), [None] * 5)


def test_types_that_arrow_does_not_know_are_refused_by_name():
    wide = pl.Series("key", [1, 2], dtype=pl.Int128)
    filter = amq.BloomFilter(10)
    for array in (wide, pl.DataFrame(wide)):
        for operation in (filter.update, filter.contains, amq.FuseFilter.build):
            with pytest.raises(TypeError, match='"_pli128" holds no keys: cast it .* or give its to_list'):
                operation(array)
    check(wide.cast(pl.Int64), [1, 2])
    check(wide.to_list(), [1, 2])


def test_arrays_in_columns_of_pandas():
    check(pd.array([1, None, 3], dtype="Int64"), [1, None, 3])
    check(pd.array([True, None]), [True, None])
    check(pd.array(["a", None, "b"], dtype="string"), ["a", None, "b"])
    filter = amq.BloomFilter(10)
    with pytest.raises(TypeError, match="<NA> is no key: .* Leave it out"):
        filter.update([1, pd.NA])
    with pytest.raises(TypeError, match="Float64 holds no keys"):
        filter.update(pd.array([1.5, None]))
    periods = pd.Series(pd.period_range("2026-01", periods=3, freq="M"))
    for array in (periods, periods.array):
        with pytest.raises(TypeError, match=r"periods holds no keys: give their texts, astype\(str\)"):
            filter.update(array)


@pytest.mark.parametrize(
    "objects, keys",
    [
        ([1, "a"], [1, "a"]),
        ([2**70, 2**63, -1], [2**70, 2**63, -1]),
        ([(1, 2), b"x", True], [(1, 2), b"x", True]),
        (["a", None, pd.NA, float("nan"), pd.NaT, "b"], ["a", None, None, None, None, "b"]),
        ([None], [None]),
        (TEXTS * 30, TEXTS * 30),
    ],
    ids=lambda value: str(value)[:20],
)
def test_objects_of_pandas_are_the_keys_of_their_list(objects, keys):
    check(pd.Series(objects, dtype=object), keys)
    check(pd.Series(objects, range(len(objects), 0, -1), dtype=object), keys)
    check(pd.Index(objects, dtype=object), keys)
    if None not in keys:
        assert amq.RibbonMap.build(pd.Series(objects, dtype=object), [1] * len(keys))[keys[0]] == 1
        return
    with pytest.raises(TypeError, match="a null is no key"):
        amq.RibbonMap.build(pd.Series(objects, dtype=object), [1] * len(keys))


def test_of_objects_of_pandas_that_are_no_keys_none_is_inserted():
    filter = amq.BloomFilter(10)
    with pytest.raises(TypeError, match=r"float 1\.5 is no key"):
        filter.update(pd.Series([1, 1.5], dtype=object))
    assert len(filter) == 0


def test_what_arrow_says_of_an_array_gets_a_way_out():
    filter, sparse = amq.BloomFilter(10), pd.Series(pd.arrays.SparseArray([0, 0, 1]))
    with pytest.raises(TypeError, match=r"cannot be exported to Arrow \(.*\): give its to_list\(\)") as raised:
        filter.update(sparse)
    assert isinstance(raised.value.__cause__, pa.ArrowException)
    assert filter.update(sparse.to_list()) == 2


def test_a_query_of_polars_is_collected_first():
    filter = amq.BloomFilter(10)
    hashed = amq.BloomFilter(10, hash_func=digest)
    for operation in (filter.update, filter.contains, amq.FuseFilter.build, hashed.update):
        with pytest.raises(TypeError, match=r"a LazyFrame is a query, and holds no keys: give its collect\(\)"):
            operation(pl.LazyFrame({"key": [1]}))


def test_addresses_of_objects_are_no_keys():
    objects = pl.Series("key", ["x", "y"], dtype=pl.Object)
    filter = amq.BloomFilter(10)
    for array in (objects, pl.DataFrame(objects)):
        with pytest.raises(TypeError, match="a column of objects holds no keys"):
            filter.update(array)
    assert filter.update(objects.to_list()) == 2 and "x" in filter


def test_an_array_that_is_not_what_its_schema_says_is_an_error():
    def lying(array, schema):
        class Lying:
            def __arrow_c_array__(self, requested_schema=None):
                return schema.__arrow_c_array__()[0], array.__arrow_c_array__()[1]

        return Lying()

    texts, numbers, views = pa.array(["a"]), pa.array([1]), pa.array(["a" * 20]).cast(pa.string_view())
    words, table = texts.dictionary_encode(), pa.record_batch({"key": [1]})
    arrays = (texts, numbers, words, views, table)
    filter = amq.BloomFilter(10)
    for array, schema in [(one, other) for one in arrays for other in arrays if one is not other]:
        # Views have as many buffers as texts, or more.
        if array is texts and schema is views:
            continue
        for operation in (filter.update, filter.contains, amq.FuseFilter.build):
            with pytest.raises(ValueError, match="as its schema says"):
                operation(lying(array, schema))
    assert len(filter) == 0
    assert filter.update(lying(numbers, numbers)) == 1


def test_an_array_that_was_taken_before_is_an_error():
    class Again:
        pair = pa.array([1, 2]).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema=None):
            return self.pair

    again, filter = Again(), amq.BloomFilter(10)
    assert filter.update(again) == 2
    with pytest.raises(ValueError, match="export it once more"):
        filter.update(again)


def test_a_table_of_one_column_is_that_column():
    table = pa.table({"key": pa.chunked_array([TEXTS[:10], TEXTS[10:]])})
    check(table, TEXTS)
    check(table.to_batches()[1], TEXTS[10:])
    check(pl.DataFrame({"key": TEXTS}), TEXTS)


def test_a_stream_is_read_once_batch_by_batch():
    table = pa.table({"key": NUMBERS})
    filter = amq.BloomFilter(2 * MANY)
    seen = []

    def batches():
        for batch in table.to_batches(max_chunksize=1000):
            seen.append(len(filter))
            yield batch

    filter.update(pa.RecordBatchReader.from_batches(table.schema, batches()))
    assert seen[0] == 0 and seen[-1] > 0 and filter.contains(NUMBERS).all()

    def fails():
        yield from table.to_batches(max_chunksize=1000)
        raise RuntimeError("the disk is gone")

    with pytest.raises(ValueError, match="the disk is gone"):
        filter.update(pa.RecordBatchReader.from_batches(table.schema, fails()))


def test_strings_of_pandas_and_polars():
    keys = [None if number % 7 == 0 else text for number, text in enumerate(TEXTS)]
    check(pl.Series(keys), keys)
    check(pl.Series(keys).cast(pl.Categorical), keys)
    check(pd.Series(TEXTS), TEXTS)
    check(pd.Series(TEXTS).to_numpy(dtype=str), TEXTS)


def test_memoryviews_and_arrays_of_python_are_arrays():
    import array

    check(array.array("q", [-1, 2, 3]), [-1, 2, 3])
    check(memoryview(b"abc"), [97, 98, 99])
    check(memoryview(b"abcdef")[::2], [97, 99, 101])
    check(memoryview(array.array("I", [7, 8])), [7, 8])
    check((ctypes.c_int64 * 3)(-1, 2, 3), [-1, 2, 3])
    check((ctypes.c_uint8 * 2)(7, 255), [7, 255])
    for none, error, text in (
        (ctypes.c_int64(5), ValueError, "an array of 0 dimensions"),
        ((ctypes.c_int64 * 2 * 3)(), ValueError, "an array of 2 dimensions"),
        ((ctypes.c_double * 2)(), TypeError, "an array of floats"),
    ):
        with pytest.raises(error, match=text):
            amq.BloomFilter(10).update(none)


@pytest.mark.parametrize("kind", INSERT, ids=name)
def test_every_kind_takes_arrays(kind):
    check(np.array(NUMBERS, "uint64"), NUMBERS, kind)


@pytest.mark.parametrize("kind", ALL, ids=name)
def test_every_kind_is_built_from_all_keys(kind):
    keys = np.arange(5000)
    for built in (kind.build(keys, 0.001), kind.build(range(5000), 0.001)):
        assert type(built) is kind and built.contains(keys).all()
        wrong = built.contains(np.arange(5000, 105_000)).sum()
        assert wrong < 150
    sized = kind.build(keys, bytes=12_000)
    assert sized.size_in_bytes <= 12_000 and sized.contains(keys).all()
    assert kind.build(keys, bits_per_key=24).size_in_bytes <= 15_000
    assert kind.build((key for key in range(5000)), key=b"k" * 16).contains(keys).all()
    empty = kind.build([])
    assert len(empty) == 0 and 1 not in empty
    with pytest.raises(ValueError, match="false-positive rate of 0.0"):
        kind.build(keys, 0.0)
    with pytest.raises(TypeError, match="1.5"):
        kind.build([1, 1.5])
    assert type(amq.Filter.from_bytes(built.to_bytes())) is kind


def test_duplicates_are_one_key_to_a_static_filter():
    assert len(amq.RibbonFilter.build(["a", "b", "a"])) <= 3
    assert "a" in amq.RibbonFilter.build(["a"] * 1000)


def test_only_a_kind_can_be_built():
    with pytest.raises(TypeError, match="FuseFilter.build"):
        amq.Filter.build([1])


def digest(key):
    """64 evenly distributed bits of any object: of 1 others than of numpy.int64(1)."""
    return int.from_bytes(hashlib.blake2b(repr(key).encode(), digest_size=8).digest(), "little")


NOON = datetime.datetime(2026, 1, 1, 12)


@pytest.mark.parametrize(
    "array, keys",
    [
        (np.array([1, 2]), [1, 2]),
        (np.array([1.5, 2.5]), [1.5, 2.5]),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array([NOON], "datetime64[us]"), [NOON]),
        (np.array([1, "a", None], dtype=object), [1, "a", None]),
        (pa.array([1.5, None]), [1.5, None]),
        (pa.chunked_array([[1], [[2]][0]]), [1, 2]),
        (pl.Series([1.5, None]), [1.5, None]),
        (pd.Series([1.5, None]), [1.5, None]),
        (pd.Series([1, None], dtype="Int64"), [1, None]),
        (pd.Series(["a", None]), ["a", None]),
        (pd.Series([1, float("nan")], dtype=object), [1, None]),
        (pd.Series([NOON, None]), [pd.Timestamp(NOON), None]),
        (pd.array([1, None]), [1, None]),
        (memoryview(b"ab"), [97, 98]),
        (range(3), [0, 1, 2]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_hash_func_gets_the_objects_that_an_array_lists(array, keys):
    filter = amq.BloomFilter(10, 1e-9, hash_func=digest)
    assert filter.update(array) == len(keys)
    assert all(key in filter for key in keys)
    assert filter.contains(array).all() and filter.contains(keys).all()
    built = amq.FuseFilter.build(array, hash_func=digest)
    assert built == amq.FuseFilter.build(keys, hash_func=digest)


@pytest.mark.parametrize(
    "array, error, text",
    [
        (np.array([[1, 2]]), ValueError, "2 dimensions"),
        (np.array(1), ValueError, "0 dimensions"),
        (pa.table({"a": [1]}), TypeError, "give a column of it"),
        (pl.DataFrame({"a": [1]}), TypeError, "give a column of it"),
        (pd.DataFrame({"a": [1]}), TypeError, "give a column of it"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_function_of_the_caller_takes_no_tables(array, error, text):
    filter = amq.BloomFilter(10, hash_func=digest)
    for operation in (filter.update, filter.contains):
        with pytest.raises(error, match=text):
            operation(array)
    assert len(filter) == 0


def test_the_interpreter_is_free_while_an_array_is_worked_on():
    import threading

    array = np.arange(4_000_000)
    filter = amq.BlockedBloomFilter(len(array))
    counts, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counts[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        counts[0] = 0
        filter.update(array)
        filter.contains(array)
        # It would have been held for the whole time, but for a switch at either end.
        assert counts[0] > 10
    finally:
        done.set()
        thread.join()
