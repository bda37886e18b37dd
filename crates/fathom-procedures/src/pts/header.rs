//! The header of the report, which is on every page: the machine, the device, the set-up; and every deviation from the
//! standard.

use super::phase::TestPhase;
use super::sequence::FILLS;
use super::terms::{Demand, Edition, FILL_BLOCK, PtsTerms};
use super::tkperf::corrections;
use super::{Pts, PtsTest};
use crate::History;
use fathom_job::plan::simulated_model;
use fathom_job::units::{Bytes, Nanos};
use fathom_results::answer::{Deviation, UnverifiedPoint};
use fathom_results::procedure::{Preparation, ProcedureRecord, StepDone, StepRecord};
use fathom_results::{HeaderGroup, Prescribed};
use fathom_text::calendar::Moment;
use fathom_text::quantity::bytes;

/// What could not be confirmed in the text of the standard, by test.
const UNVERIFIED: [(&str, UnverifiedPoint); 6] = [
    ("tp", UnverifiedPoint::ThroughputFill),
    ("lat", UnverifiedPoint::WindowMaximum),
    ("wsat", UnverifiedPoint::SaturationEnd),
    ("hir", UnverifiedPoint::RecoveryRange),
    ("cbw", UnverifiedPoint::MostIops),
    ("dirth", UnverifiedPoint::MostIops),
];

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
pub fn deviations(pts: &Pts, history: &History<'_>, interruptions: u32) -> Vec<Deviation> {
    let terms = &pts.terms;
    let mut all = Vec::new();
    if terms.edition == Edition::Tkperf {
        all.push(Deviation::Tkperf);
        all.extend(corrections(&pts.tests));
    }
    if terms.is_simulated {
        let scale = simulated_model(&terms.target).and_then(Result::ok).map_or(1, |model| model.scale());
        all.push(Deviation::Simulated { scale: u64::from(scale) });
    }
    if terms.time_divisor > 1 {
        let divisor = u64::from(terms.time_divisor);
        all.push(Deviation::TimesDivided { divisor, of: Prescribed::Standard });
    }
    if !terms.purges && pts.has(|phase| matches!(phase, TestPhase::Purge)) {
        all.push(Deviation::NotPurged);
    }
    if has_zeroed(history) {
        all.push(Deviation::PurgedWithZeroes);
    }
    all.extend(terms.write_cache.deviation(terms.edition.wants_write_cache(), terms.cache_setting));
    let [percent, standard_percent] = [terms.active_percent, terms.edition.active_percent()].map(u64::from);
    if percent != standard_percent {
        all.push(Deviation::ActiveRange { percent, standard_percent });
    }
    all.extend(demand(pts));
    for test in &pts.tests {
        let title = || test.title.to_owned();
        all.extend(test.cannot(terms).map(|why| Deviation::TestNotRun { test: title(), because: why }));
        all.extend(left_out(test, terms));
    }
    if interruptions > 0 {
        all.push(Deviation::Interrupted { times: u64::from(interruptions) });
    }
    all.extend(unverified(pts));
    all
}

/// What of these tests could not be confirmed in the text of the standard. TKperf's variant does not claim to be the standard's.
fn unverified(pts: &Pts) -> Option<Deviation> {
    let edition = pts.terms.edition;
    let is_of_run = |(name, _): &&(&str, UnverifiedPoint)| {
        pts.tests.iter().any(|test| test.name == *name) && (*name != "hir" || edition == Edition::Client)
    };
    let mut points: Vec<UnverifiedPoint> =
        UNVERIFIED.iter().filter(is_of_run).map(|(_, point)| *point).collect();
    points.dedup();
    (edition != Edition::Tkperf && !points.is_empty()).then_some(Deviation::Unverified { points })
}

/// The id of the method that writes zeroes, as the guard has it.
const ZEROES: &str = "zero";

fn has_zeroed(history: &History<'_>) -> bool {
    let is_it = |step: &StepRecord| matches!(&step.did, StepDone::Prepared { method: Some(method), .. } if method == ZEROES);
    history.steps().iter().any(is_it)
}

fn left_out(test: &PtsTest, terms: &PtsTerms) -> Option<Deviation> {
    let block_bytes: Vec<u64> = test.left_out(terms).iter().map(|block| block.0).collect();
    (!block_bytes.is_empty()).then(|| Deviation::CellsLeftOut {
        test: test.title.to_owned(),
        block_bytes,
        target: terms.target.clone(),
        smallest_bytes: terms.sector.0,
    })
}

/// What the record shows of the device and of resumes that is no matter of the standard, and makes its figures doubtful: a
/// worn or failing drive, and another drive or machine after a resume.
pub fn of_record(record: &ProcedureRecord) -> Vec<Deviation> {
    let of_drive = record.shared.audit.iter().filter(|finding| finding.check == HEALTH);
    let of_drive = of_drive
        .map(|finding| Deviation::Unsound { drive: finding.subject.clone(), says: finding.says.clone() });
    let resumed = record.resumed.iter().map(|resumed| Deviation::OtherConditions {
        interruption: u64::from(resumed.sitting),
        differences: resumed.differences.clone(),
    });
    of_drive.chain(resumed).collect()
}

/// The check of the host that judges the health of a drive: warnings, spare blocks, and the used part of its rated life.
const HEALTH: &str = "nvme.health";

/// Threads and depth that are not those that the standard recommends for the IOPS test. In the other tests that take them they
/// are the operator's choice.
fn demand(pts: &Pts) -> Option<Deviation> {
    let (terms, tests) = (&pts.terms, pts.tests_of_demand());
    let (demand, standard) = (terms.demand, terms.edition.demand());
    let is_other = terms.edition != Edition::Tkperf && tests.contains(&"iops") && demand != standard;
    let both = |of: Demand| (u64::from(of.threads), u64::from(of.depth));
    is_other.then(|| Deviation::Demand {
        tests: tests.iter().map(|test| (*test).to_owned()).collect(),
        demand: both(demand),
        standard: both(standard),
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
        StepDone::Prepared { preparation: Preparation::Tuning { .. }, evidence, .. } => Some(evidence),
        _ => None,
    });
    match set {
        Some(evidence) => format!("set for the tests ({evidence}); it was: {}", pts.terms.write_cache.text()),
        None => pts.terms.write_cache.text().to_owned(),
    }
}

/// How the device was emptied the first time, and the proof.
fn purge(history: &History<'_>) -> Option<String> {
    history.steps().iter().find_map(|step| match &step.did {
        StepDone::Prepared { preparation: Preparation::Purge { .. }, evidence, .. } => Some(evidence.clone()),
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
