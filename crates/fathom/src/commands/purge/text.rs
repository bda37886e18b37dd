//! Plans and records as people read them.

use std::fmt::Write;
use std::path::Path;

use fathom_device::device::Identity;
use fathom_guard::purge::{Affected, DeviceState, PurgePlan, PurgeRecord, PurgeState, Rung};
use fathom_job::units::{Bytes, Nanos};
use fathom_text::shell::{quoted, quoted_carried};
use fathom_text::shown;

use super::PurgeArgs;

/// A plan: the device, the method, what is lost, and the ladder.
pub fn plan(plan: &PurgePlan, known: Option<&DeviceState>) -> String {
    let mut lines = vec![("method", format!("{}: {}", plan.method, plan.title))];
    lines.push(("does", plan.terms.act.clone()));
    lines.push(("blocks", blocks(plan)));
    lines.push(("leaves", plan.leaves.to_owned()));
    let takes = plan.terms.takes.map(|time| format!("{} by the drive's own estimate", Nanos(nanos(time))));
    lines.push(("takes", takes.unwrap_or_else(|| "unknown: the drive gives no estimate".to_owned())));
    lines.extend(known.map(|state| ("earlier", earlier(state))));
    lines.extend(plan.affected.iter().map(|device| ("empties", affected(device))));
    lines.extend(plan.notes.iter().map(|note| ("note", note.clone())));
    lines.extend(plan.unknown.iter().map(|what| ("unknown", what.clone())));
    let mut text = table(&plan.path, &plan.device, &lines);
    text.push_str("  ladder, the strongest first:\n");
    for rung in &plan.ladder {
        let _ = writeln!(text, "    {:<24} {}", rung.method, shown::line(&state(rung, plan)));
    }
    text
}

/// What was done, and what the read samples show.
pub fn record(plan: &PurgePlan, record: &PurgeRecord, state_file: Option<&Path>) -> String {
    let mut lines = vec![("method", format!("{}: {}", record.method, plan.title))];
    lines.extend(record.answers.iter().map(|a| ("answer", format!("{}: {}", a.asked, a.answered))));
    lines.push(("before", shape(&record.before)));
    lines.push(("after", shape(&record.after)));
    if let Some((before, after)) = record.used_blocks {
        lines.push(("in use", format!("{before} blocks before, {after} after, as the drive says")));
    }
    lines.push(("took", format!("{} s", record.ended_unix_s - record.began_unix_s)));
    lines.push(("proof", record.proof.statement.clone()));
    let kept = state_file
        .map_or("not kept: the device has no name that lasts".to_owned(), |p| p.display().to_string());
    lines.push(("kept in", kept));
    table(&plan.path, &record.after, &lines)
}

/// The command that does what the plans say; `None` if a device has no name.
pub fn command(args: &PurgeArgs, plans: &[PurgePlan]) -> Option<String> {
    let mut words = vec!["fathom purge".to_owned()];
    words.extend(plans.iter().map(|plan| quoted(&plan.path)));
    for plan in plans {
        words.extend(plan.consent()?.iter().map(|word| format!("--destroy {}", quoted_carried(word))));
    }
    words.extend(args.method.iter().map(|method| format!("--method {}", quoted(method))));
    words.extend(args.lba.iter().map(|bytes| format!("--lba {bytes}")));
    Some(words.join(" "))
}

fn table(path: &Path, device: &Identity, lines: &[(&str, String)]) -> String {
    let mut text = format!("{}: {}\n", shown::path(path), shown::line(&device.describe()));
    for (name, value) in lines {
        let _ = writeln!(text, "  {name:<8} {}", shown::line(value));
    }
    text
}

fn blocks(plan: &PurgePlan) -> String {
    let now = plan.device.logical_block_bytes.map_or("unknown".to_owned(), |bytes| format!("{bytes} bytes"));
    match plan.terms.block_bytes {
        Some(bytes) if Some(bytes) != plan.device.logical_block_bytes => format!("{now}, then {bytes} bytes"),
        _ => format!("{now}, as before"),
    }
}

/// What is known of an earlier purge.
fn earlier(state: &DeviceState) -> String {
    match &state.purge {
        PurgeState::Begun { method, .. } => format!("a purge ({method}) began and did not end"),
        PurgeState::Failed { method, said, .. } => format!("a purge ({method}) failed: {said}"),
        PurgeState::NotProven { record } => {
            format!("a purge ({}) ended without proof: {}", record.method, record.proof.statement)
        }
        PurgeState::Purged { record } if state.is_fresh() => {
            format!("purged ({}), and not written by fathom since", record.method)
        }
        PurgeState::Purged { record } => format!("purged ({}), and written since", record.method),
    }
}

/// A device, and what it holds.
pub fn affected(device: &Affected) -> String {
    let mut text = device.identity.describe();
    if let Some(wwid) = &device.identity.wwid {
        let _ = write!(text, ", {wwid}");
    }
    if device.holds.is_empty() {
        return text + ": blank at both ends";
    }
    let holds: Vec<String> = device.holds.iter().map(ToString::to_string).collect();
    text + ": " + &holds.join("; ")
}

fn state(rung: &Rung, plan: &PurgePlan) -> String {
    let why = match &rung.why_not {
        _ if rung.method == plan.method => return "this one".to_owned(),
        None => return "offered; weaker".to_owned(),
        Some(why) => why,
    };
    let offered = if rung.is_offered { "offered, not used" } else { "no" };
    match &rung.remedy {
        None => format!("{offered}: {why}"),
        Some(remedy) => format!("{offered}: {why} ({remedy})"),
    }
}

fn shape(device: &Identity) -> String {
    let blocks =
        device.logical_block_bytes.map_or(String::new(), |bytes| format!(", blocks of {bytes} bytes"));
    format!("{} ({} bytes){blocks}", Bytes(device.size_bytes), device.size_bytes)
}

fn nanos(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
