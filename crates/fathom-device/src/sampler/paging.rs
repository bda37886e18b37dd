//! Paging, faults and swapping.

use super::memory::numbers;
use super::{Found, SampleScope, Sampler, SamplerTable, TableReading, found, names};
use crate::root::{Root, Unknown};

pub(super) const KIND: &str = "paging";

const PATH: &str = "/proc/vmstat";

const COLUMNS: [&str; 13] = [
    "pgpgin",
    "pgpgout",
    "pgfault",
    "pgmajfault",
    "pgfree",
    "pgscan_kswapd",
    "pgscan_direct",
    "pgsteal_kswapd",
    "pgsteal_direct",
    "pswpin",
    "pswpout",
    "nr_dirtied",
    "nr_written",
];

struct Paging(SamplerTable);

pub(super) fn begin(root: &Root, _: &SampleScope) -> Found {
    let text = root.read_text(PATH)?;
    numbers(&text, &COLUMNS).ok_or_else(|| Unknown::new(PATH, "it has none of the expected lines"))?;
    let (columns, subjects) = (names(COLUMNS), names(["all"]));
    found(Paging(SamplerTable { kind: KIND, is_counter: true, columns, subjects }))
}

impl Sampler for Paging {
    fn table(&self) -> &SamplerTable {
        &self.0
    }

    fn read(&mut self, root: &Root) -> TableReading {
        vec![root.read_text(PATH).ok().and_then(|text| numbers(&text, &COLUMNS))]
    }
}
