//! The keys in one piece of an array: hashed, or as parts of tuples.

use crate::encoding::Given;
use crate::key::Under;
use amq::{Encoder, Key, KeyHash};
use arrow_array::cast::AsArray;
use arrow_array::types::ByteArrayType;
use arrow_array::{Array, ArrayRef, GenericByteArray, downcast_integer_array};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::DataType;

/// Computes the hashes of the rows from an index on.
pub(super) type Fill<'a> = Box<dyn Fn(usize, &mut [KeyHash]) + 'a>;

/// Encodes the key of a row as part of a tuple.
type Part<'a> = Box<dyn Fn(usize, &mut Encoder) + 'a>;

/// What is made of keys, whatever their type.
trait Use {
    type Made<'a>;

    /// `key` is the key of each row.
    fn keys<'a, K: Key>(self, key: impl Fn(usize) -> K + 'a) -> Self::Made<'a>;

    /// The key of row `i` is that of `rows[i]` among `len` others, of which this was made.
    fn indirect<'a>(made: Self::Made<'a>, len: usize, rows: Vec<usize>) -> Self::Made<'a>;
}

/// Hashes them under this.
struct Hash<U>(U);

impl<U: Under> Use for Hash<U> {
    type Made<'a> = Fill<'a>;

    fn keys<'a, K: Key>(self, key: impl Fn(usize) -> K + 'a) -> Fill<'a> {
        Box::new(move |first, hashes| {
            for (row, hash) in (first..).zip(hashes) {
                *hash = self.0.hash(&key(row));
            }
        })
    }

    /// Each different key is hashed once.
    fn indirect<'a>(made: Self::Made<'a>, len: usize, rows: Vec<usize>) -> Self::Made<'a> {
        let mut hashes = vec![KeyHash::new(0); len];
        made(0, &mut hashes);
        Box::new(move |first, to| {
            for (hash, &row) in to.iter_mut().zip(&rows[first..]) {
                *hash = hashes[row];
            }
        })
    }
}

/// Encodes them.
struct Encode;

impl Use for Encode {
    type Made<'a> = Part<'a>;

    fn keys<'a, K: Key>(self, key: impl Fn(usize) -> K + 'a) -> Part<'a> {
        Box::new(move |row, to| key(row).encode(to))
    }

    fn indirect<'a>(made: Self::Made<'a>, _: usize, rows: Vec<usize>) -> Self::Made<'a> {
        Box::new(move |row, to| made(rows[row], to))
    }
}

/// A row of several columns: encoded as a tuple.
struct Tuple<'a>(&'a [Part<'a>], usize);

impl Key for Tuple<'_> {
    fn encode(&self, to: &mut Encoder) {
        self.0.iter().for_each(|part| part(self.1, to));
    }
}

/// How the hashes of rows are computed, what these are, and which are nulls. A row of several
/// columns is the tuple of its keys, and a null if one of these is.
pub(super) fn hashed<'a>(
    columns: &'a [ArrayRef],
    under: impl Under,
) -> (Fill<'a>, Given, Option<NullBuffer>) {
    let nulls = columns.iter().fold(None, |nulls, array| {
        NullBuffer::union(nulls.as_ref(), array.logical_nulls().as_ref())
    });
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    if let [array] = columns {
        let given = given(array.data_type()).unwrap_or(Given::OTHERS);
        return (make(array, Hash(under)), given, nulls);
    }
    let parts: Vec<_> = columns.iter().map(|array| make(array, Encode)).collect();
    let fill = Box::new(move |first, hashes: &mut [KeyHash]| {
        for (row, hash) in (first..).zip(hashes) {
            *hash = under.hash(&Tuple(&parts, row));
        }
    });
    (fill, Given::OTHERS, nulls)
}

/// What keys of this type are; `None` if they are none.
pub(super) fn given(of: &DataType) -> Option<Given> {
    match of {
        DataType::Dictionary(_, values) => given(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(Given::TEXT),
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => Some(Given::BYTES),
        DataType::Null => Some(Given::NOTHING),
        DataType::Boolean => Some(Given::INTEGERS),
        integer if integer.is_integer() => Some(Given::INTEGERS),
        _ => None,
    }
}

/// Text is not looked at as such.
fn make<V: Use>(array: &ArrayRef, what: V) -> V::Made<'_> {
    downcast_integer_array! {
        array => {
            let values: &[_] = array.values();
            what.keys(move |row| values[row])
        }
        DataType::Boolean => {
            let values = array.as_boolean();
            what.keys(move |row| values.value(row))
        }
        DataType::Utf8 => bytes(array.as_string::<i32>(), what),
        DataType::LargeUtf8 => bytes(array.as_string::<i64>(), what),
        DataType::Binary => bytes(array.as_binary::<i32>(), what),
        DataType::LargeBinary => bytes(array.as_binary::<i64>(), what),
        DataType::Utf8View => {
            let values = array.as_string_view();
            what.keys(move |row| values.value(row).as_bytes())
        }
        DataType::BinaryView => {
            let values = array.as_binary_view();
            what.keys(move |row| values.value(row))
        }
        DataType::FixedSizeBinary(_) => {
            let values = array.as_fixed_size_binary();
            what.keys(move |row| values.value(row))
        }
        DataType::Dictionary(..) => {
            let array = array.as_any_dictionary();
            let values = array.values();
            match values.is_empty() {
                true => what.keys(|_| 0u64),
                false => V::indirect(make(values, what), values.len(), array.normalized_keys()),
            }
        }
        // All are nulls: there is nothing to be hashed.
        _ => what.keys(|_| 0u64),
    }
}

/// Strings and binaries, which lie behind one another.
fn bytes<'a, T: ByteArrayType, V: Use>(array: &'a GenericByteArray<T>, what: V) -> V::Made<'a> {
    let (offsets, data) = (array.value_offsets(), array.value_data());
    what.keys(move |row| {
        let key = data.get(offsets[row].as_usize()..offsets[row + 1].as_usize());
        key.unwrap_or_default()
    })
}
