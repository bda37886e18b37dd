use super::*;
use fathom_device::tree::Tree;
use fathom_results::sample::kind;

const SECOND_NS: u64 = 1_000_000_000;

fn root(text: &str) -> Root {
    let mut tree = Tree::default();
    tree.overlay(text).unwrap();
    Root::held(&tree)
}

/// Every table that a sampler has is one that figures know: most names are written in two crates.
#[test]
fn every_table_has_the_columns_that_readers_expect() {
    let recorder = Recorder::begin(large(0), &large_scope(), 0);
    let told: Vec<_> = recorder.tables().tables.iter().map(|table| table.kind.as_str()).collect();
    for table in &recorder.tables().tables {
        let known = kind::ALL.iter().find(|kind| kind.name == table.kind).expect(&table.kind);
        assert_eq!(known.is_counter, table.is_counter, "{}", table.kind);
        if table.kind != kind::INTERRUPT.name {
            assert_eq!(known.columns, table.columns, "{}", table.kind);
        }
    }
    // The page cache of a recorded machine cannot be counted; all others are there.
    assert_eq!((told.len(), recorder.tables().unknown.len()), (kind::ALL.len() - 1, 1), "{told:?}");
}

const CPUS: usize = 256;
const INTERRUPTS: usize = 4_000;
/// Interrupts of the target: a queue for each CPU.
const QUEUES: usize = 256;

const FUNCTION: &str = "/sys/devices/pci0000:00/0000:00:02.0";

/// A machine of 256 CPUs and 4,000 interrupts, `round` readings later.
fn large(round: u64) -> Root {
    use std::fmt::Write;
    let mut text = String::from("/proc/stat <<\n\tcpu  1 2 3 4 5 6 7 8 9 10\n");
    for cpu in 0..CPUS as u64 {
        let idle = 99 * round + (cpu + round) % 3;
        writeln!(text, "\tcpu{cpu} {} 0 {} {idle} 0 0 0 0 0 0", 4 * round, cpu % 5 * round).unwrap();
    }
    writeln!(text, "\tintr 1{}", " 7".repeat(INTERRUPTS)).unwrap();
    text.push_str("/proc/meminfo <<\n\tMemTotal: 1000 kB\n\tMemFree: 10 kB\n/proc/vmstat <<\n\tpgpgin 1\n");
    for cpu in 0..CPUS {
        let dir = format!("/sys/devices/system/cpu/cpu{cpu}");
        writeln!(text, "{dir}/cpufreq/scaling_cur_freq = {}", 2_600_000 + round).unwrap();
        writeln!(text, "{dir}/thermal_throttle/core_throttle_count = 0").unwrap();
        writeln!(text, "{dir}/thermal_throttle/package_throttle_count = 0").unwrap();
    }
    for irq in 0..INTERRUPTS {
        let own = (0..CPUS).map(|cpu| if cpu == irq % CPUS { round.to_string() } else { "0".to_owned() });
        let counts = own.collect::<Vec<_>>().join(",");
        writeln!(text, "/sys/kernel/irq/{irq}/per_cpu_count = {counts}").unwrap();
        if irq < QUEUES {
            writeln!(text, "{FUNCTION}/msi_irqs/{} = msix", irq + 1).unwrap();
        }
    }
    writeln!(text, "/sys/class/block/sda/stat = {round} 0 8 0 0 0 0 0 0 0 0 0 0 0 0 0 0").unwrap();
    writeln!(text, "{FUNCTION}/aer_dev_correctable = TOTAL_ERR_COR 0").unwrap();
    writeln!(text, "{FUNCTION}/aer_dev_nonfatal = TOTAL_ERR_NONFATAL 0").unwrap();
    writeln!(text, "{FUNCTION}/aer_dev_fatal = TOTAL_ERR_FATAL 0").unwrap();
    text.push_str("/sys/class/hwmon/hwmon0/name = coretemp\n/sys/class/hwmon/hwmon0/temp1_input = 40000\n");
    root(&text)
}

fn large_scope() -> SampleScope {
    let function = std::path::PathBuf::from(FUNCTION);
    let disk = Disk {
        name: "sda".to_owned(),
        number: "8:0".parse().unwrap(),
        sys_dir: function.join("block/sda"),
        kind: fathom_device::device::DiskKind::of("sda"),
        controllers: Vec::new(),
        ways: vec![vec![function]],
    };
    SampleScope {
        disks: vec![disk],
        is_buffered: true,
        memory_lines: kind::MEMORY.columns,
        paging_lines: kind::PAGING.columns,
    }
}

#[test]
fn a_machine_of_256_cpus_and_4000_interrupts() {
    let mut recorder = Recorder::begin(large(0), &large_scope(), 0);
    recorder.replace_root(large(1));
    let sample = recorder.read(|| SECOND_NS);
    let rows = sample.unpack(recorder.tables()).expect("it fits its tables");
    let interrupt = recorder.tables().of_kind("interrupt").unwrap().1;
    assert_eq!(
        (interrupt.subjects.len(), interrupt.columns.len()),
        (QUEUES, CPUS),
        "those of the target alone"
    );
    assert!(rows.iter().all(Option::is_some));
    assert!(sample.rows.len() < 6_000, "a sample has {} bytes", sample.rows.len());
    assert!(sample.cost_ns > 0);
    // However slow this machine is now: with the interval that follows, it is 0.5 % of a core.
    let mut pace = Pace::default();
    pace.took(sample.cost_ns);
    let share = sample.cost_ns as f64 / (pace.seconds() * SECOND_NS) as f64;
    assert!(share <= 0.005 || pace.seconds() == 60, "{share}");
}

#[test]
fn files_that_vanish_are_gaps_and_come_back() {
    let text = |cpus: &str, disk: bool| {
        let stat = if disk { "/sys/class/block/sda/stat = 5 0 8 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n" } else { "" };
        root(&format!("/proc/stat <<\n\tcpu  0 0 0 0 0 0 0 0\n{cpus}{stat}"))
    };
    let both = "\tcpu0 1 0 0 9 0 0 0 0\n\tcpu1 1 0 0 9 0 0 0 0\n";
    let mut recorder = Recorder::begin(text(both, true), &large_scope(), 0);
    let mut sample = |now: Root, second: u64| {
        recorder.replace_root(now);
        let sample = recorder.read(|| second * SECOND_NS);
        assert_eq!((sample.start_ns, sample.end_ns()), ((second - 1) * SECOND_NS, second * SECOND_NS));
        sample.unpack(recorder.tables()).unwrap().iter().map(Option::is_some).collect::<Vec<_>>()
    };
    // The disk comes first, then the CPUs.
    assert_eq!(sample(text("\tcpu0 2 0 0 9 0 0 0 0\n", true), 1), [true, true, false], "CPU 1 is offline");
    assert_eq!(sample(text(both, false), 2), [false, true, false], "the disk is gone, and a CPU is back");
    assert_eq!(sample(text(both, true), 3), [false, true, true]);
    assert_eq!(sample(text(both, true), 4), [true, true, true]);
}
