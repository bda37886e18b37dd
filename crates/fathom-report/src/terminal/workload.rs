//! What jobs do, in the words of job files.

use crate::text::depth;
use fathom_figures::Row;
use fathom_job::direction::Direction;
use fathom_job::value::Mix;
use fathom_results::JobRecord;

/// More kinds of jobs than this are not listed one by one.
const LISTED_MAX: usize = 3;

/// A size as in a job file: `4k`.
fn block(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 20 && b.is_multiple_of(1 << 20) => format!("{}m", b >> 20),
        b if b >= 1 << 10 && b.is_multiple_of(1 << 10) => format!("{}k", b >> 10),
        b => b.to_string(),
    }
}

/// `4k randread QD32 ×4`, `4k-1m randread QD1 (32 asked)`.
pub(super) fn workload(row: &Row<'_>) -> String {
    let job = row.first();
    let workers = if row.members.len() > 1 { format!(" ×{}", row.members.len()) } else { String::new() };
    format!("{} {} QD{}{workers}", blocks(job), order_and_mix(job), depth(job))
}

/// `4k QD32`.
pub(super) fn sizes_and_depth(row: &Row<'_>) -> String {
    format!("{} QD{}", blocks(row.first()), depth(row.first()))
}

/// `4k`, `4k-1m`.
fn blocks(job: &JobRecord) -> String {
    let sizes = || {
        let used = Direction::ALL.into_iter().filter(|direction| job.uses(*direction));
        used.flat_map(|direction| job.block[direction].ends()).map(|bytes| bytes.0)
    };
    match (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0)) {
        (low, high) if low == high => block(low),
        (low, high) => format!("{}-{}", block(low), block(high)),
    }
}

/// `randread`, `rw70`.
fn order_and_mix(job: &JobRecord) -> String {
    let order = if job.rw.random { "rand" } else { "" };
    let what = match job.rw.mix {
        Mix::Read => "read".to_owned(),
        Mix::Write => "write".to_owned(),
        Mix::Trim => "trim".to_owned(),
        Mix::ReadWrite => format!("rw{}", job.read_percent),
        Mix::TrimWrite => "trimwrite".to_owned(),
    };
    format!("{order}{what}")
}

/// What the jobs do, engine, and whether they use the page cache: `4k randread QD32, 1m write QD8; io_uring, direct=1`.
/// Of many kinds of jobs only block sizes and depths are told; without `has_workloads` none.
pub(super) fn described(rows: &[Row<'_>], has_workloads: bool) -> String {
    let each = |of: &dyn Fn(&Row<'_>) -> String| {
        let mut all: Vec<String> = Vec::new();
        for one in rows.iter().map(of) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        all
    };
    let kinds = [each(&workload), each(&sizes_and_depth)].into_iter().find(|kinds| kinds.len() <= LISTED_MAX);
    let kinds = kinds.filter(|_| has_workloads).map(|kinds| kinds.join(", "));
    let engines = each(&|row| row.first().engine.clone()).join(", ");
    let cache = match each(&|row| row.first().direct.to_string()).as_slice() {
        [all] if all == "true" => ", direct=1",
        [_] => ", direct=0",
        _ => "",
    };
    let how = Some(format!("{engines}{cache}")).filter(|_| !rows.is_empty());
    [kinds, how].into_iter().flatten().collect::<Vec<_>>().join("; ")
}
