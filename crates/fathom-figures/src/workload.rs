//! What jobs do, in the words of job files.

use crate::Row;
use fathom_job::direction::Direction;
use fathom_job::options;
use fathom_job::value::Mix;
use fathom_results::{JobRecord, RateRecord};

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
pub fn workload(row: &Row<'_>) -> String {
    let job = row.first();
    let workers = if row.members.len() > 1 { format!(" ×{}", row.members.len()) } else { String::new() };
    format!("{} {} QD{}{workers}", blocks(job), order_and_mix(job), depth(job))
}

/// The depth that a worker can reach, with the one that was asked for where that is another: `1 (32 asked)`.
pub fn depth(job: &JobRecord) -> String {
    match (job.depth.reachable, job.depth.asked) {
        (reachable, asked) if reachable == asked => asked.to_string(),
        (reachable, asked) => format!("{reachable} ({asked} asked)"),
    }
}

/// The rate that each worker is to keep: `rate_iops=2000`, `rate=10m`; of directions with different rates
/// `rate_iops=2000,500`, in the order read, write, trim. `None` without a rate.
fn rate(job: &JobRecord) -> Option<String> {
    let used = Direction::ALL.into_iter().filter(|direction| job.uses(*direction));
    let of_each: Vec<Option<RateRecord>> = used.map(|direction| job.pace.rate[direction]).collect();
    let one = |rate: &Option<RateRecord>| match rate {
        Some(RateRecord::Ios(ios)) => ios.to_string(),
        Some(RateRecord::Bytes(bytes)) => block(*bytes),
        None => String::new(),
    };
    let first = of_each.iter().flatten().next()?;
    let option = if matches!(first, RateRecord::Ios(_)) { "rate_iops" } else { "rate" };
    let mut rates: Vec<String> = of_each.iter().map(one).collect();
    if rates.iter().all(|rate| *rate == rates[0]) {
        rates.truncate(1);
    }
    Some(format!("{option}={}", rates.join(",")))
}

/// How often the job makes its writes safe: `fdatasync=1`, `sync=1`. `None` where it reads only or never does.
fn syncs(job: &JobRecord) -> Option<String> {
    let often = |name: &str, every: u32| (every > 0).then(|| format!("{name}={every}"));
    let opened = match job.job.get(&options::SYNC) {
        "none" => None,
        "sync" => Some("sync=1".to_owned()),
        word => Some(format!("sync={word}")),
    };
    let all = [
        often("fsync", job.job.get(&options::FSYNC)),
        often("fdatasync", job.job.get(&options::FDATASYNC)),
        job.job.get(&options::END_FSYNC).then(|| "end_fsync=1".to_owned()),
        opened,
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    (job.uses(Direction::Write) && !all.is_empty()).then(|| all.join(" "))
}

/// `4k QD32`.
pub fn sizes_and_depth(row: &Row<'_>) -> String {
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

/// What the jobs have of an option, each with its job unless all have the same: `rate_iops=2000`, `a rate_iops=2000`. Of
/// many only their number is told: `4 jobs with a rate`.
fn told(rows: &[Row<'_>], of: fn(&JobRecord) -> Option<String>, what: &str) -> Option<String> {
    let all: Vec<(&str, String)> =
        rows.iter().filter_map(|row| Some((row.name(), of(row.first())?))).collect();
    let (_, first) = all.first()?;
    Some(match all.len() {
        n if n == rows.len() && all.iter().all(|(_, one)| one == first) => first.clone(),
        1..=LISTED_MAX => {
            all.iter().map(|(name, one)| format!("{name} {one}")).collect::<Vec<_>>().join(", ")
        }
        n => format!("{n} jobs with {what}"),
    })
}

/// The engines, each with its jobs unless all have the same: `psync (a), io_uring (b and c), libaio (4 jobs)`.
fn engines(rows: &[Row<'_>]) -> String {
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows {
        let engine = row.first().engine.as_str();
        match all.iter_mut().find(|(known, _)| *known == engine) {
            Some((_, names)) => names.push(row.name()),
            None => all.push((engine, vec![row.name()])),
        }
    }
    let told = |(engine, names): &(&str, Vec<&str>)| match names.as_slice() {
        few if few.len() < LISTED_MAX => format!("{engine} ({})", few.join(" and ")),
        many => format!("{engine} ({} jobs)", many.len()),
    };
    match all.as_slice() {
        [(engine, _)] => (*engine).to_owned(),
        several => several.iter().map(told).collect::<Vec<_>>().join(", "),
    }
}

/// What the jobs do, the rates asked for, their syncs, the engine, and whether they use the page cache: `4k randread QD32, 1m write
/// QD8; rate_iops=2000; io_uring, direct=1`. Of many kinds of jobs only block sizes and depths are told; without
/// `has_workloads` none.
pub fn described(rows: &[Row<'_>], has_workloads: bool) -> String {
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
    let engines = engines(rows);
    let cache = match each(&|row| row.first().direct.to_string()).as_slice() {
        [all] if all == "true" => ", direct=1",
        [_] => ", direct=0",
        _ => "",
    };
    let how = Some(format!("{engines}{cache}")).filter(|_| !rows.is_empty());
    [kinds, told(rows, rate, "a rate"), told(rows, syncs, "syncs"), how]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::RunBuilder;
    use crate::rows;

    fn words(job: &str) -> String {
        let run = RunBuilder::of(&format!("ioengine=psync direct=1 filename=/data/f {job}")).run();
        described(&rows(&run), true)
    }

    #[test]
    fn the_words_are_those_of_job_files() {
        let cases = [
            ("rw=randread bs=4k", "4k randread QD1; psync, direct=1"),
            ("rw=randread bs=4k iodepth=32", "4k randread QD1 (32 asked); psync, direct=1"),
            ("rw=write bs=1m direct=0", "1m write QD1; psync, direct=0"),
            ("rw=read bs=4k rate_iops=2000", "4k read QD1; rate_iops=2000; psync, direct=1"),
            ("rw=randwrite bs=4k rate=10m", "4k randwrite QD1; rate=10m; psync, direct=1"),
            ("rw=randrw bs=4k rate_iops=900", "4k randrw50 QD1; rate_iops=900; psync, direct=1"),
            ("rw=write bs=4k fdatasync=1", "4k write QD1; fdatasync=1; psync, direct=1"),
            ("rw=write bs=4k fsync=8 end_fsync=1", "4k write QD1; fsync=8 end_fsync=1; psync, direct=1"),
            ("rw=write bs=4k sync=1", "4k write QD1; sync=1; psync, direct=1"),
            ("rw=write bs=4k sync=dsync", "4k write QD1; sync=dsync; psync, direct=1"),
            ("rw=read bs=4k fsync=1", "4k read QD1; psync, direct=1"),
            ("rw=randrw bs=4k rate_iops=,500", "4k randrw50 QD1; rate_iops=,500; psync, direct=1"),
        ];
        for (job, said) in cases {
            assert_eq!(words(job), said, "{job}");
        }
    }

    #[test]
    fn an_engine_that_not_all_jobs_use_has_its_jobs() {
        let text = "[global]\nfilename=/data/f\nbs=4k\nrw=read\nioengine=psync\n[a]\n[b]\nioengine=libaio\n\
                    [c]\nioengine=libaio\n";
        let told = |text: &str| engines(&rows(&RunBuilder::text(text).run()));
        assert_eq!(told(text), "psync (a), libaio (b and c)");
        assert_eq!(told(&format!("{text}[d]\nioengine=libaio\n")), "psync (a), libaio (3 jobs)");
    }

    #[test]
    fn rates_of_some_jobs_have_their_names() {
        let text =
            "[global]\nioengine=psync\nfilename=/data/f\nbs=4k\nrw=read\n[a]\nrate_iops=9\n[b]\nstonewall\n";
        let told = |text: &str| super::told(&rows(&RunBuilder::text(text).run()), rate, "a rate");
        assert_eq!(told(text).as_deref(), Some("a rate_iops=9"));
        assert_eq!(told(&format!("{text}rate_iops=9\n")).as_deref(), Some("rate_iops=9"));
        let more = "[c]\nstonewall\nrate=1m\n[d]\nstonewall\nrate=2m\n[e]\nstonewall\nrate=3m\n";
        assert_eq!(told(&format!("{text}{more}")).as_deref(), Some("4 jobs with a rate"));
    }
}
