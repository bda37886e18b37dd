//! `cpuio`: uses a CPU for a part of the time, and does no I/O.
//!
//! Each descriptor is a burn of `cpuchunks`. The pause after it is think time, which the plan has set, so that burns take the percentage
//! of `cpuload`. As in fio a burn ends after that time, whether or not it had the CPU all the while. Burns are no I/Os,
//! and the tally counts none of them.

use super::{Context, EngineEntry, EngineError, Replacement, SyncEngine};
use crate::clock::Clock;
use crate::desc::Desc;
use crate::source::seed::Random;
use fathom_job::options as opt;

/// The registry entry.
pub const ENTRY: EngineEntry = EngineEntry::sync::<CpuLoad>("cpuio");

/// Numbers that are sorted at a time; sorting them takes some 100 µs.
const SORTED: usize = 4096;

/// A load on the CPU of its worker.
pub struct CpuLoad {
    clock: Clock,
    burn_ticks: u64,
    /// What is sorted (`cpumode=qsort`); empty for `noop`.
    numbers: Vec<u64>,
    random: Random,
}

impl CpuLoad {
    fn sort_new(&mut self) {
        let random = &mut self.random;
        self.numbers.iter_mut().for_each(|number| *number = random.below(u64::MAX));
        std::hint::black_box(&mut self.numbers).sort_unstable();
    }
}

impl SyncEngine for CpuLoad {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let (job, clock) = (&context.plan.job, context.clock);
        let sorts = job.get(&opt::CPUMODE) == "qsort";
        Ok(CpuLoad {
            clock,
            burn_ticks: clock.ticks(job.get(&opt::CPUCHUNKS).0),
            numbers: vec![0; if sorts { SORTED } else { 0 }],
            random: Random::new(job.get(&opt::RANDSEED)),
        })
    }

    fn replace(&mut self, _: &Replacement<'_>) -> Result<(), EngineError> {
        Ok(())
    }

    fn execute(&mut self, desc: &Desc, _buffer: *mut u8) -> i32 {
        let until = self.clock.now().saturating_add(self.burn_ticks);
        while self.clock.now() < until {
            match self.numbers.is_empty() {
                true => std::hint::spin_loop(),
                false => self.sort_new(),
            }
        }
        desc.len() as i32
    }

    /// The plan has neither syncs nor trims.
    fn control(&mut self, _: &Desc) -> i32 {
        -libc::EOPNOTSUPP
    }
}
