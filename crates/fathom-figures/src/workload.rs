//! What jobs do, in the words of job files.

use crate::Row;
use fathom_job::direction::Direction;
use fathom_job::options;
use fathom_job::plan::{Arrivals, Rate, WaitedSync};
use fathom_job::value::Mix;
use fathom_results::{JobRecord, JobResult};

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

/// A job, and the number of its clones.
type Clones<'a> = (&'a JobRecord, usize);

/// What jobs do, each given by its clones: `4k randread QD32 ×4`, `4k-1m randread QD1 (32 asked)`, `4k randread zipf:1.2 QD8`; of jobs
/// that do different things, each of them: `8k randread QD16 ×2, 4k write QD1`.
pub fn workload_of<'a>(parts: impl Iterator<Item = &'a [JobResult]>) -> String {
    let parts: Vec<Clones<'_>> = parts.map(|part| (&part[0].planned, part.len())).collect();
    each_workload(&parts).join(", ")
}

/// What these jobs do, each with the number of its workers; those that do the same are told together.
fn each_workload(jobs: &[Clones<'_>]) -> Vec<String> {
    let mut all: Vec<(String, usize)> = Vec::new();
    for (job, clones) in jobs {
        let of_io = || format!("{} {}{} QD{}", blocks(job), order_and_mix(job), skew(job), depth(job));
        let what = match job.cpu_load() {
            Some(load) => load,
            None if job.is_of_names() => format!("{} QD{}", job.engine, depth(job)),
            None => of_io(),
        };
        match all.iter_mut().find(|(known, _)| *known == what) {
            Some((_, n)) => *n += clones,
            None => all.push((what, *clones)),
        }
    }
    all.into_iter().map(|(what, n)| if n > 1 { format!("{what} ×{n}") } else { what }).collect()
}

/// The jobs of these rows, each once with the number of its clones, in plan order. Those that share a row are together.
fn jobs_of<'a>(rows: &[Row<'a>]) -> Vec<Vec<Clones<'a>>> {
    let mut groups: Vec<Vec<Clones<'_>>> = Vec::new();
    let first_clone = |job: &JobRecord| job.id - job.subjob;
    for row in rows {
        let mut parts = row.parts().map(|part| (&part[0].planned, part.len())).peekable();
        let before = groups.last_mut().and_then(|group| group.last_mut());
        if let (Some((job, clones)), Some(first)) = (before, parts.peek())
            && first_clone(job) == first_clone(first.0)
        {
            *clones += first.1;
            parts.next();
        }
        let others: Vec<Clones<'_>> = parts.collect();
        groups.extend((!others.is_empty()).then_some(others));
    }
    groups
}

/// The jobs of these rows, each once, in plan order. Clones are one job.
pub fn planned_jobs<'a>(rows: &[Row<'a>]) -> Vec<&'a JobRecord> {
    jobs_of(rows).into_iter().flatten().map(|(job, _)| job).collect()
}

/// Each text once, in their order.
fn different(all: impl Iterator<Item = String>) -> Vec<String> {
    all.fold(Vec::new(), |mut known, text| {
        if !known.contains(&text) {
            known.push(text);
        }
        known
    })
}

/// Most I/Os that a worker of this job has in flight: its depth, and where it only writes, the writes between two syncs that it
/// waits for.
pub fn in_flight_max(job: &JobRecord) -> u32 {
    let is_only_writes = !job.uses(Direction::Read) && !job.uses(Direction::Trim);
    let sync = waited_sync(job).filter(|_| is_only_writes);
    sync.map_or(job.depth.reachable, |sync| sync.depth_of_writes(job.depth.reachable))
}

fn waited_sync(job: &JobRecord) -> Option<WaitedSync> {
    WaitedSync::of(&job.job, job.engine_def()?).filter(|_| job.uses(Direction::Write))
}

/// The depth that a worker can have, with the one that was asked for where that is another: `1 (32 asked)`; `≤32` where a rate, a
/// latency that it is to keep, or syncs that the worker waits for, keep it below that.
pub fn depth(job: &JobRecord) -> String {
    let (most, asked) = (in_flight_max(job), job.depth.asked);
    let has_rate = job.pace.rate.iter().any(|(_, rate)| rate.is_some());
    let is_emptied = waited_sync(job).is_some_and(|sync| sync.writes < job.depth.reachable);
    let is_kept_below = has_rate || is_emptied || job.pace.goal.is_some();
    let bound = if most > 1 && is_kept_below { "≤" } else { "" };
    match most == asked {
        true => format!("{bound}{asked}"),
        false => format!("{bound}{most} ({asked} asked)"),
    }
}

/// The rate that each worker is to keep: `rate_iops=2000`, `rate=10m`; of directions with different rates
/// `rate_iops=2000,500`, in the order read, write, trim. `None` without a rate.
fn rate(job: &JobRecord) -> Option<String> {
    let used = Direction::ALL.into_iter().filter(|direction| job.uses(*direction));
    let of_each: Vec<Option<Rate>> = used.map(|direction| job.pace.rate[direction]).collect();
    let one = |rate: &Option<Rate>| match rate {
        Some(Rate::Ios(ios)) => ios.to_string(),
        Some(Rate::Bytes(bytes)) => block(*bytes),
        None => String::new(),
    };
    let first = of_each.iter().flatten().next()?;
    let option = if matches!(first, Rate::Ios(_)) { "rate_iops" } else { "rate" };
    let mut rates: Vec<String> = of_each.iter().map(one).collect();
    if rates.iter().all(|rate| *rate == rates[0]) {
        rates.truncate(1);
    }
    let poisson = if job.pace.arrivals == Arrivals::Poisson { " poisson" } else { "" };
    Some(format!("{option}={}{poisson}", rates.join(",")))
}

/// How often the job makes its writes safe: `fdatasync=1`, `sync=1`. `None` where it reads only or never does.
pub fn syncs(job: &JobRecord) -> Option<String> {
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
pub fn sizes_and_depth(job: &JobRecord) -> String {
    format!("{} QD{}", blocks(job), depth(job))
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
    let order = match (&job.replays, job.rw.random) {
        (Some(_), _) => "replayed ",
        (None, true) => "rand",
        (None, false) => "",
    };
    let what = match job.rw.mix {
        Mix::Read => "read".to_owned(),
        Mix::Write => "write".to_owned(),
        Mix::Trim => "trim".to_owned(),
        Mix::ReadWrite => {
            format!("rw{}", reads_of_mix(job).map_or(String::new(), |percent| percent.to_string()))
        }
        Mix::TrimWrite => "trimwrite".to_owned(),
    };
    format!("{order}{what}")
}

/// Percent of reads in a mix. Where its directions have rates, these decide it, and not `rwmixread`; `None` where only one has a
/// rate, or where rates in bytes meet blocks of different sizes.
pub fn reads_of_mix(job: &JobRecord) -> Option<u8> {
    let percent = |read: u64, write: u64| {
        let share = 100.0 * read as f64 / (read as f64 + write as f64);
        Some(share.round() as u8)
    };
    match (job.pace.rate.read, job.pace.rate.write) {
        (None, None) => Some(job.read_percent),
        (Some(Rate::Ios(read)), Some(Rate::Ios(write))) => percent(read, write),
        (Some(Rate::Bytes(read)), Some(Rate::Bytes(write))) if job.block.read == job.block.write => {
            percent(read, write)
        }
        _ => None,
    }
}

/// How unevenly the offsets are spread: ` zipf:1.2`; empty where all are alike.
fn skew(job: &JobRecord) -> String {
    let distribution = job.job.get(&options::RANDOM_DISTRIBUTION);
    distribution.brief().filter(|_| job.rw.random).map(|brief| format!(" {brief}")).unwrap_or_default()
}

/// What the jobs have of an option, each with its job unless all have the same: `rate_iops=2000`, `a rate_iops=2000`. Of
/// many only their number is told: `4 jobs with a rate`.
fn told(jobs: &[&JobRecord], of: fn(&JobRecord) -> Option<String>, what: &str) -> Option<String> {
    let all: Vec<(&str, String)> =
        jobs.iter().filter_map(|job| Some((job.name.as_str(), of(job)?))).collect();
    let (_, first) = all.first()?;
    Some(match all.len() {
        n if n == jobs.len() && all.iter().all(|(_, one)| one == first) => first.clone(),
        1..=LISTED_MAX => {
            all.iter().map(|(name, one)| format!("{name} {one}")).collect::<Vec<_>>().join(", ")
        }
        n => format!("{n} jobs with {what}"),
    })
}

/// The engines, each with its jobs unless all have the same: `psync (a), io_uring (b and c), libaio (4 jobs)`.
fn engines(jobs: &[&JobRecord]) -> String {
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for job in jobs {
        let (engine, name) = (job.engine.as_str(), job.name.as_str());
        match all.iter_mut().find(|(known, _)| *known == engine) {
            Some((_, names)) => names.push(name),
            None => all.push((engine, vec![name])),
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
    let all = planned_jobs(rows);
    let workloads = || different(jobs_of(rows).iter().flat_map(|group| each_workload(group)));
    let sizes = || different(all.iter().map(|job| sizes_and_depth(job)));
    let kinds =
        has_workloads.then(|| [workloads(), sizes()].into_iter().find(|kinds| kinds.len() <= LISTED_MAX));
    let cache = match (all.iter().all(|job| job.direct), all.iter().any(|job| job.direct)) {
        (true, _) => ", direct=1",
        (_, false) => ", direct=0",
        _ => "",
    };
    let how = Some(format!("{}{cache}", engines(&all))).filter(|_| !all.is_empty());
    let kinds = kinds.flatten().map(|kinds| kinds.join(", "));
    [kinds, told(&all, rate, "a rate"), told(&all, syncs, "syncs"), how]
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
            ("rw=randrw bs=4k rate_iops=,500", "4k randrw QD1; rate_iops=,500; psync, direct=1"),
            (
                "rw=randrw bs=16k rwmixread=70 rate_iops=100,900",
                "16k randrw10 QD1; rate_iops=100,900; psync, direct=1",
            ),
            ("rw=rw bs=16k rwmixread=70 rate=1m,3m", "16k rw25 QD1; rate=1m,3m; psync, direct=1"),
            ("rw=randread bs=4k random_distribution=zipf:1.2", "4k randread zipf:1.2 QD1; psync, direct=1"),
            (
                "rw=randrw bs=4k random_distribution=zoned:60/10:40/90",
                "4k randrw50 in zones QD1; psync, direct=1",
            ),
            ("rw=read bs=4k random_distribution=zipf:1.2", "4k read QD1; psync, direct=1"),
        ];
        for (job, said) in cases {
            assert_eq!(words(job), said, "{job}");
        }
    }

    /// A worker that waits for each sync has no more writes in flight than there are between two of them.
    #[test]
    fn a_depth_that_syncs_empty_is_not_the_depth() {
        let cases = [
            ("libaio", "rw=write fsync=1", "4k write QD1 (32 asked); fsync=1"),
            ("libaio", "rw=randwrite fdatasync=1", "4k randwrite QD1 (32 asked); fdatasync=1"),
            ("libaio", "rw=write fsync=9 fdatasync=4", "4k write QD≤4 (32 asked); fsync=9 fdatasync=4"),
            ("libaio", "rw=write fsync=32", "4k write QD32; fsync=32"),
            ("libaio", "rw=randread latency_target=1ms latency_window=1s", "4k randread QD≤32"),
            ("libaio", "rw=randrw fsync=1", "4k randrw50 QD≤32; fsync=1"),
            ("libaio", "rw=write sync=1", "4k write QD32; sync=1"),
            ("libaio", "rw=read fsync=1", "4k read QD32"),
            ("io_uring", "rw=write fsync=1", "4k write QD32; fsync=1"),
        ];
        for (engine, job, what) in cases {
            let text = format!("ioengine={engine} direct=1 filename=/data/f bs=4k iodepth=32 {job}");
            let run = RunBuilder::of(&text).run();
            assert_eq!(described(&rows(&run), true), format!("{what}; {engine}, direct=1"), "{text}");
            assert_eq!(workload_of(rows(&run)[0].parts()), what.split(';').next().unwrap(), "{text}");
        }
    }

    #[test]
    fn each_job_of_a_group_is_told() {
        let text = "[global]\nfilename=/data/f\ngroup_reporting\ndirect=1\n[pages]\nrw=randread\nbs=8k\n\
                    iodepth=16\nioengine=io_uring\nnumjobs=2\n[wal]\nrw=write\nbs=4k\nioengine=psync\n\
                    fdatasync=1\n";
        let run = RunBuilder::text(text).run();
        let all = rows(&run);
        assert_eq!(
            (all.len(), workload_of(all[0].parts()).as_str()),
            (1, "8k randread QD16 ×2, 4k write QD1")
        );
        let engines = "io_uring (pages), psync (wal), direct=1";
        assert_eq!(
            described(&all, true),
            format!("8k randread QD16 ×2, 4k write QD1; wal fdatasync=1; {engines}")
        );
        // Clones that share no row are one job too.
        let apart = RunBuilder::text(&text.replace("group_reporting\n", "")).run();
        assert_eq!((rows(&apart).len(), described(&rows(&apart), true)), (3, described(&all, true)));
        let alike = "[global]\nioengine=null\nsize=1m\n[a]\n[b]\n";
        for (group, said) in
            [("", "4k read QD1; null, direct=0"), ("group_reporting\n", "4k read QD1 ×2; null, direct=0")]
        {
            let run = RunBuilder::text(&alike.replace("[a]", &format!("{group}[a]"))).run();
            assert_eq!(described(&rows(&run), true), said);
        }
    }

    #[test]
    fn an_engine_that_not_all_jobs_use_has_its_jobs() {
        let text = "[global]\nfilename=/data/f\nbs=4k\nrw=read\nioengine=psync\n[a]\n[b]\nioengine=libaio\n\
                    [c]\nioengine=libaio\n";
        let told = |text: &str| engines(&planned_jobs(&rows(&RunBuilder::text(text).run())));
        assert_eq!(told(text), "psync (a), libaio (b and c)");
        assert_eq!(told(&format!("{text}[d]\nioengine=libaio\n")), "psync (a), libaio (3 jobs)");
    }

    #[test]
    fn rates_of_some_jobs_have_their_names() {
        let text =
            "[global]\nioengine=psync\nfilename=/data/f\nbs=4k\nrw=read\n[a]\nrate_iops=9\n[b]\nstonewall\n";
        let told =
            |text: &str| super::told(&planned_jobs(&rows(&RunBuilder::text(text).run())), rate, "a rate");
        assert_eq!(told(text).as_deref(), Some("a rate_iops=9"));
        assert_eq!(told(&format!("{text}rate_iops=9\n")).as_deref(), Some("rate_iops=9"));
        let more = "[c]\nstonewall\nrate=1m\n[d]\nstonewall\nrate=2m\n[e]\nstonewall\nrate=3m\n";
        assert_eq!(told(&format!("{text}{more}")).as_deref(), Some("4 jobs with a rate"));
    }
}
