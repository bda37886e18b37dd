//! What a search looks for, and which value it measures next.

use super::ValueFigures;
use crate::suite::KNEE_SHARE;
use fathom_figures::metric::{METRICS, Metric};
use fathom_job::parse::read_time;
use fathom_results::procedure::RoundFigures;
use std::fmt;
use std::str::FromStr;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SearchGoal {
    /// The least value that reaches 95 % of the most rate (contract I-29, I-51).
    Knee,
    /// The highest value whose latency is within a limit.
    MostUnder {
        /// Which latency.
        figure: LatencyFigure,
        /// The limit, ns.
        limit_ns: u64,
    },
}

/// A latency that is limited: the mean, a percentile or the longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencyFigure(&'static Metric);

impl LatencyFigure {
    /// What rounds have, in the order of the catalogue.
    fn all() -> impl Iterator<Item = LatencyFigure> {
        METRICS.iter().filter(|it| it.is_latency() && !it.suite_name().is_empty()).map(LatencyFigure)
    }

    /// The one of this name.
    fn of_name(name: &str) -> Option<LatencyFigure> {
        LatencyFigure::all().find(|figure| figure.name() == name)
    }

    /// Its name: `p99`.
    pub fn name(self) -> &'static str {
        self.0.title
    }

    /// Its value, ns.
    pub fn of(self, figures: &RoundFigures) -> Option<f64> {
        self.0.of_round(figures)
    }
}

impl FromStr for SearchGoal {
    type Err = String;

    /// Reads `knee` and `p99<=1ms`; `p99=1ms` is the same, and needs no quotes in a shell.
    ///
    /// # Errors
    /// One sentence that says what can be written.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            let names: Vec<&str> = LatencyFigure::all().map(LatencyFigure::name).collect();
            let there_are = names.join(", ");
            format!("{text:?} is neither knee nor a latency limit such as p99<=1ms; there are {there_are}")
        };
        if text.trim() == "knee" {
            return Ok(SearchGoal::Knee);
        }
        let (name, limit) =
            ["<=", "<", "="].iter().find_map(|sign| text.split_once(sign)).ok_or_else(wrong)?;
        let figure = LatencyFigure::of_name(name.trim()).ok_or_else(wrong)?;
        // A number without a unit could be anything.
        let has_unit = limit.trim().ends_with(|c: char| c.is_ascii_alphabetic());
        let limit_ns = read_time(limit.trim(), true).ok().filter(|_| has_unit).ok_or_else(wrong)?.0;
        // A limit is kept in whole microseconds.
        if !limit_ns.is_multiple_of(1_000) || limit_ns == 0 {
            Err(wrong())
        } else {
            Ok(SearchGoal::MostUnder { figure, limit_ns })
        }
    }
}

impl fmt::Display for SearchGoal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchGoal::Knee => f.write_str("knee"),
            SearchGoal::MostUnder { figure, limit_ns } => {
                write!(f, "{}<={}us", figure.name(), limit_ns / 1_000)
            }
        }
    }
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchFound {
    /// The value at this place is it.
    At(usize),
    /// Already the lowest value is above the limit.
    NoneIsWithin,
    /// The highest value is still within the limit: a higher one may be, too.
    AllAreWithin,
    /// The rate still rises at the highest value: there is no plateau, so there is no knee.
    StillRises,
    /// With the value at this place a job could not have the queue depth that it asks for, so the values measure the same.
    DepthNotReached(usize),
}

impl SearchGoal {
    /// The place of the value that is measured next; `Err` with what was found, where nothing is left to measure.
    pub fn next(self, measured: &[Option<ValueFigures>]) -> Result<usize, SearchFound> {
        let last = measured.len() - 1;
        if let Some(place) = unreached(measured) {
            return Err(SearchFound::DepthNotReached(place));
        }
        match self {
            _ if measured[0].is_none() => Ok(0),
            _ if measured[last].is_none() => Ok(last),
            SearchGoal::MostUnder { limit_ns, .. } => {
                let is_within = |one: &ValueFigures| one.limited_ns <= limit_ns as f64;
                let (low, high) = between(measured, is_within);
                match (low, high) {
                    (None, _) => Err(SearchFound::NoneIsWithin),
                    (Some(_), None) => Err(SearchFound::AllAreWithin),
                    (Some(low), Some(high)) => halved(low, high).ok_or(SearchFound::At(low)),
                }
            }
            SearchGoal::Knee => {
                let most = measured.iter().flatten().map(|one| one.iops).fold(0.0, f64::max);
                let is_below = |one: &ValueFigures| one.iops < KNEE_SHARE * most;
                let (low, high) = between(measured, is_below);
                // The lowest value may be as fast as the highest because there is a peak between them.
                let middle = last / 2;
                match (low, high) {
                    (None, _) if measured[middle].is_none() => Ok(middle),
                    (None, _) => Err(SearchFound::At(0)),
                    // The most rate is never below itself.
                    (Some(_), None) => Err(SearchFound::StillRises),
                    (Some(low), Some(high)) => halved(low, high).ok_or(if high == last {
                        SearchFound::StillRises
                    } else {
                        SearchFound::At(high)
                    }),
                }
            }
        }
    }
}

/// The first value with which a job could not have the queue depth that is varied.
fn unreached(measured: &[Option<ValueFigures>]) -> Option<usize> {
    measured.iter().position(|one| one.is_some_and(|one| one.reachable.is_some()))
}

/// The last value of those from the lowest on for which all that were measured hold, and the first for which it does not hold.
fn between(
    measured: &[Option<ValueFigures>],
    holds: impl Fn(&ValueFigures) -> bool,
) -> (Option<usize>, Option<usize>) {
    let known = measured.iter().enumerate().filter_map(|(place, one)| Some((place, one.as_ref()?)));
    let first_not = known.clone().find(|(_, one)| !holds(one)).map(|(place, _)| place);
    let low = known
        .take_while(|(place, _)| first_not.is_none_or(|not| *place < not))
        .last()
        .map(|(place, _)| place);
    (low, first_not)
}

/// The value in the middle; `None` of neighbours.
fn halved(low: usize, high: usize) -> Option<usize> {
    (high - low > 1).then(|| low + (high - low) / 2)
}
