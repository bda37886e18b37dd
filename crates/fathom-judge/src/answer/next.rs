//! What to do next: one command, chosen by the most serious doubt.

use super::{Doubts, has_figures};
use crate::case::Case;
use crate::cell::Cell;
use crate::own_jobs::{Own, OwnJobs};
use crate::typed_command::Again;
use fathom_job::engine::NameWork;
use fathom_job::plan::Rate;
use fathom_job::units::Nanos;
use fathom_results::answer::Gain;
use fathom_results::{EndedBy, NextStep, RATE_IOS_MIN, has_too_few};
use fathom_text::shell::quoted_carried;

/// Seconds of each measurement of its own jobs that a second run should take: from a minute on, some write
/// caches and burst credits have run out.
const LONGER: u64 = 60;

/// Errors by which the kernel reports what a device did, as errno of Linux: EIO, ENXIO, ENODEV, ENOLINK (path),
/// ENODATA (medium), ETIMEDOUT, EREMOTEIO, EILSEQ (protection) (block/blk-core.c, `blk_errors`).
const OF_THE_DEVICE: [i32; 8] = [5, 6, 19, 67, 61, 110, 121, 84];

pub(super) fn next(case: &Case<'_>, doubts: &Doubts, own: Own<'_>) -> NextStep {
    let failures = || case.run.jobs.iter().filter_map(|job| job.outcome.as_ref()?.failure.as_ref());
    let failed = failures().next().is_some();
    if case.run.incomplete.is_some() && !failed {
        return repeat(case, own.jobs, Gain::StartsAgain, Length::AsBefore);
    }
    if let Some(again) = without_own_rule(case) {
        return again;
    }
    if failures().any(|failure| OF_THE_DEVICE.contains(&failure.errno)) {
        return step("sudo dmesg --level=err,warn", Gain::KernelMessages);
    }
    if !has_figures(case) || failed {
        return step("fathom devices", Gain::ListsTargets);
    }
    if let Some(again) = more_names(case) {
        return again;
    }
    if let Some(again) = longer_run(case, SECONDS_MIN) {
        return match doubts.codes_to_act_on().any(|code| code == PAGE_CACHE) {
            // Longer with the page cache would measure the page cache again.
            true => past_the_cache(case, again),
            false => again.advised(Gain::LongEnough),
        };
    }
    if let Some(again) = too_few(case) {
        return again;
    }
    if doubts.codes_to_act_on().any(|code| code == ERRORS) {
        return step(&details(case), Gain::FailedIos);
    }
    let advised = doubts.codes_to_act_on().find_map(|code| advice(case, own.jobs, code));
    let unsure = || Some(longer_run(case, STEADY_SECONDS_MIN)?.advised(Gain::IsSteady));
    advised
        .or_else(unsure)
        .unwrap_or_else(|| if own.are_these { longer(case, own.jobs) } else { several(case) })
}

/// The rule about I/Os that failed: what helps against that comes before all other advice.
const ERRORS: &str = "errors-continued";

/// The rule about I/Os that the page cache answered.
const PAGE_CACHE: &str = "page-cache";

/// The same jobs without the rule of theirs that ended one, `rate_min` or `max_latency`: as in fio, their errors have the errno
/// of a device, and no place of an I/O.
fn without_own_rule(case: &Case<'_>) -> Option<NextStep> {
    let failures =
        case.run.jobs.iter().filter_map(|job| Some((job, job.outcome.as_ref()?.failure.as_ref()?)));
    let mut of_rules = failures.filter_map(|(job, failure)| {
        let direction = failure.direction.filter(|_| failure.offset.is_none())?;
        let pace = &job.planned.pace;
        match (failure.errno, pace.floor[direction], pace.latency_max[direction]) {
            (5, Some(Rate::Ios(_)), _) => Some(("rate_iops_min", Gain::FallingRate)),
            (5, Some(Rate::Bytes(_)), _) => Some(("rate_min", Gain::FallingRate)),
            (110, _, Some(_)) => Some(("max_latency", Gain::LongestIos)),
            _ => None,
        }
    });
    let (option, gain) = of_rules.next()?;
    Some(Again::of(&case.run.record.command, "run")?.set(option, "0").advised(gain))
}

/// From this time on, a limit and a doubt are worth an advice.
const SECONDS_MIN: f64 = 1.0;

/// From this time on, the seconds of a job say how steady its rate is ([`fathom_stats::Estimate::of_series`]).
const STEADY_SECONDS_MIN: f64 = 10.0;

/// From so many seconds on, a job is long enough for a rate with its interval, three times as long as that needs.
const LONG_SECONDS: u64 = 30;

/// Jobs that make or remove names do it once for each, so only more names make them longer.
fn more_names(case: &Case<'_>) -> Option<NextStep> {
    let is_short = |cell: &&Cell<'_>| uses_names_up(cell) && cell.ios() > 0 && cell.seconds() < SECONDS_MIN;
    let names = case.cells.iter().filter(is_short).map(|cell| {
        let each = cell.ios() as f64 / cell.members.len() as f64;
        (2.0 * SECONDS_MIN * each / cell.seconds().max(1e-6)).ceil()
    });
    let names = names.reduce(f64::max).filter(|names| *names <= NAMES_MAX)?;
    let again = Again::of(&case.run.record.command, "run")?;
    Some(again.set("nrfiles", &(names as u64).to_string()).advised(Gain::LongEnough))
}

/// No run with more names is advised: so many take minutes to make, and to remove.
const NAMES_MAX: f64 = 10e6;

fn uses_names_up(cell: &Cell<'_>) -> bool {
    cell.planned().engine_def().and_then(|engine| engine.names).is_some_and(NameWork::is_once)
}

/// The same jobs of the user for half a minute each, where one of them took less than this. `None` where no longer time would
/// make the short ones longer.
fn longer_run(case: &Case<'_>, seconds_min: f64) -> Option<Again> {
    let short = case.cells.iter().filter(|cell| cell.ios() > 0 && cell.seconds() < 0.9 * seconds_min);
    let short: Vec<&Cell<'_>> = short.collect();
    let again = Again::of(&case.run.record.command, "run")?;
    if case.cells.iter().any(uses_names_up) {
        return None;
    }
    if !short.iter().any(|cell| can_be_longer(cell)) {
        return None;
    }
    // No job becomes shorter than it was meant to be.
    let meant = case.cells.iter().filter_map(|cell| cell.planned().end.time).max();
    let seconds = meant.map_or(0, |meant| meant.0.div_ceil(Nanos::secs(1).0)).max(LONG_SECONDS);
    let again = again.set("runtime", &format!("{seconds}s"));
    let is_timed = case.cells.iter().all(|cell| cell.planned().end.time_based);
    let again = if is_timed { again } else { again.set("time_based", "1") };
    // A number of I/Os ends a job however long it may run.
    let is_counted = short.iter().any(|cell| has_ended(cell, EndedBy::Ios));
    Some(if is_counted { again.set("number_ios", "0") } else { again })
}

/// No longer run than this is advised, seconds: a job that needs more has a rate that nobody waits for.
const FEW_SECONDS_MAX: f64 = 3600.0;

/// The same jobs for so long that each has enough I/Os for a rate, where its time ended one with fewer. `None` where that takes too long.
fn too_few(case: &Case<'_>) -> Option<NextStep> {
    let is_few = |cell: &&Cell<'_>| has_too_few(cell.ios()) && has_ended(cell, EndedBy::Time);
    let needed = case
        .cells
        .iter()
        .filter(is_few)
        .map(|cell| 2.0 * RATE_IOS_MIN as f64 * cell.seconds() / cell.ios() as f64);
    let needed = needed.fold(0.0, f64::max);
    let again =
        Again::of(&case.run.record.command, "run").filter(|_| needed > 0.0 && needed <= FEW_SECONDS_MAX)?;
    let runtime = format!("{}s", needed.ceil().max(LONG_SECONDS as f64));
    Some(again.set("runtime", &runtime).advised(Gain::EnoughIos))
}

/// Would more time make this job longer? Not if it has enough and another rule ended it: that it was steady, or that the depth
/// for its latency was known.
fn can_be_longer(cell: &Cell<'_>) -> bool {
    [EndedBy::Time, EndedBy::Size, EndedBy::Ios].into_iter().any(|rule| has_ended(cell, rule))
}

fn has_ended(cell: &Cell<'_>, rule: EndedBy) -> bool {
    cell.members.iter().filter_map(|member| member.outcome.as_ref()).any(|outcome| outcome.ended_by == rule)
}

/// The command that a taint asks for; `None` where no command helps.
fn advice(case: &Case<'_>, own: &OwnJobs, code: &str) -> Option<NextStep> {
    let run = || Again::of(&case.run.record.command, "run");
    let step = match code {
        "foreign-io" => repeat(case, own, Gain::AfterOthers, Length::Usual),
        "no-target" => step("fathom devices", Gain::ListsTargets),
        "memory-backed" | "loop-device" => step("fathom devices", Gain::ListsDisks),
        PAGE_CACHE => match run() {
            Some(again) => past_the_cache(case, again),
            None => step("fathom devices", Gain::ListsDirectDisks),
        },
        "unwritten-range" => step("fathom help targets", Gain::ExplainsFill),
        "generator-limited" => step("fathom doctor --goal iops", Gain::SlowMachine),
        "cpu-quota" => repeat(case, own, Gain::AfterQuota, Length::Usual),
        "rate-fell" => return fell(case),
        "unstable" | "stalls" | "stopped" => match run() {
            Some(_) => several(case),
            None => longer(case, own),
        },
        "host-disturbed" | "steal" => step(&details(case), Gain::Disturbances),
        "clock-low" => step("fathom doctor", Gain::SlowCpus),
        // The doctor knows nothing of a drive that is only simulated.
        "too-hot" if case.cells.iter().any(|cell| cell.is_simulated()) => longer(case, own),
        "too-hot" => step("fathom doctor", Gain::HotParts),
        _ => return None,
    };
    Some(step)
}

/// These jobs without the page cache.
fn past_the_cache(case: &Case<'_>, again: Again) -> NextStep {
    let again = again.set("direct", "1");
    match case.cells.iter().any(|cell| cell.is_mapped()) {
        true => again.set("ioengine", "psync").advised(Gain::PastPageCacheWithoutMmap),
        false => again.advised(Gain::PastPageCache),
    }
}

/// The same jobs for long enough that most of the time has the rate that lasts: four times as long. A job that was steady would
/// end as early again, so it warms up for as long as it took. `None` where that is not known.
fn fell(case: &Case<'_>) -> Option<NextStep> {
    let longest = case.cells.iter().map(|cell| cell.seconds()).fold(0.0, f64::max);
    let runtime = format!("runtime={}s", (4.0 * longest).ceil());
    let is_timed = case.cells.iter().all(|cell| cell.planned().end.time_based);
    let again = Again::of(&case.run.record.command, "run").filter(|_| is_timed)?;
    if case.cells.iter().any(|cell| has_ended(cell, EndedBy::Steady)) {
        let ramp = format!("{}s", longest.ceil());
        return Some(again.set("ramp_time", &ramp).advised(Gain::AfterFall));
    }
    let gain = Gain::LastingRate;
    (!again.sets("runtime")).then(|| again.plus(&["--set", &runtime]).advised(gain))
}

/// The command that prints all that is known. Of a round it names the procedure, which can be found by its id; the
/// report of the round alone names the directory of the round instead.
fn details(case: &Case<'_>) -> String {
    let record = &case.run.record;
    let id = record.round.as_ref().map_or(&record.id, |round| &round.procedure);
    format!("fathom report --details {}", quoted_carried(id))
}

/// Longer measurements of its own jobs; from a minute on, the way from the disk to the CPU.
fn longer(case: &Case<'_>, own: &OwnJobs) -> NextStep {
    let Some(again) = Again::of(&case.run.record.command, own.command) else { return several(case) };
    if seconds(&again).unwrap_or(own.seconds) >= LONGER {
        return step("fathom doctor --goal repeatability", Gain::ChangingFigures);
    }
    let times: u64 = again.value("--repeat").and_then(|times| times.parse().ok()).unwrap_or(1);
    let minutes = LONGER * own.measurements * times.max(1) / 60;
    again.with("--seconds", &LONGER.to_string()).advised(Gain::Lasts { minutes })
}

/// The seconds of each measurement that the user asked for, where they are whole.
fn seconds(again: &Again) -> Option<u64> {
    again.value("--seconds")?.trim_end_matches('s').parse().ok()
}

/// The same jobs several times.
fn several(case: &Case<'_>) -> NextStep {
    let Some(again) = Again::of(&case.run.record.command, "run") else {
        return step("fathom doctor --goal repeatability", Gain::ChangingFigures);
    };
    let conflicts = ["--repeat", "--html", "--output-format", "--details"];
    if conflicts.iter().any(|option| again.has(option)) || tunes(&again) {
        return step("fathom doctor --goal repeatability", Gain::ChangingFigures);
    }
    again.with("--repeat", "5").advised(Gain::Variation)
}

fn tunes(again: &Again) -> bool {
    ["--tune"].iter().any(|option| again.has(option))
}

/// How long the measurements of a repetition take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    AsBefore,
    /// At least as long as its own jobs measure without the option.
    Usual,
}

fn repeat(case: &Case<'_>, own: &OwnJobs, gain: Gain, length: Length) -> NextStep {
    let again = Again::of(&case.run.record.command, own.command).map(|again| match seconds(&again) {
        Some(short) if length == Length::Usual && short < own.seconds => again.without("--seconds"),
        _ => again,
    });
    let again = again.or_else(|| Again::of(&case.run.record.command, "run"));
    again.map_or_else(|| step("fathom doctor", Gain::DisturbingParts), |again| again.advised(gain))
}

fn step(command: &str, gain: Gain) -> NextStep {
    NextStep { command: command.to_owned(), gain, needs_consent: false }
}
