//! `latency_target` and its companions, as fio's formats show them.
//!
//! fio 3.33 gives the target in nanoseconds and the window in microseconds, as the job sets them,
//! also where only one of them is set. Its depth is the one that the search holds at the end, and
//! `iodepth` where nothing is searched. Of several clones in one row, the last one is shown.

use crate::row::Row;
use fathom_job::options as key;
use fathom_results::JobOutcome;
use fathom_results::outcome::DEPTH_FOUND;

/// What fio prints of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyGoalFigures {
    /// I/Os in flight: found, or asked for.
    pub depth: u32,
    /// Latency to keep, ns; 0 where none is asked.
    pub target_ns: u64,
    /// Percent of the I/Os that must keep it.
    pub percentile: f64,
    /// Time over which it must hold, µs.
    pub window_us: u64,
}

impl LatencyGoalFigures {
    /// Of a row.
    pub fn of(row: &Row<'_>) -> Self {
        let last = row.members.last().expect("a row has at least one clone");
        let job = &last.planned.job;
        let target_ns = job.get(&key::LATENCY_TARGET).0;
        let asked = last.planned.depth.asked;
        LatencyGoalFigures {
            depth: if target_ns > 0 { found(last.outcome.as_ref()) } else { asked },
            target_ns,
            percentile: job.get(&key::LATENCY_PERCENTILE),
            window_us: job.get(&key::LATENCY_WINDOW).0 / 1_000,
        }
    }
}

/// The depth that a search found: the number with which its note begins. A
/// search begins at 1 and stays there where no depth keeps the target.
fn found(outcome: Option<&JobOutcome>) -> u32 {
    let notes = outcome.map(|outcome| outcome.notes.as_slice()).unwrap_or_default();
    let note = notes.iter().find(|(name, _)| name == DEPTH_FOUND).map(|(_, value)| value.as_str());
    let digits = note.and_then(|value| value.split(|c: char| !c.is_ascii_digit()).next());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_job::direction::PerDirection;
    use fathom_results::{EndedBy, Usage};

    fn noted(value: &str) -> u32 {
        found(Some(&JobOutcome {
            job: 0,
            at_ns: 0,
            ended_by: EndedBy::Time,
            failure: None,
            first_error: None,
            measured_ns: None,
            usage: Usage::default(),
            layout_bytes: 0,
            sizes: PerDirection::default(),
            notes: vec![("engine".to_owned(), "9".to_owned()), (DEPTH_FOUND.to_owned(), value.to_owned())],
        }))
    }

    #[test]
    fn a_note_begins_with_the_depth() {
        let cases = [
            ("10", 10),
            ("4, when the time was over", 4),
            ("6 when the job ended", 6),
            ("none: not even one I/O at a time keeps it", 1),
        ];
        for (note, depth) in cases {
            assert_eq!(noted(note), depth, "{note}");
        }
        assert_eq!(found(None), 1, "a worker that never came to an end");
    }
}
