//! The lines above the results: what each job is, the version, the workers.

use crate::fio_json::version;
use crate::fio_number::{Unit, short};
use fathom_job::direction::Direction;
use fathom_job::options::{CPUCHUNKS, CPULOAD, CPUMODE, CREATE_ON_OPEN, SIGNIFICANT_FIGURES};
use fathom_job::plan::TargetKind;
use fathom_job::value::{Mix, Rw};
use fathom_results::{FileRecord, JobRecord, RunResult};
use fathom_text::words::counted;
use std::collections::HashSet;

/// One line per job, `...` for its clones, the version, the start, and the files that were laid out.
pub(super) fn header(run: &RunResult) -> String {
    let mut out = String::new();
    // What reads back is a part of its job here.
    let is_own = |job: &&JobRecord| job.reads_back.is_none();
    let jobs: Vec<&JobRecord> = run.jobs.iter().map(|job| &job.planned).filter(is_own).collect();
    for clones in jobs.chunk_by(|_, next| next.subjob > 0).filter(|clones| !clones[0].burns_cpu()) {
        out.push_str(&overview(clones[0]));
        out.push_str(if clones.len() > 1 { "...\n" } else { "" });
    }
    out.push_str(&format!(
        "{}\nStarting {}\n{}",
        version(run),
        counted(jobs.len(), "thread"),
        layouts(&jobs)
    ));
    jobs.iter().filter(|job| job.burns_cpu()).for_each(|job| out.push_str(&load(job)));
    out
}

/// A line for each job that found a file missing or too short. Scripts count the lines above the results.
fn layouts(jobs: &[&JobRecord]) -> String {
    let mut made = HashSet::new();
    let mut out = String::new();
    for job in jobs.iter().filter(|job| !job.job.get(&CREATE_ON_OPEN)) {
        let (mut count, mut bytes) = (0_u64, 0);
        for file in job.files.iter().filter(|file| is_too_short(file)) {
            for path in file.paths() {
                if made.insert(path) {
                    (count, bytes) = (count + 1, bytes + file.needs.0);
                }
            }
        }
        out += &match count {
            0 => continue,
            1 => format!("{}: Laying out IO file (1 file / {}MiB)\n", job.name, bytes >> 20),
            _ => format!("{}: Laying out IO files ({count} files / total {}MiB)\n", job.name, bytes >> 20),
        };
    }
    out
}

fn is_too_short(file: &FileRecord) -> bool {
    let is_file = matches!(file.kind, TargetKind::File | TargetKind::Missing);
    is_file && !file.path.is_empty() && file.needs > file.length.unwrap_or_default()
}

/// What fio prints of a load on a CPU, when that starts.
fn load(job: &JobRecord) -> String {
    let chunk_us = job.job.get(&CPUCHUNKS).0 / 1_000;
    format!(
        "{} ({}): ioengine=cpuio, cpuload={}, cpucycle={chunk_us}\n",
        job.name,
        job.job.get(&CPUMODE),
        job.job.get(&CPULOAD).min(100)
    )
}

fn overview(job: &JobRecord) -> String {
    let figures = job.job.get(&SIGNIFICANT_FIGURES) as usize;
    let size = |bytes: u64| short(bytes, figures, Unit::BytesIec);
    let blocks = Direction::ALL.map(|direction| {
        let letter = direction.name()[..1].to_uppercase();
        format!("({letter}) {}-{}", size(job.block[direction].min().0), size(job.block[direction].max().0))
    });
    format!(
        "{}: (g={}): rw={}, bs={}, ioengine={}, iodepth={}\n",
        job.name,
        job.group,
        rw_word(job.rw),
        blocks.join(", "),
        job.engine,
        job.depth.asked
    )
}

/// The pattern in fio's spelling.
pub(crate) fn rw_word(rw: Rw) -> &'static str {
    match (rw.mix, rw.random) {
        (Mix::Read, false) => "read",
        (Mix::Read, true) => "randread",
        (Mix::Write, false) => "write",
        (Mix::Write, true) => "randwrite",
        (Mix::Trim, false) => "trim",
        (Mix::Trim, true) => "randtrim",
        (Mix::ReadWrite, false) => "rw",
        (Mix::ReadWrite, true) => "randrw",
        (Mix::TrimWrite, false) => "trimwrite",
        (Mix::TrimWrite, true) => "randtrimwrite",
    }
}
