//! Reads the machine, and makes a sample of what happened between two readings.

use fathom_device::Root;
use fathom_device::sampler::{SampleScope, Sampler, SamplerTable, Samplers, TableReading};
use fathom_device::sys::thread_cpu_ns;
use fathom_results::{PackedSample, SampleTable, SampleTables, UnsampledKind};
use fathom_text::carried;

/// Everything that is read, with the reading before.
pub(super) struct Recorder {
    root: Root,
    samplers: Vec<Sampler>,
    tables: SampleTables,
    before: Vec<TableReading>,
    last_ns: u64,
}

impl Recorder {
    /// Takes the first reading.
    pub(super) fn begin(root: Root, scope: &SampleScope, now_ns: u64) -> Recorder {
        let Samplers { mut samplers, unknown } = Samplers::begin(&root, scope);
        let before: Vec<TableReading> = samplers.iter_mut().map(|sampler| (sampler.read)(&root)).collect();
        let tables = samplers.iter().zip(&before).map(|(sampler, first)| named(&sampler.table, first));
        let unknown = unknown.into_iter().map(|(kind, why)| UnsampledKind {
            kind: kind.to_owned(),
            reason: format!("{}: {}", carried::of_os(why.path.as_os_str()), why.reason),
        });
        let tables = SampleTables { tables: tables.collect(), unknown: unknown.collect() };
        Recorder { root, samplers, tables, before, last_ns: now_ns }
    }

    /// The names of what is read.
    pub(super) fn tables(&self) -> &SampleTables {
        &self.tables
    }

    /// When it was read last, ns since the start of the run.
    pub(super) fn last_ns(&self) -> u64 {
        self.last_ns
    }

    /// The machine changes.
    #[cfg(test)]
    pub(super) fn replace_root(&mut self, root: Root) {
        self.root = root;
    }

    /// What happened since the reading before.
    pub(super) fn read(&mut self, now_ns: impl Fn() -> u64) -> PackedSample {
        let begun_ns = thread_cpu_ns().unwrap_or(0);
        let (start_ns, end_ns) = (self.last_ns, now_ns());
        let mut rows = Vec::new();
        for (at, sampler) in self.samplers.iter_mut().enumerate() {
            let now = (sampler.read)(&self.root);
            match sampler.table.is_counter {
                true => rows.extend(now.iter().zip(&self.before[at]).map(|(now, then)| row_since(now, then))),
                false => rows.extend(now.iter().cloned()),
            }
            self.before[at] = now;
        }
        let rows = PackedSample::pack(&self.tables, &rows);
        self.last_ns = end_ns;
        let cost_ns = thread_cpu_ns().unwrap_or(0).saturating_sub(begun_ns);
        PackedSample { start_ns, length_ns: end_ns.saturating_sub(start_ns), cost_ns, rows }
    }
}

fn named(table: &SamplerTable, first: &TableReading) -> SampleTable {
    let SamplerTable { kind, is_counter, columns, subjects } = table.clone();
    let missing = || vec![0; columns.len()];
    let base = first.iter().flat_map(|row| row.clone().unwrap_or_else(missing));
    let base = if is_counter { Vec::new() } else { base.collect() };
    let subjects = subjects.iter().map(|name| carried::of_str(name).into_owned()).collect();
    SampleTable { kind: kind.to_owned(), is_counter, columns, subjects, base }
}

/// A row that is missing in one of the readings is missing between them.
fn row_since(now: &Option<Vec<u64>>, then: &Option<Vec<u64>>) -> Option<Vec<u64>> {
    let both = now.as_ref()?.iter().zip(then.as_ref()?);
    Some(both.map(|(now, then)| since(*now, *then)).collect())
}

/// How far a counter went. The kernel's idle time may decrease a little, and some counters have 32 bits.
fn since(now: u64, then: u64) -> u64 {
    const WRAP: u64 = 1 << 32;
    match now.checked_sub(then) {
        Some(grown) => grown,
        None if then < WRAP && then - now > WRAP / 2 => now + WRAP - then,
        None => 0,
    }
}

const SECOND_NS: u64 = 1_000_000_000;

/// The part of one core that reading may take: 0.5 %.
const COST_PER_SECOND_NS: u64 = SECOND_NS / 200;

/// Readings never come later than this.
const SECONDS_MAX: u64 = 60;

/// A new cost changes the mean by one part of this many: one slow reading among many says little.
const WEIGHT: u64 = 8;

/// The pace of the readings.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// What a reading costs on average, ns.
    mean_ns: u64,
}

impl Pace {
    /// A reading cost this CPU time, ns.
    pub(super) fn took(&mut self, cost_ns: u64) {
        self.mean_ns = match self.mean_ns {
            0 => cost_ns,
            mean => (mean * (WEIGHT - 1) + cost_ns) / WEIGHT,
        };
    }

    /// Seconds between two readings.
    pub(super) fn seconds(&self) -> u64 {
        self.mean_ns.div_ceil(COST_PER_SECOND_NS).clamp(1, SECONDS_MAX)
    }

    /// When the next reading is due, after one at `last_ns`: whole seconds after `origin_ns`.
    pub(super) fn next_ns(&self, origin_ns: u64, last_ns: u64) -> u64 {
        let begun = last_ns.saturating_sub(origin_ns) / SECOND_NS;
        origin_ns + (begun + self.seconds()) * SECOND_NS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_wrap_and_do_not_go_back() {
        assert_eq!((since(7, 5), since(5, 7), since(3, u64::from(u32::MAX))), (2, 0, 4));
    }

    #[test]
    fn a_cheap_reading_comes_each_second_and_a_dear_one_less_often() {
        let mut pace = Pace::default();
        assert_eq!(pace.seconds(), 1);
        pace.took(300_000);
        assert_eq!(pace.seconds(), 1);
        (0..100).for_each(|_| pace.took(17_000_000));
        assert_eq!(pace.seconds(), 4, "17 ms every 4 s are 0.43 % of a core");
        (0..100).for_each(|_| pace.took(u64::from(u32::MAX)));
        assert_eq!(pace.seconds(), SECONDS_MAX);
    }

    #[test]
    fn readings_stay_on_the_seconds_of_the_window() {
        let pace = Pace::default();
        let origin = 2_300_000_000;
        // A reading comes a little after it was due, and the next one is not later for it.
        assert_eq!(pace.next_ns(origin, origin + SECOND_NS + 60_000), origin + 2 * SECOND_NS);
        assert_eq!(pace.next_ns(origin, origin + 40_000), origin + SECOND_NS);
        assert_eq!(pace.next_ns(origin, 0), origin + SECOND_NS, "before the window");
    }
}
