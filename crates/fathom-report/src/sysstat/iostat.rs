//! As `iostat -x -t` of sysstat 12 prints it.

use super::{Page, SysstatSpans};
use fathom_figures::sampled::{DiskFigures, DiskFlow};

const CPU_HEAD: &str = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n";

const DISK_HEAD: &str = "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util\n";

pub(super) fn text(page: &Page<'_>) -> String {
    let mut out = String::new();
    for span in &page.each {
        if page.spans == SysstatSpans::Each {
            out.push_str(&format!("{}\n", page.clock(span)));
        }
        if let Some(all) = span.all_cpus() {
            let (user, nice) = (all.user + all.guest, all.nice + all.guest_nice);
            let system = all.system + all.irq + all.softirq;
            let shares = [user, nice, system, all.iowait, all.steal, all.idle];
            let shares: String = shares.iter().map(|share| format!(" {share:7.2}")).collect();
            out.push_str(&format!("{CPU_HEAD}       {shares}\n\n"));
        }
        let disks = span.disks();
        if !disks.is_empty() {
            out.push_str(DISK_HEAD);
            disks.iter().for_each(|disk| out.push_str(&line(disk)));
        }
        out.push('\n');
    }
    out
}

fn line(disk: &DiskFigures) -> String {
    let flows: String = [&disk.read, &disk.write, &disk.discard].map(flow).concat();
    let (flushes, flush_wait_ms) = disk.flush;
    let DiskFigures { name, queued, busy, .. } = disk;
    format!("{name:<13}{flows} {flushes:7.2} {flush_wait_ms:7.2} {queued:7.2} {busy:6.2}\n")
}

fn flow(flow: &DiskFlow) -> String {
    format!(
        " {:7.2} {:9.2} {:8.2} {:6.2} {:7.2} {:8.2}",
        flow.requests,
        flow.kib,
        flow.merges,
        flow.merged_percent(),
        flow.wait_ms,
        flow.request_kib()
    )
}
