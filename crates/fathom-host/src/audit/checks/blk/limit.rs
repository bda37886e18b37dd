//! The limits that control groups put on our I/O, of both versions.
//!
//! A limit applies to the group and to all groups below it, so we read from our
//! own group up to the top. A level without the file has no limit of its own.

use std::path::{Path, PathBuf};

use crate::audit::{Raw, Scene};
use fathom_device::root::Unknown;

const TOP: &str = "/sys/fs/cgroup";

/// Files of cgroup 1 with one device and one number a line.
const THROTTLES: [&str; 4] = [
    "blkio.throttle.read_bps_device",
    "blkio.throttle.write_bps_device",
    "blkio.throttle.read_iops_device",
    "blkio.throttle.write_iops_device",
];

/// A line about one device.
#[derive(Debug)]
pub(super) struct Line {
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
pub(super) struct Limits {
    /// The text of `/proc/self/cgroup`.
    pub own: Raw,
    /// Caps (`io.max`, `blkio.throttle.*`).
    pub caps: Vec<Line>,
    /// Latency targets (`io.latency`).
    pub targets: Vec<Line>,
    /// Devices that iocost divides between groups.
    pub shares: Vec<Line>,
}

/// Reads the limits. Fails where it cannot be known whether there are any.
pub(super) fn limits(scene: &Scene<'_>) -> Result<Limits, Unknown> {
    let own = scene.read("/proc/self/cgroup")?;
    let groups: Option<Vec<(&str, &str)>> = own.text.lines().map(group).collect();
    let groups = groups.filter(|groups| !groups.is_empty());
    let groups = groups.ok_or_else(|| own.garbled())?;
    let v1 = groups.iter().find(|(names, _)| names.split(',').any(|name| name == "blkio"));
    let mut limits = Limits { own: own.clone(), caps: Vec::new(), targets: Vec::new(), shares: Vec::new() };
    match (v1, groups.iter().find(|(names, _)| names.is_empty())) {
        (Some((_, path)), _) => limits.read_v1(scene, path)?,
        (None, Some((_, path))) => limits.read_v2(scene, path)?,
        (None, None) => return Err(Unknown::new(&own.path, "it names no group that could limit I/O")),
    }
    Ok(limits)
}

/// `0::/user.slice` (cgroup 2) or `7:blkio:/`: controllers and path.
fn group(line: &str) -> Option<(&str, &str)> {
    let (number, rest) = line.split_once(':')?;
    number.parse::<u32>().ok()?;
    rest.split_once(':').filter(|(_, path)| path.starts_with('/'))
}

impl Limits {
    fn read_v2(&mut self, scene: &Scene<'_>, path: &str) -> Result<(), Unknown> {
        // This file shows that the tree is mounted. Without it, a missing limit
        // file proves nothing.
        scene.read(Path::new(TOP).join("cgroup.controllers"))?;
        for dir in levels(Path::new(TOP), path) {
            self.caps.extend(lines(scene, &dir.join("io.max"), |word| !word.ends_with("=max"))?);
            self.targets.extend(lines(scene, &dir.join("io.latency"), |_| true)?);
        }
        let qos = lines(scene, &Path::new(TOP).join("io.cost.qos"), |_| true)?;
        self.shares.extend(qos.into_iter().filter(|line| line.words.contains("enable=1")));
        Ok(())
    }

    fn read_v1(&mut self, scene: &Scene<'_>, path: &str) -> Result<(), Unknown> {
        let top = Path::new(TOP).join("blkio");
        scene.read(top.join(THROTTLES[0]))?;
        for dir in levels(&top, path) {
            for file in THROTTLES {
                let found = lines(scene, &dir.join(file), |_| true)?;
                self.caps.extend(found.into_iter().map(|line| line.named(file)));
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
fn levels(top: &Path, path: &str) -> Vec<PathBuf> {
    let own = top.join(path.trim_start_matches('/'));
    own.ancestors().take_while(|dir| dir.starts_with(top)).map(Path::to_path_buf).collect()
}

/// The lines about devices that say something `limiting`. A file that is not
/// there limits nothing.
fn lines(scene: &Scene<'_>, path: &Path, limiting: fn(&&str) -> bool) -> Result<Vec<Line>, Unknown> {
    if !scene.root.exists(path) {
        return Ok(Vec::new());
    }
    let raw = scene.read(path)?;
    let mut found = Vec::new();
    for text in raw.text.lines() {
        let (device, rest) = text.split_once(' ').ok_or_else(|| Unknown::garbled(path, text))?;
        if !is_number(device) {
            return Err(Unknown::garbled(path, text));
        }
        let words: Vec<&str> = rest.split_whitespace().filter(limiting).collect();
        if !words.is_empty() {
            let (device, words) = (device.to_owned(), words.join(" "));
            found.push(Line { path: path.to_path_buf(), text: text.to_owned(), device, words });
        }
    }
    Ok(found)
}

fn is_number(device: &str) -> bool {
    device
        .split_once(':')
        .is_some_and(|(major, minor)| major.parse::<u32>().is_ok() && minor.parse::<u32>().is_ok())
}
