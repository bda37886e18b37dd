//! A recorded machine as text, and as a directory.

mod unpack;

use std::path::Path;

use fathom_device::Why;
use fathom_device::tree::{Tree, TreeEntry};

use unpack::Unpacked;

fn unpacked(text: &str) -> Unpacked {
    Unpacked::of(&Tree::parse(&format!("fathom-tree 1\n{text}")).unwrap()).unwrap()
}

#[test]
fn readers_find_what_the_text_says() {
    let tree = unpacked("/sys/a/size = 7\n/sys/b -> /sys/a\n/x/mode 0444 = ff\n/secret !EACCES\n/empty/\n");
    let root = tree.root();
    assert_eq!(root.read_value::<u32>("/sys/b/size").unwrap(), 7);
    assert_eq!(root.mode("/x/mode").unwrap(), 0o444);
    assert_eq!(root.read_text("/secret").unwrap_err().why, Why::Denied);
    assert_eq!(root.read_text("/none").unwrap_err().why, Why::Missing);
    assert_eq!(root.list("/empty").unwrap(), Vec::<String>::new());
    assert_eq!(root.resolve("/sys/b/size").unwrap(), Path::new("/sys/a/size"));
    assert!(root.exists("/secret"));
}

#[test]
fn a_tree_cannot_reach_outside() {
    let (deep, long) = (format!("{} = 1", "/a".repeat(65)), format!("/{} = 1", "a".repeat(4096)));
    for path in ["/../x = 1", "x = 1", "/a/../../b = 1", &deep, &long] {
        assert!(Tree::parse(&format!("fathom-tree 1\n{path}\n")).is_err(), "{path}");
    }
    assert!(Tree::parse("other\n").is_err());
}

#[test]
fn what_is_taken_away_is_found_without_looking_at_the_rest() {
    let (given, gone): (String, String) =
        (0..60_000).map(|n| (format!("/sys/{n}/a = 1\n/sys/{n}-b = 1\n"), format!("-/sys/{n}\n"))).unzip();
    let tree = Tree::parse(&format!("fathom-tree 1\n{given}{gone}")).unwrap();
    assert_eq!(tree.len(), 60_000);
    assert!(tree.iter().all(|(path, _)| path.to_string_lossy().ends_with("-b")));
}

#[test]
fn nothing_is_written_through_a_link() {
    let outside = tempfile::tempdir().unwrap();
    let text = format!("fathom-tree 1\n/a -> ../../../../../..{}\n/a/x = 1\n", outside.path().display());
    assert!(Unpacked::of(&Tree::parse(&text).unwrap()).is_err());
    assert!(!outside.path().join("x").exists());
}

#[test]
fn an_overlay_takes_away_what_lies_below() {
    let mut tree = Tree::parse("fathom-tree 1\n/a/b = 1\n/a/c = 2\n/ab = 3\n").unwrap();
    tree.overlay("-/a\n/ab = 4\n").unwrap();
    let left: Vec<_> = tree.iter().collect();
    assert_eq!(left, [(Path::new("/ab"), &TreeEntry::text("4"))]);
}
