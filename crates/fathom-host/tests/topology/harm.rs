//! Removes every file of a machine in turn, garbles it, or puts an absurd value
//! into it. There must still be a map, in every output format.

use std::path::PathBuf;

use crate::topology::fixture::text;
use fathom_device::tree::{Tree, TreeEntry};
use fathom_host::topology::MapRequest;
use fathom_host::topology::svg::svg;

use crate::topology::fixture::{map_of, tree};

/// Ways to damage a file; `None` removes it.
fn harms() -> [Option<TreeEntry>; 4] {
    let file = |bytes: &[u8]| Some(TreeEntry::File { bytes: bytes.to_vec(), mode: None });
    [
        None,
        file(b"\xff\xfe garbage \x00"),
        file(b"-1\n99999999999999999999\n"),
        file(b"18446744073709551615\n"),
    ]
}

fn harmed(tree: &Tree, path: &PathBuf, harm: Option<TreeEntry>) -> Tree {
    let mut tree = tree.clone();
    tree.remove(path);
    if let Some(entry) = harm {
        tree.insert(path, entry);
    }
    tree
}

fn check(name: &str) -> usize {
    let tree = tree(name);
    let files = tree.iter().filter(|(_, entry)| matches!(entry, TreeEntry::File { .. } | TreeEntry::Link(_)));
    let paths: Vec<PathBuf> = files.map(|(path, _)| path.to_path_buf()).collect();
    let mut maps = 0;
    for path in &paths {
        for harm in harms() {
            match map_of(&harmed(&tree, path, harm), &MapRequest::default()) {
                Ok(map) => {
                    maps += 1;
                    assert!(!text(&map).is_empty() && svg(&map).ends_with("</svg>\n"));
                    assert!(serde_json::to_string(&map).is_ok(), "{}", path.display());
                }
                Err(error) => panic!("{name} without {}: {error}", path.display()),
            }
        }
    }
    assert_eq!(maps, paths.len() * harms().len());
    maps
}

#[test]
fn no_file_is_needed_for_a_map() {
    let maps: usize = ["downgraded", "laptop"].into_iter().map(check).sum();
    assert!(maps > 300, "{maps}");
}

/// The array's machine, whose rules look at several drives at once.
#[test]
fn nor_for_a_map_of_an_array() {
    assert!(check("two-sockets") > 500);
}
