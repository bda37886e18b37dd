//! What a rule that ends jobs found, such as fio's steady state.

use fathom_job::steady::SteadyFigure;
use serde::{Deserialize, Serialize};

/// Jobs that a rule judged together, and what it found.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopRecord {
    /// Plan ids of the jobs, ascending.
    pub jobs: Vec<u32>,
    /// The rule as it was given: `iops_slope:0.3%`.
    pub rule: String,
    /// Measured seconds until it was met; `None` if it never was.
    pub attained_after_s: Option<u64>,
    /// What fio's rule of steady state saw; absent for other rules.
    pub steady: Option<SteadyWindow>,
    /// What the rule of confident steady state saw; absent for other rules.
    pub settled: Option<SettledFigures>,
}

/// Confident steady state: the mean after the warm-up with its interval, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettledFigures {
    /// The first second that counts: after the warm-up and after the last change of the level.
    pub kept_from_s: u64,
    /// Seconds that had been measured at the last look.
    pub seen_s: u64,
    /// If it has settled, the interval holds the mean of so many further seconds too.
    pub ahead_s: u64,
    /// I/Os per second: the mean from then on or, after a long transition, the level that the rate approaches.
    pub iops: Option<f64>,
    /// The lower end of its interval. If it has settled, the interval holds the mean of the time that follows in 95 % of
    /// runs, although it was looked at several times; else it is that of the mean until then.
    pub iops_low: Option<f64>,
    /// The upper end.
    pub iops_high: Option<f64>,
    /// How many independent values would tell as much.
    pub effective_values: f64,
    /// How often it was looked at.
    pub looks: u32,
    /// Why it has not settled; empty if it has.
    pub against: Vec<NotSettled>,
}

/// Why a series has not settled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum NotSettled {
    /// It was measured for less time than the first look needs.
    NoLook {
        /// That time, s.
        seconds: u64,
    },
    /// There are fewer than twenty values, or some that are no numbers.
    TooShort,
    /// Less than half of it remains after its warm-up.
    WarmUp,
    /// Its last level began at this value, and holds for less than half of the series.
    LevelChanged {
        /// The first value of the last level.
        at: usize,
        /// Seconds of one value; 0 of rounds.
        span_s: u64,
    },
    /// It drifts: if it goes on like that, the mean of the time that follows is another one.
    Drifts {
        /// The forecast less the mean, as a share of the mean.
        change: f64,
        /// The limit of the interval of the forecast that is farther from the mean, in the same way.
        most: f64,
        /// The time that follows, s; 0 of rounds, which have no time of their own.
        ahead_s: u64,
    },
    /// Neighbouring values are so much alike that they are worth fewer than ten independent ones.
    Alike {
        /// How many independent values would tell as much.
        effective_values: f64,
    },
    /// The mean is not known precisely enough.
    Unsure {
        /// The half width of its interval, as a share of it.
        half_width: f64,
        /// How many times the length of the kept part would be needed, as the half width falls with the root
        /// of the length.
        times_longer: f64,
    },
    /// The mean of the kept part is known, and it was not seen for long enough to say that it lasts.
    Short {
        /// How far the mean of the time that follows may be from it, as a share of it.
        most: f64,
        /// How many times the length of the kept part would be needed for a flat series with this noise; absent where no length is
        /// enough.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        times_longer: Option<f64>,
        /// The time that follows, s; 0 of rounds.
        ahead_s: u64,
    },
    /// It was measured for less time than an end needs.
    TooEarly {
        /// Seconds that were measured.
        seconds: u64,
        /// Seconds that are needed.
        needed_s: u64,
    },
    /// Too little of the range was written.
    Uncovered {
        /// Bytes that were written, as a share of the range.
        share: f64,
        /// The share that is needed.
        needed: f64,
    },
}

/// The last window of fio's rule: the values that met it, or the last ones if none did. There are fewer values than
/// `window_s` holds if the jobs ended before it was full.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SteadyWindow {
    /// The figure that was judged.
    pub figure: SteadyFigure,
    /// Its slope was tested, and not its deviation.
    pub is_slope: bool,
    /// The limit, in percent of the mean or in the figure's unit (I/Os per second, bytes per second, ns).
    pub limit: f64,
    /// The limit and the criterion are in percent of the mean.
    pub is_percent: bool,
    /// Length of the window, s.
    pub window_s: u64,
    /// Time of one value, s.
    pub interval_s: u64,
    /// What was compared with the limit; absent if no window was full, or its mean was 0.
    pub criterion: Option<f64>,
    /// The largest distance of a value from the mean, or the slope from value to value, in the figure's unit;
    /// absent as the criterion is.
    pub measured: Option<f64>,
    /// I/Os per second, one for each value, oldest first.
    pub iops: Vec<u64>,
    /// Bytes per second.
    pub bw_bytes: Vec<u64>,
    /// Mean completion latency, ns; 0 where no I/O ended.
    pub lat_ns: Vec<u64>,
}

impl SteadyWindow {
    /// The mean of some of its values, rounded down; 0 where there are none.
    pub fn mean_of(values: &[u64]) -> u64 {
        let sum: u128 = values.iter().map(|value| u128::from(*value)).sum();
        sum.checked_div(values.len() as u128).map_or(0, |mean| mean as u64)
    }
}

impl NotSettled {
    /// Of a series whose values are of so many seconds, and of so many seconds that follow. Else its values are rounds.
    #[must_use]
    pub fn of_seconds(mut self, of_value: u64, following: u64) -> Self {
        match &mut self {
            NotSettled::LevelChanged { span_s, .. } => *span_s = of_value,
            NotSettled::Drifts { ahead_s, .. } | NotSettled::Short { ahead_s, .. } => *ahead_s = following,
            _ => {}
        }
        self
    }
}
