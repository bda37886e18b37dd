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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::Op;
    use crate::fixture::planned;
    use crate::memory::{SlotLayout, SlotMemory};

    /// What a burn of a microsecond has sorted.
    fn sorted(options: &str) -> Vec<u64> {
        let plan = planned(&format!("[j]\nioengine=cpuio\ncpuload=50\ncpuchunks=1\nruntime=1\n{options}\n"));
        let layout =
            SlotLayout { slots: 1, slot_bytes: 4096, align: 4096, huge: false, splits_writes: false };
        let context = Context {
            targets: &crate::target::NoTargets,
            plan: &plan.jobs[0],
            files: &[],
            simulated: &[],
            replaces_files: false,
            buffers: &SlotMemory::map(layout).unwrap(),
            depth: 1,
            clock: Clock::calibrate(false),
            hook: None,
        };
        let mut load = CpuLoad::open(&context).unwrap();
        assert!(load.numbers.iter().all(|number| *number == 0));
        assert_eq!(load.execute(&Desc::new(Op::Read, 0, 512, 0), std::ptr::null_mut()), 512);
        load.numbers
    }

    #[test]
    fn a_burn_reads_the_clock_or_sorts_new_numbers() {
        assert!(sorted("").is_empty() && sorted("cpumode=noop").is_empty());
        let numbers = sorted("cpumode=qsort");
        assert!(numbers.len() == SORTED && numbers.is_sorted() && numbers[0] < numbers[SORTED - 1]);
    }
}
