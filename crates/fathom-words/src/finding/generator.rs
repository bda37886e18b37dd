//! What the generator was: its CPU, its data, its logs, its sleeps, kernel threads that worked for it.

use super::FindingWords;
use crate::claim::claim;
use fathom_job::plan::ranges;
use fathom_results::finding::{
    CpuWait, DataMade, GeneratorLimit, GeneratorSign, InlineIo, InlineSign, JobWithoutCpus, KernelWork,
    LateStart, LogWait, PartlyRegistered, Registration,
};
use fathom_results::{CpuQuota, Evidence, KernelWorkerKind};
use fathom_text::number::grouped;
use fathom_text::quantity::{iops, latency, percent};
use fathom_text::words::listed;

pub(super) fn words(evidence: &Evidence) -> Option<FindingWords> {
    Some(match evidence {
        Evidence::CpuQuota { quota, jobs } => FindingWords::of(
            claim("the CPU quota of fathom's control group stopped it")
                .explained(": the target may be faster, and each stop is part of a latency"),
            &each(jobs, |job| format!("{job}: {}", cpu_quota(quota))),
            "raise the quota (cpu.max of the control group, the CPU limit of a container), or measure outside the group",
        ),
        Evidence::GeneratorLimited(evidence) => generator_limited(evidence),
        Evidence::DataLimited { jobs } => data_limited(jobs),
        Evidence::LogLimited { workers } => FindingWords::of(
            claim("the log was written more slowly than the job produced it")
                .explained(", and slowed the job down"),
            &each(workers, log_wait),
            "log averages (log_avg_msec=1000), or keep the results on a faster disk",
        ),
        Evidence::KernelWorkers { jobs } => kernel_workers(jobs),
        Evidence::RegistrationDiffers { jobs } => FindingWords::of(
            claim("io_uring registered something for some clones of a job and not for all")
                .so(", so they are not alike"),
            &each(jobs, registered),
            "raise the limit of locked memory (ulimit -l unlimited), or use fewer or smaller buffers",
        ),
        Evidence::WokenLate { jobs } => woken_late(jobs),
        Evidence::CompletesInline { jobs } => FindingWords::of(
            claim("I/O completes inline").explained(": latency is CPU copy time, not a device's"),
            &each(jobs, inline),
            "for a device's latency, direct=1 on a device that is not made of memory",
        ),
        Evidence::CpusMissing { jobs } => FindingWords::of(
            "jobs ran on other CPUs than they asked for",
            &each(jobs, without_cpus),
            "--set cpus_allowed=LIST with CPUs that exist",
        ),
        _ => return None,
    })
}

fn each<T>(all: &[T], words: impl Fn(&T) -> String) -> Vec<String> {
    all.iter().map(words).collect()
}

fn without_cpus(job: &JobWithoutCpus) -> String {
    let machine = match job.cpus.of_machine {
        0 | 1 => "only CPU 0".to_owned(),
        cpus => format!("CPUs 0-{}", cpus - 1),
    };
    let [missing, present] = [&job.cpus.missing, &job.cpus.present].map(|cpus| ranges(cpus));
    format!("job {} allows CPU {missing}, but this machine has {machine}; it ran on {present}", job.job)
}

/// A CPU quota, and how often it stopped fathom.
pub fn cpu_quota(quota: &CpuQuota) -> String {
    format!(
        "the control group may use {} of one CPU, and had used it up in {} of {} periods",
        percent(quota.cpus()),
        grouped(quota.stopped.min(quota.periods)),
        grouped(quota.periods)
    )
}

fn generator_limited(evidence: &GeneratorLimit) -> FindingWords {
    if evidence.limited.is_empty() {
        let delayed = each(&evidence.delayed, |it| format!("{}: {}", it.job, cpu_wait(&it.wait)));
        return FindingWords::of(
            claim("fathom waited for a CPU").explained(": its waits are part of the latency"),
            &delayed,
            "end other programs that use the CPU; in a job file, numjobs=2 or more uses more CPUs (cpus_allowed)",
        );
    }
    let is_starved = evidence.limited.iter().any(|it| matches!(it.sign, GeneratorSign::Starved(_)));
    let what = match is_starved {
        true => "other programs used the CPU",
        false => "fathom used all the CPU time that it can use",
    };
    FindingWords::of(
        claim(what).explained(": the target may be faster than this"),
        &each(&evidence.limited, |it| format!("{}: {}", it.job, generator_sign(&it.sign))),
        "end other programs that use the CPU; in a job file, numjobs=2 or more uses more CPUs (cpus_allowed)",
    )
}

/// How it is known that the generator set the rate.
pub fn generator_sign(sign: &GeneratorSign) -> String {
    match sign {
        GeneratorSign::Starved(wait) => cpu_wait(wait),
        GeneratorSign::Ceiling { iops: reached, iops_max, engine } => format!(
            "{} IOPS are {} of the {} that the generator reaches here without a target ({engine} engine)",
            iops(*reached),
            percent(reached / iops_max),
            iops(*iops_max)
        ),
        GeneratorSign::Full { worker, worker_system, machine, cpus, cpu_ns_per_io } => {
            let cost = cpu_ns_per_io.map_or_else(String::new, |ns| format!(", {} for each I/O", latency(ns)));
            let [worker, system, machine] =
                [worker, worker_system, machine].map(|share| percent(share.min(1.0)));
            format!("{worker} of one core (kernel {system}) and {machine} of all {cpus}{cost}")
        }
    }
}

fn cpu_wait(wait: &CpuWait) -> String {
    format!(
        "{} of the time fathom waited for a CPU ({} switches, {} of them forced; {} each)",
        percent(wait.share),
        grouped(wait.switches),
        grouped(wait.involuntary),
        latency(wait.each_ns)
    )
}

fn data_limited(jobs: &[DataMade]) -> FindingWords {
    let item = |it: &DataMade| {
        format!(
            "{}: {} of the workers' time, {} for each write",
            it.job,
            percent(it.share),
            latency(it.each_ns)
        )
    };
    let most = jobs.iter().map(|it| it.share).fold(0.0, f64::max);
    FindingWords::of(
        claim("making new data for each write took part of the time").explained(", and the disk waited"),
        &each(jobs, item),
            "numjobs=2 or more makes data on more CPUs; without refill_buffers, a stamp makes each block another one at little cost",
        )
    .briefly(format!("making new data took {} of the time", percent(most)))
}

fn log_wait(it: &LogWait) -> String {
    let missing = match it.lost_ios {
        0 => String::new(),
        lost => format!(", and {} I/Os are not in it", grouped(lost)),
    };
    format!("{} waited for its log for {} of its time{missing}", it.worker, percent(it.share))
}

fn kernel_workers(jobs: &[KernelWork]) -> FindingWords {
    let is_handed_over = jobs.iter().any(|it| it.kind == KernelWorkerKind::IoWq);
    let claimed = match is_handed_over {
        true => claim("kernel worker path measured")
            .explained(": latency includes the hand-off of each I/O to a kernel thread"),
        false => {
            claim("a kernel thread submitted the I/O").explained(", on CPU time that is not the worker's")
        }
    };
    FindingWords::new(
        claimed,
        listed(&each(jobs, |it| format!("{}: {}", it.job, kernel_work(it)))),
        "ioengine=libaio or psync does this I/O without the hand-off; compare both",
    )
}

/// What kernel threads did for each I/O of a job, compared with its worker.
pub fn kernel_work(it: &KernelWork) -> String {
    let name = match it.kind {
        KernelWorkerKind::IoWq => "io-wq",
        KernelWorkerKind::Sqpoll => "SQPOLL",
    };
    format!(
        "{} {name} thread{} used {} of CPU for each I/O, the worker {}{}",
        grouped(it.threads),
        if it.threads == 1 { "" } else { "s" },
        latency(it.cpu_ns_per_io),
        latency(it.worker_ns_per_io),
        if it.is_punted { "; the target takes no RWF_NOWAIT" } else { "" }
    )
}

fn registered(it: &PartlyRegistered) -> String {
    let what = match it.what {
        Registration::Buffers => "buffers",
        Registration::Files => "files",
        Registration::Ring => "the ring",
    };
    format!("{}: {what} of {} of {} clones", it.job, grouped(it.registered), grouped(it.of))
}

fn woken_late(jobs: &[LateStart]) -> FindingWords {
    let share = |it: &LateStart| it.late_ns_mean / it.response_ns_mean;
    let item = |it: &LateStart| {
        let [late, mean] = [it.late_ns_mean, it.response_ns_mean].map(latency);
        format!("{}: {late} of {mean} ({}) of the mean response", it.job, percent(share(it)))
    };
    let most = jobs.iter().map(share).fold(0.0, f64::max);
    FindingWords::of(
        claim("fathom slept between I/Os and was woken late").explained(": that is part of the response"),
        &each(jobs, item),
        "end other programs that use the CPU; service (lat) in --details does not contain it",
    )
    .briefly(format!("late wake-ups are {} of the mean response", percent(most)))
}

fn inline(it: &InlineIo) -> String {
    match it.sign {
        InlineSign::Busy { cpu_ns_per_io, worker } => format!(
            "{}: {} of CPU for each I/O, worker busy {} of the time",
            it.job,
            latency(cpu_ns_per_io),
            percent(worker.min(1.0))
        ),
        InlineSign::Paced { latency_ns_mean, kernel_ns_per_io, sleeps_per_io } => format!(
            "{}: latency {}, CPU time in the kernel {}, {sleeps_per_io:.2} sleeps for each I/O",
            it.job,
            latency(latency_ns_mean),
            latency(kernel_ns_per_io)
        ),
    }
}
