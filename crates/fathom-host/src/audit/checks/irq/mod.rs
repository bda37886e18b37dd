//! Interrupts.

mod place;

use std::collections::BTreeMap;

use crate::audit::checks::prelude::*;

/// The checks of the family `irq`. Only `spread` is made again at the end of a
/// run, because it shows only while I/O runs. The others judge settings that
/// were there before the run, and would taint it for them.
pub(super) const FAMILY: Family = (
    include_str!("../irq.toml"),
    &[
        ("irq.managed", EachDisk(place::managed)),
        ("irq.unmanaged_place", EachDisk(place::unmanaged_place)),
        ("irq.spread", Watch(&[INTERRUPTS], &All("host", place::spread))),
        ("irq.daemon", Of("host", place::daemon)),
        ("irq.queue_map", EachDisk(place::queue_map)),
        ("irq.device_threads", Watch(&[PROCESSES], &Of("host", place::device_threads))),
        ("irq.coalescing", Several(place::coalescing)),
        ("irq.threaded", Several(place::threaded)),
        ("irq.softirq_load", Watch(&["/proc/stat"], &Of("host", place::softirq_load))),
    ],
);

// Interrupts: the table of all, and those of one disk.

/// The file with the table of all interrupts.
const INTERRUPTS: &str = "/proc/interrupts";

/// One row of `/proc/interrupts`: how often each CPU was interrupted, and by
/// what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Row {
    /// Number of interrupts, by CPU.
    pub counts: BTreeMap<u32, u64>,
    /// The last word: `nvme0q1`, `virtio1-req.0`, `ahci[0000:00:17.0]`.
    pub name: String,
}

/// The rows with a number; those with letters (`NMI`, `LOC`) belong to no device.
fn rows(text: &str) -> Result<BTreeMap<u32, Row>, Unknown> {
    let mut lines = text.lines();
    let heads = lines.next().unwrap_or_default();
    let cpus = heads.split_whitespace().map(|head| head.strip_prefix("CPU")?.parse().ok());
    let cpus: Option<Vec<u32>> = cpus.collect();
    let cpus = cpus.filter(|cpus| !cpus.is_empty());
    let cpus = cpus.ok_or_else(|| Unknown::garbled(Path::new(INTERRUPTS), heads))?;
    Ok(lines.filter_map(|line| row(line, &cpus)).collect())
}

fn row(line: &str, cpus: &[u32]) -> Option<(u32, Row)> {
    let (irq, rest) = line.split_once(':')?;
    let mut words = rest.split_whitespace();
    let mut counts = BTreeMap::new();
    for cpu in cpus {
        counts.insert(*cpu, words.next()?.parse().ok()?);
    }
    let name = words.next_back().unwrap_or_default().to_owned();
    Some((irq.trim().parse().ok()?, Row { counts, name }))
}

/// An interrupt of a disk.
#[derive(Debug, Clone)]
struct Interrupt {
    /// The number of the interrupt.
    pub irq: u32,
    /// Its name, where the table has it.
    pub name: Option<String>,
    /// Its file `smp_affinity`.
    pub file: PathBuf,
    /// Whether that file cannot be written, because the kernel places the interrupt.
    pub is_read_only: bool,
    /// CPUs that handle it: the effective ones, else those allowed.
    pub cpus: CpuSet,
}

impl Interrupt {
    /// Whether it is NVMe's queue 0, which carries no I/O. Without a name it
    /// is not.
    pub fn is_admin(&self) -> bool {
        self.name.as_ref().is_some_and(|name| name.starts_with("nvme") && name.ends_with("q0"))
    }

    /// Whether it is a queue of NVMe that carries I/O.
    pub fn is_nvme_queue(&self) -> bool {
        let name = self.name.as_deref().unwrap_or_default();
        name.starts_with("nvme") && name.contains('q') && !self.is_admin()
    }
}

/// The interrupts of a disk's PCI function.
fn of_disk(scene: &Scene<'_>, disk: &Disk) -> Result<Vec<Interrupt>, Unknown> {
    let function = disk.function();
    let function = function.ok_or_else(|| Unknown::new(&disk.sys_dir, "it is not below a PCI function"))?;
    let mut files = scene.glob(&format!("{}/msi_irqs/#", function.display()));
    // Without MSI a function has one interrupt, and shares it with others.
    if files.is_empty() {
        files = legacy(scene, function).into_iter().collect();
    }
    if files.is_empty() {
        return Err(Unknown::missing(function.join("msi_irqs")));
    }
    let names = scene.read(INTERRUPTS).and_then(|raw| rows(&raw.text)).unwrap_or_default();
    let number = |file: &PathBuf| file.file_name()?.to_str()?.parse().ok();
    files.iter().filter_map(number).map(|irq| interrupt(scene, irq, &names)).collect()
}

/// The number in the function's `irq`, in the form of a path; 0 is none.
fn legacy(scene: &Scene<'_>, function: &Path) -> Option<PathBuf> {
    let (irq, _) = scene.value::<u32>(function.join("irq")).ok()?;
    (irq > 0).then(|| PathBuf::from(irq.to_string()))
}

fn interrupt(scene: &Scene<'_>, irq: u32, names: &BTreeMap<u32, Row>) -> Result<Interrupt, Unknown> {
    let dir = PathBuf::from(format!("/proc/irq/{irq}"));
    let file = dir.join("smp_affinity");
    let is_read_only = is_read_only(scene, &file)?;
    let (allowed, _) = scene.value::<CpuSet>(dir.join("smp_affinity_list"))?;
    // Kernels before 4.13, and interrupt controllers that do not report it,
    // have no effective list.
    let effective = scene.value::<CpuSet>(dir.join("effective_affinity_list")).ok();
    let effective = effective.map(|(cpus, _)| cpus).filter(|cpus| !cpus.is_empty());
    let name = names.get(&irq).map(|row| row.name.clone()).filter(|name| !name.is_empty());
    Ok(Interrupt { irq, name, file, is_read_only, cpus: effective.unwrap_or(allowed) })
}

/// Whether nobody may write the file. We read it too, because a capture keeps
/// the mode only of files that were read.
fn is_read_only(scene: &Scene<'_>, file: &Path) -> Result<bool, Unknown> {
    scene.read(file)?;
    Ok(scene.root.mode(file)? & 0o222 == 0)
}

/// Whether this kernel shows by the mode of the files which interrupts it
/// places (6.12 and later). Then some file is read-only wherever a drive has
/// queues.
fn mode_speaks(scene: &Scene<'_>) -> bool {
    let files = scene.glob("/proc/irq/#/smp_affinity");
    files.iter().any(|file| is_read_only(scene, file).unwrap_or(false))
}

/// The interrupts of a disk that carry I/O and that a user may place.
fn free(scene: &Scene<'_>, disk: &Disk) -> Result<Vec<Interrupt>, Unknown> {
    let speaks = mode_speaks(scene);
    let mut interrupts = of_disk(scene, disk)?;
    // Where the mode says nothing: NVMe's queues are managed since 4.8, and a
    // write would fail.
    interrupts.retain(|one| !one.is_read_only && !one.is_admin() && (speaks || !one.is_nvme_queue()));
    Ok(interrupts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_with_a_cpu_offline_and_rows_of_letters() {
        let text = "           CPU0       CPU2\n 41:       1000          7  PCI-MSIX-0000:01:00.0   1-edge  nvme0q1\n\
                    NMI:          0          0   Non-maskable interrupts\nERR:          0\n";
        let rows = rows(text).unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[&41], Row { counts: [(0, 1000), (2, 7)].into(), name: "nvme0q1".to_owned() });
    }

    #[test]
    fn a_table_without_its_head() {
        for text in ["", "41: 1 2 nvme0q1", "CPUx"] {
            assert!(rows(text).is_err(), "{text}");
        }
    }
}
