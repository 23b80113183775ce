//! The threads that sort and insert.

/// Number of threads that sort and insert.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threads(usize);

impl Threads {
    pub(super) fn count(self) -> usize {
        self.0
    }
}

#[cfg(not(feature = "parallel"))]
impl Threads {
    pub(super) fn available() -> Self {
        Self(1)
    }

    /// Calls `meanwhile`, and `act` for each piece of work, with the notes of the thread that does
    /// it: on all threads, of which this one calls `meanwhile` first.
    pub(super) fn share<T, N, R>(
        self,
        work: impl Iterator<Item = T>,
        notes: &mut [N],
        act: impl Fn(&mut N, T),
        meanwhile: impl FnOnce() -> R,
    ) -> R {
        let result = meanwhile();
        for piece in work {
            act(&mut notes[0], piece);
        }
        result
    }
}

#[cfg(feature = "parallel")]
impl Threads {
    pub(super) fn available() -> Self {
        match rayon::current_thread_index().is_some() || has_pool() {
            true => Self(rayon::current_num_threads().clamp(1, MOST)),
            false => Self(1),
        }
    }

    /// Calls `meanwhile`, and `act` for each piece of work, with the notes of the thread that does
    /// it: on all threads, of which this one calls `meanwhile` first.
    pub(super) fn share<T: Send, N: Send, R>(
        self,
        work: impl Iterator<Item = T> + Send,
        notes: &mut [N],
        act: impl Fn(&mut N, T) + Sync,
        meanwhile: impl FnOnce() -> R,
    ) -> R {
        let work = std::sync::Mutex::new(work);
        let take_all = |notes: &mut N| {
            let next = || work.lock().unwrap_or_else(|panicked| panicked.into_inner()).next();
            while let Some(piece) = next() {
                act(notes, piece);
            }
        };
        let Some((own, others)) = notes.split_first_mut() else { return meanwhile() };
        if self.0 == 1 {
            let result = meanwhile();
            take_all(own);
            return result;
        }
        let take_all = &take_all;
        rayon::in_place_scope(|scope| {
            for notes in others {
                scope.spawn(move |_| take_all(notes));
            }
            let result = meanwhile();
            take_all(own);
            result
        })
    }
}

/// More threads would only wait for memory.
#[cfg(feature = "parallel")]
const MOST: usize = 32;

/// Whether there are threads. A system can refuse them, and rayon would panic.
#[cfg(feature = "parallel")]
fn has_pool() -> bool {
    static HAS: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    let refused = |error: rayon::ThreadPoolBuildError| core::error::Error::source(&error).is_some();
    // Its only other error is that the pool exists already.
    *HAS.get_or_init(|| !rayon::ThreadPoolBuilder::new().build_global().is_err_and(refused))
}
