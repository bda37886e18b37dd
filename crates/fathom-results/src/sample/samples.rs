//! The samples of a run, in memory that does not grow with its length.
//!
//! They stay packed, and each is unpacked when somebody looks at it: a day of a small machine is 11 MB. When together they
//! are larger than `BYTES_MAX`, neighbours are merged two by two: counters are added, gauges are averaged.

use super::packed::{PackedSample, Rows};
use super::table::SampleTables;

/// The most that the samples of a run may take, bytes.
const BYTES_MAX: usize = 48 << 20;

/// What one sample costs besides its rows, bytes.
const EACH_BYTES: usize = 48;

/// Everything that was sampled beside a run.
#[derive(Clone, Debug, Default)]
pub struct RunSamples {
    tables: SampleTables,
    packed: Vec<PackedSample>,
    bytes: usize,
    /// How many samples are merged into one: a power of two; 0 before the first.
    stride: usize,
    /// Samples that were merged into the last one.
    in_last: usize,
    cost_ns: u64,
    longest_ns: u64,
}

/// One interval, unpacked.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// First instant, ns since the start of the run.
    pub start_ns: u64,
    /// First instant after it, ns since the start of the run.
    pub end_ns: u64,
    /// For each table its rows; a row that could not be read is `None`.
    pub tables: Vec<Rows>,
}

impl RunSamples {
    /// The names of the rows, and why tables are missing: what can name a part of the machine.
    pub fn names_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let SampleTables { tables, unknown } = &mut self.tables;
        let reasons = unknown.iter_mut().map(|one| &mut one.reason);
        tables.iter_mut().flat_map(|table| &mut table.subjects).chain(reasons)
    }

    /// The names; no tables where nothing was sampled.
    pub fn tables(&self) -> &SampleTables {
        &self.tables
    }

    /// The samples in order, as they are kept.
    pub fn packed(&self) -> &[PackedSample] {
        &self.packed
    }

    /// The numbers of one of them; `None` where it does not fit the tables.
    pub fn unpacked(&self, packed: &PackedSample) -> Option<Sample> {
        let mut rows = packed.unpack(&self.tables)?.into_iter();
        let of_table = |count: usize| rows.by_ref().take(count).collect();
        let tables = self.tables.tables.iter().map(|table| table.subjects.len()).map(of_table).collect();
        Some(Sample { start_ns: packed.start_ns, end_ns: packed.end_ns(), tables })
    }

    /// The samples in order, unpacked one after the other.
    pub fn iter(&self) -> impl Iterator<Item = Sample> + '_ {
        self.packed.iter().filter_map(|packed| self.unpacked(packed))
    }

    /// CPU time that sampling took, ns.
    pub fn cost_ns(&self) -> u64 {
        self.cost_ns
    }

    /// The time that samples cover, ns.
    pub fn covered_ns(&self) -> u64 {
        self.packed.iter().map(|sample| sample.length_ns).sum()
    }

    /// The longest interval between two readings, ns.
    pub fn longest_ns(&self) -> u64 {
        self.longest_ns
    }

    /// The names; those that come first count.
    pub(crate) fn name(&mut self, tables: SampleTables) {
        if self.tables == SampleTables::default() {
            self.tables = tables;
        }
    }

    /// Adds the next sample.
    pub(crate) fn add(&mut self, sample: PackedSample) {
        self.cost_ns = self.cost_ns.saturating_add(sample.cost_ns);
        self.longest_ns = self.longest_ns.max(sample.length_ns);
        self.push(sample);
        while self.bytes > BYTES_MAX && self.packed.len() > 1 {
            self.halve();
        }
    }

    fn push(&mut self, sample: PackedSample) {
        if self.stride > 1 && self.in_last < self.stride && self.merge_into_last(&sample) {
            self.in_last += 1;
            return;
        }
        self.stride = self.stride.max(1);
        self.in_last = 1;
        self.bytes += sample.rows.len() + EACH_BYTES;
        self.packed.push(sample);
    }

    /// Merges neighbours two by two.
    fn halve(&mut self) {
        let before = std::mem::take(&mut self.packed);
        self.bytes = 0;
        let is_odd = before.len() % 2 == 1;
        let mut all = before.into_iter();
        while let Some(first) = all.next() {
            self.bytes += first.rows.len() + EACH_BYTES;
            self.packed.push(first);
            // What cannot be unpacked is left out.
            if let Some(second) = all.next() {
                self.merge_into_last(&second);
            }
        }
        self.in_last += if is_odd { 0 } else { self.stride };
        self.stride *= 2;
    }

    /// Merges a sample into the last one; time between them becomes part of it. `false` where one cannot be unpacked.
    fn merge_into_last(&mut self, next: &PackedSample) -> bool {
        let Some(last) = self.packed.last() else { return false };
        let (Some(one), Some(other)) = (last.unpack(&self.tables), next.unpack(&self.tables)) else {
            return false;
        };
        let rows = self.added(one, last.length_ns, other, next.length_ns);
        let rows = PackedSample::pack(&self.tables, &rows);
        let last = self.packed.last_mut().expect("there is a last one");
        self.bytes = self.bytes + rows.len() - last.rows.len();
        last.rows = rows;
        last.length_ns = next.end_ns().saturating_sub(last.start_ns);
        last.cost_ns = last.cost_ns.saturating_add(next.cost_ns);
        true
    }

    /// Rows of two neighbours together; one that is missing in either is that of the other.
    fn added(&self, one: Rows, one_ns: u64, other: Rows, other_ns: u64) -> Rows {
        let is_counter = self
            .tables
            .tables
            .iter()
            .flat_map(|table| std::iter::repeat_n(table.is_counter, table.subjects.len()));
        let both_ns = u128::from(one_ns) + u128::from(other_ns);
        let mean = |a: u64, b: u64| {
            let sum = u128::from(a) * u128::from(one_ns) + u128::from(b) * u128::from(other_ns);
            ((sum + both_ns / 2) / both_ns.max(1)) as u64
        };
        let rows = is_counter.zip(one.into_iter().zip(other));
        rows.map(|(is_counter, rows)| match rows {
            (Some(a), Some(b)) if is_counter => {
                Some(a.iter().zip(&b).map(|(a, b)| a.saturating_add(*b)).collect())
            }
            (Some(a), Some(b)) => Some(a.iter().zip(&b).map(|(a, b)| mean(*a, *b)).collect()),
            (one, other) => one.or(other),
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::SampleTable;

    const SECOND: u64 = 1_000_000_000;

    fn tables() -> SampleTables {
        let table = |kind: &str, is_counter: bool, base: Vec<u64>| SampleTable {
            kind: kind.to_owned(),
            is_counter,
            columns: vec!["x".to_owned()],
            subjects: vec!["0".to_owned()],
            base,
        };
        SampleTables {
            tables: vec![table("count", true, Vec::new()), table("gauge", false, vec![1_000])],
            unknown: Vec::new(),
        }
    }

    fn sample(second: u64, count: u64, gauge: u64) -> PackedSample {
        let rows = PackedSample::pack(&tables(), &[Some(vec![count]), Some(vec![gauge])]);
        PackedSample { start_ns: second * SECOND, length_ns: SECOND, cost_ns: 10, rows }
    }

    #[test]
    fn neighbours_are_merged_and_nothing_is_lost() {
        let mut samples = RunSamples::default();
        samples.name(tables());
        (0..7).for_each(|second| samples.add(sample(second, second, 1_000 + second)));
        samples.halve();
        samples.add(sample(7, 7, 1_007));
        samples.halve();
        samples.add(sample(8, 8, 1_008));
        let told: Vec<_> = samples
            .iter()
            .map(|s| (s.start_ns / SECOND, s.end_ns / SECOND, s.tables[0][0].clone(), s.tables[1][0].clone()))
            .collect();
        let row = |value: u64| Some(vec![value]);
        // Means of neighbours are rounded, once for each merge.
        assert_eq!(
            told,
            [(0, 4, row(6), row(1_002)), (4, 8, row(22), row(1_006)), (8, 9, row(8), row(1_008))]
        );
        assert_eq!((samples.cost_ns(), samples.stride, samples.covered_ns()), (90, 4, 9 * SECOND));
        let bytes: usize = samples.packed.iter().map(|one| one.rows.len() + EACH_BYTES).sum();
        assert_eq!(samples.bytes, bytes);
    }

    #[test]
    fn what_does_not_fit_the_tables_is_left_out() {
        let mut samples = RunSamples::default();
        samples.name(tables());
        samples.add(sample(0, 1, 1_000));
        samples.add(PackedSample { rows: vec![0xff], ..sample(1, 0, 0) });
        assert_eq!((samples.iter().count(), samples.packed.len()), (1, 2));
        samples.halve();
        assert_eq!((samples.iter().count(), samples.packed.len()), (1, 1));
    }
}
