//! When the rounds of a test end: the tracking variables, and the limits.

/// The rounds of a loop, and what ends them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Until {
    /// What the rounds are called.
    pub cell: String,
    /// What must be steady in the same window.
    pub tracked: Vec<Tracked>,
    /// They end after so many rounds in any case.
    pub rounds_max: u32,
    /// They end when so many bytes were written.
    pub written_max: Option<u64>,
}

/// A tracking variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// What the report calls it.
    pub name: String,
    /// The segment whose figure it is.
    pub segment: String,
    /// Which figure.
    pub quantity: TrackedQuantity,
}

/// The figure that is tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackedQuantity {
    /// I/Os per second, both directions together.
    Iops,
    /// Bytes per second.
    Bandwidth,
    /// Mean latency.
    LatencyMean,
}

impl TrackedQuantity {
    /// Its unit in the report.
    pub const fn unit(self) -> &'static str {
        match self {
            TrackedQuantity::Iops => "IOPS",
            TrackedQuantity::Bandwidth => "MB/s",
            TrackedQuantity::LatencyMean => "ms",
        }
    }
}
