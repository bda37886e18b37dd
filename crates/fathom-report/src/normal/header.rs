//! The lines above the results: what each job is, the version, the workers.

use crate::fio_json::version;
use crate::fio_number::{Unit, short};
use fathom_job::direction::Direction;
use fathom_job::options::{CPUCHUNKS, CPULOAD, CPUMODE, SIGNIFICANT_FIGURES};
use fathom_job::value::{Mix, Rw};
use fathom_results::{JobRecord, RunResult};
use fathom_text::words::counted;

/// One line per job, `...` for its clones, the version, and the start.
pub(super) fn header(run: &RunResult) -> String {
    let mut out = String::new();
    let jobs: Vec<&JobRecord> = run.jobs.iter().map(|j| &j.planned).collect();
    for clones in jobs.chunk_by(|_, next| next.subjob > 0).filter(|clones| !clones[0].burns_cpu()) {
        out.push_str(&overview(clones[0]));
        out.push_str(if clones.len() > 1 { "...\n" } else { "" });
    }
    out.push_str(&format!("{}\nStarting {}\n", version(run), counted(jobs.len(), "thread")));
    jobs.iter().filter(|job| job.burns_cpu()).for_each(|job| out.push_str(&load(job)));
    out + "\n"
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
