//! Which genomes may hold a sequence? A random genome and 200 mutated ones, found by their k-mers.
//!
//! ```console
//! $ cargo run --release -p amq-interleaved --example kmers
//! ```

use amq_interleaved::{Budget, InterleavedBloomFilter};
use std::collections::HashSet;
use std::error::Error;

/// Bases of a k-mer.
const K: usize = 31;
const GENOMES: usize = 200;
const BASES: usize = 5000;

/// Pseudorandom numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(1);
        amq_core::index::index(amq_core::index::remix(self.0, 0), n)
    }
}

/// Every k-mer, two bits a base.
fn kmers(genome: &[u8]) -> Vec<u64> {
    let code = |kmer: &[u8]| kmer.iter().fold(0, |code, &base| code << 2 | u64::from(base));
    genome.windows(K).map(code).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut random = Random(7);
    let first: Vec<u8> = (0..BASES).map(|_| random.below(4) as u8).collect();
    // Genome g differs from the first in g bases of a thousand.
    let mutated = |genome: usize| -> Vec<u8> {
        let mut random = Random((genome as u64) << 32);
        let mutate = |&base: &u8| match random.below(1000) < genome as u64 {
            true => (base + 1 + random.below(3) as u8) % 4,
            false => base,
        };
        first.iter().map(mutate).collect()
    };
    let genomes: Vec<Vec<u64>> = (0..GENOMES).map(|genome| kmers(&mutated(genome))).collect();
    let filter = InterleavedBloomFilter::build(Budget::Fpr(0.01), &genomes)?;
    println!(
        "{} k-mers of {GENOMES} genomes in {} kB",
        filter.len(),
        filter.size_in_bytes() / 1000
    );

    // A read of 150 bases.
    let read = kmers(&first[1000..1150]);
    let sets: Vec<HashSet<u64>> =
        genomes.iter().map(|genome| genome.iter().copied().collect()).collect();
    for share in [100, 80, 50, 20] {
        let threshold = read.len() as u64 * share / 100;
        let answer = filter.at_least(&read, threshold);
        let holds = |&genome: &usize| {
            let shared = read.iter().filter(|kmer| sets[genome].contains(kmer)).count();
            shared as u64 >= threshold
        };
        let truth: Vec<usize> = (0..GENOMES).filter(holds).collect();
        assert!(truth.iter().all(|&genome| answer.contains(genome)));
        println!(
            "{share} % of the {} k-mers of a read: {} genomes have them, {} are answered",
            read.len(),
            truth.len(),
            answer.count()
        );
    }
    Ok(())
}
