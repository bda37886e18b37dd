//! Time of each CPU by use. A CPU that comes online during the run is not followed.

use super::{BeginResult, SampleScope, Sampler, SamplerTable, TableReading, if_any, names};
use crate::counters;
use crate::root::Root;

pub(super) const KIND: &str = "cpu";

const COLUMNS: [&str; 10] =
    ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"];

struct Cpus {
    cpus: Vec<u32>,
    table: SamplerTable,
}

pub(super) fn begin(root: &Root, _: &SampleScope) -> BeginResult {
    let cpus: Vec<u32> = counters::cpu_ticks(root)?.into_keys().collect();
    let (columns, subjects) = (names(COLUMNS), names(&cpus));
    if_any(Cpus { cpus, table: SamplerTable { kind: KIND, is_counter: true, columns, subjects } })
}

impl Sampler for Cpus {
    fn table(&self) -> &SamplerTable {
        &self.table
    }

    fn read(&mut self, root: &Root) -> TableReading {
        let now = counters::cpu_ticks(root).unwrap_or_default();
        self.cpus.iter().map(|cpu| now.get(cpu).map(|ticks| ticks.to_vec())).collect()
    }
}
