//! The names of what is sampled.

use minicbor::{Decode, Encode};

/// The most numbers of all tables together: 256 interrupts on 8,192 CPUs have as many.
const CELLS_MAX: usize = 1 << 21;

/// What is sampled in a run: once in a spool, before the samples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct SampleTables {
    /// The tables, in the order in which samples have their numbers.
    #[n(0)]
    pub tables: Vec<SampleTable>,
    /// What this machine could have, but could not be read.
    #[n(1)]
    #[cbor(default)]
    pub unknown: Vec<UnsampledKind>,
}

/// One kind of thing: a row for each thing, a column for each number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct SampleTable {
    /// The name of its kind ([`super::kind`]).
    #[n(0)]
    pub kind: String,
    /// Whether the numbers are counters, of which a sample holds how far they went. Otherwise they are gauges, of which it holds
    /// the values.
    #[n(1)]
    pub is_counter: bool,
    /// The names of the columns.
    #[n(2)]
    pub columns: Vec<String>,
    /// The names of the rows: a CPU's number, a disk's name.
    #[n(3)]
    pub subjects: Vec<String>,
    /// The first reading of gauges, row by row; samples hold the differences from it, which are short. Empty for counters.
    #[n(4)]
    #[cbor(default)]
    pub base: Vec<u64>,
}

/// A kind of table that is missing, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct UnsampledKind {
    /// The name of the kind.
    #[n(0)]
    pub kind: String,
    /// Why it could not be read.
    #[n(1)]
    pub reason: String,
}

impl SampleTable {
    /// Numbers of a sample.
    fn cells(&self) -> usize {
        self.columns.len().saturating_mul(self.subjects.len())
    }

    /// The place of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

impl SampleTables {
    /// The table of a kind, and its place.
    pub fn of_kind(&self, kind: &str) -> Option<(usize, &SampleTable)> {
        self.tables.iter().enumerate().find(|(_, table)| table.kind == kind)
    }

    /// The tables must be of a possible size, and a base as large as its table.
    pub(crate) fn check(&self) -> Result<(), String> {
        let cells = self.tables.iter().map(SampleTable::cells).fold(0, usize::saturating_add);
        let rows = self.tables.iter().map(|table| table.subjects.len()).sum::<usize>();
        let fits = |table: &SampleTable| table.base.is_empty() || table.base.len() == table.cells();
        match cells.max(rows) <= CELLS_MAX && self.tables.iter().all(fits) {
            true => Ok(()),
            false => Err(format!("its tables of samples have {cells} numbers, or a wrong base")),
        }
    }

    /// All strings, which may come from anybody.
    pub(crate) fn strings(&mut self) -> impl Iterator<Item = &mut String> {
        let tables = self.tables.iter_mut().flat_map(|table| {
            let names = table.columns.iter_mut().chain(&mut table.subjects);
            names.chain([&mut table.kind])
        });
        tables.chain(self.unknown.iter_mut().flat_map(|one| [&mut one.kind, &mut one.reason]))
    }
}
