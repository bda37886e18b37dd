//! The lines above the results: what each job is, the version, the workers.

use crate::fio_json::version;
use crate::fio_number::{Unit, short};
use fathom_job::direction::Direction;
use fathom_job::options::SIGNIFICANT_FIGURES;
use fathom_job::value::{Mix, Rw};
use fathom_results::{JobRecord, RunResult};
use fathom_text::words::counted;

/// One line per job, `...` for its clones, the version, and the start.
pub(super) fn header(run: &RunResult) -> String {
    let mut out = String::new();
    // What reads back is a part of its job here.
    let is_own = |job: &&JobRecord| job.reads_back.is_none();
    let jobs: Vec<&JobRecord> = run.jobs.iter().map(|job| &job.planned).filter(is_own).collect();
    for clones in jobs.chunk_by(|_, next| next.subjob > 0) {
        out.push_str(&overview(clones[0]));
        out.push_str(if clones.len() > 1 { "...\n" } else { "" });
    }
    out + &format!("{}\nStarting {}\n\n", version(run), counted(jobs.len(), "thread"))
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
