//! How inserting and building of many keys scale: the plain methods, and the `par_` methods in
//! pools of several threads.
//!
//! ```console
//! $ cargo bench -p amq --features rayon --bench bulk_scaling -- 10000000 5 split,fuse
//! ```

use amq::{
    BlockedBloomFilter, BlockedCountingBloomFilter, BloomFilter, Budget, BuildFilter,
    CountingBloomFilter, EmptyFilter, FuseFilter, Goal, InsertExt, ParBuildExt, ParInsertExt,
    RibbonFilter, WideBlockedBloomFilter,
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::error::Error;
use std::time::Instant;

type Outcome = Result<(), Box<dyn Error>>;

/// Measures a kind.
type Measure = fn(&Run) -> Outcome;

fn main() -> Outcome {
    // Cargo tells a bench that it is one.
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let keys: u64 = arguments.next().map_or(Ok(200_000), |keys| keys.parse())?;
    let passes: u64 = arguments.next().map_or(Ok(3), |passes| passes.parse())?;
    let only = arguments.next().unwrap_or_default();
    let most = rayon::current_num_threads();
    let counts = std::iter::successors(Some(1), |threads| Some(2 * threads));
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
    let pools = counts.take_while(|&threads| threads <= most).map(pool);
    let run =
        Run { keys: (0..keys).collect(), passes, pools: pools.collect::<Result<Vec<_>, _>>()? };
    print!("{keys} keys, ns a key, fastest of {passes}\n{:16}  plain", "");
    run.pools.iter().for_each(|pool| print!("{:7}", pool.current_num_threads()));
    println!();
    let kinds: [(&str, Measure); 7] = [
        ("classic", Run::fill::<BloomFilter>),
        ("split", Run::fill::<BlockedBloomFilter>),
        ("wide", Run::fill::<WideBlockedBloomFilter>),
        ("counting", Run::fill::<CountingBloomFilter>),
        ("blocked-counting", Run::fill::<BlockedCountingBloomFilter>),
        ("fuse", Run::build::<FuseFilter>),
        ("ribbon", Run::build::<RibbonFilter>),
    ];
    for (name, measure) in kinds {
        if only.is_empty() || only.split(',').any(|only| only == name) {
            print!("{name:16}");
            measure(&run)?;
            println!();
        }
    }
    Ok(())
}

struct Run {
    keys: Vec<u64>,
    passes: u64,
    pools: Vec<ThreadPool>,
}

impl Run {
    /// Prints the time of `plain`, and of `shared` in each pool.
    fn print(
        &self,
        mut plain: impl FnMut() -> Outcome,
        mut shared: impl FnMut(&ThreadPool) -> Outcome,
    ) -> Outcome {
        let mut best = vec![f64::INFINITY; 1 + self.pools.len()];
        for _ in 0..self.passes {
            let mut timed = |at: usize, work: &mut dyn FnMut() -> Outcome| {
                let start = Instant::now();
                work()?;
                let ns = start.elapsed().as_secs_f64() * 1e9 / self.keys.len() as f64;
                best[at] = ns.min(best[at]);
                Ok::<(), Box<dyn Error>>(())
            };
            timed(0, &mut plain)?;
            for (at, pool) in (1..).zip(&self.pools) {
                timed(at, &mut || shared(pool))?;
            }
        }
        best.iter().for_each(|ns| print!("{ns:7.2}"));
        Ok(())
    }

    /// Inserts into an empty filter.
    fn fill<F: EmptyFilter>(&self) -> Outcome {
        let mut filter = F::empty(Goal::fpr(self.keys.len() as u64, 0.01), 7)?;
        let filter = std::cell::RefCell::new(&mut filter);
        self.print(
            || {
                filter.borrow_mut().clear();
                filter.borrow_mut().insert_keys(&self.keys)?;
                Ok(())
            },
            |pool| {
                let mut filter = filter.borrow_mut();
                let filter = &mut **filter;
                pool.install(|| {
                    filter.clear();
                    filter.par_insert_keys(&self.keys)
                })?;
                Ok(())
            },
        )
    }

    fn build<F: BuildFilter + Send>(&self) -> Outcome {
        let budget = Budget::Fpr(0.01);
        self.print(
            || Ok(F::build_keys(budget, 7, &self.keys).map(drop)?),
            |pool| Ok(pool.install(|| F::par_build_keys(budget, 7, &self.keys)).map(drop)?),
        )
    }
}
