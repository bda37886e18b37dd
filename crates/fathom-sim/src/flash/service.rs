//! Servers: what can do one thing at a time.
//!
//! On a drive of 1/scale, a server takes as long for one request as on the whole drive, but is occupied for
//! longer. So the latency of one I/O alone is that of the whole drive, and the rate under load is 1/scale of
//! it.

/// What a server needs for one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Service {
    /// Until the request is done.
    pub latency_ns: u64,
    /// Until the next one can begin.
    pub busy_ns: u64,
}

impl Service {
    /// `latency_ns`, occupied `stretch` times as long.
    pub fn new(latency_ns: u64, stretch: f64) -> Self {
        Self { latency_ns, busy_ns: (latency_ns as f64 * stretch).round() as u64 }
    }

    /// The service of `bytes` at a rate.
    pub fn transfer(bytes: u64, bytes_per_s: u64, stretch: f64) -> Self {
        Self::new((bytes as f64 * 1e9 / bytes_per_s as f64).round() as u64, stretch)
    }

    /// The part of it that `bytes` of `of_bytes` need.
    pub fn part(self, bytes: u64, of_bytes: u64) -> Self {
        if bytes == of_bytes {
            return self;
        }
        Self { latency_ns: self.latency_ns * bytes / of_bytes, busy_ns: self.busy_ns * bytes / of_bytes }
    }

    /// `halves` / 2 times as slow.
    pub fn slowed(self, halves: u64) -> Self {
        Self { latency_ns: self.latency_ns * halves / 2, busy_ns: self.busy_ns * halves / 2 }
    }
}

/// A bus or a link. Requests pass it in the order in which they are ready, not in that of their submission.
/// One that will be ready later must not keep back one that is ready now. So occupancy is counted from the
/// submission, which keeps the rate exact, and the request starts when it is ready.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pipe {
    busy_until_ns: u64,
}

impl Pipe {
    /// A request that was submitted at `now_ns` and is ready at `ready_ns` has passed at the time that is
    /// returned.
    pub fn pass(&mut self, now_ns: u64, ready_ns: u64, service: Service) -> u64 {
        let start = ready_ns.max(self.busy_until_ns);
        self.busy_until_ns = self.busy_until_ns.max(now_ns) + service.busy_ns;
        start + service.latency_ns
    }
}

// Dies: which are busy until when.
//
// Reads overtake programs that wait. So a die has two times: until when its reads keep it busy (one for each
// group of planes), and until when all of its work does. A read that finds a die programming waits until
// that program ends or is suspended, and moves all programs that wait to a later time.

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
