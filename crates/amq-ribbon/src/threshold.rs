//! Thresholds, which decide the bumped keys of a bucket.

/// Thresholds in a byte, two bits each.
pub(crate) const IN_BYTE: usize = 4;

/// A bucket's threshold is the index of one of these limits, in 32nds of the bucket: keys that
/// start below it are bumped. These limits left the fewest slots empty in measurements.
const LIMITS: [u8; 4] = [0, 4, 9, 32];

/// The start below which a bucket of `bucket` starts bumps its keys.
#[inline(always)]
pub(crate) const fn limit(threshold: u8, bucket: u64) -> u64 {
    // One word instead of a table.
    let limits = u32::from_le_bytes(LIMITS) >> (8 * (threshold & 3) as u32);
    (limits & 0xFF) as u64 * (bucket / 32)
}

/// The lowest threshold that bumps a key `offset` starts into its bucket.
pub(crate) fn threshold_above(offset: u64, bucket: u64) -> u8 {
    (1..3).find(|&threshold| limit(threshold, bucket) > offset).unwrap_or(3)
}

/// The threshold of a bucket; `None` if it is past these bytes.
#[inline(always)]
pub(crate) fn threshold_of(thresholds: &[u8], bucket: u64) -> Option<u8> {
    let &byte = thresholds.get((bucket / IN_BYTE as u64) as usize)?;
    Some((u64::from(byte) >> (bucket % IN_BYTE as u64 * 2)) as u8 & 3)
}
