//! The limits that control groups put on our I/O and on our CPU time, of both versions.
//!
//! A limit applies to the group and to all groups below it, so we read from our
//! own group up to the top. A level without the file has no limit of its own.

use fathom_device::device::DevNumber;
use fathom_device::root::{Root, Unknown};
use std::path::{Path, PathBuf};

const TOP: &str = "/sys/fs/cgroup";

/// The file that names our groups.
pub(crate) const OWN: &str = "/proc/self/cgroup";

/// Files of cgroup 1 with one device and one number a line.
const THROTTLES: [&str; 4] = [
    "blkio.throttle.read_bps_device",
    "blkio.throttle.write_bps_device",
    "blkio.throttle.read_iops_device",
    "blkio.throttle.write_iops_device",
];

/// A line about one device.
#[derive(Debug)]
pub(crate) struct Line {
    /// The file that contains it.
    pub path: PathBuf,
    /// The whole line.
    pub text: String,
    /// `MAJ:MIN`.
    pub device: String,
    /// The settings of the line, without those that limit nothing.
    pub words: String,
}

/// The limits and latency targets that apply to us.
#[derive(Debug)]
pub(crate) struct Limits {
    /// The text of [`OWN`].
    pub own: String,
    /// Caps (`io.max`, `blkio.throttle.*`).
    pub caps: Vec<Line>,
    /// Latency targets (`io.latency`).
    pub targets: Vec<Line>,
    /// Devices that iocost divides between groups.
    pub shares: Vec<Line>,
}

/// Reads the limits. Fails where it cannot be known whether there are any.
pub(crate) fn limits(root: &Root) -> Result<Limits, Unknown> {
    let own = root.read_text(OWN)?.trim().to_owned();
    let groups: Option<Vec<(&str, &str)>> = own.lines().map(group).collect();
    let groups = groups.filter(|groups| !groups.is_empty());
    let groups = groups.ok_or_else(|| Unknown::garbled(OWN.as_ref(), &own))?;
    let v1 = groups.iter().find(|(names, _)| names.split(',').any(|name| name == "blkio"));
    let mut limits = Limits { own: own.clone(), caps: Vec::new(), targets: Vec::new(), shares: Vec::new() };
    match (v1, groups.iter().find(|(names, _)| names.is_empty())) {
        (Some((_, path)), _) => limits.read_v1(root, path)?,
        (None, Some((_, path))) => limits.read_v2(root, path)?,
        (None, None) => return Err(Unknown::new(OWN, "it names no group that could limit I/O")),
    }
    Ok(limits)
}

/// `0::/user.slice` (cgroup 2) or `7:blkio:/`: controllers and path.
pub(crate) fn group(line: &str) -> Option<(&str, &str)> {
    let (number, rest) = line.split_once(':')?;
    number.parse::<u32>().ok()?;
    rest.split_once(':').filter(|(_, path)| path.starts_with('/'))
}

/// What a cap limits, with its name in the facts of a run. Of cgroup 2 and of cgroup 1 (`rbps=1048576`, `read_bps=1048576`).
const CAPS: [(&str, [&str; 2]); 4] = [
    ("group_read_iops_max", ["riops", "read_iops"]),
    ("group_write_iops_max", ["wiops", "write_iops"]),
    ("group_read_bytes_max", ["rbps", "read_bps"]),
    ("group_write_bytes_max", ["wbps", "write_bps"]),
];

/// The smallest cap of each kind on a disk and on those below it, with the file that has it. A cap of a group above ours is shared with all in
/// that group.
pub(crate) fn caps(root: &Root, disks: &[DevNumber]) -> Vec<(&'static str, u64, PathBuf)> {
    let Ok(limits) = limits(root) else { return Vec::new() };
    let numbers: Vec<String> = disks.iter().map(DevNumber::to_string).collect();
    let lines = || limits.caps.iter().filter(|line| numbers.contains(&line.device));
    let of = |(name, words): (&'static str, [&str; 2])| {
        let limit_text = |line: &Line| {
            let pairs = line.words.split_whitespace().filter_map(|word| word.split_once('='));
            let value = pairs.filter(|(word, _)| words.contains(word)).find_map(|(_, n)| n.parse().ok())?;
            Some((name, value, line.path.clone()))
        };
        lines().filter_map(limit_text).min_by_key(|(_, value, _)| *value)
    };
    CAPS.into_iter().filter_map(of).collect()
}

impl Limits {
    fn read_v2(&mut self, root: &Root, path: &str) -> Result<(), Unknown> {
        // This file shows that the tree is mounted. Without it, a missing limit
        // file proves nothing.
        root.read_text(Path::new(TOP).join("cgroup.controllers"))?;
        for dir in levels(Path::new(TOP), path) {
            self.caps.extend(lines(root, &dir.join("io.max"), |word| !word.ends_with("=max"))?);
            self.targets.extend(lines(root, &dir.join("io.latency"), |_| true)?);
        }
        let qos = lines(root, &Path::new(TOP).join("io.cost.qos"), |_| true)?;
        self.shares.extend(qos.into_iter().filter(|line| line.words.contains("enable=1")));
        Ok(())
    }

    fn read_v1(&mut self, root: &Root, path: &str) -> Result<(), Unknown> {
        let top = Path::new(TOP).join("blkio");
        root.read_text(top.join(THROTTLES[0]))?;
        for dir in levels(&top, path) {
            for file in THROTTLES {
                let lines_there = lines(root, &dir.join(file), |_| true)?;
                self.caps.extend(lines_there.into_iter().map(|line| line.named(file)));
            }
        }
        Ok(())
    }
}

impl Line {
    /// Puts the name of the limit (one of the four files) before its number.
    fn named(mut self, file: &str) -> Self {
        let what = file.trim_start_matches("blkio.throttle.").trim_end_matches("_device");
        self.words = format!("{what}={}", self.words);
        self
    }
}

/// Our group's directory, and those above it up to the top.
pub(crate) fn levels(top: &Path, path: &str) -> Vec<PathBuf> {
    let own = top.join(path.trim_start_matches('/'));
    own.ancestors().take_while(|dir| dir.starts_with(top)).map(Path::to_path_buf).collect()
}

/// The lines about devices that say something `limiting`. A file that is not
/// there limits nothing.
fn lines(root: &Root, path: &Path, limiting: fn(&&str) -> bool) -> Result<Vec<Line>, Unknown> {
    if !root.exists(path) {
        return Ok(Vec::new());
    }
    let raw = root.read_text(path)?;
    let mut lines_there = Vec::new();
    for text in raw.trim().lines() {
        let (device, rest) = text.split_once(' ').ok_or_else(|| Unknown::garbled(path, text))?;
        if !is_number(device) {
            return Err(Unknown::garbled(path, text));
        }
        let words: Vec<&str> = rest.split_whitespace().filter(limiting).collect();
        if !words.is_empty() {
            let (device, words) = (device.to_owned(), words.join(" "));
            lines_there.push(Line { path: path.to_path_buf(), text: text.to_owned(), device, words });
        }
    }
    Ok(lines_there)
}

fn is_number(device: &str) -> bool {
    device
        .split_once(':')
        .is_some_and(|(major, minor)| major.parse::<u32>().is_ok() && minor.parse::<u32>().is_ok())
}

// The limits of CPU time that control groups put on fathom, of both versions, and how often they stopped it.
//
// A group that has used its quota up does not run until its period ends (Documentation/scheduler/sched-bwc.rst of the
// kernel). The limits of a container are such quotas. A limit applies to the group and to all below it.

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
    use std::fs;

    /// A machine with these files.
    fn machine(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let root = Root::recorded(dir.path());
        (dir, root)
    }

    fn quotas(root: &Root) -> Vec<(&'static str, u64)> {
        let number = DevNumber { major: 7, minor: 3 };
        caps(root, &[number]).into_iter().map(|(name, value, _)| (name, value)).collect()
    }

    #[test]
    fn the_smallest_cap_of_our_group_and_of_those_above_it() {
        let (_dir, root) = machine(&[
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/cgroup.controllers", "io\n"),
            (
                "sys/fs/cgroup/a/io.max",
                "7:3 rbps=max wbps=max riops=3000 wiops=max\n8:0 rbps=1 wbps=1 riops=1 wiops=1\n",
            ),
            ("sys/fs/cgroup/a/b/io.max", "7:3 rbps=1048576 wbps=max riops=5000 wiops=max\n"),
        ]);
        assert_eq!(quotas(&root), [("group_read_iops_max", 3_000), ("group_read_bytes_max", 1_048_576)]);
    }

    #[test]
    fn caps_of_cgroup_1() {
        let (_dir, root) = machine(&[
            ("proc/self/cgroup", "7:blkio:/own\n0::/\n"),
            ("sys/fs/cgroup/blkio/blkio.throttle.read_bps_device", ""),
            ("sys/fs/cgroup/blkio/own/blkio.throttle.write_iops_device", "7:3 200\n"),
        ]);
        assert_eq!(quotas(&root), [("group_write_iops_max", 200)]);
        let (_dir, none) = machine(&[("proc/self/cgroup", "garbled")]);
        assert_eq!(quotas(&none), []);
    }
}

#[cfg(test)]
mod cpu_quota_tests {
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
