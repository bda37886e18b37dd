//! Parsers that turn the text of a fact into its value.

use std::collections::HashSet;

use super::SnapshotValue;
use fathom_device::inventory::property::chosen;

/// The text itself, if there is any.
pub fn text(text: &str) -> Option<SnapshotValue> {
    (!text.is_empty()).then(|| SnapshotValue::Text(text.to_owned()))
}

/// A whole number.
pub fn number(text: &str) -> Option<SnapshotValue> {
    text.parse().ok().map(SnapshotValue::Number)
}

/// `0` or `1`.
pub fn flag(text: &str) -> Option<SnapshotValue> {
    match text {
        "0" => Some(SnapshotValue::Flag(false)),
        "1" => Some(SnapshotValue::Flag(true)),
        _ => None,
    }
}

/// 512-byte sectors, in bytes.
pub fn sectors(text: &str) -> Option<SnapshotValue> {
    let sectors: u64 = text.parse().ok()?;
    sectors.checked_mul(512).map(SnapshotValue::Number)
}

/// The choice in brackets of `none [mq-deadline] kyber`; a file with a single
/// word has no brackets.
pub fn selected(line: &str) -> Option<SnapshotValue> {
    text(chosen(line).unwrap_or(line))
}

/// `PRETTY_NAME` of os-release.
pub fn pretty_name(file: &str) -> Option<SnapshotValue> {
    let mut lines = file.lines();
    let name = lines.find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    text(name.trim_matches('"'))
}

/// The processor's name, by the keys of x86, arm64 or POWER.
pub fn cpu_model(file: &str) -> Option<SnapshotValue> {
    let keys = ["model name", "Model", "cpu"];
    text(keys.iter().find_map(|key| fields(file, key).next())?)
}

/// Revision of the first processor's microcode.
pub fn microcode(file: &str) -> Option<SnapshotValue> {
    text(fields(file, "microcode").next()?)
}

/// Number of sockets.
pub fn sockets(file: &str) -> Option<SnapshotValue> {
    distinct(fields(file, "physical id"))
}

/// Number of cores. Core numbers are counted in each socket.
pub fn cores(file: &str) -> Option<SnapshotValue> {
    let sockets = fields(file, "physical id");
    distinct(sockets.zip(fields(file, "core id")))
}

/// Number of hardware threads.
pub fn threads(file: &str) -> Option<SnapshotValue> {
    distinct(fields(file, "processor"))
}

/// The flag that x86 hypervisors set. Where there is no line with flags
/// (arm64), the missing flag means nothing.
pub fn hypervisor_flag(file: &str) -> Option<SnapshotValue> {
    let flags = fields(file, "flags").next()?;
    Some(SnapshotValue::Flag(flags.split(' ').any(|flag| flag == "hypervisor")))
}

/// Total memory in bytes, from meminfo's `kB` (which are KiB).
pub fn memory_total(file: &str) -> Option<SnapshotValue> {
    let kib: u64 = fields(file, "MemTotal").next()?.split(' ').next()?.parse().ok()?;
    kib.checked_mul(1024).map(SnapshotValue::Number)
}

/// The values of `key : value` lines.
fn fields<'a>(file: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    file.lines().filter_map(move |line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

fn distinct<T: Eq + std::hash::Hash>(values: impl Iterator<Item = T>) -> Option<SnapshotValue> {
    let count = values.collect::<HashSet<T>>().len();
    (count > 0).then_some(SnapshotValue::Number(count as u64))
}
