//! Steady state as the end of a job: fio's `steadystate=` and what belongs to it.
//!
//! This is what the options ask (`SteadyState::of` is in the plan, which reads them); what judges the seconds is `fathom_judge::steady`.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The value of `steadystate=`: which figure must be steady, how that is tested, and the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyTerms {
    /// The figure that is judged.
    pub figure: SteadyFigure,
    /// What is computed of its values.
    pub test: SteadyTest,
    /// It must be below this.
    pub limit: SteadyLimit,
}

/// A figure of a second in which steady state is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SteadyFigure {
    /// I/Os per second.
    Iops,
    /// Bytes per second.
    Bw,
    /// Mean completion latency, ns.
    Lat,
}

/// What is computed of the values of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyTest {
    /// The largest distance of a value from their mean.
    Deviation,
    /// The slope of the least-squares line, from one value to the next.
    Slope,
}

/// The limit that a test must stay below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SteadyLimit {
    /// Percent of the mean.
    Percent(f64),
    /// In the unit of the figure: I/Os per second, bytes per second, ns.
    Absolute(f64),
}

/// When a job is steady: all that its options say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyState {
    /// The test.
    pub terms: SteadyTerms,
    /// Length of the window, whole seconds (`steadystate_duration`).
    pub window_s: u64,
    /// Time of one value of the window, whole seconds (`steadystate_check_interval`).
    pub interval_s: u64,
    /// Measured seconds before the first value (`steadystate_ramp_time`), rounded up.
    pub ramp_s: u64,
}

impl SteadyTerms {
    /// Every figure and test, with its word.
    pub const WORDS: [(&str, SteadyFigure, SteadyTest); 6] = [
        ("iops", SteadyFigure::Iops, SteadyTest::Deviation),
        ("iops_slope", SteadyFigure::Iops, SteadyTest::Slope),
        ("bw", SteadyFigure::Bw, SteadyTest::Deviation),
        ("bw_slope", SteadyFigure::Bw, SteadyTest::Slope),
        ("lat", SteadyFigure::Lat, SteadyTest::Deviation),
        ("lat_slope", SteadyFigure::Lat, SteadyTest::Slope),
    ];

    /// fio's word for figure and test.
    pub fn word(&self) -> &'static str {
        let finding =
            Self::WORDS.iter().find(|(_, figure, test)| (*figure, *test) == (self.figure, self.test));
        finding.map_or("iops", |(word, ..)| *word)
    }
}

/// As a job file has it. A latency gets its unit, because a bare number counts microseconds there.
impl fmt::Display for SteadyTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.word();
        match self.limit {
            SteadyLimit::Percent(limit) => write!(f, "{word}:{limit}%"),
            SteadyLimit::Absolute(limit) if self.figure == SteadyFigure::Lat => {
                write!(f, "{word}:{}us", limit / 1e3)
            }
            SteadyLimit::Absolute(limit) => write!(f, "{word}:{limit}"),
        }
    }
}

impl SteadyState {
    /// Values in a full window.
    pub fn values(&self) -> usize {
        usize::try_from(self.window_s / self.interval_s).unwrap_or(usize::MAX)
    }
}
