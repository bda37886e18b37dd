//! The catalogue of checks, by family.
//!
//! A check is its texts in `FAMILY.toml`, a function in the file of its
//! subject, and the line in the family's table that names both.

mod blk;
mod cpu;
mod fs;
mod irq;
mod known;
mod md;
mod noise;
pub(crate) mod numa;
mod nvme;
pub(crate) mod pcie;
mod safe;
mod sys;
mod vm;

/// What most checks use.
mod prelude {
    pub(super) use super::Family;
    pub(super) use super::known::{self, KNOWN};
    pub(super) use crate::audit::Observe::{All, EachDisk, EachQueue, Of, Several, Watch};
    pub(super) use crate::audit::scene::PROCESSES;
    pub(super) use crate::audit::{
        Disk, Grade, Grades, Observation, Observed, ObservedAll, Raw, Scene, each, leaf,
    };
    pub(super) use fathom_device::Goal::{Bandwidth, Iops, Latency, Repeatability};
    pub(super) use fathom_device::ask::Question;
    pub(super) use fathom_device::cpus::CpuSet;
    pub(super) use fathom_device::device::DiskKind;
    pub(super) use fathom_device::root::{Unknown, Why};
    pub(super) use fathom_text::quantity::size;
    pub(super) use fathom_text::words::counted;
    pub(super) use std::path::{Path, PathBuf};
}

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::check::{Check, Observe};
use crate::texts;

/// The texts of a family's checks, and how each check is made, in the order in which a report shows them.
type Family = (&'static str, &'static [(&'static str, Observe)]);

/// The families, in the order in which a report shows them.
const FAMILIES: [Family; 12] = [
    cpu::FAMILY,
    numa::FAMILY,
    irq::FAMILY,
    pcie::FAMILY,
    nvme::FAMILY,
    blk::FAMILY,
    md::FAMILY,
    fs::FAMILY,
    vm::FAMILY,
    sys::FAMILY,
    noise::FAMILY,
    safe::FAMILY,
];

static CATALOGUE: LazyLock<Vec<Check>> =
    LazyLock::new(|| FAMILIES.into_iter().flat_map(|(texts, made)| checks(texts, made)).collect());

/// The checks of a table. A text without code, or code without a text, is an error of ours that any test shows.
pub(crate) fn checks(file: &'static str, made: &[(&'static str, Observe)]) -> Vec<Check> {
    let mut texts: BTreeMap<String, Check> = texts::read(file);
    let check = |(id, observe): &(&'static str, Observe)| {
        let texts = texts.remove(*id).unwrap_or_else(|| panic!("{id} has no texts"));
        Check { id, observe: *observe, ..texts }
    };
    let checks = made.iter().map(check).collect();
    assert!(texts.is_empty(), "texts without a check: {:?}", texts.keys());
    checks
}

/// Every check, in the order of the catalogue.
pub fn catalogue() -> impl Iterator<Item = &'static Check> {
    CATALOGUE.iter()
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

    /// Texts and code name the same checks, so neither is forgotten.
    #[test]
    fn texts_without_code_and_code_without_texts_are_errors() {
        let observation: Observe = Observe::Several(|_| Vec::new());
        let (texts, made) = safe::FAMILY;
        let refused =
            |made: &[(&'static str, Observe)]| std::panic::catch_unwind(|| checks(texts, made)).is_err();
        assert!(!refused(made));
        assert!(refused(&made[1..]));
        assert!(refused(&[made, &[("safe.luck", observation)]].concat()));
    }

    #[test]
    fn words_lead_to_the_checks_that_have_all_of_them() {
        let ids = |asked| about(asked).iter().map(|check| check.id).collect::<Vec<_>>();
        assert_eq!(ids("transparent hugepages"), ["vm.thp"]);
        assert!(ids("a, 1").is_empty(), "nothing to look for");
        assert!(ids("no such thing at all").is_empty());
    }
}
