//! What results have beside their rates and latencies: a group of lines for each job, and one for the disks of a file.

use fathom_figures::fio::{
    FioDisk, FioFlow, FioJob, FioShare, FioShares, FioSpread, Imported, ImportedResult,
};
use fathom_text::number::{cell, grouped, significant, trimmed};
use fathom_text::quantity::TimeUnit;
use fathom_text::style::Style;
use fathom_text::words::counted;

/// The groups of all results; empty where no file has any.
pub(super) fn groups(imported: &Imported, style: Style) -> String {
    let has_several = imported.results.len() > 1;
    let all = imported.results.iter().flat_map(|of| of_result(of, has_several, style));
    all.collect::<Vec<_>>().join("\n")
}

fn of_result(of: &ImportedResult, has_several: bool, style: Style) -> Vec<String> {
    let place = if has_several { format!("{}: ", of.place()) } else { String::new() };
    let titled = |title: String, lines: Vec<(&str, String)>| {
        let lines: String = lines.iter().map(|(label, text)| style.labelled(label, text)).collect();
        (!lines.is_empty()).then(|| format!("{}\n{lines}", style.strong(&title)))
    };
    let jobs = of.result.jobs.iter().zip(of.result.labels());
    let mut all: Vec<String> = jobs
        .filter_map(|(job, label)| titled(format!("{place}{label} · group {}", job.group), of_job(job)))
        .collect();
    let disks = of.result.disks.iter().map(|disk| ("disk", of_disk(disk))).collect();
    all.extend(titled(format!("{place}disks"), disks));
    all
}

fn of_job(job: &FioJob) -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&'static str, String)> = Vec::new();
    for flow in &job.flows {
        lines.extend(flow.bandwidth_spread.map(|spread| ("samples", samples(flow, &spread, "MB/s", 1e6))));
        lines.extend(flow.iops_spread.map(|spread| ("samples", samples(flow, &spread, "IOPS", 1.0))));
        lines.extend(incomplete(flow).map(|text| ("I/Os", text)));
    }
    lines.extend(processor(job).map(|text| ("processor", text)));
    let FioShares { depths, submits, completes, latencies } = &job.shares;
    let count = |share: &FioShare| share.name();
    let time = |share: &FioShare| {
        let unit = TimeUnit::for_fastest(std::iter::once(share.bound as f64));
        let bound = format!("{} {}", trimmed(share.bound as f64 / unit.ns(), 3), unit.symbol());
        if share.is_open { format!("from {bound} on") } else { format!("up to {bound}") }
    };
    lines.extend(shares(depths, count).map(|text| ("in flight", text)));
    lines.extend(shares(submits, count).map(|text| ("submitted", text)));
    lines.extend(shares(completes, count).map(|text| ("completed", text)));
    lines.extend(shares(latencies, time).map(|text| ("latency", text)));
    lines
}

/// `write: 58.2 to 64.8, mean 60.3 ± 9.0 MB/s in 8 samples, 24.6 % of the group`.
fn samples(flow: &FioFlow, spread: &FioSpread, unit: &str, size: f64) -> String {
    let value = |value: Option<f64>| value.map_or("-".to_owned(), |value| cell(value / size));
    let n = spread.n.map(|n| format!(" in {}", counted(n, "sample"))).unwrap_or_default();
    let share = spread.group_percent.map(|percent| format!(", {} % of the group", significant(percent, 3)));
    let (min, max, mean, deviation) =
        (value(spread.min), value(spread.max), value(spread.mean), value(spread.stddev));
    format!(
        "{}: {min} to {max}, mean {mean} ± {deviation} {unit}{n}{}",
        flow.direction,
        share.unwrap_or_default()
    )
}

/// I/Os that were not done as they were asked for; `None` where there are none.
fn incomplete(flow: &FioFlow) -> Option<String> {
    let some = |count: Option<u64>, what: &str| {
        count.filter(|count| *count > 0).map(|count| format!("{} {what}", grouped(count)))
    };
    let parts: Vec<String> =
        [some(flow.short, "short"), some(flow.dropped, "dropped")].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("{}: {}", flow.direction, parts.join(", ")))
}

/// `7.2 % user, 45.6 % system · 5,305,818 context switches (0.37 per I/O) · 0 major, 105 minor faults`.
fn processor(job: &FioJob) -> Option<String> {
    let cpu = job.cpu?;
    let percent =
        |value: Option<f64>, what: &str| value.map(|value| format!("{} % {what}", significant(value, 3)));
    let ios = job.flows.iter().map(|flow| flow.ios).sum::<Option<u64>>().filter(|ios| *ios > 0);
    let switches = cpu.context_switches.map(|switches| {
        let each = ios.map(|ios| format!(" ({} per I/O)", significant(switches as f64 / ios as f64, 2)));
        format!("{} context switches{}", grouped(switches), each.unwrap_or_default())
    });
    let faults = |count: Option<u64>, what: &str| count.map(|count| format!("{} {what}", grouped(count)));
    let joined = |parts: [Option<String>; 2]| {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    };
    let faults = joined([faults(cpu.major_faults, "major"), faults(cpu.minor_faults, "minor")])
        .map(|text| text + " faults");
    let parts = [
        joined([percent(cpu.user_percent, "user"), percent(cpu.system_percent, "system")]),
        switches,
        faults,
    ];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
}

/// `16: 0.1 %, 32: 115.3 %`, without the classes that are empty; `None` where all are.
fn shares(all: &[FioShare], name: impl Fn(&FioShare) -> String) -> Option<String> {
    let some = all.iter().filter(|share| share.percent != 0.0);
    let parts: Vec<String> =
        some.map(|share| format!("{}: {} %", name(share), trimmed(share.percent, 2))).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `fioa: 0 reads and 8,637,747 writes, 0 and 0 merged, 0 and 1,407,990 ms · 1,412,150 ms in the queue · busy 100 % of the time`.
fn of_disk(disk: &FioDisk) -> String {
    let count = |count: Option<u64>| count.map_or("-".to_owned(), grouped);
    let (reads, writes) = (&disk.reads, &disk.writes);
    let requests = format!("{} reads and {} writes", count(reads.ios), count(writes.ios));
    let merges = format!("{} and {} merged", count(reads.merges), count(writes.merges));
    let times = format!("{} and {} ms", count(reads.ticks_ms), count(writes.ticks_ms));
    let queue = disk.queue_ms.map(|ms| format!(" · {} ms in the queue", grouped(ms))).unwrap_or_default();
    let busy = disk.busy_percent.map(|percent| format!(" · busy {} % of the time", significant(percent, 3)));
    format!("{}: {requests}, {merges}, {times}{queue}{}", disk.name, busy.unwrap_or_default())
}
