//! Sentences that several reports share.

use fathom_figures::workload::{depth, reads_of_mix};
use fathom_figures::{InFlight, Row, SteadyFigures};
use fathom_job::direction::Direction;
use fathom_job::options::{NUMJOBS, RANDOM_DISTRIBUTION};
use fathom_job::plan::BlockSizes;
use fathom_job::steady::SteadyFigure;
use fathom_job::units::{Bytes, Nanos};
use fathom_job::value::Mix;
use fathom_results::outcome::DRIVE_COUNTER;
use fathom_results::procedure::ProcedureResult;
use fathom_results::{
    Answer, DoubtedRounds, JobOutcome, JobRecord, JobResult, Reason, RunResult, StandardReport, TestReport,
    Unrated, Verdict,
};
use fathom_text::number::{grouped, significant, whole};
use fathom_text::quantity::percent_of;
use fathom_text::words::counted;
use fathom_words::report_part;

/// What the mark beside a percentile means: fewer than [`fathom_figures::TAIL_MIN`] I/Os are beyond it.
pub(crate) const THIN_MEANS: &str = "·: fewer than 10 such I/Os";

/// A main latency of a flow ([`DirectionFigures::main_latencies`](fathom_figures::DirectionFigures::main_latencies)) with fio's name
/// of it: `completion (clat)`, `total (lat)`, `service (lat)`; fio has no `response`.
pub(crate) fn latency_kind(name: &str) -> &str {
    match name {
        "completion" => "completion (clat)",
        "total" => "total (lat)",
        other => other,
    }
}

/// What is shown instead of a rate: `too short`, or of too few I/Os their number, `3 I/Os`.
pub(crate) fn instead_of_rate(unrated: Unrated, ios: u64) -> String {
    match unrated {
        Unrated::TooShort => "too short".to_owned(),
        Unrated::TooFew => counted(ios, "I/O"),
    }
}

/// `4 KiB random read · io_uring · depth 32 · 4 workers`; of a row whose jobs do different things, each of them behind
/// its name.
pub fn workload(row: &Row<'_>) -> String {
    let parts: Vec<&[JobResult]> = row.parts().collect();
    match parts.as_slice() {
        [only] => workload_of(only),
        several => {
            let each = several.iter().map(|part| format!("{}: {}", part[0].planned.name, workload_of(part)));
            each.collect::<Vec<_>>().join("; ")
        }
    }
}

/// What the clones of one job do, and a note where they submitted and reaped as fio does.
pub fn workload_of(clones: &[JobResult]) -> String {
    let job = &clones[0].planned;
    let workers = match clones.len() {
        1 => "1 worker".to_owned(),
        n => format!("{n} workers"),
    };
    if let Some(load) = job.cpu_load() {
        return format!("{load} · {} · {workers}", job.engine);
    }
    let habits = if job.compat_fio { " · compat=fio: submits and reaps as fio does" } else { "" };
    let what = match job.engine_def().filter(|_| job.is_of_names()) {
        Some(engine) => engine.help.to_owned(),
        None => format!("{} {}", blocks(job), pattern(job)),
    };
    format!("{what} · {} · depth {} · {workers}{habits}", job.engine, depth(job))
}

/// Names of jobs that are told one by one.
const NAMES_MAX: usize = 2;

/// The names of jobs that share a row, each given by its clones: `pages`, `pages and wal`, `pages and 2 more`; `pages.1` for the
/// second of several clones with a row each.
pub(crate) fn names_of(parts: &[&[JobResult]]) -> String {
    let name = |part: &&[JobResult]| {
        let JobRecord { name, subjob, job, .. } = &part[0].planned;
        let is_one_of_several = part.len() == 1 && job.get(&NUMJOBS) > 1;
        if is_one_of_several { format!("{name}.{subjob}") } else { name.clone() }
    };
    let names: Vec<String> = parts.iter().map(name).collect();
    match names.as_slice() {
        few if few.len() <= NAMES_MAX => few.join(" and "),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
        [] => String::new(),
    }
}

/// The access pattern in words.
pub fn pattern(job: &JobRecord) -> String {
    let skew = job.job.get(&RANDOM_DISTRIBUTION).brief().filter(|_| job.rw.random);
    directions(job) + &skew.map(|skew| format!(" ({skew})")).unwrap_or_default()
}

fn directions(job: &JobRecord) -> String {
    let order = job.order();
    match job.rw.mix {
        Mix::Read => format!("{order} read"),
        Mix::Write => format!("{order} write"),
        Mix::Trim => format!("{order} trim"),
        Mix::ReadWrite => match reads_of_mix(job) {
            Some(reads) => format!("{order} mix of {reads} % read, {} % write", 100 - reads.min(100)),
            None => format!("{order} mix of reads and writes"),
        },
        Mix::TrimWrite => format!("{order} trim, then write"),
    }
}

/// The block sizes in use: one when all directions agree.
pub fn blocks(job: &JobRecord) -> String {
    let used: Vec<Direction> = Direction::ALL.into_iter().filter(|d| job.uses(*d)).collect();
    let same = used.windows(2).all(|pair| job.block[pair[0]] == job.block[pair[1]]);
    match used.first() {
        Some(first) if same => sizes(&job.block[*first]),
        _ => used
            .iter()
            .map(|d| format!("{} {}", sizes(&job.block[*d]), d.name()))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

fn sizes(block: &BlockSizes) -> String {
    match block {
        BlockSizes::Fixed(bytes) => bytes.to_string(),
        BlockSizes::Range { low, high } => format!("{low} to {high}"),
        BlockSizes::Split(parts) => {
            parts.iter().map(|(bytes, share)| format!("{bytes} {share} %")).collect::<Vec<_>>().join(" + ")
        }
    }
}

/// What to distrust, each once; of a run that was not judged, what was found while it ran.
pub fn doubts(run: &RunResult) -> Vec<String> {
    if let Some(answer) = &run.record.answer {
        return fathom_words::trust::sentences(&answer.trust.reasons);
    }
    let findings = run.record.findings.iter();
    findings.map(|finding| fathom_words::of_finding(finding).sentence(finding)).collect()
}

/// Every reason for less trust in what a procedure found, each once: those of its answer, and those of its verdict that the
/// answer does not have. Reasons of one rule are one reason; the verdict says in how many rounds it was so.
pub(crate) fn reasons(answer: &Answer, verdict: Option<&Verdict>) -> Vec<String> {
    let is_same = |a: &Reason, b: &Reason| match (a.finding(), b.finding()) {
        (Some(a), Some(b)) => a.code() == b.code(),
        _ => a.why == b.why,
    };
    let (known, told) = (&answer.trust.reasons, verdict.map(|it| it.distrust.as_slice()).unwrap_or_default());
    let with_rounds = known.iter().map(|reason| told.iter().find(|it| is_same(it, reason)).unwrap_or(reason));
    let others = told.iter().filter(|other| !known.iter().any(|reason| is_same(reason, other)));
    with_rounds.chain(others).map(fathom_words::trust::sentence).collect()
}

/// `2 of 8 rounds`; `14 rounds` of a procedure that goes on for as long as it was asked to.
pub(crate) fn rounds_done(procedure: &ProcedureResult) -> String {
    let (done, expected) = (procedure.rounds().count(), procedure.record.forecast.rounds as usize);
    if done > expected { format!("{done} rounds") } else { format!("{done} of {expected} rounds") }
}

/// The figures of a verdict that no test of its report has in its own headline.
pub(crate) fn other_figures(verdict: &Verdict, report: Option<&StandardReport>) -> Vec<String> {
    let is_of_test = |text: &String| {
        let mut tests = report.into_iter().flat_map(|report| &report.tests);
        tests.any(|test| *text == of_test(test))
    };
    fathom_words::lines(&verdict.headline).into_iter().filter(|text| !is_of_test(text)).collect()
}

/// What a test came to, behind its title.
pub(crate) fn of_test(test: &TestReport) -> String {
    format!("{}: {}", test.title, report_part::headline(&test.headline))
}

/// Rounds in the measurement window of a standard's test whose figures need care, and why: `Inside the measurement window,
/// rounds 2, 3 of iops-round (56 min each), cells r0-4k: the target stood still`.
pub(crate) fn doubted(doubted: &DoubtedRounds) -> String {
    let numbers: Vec<String> = doubted.rounds.iter().map(usize::to_string).collect();
    let time = |seconds: &f64| Nanos((seconds * 1e9) as u64).to_string();
    let mut times: Vec<String> = doubted.seconds.iter().map(time).collect();
    let is_same = times.windows(2).all(|two| two[0] == two[1]);
    let (plural, each) = if numbers.len() > 1 { ("s", " each") } else { ("", "") };
    if is_same {
        times.truncate(1);
    }
    let times = times.join(", ") + if is_same { each } else { "" };
    let cells = match doubted.cells.as_slice() {
        [] => String::new(),
        [cell] => format!(", cell {cell}"),
        cells => format!(", cells {}", cells.join(", ")),
    };
    format!(
        "Inside the measurement window, round{plural} {} of {} ({times}){cells}: {}",
        numbers.join(", "),
        doubted.rounds_of,
        report_part::doubt(doubted)
    )
}

/// The remarks of an answer in one line; `None` if it has none.
pub(crate) fn remarks(answer: &Answer) -> Option<String> {
    let remarks: Vec<String> = answer.remarks.iter().map(fathom_words::remark).collect();
    (!remarks.is_empty()).then(|| remarks.join("; "))
}

/// Which rules ended the clones of a row, with what went wrong.
pub fn ended_by(row: &Row<'_>) -> String {
    let mut endings: Vec<(String, usize)> = Vec::new();
    for member in row.members {
        let ending = match &member.outcome {
            None if member.series.is_empty() => "nothing: it did not start".to_owned(),
            None => "nothing: no end was recorded".to_owned(),
            Some(outcome) => match &outcome.failure {
                Some(failure) => format!("{}: {}", outcome.ended_by.text(), failure.message),
                None => outcome.ended_by.text().to_owned(),
            },
        };
        match endings.iter_mut().find(|(text, _)| *text == ending) {
            Some((_, count)) => *count += 1,
            None => endings.push((ending, 1)),
        }
    }
    let count = |n: usize| {
        if row.members.len() > 1 { format!(" ({n} of {} workers)", row.members.len()) } else { String::new() }
    };
    endings.iter().map(|(text, n)| format!("{text}{}", count(*n))).collect::<Vec<_>>().join("; ")
}

/// Whether a row was steady by the rule that its jobs ask for, and the means of the window that was judged; `None`
/// if they ask for none.
pub fn steady(run: &RunResult, row: &Row<'_>) -> Option<String> {
    let found = SteadyFigures::of(run, row)?;
    let window = found.window;
    let seconds = window.iops.len() as u64 * window.interval_s;
    let test = if window.is_slope { "slope" } else { "deviation" };
    let unit = match (window.is_percent, window.figure) {
        (true, _) => " %",
        (false, SteadyFigure::Iops) => " IOPS",
        (false, SteadyFigure::Bw) => " bytes/s",
        (false, SteadyFigure::Lat) => " ns",
    };
    let Some(criterion) = window.criterion else {
        let full = window.window_s / window.interval_s * window.interval_s;
        return Some(match seconds < full {
            true => format!("{} not attained: its window of {full} s was never full", found.rule),
            false => format!("{} not attained: nothing was done in the last {seconds} s", found.rule),
        });
    };
    let verdict = match found.attained_after_s {
        Some(after) => format!("attained after {after} s"),
        None => "not attained".to_owned(),
    };
    let latency = match window.figure {
        SteadyFigure::Lat => format!(", {}", Nanos(found.lat_mean)),
        _ => String::new(),
    };
    Some(format!(
        "{} {verdict}: {test} {}{unit} over {seconds} s, mean {} IOPS, {}/s{latency}",
        found.rule,
        significant(criterion, 3),
        grouped(found.iops_mean),
        Bytes(found.bw_mean)
    ))
}

/// Why a row has no figures.
pub fn without_io(row: &Row<'_>) -> &'static str {
    let started = |member: &JobResult| {
        let ended = member.outcome.as_ref();
        let begun = ended.is_some_and(|o| o.measured_ns.is_some() || o.failure.is_some());
        begun || !member.series.is_empty()
    };
    if row.members.iter().any(started) { "no I/O in the measured window" } else { "not started" }
}

/// I/Os in flight on average; `None` where total latency was not kept.
pub fn in_flight(figure: Option<InFlight>) -> Option<String> {
    Some(significant(figure?.shown(), 3))
}

/// Slowest and fastest worker of a row, I/Os per second; `None` for one worker.
///
/// A group's own minimum and maximum hide an unfair share: this does not.
pub fn worker_spread(row: &Row<'_>) -> Option<String> {
    let (low, high) = row.worker_iops();
    (row.members.len() > 1 && row.unrated().is_none())
        .then(|| format!("slowest {} IOPS, fastest {} IOPS", whole(low), whole(high)))
}

/// Sizes of one direction that are told one by one.
const SIZES_MAX: usize = 4;

/// How often each block size was sent, where it varied; empty where not. Of many sizes those that were sent most often.
pub fn sizes_sent(row: &Row<'_>) -> String {
    let all = row.sizes();
    let one_direction = |of: &[(Direction, u64, f64)]| {
        let mut told = of.to_vec();
        told.sort_by(|a, b| b.2.total_cmp(&a.2));
        let rest = told.split_off(SIZES_MAX.min(told.len()));
        told.sort_by_key(|(_, bytes, _)| *bytes);
        let each = told.iter().map(|(direction, bytes, share)| {
            format!("{} {} {}", Bytes(*bytes), direction.name(), percent_of(*share, 1.0))
        });
        let others = rest.iter().map(|(.., share)| share).sum::<f64>();
        let others = (!rest.is_empty())
            .then(|| format!("{} other sizes {} {}", rest.len(), of[0].0.name(), percent_of(others, 1.0)));
        each.chain(others).collect::<Vec<_>>().join(", ")
    };
    all.chunk_by(|a, b| a.0 == b.0).map(one_direction).collect::<Vec<_>>().join(", ")
}

/// What the engine found or chose, shown once where all workers agree. A counter of a simulated drive is shown as the last of its
/// workers saw it: those that ended before saw only a part.
pub fn engine_notes(row: &Row<'_>) -> String {
    let mut notes: Vec<String> = Vec::new();
    let drives =
        |member: &'_ JobResult| member.planned.files.iter().map(|file| file.path.clone()).collect::<Vec<_>>();
    let ended = || {
        row.members.iter().enumerate().filter_map(|(at, member)| Some((at, member, member.outcome.as_ref()?)))
    };
    let is_last = |at: usize, member: &JobResult, at_ns: u64| {
        let is_later =
            |(other_at, _, end): &(usize, &JobResult, &JobOutcome)| (end.at_ns, *other_at) > (at_ns, at);
        !ended().filter(is_later).any(|(_, other, _)| drives(other) == drives(member))
    };
    let told = ended().flat_map(|(at, member, end)| {
        let is_told = move |(name, _): &&(String, String)| {
            !name.starts_with(DRIVE_COUNTER) || is_last(at, member, end.at_ns)
        };
        end.notes.iter().filter(is_told)
    });
    for (name, value) in told {
        let note = format!("{name}: {value}");
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes.join(", ")
}

/// Is it the job by which a procedure writes a target before its other jobs read it?
pub(crate) fn is_fill(run: &RunResult, row: &Row<'_>) -> bool {
    run.record.procedure.is_some() && row.name() == fathom_results::quick::FILL
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_figures::fixture::{DirectionLoad, RunBuilder};
    use fathom_figures::jobs;

    #[test]
    fn a_counter_of_a_drive_that_workers_share_is_told_once() {
        let job = "numjobs=3 rw=randwrite bs=4k ioengine=sim filename=sim:consumer";
        let mut run = RunBuilder::of(job).all(2, DirectionLoad::writes(10, 4096, 90_000)).run();
        // The second worker ends last, and has seen all that the drive counted.
        for (job, (at_ns, bytes)) in run.jobs.iter_mut().zip([(5, "8192"), (9, "122880"), (7, "40960")]) {
            let outcome = job.outcome.as_mut().expect("it ended");
            outcome.at_ns = at_ns;
            outcome.notes.push(("sim.host_written_bytes".to_owned(), bytes.to_owned()));
        }
        assert_eq!(engine_notes(&jobs(&run)[0]), "clock: tsc, sim.host_written_bytes: 122880");
        // Of another drive there is another count.
        run.jobs[0].planned.files[0].path = "sim:other".to_owned();
        let both = "clock: tsc, sim.host_written_bytes: 8192, sim.host_written_bytes: 122880";
        assert_eq!(engine_notes(&jobs(&run)[0]), both);
    }
}
