use super::*;
use crate::device::{DevNumber, DiskKind};
use crate::tree::Tree;
use std::path::PathBuf;

const MACHINE: &str = "/proc/stat <<\n\tcpu  5 0 5 90 0 0 0 0 0 0\n\tcpu0 1 0 2 50 0 0 0 0 0 0\n\tcpu2 4 0 3 40 0 0 0 0 0 0\n\tintr 7 1 2\n\
/proc/meminfo <<\n\tMemTotal:       24684084 kB\n\tMemFree:         9224504 kB\n\tDirty:             41468 kB\n\
/proc/vmstat <<\n\tnr_dirty 10\n\tpgpgin 2634117492\n\tpswpout 87\n\
/sys/class/block/sda/stat = 100 2 800 12 50 3 400 9 4 20 21 5 0 4096 1 7 2\n\
/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq = 2600000\n\
/sys/devices/system/cpu/cpu0/cpufreq/base_frequency = 2500000\n\
/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count = 3\n\
/sys/kernel/irq/41/per_cpu_count = 7,0,9\n\
/sys/kernel/irq/41/actions = nvme0q1\n\
/sys/devices/pci0000:00/0000:00:02.0/msi_irqs/41 = msix\n\
/sys/devices/pci0000:00/0000:00:02.0/aer_dev_correctable <<\n\tRxErr 3\n\tTOTAL_ERR_COR 4\n\
/sys/devices/pci0000:00/0000:00:02.0/aer_dev_nonfatal = TOTAL_ERR_NONFATAL 1\n\
/sys/devices/pci0000:00/0000:00:02.0/aer_dev_fatal = TOTAL_ERR_FATAL 0\n\
/sys/class/nvme/nvme0/hwmon1/temp1_input = 41850\n\
/sys/class/nvme/nvme0/hwmon1/temp1_max = 81850\n";

fn root(text: &str) -> Root {
    let mut tree = Tree::default();
    tree.overlay(text).unwrap();
    Root::held(&tree)
}

fn scope() -> SampleScope {
    let disk = Disk {
        name: "sda".to_owned(),
        number: DevNumber { major: 8, minor: 0 },
        sys_dir: PathBuf::from("/sys/devices/pci0000:00/0000:00:02.0/block/sda"),
        kind: DiskKind::of("sda"),
        controllers: vec!["nvme0".to_owned()],
        ways: vec![vec![PathBuf::from("/sys/devices/pci0000:00/0000:00:02.0")]],
    };
    SampleScope {
        disks: vec![disk],
        is_buffered: true,
        memory_lines: &["MemTotal", "MemFree", "Dirty"],
        paging_lines: &["pgpgin", "pswpout"],
    }
}

/// Kind, rows and numbers of every table.
fn read(root: &Root) -> Vec<(&'static str, Vec<String>, TableReading)> {
    let one = |mut it: Sampler| (it.table.kind, it.table.subjects.clone(), (it.read)(root));
    Samplers::begin(root, &scope()).samplers.into_iter().map(one).collect()
}

#[test]
fn every_table_of_a_machine() {
    let all = read(&root(MACHINE));
    let row = |kind: &str, row: usize| all.iter().find(|it| it.0 == kind).unwrap().2[row].clone();
    let kinds: Vec<_> = all.iter().map(|it| it.0).collect();
    let expected =
        ["disk", "cpu", "interrupt", "memory", "paging", "clock", "throttle", "temperature", "link-errors"];
    assert_eq!(kinds, expected);
    assert_eq!(row("cpu", 1).unwrap()[..4], [4, 0, 3, 40]);
    assert_eq!(row("interrupt", 0), Some(vec![7, 9]), "CPU 1 is offline");
    assert_eq!(row("disk", 0).unwrap()[..10], [100, 2, 800, 12, 50, 3, 400, 9, 20, 21]);
    assert_eq!(row("memory", 0).unwrap()[..2], [24_684_084, 9_224_504]);
    assert_eq!(row("paging", 0).unwrap()[0], 2_634_117_492);
    assert_eq!(row("clock", 0), Some(vec![2_600_000, 2_500_000, 0]));
    assert_eq!(row("throttle", 0), Some(vec![3, 0]));
    assert_eq!(row("temperature", 0), Some(vec![315_000, 355_000]));
    assert_eq!(row("link-errors", 0), Some(vec![4, 1, 0]));
    let interrupt = all.iter().find(|it| it.0 == "interrupt").unwrap();
    assert_eq!(interrupt.1, ["41 nvme0q1"]);
}

#[test]
fn what_vanishes_is_a_missing_row_and_what_was_never_there_has_no_table() {
    let Samplers { mut samplers, unknown } = Samplers::begin(&root(MACHINE), &scope());
    assert_eq!(unknown.len(), 1, "the page cache of a recorded machine: {unknown:?}");
    let gone = MACHINE.lines().filter(|line| !line.contains("cpu2") && !line.contains("/sda/"));
    let gone = root(&gone.map(|line| format!("{line}\n")).collect::<String>());
    let rows = |kind: &str, samplers: &mut Vec<Sampler>| {
        let sampler = samplers.iter_mut().find(|it| it.table.kind == kind).unwrap();
        (sampler.read)(&gone)
    };
    let cpus = rows("cpu", &mut samplers);
    assert!(cpus[0].is_some() && cpus[1].is_none(), "{cpus:?}");
    assert_eq!(rows("disk", &mut samplers), [None]);
    let nothing = root("/proc/stat = ????\n");
    let nothing = Samplers::begin(&nothing, &SampleScope::default());
    assert_eq!(
        (nothing.samplers.len(), nothing.unknown.len()),
        (0, 3),
        "CPUs, memory and paging are everywhere"
    );
}
