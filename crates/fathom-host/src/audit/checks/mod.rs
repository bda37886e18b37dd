//! The catalogue of checks, by family.
//!
//! A check is a file with a `pub(super) const CHECK`, and its line in the
//! table of its family.

mod blk;
mod cpu;
mod fs;
mod irq;
mod md;
mod noise;
pub(crate) mod numa;
mod nvme;
pub(crate) mod pcie;
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

/// The checks that match the words a user typed: those with all words in the id
/// or title, or else those with all words in the page. In titles only letters
/// and digits count, since people write `hugepages` and `huge pages`.
pub fn about(asked: &str) -> Vec<&'static Check> {
    let asked = asked.to_lowercase();
    let asked: Vec<&str> = words(&asked).filter(|word| word.len() > 2).collect();
    if asked.is_empty() {
        return Vec::new();
    }
    let is_named = |check: &&Check| {
        let name: String = words(&format!("{} {}", check.id, check.title).to_lowercase()).collect();
        asked.iter().all(|word| name.contains(word))
    };
    let is_told = |check: &&Check| {
        let page = check.to_text().to_lowercase();
        asked.iter().all(|word| words(&page).any(|told| told == *word))
    };
    let named: Vec<_> = catalogue().filter(is_named).collect();
    if named.is_empty() { catalogue().filter(is_told).collect() } else { named }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The counters that must be read some time before the audit.
pub fn counters() -> impl Iterator<Item = &'static str> {
    catalogue().flat_map(|check| check.counters().iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Needs;

    /// `--tune` alone does not change a knob that must be named.
    #[test]
    fn a_remedy_names_the_knobs_that_must_be_named() {
        let of_tune = catalogue().filter(|check| check.remedy.contains("run --tune"));
        for check in of_tune {
            let (id, must_be) = match check.needs {
                Needs::Knob(id) => (id, false),
                Needs::NamedKnob(id) => (id, true),
                _ => continue,
            };
            let is_named = check.remedy.contains(&format!("--tune-knob {id}"));
            assert_eq!(is_named, must_be, "{}: {}", check.id, check.remedy);
        }
    }

    #[test]
    fn words_lead_to_the_checks_that_have_all_of_them() {
        let ids = |asked| about(asked).iter().map(|check| check.id).collect::<Vec<_>>();
        assert_eq!(ids("transparent hugepages"), ["vm.thp"]);
        assert!(ids("a, 1").is_empty(), "nothing to look for");
        assert!(ids("no such thing at all").is_empty());
    }
}
