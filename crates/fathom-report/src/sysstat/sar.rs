//! As `sar -u ALL`, `-r`, `-B`, `-W` and `-d` of sysstat 12 print it, one after the other.

use super::Page;
use fathom_figures::SampledSpan;
use fathom_figures::sampled::{CpuUse, DiskFigures, MemoryFigures, PagingFigures};

/// A section: its head after the time, and its lines of a span.
type Section = (&'static str, fn(&SampledSpan<'_>) -> Vec<String>);

const SECTIONS: [Section; 5] = [
    (
        "     CPU      %usr     %nice      %sys   %iowait    %steal      %irq     %soft    %guest    %gnice     %idle",
        cpus,
    ),
    (
        " kbmemfree   kbavail kbmemused  %memused kbbuffers  kbcached  kbcommit   %commit  kbactive   kbinact   kbdirty",
        memory,
    ),
    ("  pgpgin/s pgpgout/s   fault/s  majflt/s  pgfree/s pgscank/s pgscand/s pgsteal/s    %vmeff", paging),
    ("  pswpin/s pswpout/s", swapping),
    ("       DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util", disks),
];

pub(super) fn text(page: &Page<'_>) -> String {
    SECTIONS.iter().map(|(head, lines)| section(page, head, *lines)).collect()
}

fn section(page: &Page<'_>, head: &str, lines: fn(&SampledSpan<'_>) -> Vec<String>) -> String {
    let Some(first) = page.each.iter().find(|span| !lines(span).is_empty()) else { return String::new() };
    let mut out = format!("{}{head}\n", page.time_column(first));
    for span in &page.each {
        let time = page.time_column(span);
        lines(span).iter().for_each(|line| out.push_str(&format!("{time}{line}\n")));
    }
    out.push('\n');
    out
}

fn numbers(all: &[f64]) -> String {
    all.iter().map(|number| format!(" {number:9.2}")).collect()
}

fn cpus(span: &SampledSpan<'_>) -> Vec<String> {
    let line = |all: CpuUse| {
        let CpuUse { user, nice, system, iowait, irq, softirq, steal, guest, guest_nice, idle } = all;
        let shares = [user, nice, system, iowait, steal, irq, softirq, guest, guest_nice, idle];
        format!("{:>8}{}", "all", numbers(&shares))
    };
    span.all_cpus().map(line).into_iter().collect()
}

fn memory(span: &SampledSpan<'_>) -> Vec<String> {
    let line = |memory: MemoryFigures| {
        let kib = |line: &str| format!(" {:9.0}", memory.kib(line));
        let used = memory.sar_used_kib();
        let percent =
            |part: f64, all: f64| format!(" {:9.2}", if all > 0.0 { 100.0 * part / all } else { 0.0 });
        let total = memory.kib("MemTotal");
        [
            kib("MemFree"),
            kib("MemAvailable"),
            format!(" {used:9.0}"),
            percent(used, total),
            kib("Buffers"),
            kib("Cached"),
            kib("Committed_AS"),
            percent(memory.kib("Committed_AS"), total + memory.kib("SwapTotal")),
            kib("Active"),
            kib("Inactive"),
            kib("Dirty"),
        ]
        .concat()
    };
    span.memory().map(line).into_iter().collect()
}

fn paging(span: &SampledSpan<'_>) -> Vec<String> {
    let line = |paging: PagingFigures| {
        let rates =
            ["pgpgin", "pgpgout", "pgfault", "pgmajfault", "pgfree", "pgscan_kswapd", "pgscan_direct"];
        numbers(&rates.map(|line| paging.rate(line)))
            + &numbers(&[paging.stolen(), paging.reclaimed_percent()])
    };
    span.paging().map(line).into_iter().collect()
}

fn swapping(span: &SampledSpan<'_>) -> Vec<String> {
    let line = |paging: PagingFigures| numbers(&["pswpin", "pswpout"].map(|line| paging.rate(line)));
    span.paging().map(line).into_iter().collect()
}

fn disks(span: &SampledSpan<'_>) -> Vec<String> {
    let line = |disk: &DiskFigures| {
        let rates = [
            disk.requests(),
            disk.read.kib,
            disk.write.kib,
            disk.discard.kib,
            disk.request_kib(),
            disk.queued,
            disk.wait_ms(),
            disk.busy,
        ];
        format!(" {:>9}{}", disk.name, numbers(&rates))
    };
    span.disks().iter().map(line).collect()
}
