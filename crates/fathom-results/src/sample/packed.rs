//! A sample as it is saved: the numbers of all tables in one string of bytes.
//!
//! Rows of one table are often alike: idle CPUs, interrupts that never came. So of each row only the numbers that differ from
//! those of the row above are written, and rows without a difference are only counted. The first row is compared with zeros.
//!
//! ```text
//! per table, until all rows are told:  same:varint              rows like the row above (the first: like zeros)
//!                                      cells:varint             how many numbers of the next row are different, plus 1;
//!                                                               0 for a row that is missing
//!                                      (skip:varint diff:varint)…   columns between, and the difference, signed
//! ```
//! A missing row does not count as the row above.

use super::table::{SampleTable, SampleTables};
use fathom_stats::varint;
use minicbor::{Decode, Encode};

/// The numbers of one interval, packed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct PackedSample {
    /// First instant, ns since the start of the run.
    #[n(0)]
    pub start_ns: u64,
    /// Its length, ns.
    #[n(1)]
    pub length_ns: u64,
    /// CPU time that the reading at its end cost, ns.
    #[n(2)]
    #[cbor(default)]
    pub cost_ns: u64,
    /// The rows of all tables.
    #[n(3)]
    #[cbor(with = "minicbor::bytes")]
    pub rows: Vec<u8>,
}

/// Numbers of all tables, row by row; a row that could not be read is `None`.
pub type Rows = Vec<Option<Vec<u64>>>;

impl PackedSample {
    /// First instant after it, ns since the start of the run.
    pub fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.length_ns)
    }

    /// Packs the rows of all tables, one table after the other.
    ///
    /// # Panics
    /// If there are not as many rows as the tables have.
    pub fn pack(tables: &SampleTables, rows: &[Option<Vec<u64>>]) -> Vec<u8> {
        let (mut bytes, mut rest) = (Vec::new(), rows);
        for table in &tables.tables {
            let (own, others) = rest.split_at(table.subjects.len());
            pack_table(table, own, &mut bytes);
            rest = others;
        }
        bytes
    }

    /// The rows; `None` if the bytes do not fit the tables.
    pub fn unpack(&self, tables: &SampleTables) -> Option<Rows> {
        let (mut bytes, mut rows) = (self.rows.as_slice(), Rows::new());
        for table in &tables.tables {
            unpack_table(table, &mut bytes, &mut rows)?;
        }
        bytes.is_empty().then_some(rows)
    }
}

fn pack_table(table: &SampleTable, rows: &[Option<Vec<u64>>], bytes: &mut Vec<u8>) {
    let width = table.columns.len();
    let mut above = vec![0; width];
    let mut same = 0_u64;
    for (at, row) in rows.iter().enumerate() {
        let Some(row) = row else {
            put(std::mem::take(&mut same), bytes);
            put(0, bytes);
            continue;
        };
        let base = |column: usize| table.base.get(at * width + column).copied().unwrap_or(0);
        let own: Vec<u64> =
            row.iter().enumerate().map(|(column, value)| value.wrapping_sub(base(column))).collect();
        let different = || (0..width).filter(|column| own[*column] != above[*column]);
        let count = different().count() as u64;
        if count == 0 {
            same += 1;
            continue;
        }
        put(std::mem::take(&mut same), bytes);
        put(count + 1, bytes);
        let mut next = 0;
        for column in different() {
            put((column - next) as u64, bytes);
            put(zigzag(own[column].wrapping_sub(above[column])), bytes);
            next = column + 1;
        }
        above = own;
    }
    if same > 0 {
        put(same, bytes);
    }
}

fn unpack_table(table: &SampleTable, bytes: &mut &[u8], rows: &mut Rows) -> Option<()> {
    let (width, first, count) = (table.columns.len(), rows.len(), table.subjects.len());
    let mut above = vec![0_u64; width];
    let told = |rows: &Rows| rows.len() - first;
    let with_base = |at: usize, own: &[u64]| {
        let base = |column: usize| table.base.get(at * width + column).copied().unwrap_or(0);
        own.iter().enumerate().map(|(column, value)| value.wrapping_add(base(column))).collect::<Vec<u64>>()
    };
    while told(rows) < count {
        let same = varint::take(bytes)?;
        if same > (count - told(rows)) as u64 {
            return None;
        }
        for _ in 0..same {
            rows.push(Some(with_base(told(rows), &above)));
        }
        if told(rows) == count {
            break;
        }
        match varint::take(bytes)? {
            0 => rows.push(None),
            cells => {
                let mut next = 0_usize;
                for _ in 1..cells {
                    let column = next.checked_add(varint::take(bytes)?.try_into().ok()?)?;
                    let cell = above.get_mut(column)?;
                    *cell = cell.wrapping_add(unzigzag(varint::take(bytes)?));
                    next = column + 1;
                }
                rows.push(Some(with_base(told(rows), &above)));
            }
        }
    }
    Some(())
}

fn put(value: u64, bytes: &mut Vec<u8>) {
    varint::put(value.into(), bytes);
}

/// A difference of either sign as a number that is small where the difference is.
fn zigzag(difference: u64) -> u64 {
    (difference << 1) ^ ((difference as i64 >> 63) as u64)
}

fn unzigzag(value: u64) -> u64 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(super) fn table(kind: &str, columns: usize, subjects: usize, base: Vec<u64>) -> SampleTable {
        let names = |count: usize| (0..count).map(|at| at.to_string()).collect();
        SampleTable {
            kind: kind.to_owned(),
            is_counter: base.is_empty(),
            columns: names(columns),
            subjects: names(subjects),
            base,
        }
    }

    fn tables(all: Vec<SampleTable>) -> SampleTables {
        SampleTables { tables: all, unknown: Vec::new() }
    }

    fn sample(rows: Vec<u8>) -> PackedSample {
        PackedSample { rows, ..PackedSample::default() }
    }

    #[test]
    fn idle_cpus_and_interrupts_that_never_came_cost_nothing() {
        let tables =
            tables(vec![table("cpu", 10, 256, Vec::new()), table("interrupt", 256, 128, Vec::new())]);
        let idle = Some(vec![0, 0, 0, 100, 0, 0, 0, 0, 0, 0]);
        let mut rows = vec![idle; 256];
        rows.extend(vec![Some(vec![0; 256]); 128]);
        let bytes = PackedSample::pack(&tables, &rows);
        assert!(bytes.len() < 12, "{}", bytes.len());
        assert_eq!(sample(bytes).unpack(&tables), Some(rows));
    }

    #[test]
    fn gauges_are_differences_from_their_base() {
        let tables = tables(vec![table("memory", 2, 1, vec![24_000_000, 9_000_000])]);
        let rows = vec![Some(vec![24_000_000, 8_999_990])];
        let bytes = PackedSample::pack(&tables, &rows);
        assert_eq!(bytes.len(), 4, "the numbers that changed, and no others");
        assert_eq!(sample(bytes).unpack(&tables), Some(rows));
    }

    proptest! {
        #[test]
        fn every_sample_returns_and_no_bytes_panic(
            rows in proptest::collection::vec(proptest::option::of(proptest::collection::vec(any::<u64>(), 3)), 5),
            noise in proptest::collection::vec(any::<u8>(), 0..64),
        ) {
            let tables = tables(vec![table("a", 3, 2, Vec::new()), table("b", 3, 3, (0..9).collect())]);
            let bytes = PackedSample::pack(&tables, &rows);
            prop_assert_eq!(sample(bytes.clone()).unpack(&tables), Some(rows));
            let _ = sample(noise).unpack(&tables);
            let longer = [bytes.as_slice(), &[0]].concat();
            prop_assert_eq!(sample(longer).unpack(&tables), None);
        }
    }
}
