//! Errors on the PCIe links on the ways to the disks, as each function counts them (AER).

use super::files::{FileTable, NumberAt};
use super::{Found, SampleScope, SamplerTable, found, names};
use crate::aer::total;
use crate::root::Root;

pub(super) const KIND: &str = "link-errors";

const COLUMNS: [&str; 3] = ["correctable", "nonfatal", "fatal"];

pub(super) fn begin(root: &Root, scope: &SampleScope) -> Found {
    let mut functions: Vec<_> = scope.disks.iter().flat_map(|disk| disk.ways.iter().flatten()).collect();
    functions.sort();
    functions.dedup();
    functions.retain(|dir| root.exists(dir.join("aer_dev_correctable")));
    let file = |dir: &std::path::Path, of: &str| NumberAt::File(dir.join(format!("aer_dev_{of}")), total);
    let rows = functions.iter().map(|dir| COLUMNS.iter().map(|of| file(dir, of)).collect()).collect();
    let subjects = functions.iter().filter_map(|dir| dir.file_name()).map(|name| name.to_string_lossy());
    let table =
        SamplerTable { kind: KIND, is_counter: true, columns: names(COLUMNS), subjects: names(subjects) };
    found(FileTable { table, rows })
}
