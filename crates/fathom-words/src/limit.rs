//! What limited the measurements, in words.

use crate::finding::{cpu_quota, generator_sign, kernel_work, of_finding};
use crate::jobs::capital;
use fathom_results::answer::limit::{
    Against, DeviceKind, Guest, LimitRounds, MemoryLimit, OneIoLimit, Queueing, RateLaw, RateUnit,
};
use fathom_results::answer::limit::{MeanInFlight, MeanLatency};
use fathom_results::{JobLimit, Limit, Limits};
use fathom_text::number::grouped;
use fathom_text::quantity::{bandwidth, iops, latency, percent, rate};
use fathom_text::words::counted;
use std::collections::BTreeSet;

/// Names of jobs that are given one by one.
const NAMES_MAX: usize = 2;

/// What is not known of a virtual disk, behind all limits.
const UNSEEN: &str = "; the host of the virtual machine may have a cache or a limit that fathom cannot see";

/// The limits in one line: `the device`; or `5 of 6 jobs: the device; seq-read-bandwidth: software on this machine`. What limited
/// most jobs is first.
pub fn line(limits: &Limits) -> String {
    forms(limits).swap_remove(0)
}

/// The same in fewer and fewer words, the longest first: without what explains it, then without the names of the jobs, and at
/// last what limited most jobs alone.
pub fn forms(limits: &Limits) -> Vec<String> {
    // A job may have one limit in some rounds and another in others.
    let all = limits.jobs.iter().map(|job| job.job.as_str()).collect::<BTreeSet<_>>().len();
    let claims = by_claim(limits);
    let part = if limits.is_part { format!(" (the first {all} jobs)") } else { String::new() };
    let text = |form: &dyn Fn(usize, &Claim<'_>) -> String| match claims.as_slice() {
        several if several.len() > 1 => {
            several.iter().enumerate().map(|(at, claim)| form(at, claim)).collect::<Vec<_>>().join("; ")
        }
        _ => claims.iter().map(|claim| form(usize::MAX, claim)).collect(),
    } + &part;
    let whole = text(&|at, claim| claim.named(at, all, &claim.what.whole()));
    let is_virtual = limits.jobs.iter().any(|job| is_of_virtual_disk(&job.limit));
    let unseen = is_virtual.then(|| format!("{whole}{UNSEEN}"));
    let shorter = [
        whole,
        text(&|at, claim| claim.named(at, all, &claim.what.noun)),
        text(&|at, claim| claim.counted(at, all)),
    ];
    let most = claims.first().filter(|_| claims.len() > 1);
    let most = most.map(|claim| format!("{} (others: --details)", claim.named(0, all, &claim.what.noun)));
    unseen.into_iter().chain(shorter).chain(most).collect()
}

/// A claim with the jobs that it is about, in the same rounds.
struct Claim<'l> {
    what: Noun,
    jobs: Vec<&'l JobLimit>,
}

fn by_claim(limits: &Limits) -> Vec<Claim<'_>> {
    let mut claims: Vec<Claim<'_>> = Vec::new();
    for job in &limits.jobs {
        let what = brief(&job.limit);
        let is_same = |known: &&mut Claim<'_>| known.what == what && known.jobs[0].rounds == job.rounds;
        match claims.iter_mut().find(is_same) {
            Some(known) => known.jobs.push(job),
            None => claims.push(Claim { what, jobs: vec![job] }),
        }
    }
    claims.sort_by_key(|claim| std::cmp::Reverse(claim.jobs.len()));
    claims
}

impl Claim<'_> {
    /// Behind the jobs that it is about, or behind their number; of one claim alone without them.
    fn named(&self, at: usize, all: usize, text: &str) -> String {
        let rounds = in_rounds(self.jobs[0].rounds.as_ref());
        let names: Vec<&str> = self.jobs.iter().map(|job| job.job.as_str()).collect();
        match names.len() {
            _ if at == usize::MAX => format!("{text}{rounds}"),
            0..=NAMES_MAX => format!("{}: {text}{rounds}", names.join(", ")),
            n => format!("{n} of {all} jobs: {text}{rounds}"),
        }
    }

    /// In few words, behind the first one with the number of its jobs.
    fn counted(&self, at: usize, all: usize) -> String {
        match at {
            0 | usize::MAX => self.named(at, all, &self.what.noun),
            _ => format!("{}: {}", counted(self.jobs.len() as u64, "other"), &self.what.noun),
        }
    }
}

/// Has the line more than one clause, because jobs have different limits or because something is not known of the disk?
pub fn has_clauses(limits: &Limits) -> bool {
    by_claim(limits).len() > 1 || limits.jobs.iter().any(|job| is_of_virtual_disk(&job.limit))
}

/// ` (in rounds 2 and 5)`, or how many of more; nothing of all rounds and of a run.
fn in_rounds(rounds: Option<&LimitRounds>) -> String {
    let Some(LimitRounds { rounds, of }) = rounds.filter(|it| (it.rounds.len() as u64) < it.of) else {
        return String::new();
    };
    match rounds.as_slice() {
        [one] => format!(" (in round {one})"),
        [one, other] => format!(" (in rounds {one} and {other})"),
        many => format!(" (in {} of {of} rounds)", many.len()),
    }
}

fn is_of_virtual_disk(limit: &Limit) -> bool {
    match limit {
        Limit::Device { target, .. } => *target == DeviceKind::VirtualDisk,
        Limit::OneIo { by, .. } => *by == OneIoLimit::Device { target: DeviceKind::VirtualDisk },
        _ => false,
    }
}

/// The figures behind the limits, a sentence for each job whose limit follows from figures:
/// `The device (a: 80.0k IOPS, …). Not certain: ….`
pub fn evidence(limits: &Limits) -> Vec<String> {
    limits.jobs.iter().filter_map(sentence).collect()
}

fn sentence(job: &JobLimit) -> Option<String> {
    let evidence = numbers(job)?;
    let against = against(job);
    let doubt = if against.is_empty() { String::new() } else { format!(" Not certain: {against}.") };
    Some(format!("{} ({evidence}).{doubt}", capital(&claim(&job.limit))))
}

/// What a job was limited by: a noun, plain and short, and what explains it.
#[derive(PartialEq, Eq)]
struct Noun {
    noun: String,
    /// It begins with a comma; empty where the noun says it all.
    explained: &'static str,
}

impl Noun {
    fn whole(&self) -> String {
        format!("{}{}", self.noun, self.explained)
    }
}

/// In the line of all limits, where a device itself is a device.
fn brief(limit: &Limit) -> Noun {
    match limit {
        Limit::OneIo { by: OneIoLimit::Device { target }, .. } => {
            Noun { noun: noun(*target).to_owned(), explained: "" }
        }
        limit => named(limit),
    }
}

/// What it was limited by, with what explains it.
pub fn claim(limit: &Limit) -> String {
    named(limit).whole()
}

fn named(limit: &Limit) -> Noun {
    let (fixed, explained) = match limit {
        Limit::TooShort => ("not known: the run was too short", ""),
        Limit::TooFew => ("not known: too few I/Os", ""),
        Limit::NoLatency { .. } => ("not known: no latency was kept", ""),
        Limit::AskedRate => ("the rate that the job asks for", ""),
        Limit::ThinkTime => ("the think time that the job asks for", ", at least in part"),
        Limit::TraceTimes => ("the times of the trace", ""),
        Limit::NoDevice => ("the CPU: no device is behind this engine", ""),
        Limit::SimulatedDrive => ("the simulated drive", ""),
        Limit::ControlGroup { direction, in_bytes, most, .. } => {
            let most = if *in_bytes { bandwidth(*most as f64) } else { format!("{} IOPS", grouped(*most)) };
            let noun = format!("the limit of fathom's control group: {} {most}", direction.name());
            return Noun { noun, explained: "" };
        }
        Limit::Memory { by, .. } => memory(*by),
        Limit::Quota { .. } => ("the CPU quota of fathom's control group", ", not the device"),
        Limit::Generator { sign } => generator(sign),
        Limit::OtherPrograms { target, .. } => (noun(*target), ", which others used at the same time"),
        Limit::Syncs { .. } => ("the syncs that the job asks for", ", each of which its worker waits for"),
        Limit::OneIo { by, .. } => match by {
            OneIoLimit::NotSaved => ("cannot be told: the CPU time was not saved", ""),
            OneIoLimit::Device { target } => {
                return Noun { noun: format!("{} itself", noun(*target)), explained: "" };
            }
            OneIoLimit::InlineCopies => ("CPU copy time: I/O completes inline", ""),
            OneIoLimit::Software => ("software on this machine", ""),
        },
        Limit::Submission { .. } => ("the worker", ", which did not keep the queue full"),
        Limit::RateLimit { round: Some(_), .. } => {
            ("a rate limit", ", probably of the hypervisor or the volume")
        }
        Limit::RateLimit { round: None, .. } => ("perhaps a rate limit", ", as the rate hardly varied"),
        Limit::Depth { depth, .. } => {
            let noun = format!("the queue depth of {depth}: more in flight would give more");
            return Noun { noun, explained: "" };
        }
        Limit::Device { target, .. } => (noun(*target), ""),
    };
    Noun { noun: fixed.to_owned(), explained }
}

const fn memory(by: MemoryLimit) -> (&'static str, &'static str) {
    match by {
        MemoryLimit::HandOff => ("the hand-off of I/O to kernel threads", ", not a disk"),
        MemoryLimit::Release => ("the release of memory", ", not a disk"),
        MemoryLimit::Copies => ("memory copies", ", not a disk"),
        MemoryLimit::Memory => ("memory", ", not a disk"),
        MemoryLimit::CacheCopies => ("memory copies from the page cache", ""),
        MemoryLimit::Cache => ("the page cache", ", at least in part"),
        MemoryLimit::NoDisk => ("memory: reads were answered without the disk", ""),
        MemoryLimit::BehindLoop => ("the page cache behind the loop device", ""),
        MemoryLimit::AboveDisk => ("a cache above the disk", ""),
    }
}

const fn generator(sign: &fathom_results::finding::GeneratorSign) -> (&'static str, &'static str) {
    use fathom_results::finding::GeneratorSign;
    match sign {
        GeneratorSign::Starved(_) => ("other programs used the CPUs part of the time", ""),
        GeneratorSign::Ceiling { .. } => ("fathom itself", ", not the device"),
        GeneratorSign::Full { .. } => ("this machine's CPU", ", not the device"),
    }
}

const fn noun(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Device => "the device",
        DeviceKind::VirtualDisk => "the virtual disk",
        DeviceKind::LoopDevice => "the loop device",
    }
}

/// The numbers behind a limit, those of the job behind its name; `None` where it follows from what the job asks for.
pub fn numbers(limit: &JobLimit) -> Option<String> {
    let job = &limit.job;
    Some(match &limit.limit {
        Limit::TooShort | Limit::TooFew | Limit::AskedRate | Limit::ThinkTime | Limit::TraceTimes => {
            return None;
        }
        Limit::NoDevice | Limit::SimulatedDrive => return None,
        Limit::NoLatency { rate } | Limit::OtherPrograms { rate, .. } | Limit::Syncs { rate } => {
            law(job, rate)
        }
        Limit::ControlGroup { direction, in_bytes, reached, most } => {
            let [reached, most] = match in_bytes {
                true => [bandwidth(*reached), bandwidth(*most as f64)],
                false => [rate(*reached), format!("{} IOPS", grouped(*most))],
            };
            format!("{job}: {} {reached} of at most {most}", direction.name())
        }
        Limit::Memory { finding, mean, threads, worker_busy, .. } => {
            let mean = mean.map_or_else(|| "unknown".to_owned(), self::mean);
            let threads = threads.as_ref().map(|it| format!("; {}", kernel_work(it))).unwrap_or_default();
            let basis = of_finding(finding).evidence_of(finding);
            format!("{basis}; {job}: mean latency {mean}{threads}{}", busy(*worker_busy))
        }
        Limit::Quota { quota } => format!("{job}: {}", cpu_quota(quota)),
        Limit::Generator { sign } => format!("{job}: {}", generator_sign(sign)),
        Limit::OneIo { mean, sync_ns, cpu_share, in_disk, .. } => {
            let sync = sync_ns.map(|ns| format!(" and {} for its sync", latency(ns))).unwrap_or_default();
            let cpu = cpu_share
                .map(|share| format!(", of which {} is CPU time of this machine's worker", percent(share)));
            let disk = in_disk.map(|ios| format!(", {ios:.2} I/Os in the disk on average"));
            let [cpu, disk] = [cpu, disk].map(Option::unwrap_or_default);
            format!("{job}: {} on average{sync}{cpu}{disk}", self::mean(*mean))
        }
        Limit::Submission { in_flight, depth, worker_busy } => {
            format!("{job}: {in_flight:.1} of {depth} in flight{}", busy(*worker_busy))
        }
        Limit::RateLimit {
            iops: rate,
            bytes_per_second,
            round,
            variation,
            windows,
            window_s,
            guest,
            queueing,
        } => {
            let round = round
                .as_ref()
                .map(|it| format!(", which is close to {} {}", grouped(it.number), unit(it.unit)));
            let place = match guest {
                Guest::VirtualDisk => " on a virtual disk".to_owned(),
                Guest::Of { hypervisor } => format!(" in a guest of {hypervisor}"),
            };
            format!(
                "{job}: {} IOPS, {}{}; {} of variation over {windows} windows of {window_s} s{place}{}",
                iops(*rate),
                bandwidth(*bytes_per_second),
                round.unwrap_or_default(),
                percent(*variation),
                queued(*queueing),
            )
        }
        Limit::Depth { rate, queueing, .. } => law(job, rate) + &queued(*queueing),
        Limit::Device { rate, worker_waited, queueing, .. } => {
            let waited = worker_waited
                .map(|share| format!(", worker waiting {} of the time", percent(share)))
                .unwrap_or_default();
            law(job, rate) + &waited + &queued(*queueing)
        }
    })
}

fn busy(share: Option<f64>) -> String {
    share.map(|share| format!(", worker busy {} of the time", percent(share))).unwrap_or_default()
}

const fn unit(unit: RateUnit) -> &'static str {
    match unit {
        RateUnit::Iops => "IOPS",
        RateUnit::Megabytes => "MB/s",
        RateUnit::Mebibytes => "MiB/s",
    }
}

/// `399 µs`; of a job with a rate `399 µs of service`, because its answer gives the response.
fn mean(mean: MeanLatency) -> String {
    format!("{}{}", latency(mean.ns), if mean.is_service { " of service" } else { "" })
}

/// `rand-read-iops: 80.0k IOPS × 399 µs = 31.9 of 32 in flight`.
fn law(job: &str, rate: &RateLaw) -> String {
    let text = format!("{job}: {} IOPS", iops(rate.iops));
    match (rate.mean, rate.in_flight) {
        (Some(mean), Some(n)) => format!("{text} × {} {}", self::mean(mean), in_flight(n)),
        _ => text,
    }
}

/// `= 31.9 of 32 in flight`, or `≈ 32 of 32 in flight` where only the edges of the window make the mean larger than the depth.
fn in_flight(n: MeanInFlight) -> String {
    let syncs = n.syncs.map(|syncs| format!(", and {syncs:.1} syncs")).unwrap_or_default();
    match n.is_rounded {
        true => format!("≈ {0} of {0} in flight{syncs}", n.depth),
        false => format!("= {:.1} of {} in flight{syncs}", n.mean, n.depth),
    }
}

fn queued(queueing: Option<Queueing>) -> String {
    match queueing {
        None => String::new(),
        Some(Queueing::Alone { times }) => format!(", latency {times:.1} × that of one alone"),
        Some(Queueing::Fastest { times, is_service }) => {
            let of = if is_service { "service" } else { "latency" };
            format!(", mean {of} {times:.1} × the fastest I/O of the same job")
        }
    }
}

/// What speaks against a limit; empty where nothing does.
pub fn against(limit: &JobLimit) -> String {
    let one = |against: &Against| match against {
        Against::NotMeasuredAlone => {
            "the same I/O was not measured at depth 1, so the queue depth may be the limit".to_owned()
        }
        Against::NotRound => {
            "the rate is not a round number; it may be the most that the device can do".to_owned()
        }
        Against::BeforeSubmission { share } => {
            format!("{} of the latency of {} passed in fathom, before submission", percent(*share), limit.job)
        }
        Against::LittleGrowth => {
            "latency hardly grew with depth; more depth may still give a little".to_owned()
        }
        Against::CacheNotCounted => {
            "the page cache may have answered: there is no count of what reached the disk".to_owned()
        }
        Against::HandOff { threads } => format!(
            "each I/O also waited for a thread of the kernel to take it over ({})",
            kernel_work(threads)
        ),
        Against::Hypervisor { name } => format!("how much of it {name} takes is not known here"),
    };
    limit.against.iter().map(one).collect::<Vec<_>>().join("; ")
}
