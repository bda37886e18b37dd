use std::fs;
use std::path::Path;
use std::time::Duration;

use super::*;
use fathom_device::Goal;

fn server() -> Tree {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trees/server.tree");
    Tree::parse(&fs::read_to_string(path).unwrap()).unwrap()
}

fn audit(tree: &Tree) -> Vec<(&'static str, String)> {
    let root = Root::held(tree);
    let earlier = Earlier::recorded(&root, checks::counters());
    let audit = Audit::take(&Scene::new(&root, &[], JobNeeds::default(), earlier));
    let words = |examined: &crate::audit::Examined| {
        Goal::ALL.map(|goal| examined.verdict(goal).word()).join(" ")
            + &format!("{:?}", examined.observations)
    };
    audit.examined.iter().map(|examined| (examined.check.id, words(examined))).collect()
}

/// The audit of a capture must give the same result as the audit of the machine.
#[test]
fn the_audit_of_a_capture_is_the_audit_of_the_machine() {
    let server = server();
    let captured = record(&Root::held(&server), &[], Duration::ZERO);
    for (before, after) in audit(&server).into_iter().zip(audit(&captured)) {
        assert_eq!(before, after);
    }
}

#[test]
fn the_map_of_a_capture_is_the_map_of_the_machine() {
    let map = |tree: &Tree| {
        let map = Topology::read(&Root::held(tree), &MapRequest::default()).unwrap();
        crate::topology::text::text(&map, fathom_text::style::Style::PLAIN).to_string()
    };
    assert_eq!(map(&server()), map(&record(&Root::held(&server()), &[], Duration::ZERO)));
}

#[test]
fn a_capture_of_this_machine_is_a_tree_that_can_be_audited() {
    let tree = record(&Root::live(), &[], Duration::ZERO);
    let read_back = Tree::parse(&tree.to_string()).unwrap();
    assert_eq!(read_back, tree);
    assert!(tree.len() > 100, "{}", tree.len());
    assert!(!audit(&read_back).is_empty());
}

#[test]
fn nothing_that_names_the_machine_is_left() {
    let tree = record(&Root::held(&server()), &[], Duration::ZERO);
    assert!(tree.to_string().contains("EX0000A7"), "the fixture has the serial");
    let redacted = Redaction { salt: 7 }.apply(&tree);
    let text = redacted.to_string();
    for secret in ["EX0000A7", "SATA0001", "0123456789abcdef0123456789abcdef"] {
        assert!(!text.contains(secret), "{secret} is left");
    }
    assert_eq!(redacted, Redaction { salt: 7 }.apply(&tree), "replacements are stable");
    assert_ne!(redacted, Redaction { salt: 8 }.apply(&tree), "and differ between captures");
    let verdicts = |tree: &Tree| {
        audit(tree).into_iter().map(|(id, text)| (id, text[..12].to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&tree), verdicts(&redacted), "redaction changes no verdict");
}

/// Names that are only a part of a file's text, and a name that is too short for a search.
#[test]
fn people_and_servers_are_not_left_either() {
    let mut tree = server();
    let mounts = "43 27 0:39 / /home/alice rw - nfs4 files.corp.example:/export rw,addr=5.9.1.2\n\
                  44 27 0:40 / /mnt/x rw - nfs4 [2001:db8::17]:/export rw\n";
    tree.insert("/proc/self/mountinfo", TreeEntry::text(mounts));
    tree.insert("/proc/sys/kernel/hostname", TreeEntry::text("db1"));
    let redacted = Redaction { salt: 7 }.apply(&tree).to_string();
    for secret in ["alice", "files.corp", "5.9.1.2", "2001:db8::17", "= db1"] {
        assert!(!redacted.contains(secret), "{secret} is left");
    }
    assert!(redacted.contains(" / /home/") && redacted.contains(" - nfs4 "));
}

/// A drive's own answer contains its serial number, even where no file with the number was
/// readable.
#[test]
fn the_serial_in_a_drives_answer_is_not_left() {
    let mut controller = vec![0u8; 4096];
    controller[4..24].copy_from_slice(b"HIDDEN77            ");
    let mut tree = Tree::default();
    tree.insert(
        "/.fathom/asked/nvme0/identify-controller",
        TreeEntry::File { bytes: controller, mode: None },
    );
    tree.insert("/dev/disk/by-id/nvme-X_HIDDEN77", TreeEntry::Link("../../nvme0n1".into()));
    let redacted = Redaction { salt: 7 }.apply(&tree);
    let is_left = |bytes: &[u8]| bytes.windows(8).any(|part| part == b"HIDDEN77");
    for (path, entry) in redacted.iter() {
        assert!(!path.to_string_lossy().contains("HIDDEN77"));
        assert!(!matches!(entry, TreeEntry::File { bytes, .. } if is_left(bytes)));
    }
}
