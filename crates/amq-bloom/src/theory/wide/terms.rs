//! The terms of the sum over the sets T, for each number of bits per key, computed at compile time.

use super::words::Words;
use crate::MAX_WIDE_PROBES;
use core::cell::RefCell;

/// Numbers of bits per key, including 0.
const NUMBERS: usize = MAX_WIDE_PROBES as usize + 1;

/// The number of terms of all sums, and the most of one sum.
const ALL: usize = 1080;
const MOST: usize = 294;

/// The terms of all sums, concatenated. The sum for `probes` bits per key ends at `ends[probes]`.
struct Terms {
    of: [(f64, f64); ALL],
    ends: [usize; NUMBERS],
}

// At run time this would take most of the time of planning.
#[allow(long_running_const_eval, reason = "it takes the compiler half a second")]
static TERMS: Terms = Terms::all();

/// For each nonempty set T: the probability that one key leaves it clear, and its multiplicity.
/// Sets of equal probability share a term.
pub(super) fn terms(words: Words) -> &'static [(f64, f64)] {
    let probes = words.0 as usize;
    &TERMS.of[TERMS.ends[probes - 1]..TERMS.ends[probes]]
}

impl Terms {
    const fn all() -> Self {
        let mut all = Self { of: [(0.0, 0.0); ALL], ends: [0; NUMBERS] };
        let mut at = 0;
        let mut probes = 1;
        while probes < NUMBERS {
            let words = Words(probes as u32);
            let sets = Sets::of(words);
            let scale = (8u128 << (6 * probes)) as f64;
            // With two bits per word, multiplicities are in units of 1/64.
            let twice = [0, words.more(), 8][words.each() as usize];
            let weight = (1u128 << (6 * twice)) as f64;
            let mut next = 0;
            // The last one is the empty set, which every key leaves clear.
            while next + 1 < sets.count {
                let (clear, times) = sets.of[next];
                all.of[at] = (clear as f64 / scale, times as f64 / weight);
                next += 1;
                at += 1;
            }
            all.ends[probes] = at;
            probes += 1;
        }
        assert!(at == ALL);
        all
    }
}

/// The sets T of a query whose first chosen word is word 0, in integers: the number of cases in
/// which one key leaves a set clear, and the number of sets with that count, in ascending order.
struct Sets {
    of: [(u128, i128); MOST + 1],
    count: usize,
}

/// The sets within one half of the block's words.
struct Half {
    of: [Part; 81],
    count: usize,
}

/// A group of sets: their number, the cases in which a key's bits in every word leave them clear,
/// and those in which its further bits do, for each choice of the first such word.
#[derive(Clone, Copy)]
struct Part {
    times: i128,
    each: u128,
    more: [u64; 8],
}

impl Half {
    /// The four words from `first` on.
    const fn of(words: Words, first: u32) -> Self {
        let mut half = Self { of: [Part { times: 1, each: 1, more: [1; 8] }; 81], count: 1 };
        let mut word = first;
        while word < first + 4 {
            // The two bits of a query in a word coincide in 1/64 of all cases.
            let sets: &[i128] = match words.of(word, 0) {
                0 => &[1],
                1 => &[1, -1],
                _ => &[64, -127, 63],
            };
            // Sets without a bit of this word replace the previous ones in place.
            let (before, mut bits) = (half.count, sets.len());
            half.count = before * bits;
            while bits > 0 {
                bits -= 1;
                let clear = 64 - bits as u64;
                let mut at = 0;
                while at < before {
                    let mut part = half.of[at];
                    part.times *= sets[bits];
                    part.each *= (clear as u128).pow(words.each());
                    // A key has one more bit in this word if its first such word is one of these.
                    let mut back = 0;
                    while back < words.more() {
                        part.more[((word + 8 - back) % 8) as usize] *= clear;
                        back += 1;
                    }
                    half.of[bits * before + at] = part;
                    at += 1;
                }
            }
            word += 1;
        }
        half
    }
}

impl Sets {
    const fn of(words: Words) -> Self {
        let mut sets = Self { of: [(0, 0); MOST + 1], count: 0 };
        let (left, right) = (Half::of(words, 0), Half::of(words, 4));
        let mut i = 0;
        while i < left.count {
            let (a, mut j) = (&left.of[i], 0);
            while j < right.count {
                let b = &right.of[j];
                let (p, q) = (&a.more, &b.more);
                let more = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
                let more = more + p[4] * q[4] + p[5] * q[5] + p[6] * q[6] + p[7] * q[7];
                sets.add(a.each * b.each * more as u128, a.times * b.times);
                j += 1;
            }
            i += 1;
        }
        sets
    }

    const fn add(&mut self, clear: u128, times: i128) {
        let (mut at, mut end) = (0, self.count);
        while at < end {
            let middle = (at + end) / 2;
            if self.of[middle].0 < clear {
                at = middle + 1;
            } else {
                end = middle;
            }
        }
        if at == self.count || self.of[at].0 != clear {
            let mut from = self.count;
            while from > at {
                self.of[from] = self.of[from - 1];
                from -= 1;
            }
            self.of[at] = (clear, 0);
            self.count += 1;
        }
        self.of[at].1 += times;
    }
}

/// The sums are cached up to this many keys in a block.
const KEPT: usize = 1024;

/// Sums computed in parallel: a single one would wait for the latency of each addition.
const BESIDE: usize = 8;

/// 1 minus the rate of one block with i keys, for i from 0; computed on demand.
pub(super) struct Lacks {
    terms: &'static [(f64, f64)],
    known: RefCell<Known>,
}

struct Known {
    lacks: [f64; KEPT],
    count: usize,
    /// Each term's power for the first i whose sum is not computed yet.
    powers: [f64; MOST],
}

impl Lacks {
    pub(super) fn new(words: Words) -> Self {
        let terms = terms(words);
        let mut powers = [0.0; MOST];
        for (power, &(_, times)) in powers.iter_mut().zip(terms) {
            *power = times;
        }
        Self { terms, known: RefCell::new(Known { lacks: [0.0; KEPT], count: 0, powers }) }
    }

    /// Excludes keys that share all bits.
    pub(super) fn of(&self, keys: u64) -> f64 {
        let lack = if keys < KEPT as u64 {
            self.known.borrow_mut().up_to(keys as usize, self.terms)
        } else {
            let terms = self.terms.iter();
            -terms.map(|&(clear, times)| times * libm::pow(clear, keys as f64)).sum::<f64>()
        };
        lack.clamp(0.0, 1.0)
    }
}

impl Known {
    fn up_to(&mut self, keys: usize, terms: &[(f64, f64)]) -> f64 {
        while self.count <= keys {
            let mut lacks = [0.0; BESIDE];
            for (power, &(clear, _)) in self.powers.iter_mut().zip(terms) {
                for lack in &mut lacks {
                    *lack -= *power;
                    *power *= clear;
                }
            }
            self.lacks[self.count..][..BESIDE].copy_from_slice(&lacks);
            self.count += BESIDE;
            // Exact.
            self.lacks[0] = 1.0;
        }
        self.lacks[keys]
    }
}
