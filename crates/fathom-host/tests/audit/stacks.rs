//! Captures whose devices are stacked in a way that no kernel allows. A capture
//! may come from a stranger, and every check must still end.

use std::path::PathBuf;

use fathom_device::Root;
use fathom_device::tree::Tree;
use fathom_host::audit::{Audit, JobNeeds, Observation, Scene, checks};

const NODES: &str =
    "/sys/devices/system/node/node0/cpulist = 0\n/sys/devices/system/node/node1/cpulist = 1\n";

/// A block device that is made of others.
fn device(name: &str, number: usize, below: &[String]) -> String {
    let dir = format!("/sys/devices/virtual/block/{name}");
    let mut text = format!("/sys/block/{name} -> ../devices/virtual/block/{name}\n");
    text += &format!("/sys/class/block/{name} -> ../../devices/virtual/block/{name}\n");
    text += &format!("/sys/dev/block/253:{number} -> ../../devices/virtual/block/{name}\n");
    text += &format!("{dir}/size = 2048\n{dir}/dev = 253:{number}\n");
    below.iter().for_each(|below| text += &format!("{dir}/slaves/{below} -> ../../{below}\n"));
    text
}

/// The observations of `numa.array_span` on the machine, after every check was made.
fn spans(devices: &str, target: &str) -> Vec<Observation> {
    let mut tree = Tree::default();
    tree.overlay(&format!("{NODES}{devices}")).unwrap();
    let root = Root::held(&tree);
    let scene = Scene::new(&root, &[PathBuf::from(target)], JobNeeds::default(), None);
    assert!(!scene.stacked.is_empty());
    let audit = Audit::take(&scene);
    assert_eq!(audit.examined.len(), checks::catalogue().count());
    let mut examined = audit.examined.into_iter();
    examined.find(|examined| examined.check.id == "numa.array_span").unwrap().observations
}

#[test]
fn a_device_that_is_its_own_member() {
    let seen = spans(&device("dm-0", 0, &["dm-0".to_owned()]), "/dev/dm-0");
    assert_eq!(seen.len(), 1);
    assert!(seen[0].says.contains("it has no drive below it"), "{seen:?}");
}

/// Each of 40 devices is made of the next two, so there are far too many paths
/// to the bottom to follow all of them.
#[test]
fn a_stack_with_many_ways_to_one_drive() {
    let names: Vec<String> = (0..40).map(|at| format!("dm-{at}")).collect();
    let next = |at: usize| names[at + 1..names.len().min(at + 3)].to_vec();
    let devices: String = (0..40).map(|at| device(&names[at], at, &next(at))).collect();
    let seen = spans(&(devices + &drive_below("dm-39")), "/dev/dm-0");
    assert_eq!(seen.len(), 40);
    let drives = seen.iter().map(|seen| seen.evidence.len());
    assert_eq!(drives.collect::<Vec<_>>(), [1; 40], "the drive at the bottom, once");
}

/// The stack is too high for a recursion.
#[test]
fn a_stack_of_a_thousand_devices() {
    let below = |at: usize| if at < 999 { vec![format!("dm-{}", at + 1)] } else { Vec::new() };
    let devices: String = (0..1000).map(|at| device(&format!("dm-{at}"), at, &below(at))).collect();
    assert_eq!(spans(&(devices + &drive_below("dm-999")), "/dev/dm-0").len(), 1000);
}

/// The drive `sda` on a PCI function, below the device of this name.
fn drive_below(name: &str) -> String {
    let dir = "devices/pci0000:00/0000:00:01.0/block/sda";
    format!(
        "/sys/devices/pci0000:00/0000:00:01.0/numa_node = 1\n/sys/{dir}/size = 2048\n/sys/{dir}/dev = 8:0\n\
         /sys/block/sda -> ../{dir}\n/sys/dev/block/8:0 -> ../../{dir}\n\
         /sys/devices/virtual/block/{name}/slaves/sda -> ../../../../../{dir}\n"
    )
}
