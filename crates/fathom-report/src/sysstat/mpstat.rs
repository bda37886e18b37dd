//! As `mpstat -P ALL` of sysstat 12 prints it.

use super::Page;
use fathom_figures::sampled::CpuUse;

const HEAD: &str = "  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n";

pub(super) fn text(page: &Page<'_>) -> String {
    let mut out = String::new();
    for span in &page.each {
        let time = page.time_column(span);
        out.push_str(&format!("{time}{HEAD}"));
        let all = span.all_cpus().map(|time| ("all".to_owned(), time));
        let each = span.cpus().into_iter().map(|cpu| (cpu.name, cpu.time));
        all.into_iter().chain(each).for_each(|(name, cpu)| out.push_str(&line(&time, &name, &cpu)));
        out.push('\n');
    }
    out
}

fn line(time: &str, name: &str, cpu: &CpuUse) -> String {
    let shares = [
        cpu.user,
        cpu.nice,
        cpu.system,
        cpu.iowait,
        cpu.irq,
        cpu.softirq,
        cpu.steal,
        cpu.guest,
        cpu.guest_nice,
        cpu.idle,
    ];
    let shares: String = shares.iter().map(|share| format!(" {share:7.2}")).collect();
    format!("{time}{name:>5}{shares}\n")
}
