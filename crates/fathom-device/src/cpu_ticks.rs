//! How each CPU spent its time since boot, by use (`/proc/stat`, proc_stat(5)).

use std::collections::BTreeMap;

use crate::root::{Root, Unknown};

/// The file with the counters.
pub const PATH: &str = "/proc/stat";

/// Uses that every kernel since 2.6.11 counts: those before guest time.
const FIELDS_MIN: usize = 8;

/// Ticks of `USER_HZ` (10 ms on every current architecture) of one CPU: user, nice, system, idle, iowait, irq,
/// softirq, steal, guest, guest_nice. Guest time is contained in the first two.
pub type CpuTicks = [u64; 10];

/// Reads the ticks of each CPU that is online.
///
/// # Errors
/// Where the file cannot be read, or names no CPU.
pub fn read(root: &Root) -> Result<BTreeMap<u32, CpuTicks>, Unknown> {
    let text = root.read_text(PATH)?;
    parse(&text).ok_or_else(|| Unknown::garbled(PATH.as_ref(), text.lines().next().unwrap_or_default()))
}

/// The ticks of each CPU in the file's text; `None` where a line of a CPU is garbled, or there is none.
pub fn parse(text: &str) -> Option<BTreeMap<u32, CpuTicks>> {
    // The lines of CPUs come first; the line of interrupts after them is long.
    let lines = text.lines().take_while(|line| line.starts_with("cpu"));
    let of_cpus = lines.filter_map(|line| {
        let (name, rest) = line.split_once(' ')?;
        Some((name.strip_prefix("cpu")?.parse().ok()?, rest))
    });
    let cpus: BTreeMap<u32, CpuTicks> =
        of_cpus.map(|(cpu, rest)| Some((cpu, ticks(rest)?))).collect::<Option<_>>()?;
    (!cpus.is_empty()).then_some(cpus)
}

/// The numbers after a line's name; uses that an old kernel does not count are 0.
pub fn ticks(text: &str) -> Option<CpuTicks> {
    let mut ticks = CpuTicks::default();
    let mut read = 0;
    for (field, word) in ticks.iter_mut().zip(text.split_whitespace()) {
        *field = word.parse().ok()?;
        read += 1;
    }
    (read >= FIELDS_MIN).then_some(ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_cpus_and_no_others() {
        let text = "cpu  9 9 9 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu12 1 2 3 4 5 6 7 8\nintr 5\ncpu3 x\n";
        let cpus = parse(text).unwrap();
        assert_eq!(cpus[&0], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!((cpus.len(), cpus[&12][8]), (2, 0));
        for text in ["", "intr 5", "cpu  1 2 3 4 5 6 7 8", "cpu0 1 2 x", "cpu0 1 2 3"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
