//! Temperatures and clocks, and how often heat or a link disturbed the machine: what lm-sensors' `sensors`
//! shows, and the counters beside it.

use super::{Page, SysstatSpans};
use std::fmt::Write;

pub(super) fn text(page: &Page<'_>) -> String {
    let mut out = format!("{:<11}{:<24} {:>9}\n", "", "sensor", "value");
    for span in &page.each {
        let time = page.time_column(span);
        let mut line = |name: &str, value: f64, unit: &str, more: String| {
            let _ = writeln!(out, "{time}{name:<24} {value:>9.1} {unit}{more}");
        };
        for one in span.temperatures() {
            let limit = one.limit_celsius.map(|limit| format!("   limit {limit:.1}")).unwrap_or_default();
            line(&one.name, one.celsius, "°C", limit);
        }
        for clock in span.clocks() {
            let nominal = clock.nominal_mhz.map(|mhz| format!("   nominal {mhz:.0}")).unwrap_or_default();
            line(&format!("CPU {}", clock.cpu), clock.mhz, "MHz", nominal);
        }
        // Counts of the window are its sum.
        let time = if page.spans == SysstatSpans::Whole { format!("{:<11}", "Total:") } else { time };
        let slowed = span.throttled();
        let slowed = slowed.iter().map(|one| (format!("CPU {}", one.name), one, "times slowed down by heat"));
        let errors = span.link_errors();
        let errors = errors.iter().map(|one| (one.name.clone(), one, "errors of the PCIe link"));
        for (name, one, what) in slowed.chain(errors) {
            let _ = writeln!(out, "{time}{name:<24} {:>9} {what}", one.count);
        }
    }
    out
}
