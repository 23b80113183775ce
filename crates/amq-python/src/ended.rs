//! Threads that the interpreter ends.
//!
//! An interpreter that ends also ends the daemon threads that are left, where they next wait for
//! its lock: in a generator, in the caller's hash function, in the `__del__` of whatever is freed.
//! CPython before 3.14 does that by unwinding the thread's stack (`pthread_exit`), which functions
//! of Rust are not made for: they would drop what they hold without the interpreter, and then abort
//! the process. So a thread stays where its unwinding reaches a function of Rust, until the process
//! is gone. CPython 3.14 keeps such threads in the same way, and so does pyo3 where one takes the
//! lock back.
//!
//! Of the C libraries, glibc is the one that unwinds. Its unwinder asks the personality routine of
//! each function what to do. All functions of Rust in this module have the same one, which the
//! unwinder finds through one pointer: [`stay_when_unwound`] replaces it.
#![allow(unsafe_code, reason = "the compiler's own pointer is replaced")]

/// Lets threads stay that are unwound by force. To be called once, before any other thread calls
/// this module.
pub(crate) fn stay_when_unwound() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(target_arch = "arm")))]
    unwinding::stay();
}

#[cfg(all(target_os = "linux", target_env = "gnu", not(target_arch = "arm")))]
mod unwinding {
    use std::ffi::{c_int, c_void};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicPtr, Ordering};
    use std::{mem, thread};

    /// A personality routine, as the C++ ABI for Itanium has it.
    type Personality = unsafe extern "C" fn(
        version: c_int,
        actions: c_int,
        class: u64,
        exception: *mut c_void,
        context: *mut c_void,
    ) -> c_int;

    /// `_UA_FORCE_UNWIND`: the frames are not asked whether they catch it.
    const FORCED: c_int = 8;

    unsafe extern "C" {
        /// The pointer to the personality routine. The compiler writes it into the data of every
        /// position-independent module for ELF: the tables of unwinding are read-only, and refer
        /// to it.
        #[link_name = "DW.ref.rust_eh_personality"]
        static PERSONALITY: AtomicPtr<()>;
    }

    /// That of Rust.
    static OF_RUST: OnceLock<Personality> = OnceLock::new();

    pub(super) fn stay() {
        OF_RUST.get_or_init(|| {
            // SAFETY: the pointer is an aligned word of this module's own data, which can be
            // written, and which nobody else writes. It has the address of a function of this type
            // before and after.
            unsafe {
                let of_rust = PERSONALITY.load(Ordering::Relaxed);
                PERSONALITY.store(ours as *mut (), Ordering::Release);
                mem::transmute::<*mut (), Personality>(of_rust)
            }
        });
    }

    unsafe extern "C" fn ours(
        version: c_int,
        actions: c_int,
        class: u64,
        exception: *mut c_void,
        context: *mut c_void,
    ) -> c_int {
        if actions & FORCED != 0 {
            loop {
                thread::park();
            }
        }
        // SAFETY: the unwinder calls this as it would have called that.
        unsafe { OF_RUST.wait()(version, actions, class, exception, context) }
    }
}
