//! Columns as keys, in the encodings of Rust's [`Key`], so that filters are interchangeable with
//! the library and the command.
//!
//! | column | key |
//! | --- | --- |
//! | integers, booleans | the integer, as `i64` or `u64` |
//! | strings, binaries | their bytes |
//! | dates | days since 1970, as `i64`; the file says that they are dates |
//! | timestamps | `(seconds, nanoseconds)` since 1970, as `(i64, u32)`, in every unit |
//! | dictionaries, runs | their values |
//!
//! Other types have no unique encoding: 1.5 and 1.50 are equal decimals with different bits and
//! strings, and so are the floats 0.0 and -0.0.

use crate::error::{execution, plan};
use amq::{Key, KeyEncoding, KeyHash};
use datafusion_common::Result;
use datafusion_common::arrow::array::{
    Array, ArrowPrimitiveType, AsArray, PrimitiveArray, RunArray,
};
use datafusion_common::arrow::compute;
use datafusion_common::arrow::datatypes::{DataType, RunEndIndexType, TimeUnit, *};

/// Refuses a column type that cannot be a key.
pub(crate) fn check(function: &str, of: &DataType) -> Result<()> {
    use DataType as T;
    match of {
        T::Dictionary(_, values) => check(function, values),
        T::RunEndEncoded(_, values) => check(function, values.data_type()),
        T::Timestamp(_, Some(zone)) if !is_utc(zone) => Err(plan(
            function,
            format_args!(
                "a column of type {of} equals another zone's by the instant, and a timestamp \
                 without a zone by the local time, which no one encoding does: cast it, as by \
                 arrow_cast(x, 'Timestamp(Nanosecond, Some(\"UTC\"))')"
            ),
        )),
        T::Null | T::Boolean | T::Date32 | T::Date64 | T::Timestamp(..) => Ok(()),
        T::Utf8 | T::LargeUtf8 | T::Utf8View => Ok(()),
        T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_) => Ok(()),
        of if of.is_integer() => Ok(()),
        of if of.is_floating() => Err(plan(
            function,
            format_args!(
                "a column of type {of} has no unique encoding as a key: -0.0 equals 0.0 \
                 in SQL, and neither their bits nor the strings '-0.0' and '0.0' are equal. \
                 Cast it, alike where the filter is made and where it is asked, to a decimal \
                 of one scale and that to a string; or, where every digit counts, as CAST(x + \
                 0.0 AS VARCHAR), which makes one string of both zeros and one of every NaN"
            ),
        )),
        of if of.is_decimal() => Err(plan(
            function,
            format_args!(
                "a column of type {of} has no unique encoding as a key: 1.5 and 1.50 are \
                 equal decimals of unlike scale, and neither their integers nor their strings \
                 are equal. Cast it to one scale, alike where the filter is made and where it \
                 is asked, and that to a string, as CAST(CAST(x AS DECIMAL(20, 2)) AS \
                 VARCHAR)"
            ),
        )),
        of => Err(plan(
            function,
            format_args!(
                "a column of type {of} has no unique encoding as a key: cast it to an integer, \
                 a string or a binary"
            ),
        )),
    }
}

/// Whether a zone's local time is UTC.
fn is_utc(zone: &str) -> bool {
    ["UTC", "Etc/UTC", "GMT", "Z", "+00:00", "+00", "+0000"].contains(&zone)
}

/// Classes of column types: equal values within a class are the same key, values of two classes
/// never are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Columns of nulls only.
    Null,
    Integers,
    Bytes,
    Dates,
    Instants,
}

impl Class {
    /// Of a type that [`check`] accepts.
    pub(crate) fn of(of: &DataType) -> Self {
        use DataType as T;
        match of {
            T::Dictionary(_, values) => Self::of(values),
            T::RunEndEncoded(_, values) => Self::of(values.data_type()),
            T::Null => Self::Null,
            T::Timestamp(..) => Self::Instants,
            T::Date32 | T::Date64 => Self::Dates,
            of if of.is_integer() || *of == T::Boolean => Self::Integers,
            _ => Self::Bytes,
        }
    }

    /// The encoding recorded in a filter's file for such keys.
    pub(crate) fn encoding(self) -> KeyEncoding {
        match self {
            Self::Integers => KeyEncoding::Integers,
            Self::Bytes => KeyEncoding::Bytes,
            Self::Dates => KeyEncoding::Dates,
            Self::Instants => KeyEncoding::Instants,
            Self::Null => KeyEncoding::Unknown,
        }
    }
}

fn text(of: &DataType) -> bool {
    match of {
        DataType::Dictionary(_, values) => text(values),
        DataType::RunEndEncoded(_, values) => text(values.data_type()),
        of => of.is_string(),
    }
}

/// Refuses keys of a type that the filter cannot contain: every answer would be "no".
pub(crate) fn expect(function: &str, filter: KeyEncoding, keys: &DataType) -> Result<()> {
    use KeyEncoding as E;
    let asked = Class::of(keys);
    let (has, way_out) = match filter {
        // Its type of keys is not recorded, or it has several types.
        E::Unknown | E::Mixed => return Ok(()),
        _ if asked == Class::Null || asked.encoding() == filter => return Ok(()),
        E::Hex if asked == Class::Bytes && !text(keys) => return Ok(()),
        E::Integers => ("integers", "an integer, as by CAST(x AS BIGINT)"),
        E::Bytes => ("strings or binaries", "a string, as by CAST(x AS VARCHAR)"),
        E::Hex => {
            ("bytes that were given as hexadecimal digits", "a binary, as by decode(x, 'hex')")
        }
        E::Dates => ("dates", "a date, as by CAST(x AS DATE)"),
        E::Instants => (
            "timestamps",
            "a timestamp, as by CAST(x AS TIMESTAMP), or of an integer by to_timestamp_seconds(x)",
        ),
    };
    let text = format_args!(
        "the filter's keys are {has}, and the query has a column of {keys}, so every answer \
         would be \"no\": cast the column to {way_out}"
    );
    Err(execution(function, text))
}

/// Replaces `hashes` by one for each row, an arbitrary one for nulls.
pub(crate) fn hash(
    function: &str,
    array: &dyn Array,
    seed: u64,
    hashes: &mut Vec<KeyHash>,
) -> Result<()> {
    use DataType as T;
    hashes.clear();
    hashes.reserve(array.len());
    match array.data_type() {
        T::Int8 => primitive::<Int8Type, _>(array, hashes, |key| key.key_hash(seed)),
        T::Int16 => primitive::<Int16Type, _>(array, hashes, |key| key.key_hash(seed)),
        T::Int32 => primitive::<Int32Type, _>(array, hashes, |key| key.key_hash(seed)),
        T::Int64 => primitive::<Int64Type, _>(array, hashes, |key| key.key_hash(seed)),
        T::UInt8 => primitive::<UInt8Type, _>(array, hashes, |key| key.key_hash(seed)),
        T::UInt16 => primitive::<UInt16Type, _>(array, hashes, |key| key.key_hash(seed)),
        T::UInt32 => primitive::<UInt32Type, _>(array, hashes, |key| key.key_hash(seed)),
        T::UInt64 => primitive::<UInt64Type, _>(array, hashes, |key| key.key_hash(seed)),
        T::Date32 => primitive::<Date32Type, _>(array, hashes, |key| key.key_hash(seed)),
        T::Date64 => primitive::<Date64Type, _>(array, hashes, |key| {
            key.div_euclid(86_400_000).key_hash(seed)
        }),
        T::Timestamp(unit, _) => timestamps(array, *unit, seed, hashes),
        T::Boolean => {
            let array = array.as_boolean().values();
            hashes.extend(array.iter().map(|key| key.key_hash(seed)));
        }
        T::Utf8 => bytes(array.as_string::<i32>(), seed, hashes),
        T::LargeUtf8 => bytes(array.as_string::<i64>(), seed, hashes),
        T::Utf8View => bytes(array.as_string_view(), seed, hashes),
        T::Binary => bytes(array.as_binary::<i32>(), seed, hashes),
        T::LargeBinary => bytes(array.as_binary::<i64>(), seed, hashes),
        T::BinaryView => bytes(array.as_binary_view(), seed, hashes),
        T::FixedSizeBinary(_) => bytes(array.as_fixed_size_binary(), seed, hashes),
        T::Null => hashes.resize(array.len(), KeyHash::default()),
        T::Dictionary(..) => dictionary(function, array, seed, hashes)?,
        T::RunEndEncoded(ends, _) => match ends.data_type() {
            T::Int16 => runs::<Int16Type>(function, array, seed, hashes)?,
            T::Int32 => runs::<Int32Type>(function, array, seed, hashes)?,
            _ => runs::<Int64Type>(function, array, seed, hashes)?,
        },
        of => return check(function, of),
    }
    if hashes.len() == array.len() {
        return Ok(());
    }
    // Never happens with arrays that Arrow builds; but a row without an answer would be wrong.
    Err(execution(function, format_args!("{} rows, and {} hashes", array.len(), hashes.len())))
}

/// Like [`hash`], but only for rows that are not null.
pub(crate) fn hash_valid(
    function: &str,
    array: &dyn Array,
    seed: u64,
    hashes: &mut Vec<KeyHash>,
) -> Result<()> {
    hash(function, array, seed, hashes)?;
    if let Some(nulls) = array.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
        let mut row = 0;
        hashes.retain(|_| {
            row += 1;
            nulls.is_valid(row - 1)
        });
    }
    Ok(())
}

fn primitive<T: ArrowPrimitiveType, F: Fn(T::Native) -> KeyHash>(
    array: &dyn Array,
    hashes: &mut Vec<KeyHash>,
    hash: F,
) {
    let array: &PrimitiveArray<T> = array.as_primitive();
    // A plain loop: an iterator's would be vectorised to SSE2, whose 64-bit products cost more.
    for &key in array.values() {
        hashes.push(hash(key));
    }
}

fn timestamps(array: &dyn Array, unit: TimeUnit, seed: u64, hashes: &mut Vec<KeyHash>) {
    let key = |time: i64, second: i64| {
        let nanoseconds = time.rem_euclid(second) * (1_000_000_000 / second);
        (time.div_euclid(second), nanoseconds as u32).key_hash(seed)
    };
    match unit {
        TimeUnit::Second => primitive::<TimestampSecondType, _>(array, hashes, |t| key(t, 1)),
        TimeUnit::Millisecond => {
            primitive::<TimestampMillisecondType, _>(array, hashes, |t| key(t, 1_000));
        }
        TimeUnit::Microsecond => {
            primitive::<TimestampMicrosecondType, _>(array, hashes, |t| key(t, 1_000_000));
        }
        TimeUnit::Nanosecond => {
            primitive::<TimestampNanosecondType, _>(array, hashes, |t| key(t, 1_000_000_000));
        }
    }
}

fn bytes<K: AsRef<[u8]>>(
    rows: impl IntoIterator<Item = Option<K>>,
    seed: u64,
    hashes: &mut Vec<KeyHash>,
) {
    let hash = |key: Option<K>| key.map_or(KeyHash::default(), |key| key.as_ref().key_hash(seed));
    hashes.extend(rows.into_iter().map(hash));
}

/// Hashes each value once, unless there are more values than rows.
fn dictionary(
    function: &str,
    array: &dyn Array,
    seed: u64,
    hashes: &mut Vec<KeyHash>,
) -> Result<()> {
    let array = array.as_any_dictionary();
    let values = array.values();
    if values.is_empty() {
        hashes.resize(array.len(), KeyHash::default());
        return Ok(());
    }
    if values.len() > array.len() {
        let rows = compute::take(values, array.keys(), None)?;
        return hash(function, &rows, seed, hashes);
    }
    let mut of_values = Vec::new();
    hash(function, values, seed, &mut of_values)?;
    hashes.extend(array.normalized_keys().into_iter().map(|key| of_values[key]));
    Ok(())
}

fn runs<R: RunEndIndexType>(
    function: &str,
    array: &dyn Array,
    seed: u64,
    hashes: &mut Vec<KeyHash>,
) -> Result<()> {
    let Some(array) = array.as_any().downcast_ref::<RunArray<R>>() else {
        return Err(execution(function, "a run-end encoded column of another type than it says"));
    };
    if array.is_empty() {
        return Ok(());
    }
    let ends = array.run_ends();
    let first = ends.get_start_physical_index();
    let values = array.values().slice(first, ends.get_end_physical_index() + 1 - first);
    let mut of_values = Vec::new();
    hash(function, &values, seed, &mut of_values)?;
    for (hash, end) in of_values.into_iter().zip(ends.sliced_values()) {
        hashes.resize(end.as_usize(), hash);
    }
    Ok(())
}
