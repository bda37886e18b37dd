//! How large the entries of a ring are: usual ones, or those that have room for a command of a driver.

use super::abi::{Cqe, SETUP_CQE32, SETUP_SQE128, Sqe};

/// The entries and completions of a ring.
pub trait Shape {
    /// An entry.
    type Entry;
    /// A completion.
    type Completion: Completion;
    /// The flags that ask the kernel for them.
    const SETUP: u32;
}

/// What every completion has.
pub trait Completion {
    fn user_data(&self) -> u64;
    fn result(&self) -> i32;
}

/// Entries of 64 bytes and completions of 16.
#[derive(Debug)]
pub struct Narrow;

impl Shape for Narrow {
    type Entry = Sqe;
    type Completion = Cqe;
    const SETUP: u32 = 0;
}

impl Completion for Cqe {
    #[inline(always)]
    fn user_data(&self) -> u64 {
        self.user_data
    }

    #[inline(always)]
    fn result(&self) -> i32 {
        self.res
    }
}

/// Entries of 128 bytes, whose last 80 are a command, and completions of 32.
#[derive(Debug)]
pub struct Wide;

impl Shape for Wide {
    type Entry = [u64; 16];
    type Completion = WideCompletion;
    const SETUP: u32 = SETUP_SQE128 | SETUP_CQE32;
}

/// `struct io_uring_cqe` with its two further words.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct WideCompletion {
    user_data: u64,
    result: i32,
    flags: u32,
    more: [u64; 2],
}

impl Completion for WideCompletion {
    #[inline(always)]
    fn user_data(&self) -> u64 {
        self.user_data
    }

    #[inline(always)]
    fn result(&self) -> i32 {
        self.result
    }
}

const _: () = assert!(size_of::<WideCompletion>() == 32 && size_of::<Cqe>() == 16);
