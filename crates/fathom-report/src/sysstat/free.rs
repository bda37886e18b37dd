//! As `free` of procps 4 prints it, KiB.

use super::{Page, SysstatSpans};
use fathom_figures::sampled::MemoryFigures;

const HEAD: &str = "               total        used        free      shared  buff/cache   available\n";

pub(super) fn text(page: &Page<'_>) -> String {
    let mut out = String::new();
    for span in &page.each {
        let Some(memory) = span.memory() else { continue };
        if page.spans == SysstatSpans::Each {
            out.push_str(&format!("{}\n", page.clock(span)));
        }
        out.push_str(&block(&memory));
        if page.spans == SysstatSpans::Each {
            out.push('\n');
        }
    }
    out
}

fn block(memory: &MemoryFigures) -> String {
    let kib = |line: &str| memory.kib(line);
    let swap_used = kib("SwapTotal") - kib("SwapFree");
    let line = |name: &str, first: f64, rest: &[f64]| {
        let rest: String = rest.iter().map(|number| format!("{number:>12.0}")).collect();
        format!("{name:<9}{first:>11.0}{rest}\n")
    };
    let rest = [memory.used_kib(), kib("MemFree"), kib("Shmem"), memory.cache_kib(), kib("MemAvailable")];
    let swap = [swap_used, kib("SwapFree")];
    format!("{HEAD}{}{}", line("Mem:", kib("MemTotal"), &rest), line("Swap:", kib("SwapTotal"), &swap))
}
