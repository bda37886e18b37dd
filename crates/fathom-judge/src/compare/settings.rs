//! The commands that give a machine the settings that one side had.

use super::differ::follows;
use super::subject::{Property, Subject};
use fathom_results::{ComparisonStep, StepPurpose};
use fathom_text::shell::quoted_carried;

/// Settings whose file takes the value that was read from it (Linux, Documentation/ABI/stable/sysfs-block,
/// Documentation/admin-guide/sysctl/vm.rst and cpu-freq), each with the knob that sets it to such a value, if there is one.
const SETTABLE: [(&str, Option<&str>); 13] = [
    ("scheduler", Some("blk.scheduler")),
    ("nr requests", Some("blk.nr_requests")),
    ("wbt lat usec", Some("blk.wbt")),
    ("read ahead kib", Some("blk.read_ahead")),
    ("max sectors kib", Some("blk.max_sectors")),
    ("nomerges", Some("blk.nomerges")),
    ("rq affinity", Some("blk.rq_affinity")),
    ("governor", Some("cpu.governor")),
    ("transparent hugepages", Some("vm.thp")),
    ("swappiness", Some("vm.swappiness")),
    ("dirty ratio", None),
    ("dirty background ratio", None),
    ("numa balancing", Some("numa.balancing")),
];

/// More settings than this are not set one by one.
const SETTINGS_MAX: usize = 3;

/// For each subject the commands that set what differs, in their order; none where they were measured on different
/// machines.
pub(super) fn settings(subjects: &[Subject]) -> Vec<Vec<ComparisonStep>> {
    let differing = differing(subjects);
    let is_usable = differing.len() <= SETTINGS_MAX && is_one_machine(subjects);
    let of = |subject: &Subject| {
        let own = differing.iter().filter_map(|what| property(subject, what)).filter(|_| is_usable);
        own.map(|property| step(&subject.about.letter, property, differing.len() > 1)).collect()
    };
    subjects.iter().map(of).collect()
}

/// Were all of them measured on the same machine?
pub(super) fn is_one_machine(subjects: &[Subject]) -> bool {
    let mut names = subjects.iter().map(|subject| found_value(subject, "hostname"));
    let first = names.next().flatten();
    first.is_some() && names.all(|name| name == first)
}

/// The settings that can be set and differ, without those that the kernel sets with another one.
fn differing(subjects: &[Subject]) -> Vec<&'static str> {
    let differs = |what: &&str| {
        let mut values = subjects.iter().map(|subject| found_value(subject, what));
        let first = values.next().flatten();
        first.is_some() && values.clone().all(|value| value.is_some()) && values.any(|value| value != first)
    };
    let all: Vec<&str> = SETTABLE.into_iter().map(|(what, _)| what).filter(differs).collect();
    all.iter().copied().filter(|what| follows(what, &all).is_none()).collect()
}

/// The knob with the values of all subjects, as `fathom try` takes them: `blk.scheduler=mq-deadline,none`. `None` unless it is
/// all that differs on their one machine.
pub(super) fn tried(subjects: &[Subject]) -> Option<String> {
    let differing = differing(subjects);
    let [what] = differing.as_slice() else { return None };
    let knob = SETTABLE.iter().find(|(known, _)| known == what).and_then(|(_, knob)| *knob)?;
    let values = subjects.iter().filter_map(|subject| found_value(subject, what));
    let values: Vec<&str> = values.filter(|value| !value.contains([',', '|', ' '])).collect();
    let is_whole = values.len() == subjects.len() && is_one_machine(subjects);
    is_whole.then(|| format!("{knob}={}", values.join(",")))
}

fn property<'s>(subject: &'s Subject, what: &str) -> Option<&'s Property> {
    let mut own = subject.properties.iter();
    own.find(|own| own.job.is_none() && own.target.is_none() && own.what == what && own.value.is_some())
}

fn found_value<'s>(subject: &'s Subject, what: &str) -> Option<&'s str> {
    property(subject, what)?.value.as_deref()
}

fn step(letter: &str, property: &Property, is_one_of_several: bool) -> ComparisonStep {
    let value = property.value.as_deref().unwrap_or_default();
    let file = file(property.source.as_deref().unwrap_or_default());
    let command = format!("echo {} | sudo tee {file}", quoted_carried(value));
    let (subject, setting) = (letter.to_owned(), property.what.clone());
    let purpose = StepPurpose::SetAsBefore { subject, setting, is_one_of_several };
    ComparisonStep { command, purpose, asks_for_consent: false }
}

/// The file, by the short way to the queue of a disk, and for all CPUs.
fn file(source: &str) -> String {
    let of_disk = source.rsplit_once("/block/").map(|(_, disk)| format!("/sys/block/{disk}"));
    let file = of_disk.unwrap_or_else(|| source.to_owned());
    match file.strip_prefix("/sys/devices/system/cpu/cpufreq/policy0/") {
        Some(name) => format!("/sys/devices/system/cpu/cpufreq/policy*/{name}"),
        None => quoted_carried(&file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_setting() {
        for (source, told) in [
            ("/sys/devices/virtual/block/loop1/queue/scheduler", "/sys/block/loop1/queue/scheduler"),
            (
                "/sys/devices/pci0000:00/nvme/nvme0/nvme0n1/queue/nomerges",
                "/sys/devices/pci0000:00/nvme/nvme0/nvme0n1/queue/nomerges",
            ),
            (
                "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
                "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
            ),
            ("/proc/sys/vm/swappiness", "/proc/sys/vm/swappiness"),
        ] {
            assert_eq!(file(source), told);
        }
    }
}
