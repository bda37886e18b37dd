//! A cheap check before an expensive one: has anything changed by which a target may have come into
//! use?
//!
//! Four things can change: the mount table, the swap table, the loop devices that are attached, and
//! the files that erofs mounts without a device, which another mount namespace may do. The kernel
//! reports changes of the two tables through poll(2) (proc(5)). The others are read again.
//!
//! The number of device events (`/sys/kernel/uevent_seqnum`) cannot replace that. In the years before
//! 6.15 the kernel attached a loop device without an event (since its commit 498ef5c777d9), and before
//! that it sent the event before it put the file behind the device (`loop_configure` in
//! drivers/block/loop.c).

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use fathom_device::root::{Root, Unknown, Why};

/// The tables that report their changes. A kernel without swap has no table of swaps.
const TABLES: [&str; 2] = ["/proc/self/mounts", "/proc/swaps"];

/// Every erofs that is mounted has a directory in here.
const EROFS: &str = "/sys/fs/erofs";

/// What was seen last.
#[derive(Debug)]
pub struct Changes {
    root: Root,
    tables: Vec<File>,
    /// A table exists and could not be opened, so its changes are not reported.
    misses_table: bool,
    others: Option<Others>,
}

/// What the kernel does not report.
#[derive(Debug, PartialEq, Eq)]
struct Others {
    /// Each loop device by its name, and the number of its attachment if a file is behind it.
    loops: Vec<(String, Option<String>)>,
    erofs: Vec<String>,
}

impl Changes {
    /// Watches for changes from now on.
    pub fn watch(root: &Root) -> Self {
        let (mut tables, mut misses_table) = (Vec::new(), false);
        for table in TABLES {
            match File::open(root.at(table)) {
                Ok(table) => tables.push(table),
                Err(e) => misses_table |= e.kind() != ErrorKind::NotFound,
            }
        }
        Self { root: root.clone(), tables, misses_table, others: Others::read(root) }
    }

    /// Whether anything may have changed since the last call. A change that was complete before this
    /// call is never missed.
    pub fn any(&mut self) -> bool {
        let others = Others::read(&self.root);
        let are_others = others.is_none() || others != self.others;
        self.others = others;
        // Each table is polled, because polling a table resets what it reports.
        let polled = self.tables.iter().map(crate::sys::has_changed);
        polled.fold(are_others || self.misses_table, |any, one| any | one)
    }
}

impl Others {
    /// `None` where a change could not be seen.
    fn read(root: &Root) -> Option<Self> {
        let disks = or_none(root.list("/sys/block"))?;
        let loops = disks.into_iter().filter(|name| name.starts_with("loop"));
        let loops = loops.map(|name| attachment(root, &name).map(|attachment| (name, attachment)));
        Some(Self { loops: loops.collect::<Option<_>>()?, erofs: or_none(root.list(EROFS))? })
    }
}

/// A directory that is missing holds nothing; after any other error it is not known what it holds.
fn or_none(names: Result<Vec<String>, Unknown>) -> Option<Vec<String>> {
    match names {
        Err(unknown) if unknown.why == Why::Missing => Some(Vec::new()),
        names => names.ok(),
    }
}

/// The number of the present attachment in this boot, `Some(None)` for a device with no file behind
/// it. Kernels before 5.15 do not count attachments, so nothing distinguishes two of them there, and
/// the answer is `None`.
fn attachment(root: &Root, name: &str) -> Option<Option<String>> {
    let dir = Path::new("/sys/block").join(name);
    let backing_file = dir.join("loop/backing_file");
    if !root.exists(&backing_file) {
        return Some(None);
    }
    let number = root.read_text(dir.join("diskseq")).ok()?;
    // The kernel counts first and puts the file behind the device later. So the number is that of a
    // complete attachment only if there is a file after it was read.
    Some(root.exists(&backing_file).then_some(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct Machine(tempfile::TempDir);

    impl Machine {
        /// With one loop device that was attached 40 times and has no file behind it.
        fn new() -> Self {
            let machine = Self(tempfile::tempdir().unwrap());
            machine.write("sys/block/loop0/diskseq", "40");
            machine
        }

        fn watch(&self) -> Changes {
            Changes::watch(&Root::recorded(self.0.path()))
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn remove(&self, path: &str) {
            fs::remove_file(self.0.path().join(path)).unwrap();
        }
    }

    /// As the kernel does it: it counts, puts the file behind the device, and reports the event last
    /// or never.
    #[test]
    fn a_loop_device_is_a_change_when_its_file_is_there_and_not_only_when_it_is_counted() {
        let machine = Machine::new();
        machine.write("sys/kernel/uevent_seqnum", "7");
        let mut changes = machine.watch();
        assert!(!changes.any());
        machine.write("sys/block/loop0/diskseq", "41");
        machine.write("sys/kernel/uevent_seqnum", "8");
        changes.any();
        machine.write("sys/block/loop0/loop/backing_file", "/a");
        assert!(changes.any(), "without a number or an event of its own");
        assert!(!changes.any());
    }

    #[test]
    fn a_loop_device_that_is_attached_again_is_a_change() {
        let machine = Machine::new();
        machine.write("sys/block/loop0/loop/backing_file", "/a");
        let mut changes = machine.watch();
        assert!(!changes.any());
        machine.write("sys/block/loop0/diskseq", "41");
        assert!(changes.any());
        assert!(!changes.any());
        machine.remove("sys/block/loop0/loop/backing_file");
        assert!(changes.any());
        assert!(!changes.any());
    }

    #[test]
    fn where_attachments_are_not_counted_everything_may_have_changed() {
        let machine = Machine::new();
        machine.remove("sys/block/loop0/diskseq");
        let mut changes = machine.watch();
        assert!(!changes.any(), "no file is behind it");
        machine.write("sys/block/loop0/loop/backing_file", "/a");
        assert!(changes.any() && changes.any());
    }

    #[test]
    fn an_erofs_that_another_mount_namespace_mounts_is_a_change() {
        let machine = Machine::new();
        let mut changes = machine.watch();
        machine.write("sys/fs/erofs/0:44/sync_decompress", "0");
        assert!(changes.any());
        assert!(!changes.any());
    }
}
