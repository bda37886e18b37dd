//! The conditions under which the figures hold, in a few lines that are always visible: machine, targets, and how it was
//! measured. The environment, which is folded away, has all that is known.

use super::markup::pairs;
use fathom_figures::Row;
use fathom_job::plan::TargetKind;
use fathom_results::{EndedBy, FileRecord, JobRecord, JobResult, RunResult};
use fathom_text::number::significant;
use fathom_text::quantity::bytes;
use std::collections::BTreeSet;

/// Targets whose properties are told.
const TARGETS_MAX: usize = 2;

/// The section; the rows of the preparation are among all.
pub(super) fn section(run: &RunResult, all: &[Row<'_>], preparation: &[Row<'_>]) -> String {
    let jobs: Vec<&JobRecord> = all[..all.len() - preparation.len()].iter().map(Row::first).collect();
    let left = pairs(machine(run).into_iter().chain(measured(&jobs)).map(owned));
    let right = pairs(targets(run, &jobs, preparation).into_iter().map(owned));
    if left.is_empty() {
        return left;
    }
    let each =
        [left, right].map(|table| if table.is_empty() { table } else { format!("<div>\n{table}</div>\n") });
    format!(
        "<section class=\"conditions\">\n<h2>Conditions</h2>\n<div class=\"split\">\n{}</div>\n</section>\n",
        each.concat()
    )
}

fn owned((name, value): (&str, String)) -> (String, String) {
    (name.to_owned(), value)
}

fn machine(run: &RunResult) -> Vec<(&'static str, String)> {
    let fact = |name: &str| run.record.fact(name).map(str::to_owned);
    let threads = fact("cpu_threads").map(|count| format!(", {count} threads")).unwrap_or_default();
    let memory = fact("memory_bytes").and_then(|text| text.parse().ok());
    let memory = memory.map(|count: f64| format!("{} GiB", significant(count / f64::from(1 << 30), 3)));
    let told = [
        ("CPU", fact("cpu_model").map(|model| model + &threads)),
        ("memory", memory),
        ("kernel", fact("kernel")),
        ("system", fact("os")),
    ];
    told.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// How it was measured; what differs between jobs has all its values.
fn measured(jobs: &[&JobRecord]) -> Vec<(&'static str, String)> {
    let has_target = jobs.iter().flat_map(|job| &job.files).any(|file| file.kind != TargetKind::None);
    let cache = |job: &JobRecord| if job.direct { "bypassed (direct)" } else { "used (buffered)" };
    let time = |job: &JobRecord| {
        let ramp = job.ramp_words().map(|ramp| format!(", after {ramp} of ramp")).unwrap_or_default();
        job.end.time.map_or_else(|| "until all is done".to_owned(), |time| time.to_string()) + &ramp
    };
    let told = [
        ("engine", each(jobs, |job| job.engine.clone())),
        ("page cache", if has_target { each(jobs, |job| cache(job).to_owned()) } else { String::new() }),
        ("time of a job", each(jobs, time)),
    ];
    told.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

fn each(jobs: &[&JobRecord], of: impl Fn(&JobRecord) -> String) -> String {
    let values: BTreeSet<String> = jobs.iter().map(|job| of(job)).collect();
    values.into_iter().collect::<Vec<_>>().join("; ")
}

/// The targets that share a device have its properties once.
fn targets(run: &RunResult, jobs: &[&JobRecord], preparation: &[Row<'_>]) -> Vec<(&'static str, String)> {
    let grounds = run.record.grounds();
    let mut shared: Vec<(&str, Vec<&FileRecord>)> = Vec::new();
    let mut listed = BTreeSet::new();
    let files = jobs.iter().flat_map(|job| &job.files).filter(|file| file.kind != TargetKind::None);
    for file in files.filter(|file| listed.insert(file.path.as_str())) {
        let ground = grounds.of(&file.path);
        match shared.iter_mut().find(|(other, _)| *other == ground) {
            Some((_, files)) => files.push(file),
            None => shared.push((ground, vec![file])),
        }
    }
    let shown = shared.iter().take(TARGETS_MAX);
    let mut told: Vec<_> =
        shown.flat_map(|(ground, files)| target(run, ground, files, preparation)).collect();
    let rest = shared.len().saturating_sub(TARGETS_MAX);
    told.extend((rest > 0).then(|| ("target", format!("and {rest} more"))));
    told
}

fn target(
    run: &RunResult,
    ground: &str,
    files: &[&FileRecord],
    preparation: &[Row<'_>],
) -> Vec<(&'static str, String)> {
    let fact = |name: &str| {
        let value = run.record.fact(&format!("target.{ground}.{name}"))?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    };
    let size = fact("size_bytes").and_then(|text| text.parse().ok()).map(bytes);
    let model = [fact("model").or(fact("kind")), size].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let link = fact("link_speed").map(|speed| {
        let lanes = fact("link_width").map(|width| format!(" x{width}")).unwrap_or_default();
        speed + &lanes
    });
    let blocks = fact("logical_block_bytes").map(|logical| match fact("physical_block_bytes") {
        Some(physical) => format!("{logical} B logical, {physical} B physical"),
        None => format!("{logical} B"),
    });
    let path = match files.len() - 1 {
        0 => files[0].path.clone(),
        more => format!("{} and {more} more", files[0].path),
    };
    let parts: BTreeSet<String> = files.iter().map(|file| part(file)).collect();
    let parts = parts.into_iter().collect::<Vec<_>>().join("; ");
    let told = [
        ("target", Some(path)),
        ("disk", Some(model).filter(|model| !model.is_empty())),
        ("firmware", fact("firmware")),
        ("link", link),
        ("block size of the disk", blocks),
        ("scheduler", fact("scheduler")),
        ("file system", fact("fs_type")),
        ("measured part", Some(parts)),
        ("written before", Some(written_before(run, files[0], preparation).to_owned())),
    ];
    told.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn part(file: &FileRecord) -> String {
    match file.offset.0 {
        0 => file.region(),
        from => format!("{}, from byte {from}", file.region()),
    }
}

/// Did fathom write the data that was read?
fn written_before(run: &RunResult, file: &FileRecord, preparation: &[Row<'_>]) -> &'static str {
    let files = run.record.plan.jobs.iter().flat_map(|job| &job.files);
    let is_laid_out = files.filter(|other| other.path == file.path).any(|other| other.layout.0 > 0);
    let members = || preparation.iter().flat_map(|row| row.members);
    let is_whole = |member: &JobResult| {
        member.outcome.as_ref().is_some_and(|end| end.failure.is_none() && end.ended_by == EndedBy::Size)
    };
    match members().next().is_some() {
        true if members().all(is_whole) => "yes, by fathom in this run",
        true => "in part, by fathom in this run",
        false if is_laid_out => "yes, by fathom in this run",
        false => "not by fathom in this run",
    }
}
