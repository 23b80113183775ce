//! The split-block filter of amq-bloom and that of the crate parquet are one filter: the same bits
//! for the same keys, the same answers, and each reads what the other wrote.
//!
//! Parquet hashes a value's plain encoding by XXH64 with seed 0; our keys are hashed by XXH3. So
//! all goes by hash here: whoever exchanges filters with Parquet hashes for themselves.

use amq_bloom::{
    BlockedBloomFilter, BlockedParams, DecodeError, Filter, FilterFile, Goal, KeyHash, Parts,
    PlanFilter, Prehashed, Table,
};
use bytes::Bytes;
use parquet::basic::Compression;
use parquet::bloom_filter::Sbbf;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::{ReaderProperties, WriterProperties};
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::file::serialized_reader::{ReadOptionsBuilder, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;
use xxhash_rust::xxh64::xxh64;

/// The hash by which Parquet puts a value of this plain encoding into a filter.
fn hash(plain: &[u8]) -> KeyHash {
    KeyHash::new(xxh64(plain, 0))
}

fn number(i: i64) -> KeyHash {
    hash(&i.to_le_bytes())
}

/// Numbers that are scattered over all 64 bits.
fn key(i: i64) -> i64 {
    i.wrapping_mul(0x2545_F491_4F6C_DD1D)
}

/// Our filter of a bitset that Parquet wrote.
fn of_bitset(bytes: &[u8]) -> Prehashed<BlockedBloomFilter> {
    assert_eq!(bytes.len() % 32, 0);
    let table = Table::try_from(bytes).unwrap();
    let params = BlockedParams::new(bytes.len() as u64 / 32);
    Prehashed::of(BlockedBloomFilter::from_table_unchecked(table, Parts::new(params, 0)).unwrap())
}

fn their_bitset(filter: &Sbbf) -> Vec<u8> {
    let mut bytes = Vec::new();
    filter.write_bitset(&mut bytes).unwrap();
    bytes
}

/// Our empty filter of as many blocks.
fn empty(blocks: u64) -> BlockedBloomFilter {
    let plan = BlockedBloomFilter::plan_params(BlockedParams::new(blocks), 1).unwrap();
    BlockedBloomFilter::new(plan).unwrap()
}

#[test]
fn the_same_keys_set_the_same_bits_and_every_answer_is_the_same() {
    for (keys, rate) in [(1u64, 0.5), (100, 0.01), (20_000, 0.01), (50_000, 1e-4)] {
        let mut theirs = Sbbf::new_with_ndv_fpp(keys, rate).unwrap();
        let mut ours = empty(theirs.num_blocks() as u64);
        for i in 0..keys as i64 {
            theirs.insert(&key(i));
            ours.insert_hash(number(key(i)));
            let text = format!("key {i}");
            theirs.insert(text.as_str());
            ours.insert_hash(hash(text.as_bytes()));
        }
        assert_eq!(ours.as_bytes(), their_bitset(&theirs));
        for i in 0..200_000 {
            assert_eq!(ours.contains_hash(number(key(i))), theirs.check(&key(i)));
        }
    }
}

#[test]
fn each_answers_from_the_bitset_of_the_other() {
    // Of a number of blocks that is no power of two: Parquet never plans one, and reads it.
    let mut ours = BlockedBloomFilter::new(Goal::fpr(3000, 0.01)).unwrap();
    assert!(!ours.params().blocks.is_power_of_two());
    (0..3000).for_each(|i| {
        ours.insert_hash(number(key(i)));
    });
    let theirs = Sbbf::new(ours.as_bytes());
    let back = of_bitset(&their_bitset(&theirs));
    assert_eq!(back.get_ref().as_bytes(), ours.as_bytes());
    for i in 0..300_000 {
        let answer = ours.contains_hash(number(key(i)));
        assert!(answer || i >= 3000);
        assert_eq!(theirs.check(&key(i)), answer);
        assert_eq!(back.contains_hash(number(key(i))), answer);
    }

    // With Parquet's header before it, too.
    let mut bytes = Vec::new();
    theirs.write(&mut bytes).unwrap();
    let header = bytes.len() - ours.as_bytes().len();
    assert_eq!(&bytes[header..], ours.as_bytes());
    let read = Sbbf::from_bytes(&bytes).unwrap();
    assert!((0..3000).all(|i| read.check(&key(i))));
}

#[test]
fn the_rate_is_the_known_one_and_our_formula_says_so() {
    let (keys, asked) = (40_000i64, 1_000_000i64);
    let mut theirs = Sbbf::new_with_ndv_fpp(keys as u64, 0.01).unwrap();
    (0..keys).for_each(|i| theirs.insert(&key(i)));
    let ours = of_bitset(&their_bitset(&theirs));
    let positive = (keys..keys + asked).filter(|&i| theirs.check(&key(i))).count();
    let also = (keys..keys + asked).filter(|&i| ours.contains_hash(number(key(i)))).count();
    assert_eq!(also, positive);
    // The exact rate of the bits that are set, within five standard deviations of the sample.
    let expected = ours.stats().expected_fpr * asked as f64;
    let off = (positive as f64 - expected).abs();
    assert!(off < 5.0 * expected.sqrt(), "{positive}, {expected} expected");
    // A known answer: with the layout it never changes.
    assert_eq!((theirs.num_blocks(), positive), KNOWN);
}

/// Blocks, and false positives of a million.
const KNOWN: (usize, usize) = (2048, 3500);

/// A Parquet file of two columns, `id` and `name`, of these rows, with Bloom filters.
fn parquet_file(rows: core::ops::Range<i64>) -> Vec<u8> {
    let schema = "message rows { REQUIRED INT64 id; REQUIRED BYTE_ARRAY name; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_dictionary_enabled(false)
        .set_bloom_filter_enabled(true)
        .set_bloom_filter_fpp(0.01)
        .build();
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let ids: Vec<i64> = rows.clone().map(key).collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int64Type>().write_batch(&ids, None, None).unwrap();
    column.close().unwrap();
    let names: Vec<ByteArray> = rows.map(|i| format!("name {i}").as_str().into()).collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<ByteArrayType>().write_batch(&names, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    file
}

fn open(file: &[u8]) -> SerializedFileReader<Bytes> {
    let properties = ReaderProperties::builder().set_read_bloom_filter(true).build();
    let options = ReadOptionsBuilder::new().with_reader_properties(properties).build();
    SerializedFileReader::new_with_options(Bytes::copy_from_slice(file), options).unwrap()
}

/// Where the bitset of a column's filter lies in the file.
fn place(file: &[u8], column: usize) -> core::ops::Range<usize> {
    let reader = open(file);
    let column_of = reader.metadata().row_group(0).column(column);
    let offset = column_of.bloom_filter_offset().unwrap() as usize;
    let length = column_of.bloom_filter_length().unwrap() as usize;
    let group = reader.get_row_group(0).unwrap();
    let bytes = 32 * group.get_column_bloom_filter(column).unwrap().num_blocks();
    offset + length - bytes..offset + length
}

#[test]
fn ours_reads_the_filters_of_a_parquet_file() {
    let file = parquet_file(0..5000);
    let ids = of_bitset(&file[place(&file, 0)]);
    let names = of_bitset(&file[place(&file, 1)]);
    let reader = open(&file);
    let group = reader.get_row_group(0).unwrap();
    let (mut found_ids, mut found_names) = (2048, 3500);
    for i in 0..100_000 {
        let (id, name) = (key(i), format!("name {i}"));
        let [by_id, by_name] = [number(id), hash(name.as_bytes())];
        assert_eq!(ids.contains_hash(by_id), theirs(&*group, 0).check(&id));
        assert_eq!(names.contains_hash(by_name), theirs(&*group, 1).check(name.as_str()));
        assert!(i >= 5000 || ids.contains_hash(by_id) && names.contains_hash(by_name));
        found_ids += u32::from(ids.contains_hash(by_id));
        found_names += u32::from(names.contains_hash(by_name));
    }
    // Rows, and no more than a few percent of the others: the filters do filter.
    assert!((5000..9000).contains(&found_ids) && (5000..9000).contains(&found_names));
    // As a file of ours it keeps them, and nobody can ask it for keys hashed in our way.
    let bytes = ids.to_bytes().unwrap();
    let saved = Prehashed::<BlockedBloomFilter>::from_bytes(&bytes).unwrap();
    assert!((0..5000).all(|i| saved.contains_hash(number(key(i)))));
    assert!((5000..9000).any(|i| !saved.contains_hash(number(key(i)))));
    let refused = BlockedBloomFilter::from_bytes(&bytes).unwrap_err();
    assert_eq!(refused, DecodeError::Prehashed);
}

fn theirs(group: &dyn RowGroupReader, column: usize) -> &Sbbf {
    group.get_column_bloom_filter(column).unwrap()
}

#[test]
fn parquet_reads_our_filter_in_a_file_of_its_own() {
    // Its writer takes no foreign filter: ours is put where its own was.
    let mut file = parquet_file(0..5000);
    let place = place(&file, 0);
    let mut ours = empty(place.len() as u64 / 32);
    (1_000_000..1_005_000).for_each(|i| {
        ours.insert_hash(number(key(i)));
    });
    file[place].copy_from_slice(ours.as_bytes());
    let reader = open(&file);
    let group = reader.get_row_group(0).unwrap();
    let read = theirs(&*group, 0);
    assert!((1_000_000..1_005_000).all(|i| read.check(&key(i))));
    assert!((0..100_000).all(|i| read.check(&key(i)) == ours.contains_hash(number(key(i)))));
    assert!((0..5000).any(|i| !read.check(&key(i))), "its own filter is still there");
}
