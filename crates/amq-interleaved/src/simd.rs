//! The AND of rows with AVX2, and the choice between it and its portable twin.
//!
//! The only module of the crate with `unsafe` in it. Both are compiled from the same loop.
#![allow(unsafe_code)]

use amq_core::dispatch;

/// Writes the AND of these rows, each as long as the answer, into `answer`.
///
/// # Panics
/// If a row is shorter.
#[inline]
pub(crate) fn and(rows: [&[[u8; 8]]; 8], answer: &mut [u64]) {
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { and_avx2(rows, answer) },
        and_portable(rows, answer)
    )
}

/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn and_avx2(rows: [&[[u8; 8]]; 8], answer: &mut [u64]) {
    and_portable(rows, answer);
}

#[inline(always)]
fn and_portable(rows: [&[[u8; 8]]; 8], answer: &mut [u64]) {
    // Slices of one length, so that the loop needs no checks and becomes vector instructions.
    let [a, b, c, d, e, f, g, h] = rows.map(|row| &row[..answer.len()]);
    let word = u64::from_le_bytes;
    for (i, answer) in answer.iter_mut().enumerate() {
        let low = word(a[i]) & word(b[i]) & word(c[i]) & word(d[i]);
        let high = word(e[i]) & word(f[i]) & word(g[i]) & word(h[i]);
        *answer = low & high;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::KeyHash;
    use std::vec::Vec;

    #[test]
    fn vector_code_answers_as_its_portable_twin_does() {
        let word = |i: usize| (KeyHash::of(&(i as u64), 5).get() | 0xFF << (i % 57)).to_le_bytes();
        let words: Vec<[u8; 8]> = (0..8 * 40).map(word).collect();
        for len in 0..=40 {
            let rows: [&[[u8; 8]]; 8] = core::array::from_fn(|row| &words[40 * row..][..len]);
            let (mut answer, mut portable) = ([7; 40], [7; 40]);
            and(rows, &mut answer[..len]);
            and_portable(rows, &mut portable[..len]);
            assert_eq!(answer, portable, "{len} words");
            for (i, answer) in answer.iter().take(len).enumerate() {
                let all = rows.iter().fold(u64::MAX, |all, row| all & u64::from_le_bytes(row[i]));
                assert_eq!(*answer, all, "word {i} of {len}");
            }
        }
    }
}
