//! How many jobs there were, how long each was measured, and whether they ran together; of a run that was cut short, first
//! how many are complete.

use crate::case::Case;
use crate::cell::Cell;
use fathom_results::answer::{CutJob, JobOrder, MeasuredJobs, StageJobs, TimeSpan};
use fathom_results::{EndedBy, JobOutcome, JobResult, Phase};

/// `None` where nothing was measured.
pub(super) fn jobs(case: &Case<'_>) -> Option<MeasuredJobs> {
    let busy: Vec<&Cell<'_>> = case.cells.iter().filter(|cell| cell.ios() > 0).collect();
    match busy.is_empty() || case.cells.iter().all(is_complete) {
        true => complete(case, &busy),
        false => Some(cut(case, &busy)),
    }
}

/// Did each of its clones end by a rule of its own?
fn is_complete(cell: &Cell<'_>) -> bool {
    let is_own = |end: &JobOutcome| {
        end.failure.is_none() && !matches!(end.ended_by, EndedBy::Interrupt | EndedBy::Error)
    };
    cell.members.iter().all(|member| member.outcome.as_ref().is_some_and(is_own))
}

/// What ended the run, how many jobs are complete, and which were cut.
fn cut(case: &Case<'_>, busy: &[&Cell<'_>]) -> MeasuredJobs {
    let (whole, cut): (Vec<&Cell<'_>>, Vec<&Cell<'_>>) = busy.iter().partition(|cell| is_complete(cell));
    let of_cut = |cell: &&Cell<'_>| CutJob {
        job: cell.name().to_owned(),
        has_failed: cell.failure().is_some(),
        after_ns: cell.runtime_ns(),
    };
    // A failure is in the place of the result.
    let has_failed = case.cells.iter().any(|cell| cell.failure().is_some());
    MeasuredJobs::Cut {
        why: case.run.incomplete.clone().filter(|_| !has_failed),
        complete: whole.len() as u64,
        of: case.cells.len() as u64,
        time: time(&whole),
        cut: cut.iter().map(of_cut).collect(),
    }
}

/// The time that each was measured.
fn time(cells: &[&Cell<'_>]) -> Option<TimeSpan> {
    Some(TimeSpan {
        shortest_ns: cells.iter().map(|cell| cell.runtime_ns()).min()?,
        longest_ns: cells.iter().map(|cell| cell.runtime_ns()).max()?,
    })
}

fn complete(case: &Case<'_>, busy: &[&Cell<'_>]) -> Option<MeasuredJobs> {
    let ramps = || busy.iter().map(|cell| cell.planned().ramp);
    let longest = ramps().max()?;
    Some(MeasuredJobs::Run {
        jobs: busy.len() as u64,
        // A load on a CPU has no I/O by its nature.
        of: case.cells.iter().filter(|cell| cell.ios() > 0 || !cell.planned().burns_cpu()).count() as u64,
        time: time(busy)?,
        ramp_ns_max: longest.0,
        ramps_differ: ramps().any(|ramp| ramp != longest),
        order: order(&turns(busy)),
    })
}

/// So many jobs of a run in stages are named.
const NAMES_MAX: usize = 16;

/// Figures of jobs add up only where they ran at the same time.
fn order(turns: &[Turn<'_>]) -> JobOrder {
    let names = |turn: &Turn<'_>| StageJobs {
        names: turn.cells.iter().map(|cell| cell.name().to_owned()).collect(),
        is_partly: turn.is_partly(),
    };
    match turns {
        [turn] if turn.cells.len() == 1 => JobOrder::Single,
        [turn] => JobOrder::SameTime { is_partly: turn.is_partly() },
        turns if turns.iter().all(|turn| turn.cells.len() == 1) => JobOrder::InTurn,
        turns => {
            let all: usize = turns.iter().map(|turn| turn.cells.len()).sum();
            let named = if all <= NAMES_MAX { turns } else { &[] };
            JobOrder::Stages { stages: turns.len() as u64, jobs: named.iter().map(names).collect() }
        }
    }
}

/// Jobs that ran at the same time, at least in part.
struct Turn<'a> {
    cells: Vec<&'a Cell<'a>>,
    /// The latest start of what was measured and the earliest end, ns.
    common: (u64, u64),
    /// The last end, ns.
    end: u64,
    /// The shortest measured window, ns.
    shortest: u64,
}

/// Jobs of which all measured together for at least this share of the shortest of them ran at the same time.
const COMMON_MIN: f64 = 0.9;
/// A job that ran together with others for at most this share of its time came after them.
const APART_MAX: f64 = 0.05;

impl<'a> Turn<'a> {
    fn of(cell: &'a Cell<'a>) -> Self {
        let (from, to) = window(cell);
        Turn { cells: vec![cell], common: (from, to), end: to, shortest: to - from }
    }

    /// Takes a job that starts no earlier than all others of this turn, if it began before their end.
    fn takes(&mut self, cell: &'a Cell<'a>) -> bool {
        let (from, to) = window(cell);
        let begun = began(cell);
        let together = self.end.min(to).saturating_sub(begun);
        let is_after = together as f64 <= APART_MAX * (to - begun) as f64;
        let is_of_stage = self.cells.iter().all(|other| other.planned().stage == cell.planned().stage);
        if is_after || !is_of_stage {
            return false;
        }
        self.cells.push(cell);
        self.common = (self.common.0.max(from), self.common.1.min(to));
        (self.end, self.shortest) = (self.end.max(to), self.shortest.min(to - from));
        true
    }

    /// Did they not all measure for the whole time of the shortest?
    fn is_partly(&self) -> bool {
        let common = self.common.1.saturating_sub(self.common.0);
        (common as f64) < COMMON_MIN * self.shortest as f64
    }
}

/// Start and end of what a job measured, ns since the start of the run.
fn window(cell: &Cell<'_>) -> (u64, u64) {
    cell.window_ns().unwrap_or_default()
}

/// Start of its first ramp, ns since the start of the run: a job loads its target from then on. Preparation, such as laying out a
/// file, is not part of it.
fn began(cell: &Cell<'_>) -> u64 {
    let of = |member: &JobResult| {
        let ramp = member.series.iter().find(|point| point.phase == Phase::Ramp);
        ramp.map(|point| point.start_ns).into_iter().chain(member.measured_from_ns()).min()
    };
    cell.members.iter().filter_map(of).min().unwrap_or_default()
}

/// The jobs in the order in which they began. Without a stage or a wait between them, jobs start together.
fn turns<'a>(busy: &[&'a Cell<'a>]) -> Vec<Turn<'a>> {
    let mut cells = busy.to_vec();
    cells.sort_by_key(|cell| (cell.planned().stage, began(cell)));
    let mut turns: Vec<Turn<'a>> = Vec::new();
    for cell in cells {
        if !turns.last_mut().is_some_and(|turn| turn.takes(cell)) {
            turns.push(Turn::of(cell));
        }
    }
    turns
}
