//! The catalogue, family by family.
//!
//! A check is a file with a `pub(super) const CHECK`, and its line in the
//! table of its family.

mod blk;
mod cpu;
mod fs;
mod irq;
mod md;
mod noise;
mod numa;
mod nvme;
mod pcie;
mod safe;
mod sys;
mod vm;
mod wording;

use super::check::Check;

/// The families, in the order in which a report shows them.
const FAMILIES: [&[Check]; 12] = [
    cpu::CHECKS,
    numa::CHECKS,
    irq::CHECKS,
    pcie::CHECKS,
    nvme::CHECKS,
    blk::CHECKS,
    md::CHECKS,
    fs::CHECKS,
    vm::CHECKS,
    sys::CHECKS,
    noise::CHECKS,
    safe::CHECKS,
];

/// Every check, in the order of the catalogue.
pub fn catalogue() -> impl Iterator<Item = &'static Check> {
    FAMILIES.into_iter().flatten()
}

/// The check with this id.
pub fn find(id: &str) -> Option<&'static Check> {
    catalogue().find(|check| check.id == id)
}

/// The checks that the words somebody typed are about: those with all of them
/// in id or title, else those with all of them anywhere in the page. Spelling
/// of names differs (`huge pages`, `hugepages`), so only letters and digits
/// count.
pub fn about(asked: &str) -> Vec<&'static Check> {
    let words: Vec<String> = asked.split([' ', '=', ',', '/']).map(letters).filter(|w| w.len() > 2).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let having = |text: fn(&Check) -> String| {
        let has_all = |check: &&Check| {
            let text = letters(&text(check));
            words.iter().all(|word| text.contains(word.as_str()))
        };
        catalogue().filter(has_all).collect::<Vec<_>>()
    };
    let named = having(|check| format!("{} {}", check.id, check.title));
    if named.is_empty() { having(Check::to_text) } else { named }
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The counters that must be read some time before the audit.
pub fn counters() -> impl Iterator<Item = &'static str> {
    catalogue().flat_map(|check| check.counters.iter().copied())
}
