//! The header of the report, which is on every page: the machine, the device, the set-up; and every deviation from the
//! standard.

use super::phase::TestPhase;
use super::sequence::FILLS;
use super::terms::{Edition, FILL_BLOCK, PtsTerms};
use super::tkperf::corrections;
use super::{Pts, PtsTest};
use crate::History;
use fathom_job::plan::simulated_model;
use fathom_job::units::{Bytes, Nanos};
use fathom_results::HeaderGroup;
use fathom_results::procedure::{Preparation, ProcedureRecord, StepDone};
use fathom_text::calendar::Moment;
use fathom_text::number::bytes;
use fathom_text::words::counted;

/// What could not be confirmed in the text of the standard, by test (research/methodology §1.8).
const UNVERIFIED: [(&str, &str); 6] = [
    ("tp", "that the throughput test fills with the block that it tests, and tracks reads and writes"),
    ("lat", "that the maximum latency of a window is the largest of its five rounds"),
    ("wsat", "that write saturation ends after 6 hours"),
    ("hir", "the active range of the recovery tests of a client drive"),
    ("cbw", MOST_IOPS),
    ("dirth", MOST_IOPS),
];
const MOST_IOPS: &str = "that the most IOPS are those with a mean latency below 5 ms";

/// All groups of the header.
pub fn header(
    pts: &Pts,
    record: &ProcedureRecord,
    history: &History<'_>,
    interruptions: u32,
) -> Vec<HeaderGroup> {
    let group = |title: &str, entries: Vec<(&str, Option<String>)>| HeaderGroup {
        title: title.to_owned(),
        entries: entries.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?))).collect(),
    };
    vec![
        group("Test", of_run(pts, record, history, interruptions)),
        group("Test platform", platform(record)),
        group("Device under test", device(pts, record)),
        group("Set-up", set_up(pts, history)),
    ]
}

/// What is not as the standard asks, and what could not be confirmed in it.
pub fn deviations(pts: &Pts, history: &History<'_>, interruptions: u32) -> Vec<String> {
    let terms = &pts.terms;
    let mut all = Vec::new();
    if terms.edition == Edition::Tkperf {
        all.push(
            "The tests are TKperf's variant of the standard's, and not those of the standard.".to_owned(),
        );
        all.extend(corrections(&pts.tests));
    }
    if terms.is_simulated {
        let scale = simulated_model(&terms.target).and_then(Result::ok).map_or(1, |model| model.scale());
        all.push(match scale {
            1 => "The device is simulated: no figure is that of a real drive.".to_owned(),
            scale => format!(
                "The device is simulated, and 1/{scale} of a whole drive: its rates are {scale} times lower, and latency under \
                 load is up to {scale} times that of the whole."
            ),
        });
    }
    if terms.time_divisor > 1 {
        let divisor = terms.time_divisor;
        all.push(format!(
            "All times are 1/{divisor} of the standard's: the figures are not those of the standard."
        ));
    }
    if !terms.purges && pts.has(|phase| matches!(phase, TestPhase::Purge)) {
        all.push("The device was not purged before the tests.".to_owned());
    }
    if purge(history).is_some_and(|evidence| evidence.starts_with("zeroes ")) {
        let said = "The purge wrote zeroes, because the device offers nothing better: to flash these are data, so it was full and \
                    not empty before the tests. The members of an array can be purged one by one before the array is made.";
        all.push(said.to_owned());
    }
    all.extend(terms.write_cache.deviation(terms.edition.wants_write_cache(), terms.cache_setting));
    if terms.active_percent != terms.edition.active_percent() {
        let (active, standard) = (terms.active_percent, terms.edition.active_percent());
        all.push(format!(
            "The active range is {active} % of the device; the standard asks for {standard} %."
        ));
    }
    all.extend(demand(pts));
    for test in &pts.tests {
        all.extend(test.cannot(terms).map(|why| format!("{}: not run, because {why}.", test.title)));
        all.extend(left_out(test, terms));
    }
    match interruptions {
        0 => {}
        times => all.push(format!(
            "The tests were interrupted {}; no measurement window spans an interruption.",
            counted(u64::from(times), "time")
        )),
    }
    let tests: Vec<&str> = pts.tests.iter().map(|test| test.name).collect();
    let concerns = |test: &str| test != "hir" || terms.edition == Edition::Client;
    let is_of_run = |(test, _): &&(&str, &str)| {
        terms.edition != Edition::Tkperf && tests.contains(test) && concerns(test)
    };
    let mut unverified: Vec<&str> = UNVERIFIED.iter().filter(is_of_run).map(|(_, said)| *said).collect();
    unverified.dedup();
    if !unverified.is_empty() {
        all.push(format!("Not confirmed in the text of the standard: {}.", unverified.join("; ")));
    }
    all
}

/// `IOPS test without the cells of 512 B: the smallest I/O of /dev/sdb is 4 KiB.`
fn left_out(test: &PtsTest, terms: &PtsTerms) -> Option<String> {
    let blocks: Vec<String> = test.left_out(terms).iter().map(Bytes::to_string).collect();
    let (title, target, sector) = (test.title, &terms.target, terms.sector);
    (!blocks.is_empty()).then(|| {
        format!(
            "{title} without the cells of {}: the smallest I/O of {target} is {sector}.",
            blocks.join(", ")
        )
    })
}

/// What the record shows of the device and of resumes that is no matter of the standard, and makes its figures doubtful: a
/// worn or failing drive, and another drive or machine after a resume.
pub fn of_record(record: &ProcedureRecord) -> Vec<String> {
    let of_drive = record.shared.audit.iter().filter(|finding| finding.check == HEALTH);
    let of_drive =
        of_drive.map(|finding| format!("The drive {} is not sound: {}.", finding.subject, finding.says));
    let resumed = record.resumed.iter().map(|resumed| {
        format!(
            "After interruption {} the tests went on under other conditions: {}.",
            resumed.sitting,
            resumed.differences.join("; ")
        )
    });
    of_drive.chain(resumed).collect()
}

/// The check of the host that judges the health of a drive: warnings, spare blocks, and the used part of its rated life.
const HEALTH: &str = "nvme.health";

/// Threads and depth that are not those that the standard recommends for the IOPS test. In the other tests that take them they
/// are the operator's choice (research/methodology §1.3).
fn demand(pts: &Pts) -> Option<String> {
    let (terms, tests) = (&pts.terms, pts.tests_of_demand());
    let (demand, standard) = (terms.demand.told(), terms.edition.demand().told());
    let is_other = terms.edition != Edition::Tkperf && tests.contains(&"iops") && demand != standard;
    is_other.then(|| {
        format!(
            "The demand of {} is {demand}; the standard recommends {standard} for the IOPS test.",
            tests.join(", ")
        )
    })
}

/// Starts of fathom after the first, as far as each did a step.
pub fn starts(history: &History<'_>) -> u32 {
    history.steps().last().map_or(0, |step| step.sitting)
}

fn of_run(
    pts: &Pts,
    record: &ProcedureRecord,
    history: &History<'_>,
    interruptions: u32,
) -> Vec<(&'static str, Option<String>)> {
    let moment = |ns: u64| Moment::of_unix_ns(ns).to_string();
    let seconds: f64 = history.rounds().map(|round| round.whole.seconds).sum();
    let measured = if pts.terms.is_simulated { "Simulated time of all rounds" } else { "Time of all rounds" };
    let operator = Some(pts.terms.operator.clone()).filter(|operator| !operator.is_empty());
    let ended = history.steps().last().map(|step| moment(step.ended_unix_ns));
    vec![
        ("Run", Some(record.id.clone())),
        (measured, Some(format!("{}, without rests", Nanos((seconds * 1e9) as u64)))),
        ("Seed", Some(record.seed.to_string())),
        ("Operator", Some(operator.unwrap_or_else(|| "not given (--operator)".to_owned()))),
        ("Note", record.note.clone()),
        ("Began", Some(moment(record.started_unix_ns))),
        ("Last round ended", ended),
        ("Interruptions", Some(interruptions.to_string())),
        ("Tool", Some(format!("fathom {}", record.fathom))),
    ]
}

fn fact(record: &ProcedureRecord, name: &str) -> Option<String> {
    record.fact(name).map(str::to_owned)
}

/// A fact of the target: its name begins with the name of the target.
fn target_fact(record: &ProcedureRecord, name: &str) -> Option<String> {
    let is_it = |full: &str| full.starts_with("target.") && full.ends_with(&format!(".{name}"));
    record.shared.host.iter().find(|fact| is_it(&fact.name) && fact.value.is_some())?.value.clone()
}

/// The machine, as the host was seen before the first round.
pub(crate) fn platform(record: &ProcedureRecord) -> Vec<(&'static str, Option<String>)> {
    let fact = |name: &str| fact(record, name);
    let memory = fact("memory_bytes").and_then(|text| text.parse::<f64>().ok()).map(bytes);
    vec![
        ("System", fact("system_product")),
        ("Board", fact("board")),
        ("CPU", fact("cpu_model")),
        ("CPU threads", fact("cpu_threads")),
        ("Memory", memory),
        ("Operating system", fact("os")),
        ("Kernel", fact("kernel")),
    ]
}

fn device(pts: &Pts, record: &ProcedureRecord) -> Vec<(&'static str, Option<String>)> {
    let (terms, of_target) = (&pts.terms, |name: &str| target_fact(record, name));
    let identity = record.targets.first();
    let by_hand = match terms.is_simulated {
        true => "none: a simulated drive has no vendor, serial number, firmware and interface either",
        false => "not known to fathom: tell them with --note",
    };
    vec![
        ("Device", Some(terms.target.clone())),
        ("Model", of_target("model").or_else(|| identity?.model.clone())),
        ("Serial number", of_target("serial").or_else(|| identity?.serial.clone())),
        ("Array", array(&of_target)),
        ("Members", members(record)),
        ("Firmware", of_target("firmware")),
        ("Capacity", Some(format!("{} ({} bytes)", bytes(terms.capacity.0 as f64), terms.capacity.0))),
        ("Logical block", Some(format!("{} B", terms.sector.0))),
        ("Link", of_target("link_speed")),
        ("Link width", of_target("link_width")),
        ("Form factor, flash, options", Some(by_hand.to_owned())),
    ]
}

/// Level and chunk of an md array.
fn array(of_target: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let level = of_target("md_level")?.replace("raid", "RAID ");
    let members = of_target("md_disks").map_or_else(String::new, |members| format!(" of {members} members"));
    let chunk = of_target("md_chunk_bytes").and_then(|text| text.parse().ok()).filter(|bytes| *bytes > 0);
    let chunk = chunk.map_or_else(String::new, |bytes| format!(", chunks of {}", Bytes(bytes)));
    let is_external = of_target("md_metadata").is_some_and(|metadata| metadata.starts_with("external:"));
    let metadata = if is_external { ", metadata of the firmware" } else { "" };
    Some(format!("{level}{members}{chunk}{metadata}"))
}

/// The drives that the array is made of: kernel name, model, serial number.
fn members(record: &ProcedureRecord) -> Option<String> {
    let mut members: Vec<String> = Vec::new();
    for fact in &record.shared.host {
        let Some((member, "member_model")) = fact.name.rsplit_once('.') else { continue };
        let told = [fact.value.as_deref(), record.fact(&format!("{member}.member_serial"))];
        let told: Vec<&str> = told.into_iter().flatten().collect();
        members.push(format!("{} ({})", member.rsplit('.').next()?, told.join(", ")));
    }
    (!members.is_empty()).then(|| members.join("; "))
}

/// What was set, as it was read back; or as it was found.
fn write_cache(pts: &Pts, history: &History<'_>) -> String {
    let set = history.steps().iter().find_map(|step| match &step.did {
        StepDone::Prepared { preparation: Preparation::Tuning { .. }, evidence } => Some(evidence),
        _ => None,
    });
    match set {
        Some(evidence) => format!("set for the tests ({evidence}); it was: {}", pts.terms.write_cache.told()),
        None => pts.terms.write_cache.told().to_owned(),
    }
}

/// How the device was emptied the first time, and the proof.
fn purge(history: &History<'_>) -> Option<String> {
    history.steps().iter().find_map(|step| match &step.did {
        StepDone::Prepared { preparation: Preparation::Purge { .. }, evidence } => Some(evidence.clone()),
        _ => None,
    })
}

fn set_up(pts: &Pts, history: &History<'_>) -> Vec<(&'static str, Option<String>)> {
    let terms = &pts.terms;
    let active = format!("{} % ({}), one segment", terms.active_percent, bytes(terms.active().0 as f64));
    let purge = match pts.has(|phase| matches!(phase, TestPhase::Purge)) {
        true if terms.purges => purge(history),
        true => Some("omitted".to_owned()),
        false => Some("none in these tests".to_owned()),
    };
    let filled = of_tests(pts, &fill_told(pts), |phase| matches!(phase, TestPhase::Fill { .. }));
    // Write saturation is not preconditioned: its rounds begin on an empty device.
    let settles = |phase: &TestPhase| matches!(phase, TestPhase::Loop(it) if !it.until.tracked.is_empty() && it.until.written_max.is_none());
    let loops = of_tests(pts, "rounds until steady state", settles);
    let engine = match terms.is_simulated {
        true => "sim, in virtual time".to_owned(),
        false => format!("{}, direct I/O {}", terms.engine, if terms.direct { "on" } else { "off" }),
    };
    vec![
        ("Data pattern", Some("random".to_owned())),
        ("Active range", Some(active)),
        ("Purge", purge),
        ("Write cache", Some(write_cache(pts, history))),
        ("Preconditioning 1", Some(filled)),
        ("Preconditioning 2", Some(loops)),
        ("Rounds at most", Some(terms.rounds_max.to_string())),
        ("Engine", Some(engine)),
    ]
}

/// What the tests with such a part have; and which tests have none.
fn of_tests(pts: &Pts, told: &str, is_it: impl Fn(&TestPhase) -> bool) -> String {
    let has = |test: &&&PtsTest| (test.phases)(&pts.terms).iter().any(&is_it);
    let (with, without): (Vec<&&PtsTest>, Vec<&&PtsTest>) = pts.tests.iter().partition(has);
    let named = |tests: &[&&PtsTest]| tests.iter().map(|test| test.name).collect::<Vec<_>>().join(", ");
    match (with.is_empty(), without.is_empty()) {
        (true, _) => "none in these tests".to_owned(),
        (_, true) => told.to_owned(),
        _ => format!("{}: {told}; {}: none", named(&with), named(&without)),
    }
}

fn fill_told(pts: &Pts) -> String {
    let has_throughput = pts.tests.iter().any(|test| test.name == "tp");
    let fills_with_tested = has_throughput && pts.terms.edition != Edition::Tkperf;
    let other = if fills_with_tested { " (tp: the tested block)" } else { "" };
    format!("{FILLS} × the active range, sequential, {FILL_BLOCK}{other}, TC 1 / QD 32")
}
