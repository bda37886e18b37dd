//! The guides want 512-byte sectors for blocks below 4 KiB, and 4096-byte sectors from there on (contract
//! V-24). A plan with both kinds on one drive is one for two runs, with a format between them.

use super::{PlannedJob, TargetKind};
use crate::diagnostic::{Diagnostic, Severity};
use crate::job::{Job, Origin};
use crate::options;
use crate::units::Bytes;
use fathom_text::shell::quoted_carried;

/// From this block size on, sectors are to be as large.
const LARGE: Bytes = Bytes::kib(4);
const SMALL_SECTOR: u64 = 512;
const LARGE_SECTOR: u64 = 4096;

/// Says for each drive with both kinds of jobs how they are run in two parts.
pub(super) fn findings(jobs: &[PlannedJob]) -> Vec<Diagnostic> {
    let mut devices: Vec<(&str, Bytes)> = Vec::new();
    for file in jobs.iter().filter(|job| job.subjob == 0).flat_map(|job| &job.files) {
        if file.kind == TargetKind::Block && !devices.iter().any(|(path, _)| *path == file.path) {
            devices.push((&file.path, file.lba));
        }
    }
    devices.into_iter().filter_map(|(path, sector)| split(jobs, path, sector)).collect()
}

fn split(jobs: &[PlannedJob], path: &str, sector: Bytes) -> Option<Diagnostic> {
    let on_it =
        |job: &&PlannedJob| job.subjob == 0 && job.direct && job.files.iter().any(|file| file.path == path);
    let (small, large): (Vec<&PlannedJob>, Vec<&PlannedJob>) =
        jobs.iter().filter(on_it).partition(|job| job.block_min() < LARGE);
    let (first_small, _) = (small.first()?, large.first()?);
    let message = format!(
        "{} below 4 KiB and {} from 4 KiB on use {path}, which has sectors of {} bytes; a drive is fastest with \
         512-byte sectors for the former and with 4096-byte sectors for the latter. If it can be formatted so, run \
         them in two parts",
        fathom_text::words::counted(small.len(), "job"),
        fathom_text::words::counted(large.len(), "job"),
        sector.0
    );
    // The part for the sectors that the drive has comes first.
    let mut parts = vec![(SMALL_SECTOR, small.clone()), (LARGE_SECTOR, large.clone())];
    if sector.0 >= LARGE_SECTOR {
        parts.reverse();
    }
    let place = first_small.job.setting(&options::BS).map_or(&first_small.job.span, |setting| &setting.span);
    let mut found = Diagnostic::new(Severity::Note, "V-24", message).at(place);
    for (bytes, part) in &parts {
        if *bytes != sector.0 {
            found =
                found.hint(format!("fathom purge {} --lba {bytes} --destroy SERIAL", quoted_carried(path)));
        }
        found = found.hint(command(part, jobs));
    }
    Some(found)
}

/// The command line that runs these jobs: their files, and their sections where a file has others too.
fn command(part: &[&PlannedJob], all: &[PlannedJob]) -> String {
    let mut files: Vec<&str> = part.iter().map(|job| job.job.span.file.as_str()).collect();
    files.dedup();
    let is_other = |job: &PlannedJob| job.subjob == 0 && !part.iter().any(|own| own.id == job.id);
    let has_others = all.iter().any(|job| is_other(job) && files.contains(&job.job.span.file.as_str()));
    let mut line = "fathom run".to_owned();
    files.iter().for_each(|file| line += &format!(" {}", quoted_carried(file)));
    if has_others {
        part.iter().for_each(|job| line += &format!(" --section {}", quoted_carried(&job.job.section)));
    }
    line + &overrides(&part[0].job)
}

/// What the command line set in every job.
fn overrides(job: &Job) -> String {
    let set = job.settings().filter(|(_, setting)| setting.origin == Origin::Override);
    set.map(|(name, setting)| match name == options::FILENAME.def.name {
        true => format!(" --target {}", quoted_carried(&setting.text.replace("\\:", ":"))),
        false => format!(" --set {}", quoted_carried(&format!("{name}={}", setting.text))),
    })
    .collect()
}
