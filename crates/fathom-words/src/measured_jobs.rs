//! How many jobs there were, how long each was measured, and in which order, in words.

use crate::incomplete;
use fathom_results::answer::{
    CutJob, JobOrder, MeasuredJobs, StageJobs, StandardPurge, StandardRounds, SuiteOrigin, SuiteRounds,
    TimeSpan,
};
use fathom_text::quantity::{bytes, rounded_time};
use fathom_text::words::counted;

/// Jobs that were cut and are named one by one.
const NAMES_MAX: usize = 2;

/// The longest list of the jobs of each stage: half a line of 80 columns.
const NAMED_MAX: usize = 40;

/// `6 jobs of 10 s, one after the other`; `1 job of 2 s after a ramp of 1 s`; `1 of 3 jobs of 2 s` where the others did no
/// I/O. Of a run that was cut short: `interrupted (SIGINT): 2 of 6 jobs are complete, of 10 s; rand-read-iops was cut after 3.2 s`.
pub fn whole(jobs: &MeasuredJobs) -> String {
    match jobs {
        MeasuredJobs::Run { jobs, of, time, ramp_ns_max, ramps_differ, order } => {
            let count = counted_of(*jobs, *of);
            format!("{count} of {}{}{}", long(*time), ramp(*ramp_ns_max, *ramps_differ), in_order(order))
        }
        MeasuredJobs::Cut { why, complete, of, time, cut } => {
            let why = why.as_ref().map(|why| format!("{}: ", incomplete(why))).unwrap_or_default();
            let are = if *complete == 1 { "is" } else { "are" };
            let long = time.map(|time| format!(", of {}", long(time))).unwrap_or_default();
            format!("{why}{complete} of {of} jobs {are} complete{long}{}", self::cut(cut))
        }
        MeasuredJobs::Rounds { each, workload, written_bytes, laid_out_bytes } => {
            let workload = if workload.is_empty() { String::new() } else { format!(": {workload}") };
            let written = written(*written_bytes, *laid_out_bytes);
            format!("{}, in each round{workload}{written}", whole(each))
        }
        MeasuredJobs::Values { measured, of, option, first } => {
            let first = first.as_deref().map(whole).unwrap_or_default();
            format!("{} of {of} of {option} measured; the first: {first}", counted(*measured, "value"))
        }
        MeasuredJobs::Suite(rounds) => suite(rounds),
        MeasuredJobs::SuiteCells { suite, cells } => {
            format!("{} of the suite {suite}", counted(*cells, "cell"))
        }
        MeasuredJobs::Standard(rounds) => standard(rounds),
    }
}

/// The same of the jobs of a procedure, without what is the same in every one: its jobs run one after the other.
pub fn of_procedure(jobs: &MeasuredJobs) -> String {
    match jobs {
        MeasuredJobs::Run { jobs, of, time, ramp_ns_max, order: JobOrder::InTurn, .. } => {
            let count = counted_of(*jobs, *of);
            format!("{count} of {}, ramp {}", long(*time), rounded_time(*ramp_ns_max))
        }
        other => whole(other),
    }
}

/// `6 jobs`; `1 of 3 jobs`.
fn counted_of(jobs: u64, of: u64) -> String {
    if jobs == of { counted(of, "job") } else { format!("{jobs} of {of} jobs") }
}

/// What was written by all rounds, and how much of it only to lay out files.
fn written(all: u64, laid_out: u64) -> String {
    let (bytes_of_all, of_it) = (bytes(all as f64), bytes(laid_out as f64));
    match (all > 0, laid_out > 0) {
        (false, _) => String::new(),
        (true, false) => format!("; wrote {bytes_of_all} in all"),
        (true, true) => format!("; wrote {bytes_of_all} in all ({of_it} of it to lay out files)"),
    }
}

fn cut(cut: &[CutJob]) -> String {
    let each = cut.iter().map(|cut| {
        let how = if cut.has_failed { "failed" } else { "was cut" };
        format!("{} {how} after {}", cut.job, rounded_time(cut.after_ns))
    });
    match cut.len() {
        0 => String::new(),
        1..=NAMES_MAX => format!("; {}", each.collect::<Vec<_>>().join("; ")),
        n => format!("; {n} were cut"),
    }
}

/// The time that each was measured: `10 s`, `10 s to 12 s`.
fn long(time: TimeSpan) -> String {
    match (rounded_time(time.shortest_ns), rounded_time(time.longest_ns)) {
        (low, high) if low == high => low,
        (low, high) => format!("{low} to {high}"),
    }
}

/// ` after a ramp of 1 s`; of jobs with different ramps, the longest.
fn ramp(longest_ns: u64, differ: bool) -> String {
    match (longest_ns, differ) {
        (0, _) => String::new(),
        (longest, false) => format!(" after a ramp of {}", rounded_time(longest)),
        (longest, true) => format!(" after ramps of up to {}", rounded_time(longest)),
    }
}

const fn partly(is_partly: bool) -> &'static str {
    if is_partly { "partly " } else { "" }
}

fn in_order(order: &JobOrder) -> String {
    match order {
        JobOrder::Single => String::new(),
        JobOrder::SameTime { is_partly } => format!(", {}at the same time", partly(*is_partly)),
        JobOrder::InTurn => ", one after the other".to_owned(),
        JobOrder::Stages { stages, jobs } => match by_name(jobs) {
            names if !names.is_empty() && names.chars().count() <= NAMED_MAX => format!(": {names}"),
            _ => format!(", in {stages} stages"),
        },
    }
}

/// `load, then pages and log together`.
fn by_name(stages: &[StageJobs]) -> String {
    let of_stage = |stage: &StageJobs| match stage.names.as_slice() {
        [only] => only.clone(),
        names => format!("{} {}together", names.join(" and "), partly(stage.is_partly)),
    };
    stages.iter().map(of_stage).collect::<Vec<_>>().join(", then ")
}

fn suite(rounds: &SuiteRounds) -> String {
    let SuiteRounds { suite, title, source, kind, steps, .. } = rounds;
    let so_far =
        steps.map(|part| format!(", {} of {} steps so far", part.times, part.of)).unwrap_or_default();
    let rounds = counted(rounds.rounds, "round");
    match kind {
        SuiteOrigin::Own => format!("{title}: {rounds}{so_far}; {source}"),
        SuiteOrigin::Guide => format!("suite {suite}: {title}; {rounds}{so_far}; after {source}"),
        SuiteOrigin::Shape => format!(
            "suite {suite}: {title}; {rounds}{so_far}; a shape, and no result of the application's own benchmark, from {source}"
        ),
    }
}

fn standard(rounds: &StandardRounds) -> String {
    let demand = match &rounds.demand {
        None => String::new(),
        Some(demand) => {
            let tests = if demand.tests.is_empty() {
                String::new()
            } else {
                format!(" in {}", demand.tests.join(", "))
            };
            format!("TC {} / QD {}{tests}, ", demand.workers, demand.depth)
        }
    };
    let purged = match rounds.purged {
        StandardPurge::BeforeEach => "purged before each test",
        StandardPurge::Not => "NOT purged",
        StandardPurge::NotAsked => "neither purged nor filled",
    };
    let counts = [(rounds.fill_rounds, "fill round"), (rounds.test_rounds, "test round")];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, of)| counted(count, of)).collect();
    format!(
        "{}: {}; {demand}{} % of the device; {purged}; {}",
        rounds.standard,
        rounds.tests.join(", "),
        rounds.active_percent,
        counts.join(" and ")
    )
}
