//! Interrupts of the targets' devices by CPU, as `/proc/interrupts` has them, a second.
//!
//! A line has the CPUs that took most of an interrupt. A queue has one CPU on most machines.

use super::Page;
use std::fmt::Write;

/// CPUs that are named for an interrupt.
const CPUS_SHOWN: usize = 4;

pub(super) fn text(page: &Page<'_>) -> String {
    let mut out = format!("{:<11}{:<24} {:>9}   by CPU\n", "", "interrupt", "intr/s");
    for span in &page.each {
        let interrupts = span.interrupts();
        let time = page.time_column(span);
        if interrupts.is_empty() {
            let _ = writeln!(out, "{time}none of the targets' devices had an interrupt");
        }
        for interrupt in interrupts {
            let mut by_cpu = interrupt.by_cpu;
            let all: f64 = by_cpu.iter().map(|(_, rate)| rate).sum();
            by_cpu.sort_by(|(_, one), (_, other)| other.total_cmp(one));
            let more = by_cpu.len().saturating_sub(CPUS_SHOWN);
            let mut cpus: Vec<String> =
                by_cpu.iter().take(CPUS_SHOWN).map(|(cpu, rate)| format!("{cpu}: {rate:.2}")).collect();
            if more > 0 {
                cpus.push(format!("and {more} more CPUs"));
            }
            let _ = writeln!(out, "{time}{:<24} {all:>9.2}   {}", interrupt.name, cpus.join(", "));
        }
    }
    out
}
