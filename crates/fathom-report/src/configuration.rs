//! The short id of a configuration: two results with the same one came from the same jobs on the same kind of
//! machine and target.
//!
//! It is made of the options of all jobs, of what the machine is (processor, memory, firmware, kernel and its
//! settings), and of what the targets are (model, firmware, size, queue settings, links). What
//! names one machine or one drive does not count: host name, paths, serial numbers. So the id of a
//! redacted result is the same, and the same drive at another path has the same configuration.

use fathom_results::{RunRecord, RunResult};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

/// Hexadecimal digits of the short id.
const DIGITS: usize = 8;

/// Options that say where files are and what they are called, and how random numbers begin.
const OPTIONS_LEFT_OUT: [&str; 17] = [
    "filename",
    "directory",
    "opendir",
    "exec_prerun",
    "exec_postrun",
    "read_iolog",
    "write_iolog",
    "merge_blktrace_file",
    "write_bw_log",
    "write_iops_log",
    "write_lat_log",
    "write_hist_log",
    "log_prefix",
    "description",
    "name",
    "randseed",
    "random_generator_seed",
];

/// Facts about the machine that count.
const MACHINE: [&str; 32] = [
    "kernel",
    "cpu_model",
    "cpu_sockets",
    "cpu_cores",
    "cpu_threads",
    "cpus_online",
    "cpus_isolated",
    "smt",
    "governor",
    "cpufreq_driver",
    "cpuidle_driver",
    "numa_nodes",
    "numa_balancing",
    "memory_bytes",
    "transparent_hugepages",
    "clocksource",
    "hypervisor",
    "system_vendor",
    "system_product",
    "bios_version",
    "microcode",
    "energy_preference",
    "no_turbo",
    "boost",
    "pcie_aspm_policy",
    "tuned_profile",
    "swappiness",
    "dirty_ratio",
    "dirty_background_ratio",
    "nvme_poll_queues",
    "aio_max_nr",
    "io_uring_disabled",
];

/// Facts about a target that count.
const TARGET: [&str; 33] = [
    "fs_type",
    "kind",
    "is_virtual_disk",
    "model",
    "firmware",
    "size_bytes",
    "logical_block_bytes",
    "physical_block_bytes",
    "scheduler",
    "nr_requests",
    "max_sectors_kib",
    "read_ahead_kib",
    "nomerges",
    "rq_affinity",
    "rotational",
    "write_cache",
    "io_poll",
    "iostats",
    "zoned",
    "discard_max_bytes",
    "fua",
    "wbt_lat_usec",
    "nvme_queues",
    "nvme_queue_entries",
    "queue_tags",
    "scsi_queue_depth",
    "md_level",
    "md_chunk_bytes",
    "loop_direct_io",
    "link_speed",
    "link_speed_max",
    "link_width",
    "link_width_max",
];

/// The short id of the configuration of a run: eight hexadecimal digits.
pub fn configuration_id(record: &RunRecord) -> String {
    let mut hash = Sha256::new();
    for line in lines(record) {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    hex[..DIGITS].to_owned()
}

/// The short id of the configuration of a run that was loaded; of a redacted one it is the id of the run that was measured, because
/// stand-ins may be in the names of its jobs.
pub fn configuration_of(run: &RunResult) -> String {
    run.redacted_configuration.clone().unwrap_or_else(|| configuration_id(&run.record))
}

/// What the id is made of: jobs in their order, then facts, each once.
fn lines(record: &RunRecord) -> Vec<String> {
    let mut lines = Vec::new();
    for job in &record.plan.jobs {
        lines.push(format!("job {} {}", job.name, job.engine));
        let settings = job.job.settings().filter(|(name, _)| !OPTIONS_LEFT_OUT.contains(name));
        // The order in which options were typed says nothing.
        let settings: BTreeSet<String> = settings.map(|(name, it)| format!("{name}={}", it.text)).collect();
        lines.extend(settings);
    }
    let facts: BTreeSet<String> =
        record.host.iter().filter_map(|fact| counted(&fact.name, fact.value.as_deref()?)).collect();
    lines.extend(facts);
    lines
}

/// A fact that counts; of a target without its path.
fn counted(name: &str, value: &str) -> Option<String> {
    let target = name.strip_prefix("target.").and_then(|rest| rest.rsplit_once('.'));
    let name = match target {
        Some((_, fact)) => TARGET.contains(&fact).then_some(fact)?,
        None => MACHINE.contains(&name).then_some(name)?,
    };
    Some(format!("{name}: {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_one_machine_or_drive_does_not_count() {
        let same = [
            ("hostname", "db01"),
            ("target./dev/nvme0n1.serial", "S1"),
            ("target./dev/nvme0n1.probe.direct.nowait", "supported"),
            ("run.steal_percent", "0.00"),
            ("cmdline", "quiet"),
        ];
        for (name, value) in same {
            assert_eq!(counted(name, value), None, "{name}");
        }
        assert_eq!(counted("kernel", "6.18").as_deref(), Some("kernel: 6.18"));
        for path in ["/dev/nvme0n1", "/dev/nvme1n1", "/mnt/a.b/f"] {
            let fact = counted(&format!("target.{path}.model"), "ACME");
            assert_eq!(fact.as_deref(), Some("model: ACME"), "{path}");
        }
    }
}
