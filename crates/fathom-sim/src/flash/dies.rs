//! Dies: which are busy until when.
//!
//! Reads overtake programs that wait. So a die has two times: until when its reads keep it busy (one for each
//! group of planes), and until when all of its work does. A read that finds a die programming waits until
//! that program ends or is suspended, and moves all programs that wait to a later time.

use super::service::Service;

#[derive(Debug)]
pub(super) struct Dies {
    /// Until when all work of a die is done.
    work_until_ns: Vec<u64>,
    /// Until when the reads of each group of planes are done.
    reads_until_ns: Vec<u64>,
    groups: u32,
}

/// A group of planes of a die.
#[derive(Debug, Clone, Copy)]
pub(super) struct Planes {
    pub die: u32,
    pub group: u32,
}

impl Dies {
    pub fn new(count: u32, groups: u32) -> Self {
        Self {
            work_until_ns: vec![0; count as usize],
            reads_until_ns: vec![0; (count * groups) as usize],
            groups,
        }
    }

    pub fn count(&self) -> u32 {
        self.work_until_ns.len() as u32
    }

    /// A read that may begin at `ready_ns` ends at the time that is returned. `program` is what the die does
    /// when it does not read; the read waits for it no longer than `suspend_ns`.
    pub fn read(
        &mut self,
        planes: Planes,
        ready_ns: u64,
        read: Service,
        program: Service,
        suspend_ns: u64,
    ) -> u64 {
        let work_until = &mut self.work_until_ns[planes.die as usize];
        let reads_until = &mut self.reads_until_ns[(planes.die * self.groups + planes.group) as usize];
        let mut start = ready_ns.max(*reads_until);
        let is_reading = *reads_until > ready_ns;
        if !is_reading && *work_until > start {
            start += ((*work_until - start) % program.busy_ns.max(1)).min(suspend_ns);
        }
        *reads_until = start + read.busy_ns;
        // The groups read at the same time, and a program needs all of them.
        *work_until = (*work_until).max(ready_ns) + read.busy_ns / u64::from(self.groups);
        start + read.latency_ns
    }

    /// A program, or the read of a collection, that may begin at `ready_ns`.
    pub fn work(&mut self, die: u32, ready_ns: u64, service: Service) -> u64 {
        let work_until = &mut self.work_until_ns[die as usize];
        let start = (*work_until).max(ready_ns);
        *work_until = start + service.busy_ns;
        start + service.latency_ns
    }
}
