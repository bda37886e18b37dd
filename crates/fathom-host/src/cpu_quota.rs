//! The limits of CPU time that control groups put on fathom, of both versions, and how often they stopped it.
//!
//! A group that has used its quota up does not run until its period ends (Documentation/scheduler/sched-bwc.rst of the
//! kernel). The limits of a container are such quotas. A limit applies to the group and to all below it.

use crate::io_limits::{OWN, TOP, group, levels};
use fathom_device::root::Root;
use std::path::{Path, PathBuf};

/// A group with a quota, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaReading {
    /// The group's directory.
    pub group: PathBuf,
    /// CPU time of a period, µs.
    pub quota_us: u64,
    /// Length of a period, µs.
    pub period_us: u64,
    /// Periods since the group was made in which it was stopped.
    pub stopped: u64,
}

/// The groups with a quota that fathom belongs to, its own first. Empty where none has one, or none can be read.
pub fn readings(root: &Root) -> Vec<QuotaReading> {
    let own = root.read_text(OWN).unwrap_or_default();
    let groups = || own.lines().filter_map(group);
    let v1 = groups().find(|(names, _)| names.split(',').any(|name| name == "cpu"));
    let (top, path) = match (v1, groups().find(|(names, _)| names.is_empty())) {
        (Some((_, path)), _) => (Path::new(TOP).join("cpu"), path),
        (None, Some((_, path))) => (PathBuf::from(TOP), path),
        (None, None) => return Vec::new(),
    };
    levels(&top, path).iter().filter_map(|dir| reading(root, dir)).collect()
}

fn reading(root: &Root, dir: &Path) -> Option<QuotaReading> {
    let text = |name: &str| root.read_text(dir.join(name)).ok();
    let first = |name| text(name)?.trim().parse::<u64>().ok();
    let (quota_us, period_us) = match text("cpu.max") {
        Some(both) => {
            let (quota, period) = both.trim().split_once(' ')?;
            (quota.parse().ok()?, period.parse().ok()?)
        }
        // Without a limit it is -1.
        None => (first("cpu.cfs_quota_us")?, first("cpu.cfs_period_us")?),
    };
    let stat = text("cpu.stat")?;
    let stopped = stat.lines().find_map(|line| line.strip_prefix("nr_throttled "))?.trim().parse().ok()?;
    (period_us > 0).then(|| QuotaReading { group: dir.to_path_buf(), quota_us, period_us, stopped })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(files: &[(&str, &str)]) -> Vec<QuotaReading> {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        readings(&Root::recorded(dir.path()))
    }

    #[test]
    fn quotas_of_both_versions_and_of_groups_above() {
        let stat = "nr_periods 60\nnr_throttled 12\nthrottled_time 332392486\n";
        let old = machine(&[
            ("proc/self/cgroup", "4:memory:/\n3:cpu,cpuacct:/a/b\n0::/\n"),
            ("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "20000\n"),
            ("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/cpu/a/cpu.stat", stat),
            ("sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/cpu/a/b/cpu.stat", stat),
        ]);
        let group = PathBuf::from("/sys/fs/cgroup/cpu/a");
        let reading = QuotaReading { group, quota_us: 20_000, period_us: 100_000, stopped: 12 };
        assert_eq!(old, [reading]);
        let new = machine(&[
            ("proc/self/cgroup", "0::/pod\n"),
            ("sys/fs/cgroup/pod/cpu.max", "150000 50000\n"),
            ("sys/fs/cgroup/pod/cpu.stat", "usage_usec 5\nnr_periods 3\nnr_throttled 2\n"),
        ]);
        let group = PathBuf::from("/sys/fs/cgroup/pod");
        assert_eq!(new, [QuotaReading { group, quota_us: 150_000, period_us: 50_000, stopped: 2 }]);
        let unlimited = ("sys/fs/cgroup/pod/cpu.max", "max 100000\n");
        let none =
            machine(&[("proc/self/cgroup", "0::/pod\n"), unlimited, ("sys/fs/cgroup/pod/cpu.stat", stat)]);
        assert_eq!(none, []);
    }
}
