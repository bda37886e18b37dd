//! By which names a run's devices are found: paths, kernel names, models and serial numbers.

use super::kept::kept_text;
use serde::Deserialize;

/// The most names that are kept of a run.
const NAMES_MAX: usize = 64;

/// One fact of a record's `host`.
#[derive(Deserialize)]
pub(super) struct FactPart {
    name: String,
    value: Option<String>,
}

/// The names in the facts about targets: `target.PATH.disks`. Disks become paths below `/dev`.
pub(super) fn of(facts: &[FactPart]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for FactPart { name, value } in facts {
        let Some((path, fact)) = name.strip_prefix("target.").and_then(|rest| rest.rsplit_once('.')) else {
            continue;
        };
        let Some(value) = value.as_deref().filter(|value| !value.trim().is_empty()) else { continue };
        match fact {
            "disk" | "disks" => {
                let disks = value.split([',', ' ']).filter(|disk| !disk.is_empty());
                names.extend(disks.map(|disk| kept_text(&format!("/dev/{disk}"))));
                names.push(kept_text(path));
            }
            "model" | "serial" => names.push(kept_text(value.trim())),
            _ => {}
        }
    }
    names.sort_unstable();
    names.dedup();
    names.truncate(NAMES_MAX);
    names
}
