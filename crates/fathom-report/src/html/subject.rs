//! What was measured, and on which host: the title of the page.

use fathom_job::plan::TargetKind;
use fathom_results::{FileRecord, RunRecord};
use fathom_text::quantity::bytes;

/// Targets that are named before the rest is only counted.
const NAMED_MAX: usize = 2;

/// Model and size of the device, or of the few devices; the path where that is all that is known.
pub(super) fn subject(record: &RunRecord) -> String {
    let mut targets: Vec<String> = Vec::new();
    let files =
        record.plan.jobs.iter().flat_map(|job| &job.files).filter(|file| file.kind != TargetKind::None);
    for target in files.map(|file| target(record, file)) {
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    match targets.len() {
        0 => "fathom's load generator, without a device".to_owned(),
        n if n <= NAMED_MAX => targets.join(" and "),
        n => format!("{} and {} more targets", targets[0], n - 1),
    }
}

/// The host's name, where it is known.
pub(super) fn host(record: &RunRecord) -> Option<&str> {
    record.fact("hostname")
}

fn target(record: &RunRecord, file: &FileRecord) -> String {
    let grounds = record.grounds();
    let ground = grounds.of(&file.path);
    let fact =
        |name: &str| record.fact(&format!("target.{ground}.{name}")).filter(|text| !text.trim().is_empty());
    let size = fact("size_bytes").and_then(|text| text.parse().ok()).map(bytes);
    let device = fact("model").map(str::trim).or(fact("disk"));
    match (device, size, file.kind) {
        (Some(device), Some(size), _) => format!("{device}, {size}"),
        (Some(device), None, _) => device.to_owned(),
        (None, Some(size), TargetKind::Block) => format!("{}, {size}", file.path),
        _ => file.path.clone(),
    }
}
