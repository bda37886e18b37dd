//! How many jobs there were, how long each was measured, and whether they ran together; of a run that was cut short, first
//! how many are complete.

use crate::case::Case;
use crate::cell::Cell;
use fathom_job::units::Nanos;
use fathom_results::{EndedBy, JobOutcome, JobResult, Phase};

/// `6 jobs of 10 s, one after the other`; `1 job of 2 s after a ramp of 1 s`; `1 of 3 jobs of 2 s` where the others did no
/// I/O. `None` where nothing was measured. Of a run that was cut short: `interrupted (SIGINT): 2 of 6 jobs are complete, of
/// 10 s; rand-read-iops was cut after 3.2 s`.
pub(super) fn jobs(case: &Case<'_>) -> Option<String> {
    let busy: Vec<&Cell<'_>> = case.cells.iter().filter(|cell| cell.ios() > 0).collect();
    match busy.is_empty() || case.cells.iter().all(is_complete) {
        true => told(case, &busy),
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

/// Jobs that were cut and are named one by one.
const NAMES_MAX: usize = 2;

/// What ended the run, how many jobs are complete, and which were cut.
fn cut(case: &Case<'_>, busy: &[&Cell<'_>]) -> String {
    let (whole, cut): (Vec<&Cell<'_>>, Vec<&Cell<'_>>) = busy.iter().partition(|cell| is_complete(cell));
    let (n, all) = (whole.len(), case.cells.len());
    let are = if n == 1 { "is" } else { "are" };
    let of = long(&whole).map(|long| format!(", of {long}")).unwrap_or_default();
    let each = cut.iter().map(|cell| (cell, if cell.failure().is_some() { "failed" } else { "was cut" }));
    let each = each.map(|(cell, how)| format!("{} {how} after {}", cell.name(), rounded(cell.runtime_ns())));
    let cut = match cut.len() {
        0 => String::new(),
        1..=NAMES_MAX => format!("; {}", each.collect::<Vec<_>>().join("; ")),
        n => format!("; {n} were cut"),
    };
    // A failure is told in the place of the result.
    let has_failed = case.cells.iter().any(|cell| cell.failure().is_some());
    let why = case.run.incomplete.as_ref().filter(|_| !has_failed);
    let why = why.map(|why| format!("{why}: ")).unwrap_or_default();
    format!("{why}{n} of {all} jobs {are} complete{of}{cut}")
}

/// The time that each was measured: `10 s`, `10 s to 12 s`.
fn long(cells: &[&Cell<'_>]) -> Option<String> {
    let shortest = cells.iter().map(|cell| cell.runtime_ns()).min()?;
    let longest = cells.iter().map(|cell| cell.runtime_ns()).max()?;
    Some(match (rounded(shortest), rounded(longest)) {
        (low, high) if low == high => low,
        (low, high) => format!("{low} to {high}"),
    })
}

fn told(case: &Case<'_>, busy: &[&Cell<'_>]) -> Option<String> {
    let turns = turns(busy);
    let long = long(busy)? + &ramp(busy.iter().map(|cell| cell.planned().ramp));
    let count = match (busy.len(), case.cells.len()) {
        (1, 1) => "1 job".to_owned(),
        (n, all) if n == all => format!("{n} jobs"),
        (n, all) => format!("{n} of {all} jobs"),
    };
    // Figures of jobs add up only where they ran at the same time.
    Some(match turns.as_slice() {
        [turn] if turn.cells.len() == 1 => format!("{count} of {long}"),
        [turn] => format!("{count} of {long}, {}at the same time", turn.partly()),
        turns if turns.iter().all(|turn| turn.cells.len() == 1) => {
            format!("{count} of {long}, one after the other")
        }
        turns => match in_order(turns) {
            short if short.chars().count() <= NAMED_MAX => format!("{count} of {long}: {short}"),
            _ => format!("{count} of {long}, in {} stages", turns.len()),
        },
    })
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

    /// `partly `, where they did not all measure for the whole time of the shortest.
    fn partly(&self) -> &'static str {
        let common = self.common.1.saturating_sub(self.common.0);
        if (common as f64) < COMMON_MIN * self.shortest as f64 { "partly " } else { "" }
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

/// The longest list of the jobs in turns: half a line of 80 columns.
const NAMED_MAX: usize = 40;

/// `load, then pages and log together`.
fn in_order(turns: &[Turn<'_>]) -> String {
    let of_turn = |turn: &Turn<'_>| {
        let names: Vec<&str> = turn.cells.iter().map(|cell| cell.name()).collect();
        match names.len() {
            1 => names[0].to_owned(),
            _ => format!("{} {}together", names.join(" and "), turn.partly()),
        }
    };
    turns.iter().map(of_turn).collect::<Vec<_>>().join(", then ")
}

/// ` after a ramp of 1 s`; of jobs with different ramps, the longest.
fn ramp(ramps: impl Iterator<Item = Nanos> + Clone) -> String {
    let longest = ramps.clone().max().filter(|ramp| ramp.0 > 0);
    let told = |longest: Nanos| match ramps.clone().all(|ramp| ramp == longest) {
        true => format!(" after a ramp of {}", rounded(longest.0)),
        false => format!(" after ramps of up to {}", rounded(longest.0)),
    };
    longest.map(told).unwrap_or_default()
}

/// A time in two or three digits.
pub(super) fn rounded(ns: u64) -> String {
    const SECOND: u64 = 1_000_000_000;
    let step = match ns {
        ns if ns >= 10 * SECOND => SECOND,
        ns if ns >= SECOND * 95 / 100 => SECOND / 10,
        ns => 10_u64.pow(ns.max(1).ilog10().saturating_sub(1)),
    };
    Nanos((ns + step / 2) / step * step).to_string()
}
