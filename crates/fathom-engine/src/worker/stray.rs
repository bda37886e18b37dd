//! Completions that belong to no I/O in flight.
//!
//! A kernel or a driver may complete an I/O twice, or one that was never submitted.
//! Such a completion must not free a slot whose buffer is still in use, and must
//! not be counted. Each completion names a slot, and the engine must have that slot.
//! There must never be more completions than I/Os in flight. A completion that breaks
//! either rule is dropped, and the job ends with an error.

use super::failure;
use fathom_job::plan::PlannedJob;
use fathom_results::JobFailure;

/// What is wrong with a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stray {
    /// It names a slot that the engine does not have.
    NotInFlight { slot: u64, result: i32 },
    /// There are more completions than I/Os in flight.
    Surplus { there: usize, in_flight: usize },
}

impl Stray {
    #[cold]
    pub fn failure(self, plan: &PlannedJob) -> JobFailure {
        let what = match self {
            Stray::NotInFlight { slot, result } => {
                format!("a completion with result {result} for I/O number {slot}, which is not in flight")
            }
            Stray::Surplus { there, in_flight } => {
                format!("{there} completions, with {in_flight} I/Os in flight")
            }
        };
        let message = format!(
            "the {} engine got {what}: an I/O was completed twice, or never submitted; hint: this is a defect \
             of the kernel, of a driver or of fathom, and the results of this job are not reliable",
            plan.engine
        );
        failure(libc::EPROTO, message)
    }
}

#[cfg(test)]
mod tests {
    use super::super::async_loop::run_with_patience;
    use crate::desc::Desc;
    use crate::engine::{AsyncEngine, Context, EngineError, Replacement, Staged};
    use crate::fixture::run_worker;
    use crate::worker::WorkerEnd;
    use std::cell::{Cell, RefCell};
    use std::collections::VecDeque;
    use std::io;

    /// The stray completion comes after this many good ones.
    const GOOD: usize = 10;

    thread_local! {
        /// The stray completion of the next engine of this thread: slot and result.
        static STRAY: Cell<(u64, i32)> = const { Cell::new((0, 0)) };
        /// Slots that it has, in the order in which they were staged.
        static HELD: RefCell<VecDeque<(u32, i32)>> = const { RefCell::new(VecDeque::new()) };
    }

    /// Completes one I/O at a time, in order. With `DOUBLES`, the stray completion
    /// repeats the last good one.
    struct Straying<const DOUBLES: bool> {
        completed: usize,
        has_strayed: bool,
    }

    impl<const DOUBLES: bool> AsyncEngine for Straying<DOUBLES> {
        fn open(_context: &Context<'_>) -> Result<Self, EngineError> {
            HELD.with_borrow_mut(VecDeque::clear);
            Ok(Straying { completed: 0, has_strayed: false })
        }
        fn replace(&mut self, _: &Replacement<'_>) -> Result<(), EngineError> {
            Ok(())
        }
        fn stage(&mut self, slot: u32, desc: &Desc) {
            HELD.with_borrow_mut(|held| {
                assert!(held.iter().all(|(other, _)| *other != slot), "slot {slot} is in flight");
                held.push_back((slot, desc.len() as i32));
            });
        }
        fn control(&mut self, slot: u32, _desc: &Desc) -> Staged {
            HELD.with_borrow_mut(|held| held.push_back((slot, 0)));
            Staged::Queued
        }
        fn submit(&mut self, _wait: u32, _timeout_ns: u64) -> io::Result<u32> {
            Ok(0)
        }
        fn available(&mut self) -> usize {
            HELD.with_borrow(VecDeque::len).min(2)
        }
        fn reap(&mut self, count: usize, mut done: impl FnMut(u64, i32)) {
            let mut left = count;
            while left > 0 {
                let Some((slot, result)) = HELD.with_borrow_mut(VecDeque::pop_front) else { break };
                done(u64::from(slot), result);
                (left, self.completed) = (left - 1, self.completed + 1);
                if self.completed >= GOOD && left > 0 && !self.has_strayed {
                    let (slot, result) = if DOUBLES { (slot.into(), result) } else { STRAY.get() };
                    done(slot, result);
                    (left, self.has_strayed) = (left - 1, true);
                }
            }
        }
    }

    fn ended<E: AsyncEngine>(options: &str) -> WorkerEnd {
        let job = format!("[j]\nioengine=null\nsize=1m\nnumber_ios=40\nbs=4k\n{options}\n");
        run_worker(&job, |worker| run_with_patience::<E>(worker, 30_000_000))
    }

    const JOBS: [&str; 5] = [
        "rw=read\niodepth=4",
        "rw=randrw\niodepth=16\nfsync=3",
        "rw=read\niodepth=4\nrate_iops=100000000",
        "rw=read\niodepth=8\ncompat=fio\niodepth_batch=2\niodepth_batch_complete_max=2",
        "rw=write\niodepth=4\nwrite_lat_log=x",
    ];

    #[test]
    fn a_doubled_completion_is_refused() {
        for options in JOBS {
            let end = ended::<Straying<true>>(options);
            let failure = end.failure.unwrap_or_else(|| panic!("it fails: {options}"));
            assert_eq!(failure.errno, libc::EPROTO, "{options}: {}", failure.message);
            assert!(failure.message.contains("which is not in flight"), "{options}: {}", failure.message);
            assert!(HELD.with_borrow(VecDeque::is_empty), "all others were waited for: {options}");
        }
    }

    #[test]
    fn a_foreign_completion_is_refused_whatever_its_result() {
        // Just beyond the queue, far beyond it, and a number whose low half is
        // that of a slot.
        for slot in [16, u64::MAX, 1 << 32] {
            for result in [4096, 0, i32::MIN] {
                for options in JOBS {
                    STRAY.set((slot, result));
                    let end = ended::<Straying<false>>(options);
                    let failure =
                        end.failure.unwrap_or_else(|| panic!("it fails: {slot} {result} {options}"));
                    let named = format!("result {result} for I/O number {slot}, which is not");
                    assert!(failure.message.contains(&named), "{options}: {}", failure.message);
                    assert!(HELD.with_borrow(VecDeque::is_empty), "{slot} {result} {options}");
                }
            }
        }
    }

    /// Completes everything at once, and says that there is one more.
    struct OneMore(usize);

    impl AsyncEngine for OneMore {
        fn open(_context: &Context<'_>) -> Result<Self, EngineError> {
            Ok(OneMore(0))
        }
        fn replace(&mut self, _: &Replacement<'_>) -> Result<(), EngineError> {
            Ok(())
        }
        fn stage(&mut self, slot: u32, desc: &Desc) {
            HELD.with_borrow_mut(|held| held.push_back((slot, desc.len() as i32)));
        }
        fn control(&mut self, _slot: u32, _desc: &Desc) -> Staged {
            Staged::Done(0)
        }
        fn submit(&mut self, _wait: u32, _timeout_ns: u64) -> io::Result<u32> {
            Ok(0)
        }
        fn available(&mut self) -> usize {
            HELD.with_borrow(VecDeque::len) + usize::from(self.0 >= 39)
        }
        fn reap(&mut self, count: usize, mut done: impl FnMut(u64, i32)) {
            self.0 += count;
            for (slot, result) in HELD.with_borrow_mut(|held| held.drain(..count).collect::<Vec<_>>()) {
                done(u64::from(slot), result);
            }
        }
    }

    #[test]
    fn more_completions_than_ios_are_refused_at_the_end_too() {
        for depth in [1, 4] {
            let end = ended::<OneMore>(&format!("rw=read\niodepth={depth}"));
            let failure = end.failure.unwrap_or_else(|| panic!("it fails at depth {depth}"));
            assert!(failure.message.contains(" completions, with "), "{}", failure.message);
        }
    }
}
