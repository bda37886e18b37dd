//! When the rounds of a test end: the tracking variables, and the limits.

use fathom_results::answer::JudgedFigure;

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
    pub quantity: JudgedFigure,
}

/// The unit of a tracked figure in the report.
pub const fn unit(figure: JudgedFigure) -> &'static str {
    match figure {
        JudgedFigure::Iops => "IOPS",
        JudgedFigure::Bandwidth => "MB/s",
        JudgedFigure::Latency => "ms",
    }
}
