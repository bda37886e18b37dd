//! The only place where a setting is changed.
//!
//! It is a trait so that tests can use a kernel of their own: one that refuses, clamps, or lets
//! somebody else write in between.

use super::child::Apart;
use super::key::mounted;
use super::place::SettingPlace;
use crate::sys::remount;
use fathom_device::root::Root;
use fathom_device::sys::nvme::{self, AdminCommand};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

/// Changes settings.
pub trait Writer: Send + Sync {
    /// Writes `text` to the place.
    fn write(&self, root: &Root, place: &SettingPlace, text: &str) -> io::Result<()>;

    /// How work on settings that may hang is done by a separate process;
    /// `None`: it is done here, and waited for however long it takes.
    fn apart(&self) -> Option<&dyn Apart> {
        None
    }
}

/// The kernel of the machine we run on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kernel;

/// Set Features (NVMe base specification 2.0, 5.27). Bit 31 of dword 10 would
/// save the value beyond a power cycle: it is never set.
const SET_FEATURES: u8 = 0x09;

impl Writer for Kernel {
    fn write(&self, root: &Root, place: &SettingPlace, text: &str) -> io::Result<()> {
        if place.is_forbidden() || !root.is_live() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "not a setting that may be changed"));
        }
        match place {
            SettingPlace::File(path) => write_file(path, text),
            SettingPlace::Feature { controller, feature } => set_feature(controller, *feature, text),
            SettingPlace::Unit(unit) => systemctl(if text == "active" { "start" } else { "stop" }, unit),
            SettingPlace::Mount(point) => set_option(root, point, text),
            SettingPlace::Held(_) => {
                Err(io::Error::new(io::ErrorKind::InvalidInput, "a handle is held, not written"))
            }
        }
    }
}

/// Uses one `write(2)`, because the kernel takes each call as a value of its own.
fn write_file(path: &Path, text: &str) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).open(path)?;
    let written = file.write(text.as_bytes())?;
    if written == text.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

fn set_feature(controller: &str, feature: u8, text: &str) -> io::Result<()> {
    let value: u32 = text.parse().map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let node = File::open(Path::new("/dev").join(controller))?;
    let mut command = AdminCommand { opcode: SET_FEATURES, ..AdminCommand::default() };
    command.cdw10_15[0] = u32::from(feature);
    command.cdw10_15[1] = value;
    match nvme::admin(&node, command, &mut [])?.status {
        0 => Ok(()),
        status => Err(io::Error::other(format!("the drive returned status 0x{status:x}"))),
    }
}

fn systemctl(verb: &str, unit: &str) -> io::Result<()> {
    let output = Command::new("systemctl").args(["--no-ask-password", verb, unit]).output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

/// Options of a mount by name; a bind remount sets these and nothing of the
/// file system's.
const FLAGS: [(&str, libc::c_ulong); 8] = [
    ("ro", libc::MS_RDONLY),
    ("nosuid", libc::MS_NOSUID),
    ("nodev", libc::MS_NODEV),
    ("noexec", libc::MS_NOEXEC),
    ("nodiratime", libc::MS_NODIRATIME),
    ("noatime", libc::MS_NOATIME),
    ("relatime", libc::MS_RELATIME),
    ("nosymfollow", NO_SYMLINKS),
];

/// `MS_NOSYMFOLLOW` (linux/mount.h, since 5.10).
const NO_SYMLINKS: libc::c_ulong = 256;

/// What a file system shows of its own flags; a remount that does not name one removes it
/// (`MS_RMT_MASK` of linux/fs.h).
const OWN_FLAGS: [(&str, libc::c_ulong); 5] = [
    ("ro", libc::MS_RDONLY),
    ("sync", libc::MS_SYNCHRONOUS),
    ("dirsync", libc::MS_DIRSYNC),
    ("mand", libc::MS_MANDLOCK),
    ("lazytime", LAZY_TIMES),
];

/// `MS_LAZYTIME` (linux/mount.h, since 4.0).
const LAZY_TIMES: libc::c_ulong = 1 << 25;

/// Changes one option and states all others as they are now, because a remount removes what it does
/// not name.
fn set_option(root: &Root, point: &Path, word: &str) -> io::Result<()> {
    let mount = mounted(root, point).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    let (flags, options) = remounted(&mount.options, word);
    remount(point, flags, options)
}

/// The flags and the options of a remount that changes one word of `options`.
fn remounted<'a>(options: &str, word: &'a str) -> (libc::c_ulong, &'a str) {
    let (own, super_block) = parts(options);
    let has_atime = ["noatime", "relatime"].iter().any(|word| own.contains(word));
    let strict = if has_atime { 0 } else { libc::MS_STRICTATIME };
    match word {
        "noatime" | "relatime" | "strictatime" => {
            let kept = own.iter().filter(|word| !matches!(**word, "noatime" | "relatime"));
            let atime = if word == "strictatime" { libc::MS_STRICTATIME } else { flag(word) };
            (libc::MS_BIND | kept.fold(atime, |flags, word| flags | flag(word)), "")
        }
        _ => {
            // Without MS_BIND `ro` is the file system's own.
            let kept =
                own.iter().filter(|word| **word != "ro").fold(strict, |flags, word| flags | flag(word));
            let named = OWN_FLAGS.iter().filter(|(name, _)| super_block.contains(name));
            (named.fold(kept, |flags, (_, flag)| flags | flag), word)
        }
    }
}

/// The mount's own options, then those of the file system.
fn parts(options: &str) -> (Vec<&str>, Vec<&str>) {
    let words: Vec<&str> = options.split(',').collect();
    let second = words.iter().skip(1).position(|word| matches!(*word, "rw" | "ro"));
    let (own, rest) = words.split_at(second.map_or(words.len(), |at| at + 1));
    (own.to_vec(), rest.to_vec())
}

fn flag(word: &str) -> libc::c_ulong {
    FLAGS.iter().find(|(name, _)| *name == word).map_or(0, |(_, flag)| *flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_in_two_parts() {
        let (own, rest) = parts("rw,nosuid,relatime,ro,discard");
        assert_eq!(own, ["rw", "nosuid", "relatime"]);
        assert_eq!(rest, ["ro", "discard"]);
    }

    /// What a remount does not name is gone afterwards, and no revert sees it.
    #[test]
    fn a_remount_names_every_flag_that_was_set() {
        let options = "rw,nosuid,relatime,nosymfollow,ro,sync,dirsync,lazytime,discard";
        let (flags, word) = remounted(options, "nodiscard");
        let of_the_mount = libc::MS_NOSUID | libc::MS_RELATIME | NO_SYMLINKS;
        let of_the_file_system = libc::MS_RDONLY | libc::MS_SYNCHRONOUS | libc::MS_DIRSYNC | LAZY_TIMES;
        assert_eq!((flags, word), (of_the_mount | of_the_file_system, "nodiscard"));
        let (flags, word) = remounted(options, "noatime");
        assert_eq!(flags, libc::MS_BIND | libc::MS_NOSUID | libc::MS_NOATIME | NO_SYMLINKS);
        assert_eq!(word, "");
    }

    #[test]
    fn the_kernel_is_never_behind_a_recorded_tree() {
        let dir = tempfile::tempdir().unwrap();
        let place = SettingPlace::File("/sys/block/loop0/queue/nomerges".into());
        let refused = Kernel.write(&Root::recorded(dir.path()), &place, "2").unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
        let forbidden = SettingPlace::File("/sys/block/loop0/queue/write_cache".into());
        assert!(Kernel.write(&Root::live(), &forbidden, "write back").is_err());
    }
}
