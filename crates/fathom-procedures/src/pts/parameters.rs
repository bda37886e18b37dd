//! What the header of a test says beside its stimulus: the time of each cell, and how long its preconditioning took.

use super::phase::{Fixed, Loop, TestPhase};
use super::reported::Reported;
use super::segment::Segment;
use super::taken::Taken;
use super::test::PtsTest;
use fathom_job::units::Nanos;
use fathom_results::procedure::StepRecord;
use fathom_text::quantity::bytes;
use fathom_text::words::counted;

/// Name and text of each.
pub fn parameters(test: &PtsTest, of: &Reported<'_>) -> Vec<(String, String)> {
    let phases = (test.phases)(of.terms);
    let told = |name: &str, each: &dyn Fn(&TestPhase) -> Option<String>| {
        let all: Vec<String> = phases.iter().filter_map(each).collect();
        (!all.is_empty()).then(|| (name.to_owned(), all.join("; ")))
    };
    let all = [
        told("Preconditioning 1 (WIPC)", &|phase| filled(phase, of)),
        told("Preconditioning 2 (WDPC)", &|phase| settled(phase, of)),
        cells(&phases, of).map(|text| ("Time of the cells".to_owned(), text)),
    ];
    all.into_iter().flatten().collect()
}

/// `iops-fill: 7.50 GB in 34 rounds, 1.04 h`.
fn filled(phase: &TestPhase, of: &Reported<'_>) -> Option<String> {
    let TestPhase::Fill { cell, .. } = phase else { return None };
    let (rounds, written) = (of.taken.rounds(cell).len(), bytes(of.taken.bytes(cell)));
    Some(match rounds {
        0 => format!("{cell}: not begun"),
        rounds => format!("{cell}: {written} in {}, {}", counted(rounds as u64, "round"), time(of, cell)),
    })
}

/// `iops-round: 5 rounds, 4.67 h`: the rounds that write until steady state.
fn settled(phase: &TestPhase, of: &Reported<'_>) -> Option<String> {
    let TestPhase::Loop(Loop { until, .. }) = phase else { return None };
    let rounds = of.taken.rounds(&until.cell).len() as u64;
    // Write saturation is not preconditioned: its rounds begin on an empty device.
    (!until.tracked.is_empty() && until.written_max.is_none() && rounds > 0)
        .then(|| format!("{}: {}, {}", until.cell, counted(rounds, "round"), time(of, &until.cell)))
}

fn time(of: &Reported<'_>, cell: &str) -> String {
    let seconds: f64 = of.taken.rounds(cell).iter().map(|(round, _)| round.whole.seconds).sum();
    Nanos((seconds * 1e9) as u64).to_string()
}

/// `iops-round: 56 × 60 s`; rounds of the same cells stand together.
fn cells(phases: &[TestPhase], of: &Reported<'_>) -> Option<String> {
    let mut all: Vec<(Vec<&str>, String)> = Vec::new();
    for phase in phases {
        let (cell, segments) = match phase {
            TestPhase::Loop(Loop { until, segments }) => (until.cell.as_str(), segments),
            TestPhase::Fixed(Fixed { cell, segments, .. }) => (cell.as_str(), segments),
            TestPhase::Purge | TestPhase::Fill { .. } => continue,
        };
        // What a round does may follow from those before: here it is what the first does.
        let is_of_it = |step: &&StepRecord| step.round().is_some_and(|round| round.cell == cell);
        let steps = of.taken.steps.iter().copied().take_while(|step| !is_of_it(step)).collect();
        let told = times(&segments(of.terms, &Taken { steps }));
        match all.iter_mut().find(|(_, known)| *known == told) {
            Some((cells, _)) => cells.push(cell),
            None => all.push((vec![cell], told)),
        }
    }
    let told: Vec<String> = all.iter().map(|(cells, told)| format!("{}: {told}", cells.join(", "))).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// `5 min, 49 × 60 s`; `30 × 5 s, each after 10 s without I/O`.
fn times(segments: &[Segment]) -> String {
    let is_alike = |a: &Segment, b: &Segment| (a.ms, a.idle_ms) == (b.ms, b.idle_ms);
    let told = |alike: &[Segment]| {
        let milliseconds = |ms: u64| Nanos(ms.saturating_mul(1_000_000)).to_string();
        let times = if alike.len() > 1 { format!("{} × ", alike.len()) } else { String::new() };
        let rest = match alike[0].idle_ms {
            0 => String::new(),
            ms => format!(", each after {} without I/O", milliseconds(ms)),
        };
        format!("{times}{}{rest}", milliseconds(alike[0].ms))
    };
    segments.chunk_by(is_alike).map(told).collect::<Vec<_>>().join(", ")
}
