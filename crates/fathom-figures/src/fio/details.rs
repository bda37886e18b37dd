//! What a result has of a job beside its rates and latencies: processor, depths, spreads; and of the disks below it.

/// The processor time of a job, and what the kernel counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FioCpu {
    /// Per cent of one processor, in the program.
    pub user_percent: Option<f64>,
    /// Per cent of one processor, in the kernel.
    pub system_percent: Option<f64>,
    /// Context switches.
    pub context_switches: Option<u64>,
    /// Page faults that read from a disk.
    pub major_faults: Option<u64>,
    /// Other page faults.
    pub minor_faults: Option<u64>,
}

/// A class of a distribution: a depth, a size of a batch, or a latency in ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FioShare {
    /// Its upper bound; of the open class, its lower one.
    pub bound: u64,
    /// Has it no upper bound?
    pub is_open: bool,
    /// Per cent of all I/Os in it.
    pub percent: f64,
}

/// The distributions of a job. One that the file does not have is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioShares {
    /// I/Os in flight when one more was submitted.
    pub depths: Vec<FioShare>,
    /// I/Os of each submit call.
    pub submits: Vec<FioShare>,
    /// I/Os of each completion.
    pub completes: Vec<FioShare>,
    /// Latencies, ns. Classes without I/Os may be left out.
    pub latencies: Vec<FioShare>,
}

impl FioShares {
    /// Did fio count nothing but a depth of 1? `None` where the file has no depths.
    pub(super) fn are_always_at_one(&self) -> Option<bool> {
        self.depths.first().map(|first| first.bound == 1 && first.percent >= 100.0)
    }

    /// The distributions with their names, those that the file has.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &[FioShare])> {
        let all = [
            ("depth", &self.depths),
            ("submit", &self.submits),
            ("complete", &self.completes),
            ("latency", &self.latencies),
        ];
        all.into_iter()
            .filter(|(_, shares)| !shares.is_empty())
            .map(|(name, shares)| (name, shares.as_slice()))
    }
}

/// A rate as fio sampled it, each half second for each job. Of a group, the values are the sums of those of its jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FioSpread {
    /// Smallest.
    pub min: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
    /// Mean.
    pub mean: Option<f64>,
    /// Standard deviation.
    pub stddev: Option<f64>,
    /// Samples.
    pub n: Option<u64>,
    /// Per cent of the bandwidth of the group.
    pub group_percent: Option<f64>,
}

impl FioSpread {
    /// `None` where fio took no sample: it writes zeros then.
    pub(super) fn if_measured(self) -> Option<FioSpread> {
        (self.n != Some(0) && self.max.is_some_and(|max| max > 0.0)).then_some(self)
    }
}

/// What the kernel counted on a disk while fio ran.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioDisk {
    /// Its name.
    pub name: String,
    /// Reads.
    pub reads: FioDiskSide,
    /// Writes.
    pub writes: FioDiskSide,
    /// Time with I/Os in the queue, each I/O counted, ms.
    pub queue_ms: Option<u64>,
    /// Per cent of the time in which it was not idle.
    pub busy_percent: Option<f64>,
}

/// Reads or writes of a disk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FioDiskSide {
    /// Requests that it completed.
    pub ios: Option<u64>,
    /// Requests that were merged into others.
    pub merges: Option<u64>,
    /// Time of all requests, ms.
    pub ticks_ms: Option<u64>,
}
