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
    /// How the search for that depth ended; `None` where no target is asked.
    pub search: Option<LatencySearch>,
    /// Latency to keep, ns; 0 where none is asked.
    pub target_ns: u64,
    /// Percent of the I/Os that must keep it.
    pub percentile: f64,
    /// Time over which it must hold, µs.
    pub window_us: u64,
}

/// How a search for the depth that keeps a latency ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatencySearch {
    /// The largest depth that keeps the target was found.
    Kept,
    /// Not even one I/O at a time keeps it.
    NeverKept,
    /// The job ended, or its time was over, before the search was.
    Unfinished,
}

impl LatencyGoalFigures {
    /// Of a row.
    pub fn of(row: &Row<'_>) -> Self {
        let last = row.members.last().expect("a row has at least one clone");
        let job = &last.planned.job;
        let target_ns = job.get(&key::LATENCY_TARGET).0;
        let asked = last.planned.depth.asked;
        let (depth, search) = match target_ns {
            0 => (asked, None),
            _ => found(last.outcome.as_ref()),
        };
        LatencyGoalFigures {
            depth,
            search,
            target_ns,
            percentile: job.get(&key::LATENCY_PERCENTILE),
            window_us: job.get(&key::LATENCY_WINDOW).0 / 1_000,
        }
    }
}

/// The depth that a search found, which is the number with which its note begins, and how the search ended. A search begins
/// at 1 and stays there where no depth keeps the target.
fn found(outcome: Option<&JobOutcome>) -> (u32, Option<LatencySearch>) {
    let notes = outcome.map(|outcome| outcome.notes.as_slice()).unwrap_or_default();
    let Some((_, note)) = notes.iter().find(|(name, _)| name == DEPTH_FOUND) else {
        return (1, Some(LatencySearch::Unfinished));
    };
    let digits = note.bytes().take_while(u8::is_ascii_digit).count();
    let search = match digits {
        0 => LatencySearch::NeverKept,
        all if all == note.len() => LatencySearch::Kept,
        _ => LatencySearch::Unfinished,
    };
    (note[..digits].parse().unwrap_or(1), Some(search))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_job::direction::PerDirection;
    use fathom_results::{EndedBy, Usage};

    fn noted(value: &str) -> (u32, Option<LatencySearch>) {
        found(Some(&JobOutcome {
            verification: None,
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
        use LatencySearch::{Kept, NeverKept, Unfinished};
        let cases = [
            ("10", 10, Kept),
            ("4, when the time was over", 4, Unfinished),
            ("6 when the job ended", 6, Unfinished),
            ("none: not even one I/O at a time keeps it", 1, NeverKept),
        ];
        for (note, depth, search) in cases {
            assert_eq!(noted(note), (depth, Some(search)), "{note}");
        }
        assert_eq!(found(None), (1, Some(Unfinished)), "a worker that never came to an end");
    }
}
