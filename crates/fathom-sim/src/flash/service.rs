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
