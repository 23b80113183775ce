//! A pool of a fixed number of blocks.
//!
//! A block returns when it is dropped, wherever that happens: the reader, the workers and the
//! caller cannot lose one, so waiting for a block always ends.

use crate::work::Work;
use std::ops::{Deref, DerefMut};
use std::sync::mpsc::{self, Receiver, Sender};

/// The blocks that are not on loan.
pub(crate) struct Pool {
    home: Sender<Work>,
    blocks: Receiver<Work>,
}

impl Pool {
    /// A pool of this many empty blocks.
    pub(crate) fn new(blocks: usize) -> Self {
        let (home, received) = mpsc::channel();
        for _ in 0..blocks {
            // Cannot fail: the receiver is alive.
            let _ = home.send(Work::default());
        }
        Self { home, blocks: received }
    }

    /// Waits for a block to return and lends it, with its old contents.
    pub(crate) fn lend(&self) -> Loan {
        // Cannot fail: the pool holds a sender, so the channel is open.
        let work = self.blocks.recv().unwrap_or_default();
        Loan { work, home: self.home.clone() }
    }
}

/// A block on loan. It returns to its pool when it is dropped.
pub(crate) struct Loan {
    work: Work,
    home: Sender<Work>,
}

impl Deref for Loan {
    type Target = Work;

    fn deref(&self) -> &Work {
        &self.work
    }
}

impl DerefMut for Loan {
    fn deref_mut(&mut self) -> &mut Work {
        &mut self.work
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        // If the pool is gone, nothing waits for its blocks.
        let _ = self.home.send(std::mem::take(&mut self.work));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_comes_home_however_it_is_dropped() {
        let pool = Pool::new(3);
        let at_home = |pool: &Pool| {
            let blocks: Vec<Work> = pool.blocks.try_iter().collect();
            let found = blocks.len();
            blocks.into_iter().for_each(|work| pool.home.send(work).unwrap());
            found
        };
        assert_eq!(at_home(&pool), 3);
        let (to, from) = mpsc::channel();
        let mut first = pool.lend();
        first.append(b"kept\n").unwrap();
        to.send(pool.lend()).unwrap();
        let third = pool.lend();
        assert_eq!(at_home(&pool), 0);
        // Dropped by its holder; with the channel it waits in; by a thread that panics.
        drop(first);
        drop((to, from));
        let panics = std::thread::spawn(move || {
            let _held = third;
            panic!("as it should");
        });
        assert!(panics.join().is_err());
        assert_eq!(at_home(&pool), 3);
    }

    #[test]
    fn a_block_outlives_its_pool() {
        let pool = Pool::new(1);
        let mut block = pool.lend();
        drop(pool);
        block.append(b"still here").unwrap();
        assert_eq!(block.bytes(), b"still here");
    }
}
