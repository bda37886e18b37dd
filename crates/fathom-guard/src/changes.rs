//! A cheap check before an expensive one: has anything changed by which a target may have come into
//! use?
//!
//! Three things can change: the mount table, the swap table, and the loop devices that are
//! attached. The kernel reports changes of the tables through poll(2) (proc(5)). Of devices it
//! counts every event, and for each disk how often it was attached.

use std::fs::File;
use std::path::Path;

use fathom_device::root::Root;

/// Counts every device that comes, goes or changes
/// (Documentation/ABI/testing/sysfs-kernel-uevent_seqnum).
const EVENTS: &str = "/sys/kernel/uevent_seqnum";

/// What was seen last.
#[derive(Debug)]
pub struct Changes {
    root: Root,
    tables: Vec<File>,
    events: Option<String>,
    loops: Vec<(String, String)>,
}

impl Changes {
    /// Watches for changes from now on.
    pub fn watch(root: &Root) -> Self {
        let tables = ["/proc/self/mounts", "/proc/swaps"].map(|table| File::open(root.at(table)).ok());
        let tables = tables.into_iter().flatten().collect();
        Self { root: root.clone(), tables, events: events(root), loops: attached(root) }
    }

    /// Whether anything has changed since the last call.
    pub fn any(&mut self) -> bool {
        let are_others = self.loops_changed();
        // Each table is polled, because polling a table resets what it reports.
        self.tables.iter().map(crate::sys::poll::has_changed).fold(are_others, |any, one| any | one)
    }

    fn loops_changed(&mut self) -> bool {
        let events = events(&self.root);
        if events.is_some() && events == self.events {
            return false;
        }
        let loops = attached(&self.root);
        let are_others = loops != self.loops;
        (self.events, self.loops) = (events, loops);
        are_others
    }
}

fn events(root: &Root) -> Option<String> {
    root.read_text(EVENTS).ok()
}

/// Every loop device with the number of its present attachment in this boot. A kernel before 5.15
/// does not count attachments; there the name of the file is used instead.
fn attached(root: &Root) -> Vec<(String, String)> {
    let names = root.list("/sys/block").unwrap_or_default();
    let loops = names.into_iter().filter(|name| name.starts_with("loop"));
    loops
        .map(|name| {
            let dir = Path::new("/sys/block").join(&name);
            let count = root.read_text(dir.join("diskseq"));
            let count = count.or_else(|_| root.read_text(dir.join("loop/backing_file")));
            (name, count.unwrap_or_default())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_loop_device_that_is_attached_again_is_a_change() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("sys/kernel/uevent_seqnum", "7");
        write("sys/block/loop0/diskseq", "40");
        let mut changes = Changes::watch(&Root::recorded(dir.path()));
        assert!(!changes.any());
        write("sys/block/loop0/diskseq", "41");
        assert!(!changes.any(), "without an event nothing has happened");
        write("sys/kernel/uevent_seqnum", "8");
        assert!(changes.any());
        assert!(!changes.any());
        fs::remove_file(dir.path().join("sys/kernel/uevent_seqnum")).unwrap();
        write("sys/block/loop0/diskseq", "42");
        assert!(changes.any(), "also where events are not counted");
    }
}
